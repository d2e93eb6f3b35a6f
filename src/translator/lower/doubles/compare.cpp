#include "lower/doubles/make.h"
#include "lower/doubles/number.h"

namespace tgsi2spv::lower::doubles {
namespace {

ONE_EMITS(are_numbers)
ONE_EMITS(are_zeros)
ONE_EMITS(is_less)
ONE_EMITS(number_or_other)

Word are_numbers(const Wide<2>& x, const Wide<2>& y) {
    const Word first = is_nan(x);
    return negation(either(first, is_nan(y)));
}

Word are_zeros(const Wide<2>& x, const Wide<2>& y) {
    const Word high = (x[1] | y[1]) << 1u;
    const Word low = x[0] | y[0];
    return (high | low) == 0u;
}

/// The order of doubles as that of unsigned numbers of two words; −0 is just below 0.
Wide<2> ordered(const Wide<2>& x) {
    const Word negative = x[1] >= kSign;
    const Word flips = choose(negative, 0xffff'ffffu, 0u);
    return {x[0] ^ flips, x[1] ^ (flips | kSign)};
}

Word is_less(const Wide<2>& x, const Wide<2>& y) {
    const Wide<2> first = ordered(x);
    const Word below = is_below(first, ordered(y));
    return both(below, negation(are_zeros(x, y)));
}

/// `chosen`, or if x or y is NaN, the other.
Wide<2> number_or_other(const Wide<2>& x, const Wide<2>& y, const Wide<2>& chosen) {
    const Word first = is_nan(x), second = is_nan(y);
    return choose(second, x, choose(first, y, chosen));
}

}  // namespace

Word equal(const Wide<2>& x, const Wide<2>& y) {
    const Word low = x[0] == y[0], high = x[1] == y[1];
    const Word same = both(low, high);
    const Word alike = either(same, are_zeros(x, y));
    return both(alike, are_numbers(x, y));
}

Word less(const Wide<2>& x, const Wide<2>& y) {
    const Word below = is_less(x, y);
    return both(below, are_numbers(x, y));
}

Word at_least(const Wide<2>& x, const Wide<2>& y) {
    const Word below = is_less(x, y);
    const Word not_below = negation(below);
    return both(not_below, are_numbers(x, y));
}

Wide<2> minimum(const Wide<2>& x, const Wide<2>& y) {
    return number_or_other(x, y, choose(is_less(x, y), x, y));
}

Wide<2> maximum(const Wide<2>& x, const Wide<2>& y) {
    return number_or_other(x, y, choose(is_less(x, y), y, x));
}

}  // namespace tgsi2spv::lower::doubles
