#include "tgsi-host/boot.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tools {

using namespace tgsi2spv;

namespace {

constexpr auto kBetweenPictures = std::chrono::milliseconds(250);
constexpr int kMostReads = 64;
constexpr size_t kRgbBytes = 3;

}  // namespace

void BootScreen::press(uint32_t code, uint32_t down) {
    say(fmt::format("{} {}\n", code, down));
}

void BootScreen::point(uint32_t x, uint32_t y, uint32_t buttons) {
    say(fmt::format("pointer {} {} {}\n", x, y, buttons));
}

bool BootScreen::say(const std::string& line) {
    return send(socket_.number(), line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
           static_cast<ssize_t>(line.size());
}

bool BootScreen::asks() const {
    virtio_gpu::Display& display = machine_.display();
    return socket_.number() >= 0 && !asked_ && !machine_.is_driven() && display.takes_own() &&
           !display.viewers().empty();
}

int BootScreen::time_to_wait() const {
    if (!asks()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_ - Clock::now()).count();
    return static_cast<int>(std::max<int64_t>(left, 0));
}

void BootScreen::serve(std::span<const pollfd> waits) {
    if (waits[0].revents != 0) receive();
    if (!asks() || Clock::now() < next_) return;
    asked_ = say("screen\n");
    next_ = Clock::now() + kBetweenPictures;
}

void BootScreen::receive() {
    for (int i = 0; i < kMostReads && socket_.number() >= 0; i++) {
        std::array<uint8_t, 65536> part;
        const ssize_t got = recv(socket_.number(), part.data(), part.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (got <= 0) {
            socket_ = process::Descriptor();
            return;
        }
        const auto skipped = static_cast<ptrdiff_t>(std::min(skip_, static_cast<uint64_t>(got)));
        skip_ -= static_cast<uint64_t>(skipped);
        in_.insert(in_.end(), part.begin() + skipped, part.begin() + got);
        std::array<uint32_t, 2> size;
        if (in_.size() < sizeof size) continue;
        std::memcpy(size.data(), in_.data(), sizeof size);
        const auto [width, height] = size;
        const uint64_t bytes = sizeof size + kRgbBytes * std::min(uint64_t{width} * height, UINT64_MAX / 4);
        // The bytes that come take up to the same room as the picture.
        if (width > virtio_gpu::kMostExtent || height > virtio_gpu::kMostExtent ||
            !machine_.display().has_room(0, width, 2 * height)) {
            if (!std::exchange(told_, true))
                log_.line(fmt::format("no room for pictures of {} x {} from before the guest's driver", width, height));
            skip_ = bytes - std::min<uint64_t>(bytes, in_.size());
            in_.clear();
            asked_ = false;
        } else if (in_.size() >= bytes) {
            show(width, height);
        }
    }
}

/// Shows a picture that has come as a whole.
void BootScreen::show(uint32_t width, uint32_t height) {
    std::vector<uint32_t> pixels(size_t{width} * height);
    for (size_t i = 0; i < pixels.size(); i++) {
        const uint8_t* const rgb = &in_[8 + kRgbBytes * i];
        pixels[i] = uint32_t{rgb[0]} << 16 | uint32_t{rgb[1]} << 8 | rgb[2];
    }
    in_.clear();
    asked_ = false;
    if (width > 0 && height > 0 && !machine_.is_driven()) machine_.display().show_own(width, height, std::move(pixels));
}

}  // namespace tools
