#include "lower/operands/family.h"

#include "lower/operands/ranges.h"

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
    // NoContraction on OpDot does not cover the additions inside it, so operations that must round as written are
    // written out. OpDot takes no scalars.
    if ((op.legacy_math && a != b) || op.b.precise() || op.b.type_of(a).components == 1)
        return sum(op, product(op, a, b));
    return op.b.fdot(a, b);
}

Value log2_of(Operation& op, Value x) {
    const Value log = op.b.op(Op::FLog2, x);
    // Or not 0, even if denormals are flushed.
    if (op.options.workarounds.device_logs_zero || range_of(op.b, x, 0).low >= 0x1p-126f) return log;
    const Value is_zero = op.b.foeq(x, f32_like(op, 0.0f, x));
    return op.b.select(is_zero, f32_like(op, -kInfinity, x), log);
}

Value power(Operation& op, Value x, Value y) {
    ir::Builder& b = op.b;
    // GLSL.std.450's Pow is defined for x = 0 if y > 0.
    if (is_ordinary_factor(op, y) && range_of(b, y, 0).low > 0) return b.op(Op::FPow, x, y);
    // The definition of GLSL.std.450's Pow, which is undefined for x = 0; log2_of() gives the right logarithm, except
    // for y = 0, where Mesa finds one product in which 0 * inf = 0.
    const Value log = log2_of(op, x);
    const Value p = b.op(Op::FExp2, b.fmul(y, log));
    const Value y_is_zero = b.foeq(y, f32_like(op, 0.0f, y));
    return b.select(y_is_zero, f32_like(op, 1.0f, x), p);
}

Value periodic(Operation& op, Op o, Value x) {
    ir::Builder& b = op.b;
    if (op.options.workarounds.device_reduces_angles) return b.op(o, x);
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

namespace {

/// The floats that an integer type holds, and the results for other floats.
struct Integers {
    Op convert;
    float lowest, highest;
    float end;  ///< the float after the highest
    uint32_t largest;

    bool hold(const FloatRange& r) const { return r.low >= lowest && r.high <= highest; }
};
constexpr Integers kSigned{Op::FToS, -0x1p31f, 2147483520.0f, 0x1p31f, 0x7fff'ffff};
constexpr Integers kUnsigned{Op::FToU, 0, 4294967040.0f, 0x1p32f, 0xffff'ffff};

/// OpConvertFToS of a value that does not fit is undefined behaviour, not just an undefined result, so its operand is
/// clamped unless it is known to fit.
Value to_integer(Operation& op, const Integers& to, Value x, const FloatRange& range) {
    ir::Builder& b = op.b;
    const ir::Type type = b.type_of(x).of(ir::Scalar::U32);
    const bool fits = to.hold(range);
    if (is_unguarded(op) || (fits && !range.maybe_nan)) return b.convert(to.convert, x, type);
    // NMax and NClamp turn NaN into the lower bound.
    const float lowest = fits ? range.low : to.lowest;
    const Value low = f32_like(op, lowest, x);
    const Value safe = fits ? b.fmax(x, low) : b.fclamp(x, low, f32_like(op, to.highest, x));
    Value result = b.convert(to.convert, safe, type);
    if (op.options.conversions == Conversions::Clamp) return result;
    if (!fits) {
        const Value above = b.foge(x, f32_like(op, to.end, x));
        result = b.select(above, u32_like(op, to.largest, x), result);
    }
    if (lowest == 0 || !range.maybe_nan) return result;
    const Value zero = u32_like(op, 0, x);
    return b.select(b.is_nan(x), zero, result);
}

/// Components that fit are converted apart from those that need a guard.
Value to_integers(Operation& op, const Integers& to, Value x) {
    ir::Builder& b = op.b;
    const int n = b.type_of(x).components;
    FloatRange ranges[4], all = ranges[0] = range_of(b, x, 0);
    bool alike = true;
    for (int c = 1; c < n; c++) {
        ranges[c] = range_of(b, x, c);
        alike = alike && to.hold(ranges[c]) == to.hold(ranges[0]);
        all = either(all, ranges[c]);
    }
    if (alike || is_unguarded(op)) return to_integer(op, to, x, all);
    ir::Component results[4];
    for (int c = 0; c < n; c++) results[c] = {to_integer(op, to, b.extract(x, c), ranges[c]), 0};
    return b.compose(std::span(results, static_cast<size_t>(n)));
}

}  // namespace

bool is_unguarded(const Operation& op) {
    const Conversions conversions = op.options.conversions;
    return conversions == Conversions::Trust ||
           (conversions == Conversions::Clamp && op.options.workarounds.device_saturates);
}

Value float_to_int(Operation& op, Value x) {
    return to_integers(op, kSigned, x);
}

Value float_to_uint(Operation& op, Value x) {
    return to_integers(op, kUnsigned, x);
}

}  // namespace tgsi2spv::lower
