#include "process/sandbox.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "process/landlock.h"
#include "process/sandbox_rules.h"
#include "process/socket.h"

namespace tgsi2spv::process {

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

/// A question for a path: into which struct stat the answer goes (0: only whether the file can be opened so).
struct Question {
    int folder;
    uint64_t path, buffer;
    int how;     ///< to open it
    bool empty;  ///< the path may be empty, which means `folder`
};

Question question_of(int call, const std::array<uint64_t, 4>& a) {
    const auto way = [](uint64_t mode) { return (mode & W_OK) != 0 ? O_RDWR : O_RDONLY; };
    switch (call) {
        case SYS_newfstatat:
            return {static_cast<int>(a[0]), a[1], a[2], (a[3] & AT_SYMLINK_NOFOLLOW) != 0 ? O_NOFOLLOW : 0,
                    (a[3] & AT_EMPTY_PATH) != 0};
        case SYS_faccessat:
            return {static_cast<int>(a[0]), a[1], 0, way(a[2]), false};
#ifdef SYS_stat
        case SYS_stat:
            return {AT_FDCWD, a[0], a[1], 0, false};
        case SYS_lstat:
            return {AT_FDCWD, a[0], a[1], O_NOFOLLOW, false};
        case SYS_access:
            return {AT_FDCWD, a[0], 0, way(a[1]), false};
#endif
        default:
            return {-1, 0, 0, 0, false};
    }
}

/// 0 or an error of errno.h. Paths that cannot be opened cannot be queried: without Landlock, that is every path.
int answer(const Question& q) {
    if (q.path == 0) return q.folder < 0 ? EPERM : EFAULT;
    const bool empty = q.empty && *std::bit_cast<const char*>(q.path) == 0;
    const int file =
        empty ? q.folder
              : static_cast<int>(syscall(SYS_openat, q.folder, q.path, q.how | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file < 0 && !empty) return errno;
    const int error = q.buffer == 0 || syscall(SYS_fstat, file, q.buffer) == 0 ? 0 : errno;
    if (!empty) close(file);
    return error;
}

/// fstat() is newfstatat() with an empty path in some C libraries.
void on_stopped_call(int, siginfo_t* info, void* context) {
    const int before = errno;
    const Registers call = registers_of(context);
    *call.result = static_cast<uint64_t>(-int64_t{answer(question_of(info->si_syscall, call.arguments))});
    errno = before;
}

bool answer_stopped_calls() {
    struct sigaction action {};
    action.sa_sigaction = on_stopped_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    return sigaction(SIGSYS, &action, nullptr) == 0;
}

/// Closes standard input: text typed into the terminal is not for this process.
bool close_standard_input() {
    const Descriptor nothing(memfd_create("standard input", MFD_CLOEXEC));
    return nothing.number() >= 0 && dup2(nothing.number(), STDIN_FILENO) == STDIN_FILENO;
}

/// For all threads.
bool install(const std::vector<sock_filter>& code) {
    const sock_fprog program{static_cast<unsigned short>(code.size()), const_cast<sock_filter*>(code.data())};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

std::string confine_with(const std::vector<Rule>& rules) {
    if (sandbox_architecture() == 0) return "no sandbox for this processor";
    const rlimit none{0, 0}, files{256, 256};
    if (setrlimit(RLIMIT_CORE, &none) == 0 && setrlimit(RLIMIT_NOFILE, &files) == 0 && close_standard_input() &&
        answer_stopped_calls() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && install(filter_of(rules)))
        return {};
    return "no sandbox: " + std::generic_category().message(errno);
}

std::vector<Rule> rules_of_process(bool receives_files) {
    std::vector<Rule> rules = sandbox_rules(static_cast<uint32_t>(getpid()));
    if (receives_files) rules.push_back({{SYS_recvmsg}, {}, SECCOMP_RET_ALLOW});
    return rules;
}

}  // namespace

std::string limit_memory(uint64_t bytes) {
    // proc(5), statm: the sixth number, in pages, is what RLIMIT_DATA limits (and the stack).
    std::ifstream statm("/proc/self/statm");
    uint64_t pages = 0;
    for (int i = 0; i < 6; i++) statm >> pages;
    if (!statm) return "no limit of memory: /proc/self/statm cannot be read";
    const rlim_t most = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
    const rlimit limit{most, most};
    if (setrlimit(RLIMIT_DATA, &limit) == 0) return {};
    return "no limit of memory: " + std::generic_category().message(errno);
}

std::string confine(bool receives_files) {
    return confine_with(rules_of_process(receives_files));
}

std::string confine_to_files(bool receives_files) {
    std::vector<Rule> rules = rules_of_process(receives_files);
    for (Rule& rule : rules_for_files(landlock_version())) rules.push_back(std::move(rule));
    return confine_with(rules);
}

}  // namespace tgsi2spv::process
