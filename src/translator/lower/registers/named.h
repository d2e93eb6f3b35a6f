// Reads of registers that an operand names directly.
#pragma once

#include <cstdint>
#include <span>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// Reads components `comps` of a register that no index selects, of any file, unswizzled; false after an error.
bool read_named(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
[[gnu::cold]] bool refuse_two_indices(Context& context, const tgsi::Operand& operand);

}  // namespace tgsi2spv::lower
