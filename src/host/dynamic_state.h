// Gallium's state as Vulkan's dynamic state.
#pragma once

#include "host/host.h"

namespace tgsi2spv::host {

/// Records what has changed since the last draw into the command buffer.
void record_state(Host& host, const SubContext& context, const LinkedProgram& program, VkPrimitiveTopology topology);

}  // namespace tgsi2spv::host
