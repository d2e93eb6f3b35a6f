// How often this process has allocated.
#pragma once

#include <cstddef>

namespace tgsi2spv::ir {

size_t allocations();

/// The `n`th allocation of operator new from now on (from 1) finds no memory; 0: none does so.
void fail_allocation(size_t n);

}  // namespace tgsi2spv::ir
