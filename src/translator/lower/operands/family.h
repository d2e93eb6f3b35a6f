// Shared by the opcode families: constants shaped like another value, results by component, and the products and sums
// that obey LEGACY_MATH_RULES and PRECISE.
//
// The order of instructions and constants is part of the result, but C++ does not define the order in which a call's
// arguments are evaluated. So at most one argument of a call may emit anything or make a constant.
#pragma once

#include <bit>
#include <cstdint>

#include "lower/operands/operation.h"

namespace tgsi2spv::lower {

inline constexpr float kInfinity = std::bit_cast<float>(0x7f80'0000u);
inline constexpr float kNaN = std::bit_cast<float>(0x7fc0'0000u);

/// `x` in every component of a value as wide as `like`.
inline ir::Value f32_like(Operation& op, float x, ir::Value like) {
    return op.b.const_splat(op.b.type_of(like).of(ir::Scalar::F32), std::bit_cast<uint32_t>(x));
}
inline ir::Value u32_like(Operation& op, uint32_t x, ir::Value like) {
    return op.b.const_splat(op.b.type_of(like).of(ir::Scalar::U32), x);
}

/// True for a constant of 32-bit words whose value is known now, if every component satisfies `test`.
template <class F>
bool is_known(const Operation& op, ir::Value v, F&& test) {
    if (!ir::is_constant(v)) return false;
    const ir::Constant& c = op.b.constant(v);
    if (c.spec_id >= 0 || c.type.is_wide()) return false;
    for (int i = 0; i < c.type.components; i++)
        if (!test(c.words[i])) return false;
    return true;
}

/// One value made of the scalars that `f(component)` gives for each component of the write mask.
template <class F>
ir::Value per_component(Operation& op, F&& f) {
    ir::Component components[4];
    int n = 0;
    for (int c = 0; c < 4; c++)
        if (op.mask >> c & 1) components[n++] = {f(c), 0};
    return op.b.compose(std::span(components, static_cast<size_t>(n)));
}

/// The components of the write mask, taken from a vector of four.
ir::Value masked(Operation& op, ir::Value four);

/// With LEGACY_MATH_RULES, makes both factors 0 if one is, so that their product is; x * x needs nothing. Drivers turn
/// this form, which Direct3D 9's layers use too, into the one instruction that their GPUs have for it.
void make_legacy(Operation& op, ir::Value& a, ir::Value& b);
/// a * b; with LEGACY_MATH_RULES 0 * anything = 0 (semantics: Float).
ir::Value product(Operation& op, ir::Value a, ir::Value b);
/// x + y + … over a vector's components, from the left.
ir::Value sum(Operation& op, ir::Value v);
/// The dot product: one instruction if nothing constrains its rounding.
ir::Value dot(Operation& op, ir::Value a, ir::Value b);
/// log2 of a scalar, with log2(0) = -inf (GLSL.std.450 leaves it undefined).
ir::Value log2_of(Operation& op, ir::Value x);
/// x^y for x >= 0, with x^0 = 1, 0^y = 0 for y > 0 and +inf for y < 0.
ir::Value power(Operation& op, ir::Value x, ir::Value y);

/// sin or cos (`o`: FSin, FCos) of any x; the error is within 2^-11 + |x| * 2^-20 for |x| <= 2^15.
ir::Value periodic(Operation& op, ir::Op o, ir::Value x);

/// Whether the caller or the driver promises that no conversion to an integer needs a guard.
bool is_unguarded(const Operation& op);
/// F2I, F2U: truncate and saturate, and turn NaN into 0; or as Options::conversions says.
ir::Value float_to_int(Operation& op, ir::Value x);
ir::Value float_to_uint(Operation& op, ir::Value x);

inline Outcome done(ir::Value value) {
    return {true, value};
}

}  // namespace tgsi2spv::lower
