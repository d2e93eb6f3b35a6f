// 64-bit floats. They behave like the 32-bit opcodes of the same name (semantics: 64-bit pairs); LEGACY_MATH_RULES is
// for 32 bits only.
#include "lower/operands/wide.h"

#include <limits>

#include "lower/families/families.h"
#include "lower/registers/registers.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using tgsi::Opcode;

namespace {

Value src(Operation& op, int i) {
    return wide_source(op, i, Scalar::F64, pairs_in(op.mask));
}
Outcome result(Operation& op, Value value) {
    return wide_result(op, value, pairs_in(op.mask));
}
Outcome unary(Operation& op, Op o) {
    return result(op, double_op(op, o, {src(op, 0)}));
}
Outcome binary(Operation& op, Op o) {
    const Value a = src(op, 0);
    return result(op, double_op(op, o, {a, src(op, 1)}));
}

/// x > 0 ? 1 : x < 0 ? -1 : 0, so that NaN gives 0.
Outcome sign(Operation& op) {
    const Value x = src(op, 0);
    const Value zero = f64_like(op, 0.0, x), one = f64_like(op, 1.0, x), minus_one = f64_like(op, -1.0, x);
    const Value not_above = double_select(op, double_op(op, Op::FOLt, {x, zero}), minus_one, zero);
    return result(op, double_select(op, double_op(op, Op::FOGt, {x, zero}), one, not_above));
}

/// +0 gives +inf, which GLSL.std.450 leaves undefined; `oldest` and `middle` use |x|, as RSQ does.
Outcome reciprocal_root(Operation& op) {
    Value x = src(op, 0);
    if (tgsi::is_earlier(op.options.dialect)) x = double_op(op, Op::FAbs, {x});
    const Value root = double_op(op, Op::FRsqrt, {x});
    const Value is_zero = double_op(op, Op::FOEq, {x, f64_like(op, 0.0, x)});
    return result(op, double_select(op, is_zero, f64_like(op, std::numeric_limits<double>::infinity(), x), root));
}

/// Negative operands give NaN, which GLSL.std.450 leaves undefined.
Outcome root(Operation& op) {
    const Value x = src(op, 0);
    const Value r = double_op(op, Op::FSqrt, {x});
    if (!op.capabilities.float64) return result(op, r);
    const Value below = double_op(op, Op::FOLt, {x, f64_like(op, 0.0, x)});
    return result(op, double_select(op, below, f64_like(op, std::numeric_limits<double>::quiet_NaN(), x), r));
}

bool gives_double(const Operation& op) {
    return tgsi::is_earlier(op.options.dialect) &&
           (op.instruction.op == Opcode::DSEQ || op.instruction.op == Opcode::DSLT);
}

/// ~0 or 0; DSEQ and DSLT in `oldest` and `middle` give the doubles 1.0 and 0.0.
Outcome compare(Operation& op, Op o) {
    ir::Builder& b = op.b;
    const Pairs pairs = pairs_in(op.mask);
    const Value x = src(op, 0);
    const Value condition = double_op(op, o, {x, src(op, 1)});
    if (gives_double(op)) {
        const Value one = f64_like(op, 1.0, x);
        return wide_result(op, double_select(op, condition, one, f64_like(op, 0.0, x)), pairs);
    }
    const Value yes = u32_like(op, 0xffff'ffff, condition), no = u32_like(op, 0, condition);
    return pair_result(op, b.select(condition, yes, no), pairs);
}

/// Like LDEXP: GLSL.std.450 Ldexp is undefined above 2^1024 and for values that are not finite, so the power of two is
/// multiplied in three steps with the same sign of exponent. The exponent is src1.x for xy and src1.z for zw; in
/// `oldest` and `middle` it is src1.x and src1.y.
Outcome load_exponent(Operation& op) {
    ir::Builder& b = op.b;
    const Pairs pairs = pairs_in(op.mask);
    Value x = src(op, 0);
    Value rest = narrow_source(op, 1, Scalar::U32, pairs, tgsi::is_earlier(op.options.dialect));
    if (!op.capabilities.float64) return wide_result(op, double_ldexp(op, x, rest), pairs);
    const Value low = u32_like(op, static_cast<uint32_t>(-1022), rest), high = u32_like(op, 1022, rest);
    for (int step = 0; step < 3; step++) {
        const Value part = b.smin(b.smax(rest, low), high);
        if (step < 2) rest = b.isub(rest, part);
        const Value biased = b.iadd(part, u32_like(op, 1023, part));
        const Value top = b.shl(biased, u32_like(op, 20, part));
        ir::Component words[4];
        for (uint8_t p = 0; p < pairs.count; p++) {
            words[2 * p] = {b.const_u32(0), 0};
            words[2 * p + 1] = {top, p};
        }
        const Value power = b.compose(std::span<const ir::Component>(words, static_cast<size_t>(2 * pairs.count)));
        x = b.fmul(x, b.bitcast(power, b.type_of(x)));
    }
    return wide_result(op, x, pairs);
}

/// Computes x = fraction × 2^exponent from the bits: a driver returns denormals unchanged, and GLSL.std.450 allows any
/// result for values that are not finite (here: the value itself, and 0). Denormals are multiplied by 2^54 first; that
/// may flush them.
SplitDouble split_at_exponent(Operation& op, Value x) {
    if (!op.capabilities.float64) return double_frexp(op, x);
    ir::Builder& b = op.b;
    const int n = b.type_of(x).components;
    const auto high_word = [&](Value v) {
        const Value words = b.bitcast(v, ir::u32(2 * n));
        ir::Component high[2];
        for (uint8_t p = 0; p < n; ++p) high[p] = {words, static_cast<uint8_t>(2 * p + 1)};
        return b.compose(std::span<const ir::Component>(high, static_cast<size_t>(n)));
    };
    const auto field = [&](Value high) {
        const Value shifted = b.lshr(high, u32_like(op, 20, high));
        return b.bit_and(shifted, u32_like(op, 0x7ff, high));
    };
    const Value first = field(high_word(x));
    const Value zero = u32_like(op, 0, first);
    const Value is_small = b.ieq(first, zero);
    const Value y = b.select(is_small, b.fmul(x, f64_like(op, 0x1p54, x)), x);
    const Value high = high_word(y);
    const Value biased = field(high);
    const Value is_zero = b.ieq(biased, zero);
    const Value stays = b.lor(is_zero, b.ieq(biased, u32_like(op, 0x7ff, biased)));
    const Value half = u32_like(op, 0x3fe0'0000, high);
    const Value mantissa = b.bit_or(b.bit_and(high, u32_like(op, 0x800f'ffff, high)), half);
    const Value top = b.select(stays, high, mantissa);
    const Value words = b.bitcast(y, ir::u32(2 * n));
    ir::Component parts[4];
    for (uint8_t p = 0; p < n; ++p) {
        parts[2 * p] = {words, static_cast<uint8_t>(2 * p)};
        parts[2 * p + 1] = {top, p};
    }
    const Value bits = b.compose(std::span<const ir::Component>(parts, static_cast<size_t>(2 * n)));
    const Value small_bias = u32_like(op, 1022 + 54, biased);
    const Value bias = b.select(is_small, small_bias, u32_like(op, 1022, biased));
    return {b.bitcast(bits, b.type_of(x)), b.select(stays, zero, b.isub(biased, bias))};
}

/// dst0 is the fraction in [0.5, 1) as a pair; dst1 is the exponent, in x for xy and in y for zw. Each has its own
/// mask. `oldest` and `middle` list the exponent first.
Outcome split(Operation& op) {
    const auto dsts = op.program.dsts(op.instruction);
    const bool earlier = tgsi::is_earlier(op.options.dialect);
    const tgsi::Operand& fraction_dst = dsts[earlier ? 1 : 0];
    const tgsi::Operand& exponent_dst = dsts[earlier ? 0 : 1];
    const Pairs both{.count = 2};
    const auto [fraction, exponent] = split_at_exponent(op, wide_source(op, 0, Scalar::F64, both));

    op.mask = fraction_dst.write_mask;
    op.width = std::popcount(op.mask);
    const Value words = op.mask == 0 ? ir::kNone : wide_result(op, fraction, both).value;
    Ref fraction_refs[4], exponent_refs[4];
    for (int k = 0; k < op.width; ++k) fraction_refs[k] = {words, static_cast<uint8_t>(k)};
    // The exponent of a fraction's only pair goes everywhere: one producer writes a dvec4's exponents one by one.
    const Pairs written = pairs_in(op.mask);
    int n = 0;
    for (uint8_t c = 0; c < 4; ++c)
        if (exponent_dst.write_mask >> c & 1)
            exponent_refs[n++] = {exponent, written.count == 1 ? written.list[0] : static_cast<uint8_t>(c & 1)};
    write_two(op.context, fraction_dst, op.mask, fraction_refs, exponent_dst, exponent_dst.write_mask, exponent_refs);
    return done(ir::kNone);
}

}  // namespace

Outcome lower_wide_float(Operation& op) {
    switch (op.instruction.op) {
        case Opcode::DABS:
            return unary(op, Op::FAbs);
        case Opcode::DNEG:
            return unary(op, Op::FNegate);
        case Opcode::DCEIL:
            return unary(op, Op::FCeil);
        case Opcode::DFLR:
            return unary(op, Op::FFloor);
        case Opcode::DFRAC:
            return unary(op, Op::FFract);
        case Opcode::DROUND:
            return unary(op, Op::FRoundEven);
        case Opcode::DTRUNC:
            return unary(op, Op::FTrunc);
        case Opcode::DRCP: {
            const Value x = src(op, 0);
            return result(op, double_op(op, Op::FDiv, {f64_like(op, 1.0, x), x}));
        }
        case Opcode::DRSQ:
            return reciprocal_root(op);
        case Opcode::DSQRT:
            return root(op);
        case Opcode::DSSG:
            return sign(op);
        case Opcode::DADD:
            return binary(op, Op::FAdd);
        case Opcode::DDIV:
            return binary(op, Op::FDiv);
        case Opcode::DMUL:
            return binary(op, Op::FMul);
        case Opcode::DMAX:
            return binary(op, Op::FMax);
        case Opcode::DMIN:
            return binary(op, Op::FMin);
        case Opcode::DMAD: {
            const Value x = src(op, 0), y = src(op, 1), z = src(op, 2);
            return result(op, double_op(op, Op::FAdd, {double_op(op, Op::FMul, {x, y}), z}));
        }
        case Opcode::DFMA: {
            const Value x = src(op, 0), y = src(op, 1), z = src(op, 2);
            return result(op, double_op(op, Op::Fma, {x, y, z}));
        }
        case Opcode::DSEQ:
            return compare(op, Op::FOEq);
        case Opcode::DSGE:
            return compare(op, Op::FOGe);
        case Opcode::DSLT:
            return compare(op, Op::FOLt);
        case Opcode::DSNE:
            return compare(op, Op::FUNe);
        case Opcode::DLDEXP:
            return load_exponent(op);
        case Opcode::DFRACEXP:
            return split(op);
        default:
            return no_case(op);
    }
}

}  // namespace tgsi2spv::lower
