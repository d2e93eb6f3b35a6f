// Conversions between floats and 32-bit integers, and the packing opcodes (semantics: Float). Conversions from and to
// 64 bits are with the wide operations.
#include "lower/operands/family.h"

#include "lower/context/components.h"
#include "lower/families/families.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using tgsi::Opcode;

namespace {

Value src_float(Operation& op) {
    return source(op, 0, Scalar::F32);
}

Value int_to_float(Operation& op, Op o) {
    const Value x = opaque_integer(op, source(op, 0, Scalar::U32));
    return op.b.convert(o, x, op.b.type_of(x).of(Scalar::F32));
}

/// Joins the fields into one word: component i of `fields`, which has `bits` bits and zeros above, goes to bit i *
/// bits.
Value join(Operation& op, Value fields, uint32_t bits) {
    ir::Builder& b = op.b;
    Value word = b.extract(fields, 0);
    for (int i = 1; i < b.type_of(fields).components; i++) {
        const Value field = b.extract(fields, i);
        const Value count = b.const_u32(bits * static_cast<uint32_t>(i));
        word = b.bit_or(word, b.shl(field, count));
    }
    return word;
}

/// clamp(x, lo, 1) * scale of the first n components; NaN is treated as lo.
Value scaled(Operation& op, int n, float lo, float scale) {
    ir::Builder& b = op.b;
    const Value x = source(op, 0, Scalar::F32, first_components(n));
    const Value low = f32_like(op, lo, x), high = f32_like(op, 1.0f, x);
    const Value clamped = b.fclamp(x, low, high);
    return b.fmul(clamped, f32_like(op, scale, x));
}

/// Rounds x >= 0 to the nearest integer, ties up. floor(x + 0.5) would turn the largest float below 0.5 into 1.
Value nearest(Operation& op, Value x) {
    ir::Builder& b = op.b;
    const Value floor = b.ffloor(x);
    const Value rest = b.fsub(x, floor);
    const Value up = b.foge(rest, f32_like(op, 0.5f, x));
    const Value one = u32_like(op, 1, x), zero = u32_like(op, 0, x);
    const Value whole = b.convert(Op::FToU, floor, b.type_of(x).of(Scalar::U32));
    return b.iadd(whole, b.select(up, one, zero));
}

Value pack_unorm(Operation& op, int n, uint32_t bits) {
    return join(op, nearest(op, scaled(op, n, 0.0f, static_cast<float>((1u << bits) - 1))), bits);
}

Value pack_snorm8(Operation& op) {
    ir::Builder& b = op.b;
    const Value x = scaled(op, 4, -1.0f, 127.0f);
    const Value magnitude = nearest(op, b.fabs(x));
    const Value below = b.folt(x, f32_like(op, 0.0f, x));
    const Value i = b.select(below, b.ineg(magnitude), magnitude);
    return join(op, b.bit_and(i, u32_like(op, 0xff, i)), 8);
}

/// The field of `bits` bits that each component of the mask reads from src.x: field c, wrapping around if there are
/// fewer than four.
Value fields_of_mask(Operation& op, uint32_t bits, bool is_signed) {
    ir::Builder& b = op.b;
    const Value word = b.splat(source_component(op, 0, Scalar::U32, 0), op.width);
    const Value up = per_component(op, [&](int c) {
        const uint32_t position = bits * (static_cast<uint32_t>(c) % (32 / bits));
        return b.const_u32(32 - bits - position);
    });
    const Value at_top = b.shl(word, up);
    const Value down = u32_like(op, 32 - bits, word);
    return is_signed ? b.ashr(at_top, down) : b.lshr(at_top, down);
}

Value unpack_unorm(Operation& op, uint32_t bits) {
    const Value field = fields_of_mask(op, bits, false);
    const Value x = op.b.convert(Op::UToF, field, op.b.type_of(field).of(Scalar::F32));
    return op.b.fdiv(x, f32_like(op, static_cast<float>((1u << bits) - 1), x));
}

/// max(byte / 127, -1)
Value unpack_snorm8(Operation& op) {
    const Value field = opaque_integer(op, fields_of_mask(op, 8, true));
    const Value x = op.b.convert(Op::SToF, field, op.b.type_of(field).of(Scalar::F32));
    const Value lowest = f32_like(op, -1.0f, x);
    return op.b.fmax(op.b.fdiv(x, f32_like(op, 127.0f, x)), lowest);
}

/// low, high, low, high
Value unpack_half(Operation& op) {
    const Value pair = op.b.convert(Op::UnpackHalf, source_component(op, 0, Scalar::U32, 0), ir::f32(2));
    return per_component(op, [&](int c) { return op.b.extract(pair, c & 1); });
}

}  // namespace

Outcome lower_convert(Operation& op) {
    ir::Builder& b = op.b;
    switch (op.instruction.op) {
        case Opcode::F2I:
            return done(float_to_int(op, src_float(op)));
        case Opcode::F2U:
            return done(float_to_uint(op, src_float(op)));
        case Opcode::ARL:
            return done(float_to_int(op, b.ffloor(src_float(op))));
        case Opcode::ARR:
            return done(float_to_int(op, b.op(Op::FRoundEven, src_float(op))));
        case Opcode::I2F:
            return done(int_to_float(op, Op::SToF));
        case Opcode::U2F:
            return done(int_to_float(op, Op::UToF));
        case Opcode::PK2H:
            return done(b.convert(Op::PackHalf, source(op, 0, Scalar::F32, first_components(2)), ir::u32()));
        case Opcode::PK2US:
            return done(pack_unorm(op, 2, 16));
        case Opcode::PK4UB:
            return done(pack_unorm(op, 4, 8));
        case Opcode::PK4B:
            return done(pack_snorm8(op));
        case Opcode::UP2H:
            return done(unpack_half(op));
        case Opcode::UP2US:
            return done(unpack_unorm(op, 16));
        case Opcode::UP4UB:
            return done(unpack_unorm(op, 8));
        case Opcode::UP4B:
            return done(unpack_snorm8(op));
        default:
            return no_case(op);
    }
}

}  // namespace tgsi2spv::lower
