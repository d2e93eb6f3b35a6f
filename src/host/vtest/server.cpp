#include "vtest/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "vtest/client.h"

namespace tgsi2spv::vtest {

namespace {

/// Blocks the signals that the server waits for, and restores the previous mask, at its end and in new processes.
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

constexpr int kWaitWhenShort = 100;  // milliseconds

std::string reason(int error) {
    return std::strerror(error);  // no pipe: UBSan needs one for a category, and there may be none
}
std::string cannot_accept(int error) {
    return "cannot accept a client: " + reason(error);
}

class Server {
  public:
    Server(Descriptor listener, const ServerLimits& limits, Log& log, const Serve& serve)
        : listener_(std::move(listener)), limits_(limits), log_(log), serve_(serve) {}
    ~Server() {
        for (const auto& [process, client] : clients_) kill(process, SIGTERM);
    }

    std::string run() {
        for (;;) {
            if (!wait()) return std::string("poll: ") + reason(errno);
            if (waits_[0].revents != 0 && signals_.ends()) return {};
            for (auto& [process, client] : clients_) log_printed(client, log_, false);
            reap();
            if (limits_.timeout.count() > 0) end_stuck_ones();
            if (waits_[1].revents == 0) continue;
            if (std::string why = start(); !why.empty()) return why;
        }
    }

  private:
    /// Waits for signals, clients and their output. A full server leaves clients in the queue, and so does one that has
    /// just been short of something.
    bool wait() {
        const bool accepts = clients_.size() < limits_.clients && !short_;
        waits_ = {{signals_.number(), POLLIN, 0}, {accepts ? listener_.number() : -1, POLLIN, 0}};
        for (const auto& [process, client] : clients_) waits_.push_back({client.printed.number(), POLLIN, 0});
        const bool watches = limits_.timeout.count() > 0 && !clients_.empty();
        const int milliseconds = short_ ? kWaitWhenShort : watches ? 1000 : -1;
        short_ = false;
        return poll(waits_.data(), waits_.size(), milliseconds) >= 0 || errno == EINTR;
    }

    std::string start() {
        auto entry = make_client(count_ + 1);  // first: clients wait better in the queue
        auto client = entry ? accept_client(listener_) : tl::unexpected(entry.error());
        if (!client) return failed(client.error());
        count_++;
        std::fflush(nullptr);
        const pid_t process = fork();
        if (process == 0) {
            clients_.clear();
            signals_.leave();
            listener_ = Descriptor();
            print_to_server(*entry);
            const int status = serve_(std::move(*client), entry->number, *entry->progress);
            std::fflush(nullptr);
            _exit(status);
        }
        entry->prints = Descriptor();
        if (process < 0)
            log_.line(fmt::format("client {}: no process for it: {}", count_, reason(errno)));
        else
            clients_.emplace(process, std::move(*entry));
        return {};
    }

    /// A client could not be taken. Returns why the server cannot go on, if so.
    std::string failed(int error) {
        if (!is_shortage(error)) return cannot_accept(error);
        if (error != EAGAIN) log_.line(fmt::format("cannot accept a client now: {}", reason(error)));
        short_ = true;
        return {};
    }

    void reap() {
        int status;
        for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
            const auto found = clients_.find(process);
            if (found == clients_.end()) continue;
            Client& client = found->second;
            log_printed(client, log_, true);
            if (WIFSIGNALED(status))
                log_.line(fmt::format("client {}: its process was ended by signal {} ({})", client.number,
                                      WTERMSIG(status), strsignal(WTERMSIG(status))));
            clients_.erase(found);
        }
    }

    void end_stuck_ones() {
        const Clock::time_point now = Clock::now();
        for (auto& [process, client] : clients_) {
            if (!is_stuck(client, limits_.timeout, now)) continue;
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
    std::vector<pollfd> waits_;
    bool short_ = false;  ///< a client was left in the queue for want of descriptors or memory
    unsigned count_ = 0;
};

tl::expected<Descriptor, int> wait_for_client(const Descriptor& listener) {
    for (;;) {
        pollfd wait{listener.number(), POLLIN, 0};
        poll(&wait, 1, -1);
        auto client = accept_client(listener);
        if (client || !is_shortage(client.error())) return client;
        poll(nullptr, 0, kWaitWhenShort);
    }
}

}  // namespace

tl::expected<int, std::string> serve_one(const std::string& path, const Serve& serve) {
    auto listener = listen_at(path);
    if (!listener) return tl::unexpected(listener.error());
    auto client = wait_for_client(*listener);
    unlink(path.c_str());
    if (!client) return tl::unexpected(cannot_accept(client.error()));
    *listener = Descriptor();
    Progress progress;
    return serve(std::move(*client), 1, progress);
}

std::string serve_all(const std::string& path, const ServerLimits& limits, Log& log, const Serve& serve) {
    auto listener = listen_at(path);
    if (!listener) return listener.error();
    std::string why = serve_all(std::move(*listener), limits, log, serve);
    unlink(path.c_str());
    return why;
}

std::string serve_all(Descriptor listener, const ServerLimits& limits, Log& log, const Serve& serve) {
    return Server(std::move(listener), limits, log, serve).run();
}

}  // namespace tgsi2spv::vtest
