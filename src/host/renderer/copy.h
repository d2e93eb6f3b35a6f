// Copies and blits between resources.
#pragma once

#include "renderer/host.h"

namespace tgsi2spv::host {

Problem copy_region(Host& host, const virgl::CopyRegion& command);
Problem blit(Host& host, const virgl::Blit& command);
Problem clear_texture(Host& host, const virgl::ClearTexture& command);

}  // namespace tgsi2spv::host
