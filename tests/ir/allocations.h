// How often this process has allocated, and how much memory it holds of operator new.
#pragma once

#include <cstddef>

namespace tgsi2spv::ir {

size_t allocations();

/// Bytes that are allocated now, and the most that were since reset_peak().
size_t allocated_bytes();
size_t peak_bytes();
void reset_peak();

/// The `n`th allocation of operator new from now on (from 1) finds no memory; 0: none does so.
void fail_allocation(size_t n);

}  // namespace tgsi2spv::ir
