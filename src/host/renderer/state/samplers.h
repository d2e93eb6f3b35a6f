// The samplers that a host keeps.
#pragma once

#include <volk.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace tgsi2spv::host {

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

}  // namespace tgsi2spv::host
