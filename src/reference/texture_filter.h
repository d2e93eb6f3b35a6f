// Filtering, comparison and gathering at a place that is known up to an interval.
#pragma once

#include "reference/texture_cube.h"
#include "reference/texture_lod.h"

namespace tgsi2spv::reference {

/// What is read: one layer (or one face of one cube) of an image.
struct Access {
    const Image* image = nullptr;
    const SamplerState* sampler = nullptr;
    int dims = 2;  ///< axes that are addressed: 1 to 3; 2 on a cube's face
    bool cube = false;
    int layer = 0;  ///< cubes: the first face's
    int face = 0;
    bool in_texels = false;  ///< coordinates are texels already
    bool compare = false;
    Value reference;  ///< limited to [0,1] where the format asks for it
    uint32_t sub_texel_bits = 4;
    bool border_is_undefined = false;  ///< the device does not say what the border is, in any channel
    bool plain_only = false;           ///< no bounds: intervals are points at `plain`
};

/// A place: normalised (or texel) coordinates and whole offsets.
struct Place {
    Real coord[3];
    Real offset[3];  ///< whole numbers
};

/// Answers collected over the choices a device has; `plain` is that of the plainest choice, given first.
struct Answers {
    Hull hull[4];
    std::array<uint32_t, 4> plain{};
    bool any = false;
    void add(const Texel& t);
    void add_unknown();
    Texel finish() const;
};

/// Comparisons give 0.0 or 1.0 in all channels but w, which is 1.
Texel sample_nearest(const Access& a, int level, const Place& p);
Texel sample_linear(const Access& a, int level, const Place& p);
/// With the sampler's filters, between levels as `lod` asks.
Texel sample_filtered(const Access& a, const Place& p, const Lod& lod);
/// Channel `c` of the texels at (i0,j1) (i1,j1) (i1,j0) (i0,j0) of level 0 in x y z w; `ptp`: in `result` k only, the
/// texel (i0,j0) at offset k.
Texel gather(const Access& a, const Place& p, int c);
Value gather_one(const Access& a, const Place& p, int c);

}  // namespace tgsi2spv::reference
