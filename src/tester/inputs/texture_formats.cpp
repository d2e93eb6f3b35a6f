#include "inputs/texture_formats.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>
#include <string_view>

#include "tgsi/tables/formats.h"

namespace tgsi2spv::difftest {

namespace {

using tgsi::Numeric;
using tgsi::ReturnType;

// Formats whose optimal images can be sampled on every device, and filtered, if their type can be ("Required Format
// Support" of Vulkan; filtering of 32-bit floats is optional, and both software devices have it). The first of each
// table has all that is needed to show every component and bit.
constexpr std::string_view kFloats[] = {
    "R32G32B32A32_FLOAT",
    "R8G8B8A8_UNORM",
    "R8G8B8A8_SNORM",
    "R10G10B10A2_UNORM",
    "R16_FLOAT",
    "R16G16_FLOAT",
    "R32G32_FLOAT",
    "R16G16B16A16_FLOAT",
    "R11G11B10_FLOAT",
    "R8_UNORM",
    "R8G8_SNORM",
    // Texel buffers have neither sRGB nor swizzles.
    "R8G8B8A8_SRGB",
    "B8G8R8A8_UNORM",
    "A8_UNORM",
    "L8A8_UNORM",
    "I16_FLOAT",
    "L32_FLOAT",
};
constexpr size_t kFloatsOfBuffers = 11;
constexpr std::string_view kUints[] = {
    "R32G32B32A32_UINT", "R8G8B8A8_UINT",    "R16G16_UINT", "R16_UINT",
    "R32G32_UINT",       "R10G10B10A2_UINT", "A8_UINT",     "L16A16_UINT",
};
constexpr std::string_view kSints[] = {
    "R32G32B32A32_SINT", "R8_SINT",       "R8G8_SINT", "R16G16B16A16_SINT",
    "R32_SINT",          "R8G8B8A8_SINT", "L8_SINT",   "I16_SINT",
};
constexpr size_t kIntegersOfBuffers = 6;
constexpr std::string_view kDepths[] = {"Z32_FLOAT", "Z16_UNORM"};

}  // namespace

uint16_t draw_format(Random& random, const tgsi::TargetShape& shape, ReturnType type) {
    const bool integers = tgsi::is_integer(type);
    std::span<const std::string_view> formats = kFloats;
    if (integers) formats = type == ReturnType::Uint ? kUints : kSints;
    if (shape.shadow) formats = kDepths;
    if (shape.buffer) formats = formats.first(integers ? kIntegersOfBuffers : kFloatsOfBuffers);
    // The harness fills samples through storage images.
    const bool widest = random.below(2) == 0 || shape.ms;
    return *tgsi::format_from_name(widest ? formats.front() : formats[random.below(formats.size())]);
}

int32_t largest_texel(uint16_t format) {
    const auto& info = tgsi::format_info(format);
    const int bits = info.bits[0] - (info.numeric == Numeric::Sint ? 1 : 0);
    return std::min(1000, (1 << std::min(10, bits)) - 1);
}

uint32_t draw_texel(Random& random, uint16_t format) {
    const auto& info = tgsi::format_info(format);
    if (tgsi::is_integer(info.numeric)) {
        const int32_t most = largest_texel(format);
        return static_cast<uint32_t>(random.between(info.numeric == Numeric::Sint ? -most : 0, most));
    }
    const double part = random.unit();
    const int lowest = info.numeric == Numeric::Float ? -2 : info.numeric == Numeric::Snorm ? -1 : 0;
    const int scale = lowest < 0 && random.below(8) == 0 ? lowest : 1;
    return std::bit_cast<uint32_t>(static_cast<float>(part * scale));
}

}  // namespace tgsi2spv::difftest
