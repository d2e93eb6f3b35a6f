#include "vnc/server.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <system_error>

#include "process/client.h"
#include "process/log.h"
#include "process/server.h"
#include "vnc/viewer.h"

namespace tgsi2spv::vnc {
namespace {

/// RFB ignores further characters.
constexpr size_t kMostPassword = 8;

std::string reason() {
    return std::generic_category().message(errno);
}

[[noreturn]] void run_server(const ServerOptions& options, process::Descriptor listener, int door, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(0);
    process::Log log("tgsi-host: vnc");
    const process::ServerLimits limits{
        .clients = kMostConnected, .clients_begin = false, .timeout = std::chrono::seconds(0)};
    const auto guesses = process::Shared<Guesses>::create();
    if (!guesses) _exit(1);
    const std::string why = process::serve_all(
        std::move(listener), limits, log,
        [&](process::Descriptor viewer, unsigned number, process::Progress& progress) {
            process::Log own(fmt::format("tgsi-host: vnc: viewer {}", number));
            const auto confine = [&] {
                if (const std::string failed = options.confine ? options.confine() : std::string(); !failed.empty())
                    own.line(failed);
            };
            return serve_viewer(std::move(viewer), door, {options.password, &**guesses, confine}, progress, own) ? 0
                                                                                                                 : 1;
        });
    if (!why.empty()) log.line(why);
    if (!options.address.path.empty()) unlink(options.address.path.c_str());
    _exit(why.empty() ? 0 : 1);
}

}  // namespace

tl::expected<std::string, std::string> read_password(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
    struct stat found {};
    if (!file || fstat(fileno(file.get()), &found) != 0)
        return tl::unexpected(fmt::format("{}: cannot read: {}", path, reason()));
    if ((found.st_mode & (S_IRGRP | S_IROTH)) != 0)
        return tl::unexpected(fmt::format("{}: others can read the password: chmod 600", path));
    std::array<char, kMostPassword + 2> line{};
    const size_t size = std::fread(line.data(), 1, line.size() - 1, file.get());
    std::string password(line.data(), size);
    password.erase(std::min(password.find('\n'), password.size()));
    if (password.empty() || password.size() > kMostPassword)
        return tl::unexpected(fmt::format("{}: a password has 1 to {} characters", path, kMostPassword));
    return password;
}

tl::expected<process::Descriptor, std::string> start_server(const ServerOptions& options) {
    if (options.password.empty() && !is_local(options.address))
        return tl::unexpected(
            fmt::format("{}: a password is needed where other machines can connect", options.address.host));
    auto listener = listen_at(options.address);
    if (!listener) return tl::unexpected(listener.error());
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return tl::unexpected(reason());
    process::Descriptor inside(ends[0]), outside(ends[1]);
    const pid_t parent = getpid(), child = fork();
    if (child < 0) return tl::unexpected("cannot start a process: " + reason());
    if (child == 0) {
        inside = process::Descriptor();
        run_server(options, std::move(*listener), outside.number(), parent);
    }
    return inside;
}

}  // namespace tgsi2spv::vnc
