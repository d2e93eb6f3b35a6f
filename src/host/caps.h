// What guests are told (virgl/caps.h), from what the device offers and this host draws.
#pragma once

#include "gpu/device.h"
#include "virgl/caps.h"

namespace tgsi2spv::host {

virgl::CapsV2 make_caps(const gpu::Device& device, uint64_t memory_limit);

}  // namespace tgsi2spv::host
