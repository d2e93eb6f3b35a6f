// Converts pairs of components to 64-bit values, and back.
#include "lower/operands/wide.h"

#include <bit>
#include <string>

namespace tgsi2spv::lower {

using ir::Scalar;
using ir::Value;
using tgsi::Opcode;
using tgsi::OperandType;

namespace {

/// Like saturate() of 32 bits: NaN to 0, −0 to +0; _SATNV: NaN to −1.
Value saturated(Operation& op, Value x) {
    if (op.instruction.saturate_signed) {
        const Value least = f64_like(op, -1.0, x);
        return double_op(op, ir::Op::FClamp, {x, least, f64_like(op, 1.0, x)});
    }
    const Value zero = f64_like(op, 0.0, x), one = f64_like(op, 1.0, x);
    return double_op(op, ir::Op::FAbs, {double_op(op, ir::Op::FClamp, {x, zero, one})});
}

}  // namespace

Pairs pairs_in(uint8_t mask) {
    static constexpr Pairs kPairs[] = {{{0, 1}, 0}, {{0, 1}, 1}, {{1, 1}, 1}, {{0, 1}, 2}};
    return kPairs[((mask & 3) != 0 ? 1 : 0) + ((mask & 12) != 0 ? 2 : 0)];
}

Value narrow_source(Operation& op, int i, Scalar scalar, Pairs pairs, bool dense) {
    uint8_t comps[2];
    for (int p = 0; p < pairs.count; ++p) comps[p] = static_cast<uint8_t>(pairs.list[p] * (dense ? 1 : 2));
    return source(op, i, scalar, std::span<const uint8_t>(comps, static_cast<size_t>(pairs.count)));
}

Value u64_like(Operation& op, uint64_t x, Value like) {
    ir::Constant c{.type = op.b.type_of(like).of(Scalar::U64)};
    for (size_t n = 0; n < c.type.components; ++n) {
        c.words[2 * n] = static_cast<uint32_t>(x);
        c.words[2 * n + 1] = static_cast<uint32_t>(x >> 32);
    }
    return op.b.constant_of(c);
}

Value f64_like(Operation& op, double x, Value like) {
    const int count = count_of_doubles(op, like);
    ir::Constant c{.type = doubles_type(op, count)};
    const auto bits = std::bit_cast<uint64_t>(x);
    for (size_t n = 0; n < static_cast<size_t>(count); ++n) {
        c.words[2 * n] = static_cast<uint32_t>(bits);
        c.words[2 * n + 1] = static_cast<uint32_t>(bits >> 32);
    }
    return op.b.constant_of(c);
}

Value divided(Operation& op, Value a, Value divisor, bool remainder) {
    ir::Builder& b = op.b;
    const auto integer = [&](uint64_t x) {
        return b.type_of(a).is_wide() ? u64_like(op, x, a) : u32_like(op, static_cast<uint32_t>(x), a);
    };
    // Magnitudes are divided, as drivers do it: the minimum over -1, which OpSDiv leaves undefined, is 2^31 / 1 then.
    // OpSRem of a negative operand is poison.
    const Value zero = integer(0), one = integer(1);
    const Value magnitude = b.op(ir::Op::SAbs, a), safe = b.umax(b.op(ir::Op::SAbs, divisor), one);
    const Value quotient = b.op(ir::Op::UDiv, magnitude, safe);
    const Value whole = remainder ? b.isub(magnitude, b.imul(safe, quotient)) : quotient;
    const Value is_negative = b.op(ir::Op::SLt, remainder ? a : b.op(ir::Op::Xor, a, divisor), zero);
    const Value result = b.select(is_negative, b.op(ir::Op::INegate, whole), whole);
    const Value is_zero = b.ieq(divisor, zero);
    return b.select(is_zero, remainder ? integer(~uint64_t{0}) : zero, result);
}

Outcome wide_result(Operation& op, Value value, Pairs pairs) {
    if (op.instruction.saturate) value = saturated(op, value);
    const Value words = op.b.bitcast(value, ir::u32(2 * pairs.count));
    uint8_t whole = 0;
    for (const uint8_t p : pairs.span()) whole |= static_cast<uint8_t>(3u << 2 * p);
    if (op.mask == whole) return done(words);
    return done(per_component(op, [&](int c) {
        const int place = pairs.list[0] == c / 2 ? 0 : 1;
        return op.b.extract(words, 2 * place + (c & 1));
    }));
}

Outcome pair_result(Operation& op, Value value, Pairs pairs) {
    uint8_t mask = 0;
    for (const uint8_t p : pairs.span()) {
        const auto first = static_cast<uint8_t>(1u << 2 * p);
        mask |= (op.mask & first) != 0 ? first : static_cast<uint8_t>(first << 1);
    }
    op.mask = mask;
    op.width = pairs.count;
    return done(value);
}

Pairs narrow_mask(Operation& op) {
    const auto without_first = static_cast<uint8_t>(op.mask & (op.mask - 1));
    const auto rest = static_cast<uint8_t>(without_first & (without_first - 1));
    op.mask = static_cast<uint8_t>(op.mask & ~rest);
    op.width = std::popcount(op.mask);
    return {.count = op.width};
}

}  // namespace tgsi2spv::lower
