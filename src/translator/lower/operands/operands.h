// The operands of an instruction as the core sees them: sources.cpp, which also implements operation.h's part about
// sources, and destinations.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "lower/context/context.h"
#include "lower/operands/operation.h"

namespace tgsi2spv::lower {

/// Reads components `comps` of an operand, after its swizzle. Modifiers are not applied. False after an error.
bool read_swizzled(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
/// Saturates and writes the result of an instruction; a scalar goes to every component of the mask.
bool write_result(Operation& op, ir::Value value);

/// Everything emitted from here on belongs to this instruction.
inline void enter_instruction(Context& context, const tgsi::Instruction& instruction, const tgsi::OpcodeInfo& row) {
    context.position = instruction.position;
    context.b.set_offset(instruction.position);
    context.b.set_precise(context.options.exact || instruction.precise);
    context.predicate.float_result = row.dst[0] == tgsi::OperandType::Float;
}

inline Operation operation_of(Context& context, const tgsi::Instruction& instruction) {
    const uint8_t mask =
        instruction.num_dst != 0 ? context.program.operands[instruction.first_operand].write_mask : uint8_t{0xf};
    return {context,
            context.b,
            context.options,
            context.capabilities,
            context.program,
            instruction,
            mask,
            kMaskComponents[mask & 0xf].count,
            context.legacy_math,
            &context.views};
}

inline Operation begin_instruction(Context& context, const tgsi::Instruction& instruction) {
    enter_instruction(context, instruction, tgsi::info(instruction.op));
    return operation_of(context, instruction);
}

}  // namespace tgsi2spv::lower
