#include "host/formats.h"

#include "host/convert.h"

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
#include "host/formats.def"
#undef FORMAT
};

constexpr size_t kNumbers = 512;

/// Rows of kFormats by number, plus 1; 0: none.
constexpr auto kRows = [] {
    std::array<uint16_t, kNumbers> rows{};
    for (size_t i = 0; i < std::size(kFormats); i++) rows[kFormats[i].number] = static_cast<uint16_t>(i + 1);
    return rows;
}();

}  // namespace

const FormatInfo* format_info(uint32_t number) {
    return number < kNumbers && kRows[number] != 0 ? &kFormats[kRows[number] - 1] : nullptr;
}

VkComponentMapping compose(const FormatInfo& format, const std::array<virgl::Swizzle, 4>& guest) {
    const auto through = [&](virgl::Swizzle s) {
        const auto n = static_cast<size_t>(s);
        return to_vulkan(n < format.swizzle.size() ? format.swizzle[n] : s);
    };
    return {through(guest[0]), through(guest[1]), through(guest[2]), through(guest[3])};
}

}  // namespace tgsi2spv::host
