// Reads of registers: a file's own way (constant buffers, arrays over vertices, TEMPX, an index) is chosen here.
#pragma once

#include <cstdint>
#include <span>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// Reads components `comps` of a register of any file, unswizzled; false after an error.
bool read(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);

}  // namespace tgsi2spv::lower
