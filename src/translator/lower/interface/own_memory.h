// Memory of the module itself: MEMORY SHARED and PRIVATE, RLOCAL, RPRIVATE. One variable for each register.
#pragma once

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// The variable of a register, or of a file that has only one (RLOCAL, RPRIVATE: register 0). It must have words.
uint32_t own_memory(Context& context, tgsi::File file, uint32_t index, bool is_private);
/// Options::zero_memory: makes the variables that the text uses, and clears them, and the outputs of TESS_CTRL. At the
/// start of main.
void clear_memory(Context& context);
/// BARRIER of COMP and TESS_CTRL: also orders memory within the group.
void group_barrier(Context& context);

}  // namespace tgsi2spv::lower
