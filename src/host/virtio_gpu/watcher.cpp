#include "virtio_gpu/watcher.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace tgsi2spv::virtio_gpu {
namespace {

/// Bytes of pixels in a message: bounds the buffer of a watcher that does not read.
constexpr uint32_t kMostUpdate = 8u << 20;

}  // namespace

Watcher::Watcher(vtest::Descriptor socket, const Screens& screens) : socket_(std::move(socket)) {
    for (uint32_t i = 0; i < kScanouts; i++) {
        const Screen& screen = screens[i];
        news_[i] = {.resized = screen.width != 0,
                    .cursor_changed = screen.cursor.visible,
                    .damage = {0, 0, screen.width, screen.height}};
    }
}

void Watcher::resized(uint32_t scanout) {
    news_[scanout].resized = true;
    news_[scanout].damage = {};
}

void Watcher::damaged(uint32_t scanout, const Rect& where) {
    news_[scanout].damage = together(news_[scanout].damage, where);
}

bool Watcher::send(const Screens& screens) {
    while (socket() >= 0) {
        if (at_ == out_.size() && !make_message(screens)) return true;
        const ssize_t put = ::send(socket(), out_.data() + at_, out_.size() - at_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        if (put <= 0) return false;
        at_ += static_cast<size_t>(put);
    }
    return true;
}

void Watcher::begin(uint32_t request, size_t bytes) {
    out_.clear();
    at_ = 0;
    out_.reserve(kDisplayHeaderBytes + bytes);
    add(std::array<uint32_t, 3>{request, 0, static_cast<uint32_t>(bytes)});
}

void Watcher::add(std::span<const uint32_t> words) {
    const auto bytes = std::as_bytes(words);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
}

/// False: there is nothing to say.
bool Watcher::make_message(const Screens& screens) {
    out_.clear();
    at_ = 0;
    if (word_ != 0) {
        begin(std::exchange(word_, 0), 0);
        return true;
    }
    for (uint32_t i = 0; i < kScanouts; i++) {
        turn_ = (turn_ + 1) % kScanouts;
        if (make_screen_message(screens[turn_], turn_)) return true;
    }
    return false;
}

bool Watcher::make_screen_message(const Screen& screen, uint32_t scanout) {
    News& news = news_[scanout];
    const Cursor& cursor = screen.cursor;
    if (std::exchange(news.resized, false)) {
        begin(kScanout, 12);
        add(std::array{scanout, screen.width, screen.height});
    } else if (std::exchange(news.cursor_changed, false)) {
        news.cursor_moved = false;
        begin(kCursorUpdate, 20 + sizeof cursor.pixels);
        add(std::array{scanout, cursor.x, cursor.y, cursor.hot_x, cursor.hot_y});
        add(cursor.pixels);
    } else if (std::exchange(news.cursor_moved, false)) {
        begin(cursor.visible ? kCursorPos : kCursorPosHide, 12);
        add(std::array{scanout, cursor.x, cursor.y});
    } else if (!news.damage.empty()) {
        make_update(screen, scanout);
    } else {
        return false;
    }
    return true;
}

void Watcher::make_update(const Screen& screen, uint32_t scanout) {
    Rect& damage = news_[scanout].damage;
    const uint32_t rows = std::min(damage.height, std::max(kMostUpdate / (damage.width * kPixelBytes), 1u));
    const Rect r{damage.x, damage.y, damage.width, rows};
    damage = {r.x, r.y + rows, r.width, damage.height - rows};
    begin(kUpdate, 20 + size_t{r.width} * r.height * kPixelBytes);
    add(std::array{scanout, r.x, r.y, r.width, r.height});
    for (uint32_t y = r.y; y < r.y + r.height; y++)
        add(std::span(screen.pixels).subspan(size_t{y} * screen.width + r.x, r.width));
}

}  // namespace tgsi2spv::virtio_gpu
