#include "machine/vhost/messages.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace tgsi2spv::vhost {
namespace {

using process::Descriptor;

constexpr const char* kCut = "vhost-user: the connection ended in the middle of a message";

struct Shape {
    uint32_t least, most;  ///< bytes of the payload
    uint32_t files;        ///< at most this many come with it
};

/// Null if the request is not one that this back end offers.
const Shape* shape_of(Request request) {
    static constexpr Shape kEmpty{0, 0, 0}, kNumber{8, 8, 0}, kFile{8, 8, 1}, kState{8, 8, 0},
        kTable{8, 8 + kMostRegions * sizeof(RegionMessage), kMostRegions}, kAddresses{40, 40, 0},
        kSettings{12, 12 + 256, 0}, kSocket{0, 0, 1};
    switch (request) {
        case Request::GetFeatures:
        case Request::SetOwner:
        case Request::ResetOwner:
        case Request::GetProtocolFeatures:
        case Request::GetQueueNum:
        case Request::ResetDevice:
            return &kEmpty;
        case Request::SetFeatures:
        case Request::SetProtocolFeatures:
            return &kNumber;
        case Request::SetMemTable:
            return &kTable;
        case Request::SetVringNum:
        case Request::SetVringBase:
        case Request::GetVringBase:
        case Request::SetVringEnable:
            return &kState;
        case Request::SetVringAddr:
            return &kAddresses;
        case Request::SetVringKick:
        case Request::SetVringCall:
        case Request::SetVringErr:
            return &kFile;

        case Request::GetConfig:
        case Request::SetConfig:
            return &kSettings;
        case Request::GpuSetSocket:
        case Request::SetBackendSocket:
            return &kSocket;
    }
    return nullptr;
}

/// The header, and the files that come with its first byte. Returns the bytes read, or -1.
ssize_t receive_header(int socket, Message& message) {
    iovec part{&message.header, sizeof message.header};
    alignas(cmsghdr) std::byte control[CMSG_SPACE(kMostRegions * sizeof(int))];
    msghdr call{};
    call.msg_iov = &part;
    call.msg_iovlen = 1;
    call.msg_control = control;
    call.msg_controllen = sizeof control;
    ssize_t got;
    do got = recvmsg(socket, &call, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got < 0) return got;
    for (cmsghdr* header = CMSG_FIRSTHDR(&call); header != nullptr; header = CMSG_NXTHDR(&call, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        for (size_t at = 0; at + sizeof(int) <= header->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
            int file;
            std::memcpy(&file, CMSG_DATA(header) + at, sizeof file);
            message.files.emplace_back(file);
        }
    }
    if ((call.msg_flags & MSG_CTRUNC) != 0) {
        errno = E2BIG;
        return -1;
    }
    return got;
}

bool read_exactly(int socket, void* to, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        const ssize_t got = recv(socket, static_cast<std::byte*>(to) + at, bytes - at, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += static_cast<size_t>(got);
    }
    return true;
}

}  // namespace

tl::expected<Received, std::string> receive(int socket, Message& message) {
    message = {};
    const ssize_t got = receive_header(socket, message);
    if (got == 0) return Received::End;
    if (got < 0) return tl::unexpected("vhost-user: cannot read: " + std::generic_category().message(errno));
    Header& header = message.header;
    const auto read = static_cast<size_t>(got);
    if (!read_exactly(socket, reinterpret_cast<std::byte*>(&header) + read, sizeof header - read))
        return tl::unexpected(std::string(kCut));
    const Shape* const shape = shape_of(message.request());
    if (shape == nullptr) return tl::unexpected(fmt::format("vhost-user: request {} was not offered", header.request));
    if ((header.flags & kVersionMask) != kVersion || (header.flags & kReply) != 0)
        return tl::unexpected(fmt::format("vhost-user: request {} has flags {:#x}", header.request, header.flags));
    if (header.size < shape->least || header.size > shape->most)
        return tl::unexpected(fmt::format("vhost-user: request {} has a payload of {} bytes, not {} to {}",
                                          header.request, header.size, shape->least, shape->most));
    if (message.files.size() > shape->files)
        return tl::unexpected(fmt::format("vhost-user: request {} came with {} files, more than {}", header.request,
                                          message.files.size(), shape->files));
    message.payload.resize(header.size);
    if (!read_exactly(socket, message.payload.data(), header.size)) return tl::unexpected(std::string(kCut));
    return Received::All;
}

bool send_reply(int socket, const Header& request, const void* payload, size_t bytes) {
    std::array<std::byte, sizeof(Header) + kMostPayload> out;
    if (bytes > kMostPayload) return false;
    const Header header{request.request, kVersion | kReply, static_cast<uint32_t>(bytes)};
    std::memcpy(out.data(), &header, sizeof header);
    if (bytes > 0) std::memcpy(out.data() + sizeof header, payload, bytes);
    for (size_t at = 0, all = sizeof header + bytes; at < all;) {
        const ssize_t put = send(socket, out.data() + at, all - at, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += static_cast<size_t>(put);
    }
    return true;
}

}  // namespace tgsi2spv::vhost
