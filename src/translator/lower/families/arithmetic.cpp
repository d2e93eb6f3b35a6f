// Float arithmetic: componentwise operations, replicated scalars, dot products, and the four vector oddities EXP, LOG,
// LIT, DST. The chapter Float of the semantics decides where an opcode's document is ambiguous.
#include "lower/operands/family.h"

#include "lower/context/components.h"
#include "lower/families/families.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using tgsi::Opcode;

namespace {

Value src(Operation& op, int i) {
    return source(op, i, Scalar::F32);
}
Value src_x(Operation& op, int i) {
    return source_component(op, i, Scalar::F32, 0);
}
Value unary(Operation& op, Op o) {
    return op.b.op(o, src(op, 0));
}
Value binary(Operation& op, Op o) {
    const Value x = src(op, 0);
    return op.b.op(o, x, src(op, 1));
}

/// x > 0 ? 1 : x < 0 ? -1 : 0, so that NaN gives 0.
Value sign(Operation& op) {
    ir::Builder& b = op.b;
    const Value x = src(op, 0);
    const Value zero = f32_like(op, 0.0f, x);
    const Value one = f32_like(op, 1.0f, x), minus_one = f32_like(op, -1.0f, x);
    const Value not_above = b.select(b.folt(x, zero), minus_one, zero);
    return b.select(b.fogt(x, zero), one, not_above);
}

Value fused_multiply_add(Operation& op) {
    Value a = src(op, 0), b = src(op, 1);
    const Value c = src(op, 2);
    make_legacy(op, a, b);
    return op.b.fma(a, b, c);
}

/// As printed: src0 * src1 + (1 - src0) * src2.
Value interpolate(Operation& op) {
    const Value t = src(op, 0), x = src(op, 1), y = src(op, 2);
    const Value first = product(op, t, x);
    return op.b.fadd(first, product(op, op.b.fsub(f32_like(op, 1.0f, t), t), y));
}

/// GLSL.std.450 Ldexp is undefined above 2^128 and for values that are not finite. So the power of two is multiplied in
/// three steps with the same sign of exponent: no step overflows or underflows unless the whole does.
Value load_exponent(Operation& op) {
    ir::Builder& b = op.b;
    Value x = src(op, 0);
    Value rest = source(op, 1, Scalar::U32);
    const Value low = u32_like(op, static_cast<uint32_t>(-126), rest), high = u32_like(op, 126, rest);
    for (int step = 0; step < 3; step++) {
        const Value part = b.smin(b.smax(rest, low), high);
        if (step < 2) rest = b.isub(rest, part);
        const Value biased = b.iadd(part, u32_like(op, 127, part));
        const Value power = b.shl(biased, u32_like(op, 23, part));
        x = b.fmul(x, b.bitcast(power, Scalar::F32));
    }
    return x;
}

/// `oldest` and `middle` use |x|; +0 gives +inf. GLSL.std.450 leaves InverseSqrt of 0 undefined, but not this quotient,
/// which drivers turn into the GPU's instruction. Where rounding matters it is too coarse: 7 ULP instead of 2.
Value reciprocal_root(Operation& op) {
    ir::Builder& b = op.b;
    Value x = src_x(op, 0);
    if (tgsi::is_earlier(op.options.dialect)) x = b.fabs(x);
    if (!b.precise()) {
        const Value one = b.const_f32(1.0f);
        return b.fdiv(one, b.op(Op::FSqrt, x));
    }
    const Value r = b.op(Op::FRsqrt, x);
    const Value is_zero = b.foeq(x, b.const_f32(0.0f));
    return b.select(is_zero, b.const_f32(kInfinity), r);
}

/// Negative operands give NaN, which GLSL.std.450 leaves undefined.
Value root(Operation& op) {
    ir::Builder& b = op.b;
    const Value x = src_x(op, 0);
    const Value r = b.op(Op::FSqrt, x);
    const Value below = b.folt(x, b.const_f32(0.0f));
    return b.select(below, b.const_f32(kNaN), r);
}

Value dot_product(Operation& op, int n) {
    const Value a = source(op, 0, Scalar::F32, first_components(n));
    return dot(op, a, source(op, 1, Scalar::F32, first_components(n)));
}

Value approximate_exponential(Operation& op) {
    ir::Builder& b = op.b;
    const Value x = src_x(op, 0);
    const Value floor = op.mask & 3 ? b.ffloor(x) : ir::kNone;
    return per_component(op, [&](int c) {
        switch (c) {
            case 0:
                return b.op(Op::FExp2, floor);
            case 1:
                return b.fsub(x, floor);
            case 2:
                return b.op(Op::FExp2, x);
            default:
                return b.const_f32(1.0f);
        }
    });
}

/// LOG(0) = (-inf, undefined, -inf, 1); with LEGACY_MATH_RULES y = |x| * (1 / 2^…) is a product, so 0 there.
Value approximate_logarithm(Operation& op) {
    ir::Builder& b = op.b;
    if ((op.mask & 7) == 0) return b.const_f32(1.0f);
    const Value x = b.fabs(src_x(op, 0));
    const Value zero = b.const_f32(0.0f);
    const Value is_zero = b.foeq(x, zero);
    const Value log = b.op(Op::FLog2, x);
    const Value floor = op.mask & 3 ? b.ffloor(log) : ir::kNone;
    const Value at_zero = b.const_f32(-kInfinity);
    return per_component(op, [&](int c) {
        switch (c) {
            case 0:
                return b.select(is_zero, at_zero, floor);
            case 1: {
                const Value fraction = b.fdiv(x, b.op(Op::FExp2, floor));
                return op.legacy_math ? b.select(is_zero, zero, fraction) : fraction;
            }
            case 2:
                return b.select(is_zero, at_zero, log);
            default:
                return b.const_f32(1.0f);
        }
    });
}

/// (1, max(x, 0), x > 0 ? max(y, 0)^clamp(w, -128, 128) : 0, 1) with 0^0 = 1. The product inside the power needs no
/// legacy rule: 2^(w * log2 y) with 0 * inf = 0 gives the same 0^0 = 1.
Value light(Operation& op) {
    ir::Builder& b = op.b;
    const Value zero = b.const_f32(0.0f), one = b.const_f32(1.0f);
    return per_component(op, [&](int c) {
        if (c == 0 || c == 3) return one;
        const Value x = src_x(op, 0);
        if (c == 1) return b.fmax(x, zero);
        const Value base = b.fmax(source_component(op, 0, Scalar::F32, 1), zero);
        const Value w = source_component(op, 0, Scalar::F32, 3);
        const Value low = b.const_f32(-128.0f), high = b.const_f32(128.0f);
        const Value p = power(op, base, b.fclamp(w, low, high));
        return b.select(b.fogt(x, zero), p, zero);
    });
}

/// (1, a.y * b.y, a.z, b.w)
Value distance(Operation& op) {
    return per_component(op, [&](int c) {
        switch (c) {
            case 0:
                return op.b.const_f32(1.0f);
            case 1: {
                const Value a = source_component(op, 0, Scalar::F32, 1);
                return product(op, a, source_component(op, 1, Scalar::F32, 1));
            }
            default:
                return source_component(op, c == 2 ? 0 : 1, Scalar::F32, c);
        }
    });
}

/// Opcodes of scalars, and those whose components differ.
Outcome lower_scalar(Operation& op) {
    ir::Builder& b = op.b;
    switch (op.instruction.op) {
        case Opcode::RCP: {
            const Value one = b.const_f32(1.0f);
            return done(b.fdiv(one, src_x(op, 0)));
        }
        case Opcode::RSQ:
            return done(reciprocal_root(op));
        case Opcode::SQRT:
            return done(root(op));
        case Opcode::EX2:
            return done(b.op(Op::FExp2, src_x(op, 0)));
        case Opcode::LG2:
            return done(log2_of(op, src_x(op, 0)));
        case Opcode::COS:
            return done(periodic(op, Op::FCos, src_x(op, 0)));
        case Opcode::SIN:
            return done(periodic(op, Op::FSin, src_x(op, 0)));
        case Opcode::POW: {
            const Value x = src_x(op, 0);
            return done(power(op, x, src_x(op, 1)));
        }
        case Opcode::DP2:
            return done(dot_product(op, 2));
        case Opcode::DP3:
            return done(dot_product(op, 3));
        case Opcode::DP4:
            return done(dot_product(op, 4));
        case Opcode::EXP:
            return done(approximate_exponential(op));
        case Opcode::LOG:
            return done(approximate_logarithm(op));
        case Opcode::LIT:
            return done(light(op));
        case Opcode::DST:
            return done(distance(op));
        default:
            return no_case(op);
    }
}

}  // namespace

