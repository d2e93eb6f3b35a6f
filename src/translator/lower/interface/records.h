// Options::records: the outputs of VERT, TESS_CTRL, TESS_EVAL and GEOM in storage buffers, and these stages as compute
// shaders, to draw on a device without these stages or transform feedback. The buffers and OUT's and IN's slots are
// those of `io=buffers` (io_buffers.h), with these differences:
//
// VERT's entry point is GLCompute, in groups of kRecordGroup. Invocation n is vertex n % (word 7) of buffer 3, of
//   instance n / (word 7); both count from the first vertex and the first instance of the draw. Its attributes are
//   in buffer 0, as numbers of 32 bits: IN[r] from word n * (word 9) + v * (word 10) + (bits 0 to 23 of word 11 + r)
//   on, where the upper 8 bits of word 11 + r say how many components are there (not 0). Vertex v of instance i is
//   record i * (word 3) + v of buffer 1. Its slots are the OUT registers; if VERT is linked with a TESS_CTRL or GEOM
//   that has the option, too, they are the IN registers of that stage, each with what VERT writes for its semantic, and
//   (0, 0, 0, 1) in components that VERT does not write.
// TESS_CTRL's entry point is GLCompute. A group, of TCS_VERTICES_OUT invocations, is patch row * W + group. Buffer 0 is
//   VERT's buffer 1, buffer 3 is as for GEOM, with word 5 as the vertices of a patch. Buffer 1 is as io_buffers.h says.
// TESS_EVAL's entry point is GLCompute, in groups of kRecordGroup. Invocation n is point n: words 4n to 4n + 2 of
//   buffer 3 are its TESSCOORD, word 4n + 3 is the number of its patch. Buffer 0 is TESS_CTRL's buffer 1, with word 5
//   as the vertices of a patch. If the two are linked, it reads there what has the semantics of its inputs and of the
//   levels; else the slots of a vertex are its own IN registers, and the levels read 0. Buffer 1 is VERT's, with point
//   n as record n.
// GEOM's entry point is GLCompute, in groups of kRecordGroup. Invocation n is number n % GS_INVOCATIONS of primitive
//   n / GS_INVOCATIONS; with W the number of groups in a row, n = (row * W + group) * kRecordGroup + place in the
//   group. Buffer 0 is VERT's buffer 1. Buffer 3 has, for primitive p of an instance and its vertex v, the number of
//   the record in that instance: word p * (vertices of the input primitive) + v. Primitives of an instance follow one
//   another. Buffer 1 is as io_buffers.h says, but is not cleared: after the last vertex of an invocation that has
//   emitted fewer than GS_MAX_OUTPUT_VERTICES, the marker's x is 0.
// Buffer 2 holds parameters: word 0 is the first vertex, or the first primitive's number (PRIMID); word 1 the first
//   instance, or the primitives of an instance; word 2 the number of VERT's invocations, of primitives, patches or
//   points; word 3 the records of an instance; for VERT, word 5 is the base vertex, word 6 the base instance, word 7
//   the vertices of an instance and word 8 the draw, as system values. Invocations beyond word 2 do nothing.
#pragma once

#include <cstdint>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

inline constexpr uint32_t kRecordGroup = 64;

/// Whether this stage can have the option; adds an error if not.
bool check_records(Context& context);
/// The slots of a record that the stage writes.
uint32_t record_slots(const Context& context);

/// At the start of each function: the place of the invocation, instead of what enter_io_buffers() does.
void enter_records(Context& context);
/// At an exit of main: a vertex's record, or the end of what GEOM has emitted.
void store_records(Context& context);

}  // namespace tgsi2spv::lower
