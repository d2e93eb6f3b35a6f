// Random scenes, as JSON: a topology, texts for VERT, FRAG and perhaps GEOM that have some semantics in common, and any
// number of states at once.
#pragma once

#include <cstdint>
#include <string>

namespace tgsi2spv::test {

/// The same seed always gives the same scene.
std::string generated_scene(uint32_t seed);

}  // namespace tgsi2spv::test
