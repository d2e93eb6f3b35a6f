// Shaders that an application leaves out: a TESS_CTRL, which Vulkan requires; and a GEOM for primitive state of gallium
// that Vulkan 1.1 does not have.
#pragma once

#include <memory_resource>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "tgsi/diagnostic.h"
#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::api {

/// The reason why such a text cannot be written; `position` is the place in the program's text.
tl::unexpected<tgsi::Diagnostic> refused(tgsi::Code code, uint32_t position, std::string message);

/// The text of a TESS_CTRL shader for patches of `vertices` vertices (1 to 32), to run before a TESS_EVAL shader. It
/// passes on everything that `evaluation` reads of each vertex; the levels are TESS_DEFAULT_OUTER_LEVEL and
/// TESS_DEFAULT_INNER_LEVEL (specialization constants of the resulting module). An error if `evaluation` is not a
/// TESS_EVAL shader or reads PATCH data, which nothing would have written.
tl::expected<std::pmr::string, tgsi::Diagnostic> passthrough_tess_ctrl(
    const tgsi::Program& evaluation, const tgsi::Registers& registers, uint32_t vertices,
    std::pmr::memory_resource* memory = std::pmr::get_default_resource());

/// The primitives of the draw, or those that TESS_EVAL produces.
enum class Topology : uint8_t { Points, Lines, LineStrip, Triangles, TriangleStrip, TriangleFan };
enum class PolygonMode : uint8_t { Fill, Line, Point };

struct PassthroughGeometry {
    Topology topology = Topology::Triangles;
    PolygonMode polygon_mode = PolygonMode::Fill;  ///< edges or corners; for independent triangles, by EDGEFLAG
    bool provoking_last = false;                   ///< !flatshade_first
    bool flat_shade = false;                       ///< lower::State::flat_shade, of FRAG
    bool line_stipple = false;  ///< lines and edges carry their length: TEXCOORD[lower::kStippleTexCoord]
};

/// The text of a GEOM shader to run after VERT or TESS_EVAL, linked with it. It passes on everything that `before`
/// writes of each vertex. Inputs that `fragment` (may be null) does not interpolate get the provoking vertex's values,
/// so Vulkan may take any emitted vertex as the provoking one. An error for outputs that GEOM cannot read.
tl::expected<std::pmr::string, tgsi::Diagnostic> passthrough_geometry(
    const tgsi::Program& before, const tgsi::Registers& registers, const tgsi::Program* fragment,
    const PassthroughGeometry& what, std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace tgsi2spv::api
