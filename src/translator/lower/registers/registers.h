// Writing the registers: a file's own way (arrays over vertices, TEMPX, PRED, an index) is chosen here. All of them are
// made and cleared here, too.
#pragma once

#include <cstdint>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

void prepare_registers(Context& context);
/// At the start of main: sets TEMP, ADDR and OUT to zero.
void clear_registers(Context& context);
/// Writes refs[k] to the k-th component in `mask`.
bool write(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);

/// Writes both destinations of an instruction; the first may be the register that indexes the second.
bool write_two(Context& context, const tgsi::Operand& first, uint8_t first_mask, const Ref* first_refs,
               const tgsi::Operand& second, uint8_t second_mask, const Ref* second_refs);

}  // namespace tgsi2spv::lower
