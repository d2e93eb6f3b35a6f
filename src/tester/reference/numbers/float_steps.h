// The steps of float operations on abstract values: operands as words or ranges, rounding, ULPs, denormals and results
// that module promises leave unspecified. For float_*.cpp alone.
#pragma once

#include <algorithm>

#include "reference/numbers/float_math.h"
#include "reference/numbers/steps.h"

namespace tgsi2spv::reference::steps {

inline constexpr float kMaxFinite = std::numeric_limits<float>::max();
inline constexpr float kLeastNormal = std::numeric_limits<float>::min();
/// Slack for the error of double arithmetic and its functions where they compute the exact result.
inline constexpr double kSlack = 1e-13;

/// The error of SIN and COS up to the angle kUnturned; from there on, turns may be taken off (float_functions.cpp).
inline constexpr double kTrigError = 0x1p-11 + 1e-15, kUnturned = 3.14;

using Alternatives = AlternativesOf<Value>;

template <class F>
F product(const Context& context, F x, F y) {
    return context.legacy_math && (x == 0 || y == 0) ? 0 : x * y;
}

/// Adds a result of correctly rounded arithmetic: `nearest` is rounded to even, `error` has the sign of exact -
/// nearest.
inline void put_rounded(const Context& context, Hull& hull, float nearest, double error,
                        FlushedTo zero = FlushedTo::EitherZero) {
    hull.add_float(as_word(nearest));
    if (was_denormal(nearest, error)) put_flushed(hull, nearest, zero);
    if (context.round_to_even || error == 0 || std::isnan(nearest)) return;
    hull.add_float(error > 0 ? next_up(as_word(nearest)) : next_down(as_word(nearest)));
}

inline double sum_error(float x, float y, float s) {
    if (std::isinf(s) || std::isnan(s)) return std::isinf(x) || std::isinf(y) || std::isnan(s) ? 0 : (s > 0 ? -1 : 1);
    // Knuth's two-sum: the error of a float addition is a float.
    float bb = s - x;
    return (x - (s - bb)) + (y - bb);
}

inline void put_sum(const Context& context, Hull& hull, float x, float y) {
    float s = x + y;
    put_rounded(context, hull, s, context.round_to_even ? 0 : sum_error(x, y, s));
}

/// The least distance of two floats with x between them or on one: at a power of two that of the floats below it
/// (Vulkan's definition of an ULP).
inline double ulp(double x) {
    x = std::fabs(x);
    if (x <= static_cast<double>(kLeastNormal)) return 0x1p-149;
    return std::ldexp(1.0, std::ilogb(std::nextafter(x, 0.0)) - 23);
}

/// An ulp() that also holds for every real within n ULPs of x.
inline double ulp_around(double x, double n) {
    return ulp(std::fabs(x) + 2 * n * ulp(x));
}

inline void put_ulps(Hull& hull, double x, double n) {
    double e = n * ulp(x) * (1 + kSlack) + std::fabs(x) * kSlack;
    hull.add_real(x - e, x + e);
}

/// n ULPs of any real that is that near to x.
inline double ulps(double x, double n) {
    return n * ulp_around(x, n) + std::fabs(x) * kSlack;
}
inline void put_ulps(Hull& hull, double lo, double hi, double n) {
    hull.add_real(lo - ulps(lo, n), hi + ulps(hi, n));
}

// Sums and products of ranges. The ends are rounded as Vulkan permits, outwards.
inline uint32_t rounded_down(const Context& context, float nearest, double error) {
    uint32_t w = as_word(nearest);
    return !context.round_to_even && error < 0 ? next_down(w) : w;
}

inline uint32_t rounded_up(const Context& context, float nearest, double error) {
    uint32_t w = as_word(nearest);
    return !context.round_to_even && error > 0 ? next_up(w) : w;
}

inline void put_sum(const Context& context, Hull& hull, const FloatRange& a, const FloatRange& b) {
    if (a.nan || b.nan) hull.add_nan();
    if (a.empty || b.empty) return;
    float lo = a.lo + b.lo, hi = a.hi + b.hi;
    if (a.contains_infinity() && b.contains_infinity()) {
        // inf - inf somewhere inside?
        if ((a.lo < 0 && std::isinf(a.lo) && b.hi > 0 && std::isinf(b.hi)) ||
            (b.lo < 0 && std::isinf(b.lo) && a.hi > 0 && std::isinf(a.hi)))
            hull.add_nan();
        if (std::isnan(lo)) lo = -std::numeric_limits<float>::infinity();
        if (std::isnan(hi)) hi = std::numeric_limits<float>::infinity();
    }
    hull.add_interval(rounded_down(context, lo, sum_error(a.lo, b.lo, lo)),
                      rounded_up(context, hi, sum_error(a.hi, b.hi, hi)));
}

/// fused() of float_math.h. `same`: both factors are one value.
Value fused(const Context& context, const Value& a, const Value& b, const Value& d, bool same);

}  // namespace tgsi2spv::reference::steps
