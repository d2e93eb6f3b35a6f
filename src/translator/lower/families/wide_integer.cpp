// 64-bit integers: the same guards as for 32 bits (integer.cpp), around the same instructions.
#include "lower/operands/wide.h"

#include <algorithm>
#include <iterator>

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

Outcome divide_signed(Operation& op, Op) {
    const Value a = src(op, 0), divisor = src(op, 1);
    return result(op, divided(op, a, divisor, op.instruction.op == Opcode::I64MOD));
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

struct Row {
    Opcode opcode;
    Outcome (*lower)(Operation& op, Op o);
    Op op;
};
constexpr Row kRows[] = {
    {Opcode::I64ABS, unary, Op::SAbs},
    {Opcode::I64NEG, unary, Op::INegate},
    {Opcode::I64SSG, unary, Op::SSign},
    {Opcode::I64DIV, divide_signed, Op::SDiv},
    {Opcode::I64MOD, divide_signed, Op::SDiv},
    {Opcode::I64MAX, binary, Op::SMax},
    {Opcode::I64MIN, binary, Op::SMin},
    {Opcode::I64SGE, compare, Op::SGe},
    {Opcode::I64SLT, compare, Op::SLt},
    {Opcode::I64SHR, shift, Op::AShr},
    {Opcode::U64ADD, binary, Op::IAdd},
    {Opcode::U64DIV, divide_unsigned, Op::UDiv},
    {Opcode::U64MOD, divide_unsigned, Op::UMod},
    {Opcode::U64MAX, binary, Op::UMax},
    {Opcode::U64MIN, binary, Op::UMin},
    {Opcode::U64MUL, binary, Op::IMul},
    {Opcode::U64SEQ, compare, Op::IEq},
    {Opcode::U64SGE, compare, Op::UGe},
    {Opcode::U64SLT, compare, Op::ULt},
    {Opcode::U64SNE, compare, Op::INe},
    {Opcode::U64SHL, shift, Op::Shl},
    {Opcode::U64SHR, shift, Op::LShr},
};

}  // namespace

Outcome lower_wide_integer(Operation& op) {
    const auto* const row = std::ranges::find(kRows, op.instruction.op, &Row::opcode);
    return row == std::end(kRows) ? no_case(op) : row->lower(op, row->op);
}

}  // namespace tgsi2spv::lower
