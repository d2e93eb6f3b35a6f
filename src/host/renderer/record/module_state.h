// The state that changes modules, from bindings.
#pragma once

#include "renderer/record/linked_program.h"
#include "renderer/state/state.h"
#include "vk/device.h"

namespace tgsi2spv::host {

/// The stage whose outputs are captured.
const Shader& last_vertex_stage(const Bindings& context);
/// The state of a draw by the bound stages.
ModuleState module_state(const vk::Device& device, const Bindings& context, VkPrimitiveTopology topology,
                         uint32_t patch_vertices);
/// The value of a constant from TGSI2SPV_SPEC_DEPTH_NEAR to TGSI2SPV_SPEC_OFFSET_UNIT, where FRAG clamps depths.
uint32_t shader_depth_value(uint32_t id, const Bindings& context);

}  // namespace tgsi2spv::host
