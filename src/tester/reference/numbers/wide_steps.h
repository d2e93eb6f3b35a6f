// The steps of operations on doubles: the readings of a word, sets and intervals of results, errors.
#pragma once

#include <cmath>
#include <limits>

#include "reference/numbers/steps.h"
#include "reference/numbers/wide_value.h"

namespace tgsi2spv::reference::wide {

inline constexpr double kLeastNormal = std::numeric_limits<double>::min();
inline constexpr double kMaxFinite = std::numeric_limits<double>::max();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

using steps::alternatives;
using steps::binary;
using steps::finish_step;
using steps::flushed_range;
using steps::is_positive;
using steps::keeps_special;
using steps::product_error;
using steps::put_rounded;
using steps::special;
using steps::sum_error;
using steps::unary;
using Alternatives = steps::AlternativesOf<Wide>;

inline double down(double x) {
    return as_number(next_down(as_word(x)));
}
inline double up(double x) {
    return as_number(next_up(as_word(x)));
}

/// `x` was computed to about half an ULP; the device may err by n ULPs of the type, or of a float.
inline double error(const Context& context, double x, double n) {
    const double magnitude = std::max(std::fabs(x), kLeastNormal);
    if (!std::isfinite(x)) return 0;
    const int bits = context.doubles_as_single ? 23 : 52;
    return std::max((n + (context.doubles_as_single ? 0.01 : 0.5)) * std::ldexp(1.0, std::ilogb(magnitude) - bits),
                    0x1p-1074);
}

inline void put_ulps(const Context& context, WideHull& hull, double lo, double hi, double n) {
    // A difference that is rounded inwards still has every double within the bound: none lies between the two.
    double least = lo - error(context, lo, n), most = hi + error(context, hi, n);
    if (std::isinf(lo) && lo > 0) least = kMaxFinite;  // finite operands: the exact result is beyond all doubles
    if (std::isinf(hi) && hi < 0) most = -kMaxFinite;
    hull.add_interval(least, most);
    if (least <= 0 && most >= 0) hull.add_zeros();
}

}  // namespace tgsi2spv::reference::wide
