// The form of `io=buffers`: stage inputs and outputs as storage-buffer words. The harness's side of this contract
// reads the same numbers from reflection.
//
// IoBuffer 0 holds inputs: word ((lane * input_slots) + slot) * 4 + component.
//   slots 0..N-1 are IN[0]..IN[N-1] (N = highest declared IN + 1), then one slot for each SV register in the order of
//   declared index that Options::buffered_system_values names.
// IoBuffer 1 holds outputs: word ((lane * output_slots) + slot) * 4 + component.
//   slots 0..M-1 are OUT[0]..OUT[M-1]; FRAG has one more: slot M, component x is 1 where the lane was not killed
//   (helper lanes' stores do not happen, so it stays as the caller initialised it), written at every exit.
//   A component that no path writes is not stored; one that some path writes is stored at every exit.
// IoBuffer 2 holds parameters: word 0 first vertex; word 1 the width of the framebuffer in pixels (even); word 2 the
//   number of lanes: lanes at or above it read slot data of lane 0 and store nothing; word 3 height; word 4
//   zero (Options::opaque_immediates).
//
// Lane of VERT: gl_VertexIndex (minus word 0). Lane of FRAG, of pixel (x, y):
//   ((y / 2) * (width / 2) + x / 2) * 4 + (y & 1) * 2 + (x & 1): quads are real quads.
#pragma once
