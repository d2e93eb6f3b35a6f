// Files over sockets, as others send them.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "process/socket.h"

namespace tgsi2spv::process::test {

/// Sends bytes with copies of open files, at most 16. The result is that of sendmsg().
inline ssize_t send_files(int socket, std::span<const std::byte> bytes, std::span<const int> files, int flags = 0) {
    iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(16 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!files.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(files.size_bytes());
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(files.size_bytes());
        std::memcpy(CMSG_DATA(header), files.data(), files.size_bytes());
    }
    return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

/// A file that comes with a byte; none, if the byte comes alone or not at all.
inline Descriptor receive_file(int socket) {
    std::byte byte;
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    int file = -1;
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) > 0 && CMSG_FIRSTHDR(&message) != nullptr)
        std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    return Descriptor(file);
}

}  // namespace tgsi2spv::process::test
