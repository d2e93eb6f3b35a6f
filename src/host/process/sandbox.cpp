#include "process/sandbox.h"

#include <fcntl.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <memory>
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
    int how;     ///< flags to open it
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

/// The arguments that a rule is for: each element is one combination of its values.
std::vector<std::vector<scmp_arg_cmp>> arguments_of(const Rule& rule) {
    std::vector<std::vector<scmp_arg_cmp>> all{{}};
    for (const Condition& c : rule.conditions) {
        std::vector<std::vector<scmp_arg_cmp>> next;
        for (const auto& before : all)
            for (const uint64_t value : c.values) {
                const bool masks = c.compare == SCMP_CMP_MASKED_EQ;
                next.push_back(before);
                next.back().push_back({c.argument, c.compare, masks ? c.mask : value, masks ? value : 0});
            }
        all = std::move(next);
    }
    return all;
}

/// For all threads. Returns 0 or an error of errno.h.
int install(const std::vector<Rule>& rules) {
    const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)),
                                                                   seccomp_release);
    if (filter == nullptr) return ENOMEM;
    int error = 0;
    const auto done = [&error](int result) { return (error = -result) == 0; };
    if (!done(seccomp_attr_set(filter.get(), SCMP_FLTATR_API_SYSRAWRC, 1)) ||  // the system's own errors
        !done(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1)) ||
        !done(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2)) ||
        !done(seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS)))
        return error;
    for (const Rule& rule : rules)
        for (const int call : rule.calls)
            for (const auto& arguments : arguments_of(rule))
                if (!done(seccomp_rule_add_array(filter.get(), rule.action, call,
                                                 static_cast<unsigned>(arguments.size()), arguments.data())))
                    return error;
    return -seccomp_load(filter.get());
}

std::string confine_with(const std::vector<Rule>& rules) {
    const rlimit none{0, 0}, files{256, 256};
    if (setrlimit(RLIMIT_CORE, &none) == 0 && setrlimit(RLIMIT_NOFILE, &files) == 0 && close_standard_input() &&
        answer_stopped_calls() && (errno = install(rules)) == 0)
        return {};
    return "no sandbox: " + std::generic_category().message(errno);
}

std::vector<Rule> rules_of_process(bool receives_files) {
    std::vector<Rule> rules = sandbox_rules(static_cast<uint32_t>(getpid()));
    if (receives_files) rules.push_back({{SYS_recvmsg}, {}, SCMP_ACT_ALLOW});
    return rules;
}

/// For threads that start from now on: RLIMIT_DATA counts whole stacks, of 8 MiB or what `ulimit -s` says. 2 MiB is
/// glibc's default where the user has no limit, and more than drivers' threads have on Android. Returns 0 or an error
/// of errno.h.
int limit_stacks() {
    constexpr size_t kStack = 2U << 20;
    pthread_attr_t small;
    int error = pthread_attr_init(&small);
    if (error != 0) return error;
    if ((error = pthread_attr_setstacksize(&small, kStack)) == 0) error = pthread_setattr_default_np(&small);
    pthread_attr_destroy(&small);
    return error;
}

}  // namespace

std::string limit_memory(uint64_t bytes) {
    // proc(5), statm: the sixth number, in pages, is what RLIMIT_DATA limits (and the stack).
    std::ifstream statm("/proc/self/statm");
    uint64_t pages = 0;
    for (int i = 0; i < 6; i++) statm >> pages;
    if (!statm) return "no limit of memory: /proc/self/statm cannot be read";
    rlimit limit{};  // an administrator's own may be lower
    if (getrlimit(RLIMIT_DATA, &limit) != 0) limit.rlim_max = RLIM_INFINITY;
    const rlim_t most = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
    limit.rlim_cur = limit.rlim_max = std::min(most, limit.rlim_max);
    if (setrlimit(RLIMIT_DATA, &limit) == 0 && (errno = limit_stacks()) == 0) return {};
    return "no limit of memory: " + std::generic_category().message(errno);
}

std::string confine(bool receives_files) {
    return confine_with(rules_of_process(receives_files));
}

std::string try_confining(const std::function<std::string()>& confine_it) {
    auto pipe = make_pipe();
    const pid_t child = pipe ? fork() : -1;
    if (child < 0) return "no sandbox: " + std::generic_category().message(errno);
    if (child == 0) {
        const std::string why = confine_it();
        _exit(write(pipe->second.number(), why.data(), why.size()) < 0 ? 1 : 0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    std::string why(1000, '\0');
    why.resize(static_cast<size_t>(std::max<ssize_t>(read(pipe->first.number(), why.data(), why.size()), 0)));
    return status != 0 && why.empty() ? "no sandbox: its process crashed" : why;
}

std::string confine_to_files(bool receives_files) {
    std::vector<Rule> rules = rules_of_process(receives_files);
    for (Rule& rule : rules_for_files(landlock_version())) rules.push_back(std::move(rule));
    return confine_with(rules);
}

}  // namespace tgsi2spv::process
