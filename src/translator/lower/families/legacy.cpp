// Opcodes that only the oldest and middle editions have (semantics: Float, Integer, Flow).
#include "lower/context/components.h"
#include "lower/families/families.h"
#include "lower/operands/family.h"
#include "lower/registers/stack.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using tgsi::Opcode;

namespace {

Value src(Operation& op, int i, Scalar scalar = Scalar::F32) {
    return source(op, i, scalar);
}
Value comp(Operation& op, int i, int c) {
    return source_component(op, i, Scalar::F32, c);
}
Value vector(Operation& op, int i, int n) {
    return source(op, i, Scalar::F32, first_components(n));
}

/// As printed: (x < lo) ? lo : (x > hi) ? hi : x, which keeps NaN and does not require lo <= hi.
Value clamp(Operation& op, Value x, Value lo, Value hi) {
    ir::Builder& b = op.b;
    const Value below_hi = b.select(b.fogt(x, hi), hi, x);
    return b.select(b.folt(x, lo), lo, below_hi);
}

/// 1 / x with its magnitude clamped and its sign kept.
Value reciprocal_clamped(Operation& op) {
    ir::Builder& b = op.b;
    const Value one = b.const_f32(1.0f);
    const Value r = b.fdiv(one, comp(op, 0, 0));
    const Value low = b.const_f32(5.42101e-20f), high = b.const_f32(1.884467e+19f);
    const Value magnitude = clamp(op, b.fabs(r), low, high);
    const Value bits = b.bitcast(r, Scalar::U32);
    const Value sign = b.bit_and(bits, b.const_u32(0x8000'0000));
    return b.bitcast(b.bit_or(b.bitcast(magnitude, Scalar::U32), sign), Scalar::F32);
}

/// src0.x * src1.x + src0.y * src1.y + src2.x
Value dot2_add(Operation& op) {
    const Value a = vector(op, 0, 2);
    const Value d = dot(op, a, vector(op, 1, 2));
    return op.b.fadd(d, comp(op, 2, 0));
}

/// src0.xyz . src1.xyz + src1.w
Value dot_homogeneous(Operation& op) {
    const Value a = vector(op, 0, 3);
    const Value d = dot(op, a, vector(op, 1, 3));
    return op.b.fadd(d, comp(op, 1, 3));
}

/// The first n components divided by their length; if n is 3, w is 1.
Value normalised(Operation& op, int n) {
    ir::Builder& b = op.b;
    const Value v = vector(op, 0, n);
    const Value length = b.op(Op::FSqrt, dot(op, v, v));
    // With LEGACY_MATH_RULES, multiplies by the reciprocal: if the length is 0, 0 then stays 0, as in every product.
    const Value unit =
        op.legacy_math ? product(op, v, b.splat(b.fdiv(b.const_f32(1.0f), length), n)) : b.fdiv(v, b.splat(length, n));
    return per_component(op, [&](int c) { return c < n ? b.extract(unit, c) : b.const_f32(1.0f); });
}

/// (cos x, sin x, 0, 1)
Value sine_cosine(Operation& op) {
    ir::Builder& b = op.b;
    return per_component(op, [&](int c) {
        if (c < 2) return periodic(op, c == 0 ? Op::FCos : Op::FSin, comp(op, 0, 0));
        return c == 2 ? opaque_zero(op) : b.const_f32(1.0f);
    });
}

/// 2 * (a . b) / (a . a) * a - b, and w = 1
Value reflected(Operation& op) {
    ir::Builder& b = op.b;
    const Value axis = vector(op, 0, 3);
    const Value direction = vector(op, 1, 3);
    const Value two = b.const_f32(2.0f);
    const Value twice = b.fmul(two, dot(op, axis, direction));
    const Value scale = b.fdiv(twice, dot(op, axis, axis));
    const Value r = b.fsub(product(op, b.splat(scale, 3), axis), direction);
    return per_component(op, [&](int c) { return c < 3 ? b.extract(r, c) : b.const_f32(1.0f); });
}

/// a.yzx * b.zxy - b.yzx * a.zxy, and w = 1
Value cross(Operation& op) {
    ir::Builder& b = op.b;
    static constexpr uint8_t kNext[] = {1, 2, 0}, kAfter[] = {2, 0, 1};
    const Value a_next = source(op, 0, Scalar::F32, kNext), b_next = source(op, 1, Scalar::F32, kNext);
    const Value a_after = source(op, 0, Scalar::F32, kAfter), b_after = source(op, 1, Scalar::F32, kAfter);
    const Value left = product(op, a_next, b_after);
    const Value r = b.fsub(left, product(op, b_next, a_after));
    return per_component(op, [&](int c) { return c < 3 ? b.extract(r, c) : b.const_f32(1.0f); });
}

/// dst.xz = a.x + b.x * c.x + b.y * c.y, dst.yw = a.y + b.x * c.z + b.y * c.w
Value transformed(Operation& op) {
    ir::Builder& b = op.b;
    Value results[2] = {ir::kNone, ir::kNone};
    return per_component(op, [&](int c) {
        const int row = c & 1;
        if (results[row] == ir::kNone) {
            const Value x = comp(op, 1, 0), y = comp(op, 1, 1);
            const Value x_factor = comp(op, 2, 2 * row), y_factor = comp(op, 2, 2 * row + 1);
            const Value first = product(op, x, x_factor);
            const Value second = product(op, y, y_factor);
            results[row] = b.fadd(b.fadd(comp(op, 0, row), first), second);
        }
        return results[row];
    });
}

/// dst.xz = src.x + src.z, dst.yw = src.y + src.w, integers
Value address_add(Operation& op) {
    return per_component(op, [&](int c) {
        const Value first = source_component(op, 0, Scalar::U32, c & 1);
        return op.b.iadd(first, source_component(op, 0, Scalar::U32, (c & 1) + 2));
    });
}

}  // namespace

Outcome lower_legacy(Operation& op) {
    ir::Builder& b = op.b;
    switch (op.instruction.op) {
        case Opcode::ABS:
            return done(b.fabs(src(op, 0)));
        case Opcode::SUB: {
            const Value x = src(op, 0);
            return done(b.fsub(x, src(op, 1)));
        }
        case Opcode::CLAMP: {
            const Value x = src(op, 0), lo = src(op, 1), hi = src(op, 2);
            return done(clamp(op, x, lo, hi));
        }
        case Opcode::CND: {
            const Value x = src(op, 0), y = src(op, 1), z = src(op, 2);
            return done(b.select(b.fogt(z, f32_like(op, 0.5f, z)), x, y));
        }
        case Opcode::ARA:
            return done(address_add(op));
        case Opcode::DP2A:
            return done(dot2_add(op));
        case Opcode::DPH:
            return done(dot_homogeneous(op));
        case Opcode::NRM:
            return done(normalised(op, 3));
        case Opcode::NRM4:
            return done(normalised(op, 4));
        case Opcode::SCS:
            return done(sine_cosine(op));
        case Opcode::RCC:
            return done(reciprocal_clamped(op));
        case Opcode::RFL:
            return done(reflected(op));
        case Opcode::XPD:
            return done(cross(op));
        case Opcode::X2D:
            return done(transformed(op));
        case Opcode::SAD: {
            const Value x = src(op, 0, Scalar::U32), y = src(op, 1, Scalar::U32), z = src(op, 2, Scalar::U32);
            const Value larger = b.umax(x, y);
            return done(b.iadd(b.isub(larger, b.umin(x, y)), z));
        }
        case Opcode::SHR:
            return shift(op, Op::AShr, has_one_shift_count(op));
        case Opcode::SFL:
            return done(opaque_zero(op));
        case Opcode::STR:
            return done(b.const_f32(1.0f));
        case Opcode::PUSHA:
            push_to_stack(op.context, source(op, 0, Scalar::F32, all_components()));
            return done(ir::kNone);
        case Opcode::POPA:
            return done(masked(op, pop_from_stack(op.context)));
        default:
            return no_case(op);
    }
}

}  // namespace tgsi2spv::lower
