// Executes steps over a block. Compiled for several vector widths; the widest one available is used. All give the same
// results.
#pragma once

#include "reference/columns/boxes.h"

namespace tgsi2spv::reference::columns {

/// Executes `count` steps in the lanes `exec`. With bounds, a lane whose result the kernels cannot determine has its
/// word in code.bad set, and `boxes` holds what columns cannot.
void run_steps(const Code& code, const Step* steps, uint32_t count, Bits exec, uint32_t* block, Boxes& boxes);

/// Returns the lanes whose word in a column is not 0.
Bits lanes_of(const uint32_t* column);

}  // namespace tgsi2spv::reference::columns
