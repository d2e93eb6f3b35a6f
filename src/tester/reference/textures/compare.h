// The depth comparison of one texel (Vulkan, "Depth Compare Operation").
#pragma once

#include "reference/textures/layer.h"

namespace tgsi2spv::reference {

/// Dref op D of one texel. A normalised depth may be compared in its own steps: half a step is unspecified, but a
/// reference that equals the texel's own number is equal to it on every device.
Value compared(const SampledLayer& sampled, const Value& depth);

}  // namespace tgsi2spv::reference
