// Sums and products.
#include "lower/doubles/make.h"
#include "lower/doubles/number.h"

namespace tgsi2spv::lower::doubles {

namespace {

/// An addend: ±mantissa · 2^exponent, whatever the unit is. The mantissa's top bit is 0.
template <size_t N>
struct Term {
    Word sign;
    Word exponent;
    Wide<N> mantissa;
};

/// The larger exponent is the first one's.
template <size_t N>
void order(Term<N>& x, Term<N>& y) {
    const Word first{x.sign.b, x.sign.b->sge(x.exponent.v, y.exponent.v)};
    const Term<N> a = x, b = y;
    x = {choose(first, a.sign, b.sign), choose(first, a.exponent, b.exponent), choose(first, a.mantissa, b.mantissa)};
    y = {choose(first, b.sign, a.sign), choose(first, b.exponent, a.exponent), choose(first, b.mantissa, a.mantissa)};
}

/// x + y, and its exponent if the top bit of the mantissa stands for 1. What the smaller one loses to the right is at
/// least two bits below the last bit of the result, or it loses nothing.
template <size_t N>
Term<N> sum_of(Term<N> x, Term<N> y) {
    ir::Builder& b = *x.sign.b;
    const Word both_signs = x.sign & y.sign;
    order(x, y);
    const Word apart = y.exponent;
    const Word distance = x.exponent - apart;
    const Word count{&b, b.umin(distance.v, b.const_u32(32 * N - 1))};
    const Wide<N> lower = shifted_right(y.mantissa, count, true);
    const Word differ = (x.sign ^ y.sign) != 0u;
    const Word inverts = choose(differ, 0xffff'ffffu, 0u);
    const Wide<N> addend = flipped(lower, inverts);
    const Wide<N> total = sum(x.mantissa, addend, inverts & 1u);
    const Word is_negative = both(differ, total[N - 1] >= kSign);
    const Word negates = choose(is_negative, 0xffff'ffffu, 0u);
    const Wide<N> zero = wide<N>(b, 0);
    const Wide<N> inverse = flipped(total, negates);
    const Wide<N> magnitude = sum(inverse, zero, negates & 1u);
    const auto [mantissa, zeros] = normalised(magnitude);
    const Word sign = x.sign ^ (negates & kSign);
    const Word exponent = x.exponent + 1u;
    return {choose(mantissa[N - 1] < kSign, both_signs, sign), exponent - zeros, mantissa};
}

template <size_t N>
Wide<N> half(Wide<N> x) {
    for (size_t i = 0; i < N; ++i) {
        const Word low = x[i] >> 1u;
        x[i] = i + 1 == N ? low : low | x[i + 1] << 31u;
    }
    return x;
}

/// A product without its special values.
struct Product {
    Word sign;
    Word exponent;  ///< the exponent if the mantissa's top bit stands for 1
    Wide<4> mantissa;
    Word is_infinite, is_nan;
};

Product product_of(const Number& a, const Number& b) {
    Product p;
    p.sign = a.sign ^ b.sign;
    p.exponent = a.exponent + b.exponent;
    p.exponent = p.exponent - (kBias - 1);
    p.mantissa = product(a.mantissa, b.mantissa);
    p.is_infinite = either(a.is_infinite, b.is_infinite);
    const Word zero = either(a.is_zero, b.is_zero);
    const Word nan = either(a.is_nan, b.is_nan);
    p.is_nan = either(nan, both(p.is_infinite, zero));
    return p;
}

}  // namespace

Wide<2> add(const Wide<2>& x, const Wide<2>& y) {
    const Number a = number_of(x, Denormals::AsTheyAre), b = number_of(y, Denormals::AsTheyAre);
    const Wide<2> first = half(a.mantissa), second = half(b.mantissa);
    const Term<2> s = sum_of<2>({a.sign, a.exponent, first}, {b.sign, b.exponent, second});
    Wide<2> result = rounded(s.sign, s.exponent, s.mantissa);
    result = choose(b.is_infinite, y, result);
    result = choose(a.is_infinite, x, result);
    const Word infinite = both(a.is_infinite, b.is_infinite);
    const Word differ = (a.sign ^ b.sign) != 0u;
    const Word nan = either(a.is_nan, b.is_nan);
    return nan_if(either(nan, both(infinite, differ)), result);
}

Wide<2> multiply(const Wide<2>& x, const Wide<2>& y) {
    ir::Builder& builder = *x[0].b;
    const Number a = number_of(x, Denormals::Normalised), b = number_of(y, Denormals::Normalised);
    const Product p = product_of(a, b);
    const auto [mantissa, zeros] = normalised(upper_half(p.mantissa));
    const Wide<2> finite = rounded(p.sign, p.exponent - zeros, mantissa);
    const Wide<2> infinity = {constant(builder, 0), p.sign | kInfinity};
    return nan_if(p.is_nan, choose(p.is_infinite, infinity, finite));
}

Wide<2> fma(const Wide<2>& x, const Wide<2>& y, const Wide<2>& z) {
    const Number a = number_of(x, Denormals::Normalised), b = number_of(y, Denormals::Normalised),
                 c = number_of(z, Denormals::Normalised);
    const Product p = product_of(a, b);
    const Word zero = constant(*x[0].b, 0);
    const Wide<4> first = half(p.mantissa);
    const Wide<4> second = half(Wide<4>{zero, zero, c.mantissa[0], c.mantissa[1]});
    const Term<4> s = sum_of<4>({p.sign, p.exponent, first}, {c.sign, c.exponent, second});
    Wide<2> result = rounded(s.sign, s.exponent, upper_half(s.mantissa));
    result = choose(c.is_infinite, z, result);
    const Wide<2> infinity = {zero, p.sign | kInfinity};
    result = choose(p.is_infinite, infinity, result);
    const Word infinite = both(p.is_infinite, c.is_infinite);
    const Word differ = (p.sign ^ c.sign) != 0u;
    const Word nan = either(p.is_nan, c.is_nan);
    return nan_if(either(nan, both(infinite, differ)), result);
}

}  // namespace tgsi2spv::lower::doubles
