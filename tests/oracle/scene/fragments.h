// FRAG, executed by the reference over the fragments of a primitive, and gallium's changes to its colours afterwards.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "scene/raster.h"
#include "scene/render.h"

namespace tgsi2spv::scene {

/// The possible outcomes of a fragment, over all the places where the device may evaluate it.
struct Outcome {
    bool happens = false;  ///< it may be drawn
    bool surely = false;   ///< it is drawn
    bool unknown = false;  ///< its colour may be any
    Color color{}, second{};
};

/// One for each of `rastered.fragments`.
tl::expected<std::vector<Outcome>, std::string> shade(const Scene& scene, const State& state, const Parsed& last,
                                                      const Parsed& fragment, const Primitive& primitive,
                                                      const Rastered& rastered);

}  // namespace tgsi2spv::scene
