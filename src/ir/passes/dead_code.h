#pragma once

#include "ir/passes/memory.h"

namespace tgsi2spv::ir {

/// Removes what no effect needs: instructions (phis that only feed one another too), stores to private
/// variables that nothing loads and to local ones of which nothing needs what it loads, functions that nothing calls,
/// and then variables, image operations and constants that nothing names. Selections and loops go in which, and on
/// whose way, nothing happens; that a loop ends is taken for granted if some way leads out of it, unless it loads what
/// others write: it may wait for them. Volatile loads stay. Outputs with a location stay, written or not: the next
/// stage may read them, and Vulkan wants them declared.
///
/// Without `compact`, where nothing went but instructions and what they name, all stays in its place and the dead are
/// marked (Instruction::dead). That is for emission, which passes over them: moving all others costs more.
void remove_dead_code(Module& module, PassMemory& memory, bool compact = true);

/// Takes out the instructions that are marked dead, and nothing else.
void close_gaps(Module& module, PassMemory& memory);

}  // namespace tgsi2spv::ir
