#pragma once

#include "ir/passes/memory.h"

namespace tgsi2spv::ir {

/// Replaces each phi to which only one value comes, beside itself, by that value. (The value dominates the phi:
/// otherwise it could not come along every edge.) The phis stay in their blocks, unused.
void remove_trivial_phis(Function& function, PassMemory& memory);

/// The first half of it, for a sweep that renames anyway: what stands for each such phi, in `memory.renamed`, where
/// everything else stands for itself. False if there is none; `memory.renamed` says nothing then.
bool find_trivial_phis(Function& function, PassMemory& memory);

/// One of the block's phis takes one value at most, beside itself.
bool begins_with_trivial_phi(const Function& function, const Block& block);

}  // namespace tgsi2spv::ir
