// Copies and blits between resources.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

Problem copy_region(Host& host, const virgl::CopyRegion& command);
Problem blit(Host& host, const virgl::Blit& command);
Problem clear_texture(Host& host, const virgl::ClearTexture& command);

}  // namespace tgsi2spv::host
