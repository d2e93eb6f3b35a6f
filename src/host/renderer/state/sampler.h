// VkSamplers from gallium's sampler states.
#pragma once

#include <array>
#include <map>

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;

/// Samplers by state. Border colours are part of it.
using SamplerKey = std::array<uint32_t, 21>;
/// All samplers that there are, also those that batches hold.
struct AliveSamplers {
    size_t all = 0, custom = 0;  ///< custom: samplers with custom border colours, of which devices have fewer
};
struct Samplers {
    Samplers(VkDevice the_device, AliveSamplers& all) : device(the_device), alive(all) {}
    ~Samplers() {
        for (const auto& [key, sampler] : by_state) vkDestroySampler(device, sampler, nullptr);
        alive.all -= by_state.size();
        alive.custom -= custom;
    }
    Samplers(const Samplers&) = delete;
    Samplers& operator=(const Samplers&) = delete;
    VkDevice device;
    AliveSamplers& alive;
    std::map<SamplerKey, VkSampler> by_state;
    size_t custom = 0;
};

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
/// Whether anisotropic filtering is used. Not on lavapipe: it crashes on 1D textures, filters hundreds of texels for
/// each lane of a cube, and takes six times as long for a frame of SuperTuxKart (docs/driver-bugs.md).
bool is_anisotropic(const vulkan::DeviceReport& report);
/// A sampler for the current batch. Null: the device makes no more, or batches hold too many.
VkSampler find_sampler(HostState& host, const virgl::CreateSamplerState& state, const SamplerUse& use);
/// Whether a filter reads neighbours.
bool is_linear(const virgl::CreateSamplerState& state);
}  // namespace tgsi2spv::host
