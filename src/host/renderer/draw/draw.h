// DRAW_VBO, which goes one of several ways (ways.h), and LAUNCH_GRID.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostRecorder;
struct HostDrawer;

Problem draw(HostDrawer& host, SubContext& context, const virgl::Draw& command);
Problem launch_grid(HostRecorder& host, SubContext& context, const virgl::LaunchGrid& command);

}  // namespace tgsi2spv::host
