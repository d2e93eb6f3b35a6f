#include "renderer/state/formats.h"

#include <algorithm>

namespace tgsi2spv::host {
namespace {

constexpr virgl::Swizzle component(char c) {
    switch (c) {
        case 'R':
            return virgl::Swizzle::X;
        case 'G':
            return virgl::Swizzle::Y;
        case 'B':
            return virgl::Swizzle::Z;
        case 'A':
            return virgl::Swizzle::W;
        case '0':
            return virgl::Swizzle::Zero;
        default:
            return virgl::Swizzle::One;
    }
}

constexpr FormatInfo kFormats[] = {
#define FORMAT(number, name, vulkan, width, height, bytes, c, flags, conversion)   \
    {number,                                                                       \
     #name,                                                                        \
     vulkan,                                                                       \
     width,                                                                        \
     height,                                                                       \
     bytes,                                                                        \
     {component((c)[0]), component((c)[1]), component((c)[2]), component((c)[3])}, \
     flags,                                                                        \
     Conversion::conversion},
#include "renderer/state/formats.def"
#undef FORMAT
};

constexpr size_t kNumbers = 512;

/// Rows of kFormats by number, plus 1; 0: none.
constexpr auto kRows = [] {
    std::array<uint16_t, kNumbers> rows{};
    for (size_t i = 0; i < std::size(kFormats); i++) rows[kFormats[i].number] = static_cast<uint16_t>(i + 1);
    return rows;
}();

constexpr Conversion with_float(Conversion c) {
    using enum Conversion;
    static_assert(static_cast<int>(X8Z24Float) - static_cast<int>(X8Z24) ==
                  static_cast<int>(Z24S8Float) - static_cast<int>(Z24S8));
    constexpr int kFloat = static_cast<int>(Z24S8Float) - static_cast<int>(Z24S8);
    return c >= Z24S8 && c <= X8Z24 ? static_cast<Conversion>(static_cast<int>(c) + kFloat) : c;
}

/// The same row with 32-bit depth.
constexpr FormatInfo widened(uint16_t number) {
    FormatInfo f = kFormats[kRows[number] - 1];
    f.vulkan = f.vulkan == VK_FORMAT_X8_D24_UNORM_PACK32 ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_D32_SFLOAT_S8_UINT;
    f.conversion = with_float(f.conversion);
    return f;
}

// The rows of formats.def that are 24-bit depth in Vulkan, or views of its stencil.
constexpr FormatInfo kWidened[] = {widened(19), widened(20), widened(21), widened(22), widened(136), widened(137)};

/// The same row with depth of 24 bits.
constexpr FormatInfo narrowed(uint16_t number) {
    FormatInfo f = kFormats[kRows[number] - 1];
    f.vulkan = VK_FORMAT_D24_UNORM_S8_UINT;
    if (f.conversion == Conversion::Z32S8) f.conversion = Conversion::Z32S8In24;
    return f;
}

constexpr FormatInfo kNarrowed[] = {narrowed(126), narrowed(138)};

/// Luminance or red with alpha.
constexpr bool is_pair(const FormatInfo& f) {
    return f.swizzle[0] == virgl::Swizzle::X && f.swizzle[3] == virgl::Swizzle::Y &&
           (f.flags & (kSrgb | kCompressed)) == 0;
}

/// The format of four such components in place of two.
constexpr VkFormat four_of(VkFormat two) {
    const auto moved = [&](VkFormat first, VkFormat to) { return static_cast<VkFormat>(two - first + to); };
    if (two >= VK_FORMAT_R32G32_UINT) return moved(VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32A32_UINT);
    if (two >= VK_FORMAT_R16G16_UNORM) return moved(VK_FORMAT_R16G16_UNORM, VK_FORMAT_R16G16B16A16_UNORM);
    return moved(VK_FORMAT_R8G8_UNORM, VK_FORMAT_R8G8B8A8_UNORM);
}
static_assert(four_of(VK_FORMAT_R32G32_SFLOAT) == VK_FORMAT_R32G32B32A32_SFLOAT);
static_assert(four_of(VK_FORMAT_R16G16_SFLOAT) == VK_FORMAT_R16G16B16A16_SFLOAT);
static_assert(four_of(VK_FORMAT_R8G8_SINT) == VK_FORMAT_R8G8B8A8_SINT);

/// The rows of formats as images have them: targets blend alpha by an equation of its own.
constexpr auto kFours = [] {
    std::array<FormatInfo, std::ranges::count_if(kFormats, is_pair)> rows{};
    std::ranges::copy_if(kFormats, rows.begin(), is_pair);
    for (FormatInfo& f : rows) {
        using enum Conversion;
        f.conversion = f.block_bytes == 2 ? LA8 : f.block_bytes == 4 ? LA16 : LA32;
        f.vulkan = four_of(f.vulkan);
        f.swizzle[3] = virgl::Swizzle::W;
        f.flags &= ~kSampleOnly;
    }
    return rows;
}();

}  // namespace

const FormatInfo* format_info(uint32_t number) {
    return number < kNumbers && kRows[number] != 0 ? &kFormats[kRows[number] - 1] : nullptr;
}

const FormatInfo* format_info(std::string_view name) {
    const auto row = std::ranges::find(kFormats, name, &FormatInfo::name);
    return row == std::end(kFormats) ? nullptr : row;
}

const FormatInfo* format_info(uint32_t number, Depth24 offered) {
    const FormatInfo* const row = format_info(number);
    if (row == nullptr) return nullptr;
    if (is_pair(*row)) return std::ranges::find(kFours, row->number, &FormatInfo::number);
    if ((row->vulkan == VK_FORMAT_X8_D24_UNORM_PACK32 && !offered.x8_d24) ||
        (row->vulkan == VK_FORMAT_D24_UNORM_S8_UINT && !offered.d24_s8))
        return std::ranges::find(kWidened, row->number, &FormatInfo::number);
    if (row->vulkan == VK_FORMAT_D32_SFLOAT_S8_UINT && !offered.d32_s8)
        return std::ranges::find(kNarrowed, row->number, &FormatInfo::number);
    return row;
}

tgsi2spv_numeric_type numeric_type(const FormatInfo& format) {
    if (format.has(kUscaled)) return TGSI2SPV_NUMERIC_USCALED;
    if (format.has(kSscaled)) return TGSI2SPV_NUMERIC_SSCALED;
    if (format.has(kFixed)) return TGSI2SPV_NUMERIC_FIXED;
    if (format.has(kUnorm32)) return TGSI2SPV_NUMERIC_UNORM32;
    if (format.has(kSnorm32)) return TGSI2SPV_NUMERIC_SNORM32;
    if (format.has(kDouble)) return TGSI2SPV_NUMERIC_DOUBLE;
    if (format.has(kUint)) return TGSI2SPV_NUMERIC_UINT;
    return format.has(kSint) ? TGSI2SPV_NUMERIC_SINT : TGSI2SPV_NUMERIC_FLOAT;
}

AlphaIn alpha_in(const FormatInfo& format) {
    if (format.swizzle[3] == virgl::Swizzle::One) return AlphaIn::Nowhere;
    return format.swizzle[3] == virgl::Swizzle::X ? AlphaIn::Red : AlphaIn::Alpha;
}

bool is_alpha_only(const FormatInfo& format) {
    return alpha_in(format) == AlphaIn::Red && format.swizzle[0] == virgl::Swizzle::Zero;
}

uint32_t write_mask(const FormatInfo& format, uint32_t guest) {
    if (is_alpha_only(format)) return guest >> 3 & 1;
    return alpha_in(format) == AlphaIn::Nowhere ? guest & 7 : guest;
}

namespace {

/// Whether w must be set to 1: Vulkan adds an integer 1 to fewer than four components.
bool lacks_w(const FormatInfo& format) {
    if (format.has(kDouble)) return format.block_bytes < 32;
    return format.has(kFixed | kUnorm32 | kSnorm32) && format.block_bytes < 16;
}

/// Scaled integers as integers. Undefined: the format has none.
FetchedFormat as_integers(FetchedFormat f) {
    // UNORM, SNORM, USCALED, SSCALED, UINT, SINT, and SRGB or SFLOAT where components are not packed.
    const bool packed = f.vulkan >= VK_FORMAT_A2R10G10B10_UNORM_PACK32 && f.vulkan < VK_FORMAT_R16_UNORM;
    if (f.vulkan < VK_FORMAT_R8_UNORM || f.vulkan > VK_FORMAT_R16G16B16A16_SFLOAT) return {};
    const VkFormat first = packed                            ? VK_FORMAT_A2R10G10B10_UNORM_PACK32
                           : f.vulkan >= VK_FORMAT_R16_UNORM ? VK_FORMAT_R16_UNORM
                                                             : VK_FORMAT_R8_UNORM;
    const int place = (f.vulkan - first) % (packed ? 6 : 7);
    if (place != 2 && place != 3) return {};
    f.type = place == 2 ? TGSI2SPV_NUMERIC_USCALED : TGSI2SPV_NUMERIC_SSCALED;
    f.vulkan = static_cast<VkFormat>(f.vulkan + 2);
    return f;
}

/// Three components of 8 or 16 bits as four. Undefined: it has not three.
FetchedFormat as_four(FetchedFormat f) {
    const bool bytes = f.vulkan >= VK_FORMAT_R8G8B8_UNORM && f.vulkan <= VK_FORMAT_B8G8R8_SRGB;
    const bool words = f.vulkan >= VK_FORMAT_R16G16B16_UNORM && f.vulkan <= VK_FORMAT_R16G16B16_SFLOAT;
    if (!bytes && !words) return {};
    f.vulkan = static_cast<VkFormat>(f.vulkan + (bytes ? VK_FORMAT_R8G8B8A8_UNORM - VK_FORMAT_R8G8B8_UNORM
                                                       : VK_FORMAT_R16G16B16A16_UNORM - VK_FORMAT_R16G16B16_UNORM));
    f.bytes = f.bytes / 3 * 4;
    f.lacks_w = true;
    return f;
}
static_assert(VK_FORMAT_B8G8R8A8_UNORM - VK_FORMAT_B8G8R8_UNORM == VK_FORMAT_R8G8B8A8_UNORM - VK_FORMAT_R8G8B8_UNORM);

}  // namespace

FetchedFormat fetched_as_it_is(const FormatInfo& format) {
    return {format.vulkan, numeric_type(format), format.block_bytes, lacks_w(format)};
}

std::array<FetchedFormat, 3> other_ways_to_fetch(const FormatInfo& format) {
    const FetchedFormat own = fetched_as_it_is(format);
    return {as_integers(own), as_four(own), as_integers(as_four(own))};
}

std::array<virgl::Swizzle, 4> compose(const FormatInfo& format, const std::array<virgl::Swizzle, 4>& guest) {
    const auto through = [&](virgl::Swizzle s) {
        const auto n = static_cast<size_t>(s);
        return n < format.swizzle.size() ? format.swizzle[n] : s;
    };
    return {through(guest[0]), through(guest[1]), through(guest[2]), through(guest[3])};
}

}  // namespace tgsi2spv::host
