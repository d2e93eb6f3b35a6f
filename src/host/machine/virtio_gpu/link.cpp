#include "machine/virtio_gpu/link.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tgsi2spv::virtio_gpu {

std::vector<ViewerEvent> text_message(const std::string& text) {
    std::vector<ViewerEvent> units(1 + (text.size() + sizeof(ViewerEvent) - 1) / sizeof(ViewerEvent));
    units[0] = {ViewerEvent::Text, static_cast<uint32_t>(text.size()), 0, 0};
    std::memcpy(units.data() + 1, text.data(), text.size());
    return units;
}

bool resize(Picture& picture, uint32_t width, uint32_t height) {
    if (width > kMostExtent || height > kMostExtent || (width == 0) != (height == 0)) return false;
    picture.width = width;
    picture.height = height;
    picture.pieces = {};
    if (width > 0) {
        picture.columns = std::min(width, kMostWidth);
        picture.rows = height;
        picture.pixels = std::vector<uint32_t>();  // before there are others
    }
    picture.pixels.assign(size_t{picture.columns} * picture.rows, 0);
    return true;
}

std::optional<Change> Link::receive_update(Picture& picture, size_t bytes) {
    std::array<uint32_t, 5> head{};
    if (bytes < sizeof head || !read(head.data(), sizeof head)) return {};
    const Rect r{head[1], head[2], head[3], head[4]};
    if (bytes != sizeof head + size_t{r.width} * r.height * sizeof(uint32_t) ||
        !inside(r, picture.width, picture.height))
        return {};
    // Pixels right of the columns are read and dropped.
    const uint32_t seen = r.x < picture.columns ? std::min(r.width, picture.columns - r.x) : 0;
    std::vector<uint32_t> rest(r.width - seen);
    for (uint32_t y = r.y; y < r.y + r.height; y++) {
        if (seen > 0 && !read(&picture.pixels[size_t{y} * picture.columns + r.x], seen * sizeof(uint32_t))) return {};
        if (!read(rest.data(), rest.size() * sizeof(uint32_t))) return {};
    }
    picture.pieces = together(picture.pieces, {r.x, r.y, seen, r.height});
    return Change{};
}

std::optional<Change> Link::receive_text(Picture& picture, size_t bytes) {
    uint32_t size = 0;
    if (bytes < sizeof size || !read(&size, sizeof size) || size > kMostText ||
        bytes != sizeof size + (size + size_t{3}) / 4 * 4)
        return {};
    picture.text.resize(bytes - sizeof size);
    if (!read(picture.text.data(), picture.text.size())) return {};
    picture.text.resize(size);
    return Change{.text = true};
}

std::optional<Change> Link::receive(Picture& picture) {
    struct {
        uint32_t request, flags, bytes;
    } header{};
    if (!read(&header, sizeof header)) return {};
    if (header.request == kUpdate) return receive_update(picture, header.bytes);
    if (header.request == kText) return receive_text(picture, header.bytes);
    constexpr size_t kCursorWords = 5 + kCursorExtent * kCursorExtent;
    if (header.bytes % sizeof(uint32_t) != 0 || header.bytes > kCursorWords * sizeof(uint32_t)) return {};
    std::vector<uint32_t> words(header.bytes / sizeof(uint32_t));
    if (!read(words.data(), header.bytes)) return {};
    if (header.request == kSizeStays) {
        picture.size_stays = true;
        return Change{};
    }
    if (header.request == kWhole) return Change{.damage = std::exchange(picture.pieces, {})};
    if (words.size() < 3) return {};
    switch (header.request) {
        case kScanout:
            if (!resize(picture, words[1], words[2])) return {};
            return Change{.size = true};
        case kCursorUpdate:
            if (words.size() != kCursorWords) return {};
            picture.cursor.hot_x = words[3];
            picture.cursor.hot_y = words[4];
            std::copy(words.begin() + 5, words.end(), picture.cursor.pixels.begin());
            [[fallthrough]];
        case kCursorPos:
        case kCursorPosHide: {
            const bool visible = header.request != kCursorPosHide;
            const bool changed = std::exchange(picture.cursor.visible, visible) != visible;
            picture.cursor.x = words[1];
            picture.cursor.y = words[2];
            return Change{.cursor = changed || header.request == kCursorUpdate, .pointer = true};
        }
        default:
            return {};
    }
}

}  // namespace tgsi2spv::virtio_gpu
