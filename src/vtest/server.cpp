#include "vtest/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
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

class Server {
  public:
    Server(Descriptor listener, unsigned most, Log& log, const Serve& serve)
        : listener_(std::move(listener)), most_(most), log_(log), serve_(serve) {}
    ~Server() {
        for (const auto& [process, number] : clients_) kill(process, SIGTERM);
    }

    std::string run() {
        for (;;) {
            // A full server leaves clients in the queue.
            std::array<pollfd, 2> waits{
                {{signals_.number(), POLLIN, 0}, {clients_.size() < most_ ? listener_.number() : -1, POLLIN, 0}}};
            if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR)
                return std::string("poll: ") + std::generic_category().message(errno);
            if (waits[0].revents != 0 && signals_.ends()) return {};
            reap();
            if (waits[1].revents == 0) continue;
            if (std::string why = start(); !why.empty()) return why;
        }
    }

  private:
    std::string start() {
        auto client = accept_client(listener_);
        if (!client) return client.error();
        const unsigned number = ++count_;
        std::fflush(nullptr);
        const pid_t process = fork();
        if (process == 0) {
            clients_.clear();
            signals_.restore();
            listener_ = Descriptor();
            const int status = serve_(std::move(*client), number);
            std::fflush(nullptr);
            _exit(status);
        }
        if (process < 0)
            log_.line(fmt::format("client {}: no process for it: {}", number, std::generic_category().message(errno)));
        else
            clients_.emplace(process, number);
        return {};
    }

    void reap() {
        int status;
        for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
            const auto found = clients_.find(process);
            if (found == clients_.end()) continue;
            if (WIFSIGNALED(status))
                log_.line(fmt::format("client {}: its process was ended by signal {} ({})", found->second,
                                      WTERMSIG(status), strsignal(WTERMSIG(status))));
            clients_.erase(found);
        }
    }

    Descriptor listener_;
    const unsigned most_;
    Log& log_;
    const Serve& serve_;
    Signals signals_;
    std::map<pid_t, unsigned> clients_;
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
    return serve(std::move(*client), 1);
}

std::string serve_all(const std::string& path, unsigned most, Log& log, const Serve& serve) {
    auto listener = listen_at(path);
    if (!listener) return listener.error();
    std::string why = Server(std::move(*listener), most, log, serve).run();
    unlink(path.c_str());
    return why;
}

}  // namespace tgsi2spv::vtest
