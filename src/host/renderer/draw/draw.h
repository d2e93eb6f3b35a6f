// DRAW_VBO: which way a draw goes.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

Problem draw(Host& host, SubContext& context, const virgl::Draw& command);

}  // namespace tgsi2spv::host
