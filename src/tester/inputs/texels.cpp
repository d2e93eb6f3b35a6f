#include "inputs/texels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>

#include "tgsi/tables/formats.h"

namespace tgsi2spv::difftest {

namespace {

struct Row {
    std::string_view name;
    VkFormat format;
};

// The components of a PIPE_FORMAT are named from the lowest bit up, as in Vulkan's formats without _PACK.
constexpr Row kRows[] = {
    {"R8_UNORM", VK_FORMAT_R8_UNORM},
    {"R8_SNORM", VK_FORMAT_R8_SNORM},
    {"R8_UINT", VK_FORMAT_R8_UINT},
    {"R8_SINT", VK_FORMAT_R8_SINT},
    {"R8G8_UNORM", VK_FORMAT_R8G8_UNORM},
    {"R8G8_SNORM", VK_FORMAT_R8G8_SNORM},
    {"R8G8_UINT", VK_FORMAT_R8G8_UINT},
    {"R8G8_SINT", VK_FORMAT_R8G8_SINT},
    {"R8G8B8A8_UNORM", VK_FORMAT_R8G8B8A8_UNORM},
    {"R8G8B8A8_SNORM", VK_FORMAT_R8G8B8A8_SNORM},
    {"R8G8B8A8_UINT", VK_FORMAT_R8G8B8A8_UINT},
    {"R8G8B8A8_SINT", VK_FORMAT_R8G8B8A8_SINT},
    {"B8G8R8A8_UNORM", VK_FORMAT_B8G8R8A8_UNORM},
    {"R8_SRGB", VK_FORMAT_R8_SRGB},
    {"R8G8_SRGB", VK_FORMAT_R8G8_SRGB},
    {"R8G8B8A8_SRGB", VK_FORMAT_R8G8B8A8_SRGB},
    {"B8G8R8A8_SRGB", VK_FORMAT_B8G8R8A8_SRGB},
    {"R10G10B10A2_UNORM", VK_FORMAT_A2B10G10R10_UNORM_PACK32},
    {"R10G10B10A2_UINT", VK_FORMAT_A2B10G10R10_UINT_PACK32},
    {"R11G11B10_FLOAT", VK_FORMAT_B10G11R11_UFLOAT_PACK32},
    {"R16_UNORM", VK_FORMAT_R16_UNORM},
    {"R16_SNORM", VK_FORMAT_R16_SNORM},
    {"R16_UINT", VK_FORMAT_R16_UINT},
    {"R16_SINT", VK_FORMAT_R16_SINT},
    {"R16_FLOAT", VK_FORMAT_R16_SFLOAT},
    {"R16G16_UNORM", VK_FORMAT_R16G16_UNORM},
    {"R16G16_SNORM", VK_FORMAT_R16G16_SNORM},
    {"R16G16_UINT", VK_FORMAT_R16G16_UINT},
    {"R16G16_SINT", VK_FORMAT_R16G16_SINT},
    {"R16G16_FLOAT", VK_FORMAT_R16G16_SFLOAT},
    {"R16G16B16A16_UNORM", VK_FORMAT_R16G16B16A16_UNORM},
    {"R16G16B16A16_SNORM", VK_FORMAT_R16G16B16A16_SNORM},
    {"R16G16B16A16_UINT", VK_FORMAT_R16G16B16A16_UINT},
    {"R16G16B16A16_SINT", VK_FORMAT_R16G16B16A16_SINT},
    {"R16G16B16A16_FLOAT", VK_FORMAT_R16G16B16A16_SFLOAT},
    {"R32_UINT", VK_FORMAT_R32_UINT},
    {"R32_SINT", VK_FORMAT_R32_SINT},
    {"R32_FLOAT", VK_FORMAT_R32_SFLOAT},
    {"R32G32_UINT", VK_FORMAT_R32G32_UINT},
    {"R32G32_SINT", VK_FORMAT_R32G32_SINT},
    {"R32G32_FLOAT", VK_FORMAT_R32G32_SFLOAT},
    {"R64_UINT", VK_FORMAT_R32G32_UINT},
    {"R64_SINT", VK_FORMAT_R32G32_SINT},
    {"R32G32B32_UINT", VK_FORMAT_R32G32B32_UINT},
    {"R32G32B32_SINT", VK_FORMAT_R32G32B32_SINT},
    {"R32G32B32_FLOAT", VK_FORMAT_R32G32B32_SFLOAT},
    {"R32G32B32A32_UINT", VK_FORMAT_R32G32B32A32_UINT},
    {"R32G32B32A32_SINT", VK_FORMAT_R32G32B32A32_SINT},
    {"R32G32B32A32_FLOAT", VK_FORMAT_R32G32B32A32_SFLOAT},
    {"Z16_UNORM", VK_FORMAT_D16_UNORM},
    {"Z24X8_UNORM", VK_FORMAT_X8_D24_UNORM_PACK32},
    {"Z24_UNORM_S8_UINT", VK_FORMAT_D24_UNORM_S8_UINT},
    {"Z32_FLOAT", VK_FORMAT_D32_SFLOAT},
};

/// Whether a format's components differ from Vulkan's: Vulkan has only R for A, L and I, and RG for LA. A view's
/// swizzle moves them to their places.
bool is_rearranged(const tgsi::FormatInfo& info) {
    const auto channels = tgsi::channels_of(info);
    for (uint8_t c = 0; c < 4; ++c) {
        const uint8_t own = c < info.components ? c : c == 3 ? tgsi::kChannelOne : tgsi::kChannelZero;
        if (channels[c] != own) return info.numeric != tgsi::Numeric::Stencil;
    }
    return false;
}

std::string vulkan_name(const tgsi::FormatInfo& info) {
    std::string name(info.name);
    if (!is_rearranged(info)) return name;
    // Alpha is linear, but the G of an sRGB RG format is not.
    if (info.numeric == tgsi::Numeric::Srgb && info.components == 2) return name;
    name[0] = 'R';
    if (info.components == 2) name[name.find('A')] = 'G';
    return name;
}

const Row* find(uint16_t format) {
    const auto name = vulkan_name(tgsi::format_info(format));
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.name == name; });
    return row == std::end(kRows) ? nullptr : row;
}

