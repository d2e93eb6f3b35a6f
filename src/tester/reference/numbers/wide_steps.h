// The steps of operations on doubles: the readings of a word, sets and intervals of results, errors.
#pragma once

#include <cmath>
#include <limits>

#include "reference/numbers/steps.h"
#include "reference/numbers/wide_float.h"

namespace tgsi2spv::reference::wide {

inline constexpr double kLeastNormal = std::numeric_limits<double>::min();
inline constexpr double kMaxFinite = std::numeric_limits<double>::max();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

using steps::alternatives;
using steps::binary;
using steps::finish_step;
using steps::flushed_range;
using steps::flushed_sum;
using steps::is_positive;
using steps::keeps_special;
using steps::ordinary;
using steps::put_flushed;
using steps::special;
using steps::unary;
using steps::was_denormal;
using steps::whole;
using Alternatives = steps::AlternativesOf<Wide>;

inline double down(double x) {
    return as_double(next_down(as_word(x)));
}
inline double up(double x) {
    return as_double(next_up(as_word(x)));
}

/// A correctly rounded result: `nearest`, or the neighbour towards the exact result if no rounding mode is in force.
/// `error` has the sign of exact - nearest; NaN if that is not known.
inline void put_rounded(const Context& context, WideHull& hull, double nearest, double error,
                        FlushedTo zero = FlushedTo::EitherZero) {
    hull.add_number(nearest);
    if (was_denormal(nearest, error)) put_flushed(hull, nearest, zero);
    if (context.round_to_even || error == 0 || std::isnan(nearest)) return;
    if (!(error > 0)) hull.add_number(down(nearest));
    if (!(error < 0)) hull.add_number(up(nearest));
}

/// The same for the ends of a range.
inline void put_ends(const Context& context, WideHull& hull, double lo, double hi) {
    hull.add_interval(context.round_to_even ? lo : down(lo), context.round_to_even ? hi : up(hi));
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

inline double sum_error(double x, double y, double s) {
    if (!std::isfinite(s)) return !std::isfinite(x) || !std::isfinite(y) ? 0 : -s;
    const double b = s - x;  // Knuth's two-sum
    return (x - (s - b)) + (y - b);
}

}  // namespace tgsi2spv::reference::wide
