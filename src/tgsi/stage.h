// What follows from the stage alone: arrays over vertices, streams, the properties that become execution modes.
#pragma once

#include <cstdint>
#include <optional>

#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::tgsi {

/// Vertices of a patch that Vulkan takes at most; IN[v][i] of TESS_* is an array of as many.
inline constexpr uint32_t kMostPatchVertices = 32;

/// Devices offer 256 and 32 at least, none more than these.
inline constexpr uint32_t kMostGeometryVertices = 1024;
inline constexpr uint32_t kMostGeometryInvocations = 127;

/// Vertices of an input primitive of GEOM; 0 for one that it does not take.
uint32_t vertices_of(Primitive primitive);
/// The length of the array over vertices that IN[v][i] indexes: GEOM by its input primitive, TESS_* the most that
/// there may be; 0 where a stage has none, and for primitives that no geometry shader takes.
uint32_t input_vertices(const Program& program);
/// TESS_CTRL: the length of OUT[v][i]; else 0.
uint32_t output_vertices(const Program& program);
/// Registers of this file may have an array over vertices in front.
constexpr bool has_vertices(Stage stage, File file) {
    if (file == File::Input) return stage == Stage::Geometry || stage == Stage::TessControl || stage == Stage::TessEval;
    return file == File::Output && stage == Stage::TessControl;
}
/// The register is one of every vertex. PRIM_ID is one of the primitive, even where it is declared with `[]`.
bool is_per_vertex(const Program& program, const Registers& registers, File file, int32_t index);

/// Old compute text is pieces that return, without END (tgsi-text: Forms that surprise).
bool may_lack_end(const Program& program);

/// The stream of EMIT or ENDPRIM, 0 where none is written; none if it is no immediate or there is no such stream.
std::optional<uint32_t> stream_of(const Program& program, const Instruction& instruction);
/// GS_INVOCATIONS, at least 1.
uint32_t invocations(const Program& program);

}  // namespace tgsi2spv::tgsi
