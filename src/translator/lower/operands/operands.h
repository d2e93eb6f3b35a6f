// The operands of an instruction as the core sees them: sources.cpp, which also implements operation.h's part about
// sources, and destinations.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "lower/operands/operation.h"
#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

/// Reads components `comps` of an operand, after its swizzle. Modifiers are not applied. False after an error.
bool read_swizzled(Walk& walk, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
/// Saturates and writes the result of an instruction; a scalar goes to every component of the mask.
bool write_result(Operation& op, ir::Value value);

/// Everything emitted from here on belongs to this instruction.
inline void enter_instruction(Walk& walk, const tgsi::Instruction& instruction, const tgsi::OpcodeInfo& row) {
    walk.position = instruction.position;
    walk.b.set_offset(instruction.position);
    walk.b.set_precise(walk.options.exact || instruction.precise);
    walk.predicate.float_result = row.dst[0] == tgsi::OperandType::Float;
}

inline Operation operation_of(Walk& walk, const tgsi::Instruction& instruction) {
    const uint8_t mask =
        instruction.num_dst != 0 ? walk.program.operands[instruction.first_operand].write_mask : uint8_t{0xf};
    return {walk,
            walk.b,
            walk.options,
            walk.capabilities,
            walk.program,
            instruction,
            mask,
            kMaskComponents[mask & 0xf].count,
            walk.legacy_math,
            &walk.views};
}

inline Operation begin_instruction(Walk& walk, const tgsi::Instruction& instruction) {
    enter_instruction(walk, instruction, tgsi::info(instruction.op));
    return operation_of(walk, instruction);
}

}  // namespace tgsi2spv::lower
