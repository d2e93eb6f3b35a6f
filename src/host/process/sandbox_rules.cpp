#include "process/sandbox_rules.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace tgsi2spv::process {

namespace {

constexpr uint32_t kAllow = SCMP_ACT_ALLOW;
/// The arguments are 64 bits; the kernel reads 32 of most.
constexpr uint64_t kAll = ~0u, kAllOfBoth = ~uint64_t{0};

/// A new thread as C libraries make it, in no namespace of its own. musl adds CLONE_DETACHED, which means nothing.
constexpr uint64_t kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                             CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
constexpr uint64_t kDetached = CLONE_DETACHED;

/// Requests of ioctl() have a letter in bits 8 to 15, and in bits 30 and 31 whether memory is read and written.
constexpr uint64_t kLetter = 0xff00, kReads = 1u << 31, kWrites = 1u << 30;
constexpr uint64_t letter(uint64_t value) {
    return value << 8;
}

/// Files that are open, and the device.
std::vector<Rule> rules_for_open_files() {
    return {
        // The guest: its messages, replies, files of shared memory
        {{SYS_recvfrom, SYS_sendto, SYS_sendmsg}, {}, kAllow},
        // Open files: the log, a recording, caches of pipelines (which Mesa locks), memory without a name
        {{SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_lseek}, {}, kAllow},
        {{SYS_fstat, SYS_ftruncate, SYS_flock, SYS_fsync, SYS_close}, {}, kAllow},
        // Seals of shared memory; drivers give each queue a descriptor of its own
        {{SYS_dup}, {}, kAllow},
        {{SYS_fcntl},
         {{1, kAll, {F_ADD_SEALS, F_GET_SEALS, F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL}}},
         kAllow},
        // Files that do not wait. Not O_ASYNC: such files send signals to any given process
        {{SYS_fcntl}, {{1, kAll, {F_SETFL}}, {2, O_ASYNC, {0}}}, kAllow},
        // The device: all DRM drivers, sync files, shared buffers; NVIDIA (0: UVM, m: modes), Mali (0x80), KGSL (9).
        // Not terminals and sockets ('T', 0x89), which type for the user and name processes that get signals
        {{SYS_ioctl},
         {{1,
           kLetter,
           {letter('d'), letter('>'), letter('b'), letter('F'), letter(0), letter('m'), letter(0x80), letter(9)}}},
         kAllow},
        // AMD's KFD. Consoles have the same letter, and requests that say nothing of memory
        {{SYS_ioctl},
         {{1,
           kLetter | kReads | kWrites,
           {letter('K') | kReads, letter('K') | kWrites, letter('K') | kReads | kWrites}}},
         kAllow},
    };
}

}  // namespace

std::vector<Rule> sandbox_rules(uint32_t self) {
    std::vector<Rule> rules = {
        // Memory: allocators, stacks of threads, code that drivers compile, memory of the device
        {{SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_brk}, {}, kAllow},
        // Advice, except poisoning pages of memory (100, 101)
        {{SYS_madvise}, {{2, kAll & ~uint64_t{31}, {0}}}, kAllow},
        {{SYS_mlock, SYS_munlock, SYS_membarrier}, {}, kAllow},
        // Shared memory, and lavapipe's; wake-ups of drivers' threads
        {{SYS_memfd_create, SYS_eventfd2, SYS_timerfd_create, SYS_timerfd_settime}, {}, kAllow},
        // Unwinders and UBSan query mappings with these
        {{SYS_msync, SYS_pipe2}, {}, kAllow},

        // Locks
        {{SYS_futex, SYS_set_robust_list, SYS_sched_yield, SYS_getcpu}, {}, kAllow},
        // Time, where the vDSO does not know it
        {{SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday}, {}, kAllow},
        // Drivers wait for the device
        {{SYS_nanosleep, SYS_clock_nanosleep, SYS_ppoll, SYS_pselect6, SYS_restart_syscall}, {}, kAllow},
        {{SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait}, {}, kAllow},
        // Threads, not processes. Libraries that find no clone3 use clone, whose flags can be seen here
        {{SYS_clone3}, {}, SCMP_ACT_ERRNO(ENOSYS)},
        {{SYS_clone}, {{0, kAll & ~kDetached, {kThread}}}, kAllow},
        {{SYS_rseq, SYS_gettid, SYS_exit, SYS_exit_group}, {}, kAllow},
        {{SYS_prctl}, {{0, kAll, {PR_SET_NAME}}}, kAllow},
        // On how many processors the calling thread runs; drivers pin it. For another thread, the answer is as if the
        // kernel did not
        // know: pthread_getattr_np() takes that
        {{SYS_sched_getaffinity, SYS_sched_setaffinity}, {{0, kAll, {0}}}, kAllow},
        {{SYS_sched_getaffinity}, {{0, 0, {0}, SCMP_CMP_NE}}, SCMP_ACT_ERRNO(ENOSYS)},
        // Handlers of sanitizers; abort() sends a signal to its own process
        {{SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_getpid}, {}, kAllow},
        {{SYS_tgkill}, {{0, kAll, {self}}}, kAllow},

        // The machine, this process's usage and its user: drivers size heaps and find caches by it
        {{SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid}, {}, kAllow},
        // Hash tables
        {{SYS_getrandom}, {}, kAllow},
        // getrlimit(): of this process, and nothing is set
        {{SYS_prlimit64}, {{0, kAll, {0}}, {2, kAllOfBoth, {0}}}, kAllow},
        // fstat() of glibc 2.33 to 2.38: a handler answers it. That its path is empty cannot be seen here
        {{SYS_newfstatat}, {}, SCMP_ACT_TRAP},
#ifdef SYS_poll
        // Older forms of some of the above
        {{SYS_poll, SYS_select, SYS_epoll_wait, SYS_pipe, SYS_dup2, SYS_time}, {}, kAllow},
#endif
    };
    std::ranges::copy(rules_for_open_files(), std::back_inserter(rules));
    return rules;
}

std::vector<Rule> rules_for_files(int landlock_version) {
    // Landlock does not see files that are only named, and in its first versions not that a file is emptied
    const uint64_t never = O_PATH | (landlock_version < 3 ? O_TRUNC : 0);
    return {
        // Nodes of devices, libraries, caches
        {{SYS_openat}, {{2, never, {0}}}, kAllow},
        {{SYS_getdents64}, {}, kAllow},
        // A handler answers with the file opened: so they tell of no others
        {{SYS_faccessat}, {}, SCMP_ACT_TRAP},
#ifdef SYS_open
        {{SYS_open}, {{1, never, {0}}}, kAllow},
        {{SYS_stat, SYS_lstat, SYS_access}, {}, SCMP_ACT_TRAP},
#endif
    };
}

}  // namespace tgsi2spv::process