Outcome lower_arithmetic(Operation& op) {
    switch (op.instruction.op) {
        case Opcode::MOV:
            return done(src(op, 0));
        case Opcode::FRC:
            return done(unary(op, Op::FFract));
        case Opcode::FLR:
            return done(unary(op, Op::FFloor));
        case Opcode::CEIL:
            return done(unary(op, Op::FCeil));
        case Opcode::TRUNC:
            return done(unary(op, Op::FTrunc));
        case Opcode::ROUND:
            return done(unary(op, Op::FRoundEven));
        case Opcode::SSG:
            return done(sign(op));
        case Opcode::DDX:
            return done(unary(op, Op::DPdx));
        case Opcode::DDY:
            return done(unary(op, Op::DPdy));
        case Opcode::DDX_FINE:
            return done(unary(op, Op::DPdxFine));
        case Opcode::DDY_FINE:
            return done(unary(op, Op::DPdyFine));
        case Opcode::ADD:
            return done(binary(op, Op::FAdd));
        case Opcode::DIV:
            return done(binary(op, Op::FDiv));
        case Opcode::MIN:
            return done(binary(op, Op::FMin));
        case Opcode::MAX:
            return done(binary(op, Op::FMax));
        case Opcode::MUL: {
            const Value x = src(op, 0);
            return done(product(op, x, src(op, 1)));
        }
        case Opcode::MAD: {
            const Value x = src(op, 0), y = src(op, 1), z = src(op, 2);
            return done(op.b.fadd(product(op, x, y), z));
        }
        case Opcode::FMA:
            return done(fused_multiply_add(op));
        case Opcode::LRP:
            return done(interpolate(op));
        case Opcode::LDEXP:
            return done(load_exponent(op));
        default:
            return lower_scalar(op);
    }
}

}  // namespace tgsi2spv::lower
