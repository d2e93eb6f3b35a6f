// Compute shaders: dispatches.
#pragma once

#include "renderer/host.h"

namespace tgsi2spv::host {

Problem launch_grid(Host& host, SubContext& context, const virgl::LaunchGrid& command);

}  // namespace tgsi2spv::host
