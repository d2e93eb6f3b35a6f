// Constants are one a value: deduplicated by type and bits, never by the equality of floats (0 == -0, NaN != NaN).
#pragma once

#include "ir/flat_table.h"
#include "ir/module.h"

namespace tgsi2spv::ir {

/// The id of `constant`, which joins the module if `table`, which knows all of the module's constants, lacks it.
Value intern_constant(Module& module, FlatTable& table, const Constant& constant);

/// The same of a scalar of 32 bits (or a bool).
Value intern_scalar(Module& module, FlatTable& table, Type type, uint32_t word);

/// Makes `table` know all of the module's constants.
void fill_constant_table(const Module& module, FlatTable& table);

}  // namespace tgsi2spv::ir
