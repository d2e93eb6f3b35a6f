#include "host/depth_convert.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kDepth24 = 0xffffff;
constexpr double kUnorm32 = 4294967295.0;

uint32_t load(const std::byte* at) {
    uint32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
}

void store(std::byte* at, uint32_t value) {
    std::memcpy(at, &value, sizeof value);
}

bool depth_is_high(Conversion c) {
    return c == Conversion::S8Z24 || c == Conversion::X8Z24;
}

}  // namespace

void unpack_depth(Conversion c, std::span<const std::byte> texels, std::byte* depth, std::byte* stencil) {
    const size_t stride = c == Conversion::Z32S8 ? 8 : 4;
    for (size_t i = 0; i < texels.size() / stride; i++) {
        const std::byte* const at = texels.data() + i * stride;
        const uint32_t word = load(at);
        if (c == Conversion::Z32) {
            const auto value = static_cast<float>(word / kUnorm32);
            std::memcpy(depth + 4 * i, &value, sizeof value);
        } else if (c == Conversion::Z32S8) {
            store(depth + 4 * i, word);
            stencil[i] = at[4];
        } else {
            store(depth + 4 * i, depth_is_high(c) ? word >> 8 : word & kDepth24);
            if (stencil != nullptr) stencil[i] = static_cast<std::byte>(depth_is_high(c) ? word & 0xff : word >> 24);
        }
    }
}

void pack_depth(Conversion c, const std::byte* depth, const std::byte* stencil, std::span<std::byte> texels) {
    const size_t stride = c == Conversion::Z32S8 ? 8 : 4;
    for (size_t i = 0; i < texels.size() / stride; i++) {
        std::byte* const at = texels.data() + i * stride;
        const uint32_t word = load(depth + 4 * i);
        const auto s = stencil == nullptr ? 0U : std::to_integer<uint32_t>(stencil[i]);
        if (c == Conversion::Z32) {
            float value = 0;
            std::memcpy(&value, &word, sizeof value);
            store(at, static_cast<uint32_t>(std::llround(std::clamp(static_cast<double>(value), 0.0, 1.0) * kUnorm32)));
        } else if (c == Conversion::Z32S8) {
            store(at, word);
            store(at + 4, s);
        } else {
            store(at, depth_is_high(c) ? word << 8 | s : (word & kDepth24) | s << 24);
        }
    }
}

}  // namespace tgsi2spv::host
