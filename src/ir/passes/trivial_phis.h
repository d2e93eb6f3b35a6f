#pragma once

#include "ir/passes/memory.h"

namespace tgsi2spv::ir {

/// Replaces each phi to which only one value comes, beside itself, by that value. (The value dominates the phi:
/// otherwise it could not come along every edge.) The phis stay in their blocks, unused.
void remove_trivial_phis(Function& function, PassMemory& memory);

}  // namespace tgsi2spv::ir
