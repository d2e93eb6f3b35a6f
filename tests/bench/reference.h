// Compares the speed of the reference with that of a plain interpreter on the same shaders and inputs.
#pragma once

#include "corpus.h"

namespace tgsi2spv::bench {

/// Registers `plain_interpreter`, `reference` (without bounds) and `reference_bounds`, which run the 50 shaders of the
/// corpus with the most arithmetic among those that the interpreter supports. Counters: ns_per_lane_instruction over
/// all shaders together, and mean_of_shaders, in which each shader has the same weight.
void register_reference(const Corpus& corpus);

}  // namespace tgsi2spv::bench
