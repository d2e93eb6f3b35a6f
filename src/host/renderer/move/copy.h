// Copies and blits between resources.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostRecorder;

Problem copy_region(HostRecorder& host, const virgl::CopyRegion& command);
Problem blit(HostRecorder& host, const virgl::Blit& command);
Problem clear_texture(HostRecorder& host, const virgl::ClearTexture& command);

}  // namespace tgsi2spv::host
