// DRAW_VBO, which goes one of several ways, and LAUNCH_GRID.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostRecorder;
struct HostEmulator;

Problem draw(HostEmulator& host, SubContext& context, const virgl::Draw& command);
Problem launch_grid(HostRecorder& host, SubContext& context, const virgl::LaunchGrid& command);

}  // namespace tgsi2spv::host
