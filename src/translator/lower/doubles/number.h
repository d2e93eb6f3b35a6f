// Doubles in their parts: sign, exponent and mantissa.
#pragma once

#include "lower/doubles/words.h"

namespace tgsi2spv::lower::doubles {

inline constexpr uint32_t kSign = 0x8000'0000, kInfinity = 0x7ff0'0000, kNaN = 0x7ff8'0000, kOne = 0x3ff0'0000;
inline constexpr uint32_t kBias = 1023, kMostExponent = 2047;

/// ±mantissa · 2^(exponent − 1023 − 63): the mantissa of a number from 1 to 2 has its top bit set, and bits below 53.
struct Number {
    Word sign;  ///< the sign in bit 31; the other bits are 0
    Word exponent;
    Wide<2> mantissa;
    Word is_zero, is_infinite, is_nan;  ///< bools
};

ONE_EMITS(rounded)
ONE_EMITS(rounded_to_float)
ONE_EMITS(nan_if)

enum class Denormals : uint8_t {
    AsTheyAre,  ///< exponent 1, the mantissa's top bit 0: enough to add
    Normalised  ///< the mantissa has its top bit set. Zero has an exponent far below all others
};
Number number_of(const Wide<2>& x, Denormals denormals);

/// The nearest double, ties to even, of a mantissa that is normalised or 0; beyond the largest one, infinity.
Wide<2> rounded(const Word& sign, const Word& exponent, const Wide<2>& mantissa);
/// The same as a float; the bias of `exponent` is still that of doubles. The mantissa may have its top bit 0 if the
/// exponent is 1.
Word rounded_to_float(const Word& sign, const Word& exponent, const Wide<2>& mantissa);

Word is_nan(const Wide<2>& x);
/// NaN if the condition holds, else x.
Wide<2> nan_if(const Word& condition, const Wide<2>& x);

}  // namespace tgsi2spv::lower::doubles
