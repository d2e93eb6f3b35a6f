// Copies and blits between resources.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct BlitPipelines;
struct HostRecorder;

Problem copy_region(HostRecorder& host, const virgl::CopyRegion& command);
Problem blit(HostRecorder& host, BlitPipelines& pipelines, const virgl::Blit& command);
Problem clear_texture(HostRecorder& host, BlitPipelines& pipelines, const virgl::ClearTexture& command);

}  // namespace tgsi2spv::host
