// Filtering, comparison and gathering at a position that is known up to an interval.
#pragma once

#include "reference/texture_cube.h"
#include "reference/texture_lod.h"

namespace tgsi2spv::reference {

/// The layer (or the face of a cube) of an image that is read.
struct SampledLayer {
    const Image* image = nullptr;
    const SamplerState* sampler = nullptr;
    int dims = 2;  ///< axes that are addressed: 1 to 3; 2 on a cube's face
    bool cube = false;
    int layer = 0;  ///< cubes: the layer of the first face
    int face = 0;
    bool in_texels = false;  ///< coordinates are already in texels
    bool compare = false;
    Value reference;  ///< limited to [0,1] if the format asks for it
    uint32_t sub_texel_bits = 4;
    bool rounding_filters = false;
    bool border_is_undefined = false;  ///< Vulkan defines no channel of the border
    bool nominal_only = false;         ///< no bounds: intervals are points at `nominal`
};

/// A position: normalised (or texel) coordinates and whole offsets.
struct TexturePosition {
    Real coord[3];
    Real offset[3];  ///< whole numbers
};

/// Answers collected over the choices that a device has; `nominal` is the answer of the nominal choice, which is added
/// first.
struct Answers {
    Hull hull[4];
    std::array<uint32_t, 4> nominal{};
    bool any = false;
    void add(const Texel& t);
    void add_unknown();
    Texel finish() const;
};

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
