// PRED, the oldest edition's condition codes (semantics: Addressing). Component c of a destination is written only
// where PRED[n].swizzle(c) is not zero. An instruction without a destination is executed where the component of the
// swizzle's first letter is not zero.
#pragma once

#include <cstdint>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// The truth values that a PRED register keeps: ~0 for a value that is not zero, otherwise 0.
void truth_values(Context& context, uint8_t mask, const Ref* refs, Ref* out);
/// xyzw of the register.
bool read_predicate(Context& context, const tgsi::Instruction& instruction, Ref* out);
/// The values that a destination has after the instruction in Context::predicate: refs[k] where the predicate holds.
bool keep_where_predicated(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs, Ref* out);
/// For outputs of TESS_CTRL, which other invocations may be writing: stored where the predicate holds, never read.
bool write_where_predicated(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
/// A bool: whether an instruction without a destination is executed.
ir::Value predicate_condition(Context& context, const tgsi::Instruction& instruction);

}  // namespace tgsi2spv::lower
