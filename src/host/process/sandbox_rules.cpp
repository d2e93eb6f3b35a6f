#include "process/sandbox_rules.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

namespace tgsi2spv::process {

namespace {

constexpr uint32_t kAllow = SECCOMP_RET_ALLOW, kAll = ~0u;

/// A new thread as C libraries make it, in no namespace of its own. musl adds CLONE_DETACHED, which means nothing.
constexpr uint32_t kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                             CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
constexpr uint32_t kDetached = CLONE_DETACHED;

/// Requests of ioctl() have a letter in bits 8 to 15, and in bits 30 and 31 whether memory is read and written.
constexpr uint32_t kLetter = 0xff00, kReads = 1u << 31, kWrites = 1u << 30;
constexpr uint32_t letter(uint32_t value) {
    return value << 8;
}

}  // namespace

std::vector<Rule> sandbox_rules(uint32_t self) {
    return {
        // The guest: its messages, replies, files of shared memory
        {{SYS_recvfrom, SYS_sendto, SYS_sendmsg}, {}, kAllow},
        // Open files: the log, a recording, caches of pipelines (which Mesa locks), memory without a name
        {{SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_lseek}, {}, kAllow},
        {{SYS_fstat, SYS_ftruncate, SYS_flock, SYS_fsync, SYS_close}, {}, kAllow},
        // Seals of shared memory; drivers give each queue a descriptor of its own
        {{SYS_dup}, {}, kAllow},
        {{SYS_fcntl},
         {{low_word(1), kAll, {F_ADD_SEALS, F_GET_SEALS, F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL}}},
         kAllow},
        // Files that do not wait. Not O_ASYNC: such files send signals to any given process
        {{SYS_fcntl}, {{low_word(1), kAll, {F_SETFL}}, {low_word(2), O_ASYNC, {0}}}, kAllow},
        // The device: all DRM drivers, sync files, shared buffers; NVIDIA (0: UVM, m: modes), Mali (0x80), KGSL (9).
        // Not terminals and sockets ('T', 0x89), which type for the user and name processes that get signals
        {{SYS_ioctl},
         {{low_word(1),
           kLetter,
           {letter('d'), letter('>'), letter('b'), letter('F'), letter(0), letter('m'), letter(0x80), letter(9)}}},
         kAllow},
        // AMD's KFD. Consoles have the same letter, and requests that say nothing of memory
        {{SYS_ioctl},
         {{low_word(1),
           kLetter | kReads | kWrites,
           {letter('K') | kReads, letter('K') | kWrites, letter('K') | kReads | kWrites}}},
         kAllow},

        // Memory: allocators, stacks of threads, code that drivers compile, memory of the device
        {{SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_brk}, {}, kAllow},
        // Advice, except poisoning pages of memory (100, 101)
        {{SYS_madvise}, {{low_word(2), ~31u, {0}}}, kAllow},
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
        {{SYS_clone3}, {}, SECCOMP_RET_ERRNO | ENOSYS},
        {{SYS_clone}, {{low_word(0), ~kDetached, {kThread}}}, kAllow},
        {{SYS_rseq, SYS_gettid, SYS_exit, SYS_exit_group}, {}, kAllow},
        {{SYS_prctl}, {{low_word(0), kAll, {PR_SET_NAME}}}, kAllow},
        // On how many processors the calling thread runs; drivers pin it. For another thread, the answer is as if the
        // kernel did not
        // know: pthread_getattr_np() takes that
        {{SYS_sched_getaffinity, SYS_sched_setaffinity}, {{low_word(0), kAll, {0}}}, kAllow},
        {{SYS_sched_getaffinity}, {}, SECCOMP_RET_ERRNO | ENOSYS},
        // Handlers of sanitizers; abort() sends a signal to its own process
        {{SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_getpid}, {}, kAllow},
        {{SYS_tgkill}, {{low_word(0), kAll, {self}}}, kAllow},

        // The machine, this process's usage and its user: drivers size heaps and find caches by it
        {{SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid}, {}, kAllow},
        // Hash tables
        {{SYS_getrandom}, {}, kAllow},
        // getrlimit(): of this process, and nothing is set
        {{SYS_prlimit64}, {{low_word(0), kAll, {0}}, {low_word(2), kAll, {0}}, {high_word(2), kAll, {0}}}, kAllow},
        // fstat() of glibc 2.33 to 2.38: a handler answers it. That its path is empty cannot be seen here
        {{SYS_newfstatat}, {}, SECCOMP_RET_TRAP},
#ifdef SYS_poll
        // Older forms of some of the above
        {{SYS_poll, SYS_select, SYS_epoll_wait, SYS_pipe, SYS_dup2, SYS_time}, {}, kAllow},
#endif
    };
}

std::vector<Rule> rules_for_files(int landlock_version) {
    // Landlock does not see files that are only named, and in its first versions not that a file is emptied
    const uint32_t never = O_PATH | (landlock_version < 3 ? O_TRUNC : 0);
    return {
        // Nodes of devices, libraries, caches
        {{SYS_openat}, {{low_word(2), never, {0}}}, kAllow},
        {{SYS_getdents64}, {}, kAllow},
        // A handler answers with the file opened: so they tell of no others
        {{SYS_faccessat}, {}, SECCOMP_RET_TRAP},
#ifdef SYS_open
        {{SYS_open}, {{low_word(1), never, {0}}}, kAllow},
        {{SYS_stat, SYS_lstat, SYS_access}, {}, SECCOMP_RET_TRAP},
#endif
    };
}

uint32_t sandbox_architecture() {
#if defined(__x86_64__)
    return AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    return AUDIT_ARCH_AARCH64;
#else
    return 0;
#endif
}

namespace {

sock_filter load(size_t offset) {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
}
sock_filter give(uint32_t result) {
    return BPF_STMT(BPF_RET | BPF_K, result);
}
sock_filter if_equal(uint32_t value, size_t skip, size_t otherwise_skip) {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, static_cast<uint8_t>(skip), static_cast<uint8_t>(otherwise_skip));
}

/// Code from its end to its begin: continues with `reversed` for one of the values, and otherwise after it.
void test(std::vector<sock_filter>& reversed, const std::vector<uint32_t>& values) {
    const size_t rest = reversed.size();
    for (auto value = values.rbegin(); value != values.rend(); ++value)
        reversed.push_back(if_equal(*value, reversed.size() - rest, value == values.rbegin() ? rest : 0));
}

/// Gives the result, or continues with the next rule.
std::vector<sock_filter> code_of(const Rule& rule) {
    std::vector<sock_filter> reversed{give(rule.result)};
    for (auto condition = rule.conditions.rbegin(); condition != rule.conditions.rend(); ++condition) {
        test(reversed, condition->values);
        reversed.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, condition->mask));
        reversed.push_back(load(offsetof(seccomp_data, args) + 4u * condition->word));
    }
    test(reversed, rule.calls);
    reversed.push_back(load(offsetof(seccomp_data, nr)));
    return {reversed.rbegin(), reversed.rend()};
}

}  // namespace

std::vector<sock_filter> filter_of(const std::vector<Rule>& rules) {
    std::vector<sock_filter> code{load(offsetof(seccomp_data, arch)), if_equal(sandbox_architecture(), 1, 0),
                                  give(SECCOMP_RET_KILL_PROCESS)};
    for (const Rule& rule : rules) {
        const std::vector<sock_filter> part = code_of(rule);
        code.insert(code.end(), part.begin(), part.end());
    }
    code.push_back(give(SECCOMP_RET_ERRNO | EPERM));
    return code;
}

}  // namespace tgsi2spv::process
