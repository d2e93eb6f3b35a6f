#include "lower/family.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Value;

Value masked(Operation& op, Value four) {
    return per_component(op, [&](int c) { return op.b.extract(four, c); });
}

namespace {

/// A finite constant other than 0, even if denormals are flushed: multiplying by it needs no rule for 0 * inf and 0 *
/// NaN.
bool is_ordinary_factor(const Operation& op, Value v) {
    return is_known(op, v, [](uint32_t word) {
        const uint32_t exponent = word >> 23 & 0xff;
        return exponent != 0 && exponent != 0xff;
    });
}

}  // namespace

void make_legacy(Operation& op, Value& a, Value& b) {
    if (!op.legacy_math || a == b || is_ordinary_factor(op, a) || is_ordinary_factor(op, b)) return;
    const Value zero = f32_like(op, 0.0f, a);
    const Value first = op.b.select(op.b.foeq(b, zero), zero, a);
    b = op.b.select(op.b.foeq(a, zero), zero, b);
    a = first;
}

Value product(Operation& op, Value a, Value b) {
    make_legacy(op, a, b);
    return op.b.fmul(a, b);
}

Value sum(Operation& op, Value v) {
    Value total = op.b.extract(v, 0);
    for (int c = 1; c < op.b.type_of(v).components; c++) total = op.b.fadd(total, op.b.extract(v, c));
    return total;
}

Value dot(Operation& op, Value a, Value b) {
    // NoContraction on OpDot does not cover the additions inside it, so what must round as written is written out.
    // OpDot takes no scalars.
    if ((op.legacy_math && a != b) || op.b.precise() || op.b.type_of(a).components == 1)
        return sum(op, product(op, a, b));
    return op.b.fdot(a, b);
}

Value log2_of(Operation& op, Value x) {
    const Value log = op.b.op(Op::FLog2, x);
    const Value is_zero = op.b.foeq(x, f32_like(op, 0.0f, x));
    return op.b.select(is_zero, f32_like(op, -kInfinity, x), log);
}

Value power(Operation& op, Value x, Value y) {
    ir::Builder& b = op.b;
    // The definition of GLSL.std.450's Pow, which is undefined for x = 0; log2_of() makes that what it has to be,
    // except for y = 0, where Mesa finds one product in which 0 * inf = 0.
    const Value log = log2_of(op, x);
    const Value p = b.op(Op::FExp2, b.fmul(y, log));
    const Value y_is_zero = b.foeq(y, f32_like(op, 0.0f, y));
    return b.select(y_is_zero, f32_like(op, 1.0f, x), p);
}

Value periodic(Operation& op, Op o, Value x) {
    ir::Builder& b = op.b;
    // Vulkan guarantees sin and cos to 2^-11 in [-pi, pi] and nothing outside; one device returns noise beyond 1e5. So
    // k whole turns are subtracted first (Cody and Waite): 2 pi = C1 + C2 + C3, where C1 and C2 have 8 and 11 bits, so
    // that k * C1 and k * C2 are exact for |k| < 2^13, and so are the differences from them. Whether Fma rounds once or
    // twice does not matter then.
    constexpr float kTurn[] = {201.0f / 32, 2029.0f / 1048576, 3.0199160e-7f};
    constexpr float kPi = std::bit_cast<float>(0x4049'0fdau);  // the largest float below pi
    const bool precise = b.precise();
    b.set_precise(true);
    const Value turns = b.op(Op::FRoundEven, b.fmul(x, f32_like(op, 0.15915494f, x)));
    Value rest = x;
    for (const float part : kTurn) rest = b.fma(turns, f32_like(op, -part, x), rest);
    b.set_precise(precise);
    // Because x / 2 pi is rounded, up to |x| * 2^-22 beyond half a turn may remain.
    const Value low = f32_like(op, -kPi, x), high = f32_like(op, kPi, x);
    rest = b.fclamp(rest, low, high);
    // Larger arguments, infinities and NaN are left to the device.
    const Value limit = f32_like(op, 32768.0f, x);
    return b.op(o, b.select(b.fole(b.fabs(x), limit), rest, x));
}

Value float_to_int(Operation& op, Value x) {
    ir::Builder& b = op.b;
    const ir::Type type = b.type_of(x).of(ir::Scalar::U32);
    if (op.options.conversions == Conversions::Trust) return b.convert(Op::FToS, x, type);
    // OpConvertFToS of a value that does not fit is undefined behaviour, not just an undefined result, so its operand
    // is clamped. 2147483520 is the largest float below 2^31.
    const Value low = f32_like(op, -2147483648.0f, x), high = f32_like(op, 2147483520.0f, x);
    const Value truncated = b.convert(Op::FToS, b.fclamp(x, low, high), type);
    if (op.options.conversions == Conversions::Clamp) return truncated;
    const Value above = b.foge(x, f32_like(op, 2147483648.0f, x));
    const Value saturated = b.select(above, u32_like(op, 0x7fff'ffff, x), truncated);
    const Value zero = u32_like(op, 0, x);
    return b.select(b.is_nan(x), zero, saturated);
}

Value float_to_uint(Operation& op, Value x) {
    ir::Builder& b = op.b;
    const ir::Type type = b.type_of(x).of(ir::Scalar::U32);
    if (op.options.conversions == Conversions::Trust) return b.convert(Op::FToU, x, type);
    // NClamp turns NaN into the lower bound, 0, which is the required result.
    const Value low = f32_like(op, 0.0f, x), high = f32_like(op, 4294967040.0f, x);
    const Value truncated = b.convert(Op::FToU, b.fclamp(x, low, high), type);
    if (op.options.conversions == Conversions::Clamp) return truncated;
    const Value above = b.foge(x, f32_like(op, 4294967296.0f, x));
    return b.select(above, u32_like(op, 0xffff'ffff, x), truncated);
}

}  // namespace tgsi2spv::lower
