// Roundings to integers, conversions, and the exponent as a number.
#include "lower/doubles/make.h"
#include "lower/doubles/number.h"

namespace tgsi2spv::lower::doubles {

namespace {

/// The exponents of the least number with a unit, and of the least number whose bits all are above it.
constexpr uint32_t kOneField = kBias, kWholeField = kBias + 52;

ONE_EMITS(moves_away)
ONE_EMITS(without_fraction)
ONE_EMITS(from_magnitude)

/// Whether a number with a fraction moves away from zero. `beyond_half`: the fraction is above a half, or is one and
/// the whole number is odd.
Word moves_away(const Word& sign, const Word& has_fraction, const Word& beyond_half, Rounding rounding) {
    const Word none = {sign.b, sign.b->const_bool(false)};
    if (rounding == Rounding::TowardsZero) return none;
    if (rounding == Rounding::Even) return beyond_half;
    const Word outwards = rounding == Rounding::Down ? sign != 0u : sign == 0u;
    return both(outwards, has_fraction);
}

/// −0, −1, 0 or 1.
Wide<2> below_one(const Wide<2>& x, Rounding rounding) {
    const Word zero = constant(*x[0].b, 0);
    const Word sign = x[1] & kSign;
    const Word high = x[1] & ~kSign;
    const Wide<2> magnitude = {x[0], high};
    const Word beyond_half = is_below(wide<2>(*x[0].b, uint64_t{0x3fe0'0000} << 32), magnitude);
    const Word has_fraction = is_nonzero(magnitude);
    const Word away = moves_away(sign, has_fraction, beyond_half, rounding);
    return {zero, sign | choose(away, kOne, 0u)};
}

/// x for exponents of 1 to 2^52.
Wide<2> without_fraction(const Wide<2>& x, const Word& field, Rounding rounding) {
    ir::Builder& b = *x[0].b;
    const Word bits = constant(b, kWholeField) - field;
    const Wide<2> zero = wide<2>(b, 0);
    const Wide<2> one = wide<2>(b, 1), unit = shifted_left(one, bits & 63u);
    const Wide<2> mask = sum(unit, flipped(zero, 0xffff'ffffu), zero[0]);
    const Wide<2> fraction = {x[0] & mask[0], x[1] & mask[1]};
    const Wide<2> whole = {x[0] ^ fraction[0], x[1] ^ fraction[1]};
    // 1 is odd: the lowest bit of its exponent is in the unit's place.
    const Wide<2> units = {whole[0] & unit[0], whole[1] & unit[1]};
    const Word odd = bit(is_nonzero(units));
    const Wide<2> twice = sum(fraction, fraction, odd);
    const Word beyond_half = is_below(unit, twice);
    const Word has_fraction = is_nonzero(fraction);
    const Word away = moves_away(x[1] & kSign, has_fraction, beyond_half, rounding);
    return sum(whole, choose(away, unit, zero), zero[0]);
}

/// An integer's magnitude as a double.
template <size_t N>
Wide<2> from_magnitude(const Word& sign, const Wide<N>& magnitude) {
    ir::Builder& b = *sign.b;
    const auto [mantissa, zeros] = normalised(magnitude);
    const Word exponent = constant(b, kBias + 32 * N - 1) - zeros;
    return rounded(sign, exponent, {N == 1 ? constant(b, 0) : mantissa[0], mantissa[N - 1]});
}

}  // namespace

Wide<2> integral(const Wide<2>& x, Rounding rounding) {
    const Word high = x[1] & ~kSign;
    const Word field = high >> 20u;
    const Wide<2> large = without_fraction(x, field, rounding), small = below_one(x, rounding);
    const Wide<2> result = choose(field < kOneField, small, large);
    return choose(field >= kWholeField, x, result);
}

Wide<2> load_exponent(const Wide<2>& x, const Word& exponent) {
    ir::Builder& b = *x[0].b;
    const Number a = number_of(x, Denormals::Normalised);
    // Far enough from everything to infinity or to zero.
    const Word above{&b, b.smax(exponent.v, b.const_u32(static_cast<uint32_t>(-5000)))};
    const Word clamped{&b, b.smin(above.v, b.const_u32(5000))};
    const Wide<2> result = rounded(a.sign, a.exponent + clamped, a.mantissa);
    return choose(either(a.is_infinite, a.is_nan), x, result);
}

Wide<3> split_exponent(const Wide<2>& x) {
    const Number a = number_of(x, Denormals::Normalised);
    const Word special = either(a.is_infinite, a.is_nan);
    const Word stays = either(a.is_zero, special);
    const Word half = constant(*x[0].b, kBias - 1);
    const Wide<2> fraction = choose(stays, x, rounded(a.sign, half, a.mantissa));
    return {fraction[0], fraction[1], choose(stays, 0u, a.exponent - half)};
}

Wide<2> from_float(const Word& x) {
    ir::Builder& b = *x.b;
    const Word zero = constant(b, 0);
    const Word sign = x & kSign, magnitude = x & ~kSign, fraction = x & 0x7f'ffffu;
    const Word field = magnitude >> 23u;
    const Word hidden = choose(field == 0u, 0u, 0x80'0000u);
    const auto [mantissa, zeros] = normalised(Wide<1>{(fraction | hidden) << 8u});
    const Word normal{&b, b.umax(field.v, b.const_u32(1))};
    const Word exponent = normal + (kBias - 127);
    const Wide<2> finite = rounded(sign, exponent - zeros, {zero, mantissa[0]});
    const Word head = sign | kInfinity;
    const Wide<2> special = {fraction << 29u, head | fraction >> 3u};
    return choose(field == 255u, special, finite);
}

Word to_float(const Wide<2>& x) {
    const Number a = number_of(x, Denormals::AsTheyAre);
    const Word finite = rounded_to_float(a.sign, a.exponent, a.mantissa);
    const Word infinite = choose(a.is_infinite, a.sign | 0x7f80'0000u, finite);
    return choose(a.is_nan, 0x7fc0'0000u, infinite);
}

template <size_t N>
Wide<2> from_integer(const Wide<N>& x, bool is_signed) {
    ir::Builder& b = *x[0].b;
    if (!is_signed) return from_magnitude(constant(b, 0), x);
    const Word sign = x[N - 1] & kSign;
    const Word negates = choose(sign == 0u, 0u, 0xffff'ffffu);
    const Wide<N> inverse = flipped(x, negates), zero = wide<N>(b, 0);
    return from_magnitude(sign, sum(inverse, zero, negates & 1u));
}
template Wide<2> from_integer<1>(const Wide<1>& x, bool is_signed);
template Wide<2> from_integer<2>(const Wide<2>& x, bool is_signed);

template <size_t N>
Wide<N> to_integer(const Wide<2>& x, bool is_signed) {
    ir::Builder& b = *x[0].b;
    const Number a = number_of(x, Denormals::AsTheyAre);
    Wide<N> magnitude;
    for (size_t i = 0; i < N; ++i) magnitude[i] = a.mantissa[2 - N + i];
    const Word last = constant(b, kBias + 32 * N - 1);
    magnitude = shifted_right(magnitude, (last - a.exponent) & (32 * N - 1), false);
    const Wide<N> zero = wide<N>(b, 0), ones = flipped(zero, 0xffff'ffffu);
    magnitude = choose(a.exponent < kBias, zero, magnitude);
    const Word is_negative = a.sign != 0u;
    Word beyond = a.exponent > last;
    if (!is_signed) {
        const Wide<N> limited = choose(beyond, ones, magnitude);
        return choose(either(a.is_nan, is_negative), zero, limited);
    }
    beyond = either(beyond, magnitude[N - 1] >= kSign);
    const Word negates = choose(is_negative, 0xffff'ffffu, 0u);
    const Wide<N> inverse = flipped(magnitude, negates);
    const Wide<N> fits = sum(inverse, zero, negates & 1u);
    Wide<N> most = flipped(zero, negates ^ 0xffff'ffffu);
    most[N - 1] = most[N - 1] ^ kSign;
    return choose(a.is_nan, zero, choose(beyond, most, fits));
}
template Wide<1> to_integer<1>(const Wide<2>& x, bool is_signed);
template Wide<2> to_integer<2>(const Wide<2>& x, bool is_signed);

}  // namespace tgsi2spv::lower::doubles
