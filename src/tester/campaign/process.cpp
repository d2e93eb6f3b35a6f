#include "campaign/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace tgsi2spv::difftest {

namespace {

void close_one(int& file) {
    if (file >= 0) close(file);
    file = -1;
}

/// Returns an unnamed file that is not inherited by programs that are executed.
int nameless_file() {
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    std::string path = ((error ? "/tmp" : folder) / "tgsi-difftest-XXXXXX").string();
    const int file = mkostemp(path.data(), O_CLOEXEC | O_APPEND);
    if (file >= 0) unlink(path.c_str());
    return file;
}

/// Makes the system kill this process before others when memory is short.
void offer_for_memory() {
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    [[maybe_unused]] const auto written = ::write(file, "1000", 4);
    close(file);
}

const char* short_name(int signal) {
    switch (signal) {
        case SIGSEGV:
            return "SIGSEGV";
        case SIGABRT:
            return "SIGABRT";
        case SIGILL:
            return "SIGILL";
        case SIGFPE:
            return "SIGFPE";
        case SIGBUS:
            return "SIGBUS";
        case SIGKILL:
            return "SIGKILL";
        case SIGTERM:
            return "SIGTERM";
        case SIGTRAP:
            return "SIGTRAP";
        default:
            return nullptr;
    }
}

}  // namespace

std::string describe(const Ending& ending) {
    if (!ending.known && ending.value == ECHILD) return "something else has collected it, and how it ended is unknown";
    if (!ending.known) return "closed its pipes but does not exit";
    if (!ending.signaled) return fmt::format("exit status {}", ending.value);
    const char* known = short_name(ending.value);
    return fmt::format("{} ({})", known != nullptr ? known : fmt::format("signal {}", ending.value),
                       strsignal(ending.value));
}

tl::expected<Child, std::string> Child::start(const std::vector<std::string>& arguments) {
    std::signal(SIGCHLD, SIG_DFL);  // if the parent process ignores it, we cannot learn how children end
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    Child child;
    child.errors_ = nameless_file();
    const bool piped = child.errors_ >= 0 && pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0;
    std::vector<char*> pointers;
    for (const auto& a : arguments) pointers.push_back(const_cast<char*>(a.c_str()));
    pointers.push_back(nullptr);
    const pid_t parent = getpid();
    child.pid_ = piped ? fork() : -1;
    if (child.pid_ == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // otherwise an endless shader outlives a killed campaign
        if (getppid() != parent) _exit(127);
#else
        (void)parent;
#endif
        offer_for_memory();
        setpgid(0, 0);  // a terminal's Ctrl-C is for the campaign, which ends its children
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        dup2(child.errors_, STDERR_FILENO);
        std::signal(SIGPIPE, SIG_DFL);
        execv(pointers[0], pointers.data());
        _exit(127);
    }
    const std::string error = child.pid_ < 0 ? std::strerror(errno) : "";
    close_one(in[0]);
    close_one(out[1]);
    child.to_ = in[1];
    child.from_ = out[0];
    if (child.pid_ < 0) return tl::unexpected(error);
    fcntl(child.to_, F_SETFL, O_NONBLOCK);
    fcntl(child.from_, F_SETFL, O_NONBLOCK);
    return child;
}

Child::Child(Child&& other) noexcept {
    *this = std::move(other);
}

Child& Child::operator=(Child&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(to_, other.to_);
    std::swap(from_, other.from_);
    std::swap(errors_, other.errors_);
    std::swap(unsent_, other.unsent_);
    std::swap(unread_, other.unread_);
    return *this;
}

Child::~Child() {
    if (pid_ > 0) {
        constexpr int kMaxMilliseconds = 1000;
        kill();
        for (int i = 0; i < kMaxMilliseconds && !try_reap(); i++) poll(nullptr, 0, 1);
    }
    close_one(to_);
    close_one(from_);
    close_one(errors_);
}

