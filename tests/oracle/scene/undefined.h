// Inputs that a FRAG shader reads although nothing defines them: such fragments are not compared.
#pragma once

#include "scene/raster.h"
#include "scene/scene.h"
#include "scene/stages.h"

namespace tgsi2spv::scene {

/// Whether some input of FRAG that it uses has no defined value in this primitive: a component that the stage before
/// never writes, a clip distance beyond those that exist, PCOORD of no point, or the value of a tessellated primitive's
/// provoking vertex, of which Vulkan does not say which one it is ("Tessellator": the order of vertices).
bool reads_undefined(const Scene& scene, const Parsed& last, const Parsed& fragment, const Primitive& primitive,
                     const Rastered& rastered);

}  // namespace tgsi2spv::scene
