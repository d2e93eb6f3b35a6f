#pragma once

#include "ir/pass_memory.h"

namespace tgsi2spv::ir {

/// Replaces each phi that has only one value besides itself by that value. (The value dominates the phi: otherwise it
/// could not arrive along every edge.) The phis stay in their blocks, unused.
void remove_trivial_phis(Function& function, PassMemory& memory);

/// The first half, for a sweep that renames anyway: writes the replacement of each trivial phi to `memory.renamed`,
/// where everything else replaces itself. False if there is no trivial phi; `memory.renamed` is then undefined.
bool find_trivial_phis(Function& function, PassMemory& memory);

/// Whether one of the block's phis has at most one value besides itself.
bool begins_with_trivial_phi(const Function& function, const Block& block);

}  // namespace tgsi2spv::ir
