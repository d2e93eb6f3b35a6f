// PIPE_FORMATs as Vulkan formats, and the conversion of texels between 32-bit components and bytes.
#pragma once

#include <volk.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tgsi2spv::difftest {

struct VulkanFormat {
    VkFormat format = VK_FORMAT_UNDEFINED;
    uint32_t texel_bytes = 0;
    VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
    bool rearranged = false;  ///< A, L, LA, I as R or RG: views need the swizzle of tgsi::channels_of
};

/// Returns the Vulkan format, or nothing if there is none. The aspect of formats with depth and stencil is depth.
std::optional<VulkanFormat> vulkan_format(uint16_t pipe_format);

/// Converts components widened to 32 bits (as in reference::Texture) to tightly packed texels, and back. Values are
/// clamped and rounded to the nearest value of the format. Those of sRGB formats are the encoded ones.
std::vector<uint8_t> encode_texels(uint16_t pipe_format, std::span<const uint32_t> words);
std::vector<uint32_t> decode_texels(uint16_t pipe_format, std::span<const uint8_t> bytes);

}  // namespace tgsi2spv::difftest
