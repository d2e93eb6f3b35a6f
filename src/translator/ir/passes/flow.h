#pragma once

#include "ir/pass_memory.h"

namespace tgsi2spv::ir {

/// Simplifies flow. Selections on a constant become branches; selections with nearly empty sides become Selects; blocks
/// that only follow one another are joined; unreachable blocks are removed (a merge block or continue target that its
/// header needs stays, empty). Removed instructions are marked dead in place (Instruction::dead; dead_code.h:
/// close_gaps). Returns true if values may now be unused, or phis trivial. It works best after remove_dead_code():
/// unused values keep a side from being empty. `speculate_conversions`: see PassOptions.
bool simplify_flow(const Module& module, Function& function, PassMemory& memory, bool speculate_conversions = true);

}  // namespace tgsi2spv::ir
