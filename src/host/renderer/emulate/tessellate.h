// The fixed-function tessellator of emulated draws: levels of a patch to points of its domain and their primitives
// (OpenGL 4.6, "Tessellation Primitive Generation"). Where OpenGL leaves a choice, it is Direct3D 11's: points in
// fixed point, rings from the outside to the inside, and the order in which vertices split that keeps neighbours
// apart by one vertex.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tgsi2spv::host {

enum class Domain : uint8_t { Triangles, Quads, Isolines };
enum class Spacing : uint8_t { Equal, FractionalEven, FractionalOdd };

struct TessellationMode {
    Domain domain = Domain::Triangles;
    Spacing spacing = Spacing::Equal;
    bool points = false, clockwise = false;

    /// Corners of a primitive.
    uint32_t corners() const { return points ? 1 : domain == Domain::Isolines ? 2 : 3; }
};

struct TessellationLevels {
    std::array<float, 4> outer{};
    std::array<float, 2> inner{};
};

struct DomainPoint {
    float u = 0, v = 0, w = 0;
};

struct Tessellated {
    std::vector<DomainPoint> points{};
    std::vector<uint32_t> corners{};  ///< corners of all primitives, as numbers of points
};

/// The most that a patch has, with levels of 64: quads.
inline constexpr uint32_t kMostPatchPoints = 65 * 65, kMostPatchPrimitives = 64 * 64 * 2;

/// Replaces what `out` holds; nothing for a patch that is discarded.
void tessellate(const TessellationMode& mode, const TessellationLevels& levels, Tessellated& out);

}  // namespace tgsi2spv::host
