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

void put_fused(const Context& context, WideHull& hull, double x, double y, double z, FlushedTo zero) {
    const double p = x * y, s = p + z;
    const bool is_exact_result = product_error(x, y, p) == 0 && sum_error(p, z, s) == 0;
    put_rounded(context, hull, std::fma(x, y, z), is_exact_result ? 0 : as_number(Double::kNan), zero);
}

Wide fused(const Context& context, const Wide& a, const Wide& b, const Wide& d) {
    const double nominal = std::fma(as_number(a.value), as_number(b.value), as_number(d.value));
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

Wide mad(const Context& context, const Wide& a, const Wide& b, const Wide& d) {
    const Wide two = add(context, mul(context, a, b), d);
    return !context.contract || context.nominal ? two : join(two, fused(context, a, b, d));
}

Wide fma(const Context& context, const Wide& a, const Wide& b, const Wide& d) {
    Context function = context;
    function.preserve = keeps_special(context);
    const Wide one = fused(function, a, b, d);
    return context.nominal ? one : join(one, add(function, mul(function, a, b), d));
}

Wide div(const Context& context, const Wide& a, const Wide& b) {
    // The divisors for which the table makes a promise, in the range of the type.
    const auto divisor = [](double y) { return std::fabs(y) >= 0x1p-1022 && std::fabs(y) <= 0x1p1022; };
    return binary(
        context, a, b, as_number(a.value) / as_number(b.value),
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
        context, v, 1 / std::sqrt(as_number(v.value)),
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
        context, a, std::sqrt(as_number(a.value)),
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
