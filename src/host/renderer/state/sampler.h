// VkSamplers from gallium's sampler states.
#pragma once

#include <array>

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;

/// Whether the device filters texels of the format.
bool filters(const HostState& host, VkFormat format);

/// The other inputs of a sampler.
struct SamplerUse {
    bool integer = false;      ///< the border colour is of integers
    bool queries_lod = false;  ///< the shader asks for levels of detail
    /// The device filters the sampled formats, or compares them, with all filters that it has
    /// (VUID-vkCmdDraw-magFilter-04553); else the nearest texel is taken.
    bool filters = true;
    /// Format of the sampled texels, if there is one: some devices must know it for border colours.
    VkFormat format = VK_FORMAT_UNDEFINED;
    /// The components of the guest's format in Vulkan's: borders are those of the guest, before swizzles of its own.
    std::array<virgl::Swizzle, 4> swizzle = {virgl::Swizzle::X, virgl::Swizzle::Y, virgl::Swizzle::Z,
                                             virgl::Swizzle::W};
};
/// A sampler for the current batch. Null: the device makes no more, or batches hold too many.
VkSampler find_sampler(HostState& host, const virgl::CreateSamplerState& state, const SamplerUse& use);
/// Whether a filter reads neighbours.
bool is_linear(const virgl::CreateSamplerState& state);
}  // namespace tgsi2spv::host
