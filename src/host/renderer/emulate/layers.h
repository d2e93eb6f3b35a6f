// Layers and viewports that the stages of an emulated draw select, on devices where no other stage can, or with one
// viewport: a pass for each.
#pragma once

#include "renderer/record/record.h"

namespace tgsi2spv::host {

struct HostEmulator;

/// The last draw of records that `source` wrote, in as many passes as it takes. False: no memory, or a refusal.
bool draw_layers(HostEmulator& host, const Shader& source, const DrawInputs& d);

}  // namespace tgsi2spv::host
