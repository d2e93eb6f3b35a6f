// Layers and viewports that the stages of an emulated draw select, on devices where no other stage can, or with one
// viewport: a pass for each.
#pragma once

#include "renderer/draw/draw.h"

namespace tgsi2spv::host {

struct Host;

/// The last draw of records that `source` wrote, in as many passes as it takes. False: no memory, or a refusal.
bool draw_layers(Host& host, SubContext& context, const Shader& source, const OwnDraw& own);

}  // namespace tgsi2spv::host
