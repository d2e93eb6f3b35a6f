// The steps of float operations on abstract values: operands as words or ranges, rounding, ULPs, denormals and results
// that module promises leave unspecified. For float_*.cpp alone.
#pragma once

#include <algorithm>

#include "reference/numbers/context.h"
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

/// fused() of float_math.h. `same`: both factors are one value.
Value fused(const Context& context, const Value& a, const Value& b, const Value& d, bool same);

}  // namespace tgsi2spv::reference::steps
