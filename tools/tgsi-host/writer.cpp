#include "tgsi-host/writer.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>

#include "files/files.h"
#include "shared/guarded.h"

namespace tools {

using namespace tgsi2spv;

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // more than any picture of a display has

/// Memory only for bytes that come. False: the other end is gone.
bool receive(int socket, std::string& content) {
    uint64_t size = 0;
    if (process::read_all(socket, std::as_writable_bytes(std::span(&size, 1))) != process::Got::All ||
        size > kMostBytes)
        return false;
    content.clear();
    while (content.size() < size) {
        std::array<char, 65536> part;
        const auto bytes = std::span(part).first(std::min<uint64_t>(part.size(), size - content.size()));
        if (process::read_all(socket, std::as_writable_bytes(bytes)) != process::Got::All) return false;
        content.append(bytes.data(), bytes.size());
    }
    return true;
}

bool send(int socket, std::string_view text) {
    const uint64_t size = text.size();
    return process::write_all(socket, std::as_bytes(std::span(&size, 1))) &&
           process::write_all(socket, std::as_bytes(std::span(text)));
}

/// Keeps no other file: a connection would stay open with it.
[[noreturn]] void serve(int socket, const std::string& path) {
    constexpr int kSocket = STDERR_FILENO + 1;
    if (dup2(socket, kSocket) < 0) _exit(1);
    close_range(kSocket + 1, ~0u, 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);  // it ends with the machine
    _exit(guarded("tgsi-host", [&] {
        for (std::string content; receive(kSocket, content);)
            if (!send(kSocket, write_file(path, content))) break;
        return 0;
    }));
}

std::string why_not_now(const std::string& path) {
    if (std::string why = why_not_written(path); !why.empty()) return why;
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return error.message();
    return access(folder.c_str(), W_OK | X_OK) == 0 ? std::string() : reason();
}

}  // namespace

tl::expected<FileWriter, std::string> FileWriter::start(const std::string& path) {
    if (const std::string why = why_not_now(path); !why.empty()) return tl::unexpected(cannot_write(path, why));
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return tl::unexpected(cannot_write(path, reason()));
    process::Descriptor inside(ends[0]), outside(ends[1]);
    const pid_t child = fork();
    if (child < 0) return tl::unexpected("cannot start a process: " + reason());
    if (child == 0) serve(outside.number(), path);
    return FileWriter(std::move(inside));
}

std::string FileWriter::write(std::string_view bytes) {
    std::string why;
    if (send(socket_.number(), bytes) && receive(socket_.number(), why)) return why;
    return "the process that writes it has ended";
}

}  // namespace tools
