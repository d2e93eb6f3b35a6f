#include "process/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "process/client.h"

namespace tgsi2spv::process {

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

constexpr int kWaitWhenShort = 100, kWaitForClaims = 20;  // milliseconds
/// Connections without a process. A new one replaces the oldest that has said nothing.
constexpr size_t kMostWaiting = 64;
constexpr size_t kMostLines = 2000;                     // of all clients, in a minute
constexpr auto kToEstablish = std::chrono::seconds(1);  // while others wait

std::string reason(int error) {
    return std::strerror(error);  // no pipe: UBSan needs one for a category, and there may be none
}
std::string cannot_wait() {
    return "poll: " + reason(errno);
}

/// A connection that waits for its process.
struct Waiting {
    Descriptor socket;
    bool has_begun;
};

/// Whether the client is still there, and whether it has said something.
bool look_at(Waiting& client) {
    pollfd look{client.socket.number(), POLLIN, 0};
    if (poll(&look, 1, 0) <= 0) return true;
    char byte;
    const bool gone = (look.revents & (POLLHUP | POLLERR)) != 0 ||
                      recv(client.socket.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
    client.has_begun = true;
    return !gone;
}

class Server {
  public:
    Server(Descriptor listener, const ServerLimits& limits, Log& log, const Serve& serve)
        : listener_(std::move(listener)), limits_(limits), log_(log), serve_(serve) {}
    ~Server() {
        for (const auto& [process, client] : clients_) kill(process, SIGTERM);
    }

    /// The first client that says something. Signals are this process's own.
    tl::expected<Descriptor, std::string> wait_for_one() {
        signals_.leave();
        for (;;) {
            if (!wait()) return tl::unexpected(cannot_wait());
            if (waits_[1].revents != 0)
                if (std::string why = let_in(); !why.empty()) return tl::unexpected(std::move(why));
            drop_gone();
            const auto found = std::ranges::find(waiting_, true, &Waiting::has_begun);
            if (found != waiting_.end()) return std::move(found->socket);
        }
    }

    std::string run() {
        for (;;) {
            if (!wait()) return cannot_wait();
            if (waits_[0].revents != 0 && signals_.ends()) return {};
            for (auto& [process, client] : clients_) log_printed(client, false);
            reap();
            if (!limits_.clients_begin) grant_places();
            if (limits_.timeout.count() > 0) end_stuck_ones();
            if (waits_[1].revents != 0)
                if (std::string why = let_in(); !why.empty()) return why;
            start_waiting();
        }
    }

  private:
    size_t newcomers() const {
        return static_cast<size_t>(std::ranges::count_if(clients_, [](const auto& c) { return !has_place(c.second); }));
    }
    bool is_full() const {
        return limits_.clients_begin ? clients_.size() >= limits_.clients : newcomers() >= limits_.newcomers;
    }
    auto find_silent() { return std::ranges::find(waiting_, false, &Waiting::has_begun); }
    /// Waits for signals, clients and their output. A full server leaves clients in the queue, and so does one that has
    /// just been short of something.
    bool wait() {
        const size_t most = limits_.clients_begin ? kMostWaiting : 1;
        const bool accepts = !short_ && (waiting_.size() < most || find_silent() != waiting_.end());
        waits_ = {{signals_.number(), POLLIN, 0}, {accepts ? listener_.number() : -1, POLLIN, 0}};
        for (const auto& [process, client] : clients_) waits_.push_back({client.printed.number(), POLLIN, 0});
        for (const Waiting& client : waiting_)
            waits_.push_back({client.socket.number(), static_cast<short>(client.has_begun ? 0 : POLLIN), 0});
        const bool watches = limits_.timeout.count() > 0 && !clients_.empty();
        const bool hurries = short_ || (is_full() && !waiting_.empty());
        const bool logs_in = !limits_.clients_begin && newcomers() > 0;
        const int milliseconds = logs_in ? kWaitForClaims : hurries ? kWaitWhenShort : watches ? 1000 : -1;
        short_ = false;
        return poll(waits_.data(), waits_.size(), milliseconds) >= 0 || errno == EINTR;
    }

    /// Returns why the server cannot go on, if so.
    std::string let_in() {
        auto client = accept_client(listener_);
        if (!client && !is_shortage(client.error())) return "cannot accept a client: " + reason(client.error());
        if (!client) {
            be_short(client.error());
            return {};
        }
        if (waiting_.size() >= kMostWaiting) waiting_.erase(find_silent());
        waiting_.push_back({std::move(*client), !limits_.clients_begin});
        return {};
    }

    void drop_gone() {
        std::erase_if(waiting_, [](Waiting& client) { return !look_at(client); });
    }

    /// Starts processes, while there are places.
    void start_waiting() {
        drop_gone();
        if (is_full() && !limits_.clients_begin && !waiting_.empty()) end_oldest();
        for (auto client = waiting_.begin(); client != waiting_.end() && !is_full() && !short_;)
            client = client->has_begun && start(client->socket) ? waiting_.erase(client) : client + 1;
    }

    /// False: there are not enough files or memory for it now.
    bool start(Descriptor& socket) {
        auto entry = make_client(count_ + 1, log_.of_client(lines_));
        if (!entry) return be_short(entry.error());
        count_++;
        std::fflush(nullptr);
        const pid_t process = fork();
        if (process == 0) {
            Descriptor client = std::move(socket);
            clients_.clear();
            waiting_.clear();
            signals_.leave();
            listener_ = Descriptor();
            print_to_server(*entry);
            const int status = serve_(std::move(client), entry->number, *entry->progress);
            std::fflush(nullptr);
            _exit(status);
        }
        entry->prints = Descriptor();
        if (process < 0)
            log_.line(fmt::format("client {}: no process for it: {}", count_, reason(errno)));
        else
            clients_.emplace(process, std::move(*entry));
        return true;
    }

    bool be_short(int error) {
        if (error != EAGAIN) log_.line(fmt::format("cannot accept a client now: {}", reason(error)));
        short_ = true;
        return false;
    }

    static bool has_place(const Client& client) { return (*client.progress).claim == Claim::Granted; }
    /// To those that have logged in, the oldest first.
    void grant_places() {
        for (size_t taken = clients_.size() - newcomers(); taken < limits_.clients; taken++) {
            const auto oldest = oldest_with(Claim::Ready);
            if (oldest == clients_.end()) return;
            (*oldest->second.progress).claim = Claim::Granted;
        }
    }
    std::map<pid_t, Client>::iterator oldest_with(Claim claim) {
        auto oldest = clients_.end();
        for (auto at = clients_.begin(); at != clients_.end(); ++at)
            if ((*at->second.progress).claim == claim &&
                (oldest == clients_.end() || at->second.began < oldest->second.began))
                oldest = at;
        return oldest;
    }

    /// For the next one.
    void end_oldest() {
        const auto oldest = oldest_with(Claim::None);
        if (oldest == clients_.end() || Clock::now() - oldest->second.began < kToEstablish) return;
        const auto& [process, client] = *oldest;
        log_.line(fmt::format("client {}: has not logged in: the next one has its place", client.number));
        kill(process, SIGKILL);
        waitpid(process, nullptr, 0);
        clients_.erase(process);
    }

    void reap() {
        int status;
        for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
            const auto found = clients_.find(process);
            if (found == clients_.end()) continue;
            Client& client = found->second;
            log_printed(client, true);
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
    const std::shared_ptr<Minute> lines_ = std::make_shared<Minute>(kMostLines);
    Signals signals_;
    std::map<pid_t, Client> clients_;
    std::vector<Waiting> waiting_;
    std::vector<pollfd> waits_;
    bool short_ = false;  ///< a client waits for descriptors or memory
    unsigned count_ = 0;
};

}  // namespace

tl::expected<int, std::string> serve_one(Descriptor listener, const std::string& path, Log& log, const Serve& serve) {
    auto client = Server(std::move(listener), {}, log, serve).wait_for_one();
    unlink(path.c_str());
    if (!client) return tl::unexpected(std::move(client.error()));
    const LoggedOutput output(log);
    if (!output.works()) return tl::unexpected("no process for the log: " + reason(errno));
    Progress progress;
    return serve(std::move(*client), 1, progress);
}

std::string serve_all(Descriptor listener, const ServerLimits& limits, Log& log, const Serve& serve) {
    return Server(std::move(listener), limits, log, serve).run();
}

}  // namespace tgsi2spv::process
