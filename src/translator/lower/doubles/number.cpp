#include "lower/doubles/number.h"

namespace tgsi2spv::lower::doubles {

using ir::Op;

Wide<2> product(const Word& x, const Word& y) {
    ir::Builder& b = *x.b;
    const ir::Value low = b.op(Op::UMulExt, x.v, y.v);
    return {Word{&b, low}, Word{&b, b.second(low, ir::u32())}};
}

Wide<4> product(const Wide<2>& x, const Wide<2>& y) {
    const Word zero = constant(*x[0].b, 0);
    const Wide<2> ll = product(x[0], y[0]), lh = product(x[0], y[1]), hl = product(x[1], y[0]),
                  hh = product(x[1], y[1]);
    const Wide<4> outer = {ll[0], ll[1], hh[0], hh[1]};
    return sum(sum(outer, {zero, lh[0], lh[1], zero}, zero), {zero, hl[0], hl[1], zero}, zero);
}

Word is_nan(const Wide<2>& x) {
    const Word high = x[1] & ~kSign;
    const Word tail = bit(x[0] != 0u);
    return (high | tail) > kInfinity;
}

Wide<2> nan_if(const Word& condition, const Wide<2>& x) {
    return choose(condition, wide<2>(*x[0].b, uint64_t{kNaN} << 32), x);
}

Number number_of(const Wide<2>& x, Denormals denormals) {
    Number n;
    n.sign = x[1] & kSign;
    const Word high = x[1] & ~kSign;
    const Word fraction = x[1] & 0xf'ffffu;
    const Word field = high >> 20u;
    const Word hidden = choose(field == 0u, 0u, 0x10'0000u);
    const Word top = (fraction | hidden) << 11u;
    n.mantissa = {x[0] << 11u, top | x[0] >> 21u};
    n.exponent = {x[0].b, x[0].b->umax(field.v, x[0].b->const_u32(1))};
    n.is_zero = negation(is_nonzero(n.mantissa));
    const Word greatest = field == kMostExponent, rest = is_nonzero(Wide<2>{x[0], fraction});
    n.is_nan = both(greatest, rest);
    n.is_infinite = both(greatest, negation(rest));
    if (denormals == Denormals::AsTheyAre) return n;
    const auto [mantissa, zeros] = normalised(n.mantissa);
    n.mantissa = mantissa;
    n.exponent = choose(n.is_zero, static_cast<uint32_t>(-4000), n.exponent - zeros);
    return n;
}

namespace {

/// How far a denormal's mantissa moves down, at most `most`: 1 − exponent.
Word distance_to_normal(const Word& exponent, uint32_t most) {
    ir::Builder& b = *exponent.b;
    const Word distance = constant(b, 1) - exponent;
    const Word positive{&b, b.smax(distance.v, b.const_u32(0))};
    return {&b, b.umin(positive.v, b.const_u32(most))};
}

/// The exponent's field, less one for the mantissa's hidden bit, which will be added to it.
Word field_of(const Word& exponent) {
    ir::Builder& b = *exponent.b;
    const Word normal{&b, b.smax(exponent.v, b.const_u32(1))};
    return normal - 1u;
}

Word is_at_least(const Word& exponent, uint32_t least) {
    return {exponent.b, exponent.b->sge(exponent.v, exponent.b->const_u32(least))};
}

/// A mantissa whose top bit is 0 is 0: its exponent says nothing.
Word exponent_of(const Word& exponent, const Word& top) {
    return choose(top < kSign, 0u, exponent);
}

}  // namespace

Wide<2> rounded(const Word& sign, const Word& exponent, const Wide<2>& mantissa) {
    ir::Builder& b = *sign.b;
    const Word e = exponent_of(exponent, mantissa[1]);
    const Wide<2> m = shifted_right(mantissa, distance_to_normal(e, 63), true);
    const Word tail = m[0] & 0x7ffu;
    const Word low = m[0] >> 11u;
    Wide<2> whole = {low | m[1] << 21u, m[1] >> 11u};
    const Word odd = whole[0] & 1u;
    const Word up = bit((tail + odd) > 0x400u);
    whole = sum(whole, wide<2>(b, 0), up);
    const Word top = field_of(e) << 20u;
    whole[1] = whole[1] + top;  // a carry out of the mantissa belongs to the exponent
    const Word beyond = is_at_least(e, kMostExponent);
    const Wide<2> magnitude = choose(beyond, wide<2>(b, uint64_t{kInfinity} << 32), whole);
    return {magnitude[0], magnitude[1] | sign};
}

Word rounded_to_float(const Word& sign, const Word& exponent, const Wide<2>& mantissa) {
    const Word e = exponent - (kBias - 127);
    const Wide<1> both_words = upper_half(mantissa);
    const Wide<1> m = shifted_right(both_words, distance_to_normal(e, 31), true);
    const Word tail = m[0] & 0xffu;
    const Word whole = m[0] >> 8u;
    const Word odd = whole & 1u;
    const Word up = bit((tail + odd) > 0x80u);
    const Word field = field_of(e) << 23u;
    const Word value = whole + up + field;
    return choose(is_at_least(e, 255), 0x7f80'0000u, value) | sign;
}

}  // namespace tgsi2spv::lower::doubles
