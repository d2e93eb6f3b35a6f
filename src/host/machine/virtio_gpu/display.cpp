#include "machine/virtio_gpu/display.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tgsi2spv::virtio_gpu {
namespace {

constexpr uint32_t kReply = 4;

struct Header {
    uint32_t request, flags, bytes;
};
static_assert(sizeof(Header) == kDisplayHeaderBytes);
constexpr size_t kInfoBytes = sizeof(virtio_gpu_resp_display_info);
static_assert(kInfoBytes == 408);

virtio_gpu_resp_display_info default_info() {
    virtio_gpu_resp_display_info info{};
    info.pmodes[0] = {.r = {0, 0, 1280, 800}, .enabled = 1, .flags = 0};
    return info;
}

}  // namespace

/// Calls what(watcher) for the front end and, of the first display, all viewers.
template <class Tell>
void Display::tell(uint32_t scanout, const Tell& what) {
    what(front_);
    if (scanout != 0) return;
    for (Watcher& viewer : viewers_) what(viewer);
}

void Display::connect(process::Descriptor socket) {
    disconnect(nullptr);
    front_ = Watcher(std::move(socket), screens_, Watcher::Kind::FrontEnd);
    if (own_) front_.forget(0);
}

void Display::disconnect(const char* why) {
    if (why != nullptr) log_.line(why);
    front_.close();
    in_.clear();
    if (asked_ != Asked::No) info_ = default_info();
    asked_ = Asked::No;
}

bool Display::add_viewer(process::Descriptor socket) {
    if (!has_room_for(viewers_.size() + 1)) {
        log_.line("no memory for the picture of another viewer");
        return false;
    }
    viewers_.emplace_back(std::move(socket), screens_, Watcher::Kind::Viewer);
    return true;
}

void Display::resize(uint32_t scanout, uint32_t width, uint32_t height) {
    if (scanout == 0 && std::exchange(own_, false)) set_size(0, 0, 0);
    if (set_size(scanout, width, height)) front_.resized(scanout);
}

/// For viewers. False: it is the same.
bool Display::set_size(uint32_t scanout, uint32_t width, uint32_t height) {
    Screen& screen = screens_[scanout];
    if (screen.width == width && screen.height == height) return false;
    if (width != 0) {
        screen.last_width = width;
        screen.last_height = height;
    }
    screen.width = width;
    screen.height = height;
    screen.pixels.assign(size_t{width} * height, 0);
    screen.pixels.shrink_to_fit();
    if (scanout != 0) return true;
    for (Watcher& viewer : viewers_) viewer.resized(0);
    for (size_t left = viewers_.size(); !has_room_for(left); left--) {
        log_.line("no memory for the picture of a viewer: it is closed");
        viewers_[left - 1].close();
    }
    return true;
}

void Display::show_own(uint32_t width, uint32_t height, std::vector<uint32_t> pixels) {
    if (!takes_own() || front_.waits_for_room()) return;  // for the size of this display
    set_size(0, width, height);
    own_ = true;
    screens_[0].pixels = std::move(pixels);
    for (Watcher& viewer : viewers_) viewer.damaged(0, {0, 0, width, height});
}

void Display::put(uint32_t scanout, const Rect& where, uint32_t format, std::span<const std::byte> texels) {
    Screen& screen = screens_[scanout];
    const size_t row_bytes = size_t{where.width} * kPixelBytes;
    if (!inside(where, screen.width, screen.height) || texels.size() < row_bytes * where.height) return;
    for (uint32_t y = 0; y < where.height; y++)
        to_display(format, texels.subspan(y * row_bytes, row_bytes),
                   std::span(screen.pixels).subspan(size_t{where.y + y} * screen.width + where.x, where.width));
    tell(scanout, [&](Watcher& watcher) { watcher.damaged(scanout, where); });
    if (on_flush) on_flush(scanout);
}

void Display::set_cursor(uint32_t scanout, const Cursor& cursor) {
    screens_[scanout].cursor = cursor;
    tell(scanout, [scanout](Watcher& watcher) { watcher.cursor_changed(scanout); });
}

void Display::move_cursor(uint32_t scanout, uint32_t x, uint32_t y, bool visible) {
    Cursor& cursor = screens_[scanout].cursor;
    cursor.x = x;
    cursor.y = y;
    cursor.visible = visible;
    tell(scanout, [scanout](Watcher& watcher) { watcher.cursor_moved(scanout); });
}

void Display::ask() {
    info_.reset();
    if (socket() < 0)
        info_ = default_info();
    else if (asked_ == Asked::No)
        asked_ = Asked::ToSend;
}

std::optional<virtio_gpu_resp_display_info> Display::info() {
    auto info = std::exchange(info_, std::nullopt);
    if (info && !wish_.empty()) info->pmodes[0] = {.r = {0, 0, wish_.width, wish_.height}, .enabled = 1, .flags = 0};
    return info;
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
    if (asked_ == Asked::ToSend) {
        front_.say(kGetDisplayInfo);
        asked_ = Asked::Sent;
    }
    if (!front_.send(screens_)) disconnect(nullptr);
}

}  // namespace tgsi2spv::virtio_gpu
