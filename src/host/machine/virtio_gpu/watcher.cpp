#include "machine/virtio_gpu/watcher.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tgsi2spv::virtio_gpu {
namespace {

/// Most texels of a message. QEMU's main loop reads a message to its end, and the machine stands still, so none may be
/// in the socket in part: Linux takes 128 KiB as a whole where it says that there is room, which is three quarters of
/// the 208 KiB of a socket (unix_writable() in net/unix/af_unix.c).
constexpr uint32_t kMostTexels = 32000;
static_assert(kDisplayHeaderBytes + 20 + kMostTexels * kPixelBytes <= 128u << 10 && kMostTexels >= kMostExtent);

bool has_room(int socket) {
    pollfd wait{socket, POLLOUT, 0};
    return ::poll(&wait, 1, 0) > 0;  // also if it has an error, which send() tells
}

}  // namespace

Watcher::Watcher(process::Descriptor socket, const Screens& screens, Kind kind)
    : socket_(std::move(socket)), kind_(kind) {
    for (uint32_t i = 0; i < (kind == Kind::Viewer ? 1 : kScanouts); i++) {
        const Screen& screen = screens[i];
        updates_[i] = {.resized = screen.width != 0 || (kind == Kind::Viewer && screen.last_width != 0),
                       .cursor_changed = screen.cursor.visible,
                       .damage = {0, 0, screen.width, screen.height}};
    }
}

void Watcher::resized(uint32_t scanout) {
    updates_[scanout].resized = true;
    updates_[scanout].damage = {};
}

void Watcher::damaged(uint32_t scanout, const Rect& where) {
    updates_[scanout].damage = together(updates_[scanout].damage, where);
}

bool Watcher::send(const Screens& screens) {
    while (socket() >= 0) {
        if (at_ == out_.size() && !make_messages(screens)) return true;
        if (at_ == end_) {
            if (!has_room(socket())) return true;
            std::array<uint32_t, 3> header;
            std::memcpy(header.data(), out_.data() + at_, sizeof header);
            end_ += sizeof header + header[2];
        }
        const ssize_t put = ::send(socket(), out_.data() + at_, end_ - at_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        if (put <= 0) return false;
        at_ += static_cast<size_t>(put);
    }
    return true;
}

void Watcher::begin(uint32_t request, size_t bytes) {
    add(std::array<uint32_t, 3>{request, 0, static_cast<uint32_t>(bytes)});
}

void Watcher::add(std::span<const uint32_t> words) {
    const auto bytes = std::as_bytes(words);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
}

/// False: there is nothing to say.
bool Watcher::make_messages(const Screens& screens) {
    out_.clear();
    at_ = end_ = 0;
    if (word_ != 0) {
        begin(std::exchange(word_, 0), 0);
        return true;
    }
    if (!text_.empty()) {
        std::vector<uint32_t> words((text_.size() + 3) / 4);
        std::memcpy(words.data(), text_.data(), text_.size());
        begin(kText, 4 + std::span(words).size_bytes());
        add(std::array{static_cast<uint32_t>(text_.size())});
        add(words);
        text_.clear();
        return true;
    }
    for (uint32_t i = 0; i < kScanouts; i++) {
        turn_ = (turn_ + 1) % kScanouts;
        if (make_screen_messages(screens[turn_], turn_)) return true;
    }
    return false;
}

bool Watcher::make_screen_messages(const Screen& screen, uint32_t scanout) {
    Updates& updates = updates_[scanout];
    const Cursor& cursor = screen.cursor;
    if (std::exchange(updates.resized, false)) {
        // A viewer keeps the size of a display that is off, and may not know it yet.
        if (kind_ == Kind::Viewer && screen.width == 0) make_size(scanout, screen.last_width, screen.last_height);
        make_size(scanout, screen.width, screen.height);
    } else if (std::exchange(updates.cursor_changed, false)) {
        updates.cursor_moved = false;
        begin(kCursorUpdate, 20 + sizeof cursor.pixels);
        add(std::array{scanout, cursor.x, cursor.y, cursor.hot_x, cursor.hot_y});
        add(cursor.pixels);
    } else if (std::exchange(updates.cursor_moved, false)) {
        begin(cursor.visible ? kCursorPos : kCursorPosHide, 12);
        add(std::array{scanout, cursor.x, cursor.y});
    } else if (!updates.damage.empty()) {
        make_updates(screen, scanout);
    } else {
        return false;
    }
    return true;
}

void Watcher::make_size(uint32_t scanout, uint32_t width, uint32_t height) {
    begin(kScanout, 12);
    add(std::array{scanout, width, height});
}

/// A picture of one time, in pieces.
void Watcher::make_updates(const Screen& screen, uint32_t scanout) {
    const Rect r = std::exchange(updates_[scanout].damage, {});
    const uint32_t rows = kMostTexels / r.width;
    out_.reserve((size_t{r.width} * kPixelBytes + 64) * r.height);  // and no more: it counts (Display)
    for (uint32_t y = 0; y < r.height; y += rows)
        make_update(screen, scanout, {r.x, r.y + y, r.width, std::min(rows, r.height - y)});
    if (kind_ == Kind::Viewer) begin(kWhole, 0);
}

void Watcher::make_update(const Screen& screen, uint32_t scanout, const Rect& r) {
    begin(kUpdate, 20 + size_t{r.width} * r.height * kPixelBytes);
    add(std::array{scanout, r.x, r.y, r.width, r.height});
    for (uint32_t y = r.y; y < r.y + r.height; y++)
        add(std::span(screen.pixels).subspan(size_t{y} * screen.width + r.x, r.width));
}

}  // namespace tgsi2spv::virtio_gpu
