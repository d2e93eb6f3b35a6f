// Steps over a block, compiled for several vector widths; the widest that the machine has is taken. All give the same.
#pragma once

#include "reference/columns/boxes.h"

namespace tgsi2spv::reference::columns {

/// Executes `count` steps in the lanes `exec`. With bounds, what they cannot tell of a lane sets the lane's word of
/// code.bad, and `boxes` holds what columns cannot.
void run_steps(const Code& code, const Step* steps, uint32_t count, Bits exec, uint32_t* block, Boxes& boxes);

/// The lanes whose word of a column is not 0.
Bits lanes_of(const uint32_t* column);

}  // namespace tgsi2spv::reference::columns
