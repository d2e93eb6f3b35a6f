#include "reference/numbers/wide_float.h"

#include <algorithm>
#include <cmath>

#include "reference/numbers/wide_steps.h"

namespace tgsi2spv::reference {

Context wide_context(const Context& context) {
    Context w = context;
    w.preserve = context.preserve_wide;
    w.round_to_even = context.round_to_even_wide;
    w.legacy_math = false;
    return w;
}

namespace wide {
namespace {

/// Has the sign of x·y - p, where p is the double nearest to the exact product.
double product_error(double x, double y, double p) {
    if (!std::isfinite(p)) return !std::isfinite(x) || !std::isfinite(y) ? 0 : -p;
    // The error of a product is a double if nothing underflows. Factors of so small a product are below 2^175.
    if (std::fabs(p) > 0x1p-900) return std::fma(x, y, -p);
    return std::fma(x * 0x1p511, y * 0x1p511, -p * 0x1p1022);
}

/// Adds the ends of sums or products of ranges that contain infinities.
void add_ends(WideHull& hull, const Context& context, double lo, double hi) {
    put_ends(context, hull, std::isnan(lo) ? -kInfinity : lo, std::isnan(hi) ? kInfinity : hi);
}

void put_product(const Context& context, WideHull& hull, double x, double y) {
    put_rounded(context, hull, x * y, product_error(x, y, x * y), FlushedTo::ZeroOfItsSign);
}

void put_fused(const Context& context, WideHull& hull, double x, double y, double z, FlushedTo zero) {
    const double p = x * y, s = p + z;
    const bool is_exact_result = product_error(x, y, p) == 0 && sum_error(p, z, s) == 0;
    put_rounded(context, hull, std::fma(x, y, z), is_exact_result ? 0 : as_double(Double::kNan), zero);
}

Wide fused(const Context& context, const Wide& a, const Wide& b, const Wide& d) {
    const double nominal = std::fma(as_double(a.value), as_double(b.value), as_double(d.value));
    if (context.nominal) return exact(as_word(nominal));
    Alternatives x, y, z;
    if (alternatives(a, x) && alternatives(b, y) && alternatives(d, z) && x.words * y.words * z.words <= 16) {
        const bool positive = is_positive(a) && is_positive(b) && is_positive(d);
        const FlushedTo zero = positive ? FlushedTo::ZeroOfItsSign : FlushedTo::EitherZero;
        WideHull h;
        bool is_special = false;
        for (int i = 0; i < x.count; ++i)
            for (int j = 0; j < y.count; ++j)
                for (int k = 0; k < z.count; ++k) {
                    put_fused(context, h, x.f[i], y.f[j], z.f[k], zero);
                    is_special |= special(x.f[i]) || special(y.f[j]) || special(z.f[k]);
                }
        return finish_step(context, h, is_special, as_word(nominal), zero);
    }
    // One rounding less than the product and the sum: the result lies within those of either neighbour at each step.
    Context either = context;
    either.round_to_even = false;
    Wide v = add(either, mul(either, a, b), d);
    v.value = as_word(nominal);
    return v;
}

}  // namespace

Wide add(const Context& context, const Wide& a, const Wide& b) {
    const double nominal = as_double(a.value) + as_double(b.value);
    if (is_exact(a) && is_exact(b) && context.round_to_even && ordinary(context, a.value) &&
        ordinary(context, b.value) && ordinary(context, as_word(nominal)))
        return exact(as_word(nominal));
    return binary(
        context, a, b, nominal,
        [&](WideHull& h, double x, double y) { put_rounded(context, h, x + y, sum_error(x, y, x + y)); },
        [&](WideHull& h, const DoubleRange& r, const DoubleRange& s) {
            if (r.nan || s.nan) h.add_nan();
            if (r.empty || s.empty) return;
            if ((r.lo == -kInfinity && s.hi == kInfinity) || (s.lo == -kInfinity && r.hi == kInfinity)) h.add_nan();
            add_ends(h, context, r.lo + s.lo, r.hi + s.hi);
        },
        flushed_sum(a, b));
}

Wide mul(const Context& context, const Wide& a, const Wide& b) {
    const double nominal = as_double(a.value) * as_double(b.value);
    if (is_exact(a) && is_exact(b) && context.round_to_even && ordinary(context, a.value) &&
        ordinary(context, b.value) && ordinary(context, as_word(nominal)))
        return exact(as_word(nominal));
    return binary(
        context, a, b, nominal, [&](WideHull& h, double x, double y) { put_product(context, h, x, y); },
        [&](WideHull& h, const DoubleRange& r, const DoubleRange& s) {
            if (r.nan || s.nan) h.add_nan();
            if (r.empty || s.empty) return;
            if ((r.contains_zero() && s.contains_infinity()) || (s.contains_zero() && r.contains_infinity())) {
                h.add_nan();
                h.add_zeros();
            }
            uint64_t lo = Double::kInf, hi = Double::kInf | Double::kSign;
            for (double x : {r.lo, r.hi})
                for (double y : {s.lo, s.hi}) {
                    const double p = x * y;
                    if (std::isnan(p)) continue;
                    if (order(as_word(p)) < order(lo)) lo = as_word(p);
                    if (order(as_word(p)) > order(hi)) hi = as_word(p);
                    if (was_denormal(p, product_error(x, y, p))) put_flushed(h, p, FlushedTo::ZeroOfItsSign);
                }
            if (order(lo) <= order(hi)) put_ends(context, h, as_double(lo), as_double(hi));
        },
        FlushedTo::ZeroOfItsSign);
}

Wide square(const Context& context, const Wide& a) {
    const double x = as_double(a.value);
    if (is_exact(a) && !is_denormal(a.words[0])) return mul(context, a, a);
    return unary(
        context, a, x * x, [&](WideHull& h, double y) { put_product(context, h, y, y); },
        [&](WideHull& h, const DoubleRange& r) {
            if (r.nan) h.add_nan();
            if (r.empty) return;
            // One value times itself: never below zero, and never 0·inf.
            const double p = std::fabs(r.lo), q = std::fabs(r.hi), most = std::max(p, q);
            const double least = r.contains_zero() ? 0 : std::min(p, q), lo = least * least;
            if (was_denormal(lo, product_error(least, least, lo))) h.add_word(0);
            h.add_interval(context.round_to_even ? lo : std::max(down(lo), 0.0),
                           context.round_to_even ? most * most : up(most * most));
        },
        true, FlushedTo::ZeroOfItsSign);
}

Wide mad(const Context& context, const Wide& a, const Wide& b, const Wide& d) {
    const Wide two = add(context, mul(context, a, b), d);
    return !context.contract || context.nominal ? two : join(two, fused(context, a, b, d));
}

Wide fma(const Context& context, const Wide& a, const Wide& b, const Wide& d) {
    const Wide one = fused(context, a, b, d);
    return context.nominal ? one : join(one, add(context, mul(context, a, b), d));
}

namespace {

/// f changes the sign bit of every pattern: it clears it, or (not `clears`) flips it.
template <class F>
Wide change_sign(const Context& context, const Wide& a, bool clears, F f) {
    const uint64_t value = f(a.value);
    if (context.nominal) return exact(value);
    if (a.kind == Kind::Unknown) return unknown(value);
    WideHull h;
    if (a.maybe_nan) h.add_nan();
    if (a.kind == Kind::Interval) {
        const double lo = as_double(f(a.lo)), hi = as_double(f(a.hi));
        const bool swapped = order(as_word(lo)) > order(as_word(hi));
        if (clears && ((a.lo ^ a.hi) & Double::kSign) != 0)
            h.add_interval(0, std::max(lo, hi));  // contains zero, which the ends do not show; they may be the same
        else
            h.add_interval(swapped ? hi : lo, swapped ? lo : hi);
    }
    for (size_t i = 0; a.kind == Kind::Words && i < a.count; ++i) {
        const uint64_t w = f(a.words[i]);
        is_nan(w) ? h.add_nan() : h.add_word(w);
    }
    h.flush(clears && context.preserve ? FlushedTo::ZeroOfItsSign : FlushedTo::EitherZero);
    return h.finish(value);
}

}  // namespace

Wide neg(const Context& context, const Wide& a) {
    return change_sign(context, a, false, [](uint64_t w) { return w ^ Double::kSign; });
}

Wide abs(const Context& context, const Wide& a) {
    return change_sign(context, a, true, [](uint64_t w) { return w & ~Double::kSign; });
}

Wide div(const Context& context, const Wide& a, const Wide& b) {
    // The divisors for which the table makes a promise, in the range of the type.
    const auto divisor = [](double y) { return std::fabs(y) >= 0x1p-1022 && std::fabs(y) <= 0x1p1022; };
    return binary(
        context, a, b, as_double(a.value) / as_double(b.value),
        [&](WideHull& h, double x, double y) {
            if (std::isnan(x) || std::isnan(y)) return h.add_nan();
            if ((x == 0 && y == 0) || (y != 0 && !divisor(y))) return h.add_unknown();
            if (y == 0 || x == 0 || std::isinf(x)) return h.add_number(x / y);
            put_ulps(context, h, x / y, x / y, 2.5);
        },
        [&](WideHull& h, const DoubleRange& r, const DoubleRange& s) {
            if (r.nan || s.nan) h.add_nan();
            if (r.empty || s.empty) return;
            if (r.contains_infinity() || s.contains_zero() || !divisor(s.lo) || !divisor(s.hi)) return h.add_unknown();
            const double q[4] = {r.lo / s.lo, r.lo / s.hi, r.hi / s.lo, r.hi / s.hi};
            put_ulps(context, h, *std::min_element(q, q + 4), *std::max_element(q, q + 4), 2.5);
        },
        FlushedTo::ZeroOfItsSign);
}

Wide rcp(const Context& context, const Wide& a) {
    return div(context, exact(Double::kOne), a);
}

Wide rsq(const Context& context, const Wide& a) {
    constexpr double kRootUlps = 2.5;  // 2; the root and its reciprocal are rounded here, half an ULP more
    const Wide v = context.old_dialect() ? abs(context, a) : a;
    return unary(
        context, v, 1 / std::sqrt(as_double(v.value)),
        [&](WideHull& h, double x) {
            if (!(x >= 0) || (x == 0 && std::signbit(x)) || (std::isinf(x) && !keeps_special(context)))
                return h.add_unknown();
            const double q = 1 / std::sqrt(x);
            x == 0 ? h.add_number(kInfinity) : put_ulps(context, h, q, q, kRootUlps);
        },
        [&](WideHull& h, const DoubleRange& r) {
            if (r.nan || r.empty || std::signbit(r.lo) || (std::isinf(r.hi) && !keeps_special(context)))
                return h.add_unknown();
            if (r.lo == 0) h.add_number(kInfinity);
            if (r.hi == 0) return;
            put_ulps(context, h, 1 / std::sqrt(r.hi), r.lo == 0 ? 0x1p538 : 1 / std::sqrt(r.lo), kRootUlps);
        });
}

Wide sqrt(const Context& context, const Wide& a) {
    // 1 ÷ rsq: 2 ULPs of the root, which may be 4 of its reciprocal, plus 2.5 of the division.
    constexpr double kUlps = 6.5;
    return unary(
        context, a, std::sqrt(as_double(a.value)),
        [&](WideHull& h, double x) {
            if (std::isnan(x) || x == kInfinity) return h.add_unknown();
            if (x < 0) return h.add_nan();
            if (x == 0) return h.add_zeros();
            put_ulps(context, h, std::sqrt(x), std::sqrt(x), kUlps);
        },
        [&](WideHull& h, const DoubleRange& r) {
            if (r.nan || r.empty || std::isinf(r.hi)) return h.add_unknown();
            if (r.lo < 0) h.add_nan();
            if (r.hi < 0) return;
            if (r.lo <= 0) h.add_zeros();
            if (r.hi > 0) put_ulps(context, h, r.lo > 0 ? std::sqrt(r.lo) : 0, std::sqrt(r.hi), kUlps);
        });
}

}  // namespace wide
}  // namespace tgsi2spv::reference
