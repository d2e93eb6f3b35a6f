// One row per format. Luminance and intensity count as four components: the components that a shader sees.
#include "tgsi/tables/formats.h"

#include <algorithm>
#include <array>

#include "tgsi/text/words.h"

namespace tgsi2spv::tgsi {
namespace {

// clang-format off
constexpr FormatInfo kFormats[] = {
    {"NONE", 0, {}, Numeric::None},
    {"R8_UNORM", 1, {8}, Numeric::Unorm},
    {"R8_SNORM", 1, {8}, Numeric::Snorm},
    {"R8_UINT", 1, {8}, Numeric::Uint},
    {"R8_SINT", 1, {8}, Numeric::Sint},
    {"R8G8_UNORM", 2, {8, 8}, Numeric::Unorm},
    {"R8G8_SNORM", 2, {8, 8}, Numeric::Snorm},
    {"R8G8_UINT", 2, {8, 8}, Numeric::Uint},
    {"R8G8_SINT", 2, {8, 8}, Numeric::Sint},
    {"R8G8B8_UNORM", 3, {8, 8, 8}, Numeric::Unorm},
    {"R8G8B8_SNORM", 3, {8, 8, 8}, Numeric::Snorm},
    {"R8G8B8_UINT", 3, {8, 8, 8}, Numeric::Uint},
    {"R8G8B8_SINT", 3, {8, 8, 8}, Numeric::Sint},
    {"R8G8B8A8_UNORM", 4, {8, 8, 8, 8}, Numeric::Unorm},
    {"R8G8B8A8_SNORM", 4, {8, 8, 8, 8}, Numeric::Snorm},
    {"R8G8B8A8_UINT", 4, {8, 8, 8, 8}, Numeric::Uint},
    {"R8G8B8A8_SINT", 4, {8, 8, 8, 8}, Numeric::Sint},
    {"R16_UNORM", 1, {16}, Numeric::Unorm},
    {"R16_SNORM", 1, {16}, Numeric::Snorm},
    {"R16_UINT", 1, {16}, Numeric::Uint},
    {"R16_SINT", 1, {16}, Numeric::Sint},
    {"R16_FLOAT", 1, {16}, Numeric::Float},
    {"R16G16_UNORM", 2, {16, 16}, Numeric::Unorm},
    {"R16G16_SNORM", 2, {16, 16}, Numeric::Snorm},
    {"R16G16_UINT", 2, {16, 16}, Numeric::Uint},
    {"R16G16_SINT", 2, {16, 16}, Numeric::Sint},
    {"R16G16_FLOAT", 2, {16, 16}, Numeric::Float},
    {"R16G16B16_UNORM", 3, {16, 16, 16}, Numeric::Unorm},
    {"R16G16B16_SNORM", 3, {16, 16, 16}, Numeric::Snorm},
    {"R16G16B16_UINT", 3, {16, 16, 16}, Numeric::Uint},
    {"R16G16B16_SINT", 3, {16, 16, 16}, Numeric::Sint},
    {"R16G16B16_FLOAT", 3, {16, 16, 16}, Numeric::Float},
    {"R16G16B16A16_UNORM", 4, {16, 16, 16, 16}, Numeric::Unorm},
    {"R16G16B16A16_SNORM", 4, {16, 16, 16, 16}, Numeric::Snorm},
    {"R16G16B16A16_UINT", 4, {16, 16, 16, 16}, Numeric::Uint},
    {"R16G16B16A16_SINT", 4, {16, 16, 16, 16}, Numeric::Sint},
    {"R16G16B16A16_FLOAT", 4, {16, 16, 16, 16}, Numeric::Float},
    {"R32_FLOAT", 1, {32}, Numeric::Float},
    {"R32_UINT", 1, {32}, Numeric::Uint},
    {"R32_SINT", 1, {32}, Numeric::Sint},
    {"R32G32_FLOAT", 2, {32, 32}, Numeric::Float},
    {"R32G32_UINT", 2, {32, 32}, Numeric::Uint},
    {"R32G32_SINT", 2, {32, 32}, Numeric::Sint},
    {"R32G32B32_FLOAT", 3, {32, 32, 32}, Numeric::Float},
    {"R32G32B32_UINT", 3, {32, 32, 32}, Numeric::Uint},
    {"R32G32B32_SINT", 3, {32, 32, 32}, Numeric::Sint},
    {"R32G32B32A32_FLOAT", 4, {32, 32, 32, 32}, Numeric::Float},
    {"R32G32B32A32_UINT", 4, {32, 32, 32, 32}, Numeric::Uint},
    {"R32G32B32A32_SINT", 4, {32, 32, 32, 32}, Numeric::Sint},
    {"R32_UNORM", 1, {32}, Numeric::Unorm},
    {"R32_SNORM", 1, {32}, Numeric::Snorm},
    {"R32G32_UNORM", 2, {32, 32}, Numeric::Unorm},
    {"R32G32B32A32_UNORM", 4, {32, 32, 32, 32}, Numeric::Unorm},
    {"R32G32B32A32_SNORM", 4, {32, 32, 32, 32}, Numeric::Snorm},
    {"R8_SRGB", 1, {8}, Numeric::Srgb},
    {"R8G8_SRGB", 2, {8, 8}, Numeric::Srgb},
    {"R8G8B8_SRGB", 3, {8, 8, 8}, Numeric::Srgb},
    {"R8G8B8A8_SRGB", 4, {8, 8, 8, 8}, Numeric::Srgb},
    {"B8G8R8A8_UNORM", 4, {8, 8, 8, 8}, Numeric::Unorm},
    {"B8G8R8X8_UNORM", 3, {8, 8, 8}, Numeric::Unorm},
    {"B8G8R8A8_SRGB", 4, {8, 8, 8, 8}, Numeric::Srgb},
    {"B8G8R8X8_SRGB", 3, {8, 8, 8}, Numeric::Srgb},
    {"B8G8R8A8_SNORM", 4, {8, 8, 8, 8}, Numeric::Snorm},
    {"B8G8R8A8_UINT", 4, {8, 8, 8, 8}, Numeric::Uint},
    {"B8G8R8A8_SINT", 4, {8, 8, 8, 8}, Numeric::Sint},
    {"A8R8G8B8_UNORM", 4, {8, 8, 8, 8}, Numeric::Unorm},
    {"X8R8G8B8_UNORM", 3, {8, 8, 8}, Numeric::Unorm},
    {"A8B8G8R8_UNORM", 4, {8, 8, 8, 8}, Numeric::Unorm},
    {"X8B8G8R8_UNORM", 3, {8, 8, 8}, Numeric::Unorm},
    {"R8G8B8X8_UNORM", 3, {8, 8, 8}, Numeric::Unorm},
    {"R8G8B8X8_SNORM", 3, {8, 8, 8}, Numeric::Snorm},
    {"R8G8B8X8_SRGB", 3, {8, 8, 8}, Numeric::Srgb},
    {"R8G8B8X8_UINT", 3, {8, 8, 8}, Numeric::Uint},
    {"R8G8B8X8_SINT", 3, {8, 8, 8}, Numeric::Sint},
    {"R16G16B16X16_UNORM", 3, {16, 16, 16}, Numeric::Unorm},
    {"R16G16B16X16_SNORM", 3, {16, 16, 16}, Numeric::Snorm},
    {"R16G16B16X16_FLOAT", 3, {16, 16, 16}, Numeric::Float},
    {"R16G16B16X16_UINT", 3, {16, 16, 16}, Numeric::Uint},
    {"R16G16B16X16_SINT", 3, {16, 16, 16}, Numeric::Sint},
    {"R32G32B32X32_FLOAT", 3, {32, 32, 32}, Numeric::Float},
    {"R32G32B32X32_UINT", 3, {32, 32, 32}, Numeric::Uint},
    {"R32G32B32X32_SINT", 3, {32, 32, 32}, Numeric::Sint},
    {"R10G10B10A2_UNORM", 4, {10, 10, 10, 2}, Numeric::Unorm},
    {"R10G10B10A2_SNORM", 4, {10, 10, 10, 2}, Numeric::Snorm},
    {"R10G10B10A2_UINT", 4, {10, 10, 10, 2}, Numeric::Uint},
    {"R10G10B10X2_UNORM", 3, {10, 10, 10}, Numeric::Unorm},
    {"B10G10R10A2_UNORM", 4, {10, 10, 10, 2}, Numeric::Unorm},
    {"B10G10R10A2_SNORM", 4, {10, 10, 10, 2}, Numeric::Snorm},
    {"B10G10R10A2_UINT", 4, {10, 10, 10, 2}, Numeric::Uint},
    {"B10G10R10X2_UNORM", 3, {10, 10, 10}, Numeric::Unorm},
    {"R11G11B10_FLOAT", 3, {11, 11, 10}, Numeric::Float},
    {"R9G9B9E5_FLOAT", 3, {9, 9, 9}, Numeric::Float},
    {"B5G6R5_UNORM", 3, {5, 6, 5}, Numeric::Unorm},
    {"B5G6R5_SRGB", 3, {5, 6, 5}, Numeric::Srgb},
    {"R5G6B5_UNORM", 3, {5, 6, 5}, Numeric::Unorm},
    {"B5G5R5A1_UNORM", 4, {5, 5, 5, 1}, Numeric::Unorm},
    {"B5G5R5X1_UNORM", 3, {5, 5, 5}, Numeric::Unorm},
    {"R5G5B5A1_UNORM", 4, {5, 5, 5, 1}, Numeric::Unorm},
    {"B4G4R4A4_UNORM", 4, {4, 4, 4, 4}, Numeric::Unorm},
    {"B4G4R4X4_UNORM", 3, {4, 4, 4}, Numeric::Unorm},
    {"R4G4B4A4_UNORM", 4, {4, 4, 4, 4}, Numeric::Unorm},
    {"B2G3R3_UNORM", 3, {3, 3, 2}, Numeric::Unorm},
    {"R3G3B2_UNORM", 3, {3, 3, 2}, Numeric::Unorm},
    {"A8_UNORM", 1, {8}, Numeric::Unorm},
    {"A8_SNORM", 1, {8}, Numeric::Snorm},
    {"A8_UINT", 1, {8}, Numeric::Uint},
    {"A8_SINT", 1, {8}, Numeric::Sint},
    {"A16_UNORM", 1, {16}, Numeric::Unorm},
    {"A16_SNORM", 1, {16}, Numeric::Snorm},
    {"A16_UINT", 1, {16}, Numeric::Uint},
    {"A16_SINT", 1, {16}, Numeric::Sint},
    {"A16_FLOAT", 1, {16}, Numeric::Float},
    {"A32_FLOAT", 1, {32}, Numeric::Float},
    {"A32_UINT", 1, {32}, Numeric::Uint},
    {"A32_SINT", 1, {32}, Numeric::Sint},
    {"L8_UNORM", 1, {8}, Numeric::Unorm},
    {"L8_SNORM", 1, {8}, Numeric::Snorm},
    {"L8_UINT", 1, {8}, Numeric::Uint},
    {"L8_SINT", 1, {8}, Numeric::Sint},
    {"L16_UNORM", 1, {16}, Numeric::Unorm},
    {"L16_SNORM", 1, {16}, Numeric::Snorm},
    {"L16_UINT", 1, {16}, Numeric::Uint},
    {"L16_SINT", 1, {16}, Numeric::Sint},
    {"L16_FLOAT", 1, {16}, Numeric::Float},
    {"L32_FLOAT", 1, {32}, Numeric::Float},
    {"L32_UINT", 1, {32}, Numeric::Uint},
    {"L32_SINT", 1, {32}, Numeric::Sint},
    {"I8_UNORM", 1, {8}, Numeric::Unorm},
    {"I8_SNORM", 1, {8}, Numeric::Snorm},
    {"I8_UINT", 1, {8}, Numeric::Uint},
    {"I8_SINT", 1, {8}, Numeric::Sint},
    {"I16_UNORM", 1, {16}, Numeric::Unorm},
    {"I16_SNORM", 1, {16}, Numeric::Snorm},
    {"I16_UINT", 1, {16}, Numeric::Uint},
    {"I16_SINT", 1, {16}, Numeric::Sint},
    {"I16_FLOAT", 1, {16}, Numeric::Float},
    {"I32_FLOAT", 1, {32}, Numeric::Float},
    {"I32_UINT", 1, {32}, Numeric::Uint},
    {"I32_SINT", 1, {32}, Numeric::Sint},
    {"L8A8_UNORM", 2, {8, 8}, Numeric::Unorm},
    {"L8A8_SNORM", 2, {8, 8}, Numeric::Snorm},
    {"L8A8_UINT", 2, {8, 8}, Numeric::Uint},
    {"L8A8_SINT", 2, {8, 8}, Numeric::Sint},
    {"L16A16_UNORM", 2, {16, 16}, Numeric::Unorm},
    {"L16A16_SNORM", 2, {16, 16}, Numeric::Snorm},
    {"L16A16_UINT", 2, {16, 16}, Numeric::Uint},
    {"L16A16_SINT", 2, {16, 16}, Numeric::Sint},
    {"L16A16_FLOAT", 2, {16, 16}, Numeric::Float},
    {"L32A32_FLOAT", 2, {32, 32}, Numeric::Float},
    {"L32A32_UINT", 2, {32, 32}, Numeric::Uint},
    {"L32A32_SINT", 2, {32, 32}, Numeric::Sint},
    {"L8_SRGB", 1, {8}, Numeric::Srgb},
    {"L8A8_SRGB", 2, {8, 8}, Numeric::Srgb},
    {"Z16_UNORM", 1, {16}, Numeric::Depth},
    {"Z32_UNORM", 1, {32}, Numeric::Depth},
    {"Z32_FLOAT", 1, {32}, Numeric::Depth},
    {"Z24_UNORM_S8_UINT", 1, {24}, Numeric::Depth},
    {"S8_UINT_Z24_UNORM", 1, {24}, Numeric::Depth},
    {"Z24X8_UNORM", 1, {24}, Numeric::Depth},
    {"X8Z24_UNORM", 1, {24}, Numeric::Depth},
    {"Z32_FLOAT_S8X24_UINT", 1, {32}, Numeric::Depth},
    {"Z16_UNORM_S8_UINT", 1, {16}, Numeric::Depth},
    {"S8_UINT", 1, {8}, Numeric::Stencil},
    {"X24S8_UINT", 1, {8}, Numeric::Stencil},
    {"S8X24_UINT", 1, {8}, Numeric::Stencil},
    {"X32_S8X24_UINT", 1, {8}, Numeric::Stencil},
    // A pair of components, as registers hold 64 bits.
    {"R64_UINT", 2, {32, 32}, Numeric::Uint},
    {"R64_SINT", 2, {32, 32}, Numeric::Sint},
};
// clang-format on

constexpr size_t kCount = std::size(kFormats);

constexpr auto make_lookup() {
    std::array<Spelling, kCount> spellings{};
    for (size_t i = 0; i < kCount; ++i) spellings[i] = {kFormats[i].name, static_cast<uint16_t>(i)};
    return WordTable<3, kCount, std::bit_ceil(2 * kCount)>(spellings);
}
constexpr auto kLookup = make_lookup();

constexpr std::string_view kPrefix = "PIPE_FORMAT_";

bool has_prefix(std::string_view word) {
    if (word.size() < kPrefix.size()) return false;
    for (size_t i = 0; i < kPrefix.size(); ++i)
        if ((word[i] >= 'a' && word[i] <= 'z' ? word[i] - 'a' + 'A' : word[i]) != kPrefix[i]) return false;
    return true;
}

}  // namespace

uint16_t format_count() {
    return static_cast<uint16_t>(kCount);
}

const FormatInfo& format_info(uint16_t format) {
    return kFormats[format < kCount ? format : 0];
}

std::array<uint8_t, 4> channels_of(const FormatInfo& format) {
    const bool letter = format.name.size() > 1 && format.name[1] >= '0' && format.name[1] <= '9';
    if (format.numeric == Numeric::Stencil || (letter && format.name[0] == 'I')) return {0, 0, 0, 0};
    if (letter && format.components == 1 && format.name[0] == 'A') return {kChannelZero, kChannelZero, kChannelZero, 0};
    if (letter && format.name[0] == 'L') return {0, 0, 0, format.components == 2 ? uint8_t{1} : kChannelOne};
    std::array<uint8_t, 4> own{kChannelZero, kChannelZero, kChannelZero, kChannelOne};
    for (uint8_t c = 0; c < format.components; ++c) own[c] = c;
    return own;
}

bool is_format_name(std::string_view name) {
    constexpr std::string_view kTypes[] = {"UNORM",   "SNORM", "UINT",  "SINT",  "FLOAT", "SRGB", "USCALED",
                                           "SSCALED", "FIXED", "SRGBA", "SRGB8", "NORM",  "444",  "440",
                                           "422",     "420",   "411",   "410",   "400"};
    constexpr std::string_view kCompressed[] = {"DXT", "RGTC", "LATC", "ETC", "BPTC", "ASTC", "FXT", "ATC"};
    constexpr std::string_view kVideo[] = {"YV12", "YV16", "IYUV", "NV12", "NV15", "NV16", "NV20", "NV21", "AYUV",
                                           "XYUV", "UYVY", "VYUY", "YUYV", "YVYU", "IA44", "AI44", "P010", "P012",
                                           "P016", "P030", "Y210", "Y212", "Y216", "Y410", "Y412", "Y416"};
    for (const std::string_view family : kCompressed)
        if (name.starts_with(family)) return true;
    if (std::ranges::find(kVideo, name) != std::end(kVideo)) return true;
    // Components, each a letter with its number of bits, and types.
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    bool has_type = false;
    while (!name.empty()) {
        const size_t bar = std::min(name.find('_'), name.size());
        const std::string_view part = name.substr(0, bar);
        name.remove_prefix(std::min(bar + 1, name.size()));
        if (std::ranges::find(kTypes, part) != std::end(kTypes)) {
            has_type = true;
            continue;
        }
        if (part.empty()) return false;
        for (size_t i = 0; i < part.size();) {
            if (std::string_view("RGBAXLISZYUV").find(part[i]) == std::string_view::npos) return false;
            const size_t first = ++i;
            while (i < part.size() && is_digit(part[i])) ++i;
            if (i == first && part[i - 1] != 'S' && part[i - 1] != 'U') return false;  // S and U may be its sign
        }
    }
    return has_type;
}

std::optional<uint16_t> format_from_name(std::string_view name) {
    if (has_prefix(name)) name.remove_prefix(kPrefix.size());
    const uint16_t found = kLookup.find(name);
    if (found == kLookup.kNone) return std::nullopt;
    return found;
}

}  // namespace tgsi2spv::tgsi
