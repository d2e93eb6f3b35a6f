// The state that changes modules, from bindings.
#pragma once

#include "gpu/device.h"
#include "renderer/record/program.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

/// The stage whose outputs are captured.
const Shader& last_vertex_stage(const Bindings& context);
/// Of a draw by the bound stages.
ModuleState module_state(const gpu::Device& device, const Bindings& context, VkPrimitiveTopology topology,
                         uint32_t patch_vertices);

}  // namespace tgsi2spv::host
