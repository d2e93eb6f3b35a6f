// Operations without a filter: texels by integer coordinate, and queries of sizes, levels and samples.
#pragma once

#include "reference/case/options.h"
#include "reference/textures/lane.h"
#include "reference/textures/texel.h"

namespace tgsi2spv::reference {

/// Fetch: TXF, TXF_LZ, SAMPLE_I, SAMPLE_I_MS. The result has passed the view's swizzle.
Texel fetch(const sampling::Message& message, const TextureLane& lane, const Image& image, bool nominal_only);

/// Query, except of a level of detail. `image` is nullptr for the render target. The result has passed all swizzles but
/// the message's.
Texel query(const sampling::Message& message, const TextureLane& lane, const Image* image, const Options& options);

}  // namespace tgsi2spv::reference
