#include "vtest/sandbox.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "vtest/sandbox_rules.h"
#include "vtest/socket.h"

namespace tgsi2spv::vtest {

namespace {

/// The registers of a system call that was stopped: its first four arguments and its result.
struct Registers {
    std::array<uint64_t, 4> arguments;
    uint64_t* result;
};

Registers registers_of(void* context) {
    mcontext_t& m = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    const auto value = [&](int name) { return static_cast<uint64_t>(m.gregs[name]); };
    return {{value(REG_RDI), value(REG_RSI), value(REG_RDX), value(REG_R10)},
            reinterpret_cast<uint64_t*>(&m.gregs[REG_RAX])};
#else
    return {{m.regs[0], m.regs[1], m.regs[2], m.regs[3]}, reinterpret_cast<uint64_t*>(&m.regs[0])};
#endif
}

/// Answers newfstatat() for a file that is open, as fstat() of some C libraries calls it. Not for a path.
void answer(int, siginfo_t* info, void* context) {
    const int before = errno;
    const Registers call = registers_of(context);
    const auto [file, path, buffer, flags] = call.arguments;
    int error = EPERM;
    if (info->si_syscall == SYS_newfstatat && (flags & AT_EMPTY_PATH) != 0 && *reinterpret_cast<const char*>(path) == 0)
        error = syscall(SYS_fstat, static_cast<int>(file), buffer) == 0 ? 0 : errno;
    *call.result = static_cast<uint64_t>(-int64_t{error});
    errno = before;
}

bool answer_stopped_calls() {
    struct sigaction action {};
    action.sa_sigaction = answer;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    return sigaction(SIGSYS, &action, nullptr) == 0;
}

/// What is typed into the terminal is not for this process.
bool close_standard_input() {
    const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    return nothing.number() >= 0 && dup2(nothing.number(), STDIN_FILENO) == STDIN_FILENO;
}

/// For all threads.
bool install(const std::vector<sock_filter>& code) {
    const sock_fprog program{static_cast<unsigned short>(code.size()), const_cast<sock_filter*>(code.data())};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

}  // namespace

std::string confine() {
    if (sandbox_architecture() == 0) return "no sandbox for this processor";
    const rlimit none{0, 0}, files{256, 256};
    if (setrlimit(RLIMIT_CORE, &none) == 0 && setrlimit(RLIMIT_NOFILE, &files) == 0 && close_standard_input() &&
        answer_stopped_calls() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        install(filter_of(sandbox_rules(static_cast<uint32_t>(getpid())))))
        return {};
    return "no sandbox: " + std::generic_category().message(errno);
}

}  // namespace tgsi2spv::vtest
