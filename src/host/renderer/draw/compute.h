// Compute shaders: dispatches.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

Problem launch_grid(Host& host, SubContext& context, const virgl::LaunchGrid& command);

}  // namespace tgsi2spv::host
