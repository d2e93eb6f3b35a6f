// Options::records: VERT's and GEOM's outputs in storage buffers, and GEOM as a compute shader, for whoever draws on a
// device without geometry shaders or transform feedback. The buffers and OUT's and IN's slots are those of `io=buffers`
// (io_buffers.h), with these differences:
//
// VERT stays a vertex shader, fetches its attributes and has no buffer 0. It writes PointSize, as drawing points wants,
//   and nothing else for the rasterizer, which should discard. A record of buffer 1 is a vertex: vertex v of
//   instance i is record i * (word 3) + v, counted from the first vertex and the first instance of the draw. Its slots
//   are the OUT registers; if VERT is linked with a GEOM that has the option, too, they are the IN registers of that
//   GEOM, each with what VERT writes for its semantic, and (0, 0, 0, 1) in components that VERT does not write.
// GEOM's entry point is GLCompute, in groups of kRecordGroup. Invocation n is number n % GS_INVOCATIONS of the
// primitive
//   n / GS_INVOCATIONS; with W the number of groups in a row, n = (row * W + group) * kRecordGroup + place in the
//   group. Buffer 0 is VERT's buffer 1. Buffer 3 has, for primitive p of an instance and its vertex v, the number of
//   the record in that instance: word p * (vertices of the input primitive) + v. Primitives of an instance follow one
//   another. Buffer 1 is as io_buffers.h says, but nobody clears it: after the last vertex of an invocation that has
//   emitted fewer than GS_MAX_OUTPUT_VERTICES, the marker's x is 0.
// Buffer 2 holds parameters: word 0 is the first vertex, or the number of the first primitive (PRIMID); word 1 the
// first
//   instance, or the primitives of an instance; word 2 the number of records, or of primitives; word 3 the records of
//   an instance; for VERT, word 5 the base vertex and word 6 the base instance, as system values. Invocations of VERT
//   and GEOM beyond words 2 and 3 do nothing.
#pragma once

#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

inline constexpr uint32_t kRecordGroup = 64;

/// Whether this stage can have the option; adds an error if not.
bool check_records(Walk& walk);
/// Whether the stage's own inputs are as ever: VERT.
inline bool fetches_attributes(const Walk& walk) {
    return walk.options.records && walk.program.stage == tgsi::Stage::Vertex;
}
/// The slots of a record that the stage writes.
uint32_t record_slots(const Walk& walk);

/// At the start of each function: the place of the invocation, instead of what enter_io_buffers() does.
void enter_records(Walk& walk);
/// GEOM: word `component` of IN[vertex][reg].
ir::Value load_record_word(Walk& walk, ir::Value vertex, ir::Value reg, int component);
/// At an exit of main: VERT's record, or the end of what GEOM has emitted.
void store_records(Walk& walk);

}  // namespace tgsi2spv::lower
