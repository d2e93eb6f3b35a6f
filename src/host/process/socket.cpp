#include "process/socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace tgsi2spv::process {

namespace {

std::string reason(int error) {
    return std::generic_category().message(error);
}

tl::expected<sockaddr_un, std::string> address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path)
        return tl::unexpected(
            fmt::format("{}: the name of a socket has 1 to {} bytes", path, sizeof address.sun_path - 1));
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

/// Removes a socket without a listener. Returns why the path cannot be used, or an empty string.
std::string clear_path(const std::string& path, const sockaddr_un& address) {
    struct stat found {};
    if (lstat(path.c_str(), &found) != 0) return {};
    if (!S_ISSOCK(found.st_mode)) return path + ": exists, and is not a socket";
    const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return path + ": another server listens there";
    if (errno != ECONNREFUSED) return fmt::format("{}: {}", path, reason(errno));
    if (unlink(path.c_str()) != 0) return fmt::format("{}: {}", path, reason(errno));
    return {};
}

}  // namespace

Descriptor::~Descriptor() {
    if (number_ >= 0) close(number_);
}

tl::expected<Descriptor, std::string> listen_at(const std::string& path) {
    const auto address = address_of(path);
    if (!address) return tl::unexpected(address.error());
    if (std::string why = clear_path(path, *address); !why.empty()) return tl::unexpected(std::move(why));
    Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const mode_t before = umask(0077);
    const bool bound = listener.number() >= 0 &&
                       bind(listener.number(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0;
    umask(before);
    if (!bound || listen(listener.number(), SOMAXCONN) != 0)
        return tl::unexpected(fmt::format("{}: cannot listen: {}", path, reason(errno)));
    return listener;
}

tl::expected<Descriptor, int> accept_client(const Descriptor& listener) {
    for (;;) {
        Descriptor client(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
        if (client.number() >= 0) return client;
        if (errno != EINTR && errno != ECONNABORTED && errno != EPROTO && errno != EPERM) return tl::unexpected(errno);
    }
}

bool is_shortage(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM || error == EAGAIN;
}

tl::expected<std::pair<Descriptor, Descriptor>, int> make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(errno);
    std::pair pipe{Descriptor(ends[0]), Descriptor(ends[1])};
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return tl::unexpected(errno);
    return pipe;
}

Got read_all(int socket, std::span<std::byte> bytes) {
    size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got = recv(socket, bytes.data() + done, bytes.size() - done, MSG_WAITALL);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0 && done == 0) return Got::End;
        if (got <= 0) return Got::Lost;
        done += static_cast<size_t>(got);
    }
    return Got::All;
}

bool write_all(int socket, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t put = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(put));
    }
    return true;
}

ssize_t receive_with_files(int socket, std::span<std::byte> bytes, std::vector<Descriptor>& files, int flags) {
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::byte control[CMSG_SPACE((kMostFiles + 1) * sizeof(int))];
    msghdr call{};
    call.msg_iov = &part;
    call.msg_iovlen = 1;
    call.msg_control = control;
    call.msg_controllen = sizeof control;
    ssize_t got;
    do got = recvmsg(socket, &call, MSG_CMSG_CLOEXEC | flags);
    while (got < 0 && errno == EINTR);
    if (got < 0) return got;
    for (cmsghdr* header = CMSG_FIRSTHDR(&call); header != nullptr; header = CMSG_NXTHDR(&call, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        for (size_t at = 0; at + sizeof(int) <= header->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
            int file;
            std::memcpy(&file, CMSG_DATA(header) + at, sizeof file);
            files.emplace_back(file);
        }
    }
    return got;
}

bool send_file_by(int socket, int descriptor) {
    char data = 0;
    iovec part{&data, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (descriptor >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof descriptor);
        std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    for (;;) {
        const ssize_t put = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (put >= 0 || errno != EINTR) return put == 1;
    }
}

SocketStream::SocketStream(Descriptor socket) : socket_(std::move(socket)) {
    // The buffer is the queue between the guest, which draws ahead, and this process (threads: 6.3).
    const int bytes = 1 << 20;
    const timeval most{.tv_sec = 60, .tv_usec = 0};
    for (const int option : {SO_RCVBUF, SO_SNDBUF})
        setsockopt(socket_.number(), SOL_SOCKET, option, &bytes, sizeof bytes);
    setsockopt(socket_.number(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
}

}  // namespace tgsi2spv::process
