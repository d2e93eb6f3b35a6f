// Opcodes of 64 bits; CLOCK.
#include <bit>

#include "lower/families/families.h"
#include "lower/operands/wide.h"

namespace tgsi2spv::lower {

using ir::Value;
using tgsi::Opcode;
using tgsi::OperandType;

namespace {

bool uses(const tgsi::OpcodeInfo& row, OperandType a, OperandType b) {
    for (const OperandType t : row.dst)
        if (t == a || t == b) return true;
    for (const OperandType t : row.src)
        if (t == a || t == b) return true;
    return false;
}

/// Only dst.xy; it never has to be a 64-bit integer.
Outcome clock(Operation& op) {
    if (!op.capabilities.shader_clock) return refuse_lacking(op, "shaderSubgroupClock");
    const Value words = op.b.emit(ir::Op::Clock, ir::u32(2), {});
    op.mask &= 3;
    op.width = std::popcount(op.mask);
    if (op.mask == 0) return done(ir::kNone);
    return done(per_component(op, [&](int c) { return op.b.extract(words, c); }));
}

}  // namespace

Outcome lower_wide(Operation& op) {
    const tgsi::OpcodeInfo& row = tgsi::info(op.instruction.op);
    if (op.instruction.op == Opcode::CLOCK) return clock(op);
    const bool floats = uses(row, OperandType::Double, OperandType::Double);
    const bool integers = uses(row, OperandType::Int64, OperandType::Uint64);
    if (integers && !op.capabilities.int64) return refuse_lacking(op, "shaderInt64");
    if (row.family == tgsi::Family::convert) return lower_wide_convert(op);
    return floats ? lower_wide_float(op) : lower_wide_integer(op);
}

}  // namespace tgsi2spv::lower