struct Layout {
    int components = 0;
    int bits[4] = {};
    int order[4] = {0, 1, 2, 3};  ///< the component at each place, from the lowest bit
    tgsi::Numeric numeric{};
    uint32_t bytes = 0;
};

Layout layout_of(uint16_t format) {
    const auto& info = tgsi::format_info(format);
    Layout l;
    l.numeric = info.numeric;
    if (info.numeric == tgsi::Numeric::Depth) {
        l.components = 1;
        l.bits[0] = info.bits[0];
        l.numeric = l.bits[0] == 32 ? tgsi::Numeric::Float : tgsi::Numeric::Unorm;
    } else {
        l.components = info.components;
        std::copy(std::begin(info.bits), std::end(info.bits), l.bits);
        if (info.name.starts_with("B8G8R8A8")) std::swap(l.order[0], l.order[2]);
        // The reference's words are the stored value divided by its maximum; sampling decodes it.
        if (info.numeric == tgsi::Numeric::Srgb) l.numeric = tgsi::Numeric::Unorm;
    }
    int sum = 0;
    for (int c = 0; c < l.components; c++) sum += l.bits[c];
    // Buffer copies of the depth aspect have its 24 bits in the low part of a word (Vulkan, "Copying Data Between
    // Buffers and Images").
    l.bytes = sum == 24 && info.numeric == tgsi::Numeric::Depth ? 4 : static_cast<uint32_t>(sum / 8);
    return l;
}

uint32_t to_half(float f) {
    const auto w = std::bit_cast<uint32_t>(f);
    const uint32_t sign = w >> 16 & 0x8000;
    const uint32_t magnitude = w & 0x7fffffff;
    if (magnitude > 0x7f800000) return sign | 0x7e00;
    if (magnitude >= 0x477ff000) return sign | 0x7c00;  // 65520 and above round to infinity
    if (magnitude < 0x38800000) {                       // below the smallest normal half: steps of 2^-24
        const double steps = std::nearbyint(std::ldexp(static_cast<double>(std::bit_cast<float>(magnitude)), 24));
        return sign | static_cast<uint32_t>(steps);
    }
    const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return sign | ((rounded - 0x38000000) >> 13);
}

float from_half(uint32_t h) {
    const uint32_t exponent = h >> 10 & 31, fraction = h & 0x3ff;
    double v = 0;
    if (exponent == 31)
        v = fraction != 0 ? NAN : INFINITY;
    else if (exponent == 0)
        v = std::ldexp(fraction, -24);
    else
        v = std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
    return static_cast<float>((h & 0x8000) != 0 ? -v : v);
}

/// Floats of 10 and 11 bits are halves without a sign and with a shorter fraction.
uint32_t to_small_float(float f, int bits) {
    const uint32_t half = to_half(f);
    const auto shift = static_cast<uint32_t>(15 - bits);
    if ((half & 0x7fff) > 0x7c00) return 0x7e00 >> shift;  // NaN
    if ((half & 0x8000) != 0) return 0;
    if (half == 0x7c00) return half >> shift;
    const uint32_t rounded = (half + (1u << (shift - 1)) - 1 + (half >> shift & 1)) >> shift;
    return std::min(rounded, (0x7bffu >> shift));  // the largest finite value
}

