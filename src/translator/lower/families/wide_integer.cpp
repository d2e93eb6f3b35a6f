// 64-bit integers: the same guards as for 32 bits (integer.cpp), around the same instructions.
#include "lower/operands/wide.h"

#include "lower/families/families.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using tgsi::Opcode;

namespace {

Value src(Operation& op, int i) {
    return wide_source(op, i, Scalar::U64, pairs_in(op.mask));
}
Outcome result(Operation& op, Value value) {
    return wide_result(op, value, pairs_in(op.mask));
}
Outcome unary(Operation& op, Op o) {
    return result(op, op.b.op(o, src(op, 0)));
}
Outcome binary(Operation& op, Op o) {
    const Value a = src(op, 0);
    return result(op, op.b.op(o, a, src(op, 1)));
}

/// U64DIV, U64MOD: all bits are set if the divisor is 0.
Outcome divide_unsigned(Operation& op, Op o) {
    ir::Builder& b = op.b;
    const Value a = src(op, 0), divisor = src(op, 1);
    const Value quotient = b.op(o, a, b.umax(divisor, u64_like(op, 1, divisor)));
    const Value is_zero = b.ieq(divisor, u64_like(op, 0, divisor));
    return result(op, b.select(is_zero, u64_like(op, ~uint64_t{0}, divisor), quotient));
}

Outcome divide_signed(Operation& op, bool remainder) {
    const Value a = src(op, 0), divisor = src(op, 1);
    return result(op, divided(op, a, divisor, remainder));
}

/// The count is src1.x for xy and src1.z for zw, masked to 0..63.
Outcome shift(Operation& op, Op o) {
    const Value a = src(op, 0);
    const Value count = narrow_source(op, 1, Scalar::U32, pairs_in(op.mask), false);
    return result(op, op.b.op(o, a, op.b.bit_and(count, u32_like(op, 63, count))));
}

Outcome compare(Operation& op, Op o) {
    const Pairs pairs = pairs_in(op.mask);
    const Value a = src(op, 0);
    const Value condition = op.b.op(o, a, src(op, 1));
    const Value yes = u32_like(op, 0xffff'ffff, a), no = u32_like(op, 0, a);
    return pair_result(op, op.b.select(condition, yes, no), pairs);
}

}  // namespace

Outcome lower_wide_integer(Operation& op) {
    switch (op.instruction.op) {
        case Opcode::I64ABS:
            return unary(op, Op::SAbs);
        case Opcode::I64NEG:
            return unary(op, Op::INegate);
        case Opcode::I64SSG:
            return unary(op, Op::SSign);
        case Opcode::I64DIV:
            return divide_signed(op, false);
        case Opcode::I64MOD:
            return divide_signed(op, true);
        case Opcode::I64MAX:
            return binary(op, Op::SMax);
        case Opcode::I64MIN:
            return binary(op, Op::SMin);
        case Opcode::I64SGE:
            return compare(op, Op::SGe);
        case Opcode::I64SLT:
            return compare(op, Op::SLt);
        case Opcode::I64SHR:
            return shift(op, Op::AShr);
        case Opcode::U64ADD:
            return binary(op, Op::IAdd);
        case Opcode::U64DIV:
            return divide_unsigned(op, Op::UDiv);
        case Opcode::U64MOD:
            return divide_unsigned(op, Op::UMod);
        case Opcode::U64MAX:
            return binary(op, Op::UMax);
        case Opcode::U64MIN:
            return binary(op, Op::UMin);
        case Opcode::U64MUL:
            return binary(op, Op::IMul);
        case Opcode::U64SEQ:
            return compare(op, Op::IEq);
        case Opcode::U64SGE:
            return compare(op, Op::UGe);
        case Opcode::U64SLT:
            return compare(op, Op::ULt);
        case Opcode::U64SNE:
            return compare(op, Op::INe);
        case Opcode::U64SHL:
            return shift(op, Op::Shl);
        case Opcode::U64SHR:
            return shift(op, Op::LShr);
        default:
            return no_case(op);
    }
}

}  // namespace tgsi2spv::lower
