// Conversions with 64 bits on one side or on both. Out-of-range values saturate and NaN gives 0 (semantics: Float), as
// for 32 bits: operands are clamped before SPIR-V's conversions, whose behaviour is undefined for values that do not
// fit.
#include "lower/operands/wide.h"

#include "lower/families/families.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using tgsi::Opcode;

namespace {

/// The bounds of an integer type as floats: lowest ≤ x ≤ highest converts unchanged, x ≥ `end` gives the largest
/// integer.
struct Bounds {
    double lowest, highest, end;
    uint64_t largest;
};
constexpr Bounds kInt32{-0x1p31, 2147483647.0, 0x1p31, 0x7fff'ffff};
constexpr Bounds kUint32{0.0, 4294967295.0, 0x1p32, 0xffff'ffff};
constexpr Bounds kInt64OfFloat{-0x1p63, 0x1.fffffep62, 0x1p63, 0x7fff'ffff'ffff'ffff};
constexpr Bounds kInt64OfDouble{-0x1p63, 0x1.fffffffffffffp62, 0x1p63, 0x7fff'ffff'ffff'ffff};
constexpr Bounds kUint64OfFloat{0.0, 0x1.fffffep63, 0x1p64, 0xffff'ffff'ffff'ffff};
constexpr Bounds kUint64OfDouble{0.0, 0x1.fffffffffffffp63, 0x1p64, 0xffff'ffff'ffff'ffff};

Value float_like(Operation& op, double x, Value like) {
    if (op.b.type_of(like).scalar == Scalar::F64) return f64_like(op, x, like);
    return f32_like(op, static_cast<float>(x), like);
}
Value integer_like(Operation& op, uint64_t x, Value like, bool wide) {
    return wide ? u64_like(op, x, like) : u32_like(op, static_cast<uint32_t>(x), like);
}

/// FToS or FToU. NClamp turns NaN into the lower bound; for unsigned types that is 0, the required result.
Value to_integer(Operation& op, Op o, Value x, Scalar from, Scalar scalar, const Bounds& bounds) {
    ir::Builder& b = op.b;
    if (from == Scalar::F64 && !op.capabilities.float64) return wide_convert(op, o, x, from, scalar);
    const ir::Type type = b.type_of(x).of(scalar);
    if (is_unguarded(op)) return b.convert(o, x, type);
    const Value low = float_like(op, bounds.lowest, x), high = float_like(op, bounds.highest, x);
    Value value = b.convert(o, b.fclamp(x, low, high), type);
    if (op.options.conversions == Conversions::Clamp) return value;
    const auto constant = [&](uint64_t bits) { return integer_like(op, bits, x, scalar == Scalar::U64); };
    if (scalar == Scalar::U64) {
        const Value above = b.foge(x, float_like(op, bounds.end, x));
        value = b.select(above, constant(bounds.largest), value);
    }
    if (o == Op::FToS) value = b.select(b.is_nan(x), constant(0), value);
    return value;
}

/// 32 to 64 bits: the pair xy takes src.x, zw takes src.y.
Outcome widened(Operation& op, Op o, Scalar from, Scalar to) {
    const Pairs pairs = pairs_in(op.mask);
    Value x = narrow_source(op, 0, from, pairs, true);
    if (from == Scalar::U32 && to == Scalar::F64) x = opaque_integer(op, x);
    return wide_result(op, wide_convert(op, o, x, from, to), pairs);
}
Outcome narrowed(Operation& op, Op o, Scalar from, Scalar to) {
    const Value x = wide_source(op, 0, from, narrow_mask(op));
    const Value result = wide_convert(op, o, x, from, to);
    if (to != Scalar::F32 || !op.options.workarounds.opaque_integers) return done(result);
    return done(op.b.bitcast(opaque_integer(op, op.b.bitcast(result, Scalar::U32)), to));
}
Outcome between(Operation& op, Op o, Scalar from, Scalar to) {
    const Pairs pairs = pairs_in(op.mask);
    const Value x = wide_source(op, 0, from, pairs);
    return wide_result(op, wide_convert(op, o, x, from, to), pairs);
}

}  // namespace

Outcome lower_wide_convert(Operation& op) {
    const Pairs pairs = pairs_in(op.mask);
    switch (op.instruction.op) {
        case Opcode::F2D:
            return widened(op, Op::FConvert, Scalar::F32, Scalar::F64);
        case Opcode::I2D:
            return widened(op, Op::SToF, Scalar::U32, Scalar::F64);
        case Opcode::U2D:
            return widened(op, Op::UToF, Scalar::U32, Scalar::F64);
        case Opcode::I2I64:
            return widened(op, Op::SConvert, Scalar::U32, Scalar::U64);
        case Opcode::U2I64:
            return widened(op, Op::UConvert, Scalar::U32, Scalar::U64);
        case Opcode::D2F:
            return narrowed(op, Op::FConvert, Scalar::F64, Scalar::F32);
        case Opcode::I642F:
            return narrowed(op, Op::SToF, Scalar::U64, Scalar::F32);
        case Opcode::U642F:
            return narrowed(op, Op::UToF, Scalar::U64, Scalar::F32);
        case Opcode::I642D:
            return between(op, Op::SToF, Scalar::U64, Scalar::F64);
        case Opcode::U642D:
            return between(op, Op::UToF, Scalar::U64, Scalar::F64);
        case Opcode::D2I: {
            const Value x = wide_source(op, 0, Scalar::F64, narrow_mask(op));
            return done(to_integer(op, Op::FToS, x, Scalar::F64, Scalar::U32, kInt32));
        }
        case Opcode::D2U: {
            const Value x = wide_source(op, 0, Scalar::F64, narrow_mask(op));
            return done(to_integer(op, Op::FToU, x, Scalar::F64, Scalar::U32, kUint32));
        }
        case Opcode::F2I64: {
            const Value x = narrow_source(op, 0, Scalar::F32, pairs, true);
            return wide_result(op, to_integer(op, Op::FToS, x, Scalar::F32, Scalar::U64, kInt64OfFloat), pairs);
        }
        case Opcode::F2U64: {
            const Value x = narrow_source(op, 0, Scalar::F32, pairs, true);
            return wide_result(op, to_integer(op, Op::FToU, x, Scalar::F32, Scalar::U64, kUint64OfFloat), pairs);
        }
        case Opcode::D2I64: {
            const Value x = wide_source(op, 0, Scalar::F64, pairs);
            return wide_result(op, to_integer(op, Op::FToS, x, Scalar::F64, Scalar::U64, kInt64OfDouble), pairs);
        }
        case Opcode::D2U64: {
            const Value x = wide_source(op, 0, Scalar::F64, pairs);
            return wide_result(op, to_integer(op, Op::FToU, x, Scalar::F64, Scalar::U64, kUint64OfDouble), pairs);
        }
        default:
            return no_case(op);
    }
}

}  // namespace tgsi2spv::lower
