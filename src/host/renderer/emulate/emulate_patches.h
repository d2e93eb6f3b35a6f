// Patches of an emulated draw: TESS_CTRL as a compute shader, the tessellator on the CPU, TESS_EVAL as a compute shader
// whose records are the vertices of what follows.
#pragma once

#include "renderer/emulate/emulate_piece.h"

namespace tgsi2spv::host {

/// How such a program tessellates.
TessellationMode mode_of(const Program& evaluation);
/// The tessellation of a draw with a TESS_EVAL. False: the library refuses a shader.
bool reflect_patches(HostEmulator& host, const Bindings& context, uint32_t patch_vertices, Patches& patches);
/// A piece whose primitives are patches. False: no memory, or the device is lost.
bool run_patches(HostEmulator& host, Bindings& context, const EmulatedDraw& draw, const DrawPiece& piece);

}  // namespace tgsi2spv::host
