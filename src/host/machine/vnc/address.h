// The addresses at which viewers connect, and access to them.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "process/socket.h"

namespace tgsi2spv::vnc {

struct Address {
    std::string path;  ///< path of a local socket; empty: a port
    std::string host = "127.0.0.1";
    uint16_t port = 0;
};

/// PATH (with a slash), PORT, HOST:PORT or [HOST]:PORT; the host is a number. Fails with a sentence.
tl::expected<Address, std::string> parse_address(const std::string& text);
/// Listens there, without waiting. Only this user connects to a local socket.
tl::expected<process::Descriptor, std::string> listen_at(const Address& address);

}  // namespace tgsi2spv::vnc
