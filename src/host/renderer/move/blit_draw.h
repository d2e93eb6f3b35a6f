// Blits that Vulkan's own command does not do: scissor, mirrored parts, swizzles, samples, depth. Each layer is a draw.
#pragma once

#include "renderer/state/problem.h"
#include "virgl/commands.h"

namespace tgsi2spv::host {

struct HostRecorder;
struct Resource;

/// The boxes are inside their levels.
Problem blit_by_drawing(HostRecorder& host, const virgl::Blit& command, const Resource& dst, const Resource& src);

}  // namespace tgsi2spv::host
