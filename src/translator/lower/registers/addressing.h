// Operands whose register is selected by another register.
#pragma once

#include <cstdint>
#include <span>

#include "lower/context/context.h"
#include "lower/registers/arrays.h"
#include "lower/registers/temp_arrays.h"

namespace tgsi2spv::lower {

/// The index of an indirect access, as u32.
ir::Value relative_index(Context& context, const tgsi::Relative& relative, int32_t offset);
/// The brackets of a TEMPX operand.
Bracket array_bracket(Context& context, const tgsi::Operand& operand);
Bracket index_bracket(Context& context, const tgsi::Operand& operand);
bool read_indirect(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);

/// The target of an indirect write; no segment: the write is dropped.
struct WriteTarget {
    const Segment* segment = nullptr;
    ir::Value element = ir::kNone;
};
bool find_target(Context& context, const tgsi::Operand& operand, WriteTarget& target);
bool write_indirect(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);

}  // namespace tgsi2spv::lower
