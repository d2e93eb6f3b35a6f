// The interface of `io=buffers`: stage inputs and outputs as storage-buffer words. The harness, the other side of this
// contract, reads the same numbers from reflection.
//
// IoBuffer 0 holds inputs: word ((lane * input_slots) + slot) * 4 + component.
//   Let N = highest declared IN + 1 and V = the number of vertices that a lane reads (1; GEOM: those of its input
//   primitive; TESS_CTRL, TESS_EVAL: 32). Slot v*N + i is IN[v][i]; a register with one bracket (PATCH data, GEOM's
//   PRIM_ID) is slot i. After these V*N slots comes one slot for each SV register that
//   Options::buffered_system_values names, in the order of declared index.
// IoBuffer 1 holds outputs: word ((record * output_slots) + slot) * 4 + component, with M = highest declared OUT + 1.
//   A component that no path writes is not stored; one that some path writes is stored at every exit.
//   VERT, TESS_EVAL   a record is a lane; slots 0..M-1 are OUT[0]..OUT[M-1].
//   FRAG   the same, plus slot M: its component x is 1 if the lane was not killed. It is written at every exit; stores
//          of helper lanes do not happen, so for them it keeps the value that the caller initialised it with.
//   TESS_CTRL   a record is a patch of TCS_VERTICES_OUT * M slots: slot v*M + i is OUT[v][i], slot i is OUT[i]. Each
//          access loads or stores them; they are never initialised.
//   GEOM   a record is a vertex. Vertex k of invocation j of a lane is record
//          (lane * GS_INVOCATIONS + j) * GS_MAX_OUTPUT_VERTICES + k, in the order of EMIT; slots 0..M-1 are OUT; slot M
//          is (1 + stream, number of the primitive in its stream and invocation, -, -). The caller initialises slot M's
//          x to 0, and it stays 0 if there is no vertex. The rasterizer gets nothing.
// IoBuffer 2 holds parameters: word 0 is the first vertex; word 1 the width of the framebuffer in pixels (even); word 2
//   the number of lanes (lanes at or above it read the slot data of lane 0 and store nothing); word 3 the height;
//   word 4 zero (Workarounds::opaque_immediates). GEOM, TESS_CTRL and TESS_EVAL read only words 2 and 4.
//
// The lane of VERT is gl_VertexIndex (minus word 0). The lane of FRAG at pixel (x, y) is
//   ((y / 2) * (width / 2) + x / 2) * 4 + (y & 1) * 2 + (x & 1): quads are real quads.
// The lane of GEOM, TESS_CTRL and TESS_EVAL is gl_PrimitiveID. The caller draws that many primitives or patches.
//   TESS_EVAL: one vertex of each patch does the work, the others return at once. It is the vertex at (1, 0, 0) of
//   triangles, and at (0, 0) of quads and isolines; every patch whose levels are above 0 has it.
// TESS_CTRL first sets the outer levels to 0, so that its patches are dropped. These are the builtins: the levels that
//   the shader writes go to the buffer.
// COMP has no inputs and outputs, and reads only word 4 of the parameters.
#pragma once

#include <cstdint>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// The number of words in a record.
uint32_t record_words(const Context& context);
/// Makes the buffers.
void prepare_io_buffers(Context& context);
/// Word `component` of this lane's input slot `slot` (a u32 value).
ir::Value load_io_word(Context& context, ir::Value slot, int component);
/// Returns from the function unless `stay` holds.
void return_unless(Context& context, ir::Value stay);

/// At an exit of main.
void store_io_outputs(Context& context);
/// Stores the OUT registers to the record at word `base`: the components that some path writes and that the stream has.
void store_io_record(Context& context, ir::Value base, uint32_t stream);
/// TESS_CTRL: word `component` of this patch's output slot `slot`.
ir::Value load_io_output(Context& context, ir::Value slot, int component);
void store_io_output(Context& context, ir::Value slot, int component, ir::Value value);
/// GEOM: vertex number `vertex` of this invocation, with its stream and primitive.
void store_io_vertex(Context& context, ir::Value vertex, uint32_t stream, ir::Value primitive);

}  // namespace tgsi2spv::lower
