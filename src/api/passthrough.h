// Shaders that an application leaves out: a TESS_CTRL, which Vulkan wants; a GEOM that does to primitives what
// gallium's state says and Vulkan 1.1 cannot.
#pragma once

#include <memory_resource>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "tgsi/diagnostic.h"
#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::api {

/// What keeps such a text from being written: `position` is the place in the program's text.
tl::unexpected<tgsi::Diagnostic> refused(std::string_view code, uint32_t position, std::string message);

/// The text of a TESS_CTRL shader for patches of `vertices` vertices (1 to 32), to stand before a TESS_EVAL shader:
/// each vertex goes through with all that `evaluation` reads of it, and the levels are TESS_DEFAULT_OUTER_LEVEL and
/// TESS_DEFAULT_INNER_LEVEL (specialization constants of the module that it becomes). An error if `evaluation` is no
/// TESS_EVAL shader or reads PATCH data, which nothing would have written.
tl::expected<std::pmr::string, tgsi::Diagnostic> passthrough_tess_ctrl(
    const tgsi::Program& evaluation, const tgsi::Registers& registers, uint32_t vertices,
    std::pmr::memory_resource* memory = std::pmr::get_default_resource());

/// What is drawn, or what TESS_EVAL makes.
enum class Topology : uint8_t { Points, Lines, LineStrip, Triangles, TriangleStrip, TriangleFan };
enum class PolygonMode : uint8_t { Fill, Line, Point };

struct PassthroughGeometry {
    Topology topology = Topology::Triangles;
    PolygonMode polygon_mode = PolygonMode::Fill;  ///< edges or corners, those of independent triangles by EDGEFLAG
    bool provoking_last = false;                   ///< !flatshade_first
    bool flat_shade = false;                       ///< lower::State's, of FRAG
    bool line_stipple = false;  ///< lines and edges carry their length: TEXCOORD[lower::kStippleTexCoord]
};

/// The text of a GEOM shader to stand behind VERT or TESS_EVAL, linked with it: vertices go through with all that
/// `before` writes of them. What `fragment` (may be null) does not interpolate becomes that of the provoking vertex, so
/// that any vertex of what is emitted may be the one that Vulkan takes. An error for outputs that GEOM cannot read.
tl::expected<std::pmr::string, tgsi::Diagnostic> passthrough_geometry(
    const tgsi::Program& before, const tgsi::Registers& registers, const tgsi::Program* fragment,
    const PassthroughGeometry& what, std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace tgsi2spv::api
