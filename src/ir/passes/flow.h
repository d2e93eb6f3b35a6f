#pragma once

#include "ir/passes/memory.h"

namespace tgsi2spv::ir {

/// Shortens flow: selections on a constant go one way, selections whose sides hold next to nothing become Selects,
/// blocks that only follow one another become one, blocks that no path reaches go (a merge block or continue target
/// that its header needs stays, empty). What goes is marked dead where it stands (Instruction::dead; dead_code.h:
/// close_gaps). True if values may be unused now, or phis trivial. Best after remove_dead_code(): what nothing uses
/// keeps a side from being empty. `speculate_conversions`: PassOptions'.
bool simplify_flow(const Module& module, Function& function, PassMemory& memory, bool speculate_conversions = true);

}  // namespace tgsi2spv::ir
