// The form of `io=buffers`: stage inputs and outputs as storage-buffer words. The harness's side of this contract
// reads the same numbers from reflection.
//
// IoBuffer 0 holds inputs: word ((lane * input_slots) + slot) * 4 + component.
//   With N = highest declared IN + 1 and V = vertices that a lane reads (1; GEOM: of its input primitive; TESS_CTRL,
//   TESS_EVAL: 32): slot v*N + i is IN[v][i]; what has one bracket (PATCH data, GEOM's PRIM_ID) is slot i. Behind V*N
//   slots one for each SV register, in the order of declared index, that Options::buffered_system_values names.
// IoBuffer 1 holds outputs: word ((record * output_slots) + slot) * 4 + component, with M = highest declared OUT + 1.
//   A component that no path writes is not stored; one that some path writes is stored at every exit.
//   VERT, TESS_EVAL   a record is a lane; slots 0..M-1 are OUT[0]..OUT[M-1].
//   FRAG   likewise, and one more: slot M, component x is 1 where the lane was not killed (helper lanes' stores do not
//          happen, so it stays as the caller initialised it), written at every exit.
//   TESS_CTRL   a record is a patch of TCS_VERTICES_OUT * M slots: slot v*M + i is OUT[v][i], slot i is OUT[i]. They
//          are loaded and stored at each access and never initialised.
//   GEOM   a record is a vertex. Vertex k of invocation j of a lane is record
//          (lane * GS_INVOCATIONS + j) * GS_MAX_OUTPUT_VERTICES + k, in the order of EMIT; slots 0..M-1 are OUT; slot M
//          is (1 + stream, number of the primitive in its stream and invocation, -, -). The caller initialises slot M's
//          x to 0, which is how it stays where there is no vertex. Nothing is given to the rasterizer.
// IoBuffer 2 holds parameters: word 0 first vertex; word 1 the width of the framebuffer in pixels (even); word 2 the
//   number of lanes: lanes at or above it read slot data of lane 0 and store nothing; word 3 height; word 4
//   zero (Workarounds::opaque_immediates). GEOM, TESS_CTRL and TESS_EVAL read words 2 and 4 only.
//
// Lane of VERT: gl_VertexIndex (minus word 0). Lane of FRAG, of pixel (x, y):
//   ((y / 2) * (width / 2) + x / 2) * 4 + (y & 1) * 2 + (x & 1): quads are real quads.
// Lane of GEOM, TESS_CTRL and TESS_EVAL: gl_PrimitiveID. The caller draws that many primitives or patches. TESS_EVAL:
//   of each patch one vertex does the work, the others return at once: the one at (1, 0, 0) of triangles, at (0, 0) of
//   quads and isolines, which every patch has whose levels are above 0.
// TESS_CTRL sets the outer levels to 0 first of all (the builtins: those of the shader go to the buffer), so that its
//   patches are dropped.
// COMP has no inputs and outputs, and of the parameters only word 4.
#pragma once
