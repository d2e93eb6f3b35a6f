// The operands of an instruction as the core sees them: sources.cpp, which also implements operation.h's part about
// sources, and destinations.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "lower/walk/operation.h"
#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

/// Reads components `comps` of an operand, after its swizzle. Modifiers are not applied. False after an error.
bool read_swizzled(Walk& walk, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
/// Saturates and writes the result of an instruction; a scalar goes to every component of the mask.
bool write_result(Operation& op, ir::Value value);

}  // namespace tgsi2spv::lower
