// How fast the reference executes, beside a plain interpreter of the same shaders and inputs.
#pragma once

#include "corpus.h"

namespace tgsi2spv::bench {

/// `plain_interpreter`, `reference` (without bounds), `reference_bounds` over the 50 shaders of the corpus with the
/// most arithmetic among those that the interpreter knows. Counters: ns_per_lane_instruction of all together, and
/// mean_of_shaders, where each counts alike.
void register_reference(const Corpus& corpus);

}  // namespace tgsi2spv::bench
