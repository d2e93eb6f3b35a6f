#include "vtest/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <system_error>
#include <utility>

namespace tgsi2spv::vtest {

namespace {

/// Blocks the signals that the server waits for, and restores what was before, at its end and in new processes.
class Signals {
  public:
    Signals() {
        sigset_t wanted;
        sigemptyset(&wanted);
        for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&wanted, signal);
        sigprocmask(SIG_BLOCK, &wanted, &before_);
        file_ = Descriptor(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    ~Signals() { restore(); }
    /// As it was before, for a new process, which does not see the server's signals.
    void leave() {
        restore();
        file_ = Descriptor();
    }
    void restore() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
    int number() const { return file_.number(); }
    /// Whether one of those that came asks the server to end.
    bool ends() {
        signalfd_siginfo info;
        bool end = false;
        while (read(file_.number(), &info, sizeof info) == sizeof info) end |= info.ssi_signo != SIGCHLD;
        return end;
    }

  private:
    sigset_t before_;
    Descriptor file_;
};

using Clock = std::chrono::steady_clock;

/// A Progress that the processes forked from now on share with this one.
class SharedProgress {
  public:
    SharedProgress() {
        void* page = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) throw std::bad_alloc();
        progress_ = new (page) Progress;
    }
    SharedProgress(SharedProgress&& other) noexcept : progress_(std::exchange(other.progress_, nullptr)) {}
    SharedProgress& operator=(SharedProgress&&) = delete;
    ~SharedProgress() {
        if (progress_ != nullptr) munmap(progress_, sizeof(Progress));
    }
    Progress& operator*() const { return *progress_; }

  private:
    Progress* progress_;
};

struct Client {
    unsigned number;
    SharedProgress progress;
    uint64_t reads = 0;       ///< when looked at last
    Clock::time_point since;  ///< when that changed, or the process waited for its guest
};

class Server {
  public:
    Server(Descriptor listener, const ServerLimits& limits, Log& log, const Serve& serve)
        : listener_(std::move(listener)), limits_(limits), log_(log), serve_(serve) {}
    ~Server() {
        for (const auto& [process, client] : clients_) kill(process, SIGTERM);
    }

    std::string run() {
        for (;;) {
            // A full server leaves clients in the queue.
            std::array<pollfd, 2> waits{{{signals_.number(), POLLIN, 0},
                                         {clients_.size() < limits_.clients ? listener_.number() : -1, POLLIN, 0}}};
            const bool watches = limits_.timeout.count() > 0 && !clients_.empty();
            if (poll(waits.data(), waits.size(), watches ? 1000 : -1) < 0 && errno != EINTR)
                return std::string("poll: ") + std::generic_category().message(errno);
            if (waits[0].revents != 0 && signals_.ends()) return {};
            reap();
            if (watches) end_stuck_ones();
            if (waits[1].revents == 0) continue;
            if (std::string why = start(); !why.empty()) return why;
        }
    }

  private:
    std::string start() {
        auto client = accept_client(listener_);
        if (!client) return client.error();
        const unsigned number = ++count_;
        Client entry{number, {}, 0, Clock::now()};
        std::fflush(nullptr);
        const pid_t process = fork();
        if (process == 0) {
            clients_.clear();
            signals_.leave();
            listener_ = Descriptor();
            const int status = serve_(std::move(*client), number, *entry.progress);
            std::fflush(nullptr);
            _exit(status);
        }
        if (process < 0)
            log_.line(fmt::format("client {}: no process for it: {}", number, std::generic_category().message(errno)));
        else
            clients_.emplace(process, std::move(entry));
        return {};
    }

    void reap() {
        int status;
        for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
            const auto found = clients_.find(process);
            if (found == clients_.end()) continue;
            if (WIFSIGNALED(status))
                log_.line(fmt::format("client {}: its process was ended by signal {} ({})", found->second.number,
                                      WTERMSIG(status), strsignal(WTERMSIG(status))));
            clients_.erase(found);
        }
    }

    void end_stuck_ones() {
        const Clock::time_point now = Clock::now();
        for (auto& [process, client] : clients_) {
            const uint64_t reads = (*client.progress).reads;
            const bool waits_for_guest = reads % 2 != 0;
            if (waits_for_guest || reads != client.reads) client.since = now;
            client.reads = reads;
            if (now - client.since < limits_.timeout) continue;
            log_.line(fmt::format("client {}: no progress in {} s: its process is ended", client.number,
                                  limits_.timeout.count()));
            kill(process, SIGKILL);
            client.since = now;
        }
    }

    Descriptor listener_;
    const ServerLimits limits_;
    Log& log_;
    const Serve& serve_;
    Signals signals_;
    std::map<pid_t, Client> clients_;
    unsigned count_ = 0;
};

}  // namespace

tl::expected<int, std::string> serve_one(const std::string& path, const Serve& serve) {
    auto listener = listen_at(path);
    if (!listener) return tl::unexpected(listener.error());
    auto client = accept_client(*listener);
    unlink(path.c_str());
    if (!client) return tl::unexpected(client.error());
    *listener = Descriptor();
    Progress progress;
    return serve(std::move(*client), 1, progress);
}

std::string serve_all(const std::string& path, const ServerLimits& limits, Log& log, const Serve& serve) {
    auto listener = listen_at(path);
    if (!listener) return listener.error();
    std::string why = Server(std::move(*listener), limits, log, serve).run();
    unlink(path.c_str());
    return why;
}

}  // namespace tgsi2spv::vtest
