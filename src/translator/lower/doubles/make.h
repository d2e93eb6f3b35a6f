// The bodies of functions.def.
#pragma once

#include "lower/doubles/words.h"

namespace tgsi2spv::lower::doubles {

ONE_EMITS(add)
ONE_EMITS(multiply)
ONE_EMITS(fma)
ONE_EMITS(divide)
ONE_EMITS(equal)
ONE_EMITS(less)
ONE_EMITS(at_least)
ONE_EMITS(minimum)
ONE_EMITS(maximum)
ONE_EMITS(load_exponent)

// arithmetic.cpp
Wide<2> add(const Wide<2>& x, const Wide<2>& y);
Wide<2> multiply(const Wide<2>& x, const Wide<2>& y);
Wide<2> fma(const Wide<2>& x, const Wide<2>& y, const Wide<2>& z);

// digits.cpp
Wide<2> divide(const Wide<2>& x, const Wide<2>& y);
Wide<2> square_root(const Wide<2>& x);

// compare.cpp
Word equal(const Wide<2>& x, const Wide<2>& y);
Word less(const Wide<2>& x, const Wide<2>& y);
Word at_least(const Wide<2>& x, const Wide<2>& y);
Wide<2> minimum(const Wide<2>& x, const Wide<2>& y);
Wide<2> maximum(const Wide<2>& x, const Wide<2>& y);

// convert.cpp
enum class Rounding : uint8_t { Down, Up, TowardsZero, Even };
Wide<2> integral(const Wide<2>& x, Rounding rounding);
Wide<2> load_exponent(const Wide<2>& x, const Word& exponent);
Wide<3> split_exponent(const Wide<2>& x);
Wide<2> from_float(const Word& x);
Word to_float(const Wide<2>& x);
/// From and to integers of N words.
template <size_t N>
Wide<2> from_integer(const Wide<N>& x, bool is_signed);
template <size_t N>
Wide<N> to_integer(const Wide<2>& x, bool is_signed);

}  // namespace tgsi2spv::lower::doubles
