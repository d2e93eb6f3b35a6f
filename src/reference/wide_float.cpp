#include "reference/wide_float.h"

#include <algorithm>
#include <cmath>

namespace tgsi2spv::reference {

Context wide_context(const Context& c) {
    Context w = c;
    w.preserve = c.preserve_wide;
    w.round_to_even = c.round_to_even_wide;
    w.legacy_math = false;
    return w;
}

namespace wide {
namespace {

constexpr double kLeastNormal = std::numeric_limits<double>::min();
constexpr double kMaxFinite = std::numeric_limits<double>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Neither denormal nor NaN nor infinite, nor a zero whose sign is free.
bool ordinary(const Context& c, uint64_t w) {
    const uint64_t exponent = w & kInf64;
    return (exponent != 0 && exponent != kInf64) || (is_zero(w) && c.preserve);
}

struct Alternatives {
    double f[9];
    int count = 0;
};

/// The doubles that a short set may be read as: a denormal may be flushed, keeping its sign.
bool alternatives(const Wide& v, Alternatives& list) {
    if (v.kind != Kind::Words) return false;
    for (size_t i = 0; i < v.count; ++i) {
        list.f[list.count++] = as_double(v.words[i]);
        if (is_denormal(v.words[i])) list.f[list.count++] = as_double(v.words[i] & kSign64);
    }
    if (v.maybe_nan) list.f[list.count++] = as_double(kNan64);
    return true;
}

bool flushed_range(const Wide& v, DoubleRange& r) {
    if (!double_range(v, r)) return false;
    if (r.empty) return true;
    if (r.lo > 0 && r.lo < kLeastNormal) r.lo = 0.0;
    if (r.hi < 0 && r.hi > -kLeastNormal) r.hi = -0.0;
    return true;
}

void put_zeros(WideHull& h) {
    h.add_word(0);
    h.add_word(kSign64);
}

Wide settle(const Context& c, WideHull& h, bool special, uint64_t plain) {
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

double down(double x) {
    return as_double(next_down(as_word(x)));
}
double up(double x) {
    return as_double(next_up(as_word(x)));
}

/// A correctly rounded result: `nearest`, or the neighbour towards the exact one where no mode is in force. `error` has
/// the sign of exact - nearest; NaN where that is not known.
void put_rounded(const Context& c, WideHull& h, double nearest, double error) {
    h.add_double(nearest);
    if (c.round_to_even || error == 0 || std::isnan(nearest)) return;
    if (!(error > 0)) h.add_double(down(nearest));
    if (!(error < 0)) h.add_double(up(nearest));
}

/// The same at the ends of a range.
void put_ends(const Context& c, WideHull& h, double lo, double hi) {
    h.add_interval(c.round_to_even ? lo : down(lo), c.round_to_even ? hi : up(hi));
}

/// `x` was computed to half an ULP or so; the device may err by n ULPs of the type, or of a float.
double error(const Context& c, double x, double n) {
    const double magnitude = std::max(std::fabs(x), kLeastNormal);
    if (!std::isfinite(x)) return 0;
    const int bits = c.doubles_as_single ? 23 : 52;
    return std::max((n + (c.doubles_as_single ? 0.01 : 1)) * std::ldexp(1.0, std::ilogb(magnitude) - bits), 0x1p-1074);
}

void put_ulps(const Context& c, WideHull& h, double lo, double hi, double n) {
    double least = down(lo - error(c, lo, n)), most = up(hi + error(c, hi, n));
    if (std::isinf(lo) && lo > 0) least = kMaxFinite;  // of finite operands: the exact result is beyond all doubles
    if (std::isinf(hi) && hi < 0) most = -kMaxFinite;
    h.add_interval(least, most);
    if (least <= 0 && most >= 0) put_zeros(h);
}

bool special(double x) {
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

double sum_error(double x, double y, double s) {
    if (!std::isfinite(s)) return !std::isfinite(x) || !std::isfinite(y) ? 0 : -s;
    const double b = s - x;  // Knuth's two-sum
    return (x - (s - b)) + (y - b);
}

double product_error(double x, double y, double p) {
    if (!std::isfinite(p)) return !std::isfinite(x) || !std::isfinite(y) ? 0 : -p;
    if (x == 0 || y == 0) return 0;
    // The error of a product is a double where nothing underflows.
    return std::fabs(p) > 0x1p-900 ? std::fma(x, y, -p) : as_double(kNan64);
}

/// Ends of sums or products of ranges with infinities in them.
void add_ends(WideHull& h, const Context& c, double lo, double hi) {
    put_ends(c, h, std::isnan(lo) ? -kInfinity : lo, std::isnan(hi) ? kInfinity : hi);
}

void put_fused(const Context& c, WideHull& h, double x, double y, double z) {
    const double p = x * y, s = p + z;
    const bool is_exact_result = product_error(x, y, p) == 0 && sum_error(p, z, s) == 0;
    put_rounded(c, h, std::fma(x, y, z), is_exact_result ? 0 : as_double(kNan64));
}

Wide fused(const Context& c, const Wide& a, const Wide& b, const Wide& d) {
    const double plain = std::fma(as_double(a.value), as_double(b.value), as_double(d.value));
    if (c.plain) return exact64(as_word(plain));
    Alternatives x, y, z;
    if (alternatives(a, x) && alternatives(b, y) && alternatives(d, z) && x.count * y.count * z.count <= 16) {
        WideHull h;
        bool is_special = false;
        for (int i = 0; i < x.count; ++i)
            for (int j = 0; j < y.count; ++j)
                for (int k = 0; k < z.count; ++k) {
                    put_fused(c, h, x.f[i], y.f[j], z.f[k]);
                    is_special |= special(x.f[i]) || special(y.f[j]) || special(z.f[k]);
                }
        return settle(c, h, is_special, as_word(plain));
    }
    // One rounding less than the product and the sum: within those of either neighbour at each step.
    Context either = c;
    either.round_to_even = false;
    Wide v = add(either, mul(either, a, b), d);
    v.value = as_word(plain);
    return v;
}

}  // namespace

Wide add(const Context& c, const Wide& a, const Wide& b) {
    const double plain = as_double(a.value) + as_double(b.value);
    if (is_exact(a) && is_exact(b) && c.round_to_even && ordinary(c, a.value) && ordinary(c, b.value) &&
        ordinary(c, as_word(plain)))
        return exact64(as_word(plain));
    return binary(
        c, a, b, plain, [&](WideHull& h, double x, double y) { put_rounded(c, h, x + y, sum_error(x, y, x + y)); },
        [&](WideHull& h, const DoubleRange& r, const DoubleRange& s) {
            if (r.nan || s.nan) h.add_nan();
            if (r.empty || s.empty) return;
            if ((r.lo == -kInfinity && s.hi == kInfinity) || (s.lo == -kInfinity && r.hi == kInfinity)) h.add_nan();
            add_ends(h, c, r.lo + s.lo, r.hi + s.hi);
        });
}

Wide mul(const Context& c, const Wide& a, const Wide& b) {
    const double plain = as_double(a.value) * as_double(b.value);
    if (is_exact(a) && is_exact(b) && c.round_to_even && ordinary(c, a.value) && ordinary(c, b.value) &&
        ordinary(c, as_word(plain)))
        return exact64(as_word(plain));
    return binary(
        c, a, b, plain, [&](WideHull& h, double x, double y) { put_rounded(c, h, x * y, product_error(x, y, x * y)); },
        [&](WideHull& h, const DoubleRange& r, const DoubleRange& s) {
            if (r.nan || s.nan) h.add_nan();
            if (r.empty || s.empty) return;
            if ((r.contains_zero() && s.contains_infinity()) || (s.contains_zero() && r.contains_infinity())) {
                h.add_nan();
                put_zeros(h);
            }
            double lo = kInfinity, hi = -kInfinity;
            bool zeros = false;
            for (double x : {r.lo, r.hi})
                for (double y : {s.lo, s.hi}) {
                    const double p = x * y;
                    if (std::isnan(p)) continue;
                    lo = std::min(lo, p);
                    hi = std::max(hi, p);
                    zeros |= p == 0;
                }
            if (lo <= hi) put_ends(c, h, lo, hi);
            if (zeros) put_zeros(h);
        });
}

Wide square(const Context& c, const Wide& a) {
    const Wide any = mul(c, a, a);
    DoubleRange r, s;
    if (c.plain || any.kind != Kind::Interval || !double_range(a, r) || !double_range(any, s) || r.empty || !(s.lo < 0))
        return any;
    // Never below zero; 0·inf is no square.
    WideHull h;
    if (r.nan) h.add_nan();
    put_zeros(h);
    h.add_interval(0, s.hi);
    return h.finish(any.value);
}

Wide mad(const Context& c, const Wide& a, const Wide& b, const Wide& d) {
    const Wide two = add(c, mul(c, a, b), d);
    return !c.contract || c.plain ? two : join(two, fused(c, a, b, d));
}

Wide fma(const Context& c, const Wide& a, const Wide& b, const Wide& d) {
    const Wide one = fused(c, a, b, d);
    return c.plain ? one : join(one, add(c, mul(c, a, b), d));
}

namespace {

/// f changes the sign bit of every pattern; `crosses`: an interval has zero inside that its ends do not show.
template <class F>
Wide change_sign(const Context& c, const Wide& a, F f, bool (*crosses)(double, double)) {
    const uint64_t value = f(a.value);
    if (c.plain) return exact64(value);
    if (a.kind == Kind::Unknown) return unknown64(value);
    WideHull h;
    if (a.maybe_nan) h.add_nan();
    if (a.kind == Kind::Interval) {
        const double lo = as_double(f(a.lo)), hi = as_double(f(a.hi));
        const bool swapped = order(as_word(lo)) > order(as_word(hi));
        h.add_interval(swapped ? hi : lo, swapped ? lo : hi);
        if (crosses(as_double(a.lo), as_double(a.hi))) h.add_word(0);
    }
    for (size_t i = 0; a.kind == Kind::Words && i < a.count; ++i) {
        const uint64_t w = f(a.words[i]);
        is_nan(w) ? h.add_nan() : h.add_word(w);
    }
    h.flush();
    return h.finish(value);
}

}  // namespace

Wide neg(const Context& c, const Wide& a) {
    return change_sign(
        c, a, [](uint64_t w) { return w ^ kSign64; }, [](double, double) { return false; });
}

Wide abs(const Context& c, const Wide& a) {
    return change_sign(
        c, a, [](uint64_t w) { return w & ~kSign64; },
        [](double lo, double hi) { return std::signbit(lo) && !std::signbit(hi); });
}

Wide div(const Context& c, const Wide& a, const Wide& b) {
    // The divisors that the table promises anything of, at the range of the type.
    const auto divisor = [](double y) { return std::fabs(y) >= 0x1p-1022 && std::fabs(y) <= 0x1p1022; };
    return binary(
        c, a, b, as_double(a.value) / as_double(b.value),
        [&](WideHull& h, double x, double y) {
            if (std::isnan(x) || std::isnan(y)) return h.add_nan();
            if ((x == 0 && y == 0) || (y != 0 && !divisor(y))) return h.add_unknown();
            if (y == 0 || x == 0 || std::isinf(x)) return h.add_double(x / y);
            put_ulps(c, h, x / y, x / y, 2.5);
        },
        [&](WideHull& h, const DoubleRange& r, const DoubleRange& s) {
            if (r.nan || s.nan) h.add_nan();
            if (r.empty || s.empty) return;
            if (r.contains_infinity() || s.contains_zero() || !divisor(s.lo) || !divisor(s.hi)) return h.add_unknown();
            const double q[4] = {r.lo / s.lo, r.lo / s.hi, r.hi / s.lo, r.hi / s.hi};
            put_ulps(c, h, *std::min_element(q, q + 4), *std::max_element(q, q + 4), 2.5);
        });
}

Wide rcp(const Context& c, const Wide& a) {
    return div(c, exact64(kOne64), a);
}

Wide rsq(const Context& c, const Wide& a) {
    const Wide v = c.old_dialect() ? abs(c, a) : a;
    return unary(
        c, v, 1 / std::sqrt(as_double(v.value)),
        [&](WideHull& h, double x) {
            if (!(x >= 0) || (x == 0 && std::signbit(x)) || std::isinf(x)) return h.add_unknown();
            const double q = 1 / std::sqrt(x);
            x == 0 ? h.add_double(kInfinity) : put_ulps(c, h, q, q, 2);
        },
        [&](WideHull& h, const DoubleRange& r) {
            if (r.nan || r.empty || std::signbit(r.lo) || std::isinf(r.hi)) return h.add_unknown();
            if (r.lo == 0) h.add_double(kInfinity);
            if (r.hi == 0) return;
            put_ulps(c, h, 1 / std::sqrt(r.hi), r.lo == 0 ? 0x1p538 : 1 / std::sqrt(r.lo), 2);
        });
}

Wide sqrt(const Context& c, const Wide& a) {
    // 1 ÷ rsq: 2 ULPs of the root, which may be 4 of its reciprocal, and 2.5 of the division.
    constexpr double kUlps = 8;
    return unary(
        c, a, std::sqrt(as_double(a.value)),
        [&](WideHull& h, double x) {
            if (std::isnan(x) || x == kInfinity) return h.add_unknown();
            if (x < 0) return h.add_nan();
            if (x == 0) return put_zeros(h);
            put_ulps(c, h, std::sqrt(x), std::sqrt(x), kUlps);
        },
        [&](WideHull& h, const DoubleRange& r) {
            if (r.nan || r.empty || std::isinf(r.hi)) return h.add_unknown();
            if (r.lo < 0) h.add_nan();
            if (r.hi < 0) return;
            if (r.lo <= 0) put_zeros(h);
            if (r.hi > 0) put_ulps(c, h, r.lo > 0 ? std::sqrt(r.lo) : 0, std::sqrt(r.hi), kUlps);
        });
}

namespace {

template <class F>
Wide whole(const Context& c, const Wide& a, F f) {
    return unary(
        c, a, f(as_double(a.value)),
        [&](WideHull& h, double x) {
            if (special(x)) return h.add_unknown();
            f(x) == 0 ? put_zeros(h) : h.add_double(f(x));
        },
        [&](WideHull& h, const DoubleRange& r) {
            if (r.nan || r.empty || r.contains_infinity()) return h.add_unknown();
            const double lo = f(r.lo), hi = f(r.hi);
            if (lo <= 0 && hi >= 0) put_zeros(h);
            if (hi - lo <= 2) {
                for (double x = lo; x <= hi; x += 1)
                    if (x != 0) h.add_double(x);
            } else {
                h.add_interval(lo, hi);
            }
        });
}

}  // namespace

Wide floor(const Context& c, const Wide& a) {
    return whole(c, a, [](double x) { return std::floor(x); });
}
Wide ceil(const Context& c, const Wide& a) {
    return whole(c, a, [](double x) { return std::ceil(x); });
}
Wide trunc(const Context& c, const Wide& a) {
    return whole(c, a, [](double x) { return std::trunc(x); });
}
Wide round_even(const Context& c, const Wide& a) {
    return whole(c, a, [](double x) { return std::nearbyint(x); });
}

Wide fract(const Context& c, const Wide& a) {
    const double plain = as_double(a.value) - std::floor(as_double(a.value));
    Context either = c;
    either.round_to_even = false;
    return unary(
        c, a, plain,
        [&](WideHull& h, double x) {
            if (special(x)) return h.add_unknown();
            const double n = std::floor(x);
            x == n ? put_zeros(h) : put_rounded(either, h, x - n, sum_error(x, -n, x - n));
        },
        [&](WideHull& h, const DoubleRange& r) {
            if (r.nan || r.empty || r.contains_infinity()) return h.add_unknown();
            const double n = std::floor(r.lo);
            if (n != std::floor(r.hi)) return h.add_interval(-0.0, 1.0);
            put_ends(either, h, r.lo - n, r.hi - n);
            if (r.lo == n) put_zeros(h);
        });
}

Wide sign(const Context& c, const Wide& a) {
    const auto sign_of = [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; };
    return unary(
        c, a, sign_of(as_double(a.value)),
        [&](WideHull& h, double x) {
            const double s = sign_of(x);
            s == 0 ? put_zeros(h) : h.add_double(s);
        },
        [&](WideHull& h, const DoubleRange& r) {
            for (double x : {r.lo, r.hi})
                if (!r.empty && x != 0) h.add_double(sign_of(x));
            if (r.nan || r.contains_zero()) put_zeros(h);
        },
        false);
}

namespace {

Wide extremum(const Context& c, const Wide& a, const Wide& b, bool least) {
    const auto pick = [least](double x, double y) {
        if (std::isnan(x)) return y;
        if (std::isnan(y)) return x;
        if (x == y) return (order(as_word(x)) < order(as_word(y))) == least ? x : y;
        return (x < y) == least ? x : y;
    };
    return binary(
        c, a, b, pick(as_double(a.value), as_double(b.value)),
        [&](WideHull& h, double x, double y) {
            h.add_double(pick(x, y));
            if (x == 0 && y == 0) {
                h.add_double(x);
                h.add_double(y);
            }
        },
        [&](WideHull& h, const DoubleRange& r, const DoubleRange& s) {
            if (r.nan && s.nan) h.add_nan();
            if (r.nan && !s.empty) h.add_interval(s.lo, s.hi);
            if (s.nan && !r.empty) h.add_interval(r.lo, r.hi);
            if (r.empty || s.empty) return;
            h.add_interval(pick(r.lo, s.lo), pick(r.hi, s.hi));
            if (r.contains_zero() && s.contains_zero()) put_zeros(h);
        });
}

}  // namespace

Wide min(const Context& c, const Wide& a, const Wide& b) {
    return extremum(c, a, b, true);
}
Wide max(const Context& c, const Wide& a, const Wide& b) {
    return extremum(c, a, b, false);
}

Wide saturate(const Context& c, const Wide& a) {
    const auto clamped = [](double x) { return x > 0 ? std::min(x, 1.0) : 0.0; };
    const uint64_t value = as_word(clamped(as_double(a.value)));
    if (c.plain) return exact64(value);
    WideHull h;
    DoubleRange r;
    Alternatives x;
    if (alternatives(a, x)) {
        for (int i = 0; i < x.count; ++i) h.add_double(clamped(x.f[i]));
    } else if (!flushed_range(a, r)) {
        h.add_interval(0, 1);  // whatever it was, NaN included
    } else {
        if (r.nan) h.add_word(0);
        if (!r.empty) h.add_interval(clamped(r.lo), clamped(r.hi));
    }
    return h.finish(value);
}

Wide ldexp(const Context& c, const Wide& a, const Value& e) {
    const int plain_e = std::clamp(static_cast<int32_t>(e.value), -100000, 100000);
    const uint64_t plain = as_word(std::ldexp(as_double(a.value), plain_e));
    if (c.plain) return exact64(plain);
    WordList exponents;
    if (!enumerate(e, exponents)) return unknown64(plain);
    WideHull h;
    for (int i = 0; i < exponents.count; ++i) {
        const int n = std::max(static_cast<int32_t>(exponents.words[static_cast<size_t>(i)]), -100000);
        const auto scaled = [&](double x) { return std::ldexp(x, std::min(n, 100000)); };
        const auto put = [&](double x) {
            if (special(x) || n > 1024 || special(scaled(x))) return h.add_unknown();
            const double y = scaled(x);
            h.add_double(y);
            if (y == 0 || n < -1022) put_zeros(h);
            if (std::ldexp(y, -n) != x) {  // correctly rounded, in a mode that is not promised for it
                h.add_double(down(y));
                h.add_double(up(y));
            }
        };
        Alternatives x;
        if (alternatives(a, x)) {
            for (int k = 0; k < x.count; ++k) put(x.f[k]);
            continue;
        }
        DoubleRange r;
        if (!flushed_range(a, r) || r.nan || r.empty) return unknown64(plain);
        put(r.lo);
        put(r.hi);
        if (!h.is_unknown()) h.add_interval(scaled(r.lo), scaled(r.hi));
    }
    return settle(c, h, false, plain);
}

void frexp(const Context& c, const Wide& a, Wide& fraction, Value& exponent) {
    int e = 0;
    const double plain = as_double(a.value), plain_fraction = std::isfinite(plain) ? std::frexp(plain, &e) : plain;
    const uint64_t value = as_word(plain_fraction);
    const uint32_t plain_exponent = static_cast<uint32_t>(e);
    fraction = unknown64(value);
    exponent = unknown(plain_exponent);
    if (c.plain) {
        fraction = exact64(value);
        exponent = exact(plain_exponent);
        return;
    }
    WideHull fractions;
    Hull exponents;
    const auto put = [&](double x) {
        if (special(x)) {
            fractions.add_unknown();
            exponents.add_unknown();
            return;
        }
        int n = 0;
        const double f = std::frexp(x, &n);
        f == 0 ? put_zeros(fractions) : fractions.add_double(f);
        exponents.add_word(static_cast<uint32_t>(n));
    };
    Alternatives x;
    if (alternatives(a, x)) {
        for (int i = 0; i < x.count; ++i) put(x.f[i]);
    } else {
        DoubleRange r;
        int first = 0, last = 0;
        // Within one power of two the fraction is monotone.
        if (!flushed_range(a, r) || r.nan || r.empty || r.contains_infinity() || r.contains_zero()) return;
        std::frexp(r.lo, &first);
        std::frexp(r.hi, &last);
        if (first != last) {
            if (std::abs(first - last) > 3) return;
            for (int n = std::min(first, last); n <= std::max(first, last); ++n)
                exponents.add_word(static_cast<uint32_t>(n));
            r.lo > 0 ? fractions.add_interval(0.5, 1.0) : fractions.add_interval(-1.0, -0.5);
        } else {
            put(r.lo);
            put(r.hi);
            fractions.add_interval(std::frexp(r.lo, &first), std::frexp(r.hi, &last));
        }
    }
    fraction = settle(c, fractions, false, value);
    exponent = exponents.finish(plain_exponent);
}

Truth compare(const Context& c, Relation relation, const Wide& a, const Wide& b) {
    const auto holds = [relation](double x, double y) {
        return relation == Relation::Less ? x < y : relation == Relation::LessEqual ? x <= y : x == y;
    };
    Truth t{holds(as_double(a.value), as_double(b.value)), false, false};
    if (c.plain) return {t.plain, t.plain, !t.plain};
    Alternatives x, y;
    if (alternatives(a, x) && alternatives(b, y)) {
        for (int i = 0; i < x.count; ++i)
            for (int j = 0; j < y.count; ++j) {
                if (!c.preserve && (special(x.f[i]) || special(y.f[j]))) return {t.plain, true, true};
                (holds(x.f[i], y.f[j]) ? t.may_be_true : t.may_be_false) = true;
            }
        return t;
    }
    DoubleRange r, s;
    if (!flushed_range(a, r) || !flushed_range(b, s)) return {t.plain, true, true};
    if (!c.preserve && (r.nan || s.nan || r.contains_infinity() || s.contains_infinity())) return {t.plain, true, true};
    t.may_be_false = r.nan || s.nan;
    if (r.empty || s.empty) return t;
    switch (relation) {
        case Relation::Less:
            t.may_be_true = r.lo < s.hi;
            t.may_be_false |= r.hi >= s.lo;
            break;
        case Relation::LessEqual:
            t.may_be_true = r.lo <= s.hi;
            t.may_be_false |= r.hi > s.lo;
            break;
        case Relation::Equal:
            t.may_be_true = r.lo <= s.hi && s.lo <= r.hi;
            t.may_be_false |= !(r.lo == r.hi && s.lo == s.hi && r.lo == s.lo);
            break;
    }
    return t;
}

}  // namespace wide
}  // namespace tgsi2spv::reference
