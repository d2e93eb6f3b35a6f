// The steps that operations on doubles are made of: what a word may be read as, sets and intervals of results, errors.
#pragma once

#include <cmath>
#include <limits>

#include "reference/wide_float.h"

namespace tgsi2spv::reference::wide {

inline constexpr double kLeastNormal = std::numeric_limits<double>::min();
inline constexpr double kMaxFinite = std::numeric_limits<double>::max();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Neither denormal nor NaN nor infinite, nor a zero whose sign is free.
inline bool ordinary(const Context& c, uint64_t w) {
    const uint64_t exponent = w & kInf64;
    return (exponent != 0 && exponent != kInf64) || (is_zero(w) && c.preserve);
}

struct Alternatives {
    double f[9];
    int count = 0;
};

/// The doubles that a short set may be read as: a denormal may be flushed, keeping its sign.
inline bool alternatives(const Wide& v, Alternatives& list) {
    if (v.kind != Kind::Words) return false;
    for (size_t i = 0; i < v.count; ++i) {
        list.f[list.count++] = as_double(v.words[i]);
        if (is_denormal(v.words[i])) list.f[list.count++] = as_double(v.words[i] & kSign64);
    }
    if (v.maybe_nan) list.f[list.count++] = as_double(kNan64);
    return true;
}

inline bool flushed_range(const Wide& v, DoubleRange& r) {
    if (!double_range(v, r)) return false;
    if (r.empty) return true;
    if (r.lo > 0 && r.lo < kLeastNormal) r.lo = 0.0;
    if (r.hi < 0 && r.hi > -kLeastNormal) r.hi = -0.0;
    return true;
}

inline void put_zeros(WideHull& h) {
    h.add_word(0);
    h.add_word(kSign64);
}

inline Wide settle(const Context& c, WideHull& h, bool special, uint64_t plain) {
    if (!c.preserve && special) h.add_unknown();
    h.flush();
    Wide v = h.finish(plain);
    if (!c.preserve && v.kind != Kind::Unknown) {
        DoubleRange r;
        double_range(v, r);
        if (r.nan || r.contains_infinity()) return unknown64(plain);
        if (permits(v, 0) != permits(v, kSign64)) {
            put_zeros(h);
            v = h.finish(plain);
        }
    }
    return v;
}

inline double down(double x) {
    return as_double(next_down(as_word(x)));
}
inline double up(double x) {
    return as_double(next_up(as_word(x)));
}

/// A correctly rounded result: `nearest`, or the neighbour towards the exact one where no mode is in force. `error` has
/// the sign of exact - nearest; NaN where that is not known.
inline void put_rounded(const Context& c, WideHull& h, double nearest, double error) {
    h.add_double(nearest);
    if (c.round_to_even || error == 0 || std::isnan(nearest)) return;
    if (!(error > 0)) h.add_double(down(nearest));
    if (!(error < 0)) h.add_double(up(nearest));
}

/// The same at the ends of a range.
inline void put_ends(const Context& c, WideHull& h, double lo, double hi) {
    h.add_interval(c.round_to_even ? lo : down(lo), c.round_to_even ? hi : up(hi));
}

/// `x` was computed to half an ULP or so; the device may err by n ULPs of the type, or of a float.
inline double error(const Context& c, double x, double n) {
    const double magnitude = std::max(std::fabs(x), kLeastNormal);
    if (!std::isfinite(x)) return 0;
    const int bits = c.doubles_as_single ? 23 : 52;
    return std::max((n + (c.doubles_as_single ? 0.01 : 1)) * std::ldexp(1.0, std::ilogb(magnitude) - bits), 0x1p-1074);
}

inline void put_ulps(const Context& c, WideHull& h, double lo, double hi, double n) {
    double least = down(lo - error(c, lo, n)), most = up(hi + error(c, hi, n));
    if (std::isinf(lo) && lo > 0) least = kMaxFinite;  // of finite operands: the exact result is beyond all doubles
    if (std::isinf(hi) && hi < 0) most = -kMaxFinite;
    h.add_interval(least, most);
    if (least <= 0 && most >= 0) put_zeros(h);
}

inline bool special(double x) {
    return !std::isfinite(x);
}

template <class Exact, class Ranges>
Wide binary(const Context& c, const Wide& a, const Wide& b, double plain, Exact exact_op, Ranges range_op) {
    const uint64_t value = as_word(plain);
    if (c.plain) return exact64(value);
    Alternatives x, y;
    WideHull h;
    bool is_special = false;
    if (alternatives(a, x) && alternatives(b, y) && x.count * y.count <= 16) {
        for (int i = 0; i < x.count; ++i)
            for (int j = 0; j < y.count; ++j) {
                exact_op(h, x.f[i], y.f[j]);
                is_special |= special(x.f[i]) || special(y.f[j]);
            }
    } else {
        DoubleRange r, s;
        if (!flushed_range(a, r) || !flushed_range(b, s)) return unknown64(value);
        range_op(h, r, s);
        is_special = r.nan || s.nan || r.contains_infinity() || s.contains_infinity();
    }
    return settle(c, h, is_special, value);
}

template <class Exact, class Ranges>
Wide unary(const Context& c, const Wide& a, double plain, Exact exact_op, Ranges range_op, bool nan_is_nan = true) {
    const uint64_t value = as_word(plain);
    if (c.plain) return exact64(value);
    nan_is_nan = nan_is_nan && c.preserve && c.functions_keep_nan;
    Alternatives x;
    WideHull h;
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
        DoubleRange r;
        if (!flushed_range(a, r)) return unknown64(value);
        is_special = r.nan || r.contains_infinity();
        if (nan_is_nan && r.nan) {
            h.add_nan();
            r.nan = false;
        }
        range_op(h, r);
    }
    return settle(c, h, is_special, value);
}

inline double sum_error(double x, double y, double s) {
    if (!std::isfinite(s)) return !std::isfinite(x) || !std::isfinite(y) ? 0 : -s;
    const double b = s - x;  // Knuth's two-sum
    return (x - (s - b)) + (y - b);
}

}  // namespace tgsi2spv::reference::wide
