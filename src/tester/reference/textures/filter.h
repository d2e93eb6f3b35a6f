// Filtering, comparison and gathering at a position that is known up to an interval.
#pragma once

#include "reference/textures/layer.h"
#include "reference/textures/lod.h"

namespace tgsi2spv::reference {

/// Comparisons give 0.0 or 1.0 in all channels except w, which is 1.
Texel sample_nearest(const SampledLayer& layer, int level, const TexturePosition& position);
Texel sample_linear(const SampledLayer& layer, int level, const TexturePosition& position);
/// Uses the sampler's filters, and filters between levels as `lod` requires.
Texel sample_filtered(const SampledLayer& layer, const TexturePosition& position, const Lod& lod);
/// Channel `c` of the texels at (i0,j1) (i1,j1) (i1,j0) (i0,j0) of level 0, in x y z w.
Texel gather(const SampledLayer& layer, const TexturePosition& position, int c);
/// Channel `c` of the texel at (i0,j0) of level 0: for gathers with an offset for each texel.
Value gather_one(const SampledLayer& layer, const TexturePosition& position, int c);

}  // namespace tgsi2spv::reference
