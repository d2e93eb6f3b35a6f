#include "virtio_gpu/display.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tgsi2spv::virtio_gpu {
namespace {

enum Request : uint32_t {
    kGetDisplayInfo = 3,
    kCursorPos = 4,
    kCursorPosHide = 5,
    kCursorUpdate = 6,
    kScanout = 7,
    kUpdate = 8,
};
constexpr uint32_t kReply = 4;

struct Header {
    uint32_t request, flags, bytes;
};
constexpr size_t kInfoBytes = sizeof(virtio_gpu_resp_display_info);
static_assert(kInfoBytes == 408);

virtio_gpu_resp_display_info default_info() {
    virtio_gpu_resp_display_info info{};
    info.pmodes[0] = {.r = {0, 0, 1280, 800}, .enabled = 1, .flags = 0};
    return info;
}

}  // namespace

void Display::connect(vtest::Descriptor socket) {
    disconnect(nullptr);
    socket_ = std::move(socket);
    for (Screen& screen : screens_) {
        screen.resized = screen.width != 0;
        screen.damage = {0, 0, screen.width, screen.height};
        screen.cursor_changed = screen.cursor.visible;
    }
}

void Display::disconnect(const char* why) {
    if (why != nullptr) log_.line(why);
    socket_ = vtest::Descriptor();
    out_.clear();
    in_.clear();
    at_ = 0;
    if (asked_ != Asked::No) info_ = default_info();
    asked_ = Asked::No;
}

void Display::resize(uint32_t scanout, uint32_t width, uint32_t height) {
    Screen& screen = screens_[scanout];
    if (screen.width == width && screen.height == height) return;
    screen.width = width;
    screen.height = height;
    screen.pixels.assign(size_t{width} * height, 0);
    screen.pixels.shrink_to_fit();
    screen.resized = true;
    screen.damage = {};
}

void Display::put(uint32_t scanout, const Rect& where, uint32_t format, std::span<const std::byte> texels) {
    Screen& screen = screens_[scanout];
    const size_t row_bytes = size_t{where.width} * kPixelBytes;
    if (!inside(where, screen.width, screen.height) || texels.size() < row_bytes * where.height) return;
    for (uint32_t y = 0; y < where.height; y++)
        to_display(format, texels.subspan(y * row_bytes, row_bytes),
                   std::span(screen.pixels).subspan(size_t{where.y + y} * screen.width + where.x, where.width));
    screen.damage = together(screen.damage, where);
}

void Display::set_cursor(uint32_t scanout, const Cursor& cursor) {
    screens_[scanout].cursor = cursor;
    screens_[scanout].cursor_changed = true;
}

void Display::move_cursor(uint32_t scanout, uint32_t x, uint32_t y, bool visible) {
    Screen& screen = screens_[scanout];
    screen.cursor.x = x;
    screen.cursor.y = y;
    screen.cursor.visible = visible;
    screen.cursor_moved = true;
}

void Display::ask() {
    info_.reset();
    if (socket() < 0)
        info_ = default_info();
    else if (asked_ == Asked::No)
        asked_ = Asked::ToSend;
}

std::optional<virtio_gpu_resp_display_info> Display::info() {
    return std::exchange(info_, std::nullopt);
}

void Display::receive() {
    while (socket() >= 0) {
        const size_t had = in_.size(), wanted = sizeof(Header) + kInfoBytes;
        in_.resize(wanted);
        const ssize_t got = recv(socket(), in_.data() + had, wanted - had, MSG_DONTWAIT);
        in_.resize(had + static_cast<size_t>(std::max<ssize_t>(got, 0)));
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (got <= 0) return disconnect(nullptr);
        if (in_.size() < sizeof(Header)) continue;
        Header header;
        std::memcpy(&header, in_.data(), sizeof header);
        // It answers one question at a time; nothing else comes.
        if (asked_ != Asked::Sent || header.request != kGetDisplayInfo || (header.flags & kReply) == 0 ||
            header.bytes != kInfoBytes)
            return disconnect("the display's socket: an unexpected answer");
        if (in_.size() < wanted) continue;
        std::memcpy(&info_.emplace(), in_.data() + sizeof header, kInfoBytes);
        asked_ = Asked::No;
        in_.clear();
    }
}

void Display::send() {
    while (socket() >= 0) {
        if (at_ == out_.size() && !make_message()) return;
        const ssize_t put = ::send(socket(), out_.data() + at_, out_.size() - at_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (put <= 0) return disconnect(nullptr);
        at_ += static_cast<size_t>(put);
    }
}

void Display::begin(uint32_t request, size_t bytes) {
    out_.clear();
    at_ = 0;
    out_.reserve(sizeof(Header) + bytes);
    const std::array<uint32_t, 3> header{request, 0, static_cast<uint32_t>(bytes)};
    add(header);
}

void Display::add(std::span<const uint32_t> words) {
    const auto bytes = std::as_bytes(words);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
}

/// False: no changes are pending.
bool Display::make_message() {
    out_.clear();
    at_ = 0;
    if (asked_ == Asked::ToSend) {
        begin(kGetDisplayInfo, 0);
        asked_ = Asked::Sent;
        return true;
    }
    for (uint32_t i = 0; i < kScanouts; i++) {
        turn_ = (turn_ + 1) % kScanouts;
        if (make_screen_message(turn_)) return true;
    }
    return false;
}

bool Display::make_screen_message(uint32_t scanout) {
    Screen& screen = screens_[scanout];
    const Cursor& cursor = screen.cursor;
    if (std::exchange(screen.resized, false)) {
        begin(kScanout, 12);
        add(std::array{scanout, screen.width, screen.height});
    } else if (std::exchange(screen.cursor_changed, false)) {
        screen.cursor_moved = false;
        begin(kCursorUpdate, 20 + sizeof cursor.pixels);
        add(std::array{scanout, cursor.x, cursor.y, cursor.hot_x, cursor.hot_y});
        add(cursor.pixels);
    } else if (std::exchange(screen.cursor_moved, false)) {
        begin(cursor.visible ? kCursorPos : kCursorPosHide, 12);
        add(std::array{scanout, cursor.x, cursor.y});
    } else if (!screen.damage.empty()) {
        make_update(scanout);
    } else {
        return false;
    }
    return true;
}

void Display::make_update(uint32_t scanout) {
    Screen& screen = screens_[scanout];
    const Rect r = std::exchange(screen.damage, Rect{});
    begin(kUpdate, 20 + size_t{r.width} * r.height * kPixelBytes);
    add(std::array{scanout, r.x, r.y, r.width, r.height});
    for (uint32_t y = r.y; y < r.y + r.height; y++)
        add(std::span(screen.pixels).subspan(size_t{y} * screen.width + r.x, r.width));
}

}  // namespace tgsi2spv::virtio_gpu
