// Rounding to whole numbers, and related operations: FLR, CEIL, TRUNC, ROUND, FRC, SSG, LDEXP.
#include "reference/numbers/float_steps.h"

namespace tgsi2spv::reference {

using namespace steps;

// src0 · 2^src1 for every exponent (tgsi-newest, LDEXP). GLSL.std.450's Ldexp, which is undefined above 128 and may
// give 0 below -126, is an instruction that a module may use; it does not define the opcode.
Value ldexp(const Context& context, const Value& a, const Value& e) {
    int32_t nominal_e = std::clamp(static_cast<int32_t>(e.value), -100000, 100000);
    uint32_t nominal = as_word(std::ldexp(as_float(a.value), nominal_e));
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

Value floor(const Context& context, const Value& a) {
    return whole(context, a, [](float x) { return std::floor(x); });
}
Value ceil(const Context& context, const Value& a) {
    return whole(context, a, [](float x) { return std::ceil(x); });
}
Value trunc(const Context& context, const Value& a) {
    return whole(context, a, [](float x) { return std::trunc(x); });
}
Value round_even(const Context& context, const Value& a) {
    return whole(context, a, [](float x) { return std::nearbyint(x); });
}

Value fract(const Context& context, const Value& a) {
    Context either = context;
    either.round_to_even = false;
    float x = as_float(a.value);
    return unary(
        context, a, x - std::floor(x),
        [&](Hull& h, float f) {
            if (special(f)) {
                h.add_unknown();
                return;
            }
            float whole_part = std::floor(f);
            if (f == whole_part) {
                h.add_zeros();
            } else {
                put_sum(either, h, f, -whole_part);
            }
        },
        [&](Hull& h, const FloatRange& r) {
            if (r.nan || r.empty || r.contains_infinity()) {
                h.add_unknown();
            } else if (std::floor(r.hi) - std::floor(r.lo) <= 1) {
                // Around a whole number the fraction is near 1 below it, and near 0 from it on.
                const auto put = [&](float lo, float hi) {
                    const float n = std::floor(lo);
                    put_sum(either, h, FloatRange{lo, hi, false, false}, FloatRange{-n, -n, false, false});
                    if (lo == n) h.add_zeros();
                };
                const float n = std::floor(r.hi);
                put(std::max(r.lo, n), r.hi);
                if (r.lo < n) put(r.lo, as_float(next_down(n == 0 ? kSign : as_word(n))));
            } else {
                h.add_interval(kSign, kOne);
            }
        });
}

Value sign(const Context& context, const Value& a) {
    auto sign_of = [](float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f; };
    auto put = [&](Hull& h, float x) {
        float s = sign_of(x);
        h.add_word(as_word(s));
        if (s == 0) h.add_word(kSign);
    };
    return unary(
        context, readable(a), sign_of(as_float(a.value)), put,
        [&](Hull& h, const FloatRange& r) {
            if (r.nan) put(h, 0);
            if (r.empty) return;
            put(h, r.lo);
            put(h, r.hi);
            if (r.contains_zero()) put(h, 0);
        },
        false);
}

}  // namespace tgsi2spv::reference
