// Which pixels a primitive covers, and where in it they lie: Vulkan's chapter "Rasterization", with what it leaves to
// devices told apart.
#pragma once

#include <array>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "scene/stages.h"

namespace tgsi2spv::scene {

/// Devices round window coordinates to their sub-pixel grid, 4 bits at least (subPixelPrecisionBits): a vertex moves
/// by at most half a step each way, an edge by less than this many pixels. Vertices on that grid stay, and what they
/// cover is known but for centres on an edge.
inline constexpr double kEdgeMargin = 1.0 / 16;

/// Beside a pixel's centre a fragment is looked at as far away as vertices may have moved to each corner, so that all
/// that could come of it is seen. On the grid only interpolation's own rounding is left.
inline constexpr size_t kPlaces = 5;
inline constexpr double kExactPlace = 1.0 / 512;

/// One place in a primitive.
struct Place {
    std::array<double, 3> share{};  ///< of each vertex, in window space; sums to 1
    bool clipped = false;           ///< a clip distance is below 0 here
};

struct Fragment {
    uint32_t x = 0, y = 0;
    bool covered = false;  ///< a helper of its quad otherwise
    bool maybe = false;    ///< whether it is covered is the device's choice
    uint32_t steps = 0;    ///< lines along an axis: fragments between this one and the line's start
    std::array<Place, kPlaces> places;
};

struct Rastered {
    std::vector<Fragment> fragments;  ///< quads: (x,y) (x+1,y) (x,y+1) (x+1,y+1)
    std::array<double, 3> inverse_w{}, z{};
    bool back = false, point = false, line = false, polygon = false;
    bool along_axis = false;  ///< of a line
    double point_x = 0, point_y = 0, point_size = 1;
};

/// An error for what this reference has no rules for: vertices behind the eye.
tl::expected<Rastered, std::string> rasterize(const Scene& scene, const State& state, const Parsed& last,
                                              const Primitive& primitive);

}  // namespace tgsi2spv::scene
