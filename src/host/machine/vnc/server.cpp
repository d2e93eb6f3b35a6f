#include "machine/vnc/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "machine/vnc/viewer.h"
#include "process/client.h"
#include "process/log.h"
#include "process/sandbox.h"
#include "process/server.h"

namespace tgsi2spv::vnc {
namespace {

/// RFB ignores further characters.
constexpr size_t kMostPassword = 8;

std::string reason() {
    return std::generic_category().message(errno);
}

/// While they show the end. This process then ends, and with it those that go on (PR_SET_PDEATHSIG).
void wait_for_viewers() {
    const auto end = std::chrono::steady_clock::now() + kToShowTheEnd;
    while (waitpid(-1, nullptr, WNOHANG) >= 0 && std::chrono::steady_clock::now() < end) poll(nullptr, 0, 20);
}

}  // namespace

tl::expected<std::string, std::string> read_password(std::FILE* file, const std::string& path) {
    struct stat found {};
    if (fstat(fileno(file), &found) != 0) return tl::unexpected(fmt::format("{}: cannot read: {}", path, reason()));
    if ((found.st_mode & (S_IRGRP | S_IROTH)) != 0)
        return tl::unexpected(fmt::format("{}: others can read the password: chmod 600", path));
    std::array<char, kMostPassword + 2> line{};
    const size_t size = std::fread(line.data(), 1, line.size() - 1, file);
    std::string password(line.data(), size);
    password.erase(std::min(password.find('\n'), password.size()));
    // libvncserver would end the password at a zero.
    if (password.empty() || password.size() > kMostPassword || password.find('\0') != std::string::npos)
        return tl::unexpected(fmt::format("{}: a password has 1 to {} characters, and no zero", path, kMostPassword));
    return password;
}

std::string make_password() {
    constexpr std::string_view kCharacters = "abcdefghijkmnpqrstuvwxyz23456789";  // none looks like another
    static_assert(kCharacters.size() == 32);
    std::array<uint8_t, kMostPassword> random{};
    if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) return {};
    std::string password;
    for (const uint8_t byte : random) password += kCharacters[byte % kCharacters.size()];
    return password;
}

std::string serve_viewers(const ServerOptions& options, int channel) {
    // Every user of this machine can connect to a port of it, and every guest in QEMU's user network.
    if (options.password.empty() && options.address.path.empty())
        return fmt::format("{}:{}: a port needs a password", options.address.host, options.address.port);
    if (options.confine)
        if (std::string why = process::try_confining(options.confine); !why.empty()) return why;
    auto listener = listen_at(options.address);
    if (!listener) return listener.error();
    process::Log log("tgsi-host: vnc");
    const process::ServerLimits limits{.clients = kMostConnected,
                                       .clients_begin = false,
                                       .newcomers = kMostNewcomers,
                                       .timeout = std::chrono::seconds(0)};
    const auto guesses = process::Shared<Guesses>::create();
    if (!guesses || !process::send_file_by(channel, -1)) return "no memory, or the machine has ended";
    std::string why = process::serve_all(
        std::move(*listener), limits, log,
        [&, server = getpid()](process::Descriptor viewer, unsigned number, process::Progress& progress) {
            process::Log own(fmt::format("tgsi-host: vnc: viewer {}", number));
            const auto confine = [&] {
                const std::string failed = options.confine ? options.confine() : std::string();
                if (!failed.empty()) own.line(failed);
                return failed.empty();
            };
            const ViewerOptions its{options.password, &**guesses, server, confine, options.title};
            return serve_viewer(std::move(viewer), channel, its, progress, own) ? 0 : 1;
        });
    if (!options.address.path.empty()) unlink(options.address.path.c_str());
    wait_for_viewers();
    return why;
}

}  // namespace tgsi2spv::vnc
