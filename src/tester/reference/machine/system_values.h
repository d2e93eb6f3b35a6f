// Inputs as they are given; system values as they are given, or computed.
#pragma once

#include "reference/machine/machine.h"

namespace tgsi2spv::reference {

void load_inputs(Machine& machine);
void load_system_values(Machine& machine);
/// FRAG: the pixel of a lane; quads fill the framebuffer row by row.
std::array<uint32_t, 2> pixel_of(const Machine& machine, uint32_t lane);

}  // namespace tgsi2spv::reference
