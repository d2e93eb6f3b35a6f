// The Vulkan formats of virgl's formats (formats.def).
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "tgsi2spv/tgsi2spv_state.h"
#include "virgl/protocol.h"

namespace tgsi2spv::host {

enum FormatFlag : uint32_t {
    kDepth = 1u << 0,
    kStencil = 1u << 1,
    kDepthStencil = kDepth | kStencil,
    kUint = 1u << 2,
    kSint = 1u << 3,
    kSrgb = 1u << 4,
    kCompressed = 1u << 5,
    kVertexOnly = 1u << 6,  ///< a format of vertex buffers alone
    kBufferOnly = 1u << 7,  ///< a format of vertex and texel buffers alone
    kSampleOnly = 1u << 8,  ///< no colour target
    kViewOnly = 1u << 9,    ///< a view of another format's stencil
    kUscaled = 1u << 10,    ///< attributes: integers that are fetched as such and read as floats
    kSscaled = 1u << 11,
    kFixed = 1u << 12,
    kUnorm32 = 1u << 13,
    kSnorm32 = 1u << 14,
    kDouble = 1u << 15,  ///< attributes: two locations each, fetched as words; this is the first one's format
    kFloat = 1u << 16,   ///< colours without bounds
    kSnorm = 1u << 17,   ///< colours of -1 to 1
};

/// How the guest's bytes become Vulkan's, and back.
enum class Conversion : uint8_t {
    None,
    Z32Float,  ///< depth as a float, which Vulkan has from 0 to 1
    Z32,       ///< 32-bit unorm depth; a float in Vulkan
    Z24S8,     ///< depth in bits 0 to 23
    S8Z24,     ///< depth in bits 8 to 31
    Z24X8,
    X8Z24,
    Z32S8,      ///< two words: a float, and stencil in the low byte of the second
    Z32S8In24,  ///< the same where Vulkan's depth has 24 bits
    // The same words where Vulkan's depth is a float, since the device has no 24-bit depth.
    Z24S8Float,
    S8Z24Float,
    Z24X8Float,
    X8Z24Float,
    // Luminance with alpha, of so many bits: four components in Vulkan, since only the fourth is blended as alpha.
    LA8,
    LA16,
    LA32,
};

struct FormatInfo {
    uint16_t number;
    const char* name;
    VkFormat vulkan;
    uint8_t block_width, block_height, block_bytes;
    std::array<virgl::Swizzle, 4> swizzle;
    uint32_t flags;
    Conversion conversion;

    bool has(uint32_t flag) const { return (flags & flag) != 0; }
    /// The bytes of a texel or block of colour in Vulkan.
    uint8_t vulkan_bytes() const {
        return static_cast<uint8_t>(conversion >= Conversion::LA8 ? 2 * block_bytes : block_bytes);
    }
};

/// The depth formats that the device has. One of 24 bits has one of 32 in its place, and the other way round (Vulkan,
/// "Required Format Support").
struct Depth24 {
    bool x8_d24 = true, d24_s8 = true, d32_s8 = true;
};

/// The format of images. Null: the format is not offered.
const FormatInfo* format_info(uint32_t number, Depth24 offered);
/// The format of vertex and texel buffers, as it is in formats.def.
const FormatInfo* format_info(uint32_t number);
/// The format with gallium's name, without PIPE_FORMAT_.
const FormatInfo* format_info(std::string_view name);

/// The numeric type of attributes, targets and images of the format.
tgsi2spv_numeric_type numeric_type(const FormatInfo& format);

/// An attribute as a device fetches it.
struct FetchedFormat {
    VkFormat vulkan = VK_FORMAT_UNDEFINED;
    tgsi2spv_numeric_type type{};
    uint32_t bytes = 0;    ///< bytes that are fetched
    bool lacks_w = false;  ///< w must be set to 1
};
FetchedFormat fetched_as_it_is(const FormatInfo& format);
/// The other ways, the best first: scaled integers as integers, which the library converts, and three components as
/// four. Vulkan requires the last that is there, but for packed formats ("Required Format Support").
std::array<FetchedFormat, 3> other_ways_to_fetch(const FormatInfo& format);

/// Where colour targets of the format have their alpha.
enum class AlphaIn : uint8_t {
    Alpha,
    Red,      ///< alpha and intensity formats
    Nowhere,  ///< X and luminance: 1 is read, nothing is written
};
AlphaIn alpha_in(const FormatInfo& format);
/// Whether targets of the format have only alpha: the alpha of FRAG's colour goes to red.
bool is_alpha_only(const FormatInfo& format);
/// Vulkan's colour components of a guest's.
uint32_t write_mask(const FormatInfo& format, uint32_t guest);

/// The components of a view that a guest makes of the format with a swizzle of its own.
std::array<virgl::Swizzle, 4> compose(const FormatInfo& format, const std::array<virgl::Swizzle, 4>& guest);

}  // namespace tgsi2spv::host
