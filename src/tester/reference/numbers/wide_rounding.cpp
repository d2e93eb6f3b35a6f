// Doubles: clamping, scaling, and splitting into fraction and exponent.
#include <algorithm>
#include <cmath>

#include "reference/numbers/wide_float.h"
#include "reference/numbers/wide_steps.h"

namespace tgsi2spv::reference::wide {

Wide saturate(const Context& context, const Wide& a, bool to_minus_one) {
    const double least = to_minus_one ? -1.0 : 0.0;
    const auto clamped = [least](double x) { return x > least ? std::min(x, 1.0) : least; };
    const uint64_t value = as_word(clamped(as_number(a.value)));
    if (context.nominal) return exact(value);
    if (!context.preserve && may_be_special(a)) return unknown(value);
    WideHull h;
    DoubleRange r;
    Alternatives x;
    if (alternatives(a, x)) {
        for (int i = 0; i < x.count; ++i) h.add_number(clamped(x.f[i]));
    } else if (!flushed_range(a, r)) {
        h.add_interval(least, 1);  // for any operand, NaN included
    } else {
        if (r.nan) h.add_number(least);
        if (!r.empty) h.add_interval(clamped(r.lo), clamped(r.hi));
    }
    return finish_step(context, h, false, value, to_minus_one ? FlushedTo::EitherZero : FlushedTo::ZeroOfItsSign);
}

Wide ldexp(const Context& context, const Wide& a, const Value& e) {
    const int nominal_e = std::clamp(static_cast<int32_t>(e.value), -100000, 100000);
    const uint64_t nominal = as_word(std::ldexp(as_number(a.value), nominal_e));
    if (context.nominal) return exact(nominal);
    WordList exponents;
    if (!enumerate(e, exponents)) return unknown(nominal);
    WideHull h;
    for (int i = 0; i < exponents.count; ++i) {
        const int n = std::max(static_cast<int32_t>(exponents.words[static_cast<size_t>(i)]), -100000);
        const auto scaled = [&](double x) { return std::ldexp(x, std::min(n, 100000)); };
        const auto put = [&](double x) {
            if (special(x)) return keeps_special(context) ? h.add_number(x) : h.add_unknown();
            const double y = scaled(x);
            if (std::isinf(y)) {
                h.add_number(y);
                if (!context.round_to_even) h.add_number(std::copysign(kMaxFinite, x));
                return;
            }
            h.add_number(y);
            if (y == 0) h.add_zeros();
            if (std::ldexp(y, -n) != x) {  // correctly rounded, but in a mode that is not promised
                h.add_number(down(y));
                h.add_number(up(y));
            }
        };
        Alternatives x;
        if (alternatives(a, x)) {
            for (int k = 0; k < x.count; ++k) put(x.f[k]);
            continue;
        }
        DoubleRange r;
        if (!flushed_range(a, r) || r.nan || r.empty) return unknown(nominal);
        put(r.lo);
        put(r.hi);
        if (!h.is_unknown()) h.add_interval(scaled(r.lo), scaled(r.hi));
    }
    return finish_step(context, h, false, nominal);
}

void frexp(const Context& context, const Wide& a, Wide& fraction, Value& exponent) {
    int e = 0;
    const double nominal = as_number(a.value),
                 nominal_fraction = std::isfinite(nominal) ? std::frexp(nominal, &e) : nominal;
    const uint64_t value = as_word(nominal_fraction);
    const uint32_t nominal_exponent = static_cast<uint32_t>(e);
    fraction = unknown(value);
    exponent = unknown(nominal_exponent);
    if (context.nominal) {
        fraction = exact(value);
        exponent = exact(nominal_exponent);
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
        f == 0 ? fractions.add_zeros() : fractions.add_number(f);
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
    fraction = finish_step(context, fractions, false, value);
    exponent = exponents.finish(nominal_exponent);
}

}  // namespace tgsi2spv::reference::wide
