// Facts that follow from the stage alone: arrays over vertices, streams, the properties that become execution modes.
#pragma once

#include <cstdint>
#include <optional>

#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::tgsi {

/// Maximum number of vertices in a patch in Vulkan; IN[v][i] of TESS_* is an array of this length.
inline constexpr uint32_t kMaxPatchVertices = 32;

/// Devices offer at least 256 and 32, none more than these.
inline constexpr uint32_t kMaxGeometryVertices = 1024;
inline constexpr uint32_t kMaxGeometryInvocations = 127;

/// Vertices of an input primitive of GEOM; 0 for a primitive that GEOM does not accept.
uint32_t vertices_of(Primitive primitive);
/// The length of the array over vertices that IN[v][i] indexes: for GEOM by its input primitive, for TESS_* the
/// maximum; 0 if the stage has none, and for primitives that no geometry shader accepts.
uint32_t input_vertices(const Program& program);
/// TESS_CTRL: the length of OUT[v][i]; else 0.
uint32_t output_vertices(const Program& program);
/// Whether registers of this file may have an array over vertices.
constexpr bool has_vertices(Stage stage, File file) {
    if (file == File::Input) return stage == Stage::Geometry || stage == Stage::TessControl || stage == Stage::TessEval;
    return file == File::Output && stage == Stage::TessControl;
}
/// Whether every vertex has its own copy of the register. PRIM_ID belongs to the primitive, even if it is declared with
/// `[]`.
bool is_per_vertex(const Program& program, const Registers& registers, File file, int32_t index);

/// The components of OUT[index] that exist: all of them, except in TESS_CTRL, which can read its outputs. There a
/// component that the declaration leaves out, or that the semantic lacks, reads 0 and drops writes.
uint8_t output_components(const Program& program, const Registers& registers, int32_t index);

/// Old compute text consists of pieces that return, without END (tgsi-text: Forms that surprise).
bool may_lack_end(const Program& program);

/// The stream of EMIT or ENDPRIM, 0 if none is written; empty if it is not an immediate or there is no such stream.
std::optional<uint32_t> stream_of(const Program& program, const Instruction& instruction);
/// GEOM: GS_MAX_OUTPUT_VERTICES; where it is absent, 32 as in Mesa (draw_gs.c), whose own tools leave it out.
uint32_t most_emitted_vertices(const Program& program);
/// GS_INVOCATIONS, at least 1.
uint32_t invocations(const Program& program);

}  // namespace tgsi2spv::tgsi
