// Roots, exponentials, logarithms, SIN and COS (Vulkan, "Precision of GLSL.std.450 Instructions").
//
// Exponentials, logarithms, powers and sines are computed in double, whose errors are far below the permitted ones.
#include <cmath>
#include <numbers>

#include "reference/numbers/float_math.h"
#include "reference/numbers/float_steps.h"

namespace tgsi2spv::reference {

using namespace steps;

// IEEE 754-2019 (9.2) has +0 for +inf. Vulkan takes over its zeros, "but subject to the precisions allowed": 2 ULP of
// 0. Where results need not be exact, it may be 1 / sqrt(x): the root's 2 + 2.5 ULP may be twice as many of its
// reciprocal, and the second division adds 2.5.
Value rsq(const Context& context, const Value& a) {
    Value v = context.old_dialect() ? abs(context, a) : a;
    const double error = context.contract ? 12 : 2;
    double x = static_cast<double>(as_number(v.value));
    return unary(
        context, v, static_cast<float>(1 / std::sqrt(x)),
        [&context, error](Hull& h, float f) {
            if (!(f >= 0) || as_word(f) == kSign || (std::isinf(f) && !keeps_special(context)))
                h.add_unknown();
            else if (f == 0)
                h.add_word(kInf);
            else
                put_ulps(h, 1 / std::sqrt(static_cast<double>(f)), error);
        },
        [&context, error](Hull& h, const FloatRange& r) {
            if (r.nan || r.empty || order(as_word(r.lo)) < 0 || (std::isinf(r.hi) && !keeps_special(context))) {
                h.add_unknown();
                return;
            }
            if (r.lo == 0) h.add_word(kInf);
            if (r.hi == 0) return;
            double least = 1 / std::sqrt(static_cast<double>(r.hi));
            double most = r.lo == 0 ? 0x1p75 : 1 / std::sqrt(static_cast<double>(r.lo));
            put_ulps(h, least, most, error);
        });
}

namespace {

/// Bounds of sqrt as 1 / rsq: a chain of 2 ULP and 2.5 ULP around the exact result; `around` makes it hold for
/// neighbours too.
double sqrt_error(double s, bool around) {
    const auto unit = [around](double x, double n) { return around ? ulp_around(x, n) : ulp(x); };
    double r = 1 / s, e = 2 * unit(r, 2);
    double most = 1 / (r - e), least = 1 / (r + e);
    most += 2.5 * unit(most, 3);
    least -= 2.5 * unit(least, 3);
    return std::max(most - s, s - least) * (1 + 1e-6);
}

}  // namespace

Value sqrt(const Context& context, const Value& a) {
    return unary(
        context, a, std::sqrt(as_number(a.value)),
        [](Hull& h, float f) {
            // Also where infinities are kept: 1 / rsq(+inf) may divide by a denormal, for which nothing is promised.
            if (std::isnan(f) || f == std::numeric_limits<float>::infinity()) {
                h.add_unknown();
            } else if (f < 0) {
                h.add_nan();
            } else if (f == 0) {
                h.add_zeros();
            } else {
                double s = std::sqrt(static_cast<double>(f)), e = sqrt_error(s, false);
                h.add_real(s - e, s + e);
            }
        },
        [](Hull& h, const FloatRange& r) {
            if (r.nan || r.empty || std::isinf(r.hi)) {
                h.add_unknown();
                return;
            }
            if (r.lo < 0) h.add_nan();
            if (r.hi < 0) return;
            double lo = r.lo > 0 ? std::sqrt(static_cast<double>(r.lo)) : 0, hi = std::sqrt(static_cast<double>(r.hi));
            h.add_real(lo > 0 ? lo - sqrt_error(lo, true) : 0, hi > 0 ? hi + sqrt_error(hi, true) : 0);
        });
}

namespace {

double bounded_exp2(double x) {
    return std::exp2(std::clamp(x, -1000.0, 1000.0));
}
/// For a power of two whose error is more ULPs than it has: no result is below 0.
void put_power(Hull& hull, double lo, double hi) {
    hull.add_real(std::max(lo, 0.0), hi);
}
/// A result just above 1 may be 1 as a double; its ULP is that above 1. No other power of two has floats x so near it.
double exp2_error(double x, double result) {
    const double unit = x > 0 && result == 1 ? 0x1p-23 : ulp(result);
    return (3 + 2 * std::fabs(x)) * unit * (1 + kSlack) + result * kSlack;
}

}  // namespace

Value exp2(const Context& context, const Value& a) {
    double x = static_cast<double>(as_number(a.value));
    return unary(
        context, a, static_cast<float>(std::exp2(x)),
        [](Hull& h, float f) {
            if (special(f)) {
                h.add_unknown();
                return;
            }
            double q = bounded_exp2(static_cast<double>(f)), e = exp2_error(static_cast<double>(f), q);
            put_power(h, q - e, q + e);
        },
        [](Hull& h, const FloatRange& r) {
            if (r.nan || r.empty || r.contains_infinity()) {
                h.add_unknown();
                return;
            }
            double n = 3 + 2 * std::max(std::fabs(static_cast<double>(r.lo)), std::fabs(static_cast<double>(r.hi)));
            const double lo = bounded_exp2(static_cast<double>(r.lo)), hi = bounded_exp2(static_cast<double>(r.hi));
            put_power(h, lo - ulps(lo, n), hi + ulps(hi, n));
        });
}

namespace {

/// The error of log2 at x > 0; with `around` it also holds for neighbours.
double log2_error(double x, double result, bool around) {
    double e = x >= 0.5 && x <= 2.0 ? 0x1p-21 : 3 * (around ? ulp_around(result, 3) : ulp(result));
    return e * (1 + kSlack) + std::fabs(result) * kSlack;
}

/// Real bounds of log2 over [lo, hi], lo > 0.
void log2_bounds(double lo, double hi, double& least, double& most) {
    least = HUGE_VAL;
    most = -HUGE_VAL;
    auto at = [&](double x) {
        double l = std::log2(x), e = log2_error(x, l, true);
        least = std::min(least, l - e);
        most = std::max(most, l + e);
    };
    at(lo);
    at(hi);
    // The error jumps at the ends of [0.5, 2].
    for (double x : {0.5, 2.0})
        if (lo < x && x < hi) at(x);
}

}  // namespace

Value log2(const Context& context, const Value& a) {
    double x = static_cast<double>(as_number(a.value));
    return unary(
        context, a, static_cast<float>(std::log2(x)),
        [](Hull& h, float f) {
            if (special(f) || f < 0) {
                h.add_unknown();
            } else if (f == 0) {
                h.add_word(kInf | kSign);
            } else {
                double l = std::log2(static_cast<double>(f)), e = log2_error(static_cast<double>(f), l, false);
                h.add_real(l - e, l + e);
            }
        },
        [](Hull& h, const FloatRange& r) {
            if (r.nan || r.empty || r.lo < 0 || std::isinf(r.hi)) {
                h.add_unknown();
                return;
            }
            if (r.lo == 0) h.add_word(kInf | kSign);
            if (r.hi == 0) return;
            double least, most;
            log2_bounds(r.lo > 0 ? static_cast<double>(r.lo) : 0x1p-149, static_cast<double>(r.hi), least, most);
            h.add_real(least, most);
        });
}

namespace {

constexpr double kPi = std::numbers::pi;
/// The translator promises nothing for angles above this.
constexpr double kLargestAngle = 0x1p15;

/// Vulkan bounds SIN and COS by 2^-11 within ±π and says nothing about other angles, so the translator takes whole
/// turns off first: y = x - k·2π with k = round(x ÷ 2π). It splits the turn into parts (Cody and Waite) of so few bits
/// that their products with k are exact up to 2^15, except for the last part, which is tiny. Then the differences
/// before that one are exact too, and y errs by its last rounding: one ULP of π if either neighbour is permitted,
/// 2^-22. That is less than kReduced, even with the difference of the parts' sum from 2π and the clamp to a float that
/// is not beyond π. |f'| ≤ 1. The quotient errs by a rounding and by that of 1 ÷ 2π, together less than 2^-22·|x| as an
/// angle. So near half a turn k may be one too large or too small, y may be beyond ±π, and be clamped by as much.
/// Within ±π nothing is taken off.
constexpr double kReduced = 0x1p-20;
double slip(double x) {
    return std::fabs(x) * 0x1p-22;
}
/// The error where the device reduces the angle: the product errs by half an ULP of itself, and as much again for the
/// constant, together by less than 2^-22·|x| as an angle.
double trig_error(const Context& context, double x) {
    if (std::fabs(x) <= kUnturned) return kTrigError;
    if (context.angles_by_device) return kTrigError + slip(x);
    const double to_half_turn = std::fabs(std::remainder(x - kPi, 2 * kPi));
    return kTrigError + kReduced + (to_half_turn <= slip(x) + kReduced ? slip(x) : 0);
}
double trig_error(const Context& context, double lo, double hi) {
    const double most = std::max(std::fabs(lo), std::fabs(hi));
    if (context.angles_by_device) return trig_error(context, most);
    return most <= kUnturned ? kTrigError : kTrigError + kReduced + slip(most);
}

/// `peak`: where f is 1 (in every turn); `trough`: where f is -1.
Value trigonometric(const Context& context, const Value& a, double (*f)(double), double peak, double trough) {
    const double x = static_cast<double>(as_number(a.value));
    const auto put = [](Hull& h, double least, double most, double error) { h.add_real(least - error, most + error); };
    return unary(
        context, a, static_cast<float>(f(x)),
        [&](Hull& h, float w) {
            const double y = static_cast<double>(w);
            if (std::fabs(y) <= kLargestAngle)
                put(h, f(y), f(y), trig_error(context, y));
            else
                h.add_unknown();
        },
        [&](Hull& h, const FloatRange& r) {
            const double lo = static_cast<double>(r.lo), hi = static_cast<double>(r.hi);
            if (r.nan || r.empty || !(lo >= -kLargestAngle) || !(hi <= kLargestAngle)) {
                h.add_unknown();
                return;
            }
            // Does the range contain `at` plus some whole turns?
            const auto holds = [&](double at) {
                return std::ceil((lo - at) / (2 * kPi)) <= std::floor((hi - at) / (2 * kPi));
            };
            const double least = holds(trough) ? -1 : std::min(f(lo), f(hi));
            const double most = holds(peak) ? 1 : std::max(f(lo), f(hi));
            put(h, least, most, trig_error(context, lo, hi) + 1e-9);
        });
}

}  // namespace

Value sin(const Context& context, const Value& a) {
    return trigonometric(
        context, a, [](double x) -> double { return std::sin(x); }, kPi / 2, -kPi / 2);
}

Value cos(const Context& context, const Value& a) {
    // The troughs are the ends of the domain.
    return trigonometric(
        context, a, [](double x) -> double { return std::cos(x); }, 0, kPi);
}

namespace {

/// A zero counts as +0: POW(0, y < 0) is +inf (semantics: Float).
float nominal_pow(float x, float y) {
    if (y == 0) return 1;
    if (x == 0) x = 0;
    return static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
}

/// 2^t, where the exact t is within [lo, hi] and was computed with an absolute error of up to `e`.
void put_power(Hull& hull, double lo, double hi, double e) {
    auto most = [&](double t) {
        double q = bounded_exp2(t + e);
        return q + exp2_error(std::fabs(t) + e, q);
    };
    // The error grows with the magnitude of the exponent, also where the powers are too small to differ from 0.
    double q = bounded_exp2(lo), above = most(lo);
    put_power(hull, q - (above - q), std::max(above, most(hi)));
}

double rounding(const Context& context, double t) {
    return (context.round_to_even ? 0.5 : 1) * ulp_around(t, 1);
}

}  // namespace

Value pow(const Context& context, const Value& a, const Value& b) {
    return binary(
        context, a, b, nominal_pow(as_number(a.value), as_number(b.value)),
        [&](Hull& h, float x, float y) {
            // The decisions for the exponent 0 and the base 0 hold for every number next to them, and for a base that
            // is NaN. A base below zero is undefined for every exponent.
            if (x < 0 || std::isnan(y)) {
                h.add_unknown();
            } else if (y == 0) {
                put_ulps(h, 1, 3);
            } else if (x == 0) {
                if (!context.preserve) {
                    h.add_unknown();  // it is 2^(y * -inf)
                } else if (y < 0) {
                    h.add_word(kInf);
                } else {
                    h.add_zeros();
                }
            } else if (special(x) || special(y)) {
                h.add_unknown();
            } else {
                double l = std::log2(static_cast<double>(x)), t = static_cast<double>(y) * l;
                double e = std::fabs(static_cast<double>(y)) * log2_error(static_cast<double>(x), l, false);
                e += rounding(context, std::fabs(t) + e);
                put_power(h, t, t, e);
            }
        },
        [&](Hull& h, const FloatRange& r, const FloatRange& s) {
            if (r.nan || s.nan || r.empty || s.empty || r.lo < 0 || r.contains_infinity() || s.contains_infinity() ||
                (r.lo == 0 && !context.preserve)) {
                h.add_unknown();
                return;
            }
            if (r.lo == 0) {
                if (s.hi > 0) h.add_interval(kSign, 0);
                if (s.lo < 0) h.add_word(kInf);
                if (s.contains_zero()) put_ulps(h, 1, 3);
            }
            if (r.hi == 0) return;
            double xl = r.lo > 0 ? static_cast<double>(r.lo) : 0x1p-149, xh = static_cast<double>(r.hi);
            double least, most;
            log2_bounds(xl, xh, least, most);
            double l[2] = {std::log2(xl), std::log2(xh)};
            double error = std::max(l[0] - least, most - l[1]);
            for (double x : {0.5, 1.0, 2.0})
                if (xl <= x && x <= xh) error = std::max(error, log2_error(x, std::log2(x), true));
            double tl = HUGE_VAL, th = -HUGE_VAL, e = 0;
            for (double y : {static_cast<double>(s.lo), static_cast<double>(s.hi)}) {
                for (double t : {y * l[0], y * l[1]}) {
                    tl = std::min(tl, t);
                    th = std::max(th, t);
                }
                e = std::max(e, std::fabs(y) * error);
            }
            e += rounding(context, std::max(std::fabs(tl), std::fabs(th)) + e);
            put_power(h, tl, th, e);
        });
}

}  // namespace tgsi2spv::reference
