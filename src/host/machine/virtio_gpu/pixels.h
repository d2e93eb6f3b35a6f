// Rectangles, and the formats that displays show: four bytes a texel, in any order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tgsi2spv::virtio_gpu {

inline constexpr uint32_t kTexture2D = 2;         ///< a target of gallium
inline constexpr uint32_t kBindRenderTarget = 2;  ///< a bind of gallium
inline constexpr uint32_t kPixelBytes = 4;
inline constexpr uint32_t kMostExtent = 16384;

struct Rect {
    uint32_t x, y, width, height;
    bool operator==(const Rect&) const = default;
    bool empty() const { return width == 0 || height == 0; }
};

/// Whether it has texels, and all of them lie inside.
inline bool inside(const Rect& r, uint32_t width, uint32_t height) {
    return !r.empty() && r.x < width && r.y < height && r.width <= width - r.x && r.height <= height - r.y;
}

/// The intersection of rectangles inside an extent of kMostExtent.
inline Rect intersection(const Rect& a, const Rect& b) {
    const uint32_t x = std::max(a.x, b.x), y = std::max(a.y, b.y);
    const uint32_t right = std::min(a.x + a.width, b.x + b.width), bottom = std::min(a.y + a.height, b.y + b.height);
    return x >= right || y >= bottom ? Rect{} : Rect{x, y, right - x, bottom - y};
}
/// The smallest rectangle with both.
inline Rect together(const Rect& a, const Rect& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    const uint32_t x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y};
}

/// Whether a display shows the format, by virtio's number, which is virgl's.
bool is_pixel_format(uint32_t format);
/// Converts a row of texels to a display's format: B, G, R, A in the order of their bytes.
void to_display(uint32_t format, std::span<const std::byte> from, std::span<uint32_t> to);

}  // namespace tgsi2spv::virtio_gpu