uint32_t mask(int bits) {
    return bits >= 32 ? 0xffffffffu : (1u << bits) - 1;
}

uint32_t encode_component(tgsi::Numeric numeric, int bits, uint32_t word) {
    using tgsi::Numeric;
    const double f = std::bit_cast<float>(word);
    switch (numeric) {
        case Numeric::Float:
            if (bits < 16) return to_small_float(std::bit_cast<float>(word), bits);
            return bits == 32 ? word : to_half(std::bit_cast<float>(word));
        case Numeric::Unorm:
            return static_cast<uint32_t>(
                std::llrint((std::isnan(f) ? 0.0 : std::clamp(f, 0.0, 1.0)) * static_cast<double>(mask(bits))));
        case Numeric::Snorm: {
            const double v = (std::isnan(f) ? 0.0 : std::clamp(f, -1.0, 1.0)) * static_cast<double>(mask(bits - 1));
            return static_cast<uint32_t>(std::llrint(v)) & mask(bits);
        }
        default:
            return word & mask(bits);
    }
}

uint32_t decode_component(tgsi::Numeric numeric, int bits, uint32_t raw) {
    using tgsi::Numeric;
    const auto sign_extended = static_cast<int32_t>(raw << (32 - bits)) >> (32 - bits);
    switch (numeric) {
        case Numeric::Float:
            if (bits < 16) raw <<= 15 - bits;
            return bits == 32 ? raw : std::bit_cast<uint32_t>(from_half(raw));
        case Numeric::Unorm:
            return std::bit_cast<uint32_t>(static_cast<float>(raw / static_cast<double>(mask(bits))));
        case Numeric::Snorm:
            return std::bit_cast<uint32_t>(
                static_cast<float>(std::max(-1.0, sign_extended / static_cast<double>(mask(bits - 1)))));
        case Numeric::Sint:
            return static_cast<uint32_t>(sign_extended);
        default:
            return raw;
    }
}

}  // namespace

std::optional<VulkanFormat> vulkan_format(uint16_t pipe_format) {
    const auto* row = find(pipe_format);
    if (row == nullptr) return std::nullopt;
    const bool depth = tgsi::format_info(pipe_format).numeric == tgsi::Numeric::Depth;
    return VulkanFormat{row->format, layout_of(pipe_format).bytes,
                        static_cast<VkImageAspectFlags>(depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT),
                        is_rearranged(tgsi::format_info(pipe_format))};
}

std::vector<uint8_t> encode_texels(uint16_t pipe_format, std::span<const uint32_t> words) {
    const auto l = layout_of(pipe_format);
    if (l.components == 0) return {};
    const size_t texels = words.size() / static_cast<size_t>(l.components);
    std::vector<uint8_t> bytes(texels * l.bytes);
    for (size_t t = 0; t < texels; t++) {
        int at = 0;
        for (int place = 0; place < l.components; place++) {
            const int c = l.order[place];
            uint64_t raw = encode_component(l.numeric, l.bits[c], words[t * static_cast<size_t>(l.components) + c]);
            raw <<= at % 8;
            for (int byte = at / 8; raw != 0; byte++, raw >>= 8)
                bytes[t * l.bytes + static_cast<size_t>(byte)] |= static_cast<uint8_t>(raw);
            at += l.bits[c];
        }
    }
    return bytes;
}

std::vector<uint32_t> decode_texels(uint16_t pipe_format, std::span<const uint8_t> bytes) {
    const auto l = layout_of(pipe_format);
    if (l.bytes == 0) return {};
    const size_t texels = bytes.size() / l.bytes;
    std::vector<uint32_t> words(texels * static_cast<size_t>(l.components));
    for (size_t t = 0; t < texels; t++) {
        int at = 0;
        for (int place = 0; place < l.components; place++) {
            const int c = l.order[place];
            uint64_t raw = 0;
            for (int byte = at / 8; byte <= (at + l.bits[c] - 1) / 8; byte++)
                raw |= uint64_t{bytes[t * l.bytes + static_cast<size_t>(byte)]} << (8 * (byte - at / 8));
            raw >>= at % 8;
            words[t * static_cast<size_t>(l.components) + static_cast<size_t>(c)] =
                decode_component(l.numeric, l.bits[c], static_cast<uint32_t>(raw) & mask(l.bits[c]));
            at += l.bits[c];
        }
    }
    return words;
}

}  // namespace tgsi2spv::difftest
