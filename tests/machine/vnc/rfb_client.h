// A viewer that speaks RFB 3.8, uncompressed, as far as these tests need it; or any bytes.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <rfb/rfb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "process/socket.h"

namespace tgsi2spv::vnc::test {

inline constexpr int32_t kRaw = 0, kDesktopSize = -223, kCursorShape = -239, kExtendedKeys = -258, kDesktopName = -307,
                         kExtendedDesktopSize = -308;
inline constexpr std::array kUsual{kRaw, kDesktopSize, kCursorShape, kExtendedKeys};
using Bytes = std::vector<uint8_t>;

/// Numbers, as RFB has them: the largest byte first.
struct Writer {
    Bytes bytes;
    Writer& u8(uint32_t v) {
        bytes.push_back(static_cast<uint8_t>(v));
        return *this;
    }
    Writer& u16(uint32_t v) { return u8(v >> 8).u8(v); }
    Writer& u32(uint32_t v) { return u16(v >> 16).u16(v); }
};

struct Rectangle {
    uint32_t x = 0, y = 0, width = 0, height = 0;
    int32_t encoding = 0;
    Bytes bytes;
};

class RfbClient {
  public:
    explicit RfbClient(const std::string& path) : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.data(), path.size());
        if (::connect(socket_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) abort();
        const timeval most{.tv_sec = 20, .tv_usec = 0};
        setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    }
    /// False once the server has closed.
    bool send(std::span<const uint8_t> bytes) {
        return ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
    }
    bool send(const Writer& writer) { return send(writer.bytes); }
    bool send(const std::string& text) { return send({reinterpret_cast<const uint8_t*>(text.data()), text.size()}); }
    /// Fewer: the server has closed, or says nothing.
    Bytes read(size_t bytes) {
        Bytes out(bytes);
        const ssize_t got = recv(socket_.number(), out.data(), bytes, MSG_WAITALL);
        out.resize(got > 0 ? static_cast<size_t>(got) : 0);
        return out;
    }
    uint32_t number(size_t bytes) {
        uint32_t value = 0;
        for (const uint8_t byte : read(bytes)) value = value << 8 | byte;
        return value;
    }
    /// Whether the server closes, whatever else it says.
    bool is_closed() {
        for (;;) {
            std::array<uint8_t, 4096> some;
            const ssize_t got = recv(socket_.number(), some.data(), some.size(), 0);
            if (got <= 0) return got == 0 || errno == ECONNRESET;
        }
    }

    /// The versions, and the kinds of security that the server offers.
    Bytes begin() {
        if (read(12).size() != 12 || !send(std::string("RFB 003.008\n"))) return {};
        return read(number(1));
    }
    /// Without a password, until the first update can be asked for.
    bool log_in(std::span<const int32_t> encodings = kUsual) {
        if (begin() != Bytes{1}) return false;
        return send(Writer().u8(1)) && number(4) == 0 && initialise(encodings);
    }
    bool log_in_with(std::string password) {
        if (begin() != Bytes{2} || !send(Writer().u8(2))) return false;
        Bytes challenge = read(16);
        if (challenge.size() != 16) return false;
        rfbEncryptBytes(challenge.data(), password.data());
        return send(challenge) && number(4) == 0 && initialise(std::array{kRaw});
    }
    bool initialise(std::span<const int32_t> encodings) {
        if (!send(Writer().u8(1))) return false;
        width = number(2);
        height = number(2);
        format = read(16);
        name = read(number(4));
        Writer message;
        message.u8(2).u8(0).u16(static_cast<uint32_t>(encodings.size()));
        for (const int32_t encoding : encodings) message.u32(static_cast<uint32_t>(encoding));
        return send(message);
    }
    bool request(bool all) { return send(Writer().u8(3).u8(all ? 0 : 1).u16(0).u16(0).u16(width).u16(height)); }
    /// The next update's rectangles; none: the server has closed.
    std::vector<Rectangle> update() {
        if (read(2).size() != 2) return {};
        std::vector<Rectangle> all(number(2));
        for (Rectangle& r : all) {
            r = {number(2), number(2), number(2), number(2), static_cast<int32_t>(number(4)), {}};
            const size_t texels = size_t{r.width} * r.height * 4;
            if (r.encoding == kRaw) r.bytes = read(texels);
            if (r.encoding == kCursorShape) r.bytes = read(texels + (r.width + 7) / 8 * r.height);
            if (r.encoding == kDesktopName) r.bytes = read(number(4));
            if (r.encoding == kExtendedDesktopSize) r.bytes = read(4 + read(4)[0] * 16u - 4);
            const bool sized = r.encoding == kDesktopSize || (r.encoding == kExtendedDesktopSize && r.y == 0);
            if (sized) width = r.width, height = r.height;
        }
        return all;
    }
    /// Waits for a rectangle of this encoding; asks for changes meanwhile.
    Rectangle wait_for(int32_t encoding) {
        for (int i = 0; i < 20; i++) {
            const auto all = update();
            if (all.empty()) break;
            for (const Rectangle& r : all)
                if (r.encoding == encoding) return r;
            request(false);
        }
        return {};
    }

    uint32_t width = 0, height = 0;
    Bytes format, name;

  private:
    process::Descriptor socket_;
};

}  // namespace tgsi2spv::vnc::test
