// Surfaces: views of textures that are drawn to.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;

/// The view of the surface's layers; null: no memory.
void make_view(HostState& host, Surface& surface);
Problem make_surface(HostState& host, const virgl::CreateSurface& command, Surface& surface);

}  // namespace tgsi2spv::host
