#include "reference/float_math.h"

#include <algorithm>
#include <numbers>

namespace tgsi2spv::reference {
namespace {

constexpr float kMaxFinite = std::numeric_limits<float>::max();
constexpr float kLeastNormal = std::numeric_limits<float>::min();
/// Slack for the error of double arithmetic and its functions when it computes the exact result.
constexpr double kSlack = 1e-13;

float product(const Context& c, float x, float y) {
    return c.legacy_math && (x == 0 || y == 0) ? 0.0f : x * y;
}

/// Neither denormal nor NaN nor infinite, nor a zero whose sign is free.
bool ordinary(const Context& c, uint32_t w) {
    uint32_t exponent = w & kInf;
    return (exponent != 0 && exponent != kInf) || (is_zero(w) && c.preserve);
}

/// The floats that a set of words may be read as: a denormal may be flushed, keeping its sign.
struct Alternatives {
    float f[9];
    int count = 0;
    void add(uint32_t w) { f[count++] = as_float(w); }
};

bool alternatives(const Value& v, Alternatives& list) {
    if (v.kind != Kind::Words) return false;
    for (int i = 0; i < v.count; ++i) {
        list.add(v.words[i]);
        if (is_denormal(v.words[i])) list.add(v.words[i] & kSign);
    }
    if (v.maybe_nan) list.add(kNan);
    return true;
}

/// The range of a value after a possible flush of its denormals.
bool flushed_range(const Value& v, FloatRange& r) {
    if (!float_range(v, r)) return false;
    if (r.empty) return true;
    if (r.lo > 0 && r.lo < kLeastNormal) r.lo = 0.0f;
    if (r.hi < 0 && r.hi > -kLeastNormal) r.hi = -0.0f;
    return true;
}

/// Adds a result of correctly rounded arithmetic: `nearest` rounds to even, `error` has the sign of exact - nearest.
void put_rounded(const Context& c, Hull& h, float nearest, double error) {
    h.add_float(as_word(nearest));
    if (c.round_to_even || error == 0 || std::isnan(nearest)) return;
    h.add_float(error > 0 ? next_up(as_word(nearest)) : next_down(as_word(nearest)));
}

double sum_error(float x, float y, float s) {
    if (std::isinf(s) || std::isnan(s)) return std::isinf(x) || std::isinf(y) || std::isnan(s) ? 0 : (s > 0 ? -1 : 1);
    // Knuth's two-sum: the error of a float addition is a float.
    float bb = s - x;
    return (x - (s - bb)) + (y - bb);
}

void put_sum(const Context& c, Hull& h, float x, float y) {
    float s = x + y;
    put_rounded(c, h, s, c.round_to_even ? 0 : sum_error(x, y, s));
}

void put_product(const Context& c, Hull& h, float x, float y) {
    if (c.legacy_math && (x == 0 || y == 0)) {
        h.add_word(0);
        h.add_word(kSign);
        return;
    }
    float p = x * y;
    double exact_product = static_cast<double>(x) * y;  // 48 bits fit
    put_rounded(c, h, p, std::isinf(x) || std::isinf(y) ? 0 : exact_product - static_cast<double>(p));
}

void put_fused(const Context& c, Hull& h, float x, float y, float z) {
    if (c.legacy_math && (x == 0 || y == 0)) {
        h.add_float(as_word(0.0f + z));
        return;
    }
    float r = std::fma(x, y, z);
    double error = 0;
    if (!c.round_to_even && std::isfinite(x) && std::isfinite(y) && std::isfinite(z)) {
        double p = static_cast<double>(x) * y, s = p + z, bb = s - p;
        double low = (p - (s - bb)) + (z - bb);
        error = s - static_cast<double>(r);
        if (error == 0) error = low;
    }
    put_rounded(c, h, r, error);
}

/// What every operation does with what it gathered. `special`: a NaN or infinity went in or may come out.
Value settle(const Context& c, Hull& h, bool special, uint32_t plain) {
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

bool special(float x) {
    return !std::isfinite(x);
}

double ulp(double x) {
    x = std::fabs(x);
    if (x < static_cast<double>(kLeastNormal)) return 0x1p-149;
    return std::ldexp(1.0, std::ilogb(x) - 23);
}
/// ulp() that holds for every real within n ULPs of x as well.
double ulp_around(double x, double n) {
    return ulp(std::fabs(x) + 2 * n * ulp(x));
}

void put_ulps(Hull& h, double x, double n) {
    double e = n * ulp(x) * (1 + kSlack) + std::fabs(x) * kSlack;
    h.add_real(x - e, x + e);
}
void put_ulps(Hull& h, double lo, double hi, double n) {
    double below = n * ulp_around(lo, n) + std::fabs(lo) * kSlack,
           above = n * ulp_around(hi, n) + std::fabs(hi) * kSlack;
    h.add_real(lo - below, hi + above);
}

// Sums and products of ranges. The ends are rounded as Vulkan permits, outwards.
uint32_t rounded_down(const Context& c, float nearest, double error) {
    uint32_t w = as_word(nearest);
    return !c.round_to_even && error < 0 ? next_down(w) : w;
}
uint32_t rounded_up(const Context& c, float nearest, double error) {
    uint32_t w = as_word(nearest);
    return !c.round_to_even && error > 0 ? next_up(w) : w;
}

void put_sum(const Context& c, Hull& h, const FloatRange& a, const FloatRange& b) {
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

void put_product(const Context& c, Hull& h, const FloatRange& a, const FloatRange& b) {
    if (a.nan || b.nan) h.add_nan();
    if (a.empty || b.empty) {
        if (c.legacy_math) h.add_unknown();
        return;
    }
    if ((a.contains_zero() && b.contains_infinity()) || (b.contains_zero() && a.contains_infinity())) {
        if (!c.legacy_math) h.add_nan();
        h.add_word(0);
        h.add_word(kSign);
    }
    if (c.legacy_math && (a.contains_zero() || b.contains_zero())) {
        h.add_word(0);
        h.add_word(kSign);
    }
    bool any = false;
    uint32_t lo = 0, hi = 0;
    for (float x : {a.lo, a.hi})
        for (float y : {b.lo, b.hi}) {
            float p = x * y;
            if (std::isnan(p)) continue;
            double error = std::isinf(x) || std::isinf(y) ? 0 : static_cast<double>(x) * y - static_cast<double>(p);
            uint32_t down = rounded_down(c, p, error), up = rounded_up(c, p, error);
            if (!any || order(down) < order(lo)) lo = down;
            if (!any || order(up) > order(hi)) hi = up;
            any = true;
        }
    if (any) h.add_interval(lo, hi);
}

/// The magnitudes of a range that is not empty.
FloatRange magnitudes(const FloatRange& r) {
    const float a = std::fabs(r.lo), b = std::fabs(r.hi);
    return {r.contains_zero() ? 0.0f : std::min(a, b), std::max(a, b), false, false};
}

/// x·x for one x in the range: never below zero, and never 0·inf.
void put_square(const Context& c, Hull& h, const FloatRange& r) {
    const FloatRange m = magnitudes(r);
    if (c.legacy_math && m.lo == 0) h.add_word(kSign);
    auto error = [](float x, float p) {
        return std::isinf(x) ? 0 : static_cast<double>(x) * x - static_cast<double>(p);
    };
    const float lo = m.lo * m.lo, hi = m.hi * m.hi;
    h.add_interval(rounded_down(c, lo, error(m.lo, lo)), rounded_up(c, hi, error(m.hi, hi)));
}

void put_quotient(Hull& h, float x, float y) {
    if (std::isnan(x) || std::isnan(y)) {
        h.add_nan();
        return;
    }
    uint32_t s = (as_word(x) ^ as_word(y)) & kSign;
    if (y == 0) {
        if (x == 0)
            h.add_unknown();  // mathematically undefined
        else
            h.add_word(kInf | s);
        return;
    }
    if (std::fabs(y) < 0x1p-126f || std::fabs(y) > 0x1p126f) {
        h.add_unknown();
        return;
    }
    if (x == 0)
        h.add_word(s);
    else if (std::isinf(x))
        h.add_word(kInf | s);
    else
        put_ulps(h, static_cast<double>(x) / y, 2.5);
}

void put_quotient(Hull& h, const FloatRange& a, const FloatRange& b) {
    if (a.nan || b.nan) h.add_nan();
    if (a.empty || b.empty) return;
    bool in_range = (b.lo >= 0x1p-126f && b.hi <= 0x1p126f) || (b.hi <= -0x1p-126f && b.lo >= -0x1p126f);
    if (!in_range || a.contains_infinity()) {
        h.add_unknown();
        return;
    }
    if (a.lo == 0 && a.hi == 0) {
        h.add_interval(kSign, 0);
        return;
    }
    double q[4] = {static_cast<double>(a.lo) / b.lo, static_cast<double>(a.lo) / b.hi, static_cast<double>(a.hi) / b.lo,
                   static_cast<double>(a.hi) / b.hi};
    put_ulps(h, *std::min_element(q, q + 4), *std::max_element(q, q + 4), 2.5);
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

}  // namespace

Value add(const Context& c, const Value& a, const Value& b) {
    float plain = as_float(a.value) + as_float(b.value);
    if (is_exact(a) && is_exact(b) && c.round_to_even && ordinary(c, a.value) && ordinary(c, b.value) &&
        ordinary(c, as_word(plain)))
        return exact(plain);
    return binary(
        c, a, b, plain, [&](Hull& h, float x, float y) { put_sum(c, h, x, y); },
        [&](Hull& h, const FloatRange& x, const FloatRange& y) { put_sum(c, h, x, y); });
}

Value sub(const Context& c, const Value& a, const Value& b) {
    // x - y is x + (-y), also for zeros and NaN.
    Value n = b;
    n.value ^= kSign;
    for (auto& w : n.words) w ^= kSign;
    n.lo = b.hi ^ kSign;
    n.hi = b.lo ^ kSign;
    return add(c, a, n);
}

Value mul(const Context& c, const Value& a, const Value& b) {
    float plain = product(c, as_float(a.value), as_float(b.value));
    if (is_exact(a) && is_exact(b) && c.round_to_even && ordinary(c, a.value) && ordinary(c, b.value) &&
        ordinary(c, as_word(plain)) && !(c.legacy_math && plain == 0))
        return exact(plain);
    return binary(
        c, a, b, plain, [&](Hull& h, float x, float y) { put_product(c, h, x, y); },
        [&](Hull& h, const FloatRange& x, const FloatRange& y) { put_product(c, h, x, y); });
}

Value square(const Context& c, const Value& a) {
    const float x = as_float(a.value), plain = product(c, x, x);
    if (is_exact(a)) return mul(c, a, a);
    return unary(
        c, a, plain, [&](Hull& h, float f) { put_product(c, h, f, f); },
        [&](Hull& h, const FloatRange& r) {
            if (r.nan) h.add_nan();
            if (!r.empty) put_square(c, h, r);
        });
}

namespace {

/// `same`: both factors are one value.
Value fused(const Context& c, const Value& a, const Value& b, const Value& d, bool same) {
    float x = as_float(a.value), y = as_float(b.value), z = as_float(d.value);
    float plain = c.legacy_math && (x == 0 || y == 0) ? 0.0f + z : std::fma(x, y, z);
    uint32_t value = as_word(plain);
    if (c.plain) return exact(value);
    if (is_exact(a) && is_exact(b) && is_exact(d) && c.round_to_even && ordinary(c, a.value) && ordinary(c, b.value) &&
        ordinary(c, d.value) && ordinary(c, value))
        return exact(value);
    Alternatives l, m, n;
    Hull h;
    bool is_special = false;
    if (alternatives(a, l) && alternatives(b, m) && alternatives(d, n) && l.count * m.count * n.count <= 16) {
        for (int i = 0; i < l.count; ++i)
            for (int j = same ? i : 0; j < (same ? i + 1 : m.count); ++j)
                for (int k = 0; k < n.count; ++k) {
                    put_fused(c, h, l.f[i], m.f[j], n.f[k]);
                    is_special |= special(l.f[i]) || special(m.f[j]) || special(n.f[k]);
                }
        return settle(c, h, is_special, value);
    }
    FloatRange p, q, r;
    if (!flushed_range(a, p) || !flushed_range(b, q) || !flushed_range(d, r)) return unknown(value);
    is_special = p.nan || q.nan || r.nan || p.contains_infinity() || q.contains_infinity() || r.contains_infinity();
    if (is_special || p.empty || q.empty || r.empty) {
        // Rare: as two operations, which differ from the fused one only by rounding: one step wider at each end.
        Context either = c;
        either.round_to_even = false;
        return add(either, same ? square(either, a) : mul(either, a, b), d);
    }
    double lo = HUGE_VAL, hi = -HUGE_VAL;
    for (float f : {p.lo, p.hi})
        for (float g : {q.lo, q.hi}) {
            double e = static_cast<double>(f) * g;
            lo = std::min(lo, e);
            hi = std::max(hi, e);
        }
    if (same) {
        const FloatRange magnitude = magnitudes(p);
        lo = static_cast<double>(magnitude.lo) * magnitude.lo;
        hi = static_cast<double>(magnitude.hi) * magnitude.hi;
    }
    // Outwards by one float where the sum of doubles, or its rounding to float, is not exact.
    auto outwards = [&](double product_end, double addend, bool down) {
        const double s = product_end + addend, bb = s - product_end;
        const double error = (product_end - (s - bb)) + (addend - bb);
        const float nearest = static_cast<float>(s);
        const uint32_t w = as_word(nearest);
        if (error == 0 && (c.round_to_even || static_cast<double>(nearest) == s)) return w;
        return down ? next_down(w) : next_up(w);
    };
    h.add_interval(outwards(lo, static_cast<double>(r.lo), true), outwards(hi, static_cast<double>(r.hi), false));
    return settle(c, h, false, value);
}

}  // namespace

Value fused(const Context& c, const Value& a, const Value& b, const Value& d) {
    return fused(c, a, b, d, false);
}

Value mad(const Context& c, const Value& a, const Value& b, const Value& d) {
    Value two = add(c, mul(c, a, b), d);
    if (!c.contract || c.plain) return two;
    return join(two, fused(c, a, b, d));
}

Value fma(const Context& c, const Value& a, const Value& b, const Value& d) {
    Value one = fused(c, a, b, d);
    if (c.plain) return one;
    return join(one, add(c, mul(c, a, b), d));
}

Value neg(const Context& c, const Value& a) {
    if (is_exact(a) && ordinary(c, a.value)) return exact(a.value ^ kSign);
    uint32_t value = a.value ^ kSign;
    if (c.plain) return exact(value);
    if (a.kind == Kind::Unknown) return unknown(value);
    Hull h;
    if (a.maybe_nan) h.add_nan();
    if (a.kind == Kind::Interval) {
        h.add_interval(a.hi ^ kSign, a.lo ^ kSign);
    } else {
        for (int i = 0; i < a.count; ++i) h.add_float(a.words[i] ^ kSign);
    }
    h.flush();
    return h.finish(value);
}

Value abs(const Context& c, const Value& a) {
    if (is_exact(a) && ordinary(c, a.value)) return exact(a.value & ~kSign);
    uint32_t value = a.value & ~kSign;
    if (c.plain) return exact(value);
    if (a.kind == Kind::Unknown) return unknown(value);
    Hull h;
    if (a.maybe_nan) h.add_nan();
    if (a.kind == Kind::Interval) {
        uint32_t lo = a.lo & ~kSign, hi = a.hi & ~kSign;
        if (order(a.lo) < 0 && order(a.hi) >= 0)
            h.add_interval(0, std::max(lo, hi));
        else
            h.add_interval(std::min(lo, hi), std::max(lo, hi));
    } else {
        for (int i = 0; i < a.count; ++i) h.add_float(a.words[i] & ~kSign);
    }
    h.flush();
    return h.finish(value);
}

Value div(const Context& c, const Value& a, const Value& b) {
    float plain = as_float(a.value) / as_float(b.value);
    return binary(
        c, a, b, plain, [](Hull& h, float x, float y) { put_quotient(h, x, y); },
        [](Hull& h, const FloatRange& x, const FloatRange& y) { put_quotient(h, x, y); });
}

Value rcp(const Context& c, const Value& a) {
    return div(c, exact(1.0f), a);
}

Value rsq(const Context& c, const Value& a) {
    Value v = c.old_dialect() ? abs(c, a) : a;
    double x = static_cast<double>(as_float(v.value));
    return unary(
        c, v, static_cast<float>(1 / std::sqrt(x)),
        [](Hull& h, float f) {
            if (!(f >= 0) || as_word(f) == kSign || std::isinf(f))
                h.add_unknown();
            else if (f == 0)
                h.add_word(kInf);
            else
                put_ulps(h, 1 / std::sqrt(static_cast<double>(f)), 2);
        },
        [](Hull& h, const FloatRange& r) {
            if (r.nan || r.empty || order(as_word(r.lo)) < 0 || std::isinf(r.hi)) {
                h.add_unknown();
                return;
            }
            if (r.lo == 0) h.add_word(kInf);
            if (r.hi == 0) return;
            double least = 1 / std::sqrt(static_cast<double>(r.hi));
            double most = r.lo == 0 ? 0x1p75 : 1 / std::sqrt(static_cast<double>(r.lo));
            put_ulps(h, least, most, 2);
        });
}

namespace {

/// Bounds of sqrt as 1 / rsq: a chain of 2 ULP and 2.5 ULP around the exact result.
double sqrt_error(double s) {
    double r = 1 / s, e = 2 * ulp_around(r, 2);
    double most = 1 / (r - e), least = 1 / (r + e);
    most += 2.5 * ulp_around(most, 3);
    least -= 2.5 * ulp_around(least, 3);
    return std::max(most - s, s - least) * (1 + 1e-6);
}

}  // namespace

Value sqrt(const Context& c, const Value& a) {
    return unary(
        c, a, std::sqrt(as_float(a.value)),
        [](Hull& h, float f) {
            if (std::isnan(f) || f == std::numeric_limits<float>::infinity()) {
                h.add_unknown();
            } else if (f < 0) {
                h.add_nan();
            } else if (f == 0) {
                h.add_word(0);
                h.add_word(kSign);
            } else {
                double s = std::sqrt(static_cast<double>(f)), e = sqrt_error(s);
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
            h.add_real(lo > 0 ? lo - sqrt_error(lo) : 0, hi > 0 ? hi + sqrt_error(hi) : 0);
        });
}

namespace {

double bounded_exp2(double x) {
    return std::exp2(std::clamp(x, -1000.0, 1000.0));
}
double exp2_error(double x, double result) {
    return (3 + 2 * std::fabs(x)) * ulp_around(result, 0) * (1 + kSlack) + result * kSlack;
}

}  // namespace

Value exp2(const Context& c, const Value& a) {
    double x = static_cast<double>(as_float(a.value));
    return unary(
        c, a, static_cast<float>(std::exp2(x)),
        [](Hull& h, float f) {
            if (special(f)) {
                h.add_unknown();
                return;
            }
            double q = bounded_exp2(static_cast<double>(f)), e = exp2_error(static_cast<double>(f), q);
            h.add_real(q - e, q + e);
        },
        [](Hull& h, const FloatRange& r) {
            if (r.nan || r.empty || r.contains_infinity()) {
                h.add_unknown();
                return;
            }
            double n = 3 + 2 * std::max(std::fabs(static_cast<double>(r.lo)), std::fabs(static_cast<double>(r.hi)));
            put_ulps(h, bounded_exp2(static_cast<double>(r.lo)), bounded_exp2(static_cast<double>(r.hi)), n);
        });
}

namespace {

/// Error of log2 at x > 0; `around` makes it hold for neighbours too.
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
    // The error steps at the ends of [0.5, 2].
    for (double x : {0.5, 2.0})
        if (lo < x && x < hi) at(x);
}

}  // namespace

Value log2(const Context& c, const Value& a) {
    double x = static_cast<double>(as_float(a.value));
    return unary(
        c, a, static_cast<float>(std::log2(x)),
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
constexpr double kTrigError = 0x1p-11 + 1e-15;

Value trigonometric(const Context& c, const Value& a, double (*f)(double), double peak, double trough) {
    double x = static_cast<double>(as_float(a.value));
    return unary(
        c, a, static_cast<float>(f(x)),
        [&](Hull& h, float w) {
            double y = static_cast<double>(w);
            if (!(std::fabs(y) <= kPi))
                h.add_unknown();
            else
                h.add_real(f(y) - kTrigError, f(y) + kTrigError);
        },
        [&](Hull& h, const FloatRange& r) {
            double lo = static_cast<double>(r.lo), hi = static_cast<double>(r.hi);
            if (r.nan || r.empty || !(lo >= -kPi) || !(hi <= kPi)) {
                h.add_unknown();
                return;
            }
            double least = std::min(f(lo), f(hi)), most = std::max(f(lo), f(hi));
            if (lo <= peak && peak <= hi) most = 1;
            if (lo <= trough && trough <= hi) least = -1;
            h.add_real(least - kTrigError, most + kTrigError);
        });
}

}  // namespace

Value sin(const Context& c, const Value& a) {
    return trigonometric(c, a, static_cast<double (*)(double)>(std::sin), kPi / 2, -kPi / 2);
}

Value cos(const Context& c, const Value& a) {
    // Its troughs are the ends of the domain.
    return trigonometric(c, a, static_cast<double (*)(double)>(std::cos), 0, kPi);
}

namespace {

float plain_pow(float x, float y) {
    if (y == 0) return 1;
    return static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
}

/// 2^t where t, exactly within [lo, hi], was computed with an absolute error of up to `e`.
void put_power(Hull& h, double lo, double hi, double e) {
    auto most = [&](double t) {
        double q = bounded_exp2(t + e);
        return q + exp2_error(std::fabs(t) + e, q);
    };
    double q = bounded_exp2(lo), above = most(lo);
    h.add_real(q - (above - q), most(hi));
}

double rounding(const Context& c, double t) {
    return (c.round_to_even ? 0.5 : 1) * ulp_around(t, 1);
}

}  // namespace

Value pow(const Context& c, const Value& a, const Value& b) {
    return binary(
        c, a, b, plain_pow(as_float(a.value), as_float(b.value)),
        [&](Hull& h, float x, float y) {
            if (special(x) || special(y) || x < 0) {
                h.add_unknown();
            } else if (y == 0) {
                put_ulps(h, 1, 3);
            } else if (x == 0) {
                if (y < 0) {
                    h.add_word(kInf);
                } else {
                    h.add_word(0);
                    h.add_word(kSign);
                }
            } else {
                double l = std::log2(static_cast<double>(x)), t = static_cast<double>(y) * l;
                double e = std::fabs(static_cast<double>(y)) * log2_error(static_cast<double>(x), l, false);
                e += rounding(c, std::fabs(t) + e);
                put_power(h, t, t, e);
            }
        },
        [&](Hull& h, const FloatRange& r, const FloatRange& s) {
            if (r.nan || s.nan || r.empty || s.empty || r.lo < 0 || r.contains_infinity() || s.contains_infinity()) {
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
            e += rounding(c, std::max(std::fabs(tl), std::fabs(th)) + e);
            put_power(h, tl, th, e);
        });
}

Value ldexp(const Context& c, const Value& a, const Value& e) {
    int32_t plain_e = std::clamp(static_cast<int32_t>(e.value), -100000, 100000);
    uint32_t plain = as_word(std::ldexp(as_float(a.value), plain_e));
    if (c.plain) return exact(plain);
    WordList exponents;
    if (!enumerate(e, exponents)) return unknown(plain);
    Hull h;
    bool is_special = false;
    for (int i = 0; i < exponents.count; ++i) {
        int32_t n = static_cast<int32_t>(exponents.words[i]);
        auto put = [&](float x) {
            if (special(x) || n > 128) {
                h.add_unknown();
                return;
            }
            double exact_result = std::ldexp(static_cast<double>(x), std::max(n, -100000));
            if (std::fabs(exact_result) > static_cast<double>(kMaxFinite)) {
                h.add_unknown();
                return;
            }
            float f = static_cast<float>(exact_result);
            h.add_word(as_word(f));
            if (f == 0 || n < -126) {
                h.add_word(0);
                h.add_word(kSign);
            }
            // Correctly rounded, in a mode that is not promised for it.
            if (static_cast<double>(f) < exact_result) h.add_word(next_up(as_word(f)));
            if (static_cast<double>(f) > exact_result) h.add_word(next_down(as_word(f)));
        };
        Alternatives x;
        if (alternatives(a, x)) {
            for (int k = 0; k < x.count; ++k) put(x.f[k]);
        } else {
            FloatRange r;
            if (!flushed_range(a, r) || r.nan || r.empty) return unknown(plain);
            put(r.lo);
            put(r.hi);
            if (h.is_unknown()) break;
            Value v = h.finish(0);
            FloatRange hull;
            float_range(v, hull);
            h.add_interval(as_word(hull.lo), as_word(hull.hi));
        }
    }
    return settle(c, h, is_special, plain);
}

namespace {

/// A monotone function to whole numbers.
template <class F>
Value whole(const Context& c, const Value& a, F f) {
    auto zeros = [](Hull& h) {
        h.add_word(0);
        h.add_word(kSign);
    };
    return unary(
        c, a, f(as_float(a.value)),
        [&](Hull& h, float x) {
            if (special(x))
                h.add_unknown();
            else if (f(x) == 0)
                zeros(h);
            else
                h.add_word(as_word(f(x)));
        },
        [&](Hull& h, const FloatRange& r) {
            if (r.nan || r.empty || r.contains_infinity()) {
                h.add_unknown();
                return;
            }
            float lo = f(r.lo), hi = f(r.hi);
            if (lo <= 0 && hi >= 0) zeros(h);
            if (hi - lo <= 2) {
                for (float x = lo; x <= hi; x += 1)
                    if (x != 0) h.add_word(as_word(x));
            } else {
                h.add_interval(as_word(lo), as_word(hi));
            }
        });
}

}  // namespace

Value floor(const Context& c, const Value& a) {
    return whole(c, a, [](float x) { return std::floor(x); });
}
Value ceil(const Context& c, const Value& a) {
    return whole(c, a, [](float x) { return std::ceil(x); });
}
Value trunc(const Context& c, const Value& a) {
    return whole(c, a, [](float x) { return std::trunc(x); });
}
Value round_even(const Context& c, const Value& a) {
    return whole(c, a, [](float x) { return std::nearbyint(x); });
}

Value fract(const Context& c, const Value& a) {
    Context either = c;
    either.round_to_even = false;
    float x = as_float(a.value);
    return unary(
        c, a, x - std::floor(x),
        [&](Hull& h, float f) {
            if (special(f)) {
                h.add_unknown();
                return;
            }
            float whole_part = std::floor(f);
            if (f == whole_part) {
                h.add_word(0);
                h.add_word(kSign);
            } else {
                put_sum(either, h, f, -whole_part);
            }
        },
        [&](Hull& h, const FloatRange& r) {
            if (r.nan || r.empty || r.contains_infinity()) {
                h.add_unknown();
            } else if (std::floor(r.lo) == std::floor(r.hi)) {
                float n = std::floor(r.lo);
                put_sum(either, h, r, FloatRange{-n, -n, false, false});
                if (r.lo == n) {
                    h.add_word(0);
                    h.add_word(kSign);
                }
            } else {
                h.add_interval(kSign, kOne);
            }
        });
}

Value sign(const Context& c, const Value& a) {
    auto sign_of = [](float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f; };
    auto put = [&](Hull& h, float x) {
        float s = sign_of(x);
        h.add_word(as_word(s));
        if (s == 0) h.add_word(kSign);
    };
    return unary(
        c, a, sign_of(as_float(a.value)), put,
        [&](Hull& h, const FloatRange& r) {
            if (r.nan) put(h, 0);
            if (r.empty) return;
            put(h, r.lo);
            put(h, r.hi);
            if (r.contains_zero()) put(h, 0);
        },
        false);
}

namespace {

Value extremum(const Context& c, const Value& a, const Value& b, bool least) {
    auto pick = [least](float x, float y) {
        if (std::isnan(x)) return y;
        if (std::isnan(y)) return x;
        if (x == y) return (order(as_word(x)) < order(as_word(y))) == least ? x : y;
        return (x < y) == least ? x : y;
    };
    float plain = pick(as_float(a.value), as_float(b.value));
    if (is_exact(a) && is_exact(b) && ordinary(c, a.value) && ordinary(c, b.value) && plain != 0) return exact(plain);
    return binary(
        c, a, b, plain,
        [&](Hull& h, float x, float y) {
            h.add_float(as_word(pick(x, y)));
            if (x == 0 && y == 0) {
                h.add_word(as_word(x));
                h.add_word(as_word(y));
            }
        },
        [&](Hull& h, const FloatRange& r, const FloatRange& s) {
            if (r.nan && s.nan) h.add_nan();
            if (r.nan && !s.empty) h.add_interval(as_word(s.lo), as_word(s.hi));
            if (s.nan && !r.empty) h.add_interval(as_word(r.lo), as_word(r.hi));
            if (r.empty || s.empty) return;
            float lo = pick(r.lo, s.lo), hi = pick(r.hi, s.hi);
            h.add_interval(as_word(lo), as_word(hi));
            if (r.contains_zero() && s.contains_zero()) {
                h.add_word(0);
                h.add_word(kSign);
            }
        });
}

}  // namespace

Value min(const Context& c, const Value& a, const Value& b) {
    return extremum(c, a, b, true);
}
Value max(const Context& c, const Value& a, const Value& b) {
    return extremum(c, a, b, false);
}

Value saturate(const Context& c, const Value& a) {
    auto clamped = [](float x) { return x > 0 ? std::min(x, 1.0f) : 0.0f; };
    uint32_t value = as_word(clamped(as_float(a.value)));
    if (c.plain) return exact(value);
    if (is_exact(a) && !is_denormal(a.value)) return exact(value);
    Hull h;
    FloatRange r;
    Alternatives x;
    if (alternatives(a, x)) {
        for (int i = 0; i < x.count; ++i) h.add_word(as_word(clamped(x.f[i])));
    } else if (!flushed_range(a, r)) {
        h.add_interval(0, kOne);  // whatever it was, NaN included
    } else {
        if (r.nan) h.add_word(0);
        if (!r.empty) h.add_interval(as_word(clamped(r.lo)), as_word(clamped(r.hi)));
    }
    return h.finish(value);
}

namespace {

bool may_be_special(const Value& v) {
    FloatRange r;
    return !float_range(v, r) || r.nan || r.contains_infinity();
}

}  // namespace

Value lerp(const Context& c, const Value& a, const Value& b, const Value& d) {
    Value rest = sub(c, exact(1.0f), a);
    Value left = mul(c, a, b), right = mul(c, rest, d);
    Value first = add(c, left, right);
    if (c.plain) return first;
    Value difference = sub(c, b, d);
    Value second = add(c, mul(c, a, difference), d);
    if (may_be_special(first) || may_be_special(second)) {
        bool same = is_exact(first) && is_exact(second) && first.value == second.value;
        FloatRange r, s;
        same |= float_range(first, r) && float_range(second, s) && r.empty && s.empty;  // both surely NaN
        return same ? first : unknown(first.value);
    }
    Hull h;
    h.add(first);
    h.add(second);
    if (is_exact(a) && is_exact(b) && is_exact(d)) {
        const double t = static_cast<double>(as_float(a.value));
        h.add_float(as_word(static_cast<float>(t * static_cast<double>(as_float(b.value)) +
                                               (1 - t) * static_cast<double>(as_float(d.value)))));
    }
    if (!(is_exact(first) && is_exact(second) && first.value == second.value)) {
        h.add(fused(c, a, b, right));
        h.add(fused(c, rest, d, left));
        h.add(fused(c, a, difference, d));
    }
    return h.finish(first.value);
}

Value sum(const Context& c, const Term* terms, int count) {
    auto signed_term = [](Value v, bool minus) {
        if (!minus) return v;
        v.value ^= kSign;
        for (auto& w : v.words) w ^= kSign;
        std::swap(v.lo, v.hi);
        v.lo ^= kSign;
        v.hi ^= kSign;
        return v;
    };
    Value single[5], factor[5];
    // Of one register component with itself: one value, whichever of its permitted ones.
    const auto is_square = [&](int i) { return terms[i].a == terms[i].b && !terms[i].minus; };
    for (int i = 0; i < count; ++i) {
        factor[i] = signed_term(*terms[i].a, terms[i].minus);
        single[i] = !terms[i].b ? factor[i] : is_square(i) ? square(c, factor[i]) : mul(c, factor[i], *terms[i].b);
    }
    Value left = single[0];
    for (int i = 1; i < count; ++i) left = add(c, left, single[i]);
    if (c.plain || count == 1) return left;
    // All partial sums by subset: R(S) permits what R(A) + R(B) does for every split of S, and R(S - i) with the
    // product i fused in.
    Value partial[32];
    for (unsigned set = 1; set < 1u << count; ++set) {
        if (std::has_single_bit(set)) {
            partial[set] = single[std::countr_zero(set)];
            continue;
        }
        Hull h;
        bool first = true, all_equal = true;
        Value seen;
        auto take = [&](const Value& v) {
            if (first)
                seen = v;
            else
                all_equal &= is_exact(v) && is_exact(seen) && v.words[0] == seen.words[0];
            first = false;
            h.add(v);
        };
        for (unsigned part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set)
            take(add(c, partial[part], partial[set ^ part]));
        // Where all orders agree and each product was exact in itself, fusing changes nothing worth the time; else:
        for (int i = 0; i < count; ++i) {
            unsigned bit = 1u << i;
            if ((set & bit) && terms[i].b) take(fused(c, factor[i], *terms[i].b, partial[set ^ bit], is_square(i)));
        }
        partial[set] = all_equal ? seen : h.finish(seen.value);
    }
    Value result = partial[(1u << count) - 1];
    result.value = left.value;
    if (is_unknown(result)) return result;
    // Inherited bounds lie around the exact result, which is permitted itself.
    double exact_sum = 0;
    for (int i = 0; i < count; ++i) {
        if (!is_exact(factor[i]) || (terms[i].b && !is_exact(*terms[i].b))) return result;
        const double x = static_cast<double>(as_float(factor[i].value));
        exact_sum += terms[i].b ? x * static_cast<double>(as_float(terms[i].b->value)) : x;
    }
    const uint32_t rounded = as_word(static_cast<float>(exact_sum));
    if (!std::isfinite(exact_sum) || exact_sum == 0 || permits(result, rounded)) return result;
    Hull h;
    h.add(result);
    h.add_float(rounded);
    return h.finish(left.value);
}

Truth compare(const Context& c, Relation relation, const Value& a, const Value& b) {
    auto holds = [relation](float x, float y) {
        return relation == Relation::Less ? x < y : relation == Relation::LessEqual ? x <= y : x == y;
    };
    Truth t{holds(as_float(a.value), as_float(b.value)), false, false};
    if (c.plain || (is_exact(a) && is_exact(b) && ordinary(c, a.value) && ordinary(c, b.value))) {
        t.may_be_true = t.plain;
        t.may_be_false = !t.plain;
        return t;
    }
    Alternatives x, y;
    if (alternatives(a, x) && alternatives(b, y)) {
        for (int i = 0; i < x.count; ++i)
            for (int j = 0; j < y.count; ++j) {
                if (!c.preserve && (special(x.f[i]) || special(y.f[j]))) return {t.plain, true, true};
                (holds(x.f[i], y.f[j]) ? t.may_be_true : t.may_be_false) = true;
            }
        return t;
    }
    FloatRange r, s;
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

Value select(const Truth& t, const Value& yes, const Value& no) {
    if (!t.may_be_false) {
        Value v = yes;
        if (!t.plain) v.value = no.value;
        return v;
    }
    if (!t.may_be_true) {
        Value v = no;
        if (t.plain) v.value = yes.value;
        return v;
    }
    Value v = join(yes, no);
    v.value = t.plain ? yes.value : no.value;
    return v;
}

}  // namespace tgsi2spv::reference
