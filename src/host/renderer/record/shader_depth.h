// Depth clamping on devices without depthClamp: nothing is clipped by depth, and FRAG computes what it is
// (TGSI2SPV_STATE_CLAMP_DEPTH).
#pragma once

#include <volk.h>

#include <cstdint>

#include "gpu/device.h"

namespace tgsi2spv::host {

struct Bindings;
struct ModuleState;

/// Sets what concerns FRAG's depth.
void add_shader_depth(const gpu::Device& device, const Bindings& context, VkPrimitiveTopology topology,
                      ModuleState& state);
/// The value of a constant from TGSI2SPV_SPEC_DEPTH_NEAR to TGSI2SPV_SPEC_OFFSET_UNIT.
uint32_t shader_depth_value(uint32_t id, const Bindings& context);

}  // namespace tgsi2spv::host
