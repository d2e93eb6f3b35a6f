// A place in a texture that a filter reads: the layer or face, and the coordinates there.
#pragma once

#include "reference/case/inputs.h"
#include "reference/textures/real.h"
#include "reference/textures/texel.h"

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

}  // namespace tgsi2spv::reference
