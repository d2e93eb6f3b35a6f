// Opcodes of FRAG that read its inputs and outputs.
#pragma once

#include "lower/operands/operation.h"

namespace tgsi2spv::lower {

/// INTERP_*, FBFETCH
Outcome lower_fragment_io(Operation& op);

}  // namespace tgsi2spv::lower
