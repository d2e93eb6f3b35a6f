// Cube maps: which face a direction hits, where it hits it, and the texels beyond the edge of a face.
#pragma once

#include "reference/textures/real.h"
#include "reference/textures/texel.h"

namespace tgsi2spv::reference {

/// A face that a direction may hit, with normalised coordinates on it.
struct FaceHit {
    int face = 0;  ///< +X -X +Y -Y +Z -Z
    Real s, t;
};
struct FaceHits {
    int count = 0;  ///< the nominal one first; 0: not known (a direction of length zero, or one that is too uncertain)
    FaceHit hit[6];
};
/// Vulkan, "Cube Map Face Selection": ties may go to any of the faces.
FaceHits face_hits(const Real (&direction)[3], bool nominal_only);

/// The signs and axes of a face: sc = sign_s * r[axis_s], tc = sign_t * r[axis_t], rc along `axis_m`.
struct Face {
    int axis_s, sign_s, axis_t, sign_t, axis_m, sign_m;
};
const Face& face_of(int face);

/// The texel at (x, y) of a face. Beyond an edge of the face it is the neighbour's texel; beyond a corner it is any mix
/// of the three texels that meet there (Vulkan, "Cube Map Edge Handling"). `first_layer` is the cube's +X.
Texel cube_texel(const Image& image, int level, int first_layer, int face, int64_t x, int64_t y);

}  // namespace tgsi2spv::reference
