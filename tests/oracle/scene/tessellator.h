// The tessellator: turns levels into places in the domain and primitives between them, by Vulkan's chapter
// "Tessellation".
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tgsi/tables/types.h"

namespace tgsi2spv::scene {

/// PIPE_TESS_SPACING.
enum class Spacing : uint8_t { FractionalOdd, FractionalEven, Equal };

struct Domain {
    tgsi::Primitive mode = tgsi::Primitive::Triangles;  ///< Triangles, Quads, Lines (isolines)
    Spacing spacing = Spacing::Equal;
    bool clockwise = false;  ///< in (u, v) with v pointing up, as OpenGL draws it
    bool points = false;     ///< point mode
};

struct Levels {
    std::array<float, 4> outer{1, 1, 1, 1};
    std::array<float, 2> inner{1, 1};
};
/// How many of the levels a domain uses.
uint32_t outer_levels(tgsi::Primitive mode);
uint32_t inner_levels(tgsi::Primitive mode);
/// maxTessellationGenerationLevel is at least 64; above that, every device has another number.
inline constexpr float kMaxLevel = 64;

/// The choices that the chapter leaves to devices. A picture that depends on it says nothing about a device: the tests
/// paint each scene with all of these choices and expect the same picture.
struct Freedom {
    /// "The relative location of these two segments is implementation-dependent": this far from the ends, or in the
    /// middle if the edge has less.
    uint32_t short_segment = 0;
    /// "the relative length […] will decrease monotonically with n − f": (1 − (n − f)/2) to this power.
    double decrease = 1;
    /// "The algorithm used to subdivide the rectangular domain […] into individual triangles is
    /// implementation-dependent", and so it is in the rings of a triangle: which of two vertices comes next.
    bool inner_first = false;
};

struct Tessellated {
    std::vector<std::array<float, 3>> places;       ///< TESSCOORD, each one once
    std::vector<std::vector<uint32_t>> primitives;  ///< of one, two or three places
};

/// No primitives if the patch is discarded.
Tessellated tessellate(const Domain& domain, const Levels& levels, const Freedom& freedom);

/// Where an edge with a given level is divided, from 0 to 1.
std::vector<double> divided(float level, Spacing spacing, const Freedom& freedom);

}  // namespace tgsi2spv::scene
