#include "renderer/move/texel_convert.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kDepth24 = 0xffffff;
constexpr double kLargest32 = 4294967295.0;

uint32_t load(const std::byte* at) {
    uint32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
}

void store(std::byte* at, uint32_t value) {
    std::memcpy(at, &value, sizeof value);
}

/// The nearest float, as a word, of a depth whose 1 is `one`. A float has 24 bits, so 24-bit depths come back exactly.
uint32_t to_float(uint32_t depth, double one) {
    return std::bit_cast<uint32_t>(static_cast<float>(depth / one));
}

/// The reverse. A NaN is 0.
uint32_t from_float(uint32_t word, double one) {
    const double depth = std::bit_cast<float>(word);
    return depth > 0 ? static_cast<uint32_t>(std::llround(std::min(depth, 1.0) * one)) : 0;
}

/// A depth that Vulkan takes: from 0 to 1 (VUID-vkCmdCopyBufferToImage-pRegions-07931). A NaN is 0.
uint32_t clamped(uint32_t word) {
    const auto depth = std::bit_cast<float>(word);
    return depth > 0 ? std::bit_cast<uint32_t>(std::min(depth, 1.0F)) : 0;
}

/// How a conversion's word is made of 24 bits of depth and 8 of stencil.
struct Packed {
    bool depth_is_high, as_float;
};

Packed packed(Conversion c) {
    using C = Conversion;
    return {c == C::S8Z24 || c == C::X8Z24 || c == C::S8Z24Float || c == C::X8Z24Float, c >= C::Z24S8Float};
}

bool has_two_words(Conversion c) {
    return c == Conversion::Z32S8 || c == Conversion::Z32S8In24;
}

/// The bytes of a component where luminance has alpha; otherwise 0.
size_t component_bytes(Conversion c) {
    return c == Conversion::LA8 ? 1 : c == Conversion::LA16 ? 2 : c == Conversion::LA32 ? 4 : 0;
}

}  // namespace

void unpack_texels(Conversion c, std::span<const std::byte> texels, std::byte* texel, std::byte* stencil) {
    if (const size_t n = component_bytes(c); n != 0) {
        for (size_t at = 0; at + 2 * n <= texels.size(); at += 2 * n) {
            std::memcpy(texel + 2 * at, &texels[at], n);
            std::memset(texel + 2 * at + n, 0, 2 * n);
            std::memcpy(texel + 2 * at + 3 * n, &texels[at + n], n);
        }
        return;
    }
    const size_t stride = has_two_words(c) ? 8 : 4;
    const Packed p = packed(c);
    for (size_t i = 0; i < texels.size() / stride; i++) {
        const std::byte* const at = texels.data() + i * stride;
        const uint32_t word = load(at);
        if (c == Conversion::Z32) {
            store(texel + 4 * i, to_float(word, kLargest32));
        } else if (c == Conversion::Z32Float) {
            store(texel + 4 * i, clamped(word));
        } else if (has_two_words(c)) {
            store(texel + 4 * i, c == Conversion::Z32S8 ? clamped(word) : from_float(word, kDepth24));
            stencil[i] = at[4];
        } else {
            const uint32_t d = p.depth_is_high ? word >> 8 : word & kDepth24;
            store(texel + 4 * i, p.as_float ? to_float(d, kDepth24) : d);
            if (stencil != nullptr) stencil[i] = static_cast<std::byte>(p.depth_is_high ? word & 0xff : word >> 24);
        }
    }
}

void pack_texels(Conversion c, const std::byte* texel, const std::byte* stencil, std::span<std::byte> texels) {
    if (const size_t n = component_bytes(c); n != 0) {
        for (size_t at = 0; at + 2 * n <= texels.size(); at += 2 * n) {
            std::memcpy(&texels[at], texel + 2 * at, n);
            std::memcpy(&texels[at + n], texel + 2 * at + 3 * n, n);
        }
        return;
    }
    const size_t stride = has_two_words(c) ? 8 : 4;
    const Packed p = packed(c);
    for (size_t i = 0; i < texels.size() / stride; i++) {
        std::byte* const at = texels.data() + i * stride;
        const uint32_t word = load(texel + 4 * i);
        const auto s = stencil == nullptr ? 0U : std::to_integer<uint32_t>(stencil[i]);
        if (c == Conversion::Z32) {
            store(at, from_float(word, kLargest32));
        } else if (c == Conversion::Z32Float) {
            store(at, word);
        } else if (has_two_words(c)) {
            store(at, c == Conversion::Z32S8 ? word : to_float(word & kDepth24, kDepth24));
            store(at + 4, s);
        } else {
            const uint32_t d = p.as_float ? from_float(word, kDepth24) : word;
            store(at, p.depth_is_high ? d << 8 | s : (d & kDepth24) | s << 24);
        }
    }
}

}  // namespace tgsi2spv::host
