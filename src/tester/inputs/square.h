// The inputs of a FRAG shader that covers a square, as a picture of it needs them.
#pragma once

#include "reference/case/inputs.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::difftest {

/// Width and height of the square, in pixels.
inline constexpr uint32_t kSquareSize = 256;

/// Replaces the lanes: one for each pixel. Every input becomes the texture coordinate (u, v, 0, 1), from (0, 0) at the
/// upper left to (1, 1), except for those that a rasteriser determines. `in` has the rest.
void cover_square(const tgsi::Program& program, reference::Inputs& in);

/// A case for cover_square() if the user gives none: constants are 0, and 2D textures have a smooth gradient over a
/// checkerboard, filtered linearly.
reference::Inputs square_resources(const tgsi::Program& program, const tgsi::Registers& registers);

}  // namespace tgsi2spv::difftest
