#include "vtest/sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <vector>

namespace tgsi2spv::vtest {

namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif

/// What sessions, allocators, threads and drivers with an open device call. Everything else fails with EPERM: libraries
/// go on without a file or a tuning that they are denied.
constexpr int kAllowed[] = {
    // Open files, memory. (UBSan probes memory with a pipe.)
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_close, SYS_fstat, SYS_fcntl,
    SYS_ftruncate, SYS_flock, SYS_fsync, SYS_dup, SYS_memfd_create, SYS_eventfd2, SYS_pipe2, SYS_mmap, SYS_munmap,
    SYS_mprotect, SYS_mremap, SYS_madvise, SYS_msync, SYS_mlock, SYS_munlock, SYS_brk, SYS_membarrier,
    // The guest's socket
    SYS_recvfrom, SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_setsockopt, SYS_getsockopt, SYS_shutdown,
    // Threads, time, signals of its own
    SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_rseq, SYS_gettid, SYS_getpid, SYS_exit, SYS_exit_group,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_getcpu, SYS_nanosleep, SYS_clock_nanosleep,
    SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_restart_syscall, SYS_ppoll, SYS_pselect6,
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
    SYS_sigaltstack, SYS_timerfd_create, SYS_timerfd_settime,
    // About itself
    SYS_getrandom, SYS_getrusage, SYS_uname, SYS_sysinfo, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
#ifdef SYS_poll
    SYS_poll, SYS_pipe, SYS_select, SYS_epoll_wait, SYS_dup2, SYS_time,
#endif
#ifdef SYS_newfstatat
    SYS_newfstatat,  // fstat() of glibc
#endif
};

class Filter {
  public:
    Filter() {
        load(offsetof(seccomp_data, arch));
        unless_equal(kArchitecture, SECCOMP_RET_KILL_PROCESS);
        load(offsetof(seccomp_data, nr));
        for (const int number : kAllowed) {
            jump(BPF_JEQ, static_cast<uint32_t>(number), 0, 1);
            result(SECCOMP_RET_ALLOW);
        }
        // glibc falls back to clone, whose flags can be seen here: threads, not processes.
        on(SYS_clone3, [&] { result(SECCOMP_RET_ERRNO | ENOSYS); });
        on(SYS_clone, [&] { when_argument(0, BPF_JSET, CLONE_THREAD); });
        on(SYS_prctl, [&] { when_argument(0, BPF_JEQ, PR_SET_NAME); });
        on(SYS_tgkill, [&] { when_argument(0, BPF_JEQ, static_cast<uint32_t>(getpid())); });
        on(SYS_prlimit64, [&] {  // only to ask
            load(argument(2) + 4);
            unless_equal(0, SECCOMP_RET_ERRNO | EPERM);
            when_argument(2, BPF_JEQ, 0);
        });
        on(SYS_ioctl, [&] {  // of the device; not to type into the terminal
            load(argument(1));
            for (const uint32_t typing : {uint32_t{TIOCSTI}, uint32_t{TIOCLINUX}}) {
                jump(BPF_JEQ, typing, 0, 1);
                result(SECCOMP_RET_ERRNO | EPERM);
            }
            result(SECCOMP_RET_ALLOW);
        });
        result(SECCOMP_RET_ERRNO | EPERM);
    }
    /// For all threads.
    bool install() {
        const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
    }

  private:
    static uint32_t argument(uint32_t n) { return offsetof(seccomp_data, args) + 8 * n; }  // the low word
    void load(size_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset))); }
    void jump(uint16_t test, uint32_t value, uint8_t yes, uint8_t no) {
        code_.push_back(BPF_JUMP(static_cast<uint16_t>(BPF_JMP | test | BPF_K), value, yes, no));
    }
    void result(uint32_t value) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, value)); }
    void unless_equal(uint32_t value, uint32_t otherwise) {
        jump(BPF_JEQ, value, 1, 0);
        result(otherwise);
    }
    /// Allows the call if the test holds for the argument's low word.
    void when_argument(uint32_t n, uint16_t test, uint32_t value) {
        load(argument(n));
        jump(test, value, 0, 1);
        result(SECCOMP_RET_ALLOW);
        result(SECCOMP_RET_ERRNO | EPERM);
    }
    /// `body` decides the call; it ends with a result on each path.
    template <typename Body>
    void on(int number, const Body& body) {
        const size_t at = code_.size();
        jump(BPF_JEQ, static_cast<uint32_t>(number), 0, 0);
        body();
        code_[at].jf = static_cast<uint8_t>(code_.size() - at - 1);
    }

    std::vector<sock_filter> code_;
};

}  // namespace

std::string confine() {
    if (kArchitecture == 0) return "no sandbox for this processor";
    const rlimit none{0, 0}, files{256, 256};
    if (setrlimit(RLIMIT_CORE, &none) == 0 && setrlimit(RLIMIT_NOFILE, &files) == 0 &&
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && Filter().install())
        return {};
    return "no sandbox: " + std::generic_category().message(errno);
}

}  // namespace tgsi2spv::vtest
