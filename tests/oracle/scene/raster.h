// Which pixels a primitive covers, and where in the primitive they lie, by Vulkan's chapter "Rasterization"; the
// freedom of devices is kept apart.
#pragma once

#include <array>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "scene/stages.h"

namespace tgsi2spv::scene {

/// Devices round window coordinates to their sub-pixel grid of at least 4 bits (subPixelPrecisionBits): a vertex moves
/// by at most half a step in each direction, an edge by less than this many pixels. Vertices on that grid stay, and
/// their coverage is known, except for centres on an edge.
inline constexpr double kEdgeMargin = 1.0 / 16;

/// Besides the pixel's centre, a fragment is evaluated as far away as vertices may have moved, towards each corner, so
/// that everything that could come of it is seen. On the grid only the rounding of interpolation itself remains.
inline constexpr size_t kPlaces = 5;
inline constexpr double kExactPlace = 1.0 / 512;
/// The directions of the places from the centre, in window x and y.
inline constexpr std::array<std::array<int, 2>, kPlaces> kDirections{{{0, 0}, {1, -1}, {-1, -1}, {1, 1}, {-1, 1}}};

/// One place in a primitive.
struct PrimitivePoint {
    std::array<double, 3> share{};  ///< of each vertex, in window space; sums to 1
    bool clipped = false;           ///< a clip distance is below 0 here
};

struct Fragment {
    uint32_t x = 0, y = 0;
    bool covered = false;  ///< if not: a helper of its quad
    bool maybe = false;    ///< whether it is covered is the device's choice
    std::array<PrimitivePoint, kPlaces> places;
};

struct Rastered {
    std::vector<Fragment> fragments;  ///< quads: (x,y) (x+1,y) (x,y+1) (x+1,y+1)
    double reach = 0;                 ///< the distance of the places from the centre, along each axis
    std::array<double, 3> inverse_w{}, z{};
    bool back = false, point = false, polygon = false;
    std::array<double, 3> share_x{}, share_y{};  ///< of polygons: how the shares change by a pixel
    double point_x = 0, point_y = 0, point_size = 1;
};

/// How many of the values that CLIPDIST and CULLDIST hold are clip and cull distances (semantics: "CLIPDIST[0..1] hold
/// NUM_CLIPDIST clip values, then NUM_CULLDIST cull values"). Without either property each counts as its name.
struct DistanceCounts {
    uint32_t clip = 8, cull = 8;
    bool culls_in_clip = false;  ///< cull values follow the clip values in CLIPDIST
};

DistanceCounts counts_of(const Parsed& last);

/// An error for cases that this reference has no rules for: vertices behind the viewer.
tl::expected<Rastered, std::string> rasterize(const Scene& scene, const State& state, const Parsed& last,
                                              const Primitive& primitive);

}  // namespace tgsi2spv::scene