void Child::send(const std::string& line) {
    unsent_ += line;
    unsent_ += '\n';
    flush();
}

void Child::flush() {
    while (!unsent_.empty() && to_ >= 0) {
        const ssize_t n = ::write(to_, unsent_.data(), unsent_.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (n < 0) unsent_.clear();  // the child is gone; its end will be noticed
        if (n > 0) unsent_.erase(0, static_cast<size_t>(n));
    }
}

std::vector<std::string> Child::lines(bool& ended) {
    ended = false;
    char buffer[1 << 16];
    for (;;) {
        const ssize_t n = read(from_, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
        if (n <= 0) break;
        unread_.append(buffer, static_cast<size_t>(n));
    }
    std::vector<std::string> all;
    size_t start = 0;
    for (size_t end; (end = unread_.find('\n', start)) != std::string::npos; start = end + 1)
        all.push_back(unread_.substr(start, end - start));
    unread_.erase(0, start);
    return all;
}

void Child::close_input() {
    close_one(to_);
}

void Child::kill() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // if it has not made its group yet
}

std::optional<Ending> Child::try_reap() {
    siginfo_t info{};
    int waited = 0;
    while (pid_ > 0 && (waited = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT)) < 0 &&
           errno == EINTR) {
    }
    if (pid_ > 0 && waited == 0 && info.si_pid == 0) return std::nullopt;
    kill();  // until it is collected, no other group can have its number
    int status = 0;
    while (pid_ > 0 && (waited = waitpid(pid_, &status, 0)) < 0 && errno == EINTR) {
    }
    const bool known = pid_ > 0 && waited >= 0;
    pid_ = -1;
    if (!known) return Ending{.value = ECHILD, .known = false};
    if (WIFSIGNALED(status)) return Ending{.signaled = true, .value = WTERMSIG(status)};
    return Ending{.signaled = false, .value = WEXITSTATUS(status)};
}

Ending Child::reap() {
    for (;;) {
        siginfo_t info{};
        if (pid_ > 0 && waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
            continue;
        if (const auto ending = try_reap()) return *ending;
    }
}

std::string Child::end_of_errors(size_t most) const {
    const off_t size = lseek(errors_, 0, SEEK_END);
    if (size <= 0) return {};
    const off_t start = size > static_cast<off_t>(most) ? size - static_cast<off_t>(most) : 0;
    std::string text(static_cast<size_t>(size - start), '\0');
    const ssize_t n = pread(errors_, text.data(), text.size(), start);
    text.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return text;
}

namespace {

/// The shared libraries of a process, in the order of their addresses: the system places each below those before it.
std::vector<std::string> libraries_of(const std::string& process) {
    std::vector<std::string> names;
    std::ifstream maps("/proc/" + process + "/maps");
    for (std::string line; std::getline(maps, line);) {
        const size_t path = line.find('/');
        if (path == line.npos || line.find(".so", path) == line.npos) continue;
        std::string name = line.substr(line.rfind('/') + 1);
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    return names;
}

}  // namespace

std::vector<std::string> Child::newest_libraries(size_t most) const {
    const auto own = libraries_of("self");
    auto names = libraries_of(std::to_string(pid_));
    std::erase_if(names, [&](const std::string& name) { return std::ranges::find(own, name) != own.end(); });
    names.resize(std::min(names.size(), most));
    return names;
}

std::string Child::last_words(size_t most) const {
    std::string text = end_of_errors(most);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
    return text;
}

void Child::limit_errors() const {
    constexpr off_t kMax = 1 << 20;
    constexpr size_t kKept = 64 << 10;
    if (lseek(errors_, 0, SEEK_END) <= kMax) return;
    const std::string end = end_of_errors(kKept);
    if (ftruncate(errors_, 0) != 0) return;
    [[maybe_unused]] const auto written = ::write(errors_, end.data(), end.size());
}

}  // namespace tgsi2spv::difftest
