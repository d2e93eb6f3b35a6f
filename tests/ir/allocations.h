// Counts this process's allocations with operator new, and the memory that they hold.
#pragma once

#include <cstddef>

namespace tgsi2spv::ir {

size_t allocations();

/// The bytes that are allocated now, and the most that were allocated since reset_peak().
size_t allocated_bytes();
size_t peak_bytes();
void reset_peak();

/// Makes the `n`th allocation with operator new from now on (counted from 1) fail; 0: none.
void fail_allocation(size_t n);

}  // namespace tgsi2spv::ir
