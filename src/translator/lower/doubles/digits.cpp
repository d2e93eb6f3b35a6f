// Quotients and roots, a binary digit at a time.
#include "lower/doubles/make.h"
#include "lower/doubles/number.h"

namespace tgsi2spv::lower::doubles {
namespace {

constexpr uint32_t kFirstDigit = 22;  ///< bit of the first digit in the high word: numbers have 54 bits after the point

struct Loop {
    ir::Builder& b;
    ir::BlockId before, header;

    explicit Loop(ir::Builder& builder) : b(builder), before(builder.current_block()), header(builder.create_block()) {
        b.branch(header);
        b.start_block(header);
    }
    Wide<2> phi(const Wide<2>& first) {
        Wide<2> x;
        for (size_t i = 0; i < 2; ++i) {
            const ir::Incoming edge[] = {{first[i].v, before}};
            x[i] = {&b, b.phi(ir::u32(), edge, 2)};
        }
        return x;
    }
};

Wide<2> doubled(const Wide<2>& x) {
    const Word high = x[1] << 1u;
    return {x[0] << 1u, high | x[0] >> 31u};
}

/// The digits of `rest` / `divisor` if there is one, else of the square root of `rest`, each below four, and a bit more
/// for what is left. A digit is 1 if the rest is at least the divisor, or twice the root so far and the digit: what is
/// left then doubles, as if all digits had the same weight.
Wide<2> digits(const Wide<2>& all, const Wide<2>* divisor) {
    ir::Builder& b = *all[0].b;
    const Wide<2> none = wide<2>(b, 0), first = wide<2>(b, uint64_t{1} << (32 + kFirstDigit));
    Loop loop(b);
    const Wide<2> rest = loop.phi(all), found = loop.phi(none), digit = loop.phi(first);
    const Wide<2> subtrahend = divisor != nullptr ? *divisor : sum(doubled(found), digit, none[0]);
    const Word keeps = is_below(rest, subtrahend);
    const Wide<2> less = difference(rest, subtrahend);
    const Wide<2> more = sum(found, digit, none[0]);
    const Wide<2> next_rest = doubled(choose(keeps, rest, less));
    const Wide<2> next_found = choose(keeps, found, more);
    const Word low = digit[0] >> 1u;
    const Wide<2> next_digit = {low | digit[1] << 31u, digit[1] >> 1u};
    const Word again = is_nonzero(next_digit);

    const ir::BlockId repeat = b.create_block(), after = b.create_block();
    b.set_loop_merge(after, repeat);
    b.branch_if(again.v, repeat, after);
    b.start_block(repeat);
    for (size_t i = 0; i < 2; ++i) {
        b.add_incoming(rest[i].v, {next_rest[i].v, repeat});
        b.add_incoming(found[i].v, {next_found[i].v, repeat});
        b.add_incoming(digit[i].v, {next_digit[i].v, repeat});
    }
    b.branch(loop.header);
    b.start_block(after);
    const Word inexact = bit(is_nonzero(next_rest));
    const Word high = next_found[1] << 9u;
    const Word tail = next_found[0] << 9u;
    return {tail | inexact, high | next_found[0] >> 23u};
}

Wide<2> down(const Wide<2>& x, uint32_t count) {
    const Word low = x[0] >> count;
    return {low | x[1] << (32 - count), x[1] >> count};
}

}  // namespace

Wide<2> divide(const Wide<2>& x, const Wide<2>& y) {
    ir::Builder& builder = *x[0].b;
    const Number a = number_of(x, Denormals::Normalised), b = number_of(y, Denormals::Normalised);
    const Word sign = a.sign ^ b.sign;
    const Wide<2> dividend = down(a.mantissa, 11), divisor = down(b.mantissa, 11);
    const auto [mantissa, zeros] = normalised(digits(dividend, &divisor));
    const Word exponent = a.exponent + kBias;
    const Word less = exponent - b.exponent;
    Wide<2> result = rounded(sign, less - zeros, mantissa);
    const Word zero = constant(builder, 0);
    const Wide<2> nothing = {zero, sign}, infinity = {zero, sign | kInfinity};
    result = choose(either(a.is_zero, b.is_infinite), nothing, result);
    result = choose(either(a.is_infinite, b.is_zero), infinity, result);
    const Word zeros_only = both(a.is_zero, b.is_zero), infinite = both(a.is_infinite, b.is_infinite);
    const Word neither = either(zeros_only, infinite);
    const Word nan = either(a.is_nan, b.is_nan);
    return nan_if(either(nan, neither), result);
}

Wide<2> square_root(const Wide<2>& x) {
    ir::Builder& builder = *x[0].b;
    const Number a = number_of(x, Denormals::Normalised);
    const Word even = a.exponent & 1u;  // the bias is odd
    const Word is_odd = even == 0u;
    const Wide<2> once = down(a.mantissa, 9);
    const Wide<2> root = digits(choose(is_odd, doubled(once), once), nullptr);
    const Word twice = a.exponent + (kBias - 1);
    const Word exponent = (twice + even) >> 1u;
    const Wide<2> finite = rounded(constant(builder, 0), exponent, root);
    const Word stays = either(a.is_zero, a.is_infinite);
    const Wide<2> result = choose(stays, x, finite);
    const Word negative = a.sign != 0u;
    const Word below = both(negative, negation(a.is_zero));
    return nan_if(either(a.is_nan, below), result);
}

}  // namespace tgsi2spv::lower::doubles
