// DRAW_VBO: from the bound state to one draw command.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

Problem draw(Host& host, SubContext& context, const virgl::Draw& command);

}  // namespace tgsi2spv::host
