// How fast the reference is, compared with a plain interpreter on the same shaders and inputs.
#pragma once

#include "corpus.h"

namespace tgsi2spv::bench {

/// `plain_interpreter`, `reference` (without bounds) and `reference_bounds`, over the 50 shaders of the corpus with the
/// most arithmetic among those that the interpreter supports. Counters: ns_per_lane_instruction over all together, and
/// mean_of_shaders, in which each shader counts the same.
void register_reference(const Corpus& corpus);

}  // namespace tgsi2spv::bench
