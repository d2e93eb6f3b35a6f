// DRAW_VBO: which way a draw goes.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostEmulator;

Problem draw(HostEmulator& host, SubContext& context, const virgl::Draw& command);

}  // namespace tgsi2spv::host
