// What float operations on abstract values are made of: operands as words or ranges, rounding, ULPs, denormals and what
// module promises leave open. Of float_*.cpp alone.
#pragma once

#include <algorithm>

#include "reference/float_math.h"

namespace tgsi2spv::reference::steps {

inline constexpr float kMaxFinite = std::numeric_limits<float>::max();
inline constexpr float kLeastNormal = std::numeric_limits<float>::min();
/// Slack for the error of double arithmetic and its functions when it computes the exact result.
inline constexpr double kSlack = 1e-13;

inline float product(const Context& c, float x, float y) {
    return c.legacy_math && (x == 0 || y == 0) ? 0.0f : x * y;
}

/// Neither denormal nor NaN nor infinite, nor a zero whose sign is free.
inline bool ordinary(const Context& c, uint32_t w) {
    uint32_t exponent = w & kInf;
    return (exponent != 0 && exponent != kInf) || (is_zero(w) && c.preserve);
}

/// The floats that a set of words may be read as: a denormal may be flushed, keeping its sign.
struct Alternatives {
    float f[9];
    int count = 0;
    void add(uint32_t w) { f[count++] = as_float(w); }
};

inline bool alternatives(const Value& v, Alternatives& list) {
    if (v.kind != Kind::Words) return false;
    for (int i = 0; i < v.count; ++i) {
        list.add(v.words[i]);
        if (is_denormal(v.words[i])) list.add(v.words[i] & kSign);
    }
    if (v.maybe_nan) list.add(kNan);
    return true;
}

/// The range of a value after a possible flush of its denormals.
inline bool flushed_range(const Value& v, FloatRange& r) {
    if (!float_range(v, r)) return false;
    if (r.empty) return true;
    if (r.lo > 0 && r.lo < kLeastNormal) r.lo = 0.0f;
    if (r.hi < 0 && r.hi > -kLeastNormal) r.hi = -0.0f;
    return true;
}

/// Adds a result of correctly rounded arithmetic: `nearest` rounds to even, `error` has the sign of exact - nearest.
inline void put_rounded(const Context& c, Hull& h, float nearest, double error) {
    h.add_float(as_word(nearest));
    if (c.round_to_even || error == 0 || std::isnan(nearest)) return;
    h.add_float(error > 0 ? next_up(as_word(nearest)) : next_down(as_word(nearest)));
}

inline double sum_error(float x, float y, float s) {
    if (std::isinf(s) || std::isnan(s)) return std::isinf(x) || std::isinf(y) || std::isnan(s) ? 0 : (s > 0 ? -1 : 1);
    // Knuth's two-sum: the error of a float addition is a float.
    float bb = s - x;
    return (x - (s - bb)) + (y - bb);
}

inline void put_sum(const Context& c, Hull& h, float x, float y) {
    float s = x + y;
    put_rounded(c, h, s, c.round_to_even ? 0 : sum_error(x, y, s));
}

/// What every operation does with what it gathered. `special`: a NaN or infinity went in or may come out.
inline Value settle(const Context& c, Hull& h, bool special, uint32_t plain) {
    if (!c.preserve && special) h.add_unknown();
    h.flush();
    Value v = h.finish(plain);
    if (!c.preserve && v.kind != Kind::Unknown) {
        FloatRange r;
        float_range(v, r);
        if (r.nan || r.contains_infinity()) return unknown(plain);
        if (permits(v, 0) != permits(v, kSign)) {
            h.add_word(0);
            h.add_word(kSign);
            v = h.finish(plain);
        }
    }
    return v;
}

inline bool special(float x) {
    return !std::isfinite(x);
}

inline double ulp(double x) {
    x = std::fabs(x);
    if (x < static_cast<double>(kLeastNormal)) return 0x1p-149;
    return std::ldexp(1.0, std::ilogb(x) - 23);
}

/// ulp() that holds for every real within n ULPs of x as well.
inline double ulp_around(double x, double n) {
    return ulp(std::fabs(x) + 2 * n * ulp(x));
}

inline void put_ulps(Hull& h, double x, double n) {
    double e = n * ulp(x) * (1 + kSlack) + std::fabs(x) * kSlack;
    h.add_real(x - e, x + e);
}

inline void put_ulps(Hull& h, double lo, double hi, double n) {
    double below = n * ulp_around(lo, n) + std::fabs(lo) * kSlack,
           above = n * ulp_around(hi, n) + std::fabs(hi) * kSlack;
    h.add_real(lo - below, hi + above);
}

// Sums and products of ranges. The ends are rounded as Vulkan permits, outwards.
inline uint32_t rounded_down(const Context& c, float nearest, double error) {
    uint32_t w = as_word(nearest);
    return !c.round_to_even && error < 0 ? next_down(w) : w;
}

inline uint32_t rounded_up(const Context& c, float nearest, double error) {
    uint32_t w = as_word(nearest);
    return !c.round_to_even && error > 0 ? next_up(w) : w;
}

inline void put_sum(const Context& c, Hull& h, const FloatRange& a, const FloatRange& b) {
    if (a.nan || b.nan) h.add_nan();
    if (a.empty || b.empty) return;
    float lo = a.lo + b.lo, hi = a.hi + b.hi;
    if (a.contains_infinity() && b.contains_infinity()) {
        // inf - inf somewhere inside?
        if ((a.lo < 0 && std::isinf(a.lo) && b.hi > 0 && std::isinf(b.hi)) ||
            (b.lo < 0 && std::isinf(b.lo) && a.hi > 0 && std::isinf(a.hi)))
            h.add_nan();
        if (std::isnan(lo)) lo = -std::numeric_limits<float>::infinity();
        if (std::isnan(hi)) hi = std::numeric_limits<float>::infinity();
    }
    h.add_interval(rounded_down(c, lo, sum_error(a.lo, b.lo, lo)), rounded_up(c, hi, sum_error(a.hi, b.hi, hi)));
}

/// An operation of two floats: word by word where both are short sets, else on the ranges around them.
template <class Exact, class Ranges>
Value binary(const Context& c, const Value& a, const Value& b, float plain, Exact exact_op, Ranges range_op) {
    uint32_t value = as_word(plain);
    if (c.plain) return exact(value);
    Alternatives x, y;
    Hull h;
    bool is_special = false;
    if (alternatives(a, x) && alternatives(b, y) && x.count * y.count <= 16) {
        for (int i = 0; i < x.count; ++i)
            for (int j = 0; j < y.count; ++j) {
                exact_op(h, x.f[i], y.f[j]);
                is_special |= special(x.f[i]) || special(y.f[j]);
            }
    } else {
        FloatRange r, s;
        if (!flushed_range(a, r) || !flushed_range(b, s)) return unknown(value);
        range_op(h, r, s);
        is_special = r.nan || s.nan || r.contains_infinity() || s.contains_infinity();
    }
    return settle(c, h, is_special, value);
}

/// An operation of one float. `nan_is_nan`: NaN gives NaN where functions are promised to keep it (context.h); else
/// the operation itself says what NaN gives.
template <class Exact, class Ranges>
Value unary(const Context& c, const Value& a, float plain, Exact exact_op, Ranges range_op, bool nan_is_nan = true) {
    uint32_t value = as_word(plain);
    if (c.plain) return exact(value);
    nan_is_nan = nan_is_nan && c.preserve && c.functions_keep_nan;
    Alternatives x;
    Hull h;
    bool is_special = false;
    if (alternatives(a, x)) {
        for (int i = 0; i < x.count; ++i) {
            is_special |= special(x.f[i]);
            if (nan_is_nan && std::isnan(x.f[i]))
                h.add_nan();
            else
                exact_op(h, x.f[i]);
        }
    } else {
        FloatRange r;
        if (!flushed_range(a, r)) return unknown(value);
        is_special = r.nan || r.contains_infinity();
        if (nan_is_nan && r.nan) {
            h.add_nan();
            r.nan = false;
        }
        range_op(h, r);
    }
    return settle(c, h, is_special, value);
}

/// fused() of float_math.h. `same`: both factors are one value.
Value fused(const Context& c, const Value& a, const Value& b, const Value& d, bool same);

}  // namespace tgsi2spv::reference::steps
