// Rounding to whole numbers, and related operations: FLR, CEIL, TRUNC, ROUND, FRC, SSG, LDEXP.
#include "reference/numbers/float_math.h"
#include "reference/numbers/float_steps.h"

namespace tgsi2spv::reference {

using namespace steps;

// src0 · 2^src1 for every exponent (tgsi-newest, LDEXP). GLSL.std.450's Ldexp, which is undefined above 128 and may
// give 0 below -126, is an instruction that a module may use; it does not define the opcode.
Value ldexp(const Context& context, const Value& a, const Value& e) {
    int32_t nominal_e = std::clamp(static_cast<int32_t>(e.value), -100000, 100000);
    uint32_t nominal = as_word(std::ldexp(as_number(a.value), nominal_e));
    if (context.nominal) return exact(nominal);
    WordList exponents;
    if (!enumerate(e, exponents)) return unknown(nominal);
    Hull h;
    for (int i = 0; i < exponents.count; ++i) {
        int32_t n = static_cast<int32_t>(exponents.words[i]);
        auto put = [&](float x) {
            if (special(x)) return keeps_special(context) ? h.add_float(as_word(x)) : h.add_unknown();
            // Exact: within these exponents every product is a normal double, and beyond them it is rounded the same
            // way.
            double exact_result = std::ldexp(static_cast<double>(x), std::clamp(n, -600, 600));
            if (std::fabs(exact_result) > static_cast<double>(kMaxFinite)) {
                // An infinity, or in a rounding mode that is not promised the largest number.
                h.add_word(as_word(std::copysign(std::numeric_limits<float>::infinity(), x)));
                if (!context.round_to_even) h.add_word(as_word(std::copysign(kMaxFinite, x)));
                return;
            }
            float f = static_cast<float>(exact_result);
            h.add_word(as_word(f));
            if (f == 0) h.add_zeros();
            // Correctly rounded, but in a mode that is not promised.
            if (static_cast<double>(f) < exact_result) h.add_word(next_up(as_word(f)));
            if (static_cast<double>(f) > exact_result) h.add_word(next_down(as_word(f)));
        };
        Alternatives x;
        if (alternatives(a, x)) {
            for (int k = 0; k < x.count; ++k) put(x.f[k]);
        } else {
            FloatRange r;
            if (!flushed_range(a, r) || r.nan || r.empty) return unknown(nominal);
            put(r.lo);
            put(r.hi);
            if (h.is_unknown()) break;
            Value v = h.finish(0);
            FloatRange hull;
            float_range(v, hull);
            h.add_interval(as_word(hull.lo), as_word(hull.hi));
        }
    }
    return finish_step(context, h, false, nominal);
}

template <class V>
V floor(const Context& context, const V& a) {
    return whole(context, a, [](NumberOf<V> x) { return std::floor(x); });
}
template <class V>
V ceil(const Context& context, const V& a) {
    return whole(context, a, [](NumberOf<V> x) { return std::ceil(x); });
}
template <class V>
V trunc(const Context& context, const V& a) {
    return whole(context, a, [](NumberOf<V> x) { return std::trunc(x); });
}
template <class V>
V round_even(const Context& context, const V& a) {
    const auto even = [](NumberOf<V> x) { return std::nearbyint(x); };
    if (!std::is_same_v<V, Wide> || !context.middles_round_to_zero) return whole(context, a, even);
    return whole(context, a, even, [even](NumberOf<V> x) {
        const NumberOf<V> integer = std::trunc(x);
        return std::fabs(x - integer) == NumberOf<V>{0.5} ? integer : even(x);
    });
}

template <class V>
V fract(const Context& context, const V& a) {
    using Number = NumberOf<V>;
    Context either = context;
    either.round_to_even = false;
    const Number x = as_number(a.value);
    return unary(
        context, a, x - std::floor(x),
        [&](SetOf<V>& h, Number f) {
            if (special(f)) return h.add_unknown();
            const Number n = std::floor(f);
            f == n ? h.add_zeros() : put_sum(either, h, f, -n);
        },
        [&](SetOf<V>& h, const RangeOf<V>& r) {
            if (r.nan || r.empty || r.contains_infinity()) return h.add_unknown();
            // Around a whole number the fraction is near 1 below it, and near 0 from it on: two parts, if the set of
            // results may have a gap.
            const Number n = std::floor(r.hi);
            if (n - std::floor(r.lo) > (FormatOf<V>::kGaps == 0 ? 0 : 1))
                return h.add_interval(Number{-0.0}, Number{1});
            const auto put = [&](Number lo, Number hi) {
                const Number whole_part = std::floor(lo);
                put_sum(either, h, RangeOf<V>{lo, hi}, RangeOf<V>{-whole_part, -whole_part});
                if (lo == whole_part) h.add_zeros();
            };
            put(std::max(r.lo, n), r.hi);
            if (r.lo < n) put(r.lo, as_number(next_down(n == 0 ? FormatOf<V>::kSign : as_word(n))));
        });
}

template <class V>
V sign(const Context& context, const V& a) {
    using Number = NumberOf<V>;
    const auto sign_of = [](Number x) { return static_cast<Number>(x > 0 ? 1 : x < 0 ? -1 : 0); };
    const auto put = [&](SetOf<V>& h, Number x) { x > 0 || x < 0 ? h.add_number(sign_of(x)) : h.add_zeros(); };
    return unary(
        context, readable(a), sign_of(as_number(a.value)), put,
        [&](SetOf<V>& h, const RangeOf<V>& r) {
            if (r.nan) put(h, 0);
            if (r.empty) return;
            put(h, r.lo);
            put(h, r.hi);
            if (r.contains_zero()) put(h, 0);
        },
        false);
}

#define FOR_FORMAT(V)                                \
    template V floor(const Context&, const V&);      \
    template V ceil(const Context&, const V&);       \
    template V trunc(const Context&, const V&);      \
    template V round_even(const Context&, const V&); \
    template V fract(const Context&, const V&);      \
    template V sign(const Context&, const V&);
FOR_FORMAT(Value)
FOR_FORMAT(Wide)
#undef FOR_FORMAT

}  // namespace tgsi2spv::reference
