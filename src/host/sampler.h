// VkSamplers from gallium's sampler states.
#pragma once

#include "host/host.h"

namespace tgsi2spv::host {

/// `integer`: the border colour is of integers. The result lives as long as the host.
VkSampler find_sampler(Host& host, const virgl::CreateSamplerState& state, bool integer, bool one_dimensional);
/// Whether a filter reads neighbours.
bool is_linear(const virgl::CreateSamplerState& state);
/// For descriptors without a bound sampler.
VkSampler default_sampler(Host& host);

}  // namespace tgsi2spv::host
