// Gallium's state as Vulkan's dynamic state.
#pragma once

#include "host/host.h"

namespace tgsi2spv::host {

/// Brings Host::Recorded::optional up to date, which pipelines are chosen by.
void update_optional_state(Host& host, const SubContext& context, const LinkedProgram& program,
                           VkPrimitiveTopology topology);
/// Records what has changed since the last draw into the command buffer.
void record_state(Host& host, const SubContext& context, VkPrimitiveTopology topology);

}  // namespace tgsi2spv::host
