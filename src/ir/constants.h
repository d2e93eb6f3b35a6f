// Constants are unique: deduplicated by type and bits, never by float equality (0 == -0, NaN != NaN).
#pragma once

#include "ir/flat_table.h"
#include "ir/module.h"

namespace tgsi2spv::ir {

/// The id of `constant`. `table` contains all of the module's constants; if this one is missing, it is added to both.
Value intern_constant(Module& module, FlatTable& table, const Constant& constant);

/// The same for a 32-bit scalar (or a bool).
Value intern_scalar(Module& module, FlatTable& table, Type type, uint32_t word);

/// Fills `table` with all of the module's constants.
void fill_constant_table(const Module& module, FlatTable& table);

}  // namespace tgsi2spv::ir
