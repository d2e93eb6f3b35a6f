#include "machine/vnc/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

namespace tgsi2spv::vnc {
namespace {

struct SocketAddress {
    sockaddr_storage bytes{};
    socklen_t size = 0;
};

tl::expected<SocketAddress, std::string> address_of(const Address& address) {
    SocketAddress out;
    sockaddr_in four{};
    sockaddr_in6 six{};
    four.sin_family = AF_INET;
    six.sin6_family = AF_INET6;
    four.sin_port = six.sin6_port = htons(address.port);
    if (inet_pton(AF_INET, address.host.c_str(), &four.sin_addr) == 1) {
        out.size = sizeof four;
        std::memcpy(&out.bytes, &four, sizeof four);
    } else if (inet_pton(AF_INET6, address.host.c_str(), &six.sin6_addr) == 1) {
        out.size = sizeof six;
        std::memcpy(&out.bytes, &six, sizeof six);
    } else {
        return tl::unexpected(fmt::format("{}: is not an IP address", address.host));
    }
    return out;
}

}  // namespace

tl::expected<Address, std::string> parse_address(const std::string& text) {
    Address address;
    if (text.find('/') != std::string::npos) {
        address.path = text;
        return address;
    }
    const size_t colon = text.rfind(':');
    const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
    if (colon != std::string::npos) address.host = text.substr(0, colon);
    if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']')
        address.host = address.host.substr(1, address.host.size() - 2);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (error != std::errc() || end != port.data() + port.size() || address.port == 0)
        return tl::unexpected(fmt::format("{}: is neither a path (with a slash) nor a port or HOST:PORT", text));
    if (const auto known = address_of(address); !known) return tl::unexpected(known.error());
    return address;
}

tl::expected<process::Descriptor, std::string> listen_at(const Address& address) {
    if (!address.path.empty()) return process::listen_at(address.path);
    const auto where = address_of(address);
    if (!where) return tl::unexpected(where.error());
    process::Descriptor listener(socket(where->bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    if (listener.number() < 0 || setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(listener.number(), reinterpret_cast<const sockaddr*>(&where->bytes), where->size) != 0 ||
        listen(listener.number(), SOMAXCONN) != 0)
        return tl::unexpected(fmt::format("{}:{}: cannot listen: {}", address.host, address.port,
                                          std::generic_category().message(errno)));
    return listener;
}

}  // namespace tgsi2spv::vnc
