#pragma once

#include "ir/pass_memory.h"

namespace tgsi2spv::ir {

/// Removes everything that no effect needs: instructions (including phis that only feed one another), stores to private
/// variables that nothing loads and to local variables whose loads nothing needs, functions that nothing calls, and
/// then variables, image operations and constants that nothing names. Selections and loops are removed if nothing
/// happens inside them or on their exits. A loop with an exit is assumed to end, unless it loads memory that others
/// write: it may wait for them. Volatile loads stay. Outputs with a location stay, written or not: the next stage may
/// read them, and Vulkan requires their declaration.
///
/// Without `compact`, if only instructions and the things that they name were removed, everything stays in its place
/// and dead instructions are marked (Instruction::dead). This is for emission, which skips them: moving all others
/// costs more.
void remove_dead_code(Module& module, PassMemory& memory, bool compact = true);

/// Removes the instructions that are marked dead, and nothing else.
void close_gaps(Module& module, PassMemory& memory);

}  // namespace tgsi2spv::ir
