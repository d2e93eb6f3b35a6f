// Copies and blits between resources.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostRecorder;

Problem copy_region(HostRecorder& host, const virgl::CopyRegion& command);
Problem blit(HostRecorder& host, const virgl::Blit& command);
Problem clear_texture(HostRecorder& host, const virgl::ClearTexture& command);
/// Blits that Vulkan's own command does not do (blit_draw.cpp): scissor, mirrored parts, swizzles, samples, depth. Each
/// layer is a draw. The boxes are inside their levels.
Problem blit_by_drawing(HostRecorder& host, const virgl::Blit& command, const Resource& dst, const Resource& src);

}  // namespace tgsi2spv::host
