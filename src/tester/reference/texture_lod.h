// Levels of detail. Vulkan, "Scale Factor Operation", "Image Level(s) Selection".
#pragma once

#include "reference/texture_cube.h"
#include "reference/texture_sample.h"

namespace tgsi2spv::reference {

/// A coordinate or level as an interval of reals. False: not known, or not finite.
bool real_of(const Value& v, Real& r);

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
