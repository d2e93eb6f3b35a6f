// DRAW_VBO: from what is bound to one draw command.
#pragma once

#include "renderer/host.h"

namespace tgsi2spv::host {

Problem draw(Host& host, SubContext& context, const virgl::Draw& command);

}  // namespace tgsi2spv::host
