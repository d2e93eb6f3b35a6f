// The table of formats, compared with the formats' names: where the bits of each component are, in gallium's names from
// the lowest on, in Vulkan's packed names from the highest.
#include "renderer/state/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace tgsi2spv::host {
namespace {

using std::string_view_literals::operator""sv;
using virgl::Swizzle;

struct Row {
    uint32_t number;
    std::string_view name, vulkan, swizzle;
};
constexpr Row kRows[] = {
#define FORMAT(number, name, vulkan, width, height, bytes, swizzle, flags, conversion) \
    {number, #name, #vulkan, swizzle},
#include "renderer/state/formats.def"
#undef FORMAT
};

/// Bits of a component: the lowest and how many.
struct Bits {
    uint32_t first, count;
    bool operator==(const Bits&) const = default;
};

/// "R5G6B5": each letter's bits, the first letter's from bit 0 on. Nothing if the text is not letters with numbers.
std::map<char, Bits> parse(std::string_view text) {
    std::map<char, Bits> bits;
    uint32_t position = 0;
    for (size_t i = 0; i < text.size();) {
        const char letter = text[i++];
        uint32_t count = 0;
        for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; i++) count = 10 * count + (text[i] - '0');
        if (count == 0 || "RGBAXLIE"sv.find(letter) == std::string_view::npos) return {};
        bits[letter] = {position, count};
        position += count;
    }
    return bits;
}

uint32_t width(const std::map<char, Bits>& bits) {
    uint32_t sum = 0;
    for (const auto& [letter, b] : bits) sum += b.count;
    return sum;
}

/// The same of a VkFormat; packed ones are named from the highest bit on.
std::map<char, Bits> parse_vulkan(std::string_view name) {
    std::map<char, Bits> bits = parse(name.substr(0, name.find('_')));
    if (name.find("_PACK"sv) == std::string_view::npos) return bits;
    const uint32_t all = width(bits);
    for (auto& [letter, b] : bits) b.first = all - b.first - b.count;
    return bits;
}

/// Where the guest's component is; '0' and '1': nowhere, it is a constant.
std::pair<Bits, char> guest_component(const std::map<char, Bits>& bits, char component) {
    if (bits.contains(component)) return {bits.at(component), component};
    if (component != 'A' && bits.contains('L')) return {bits.at('L'), 'L'};
    if (bits.contains('I')) return {bits.at('I'), 'I'};
    return {{}, component == 'A' ? '1' : '0'};
}

std::string_view type_of(std::string_view name) {
    return name.substr(name.find('_') + 1);
}

/// Mesa's virgl_hw.h also has A1B5G5R5, A1R5G5B5, A2B10G10R10, A2R10G10B10 and A4R4G4B4 there. A guest that finds one
/// of the two offered takes the other for granted.
TEST(Formats, NumbersOfTwoFormatsAreNotOffered) {
    for (const Row& row : kRows) EXPECT_TRUE(row.number < 262 || row.number > 266) << row.name;
}

TEST(Formats, ComponentsAreTheBitsThatTheNamesSay) {
    int seen = 0;
    for (const Row& row : kRows) {
        const std::map<char, Bits> guest = parse(row.name.substr(0, row.name.find('_')));
        const FormatInfo& f = *format_info(row.number);
        if (guest.empty() || f.has(kDepthStencil)) continue;
        const std::map<char, Bits> vulkan = parse_vulkan(row.vulkan.substr("VK_FORMAT_"sv.size()));
        ASSERT_FALSE(vulkan.empty()) << row.vulkan;
        EXPECT_EQ(width(guest), f.block_bytes * 8u) << row.name;
        EXPECT_TRUE(f.has(kDouble) || width(vulkan) == f.block_bytes * 8u) << row.name;
        if (f.has(kVertexOnly)) continue;  // attributes have no swizzle
        for (size_t c = 0; c < 4; c++) {
            const auto [bits, letter] = guest_component(guest, "RGBA"[c]);
            const char source = row.swizzle[c];
            if (letter == '0' || letter == '1') {
                // A component that neither has is Vulkan's constant, the same.
                const bool absent = !vulkan.contains("RGBA"[c]) && source == "RGBA"[c];
                EXPECT_TRUE(absent || source == letter) << row.name << ' ' << "RGBA"[c];
            } else {
                ASSERT_TRUE(vulkan.contains(source)) << row.name << ' ' << "RGBA"[c];
                EXPECT_EQ(vulkan.at(source), bits) << row.name << ' ' << "RGBA"[c];
            }
        }
        seen++;
    }
    EXPECT_GT(seen, 150);
}

TEST(Formats, AttributesHaveTheirComponentsInVulkansOrder) {
    for (const Row& row : kRows)
        if (const FormatInfo& f = *format_info(row.number); f.has(kVertexOnly) && !f.has(kDouble)) {
            std::map<char, Bits> guest = parse(row.name.substr(0, row.name.find('_')));
            // Attributes are fetched with no swizzle: an X is where Vulkan's alpha is.
            if (guest.contains('X')) {
                guest['A'] = guest.at('X');
                guest.erase('X');
            }
            EXPECT_EQ(guest, parse_vulkan(row.vulkan.substr("VK_FORMAT_"sv.size()))) << row.name;
        }
}

/// By which FRAG's blending clamps its sources.
TEST(Formats, RangesAreThoseOfTheNames) {
    for (const Row& row : kRows) {
        const FormatInfo& f = *format_info(row.number);
        if (f.has(kDepthStencil)) continue;
        const auto has = [&](std::string_view type) { return row.vulkan.find(type) != std::string_view::npos; };
        EXPECT_EQ(f.has(kFloat), has("_SFLOAT") || has("_UFLOAT")) << row.name;
        EXPECT_EQ(f.has(kSnorm), has("_SNORM")) << row.name;
    }
}

TEST(Formats, NumbersAreStoredInTheSameWay) {
    const std::map<std::string_view, std::string_view> same{
        {"UNORM", "UNORM"}, {"SNORM", "SNORM"}, {"UINT", "UINT"}, {"SINT", "SINT"}, {"SRGB", "SRGB"}};
    for (const Row& row : kRows) {
        if (parse(row.name.substr(0, row.name.find('_'))).empty() || format_info(row.number)->has(kDepthStencil))
            continue;
        const FormatInfo& f = *format_info(row.number);
        const std::string_view type = type_of(row.name);
        const std::string full(type_of(row.vulkan.substr("VK_FORMAT_"sv.size())));
        const std::string vulkan = full.substr(0, full.find('_'));
        if (f.has(kDouble)) {  // two words for each
            EXPECT_TRUE(row.name.starts_with("R64") && type == "FLOAT") << row.name;
            EXPECT_EQ(row.vulkan, row.number == 24 ? "VK_FORMAT_R32G32_UINT" : "VK_FORMAT_R32G32B32A32_UINT");
            continue;
        }
        if (f.has(kUnorm32 | kSnorm32)) {
            EXPECT_EQ(type, f.has(kUnorm32) ? "UNORM" : "SNORM") << row.name;
            EXPECT_EQ(vulkan, f.has(kUnorm32) ? "UINT" : "SINT") << row.name;
            EXPECT_TRUE(row.name.starts_with("R32")) << row.name;
        } else if (same.contains(type)) {
            EXPECT_EQ(vulkan, same.at(type)) << row.name;
            EXPECT_FALSE(f.has(kUscaled | kSscaled | kFixed)) << row.name;
        } else if (type == "FLOAT") {
            EXPECT_THAT(vulkan, testing::AnyOf("SFLOAT", "UFLOAT")) << row.name;
        } else if (type == "USCALED") {
            EXPECT_EQ(vulkan, f.has(kUscaled) ? "UINT" : "USCALED") << row.name;
        } else if (type == "SSCALED") {
            EXPECT_EQ(vulkan, f.has(kSscaled) ? "SINT" : "SSCALED") << row.name;
        } else {
            EXPECT_EQ(type, "FIXED") << row.name;
            EXPECT_TRUE(f.has(kFixed)) << row.name;
            EXPECT_EQ(vulkan, "SINT") << row.name;
        }
        EXPECT_EQ(f.has(kUint), vulkan == "UINT") << row.name;
        EXPECT_EQ(f.has(kSint), vulkan == "SINT") << row.name;
        EXPECT_EQ(f.has(kSrgb), vulkan == "SRGB") << row.name;
    }
}

// With alpha of its own, a format without alpha must read 1 there and must not be written there.
TEST(Formats, AlphaIsWhereTheNameSays) {
    for (const Row& row : kRows) {
        const FormatInfo& f = *format_info(row.number);
        const std::map<char, Bits> guest = parse(row.name.substr(0, row.name.find('_')));
        if (f.has(kSampleOnly | kVertexOnly | kDepthStencil) || guest.empty()) continue;
        const bool none = guest.contains('X') || (guest.contains('L') && !guest.contains('A'));
        const bool red = guest.contains('I') || (guest.contains('A') && guest.size() == 1);
        EXPECT_EQ(alpha_in(f), none ? AlphaIn::Nowhere : red ? AlphaIn::Red : AlphaIn::Alpha) << row.name;
        EXPECT_EQ(is_alpha_only(f), red && !guest.contains('I')) << row.name;
        EXPECT_EQ(write_mask(f, 15), none ? 7 : red && !guest.contains('I') ? 1 : 15) << row.name;
        EXPECT_EQ(write_mask(f, 7), is_alpha_only(f) ? 0 : 7) << row.name;
    }
}

// Colour targets are written with no swizzle: their red is red, or the one component that there is.
TEST(Formats, TargetsHaveNoSwizzle) {
    for (const Row& row : kRows) {
        const FormatInfo& f = *format_info(row.number);
        if (f.has(kSampleOnly | kVertexOnly | kDepthStencil)) continue;
        EXPECT_THAT(row.swizzle, testing::AnyOf("RGBA", "RGB1", "RRR1", "RRRR", "000R")) << row.name;
    }
}

TEST(Formats, CompressedBlocks) {
    for (const Row& row : kRows) {
        const FormatInfo& f = *format_info(row.number);
        EXPECT_EQ(f.has(kCompressed), row.vulkan.ends_with("_BLOCK")) << row.name;
        if (!f.has(kCompressed)) {
            EXPECT_EQ(f.block_width * f.block_height, 1) << row.name;
            continue;
        }
        std::string size = "4x4";
        if (row.name.starts_with("ASTC_")) size = row.name.substr(5, row.name.find('_', 5) - 5);
        EXPECT_EQ(std::to_string(f.block_width) + "x" + std::to_string(f.block_height), size) << row.name;
        const auto is = [&](auto... parts) { return ((row.vulkan.find(parts) != row.vulkan.npos) || ...); };
        const bool half = is("BC1_", "BC4_", "ETC2_R8G8B8_", "ETC2_R8G8B8A1_", "EAC_R11_");
        EXPECT_EQ(f.block_bytes, half ? 8 : 16) << row.name;
        EXPECT_EQ(f.has(kSrgb), is("_SRGB_")) << row.name;
        if (row.name.starts_with("ASTC_")) {
            EXPECT_TRUE(is("ASTC_" + size + "_")) << row.name;
        }
    }
}

TEST(Formats, DepthAndStencil) {
    const std::map<std::string_view, Conversion> conversions{{"Z16_UNORM", Conversion::None},
                                                             {"Z32_UNORM", Conversion::Z32},
                                                             {"Z32_FLOAT", Conversion::Z32Float},
                                                             {"Z24_UNORM_S8_UINT", Conversion::Z24S8},
                                                             {"S8_UINT_Z24_UNORM", Conversion::S8Z24},
                                                             {"Z24X8_UNORM", Conversion::Z24X8},
                                                             {"X8Z24_UNORM", Conversion::X8Z24},
                                                             {"S8_UINT", Conversion::None},
                                                             {"Z32_FLOAT_S8X24_UINT", Conversion::Z32S8}};
    size_t seen = 0;
    for (const Row& row : kRows) {
        const FormatInfo& f = *format_info(row.number);
        if (!f.has(kDepthStencil)) {
            EXPECT_EQ(f.conversion, Conversion::None) << row.name;
            continue;
        }
        EXPECT_EQ(f.has(kStencil), row.name.find("S8") != row.name.npos) << row.name;
        EXPECT_EQ(f.has(kDepth), row.name.find('Z') != row.name.npos) << row.name;
        if (f.has(kViewOnly)) continue;
        ASSERT_TRUE(conversions.contains(row.name)) << row.name;
        EXPECT_EQ(f.conversion, conversions.at(row.name)) << row.name;
        seen++;
    }
    EXPECT_EQ(seen, conversions.size());
}

// Views of packed depth and stencil are of the image's own format.
TEST(Formats, StencilViewsAreOfTheSameVulkanFormat) {
    EXPECT_EQ(format_info(136)->vulkan, format_info(19)->vulkan);
    EXPECT_EQ(format_info(137)->vulkan, format_info(20)->vulkan);
    EXPECT_EQ(format_info(138)->vulkan, format_info(126)->vulkan);
}

TEST(Formats, DepthIsWidenedWhereTheDeviceHasNo24Bits) {
    const Depth24 none{false, false};
    for (const Row& row : kRows) {
        const FormatInfo &f = *format_info(row.number, Depth24{}), &wide = *format_info(row.number, none);
        const bool packed = f.vulkan == VK_FORMAT_D24_UNORM_S8_UINT, padded = f.vulkan == VK_FORMAT_X8_D24_UNORM_PACK32;
        EXPECT_EQ(wide.vulkan, packed   ? VK_FORMAT_D32_SFLOAT_S8_UINT
                               : padded ? VK_FORMAT_D32_SFLOAT
                                        : f.vulkan)
            << row.name;
        EXPECT_EQ(wide.number, f.number);
        EXPECT_EQ(wide.flags, f.flags);
        EXPECT_EQ(wide.block_bytes, f.block_bytes) << "the guest's texels stay";
        EXPECT_EQ(wide.conversion != f.conversion, (packed || padded) && !f.has(kViewOnly)) << row.name;
    }
    EXPECT_EQ(format_info(19, none)->conversion, Conversion::Z24S8Float);
    EXPECT_EQ(format_info(20, none)->conversion, Conversion::S8Z24Float);
    EXPECT_EQ(format_info(21, none)->conversion, Conversion::Z24X8Float);
    EXPECT_EQ(format_info(22, none)->conversion, Conversion::X8Z24Float);
    for (const uint32_t number : {126U, 138U})
        EXPECT_EQ(format_info(number, {.d32_s8 = false})->vulkan, VK_FORMAT_D24_UNORM_S8_UINT);
    EXPECT_EQ(format_info(126, {.d32_s8 = false})->conversion, Conversion::Z32S8In24);
    EXPECT_EQ(format_info(19, {.x8_d24 = false}), format_info(19));
    EXPECT_EQ(format_info(21, {.d24_s8 = false}), format_info(21));
}

/// All but the alpha of luminance with alpha is the same in buffers and images.
TEST(Formats, ImagesOfLuminanceWithAlphaHaveFourComponents) {
    int seen = 0;
    for (const Row& row : kRows) {
        const FormatInfo &f = *format_info(row.number), &image = *format_info(row.number, Depth24{});
        const std::map<char, Bits> guest = parse(row.name.substr(0, row.name.find('_')));
        if (guest.size() != 2 || !guest.contains('A') || guest.at('A').first == 0) {
            EXPECT_EQ(&f, &image) << row.name;
            EXPECT_EQ(f.vulkan_bytes(), f.block_bytes);
            continue;
        }
        seen++;
        EXPECT_EQ(alpha_in(image), AlphaIn::Alpha) << row.name;
        EXPECT_EQ(image.swizzle[0], Swizzle::X);
        EXPECT_EQ(image.swizzle[1], f.swizzle[1]);
        EXPECT_EQ(image.block_bytes, f.block_bytes);
        EXPECT_EQ(image.vulkan_bytes(), 2u * f.block_bytes);
        EXPECT_EQ(image.flags | kSampleOnly, f.flags);
        const std::set<VkFormat> fours{
            VK_FORMAT_R8G8B8A8_UNORM,    VK_FORMAT_R8G8B8A8_SNORM,     VK_FORMAT_R8G8B8A8_UINT,
            VK_FORMAT_R8G8B8A8_SINT,     VK_FORMAT_R16G16B16A16_UNORM, VK_FORMAT_R16G16B16A16_SNORM,
            VK_FORMAT_R16G16B16A16_UINT, VK_FORMAT_R16G16B16A16_SINT,  VK_FORMAT_R16G16B16A16_SFLOAT,
            VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_R32G32B32A32_SINT,  VK_FORMAT_R32G32B32A32_SFLOAT};
        EXPECT_TRUE(fours.contains(image.vulkan)) << row.name;
        EXPECT_EQ(numeric_type(image), numeric_type(f));
    }
    EXPECT_GE(seen, 12);
}

TEST(Formats, UnknownNumbersAreNull) {
    for (const uint32_t n : {0u, 14u, 163u, 429u, 511u, 512u, 0xffffffffu}) EXPECT_EQ(format_info(n), nullptr) << n;
    std::set<uint32_t> numbers;
    for (const Row& row : kRows) EXPECT_TRUE(numbers.insert(row.number).second) << row.number;
    for (const Row& row : kRows) EXPECT_EQ(format_info(row.number)->name, row.name);
}

TEST(Formats, ViewsComposeTheirSwizzles) {
    using enum Swizzle;
    EXPECT_EQ(compose(*format_info(2), {X, Y, Z, W}), (std::array{X, Y, Z, One}));  // B8G8R8X8
    EXPECT_EQ(compose(*format_info(2), {W, Z, Zero, One}), (std::array{One, Z, Zero, One}));
    EXPECT_EQ(compose(*format_info(12), {W, X, W, Y}), (std::array{Y, X, Y, X}));           // L8A8
    EXPECT_EQ(compose(*format_info(10), {X, X, X, W}), (std::array{Zero, Zero, Zero, X}));  // A8
}

}  // namespace
}  // namespace tgsi2spv::host
