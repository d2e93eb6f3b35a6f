// Levels of detail. Vulkan, "Scale Factor Operation", "Image Level(s) Selection".
#pragma once

#include <cstddef>
#include <span>

#include "reference/case/options.h"
#include "reference/textures/lane.h"
#include "reference/textures/real.h"
#include "reference/textures/texel.h"

namespace tgsi2spv::reference {

/// The coordinates of a lane, divided if the message says so. False: not known.
bool coordinates_of(const sampling::Message& message, const TextureLane& lane, Real (&c)[3]);

struct Lod {
    bool known = false;
    Real computed;  ///< level with the biases, before the sampler's limits (lambda prime)
    Real limited;   ///< level after the limits (lambda)
};

/// The level of lanes[at]. Implicit derivatives come from the quad of the lane.
Lod lod_of(const sampling::Message& message, std::span<const TextureLane> lanes, size_t at, const Image& image,
           const SamplerState& sampler, const Options& options);

/// The continuous level number that `lod` means among `levels` levels: clamp(lod, 0, levels - 1).
double clamp_level(double lod, int levels);
/// The whole level that a level number rounds to; for ties `up` decides.
int nearest_level(double d, bool up);

}  // namespace tgsi2spv::reference
