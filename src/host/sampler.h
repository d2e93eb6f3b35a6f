// VkSamplers from gallium's sampler states.
#pragma once

#include "host/host.h"

namespace tgsi2spv::host {

/// What else a sampler depends on.
struct SamplerUse {
    bool integer = false;  ///< the border colour is of integers
    bool one_dimensional = false;
    bool queries_lod = false;  ///< the shader asks for levels of detail
};
/// The result lives as long as the host.
VkSampler find_sampler(Host& host, const virgl::CreateSamplerState& state, const SamplerUse& use);
/// Whether a filter reads neighbours.
bool is_linear(const virgl::CreateSamplerState& state);
/// For descriptors without a bound sampler.
VkSampler default_sampler(Host& host);

}  // namespace tgsi2spv::host
