// Compute shaders: dispatches.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostRecorder;

Problem launch_grid(HostRecorder& host, SubContext& context, const virgl::LaunchGrid& command);

}  // namespace tgsi2spv::host
