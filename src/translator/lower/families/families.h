// The opcode families.
#pragma once

#include "lower/operands/operation.h"

namespace tgsi2spv::lower {

// One function per family; the core does saturation and the write.
Outcome lower_arithmetic(Operation& op);
Outcome lower_compare(Operation& op);
Outcome lower_integer(Operation& op);
Outcome lower_convert(Operation& op);
Outcome lower_wide(Operation& op);
Outcome lower_subgroup(Operation& op);
Outcome lower_texture(Operation& op);
Outcome lower_legacy(Operation& op);
Outcome lower_fragment_io(Operation& op);    ///< INTERP_*, FBFETCH
Outcome lower_patch_barrier(Operation& op);  ///< BARRIER of TESS_CTRL
Outcome lower_memory(Operation& op);
Outcome lower_handle(Operation& op);  ///< SAMP2HND, IMG2HND

Outcome lower_wide_float(Operation& op);
Outcome lower_wide_integer(Operation& op);
/// Conversions with 64 bits on one side or on both.
Outcome lower_wide_convert(Operation& op);

/// A shift by a count masked to 0..31; `one_count`: src1.x is the count for every component.
Outcome shift(Operation& op, ir::Op o, bool one_count);
/// True for SHL and SHR in `oldest` and `middle` (semantics: Integer).
bool has_one_shift_count(const Operation& op);

}  // namespace tgsi2spv::lower
