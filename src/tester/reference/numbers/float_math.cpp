// Arithmetic, signs, minimum, maximum and comparison.
#include "reference/numbers/float_math.h"
#include "reference/numbers/float_steps.h"
#include "reference/numbers/relate.h"

namespace tgsi2spv::reference {

using namespace steps;

namespace {

/// LEGACY_MATH_RULES: a factor is certainly 0, so the product is 0 for any other factor.
template <class V>
bool is_nothing(const Context& context, const V& a, const V& b) {
    const auto certainly_zero = [](const V& v) {
        return v.kind == Kind::Words && !v.maybe_nan &&
               std::all_of(v.words.begin(), v.words.begin() + v.count, [](WordOf<V> w) { return is_zero(w); });
    };
    return context.legacy_math && !context.nominal && (certainly_zero(a) || certainly_zero(b));
}

template <class V>
V nothing() {
    SetOf<V> h;
    h.add_zeros();
    return h.finish(0);
}

template <class Set, class Number>
void put_product(const Context& context, Set& hull, Number x, Number y) {
    if (context.legacy_math && (x == 0 || y == 0)) return hull.add_zeros();
    put_rounded(context, hull, x * y, product_error(x, y, x * y), FlushedTo::ZeroOfItsSign);
}

/// Has the sign of x·y + z - r, where r is the float nearest to the exact sum.
double fused_error(float x, float y, float z, float r) {
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) return 0;
    const double p = static_cast<double>(x) * y, s = p + z, bb = s - p;
    const double error = s - static_cast<double>(r);
    return error != 0 ? error : (p - (s - bb)) + (z - bb);
}

void put_fused(const Context& context, Hull& hull, float x, float y, float z, FlushedTo zero) {
    if (context.legacy_math && (x == 0 || y == 0)) {
        hull.add_float(as_word(0.0f + z));
        return;
    }
    const float r = std::fma(x, y, z);
    put_rounded(context, hull, r, fused_error(x, y, z, r), zero);
}

template <class Word, class Number>
void put_product(const Context& context, HullOf<Word>& hull, const NumberRange<Number>& a,
                 const NumberRange<Number>& b) {
    if (a.nan || b.nan) hull.add_nan();
    if (a.empty || b.empty) {
        if (context.legacy_math) hull.add_unknown();
        return;
    }
    if ((a.contains_zero() && b.contains_infinity()) || (b.contains_zero() && a.contains_infinity())) {
        if (!context.legacy_math) hull.add_nan();
        hull.add_zeros();
    }
    if (context.legacy_math && (a.contains_zero() || b.contains_zero())) hull.add_zeros();
    bool any = false;
    Word lo = 0, hi = 0;
    for (Number x : {a.lo, a.hi})
        for (Number y : {b.lo, b.hi}) {
            const Number p = x * y;
            if (std::isnan(p)) continue;
            const double error = product_error(x, y, p);
            if (was_denormal(p, error)) put_flushed(hull, p, FlushedTo::ZeroOfItsSign);
            const Word down = rounded_down(context, p, error), up = rounded_up(context, p, error);
            if (!any || order(down) < order(lo)) lo = down;
            if (!any || order(up) > order(hi)) hi = up;
            any = true;
        }
    if (any) hull.add_interval(lo, hi);
}

/// The magnitudes of a range that is not empty.
template <class Number>
NumberRange<Number> magnitudes(const NumberRange<Number>& r) {
    const Number a = std::fabs(r.lo), b = std::fabs(r.hi);
    return {r.contains_zero() ? 0 : std::min(a, b), std::max(a, b), false, false};
}

/// x·x for one x in the range: never below zero, and never 0·inf.
template <class Word, class Number>
void put_square(const Context& context, HullOf<Word>& hull, const NumberRange<Number>& r) {
    const auto m = magnitudes(r);
    if (context.legacy_math && m.lo == 0) hull.add_word(Format<Word>::kSign);
    const Number lo = m.lo * m.lo, hi = m.hi * m.hi;
    const double error = product_error(m.lo, m.lo, lo);
    if (was_denormal(lo, error)) hull.add_word(0);
    hull.add_interval(rounded_down(context, lo, error), rounded_up(context, hi, product_error(m.hi, m.hi, hi)));
}

void put_quotient(Hull& hull, float x, float y) {
    if (std::isnan(x) || std::isnan(y)) {
        hull.add_nan();
        return;
    }
    uint32_t s = (as_word(x) ^ as_word(y)) & kSign;
    if (y == 0) {
        if (x == 0)
            hull.add_unknown();  // mathematically undefined
        else
            hull.add_word(kInf | s);
        return;
    }
    if (std::fabs(y) < 0x1p-126f || std::fabs(y) > 0x1p126f) {
        hull.add_unknown();
        return;
    }
    if (x == 0)
        hull.add_word(s);
    else if (std::isinf(x))
        hull.add_word(kInf | s);
    else
        put_ulps(hull, static_cast<double>(x) / y, 2.5);
}

void put_quotient(Hull& hull, const FloatRange& a, const FloatRange& b) {
    if (a.nan || b.nan) hull.add_nan();
    if (a.empty || b.empty) return;
    bool in_range = (b.lo >= 0x1p-126f && b.hi <= 0x1p126f) || (b.hi <= -0x1p-126f && b.lo >= -0x1p126f);
    if (!in_range || a.contains_infinity()) {
        hull.add_unknown();
        return;
    }
    if (a.lo == 0 && a.hi == 0) {
        hull.add_interval(kSign, 0);
        return;
    }
    double q[4] = {static_cast<double>(a.lo) / b.lo, static_cast<double>(a.lo) / b.hi, static_cast<double>(a.hi) / b.lo,
                   static_cast<double>(a.hi) / b.hi};
    put_ulps(hull, *std::min_element(q, q + 4), *std::max_element(q, q + 4), 2.5);
}

/// A correctly rounded operation gives `nominal` for these two numbers and nothing else.
template <class V>
bool is_certain(const Context& context, const V& a, const V& b, NumberOf<V> nominal) {
    return is_plain(context, a) && is_plain(context, b) && context.round_to_even && ordinary(context, as_word(nominal));
}

/// A product that may be contracted with a later sum: there it has its exact value, between its neighbours.
template <class V>
V not_rounded(const Context& context, V (*product)(const Context&, const V&, const V&), const V& a, const V& b) {
    Context rounded = context;
    rounded.contract = rounded.round_to_even = false;
    const V v = product(rounded, a, b);
    RangeOf<V> r;
    if (is_exact(v) || !float_range(v, r) || r.empty) return v;
    if constexpr (std::is_same_v<V, Value>) {
        if (any_apart({&a, &b}))
            return for_each_part(Parts{&a, &b}, v.value,
                                 [&](const Parts& p) { return not_rounded(context, product, p[0], p[1]); });
    }
    return interval(as_word(r.lo), as_word(r.hi), v.value, r.nan);
}

}  // namespace

template <class V>
V add(const Context& context, const V& a, const V& b) {
    const auto nominal = as_number(a.value) + as_number(b.value);
    if (is_certain(context, a, b, nominal)) return exact(as_word(nominal));
    const auto put = [&](SetOf<V>& h, const auto& x, const auto& y) { put_sum(context, h, x, y); };
    return binary(context, a, b, nominal, put, put, flushed_sum(a, b));
}

Value sub(const Context& context, const Value& a, const Value& b) {
    return add(context, a, flipped(b));  // x - y is x + (-y), also for zeros and NaN
}

template <class V>
V mul(const Context& context, const V& a, const V& b) {
    if (is_nothing(context, a, b)) return nothing<V>();
    if (context.contract && !context.nominal) return not_rounded(context, &mul<V>, a, b);
    const auto nominal = product(context, as_number(a.value), as_number(b.value));
    if (is_certain(context, a, b, nominal) && !(context.legacy_math && nominal == 0)) return exact(as_word(nominal));
    const auto put = [&](SetOf<V>& h, const auto& x, const auto& y) { put_product(context, h, x, y); };
    return binary(context, a, b, nominal, put, put, FlushedTo::ZeroOfItsSign);
}

template <class V>
V square(const Context& context, const V& a) {
    if (context.contract && !context.nominal)
        return not_rounded<V>(
            context, [](const Context& c, const V& x, const V&) { return square(c, x); }, a, a);
    const auto x = as_number(a.value);
    if (is_exact(a) && !is_denormal(a.words[0])) return mul(context, a, a);
    return unary(
        context, a, product(context, x, x), [&](SetOf<V>& h, NumberOf<V> y) { put_product(context, h, y, y); },
        [&](SetOf<V>& h, const RangeOf<V>& r) {
            if (r.nan) h.add_nan();
            if (!r.empty) put_square(context, h, r);
        },
        true, FlushedTo::ZeroOfItsSign);
}

Value steps::fused(const Context& context, const Value& a, const Value& b, const Value& d, bool same) {
    if (is_nothing(context, a, b)) return add(context, nothing<Value>(), d);
    float x = as_number(a.value), y = as_number(b.value), z = as_number(d.value);
    float nominal = context.legacy_math && (x == 0 || y == 0) ? 0.0f + z : std::fma(x, y, z);
    uint32_t value = as_word(nominal);
    if (context.nominal) return exact(value);
    if (is_exact(a) && is_exact(b) && is_exact(d) && context.round_to_even && ordinary(context, a.value) &&
        ordinary(context, b.value) && ordinary(context, d.value) && ordinary(context, value))
        return exact(value);
    Alternatives l, m, n;
    Hull h;
    bool is_special = false;
    const bool positive = (same || (is_positive(a) && is_positive(b))) && is_positive(d);
    const FlushedTo zero = positive ? FlushedTo::ZeroOfItsSign : FlushedTo::EitherZero;
    if (alternatives(a, l) && alternatives(b, m) && alternatives(d, n) && l.words * m.words * n.words <= 16) {
        for (int i = 0; i < l.count; ++i)
            for (int j = same ? i : 0; j < (same ? i + 1 : m.count); ++j)
                for (int k = 0; k < n.count; ++k) {
                    put_fused(context, h, l.f[i], m.f[j], n.f[k], zero);
                    is_special |= special(l.f[i]) || special(m.f[j]) || special(n.f[k]);
                }
        return finish_step(context, h, is_special, value, zero);
    }
    FloatRange p, q, r;
    if (!flushed_range(a, p) || !flushed_range(b, q) || !flushed_range(d, r)) return unknown(value);
    is_special = p.nan || q.nan || r.nan || p.contains_infinity() || q.contains_infinity() || r.contains_infinity();
    if (is_special || p.empty || q.empty || r.empty) {
        // Rare: computed as two operations. They differ from the fused one only by rounding, so each end is one step
        // wider.
        Context either = context;
        either.round_to_even = false;
        return add(either, same ? square(either, a) : mul(either, a, b), d);
    }
    if (context.round_to_even) {
        // Rounding is monotone: the ends are those of the exact results.
        const auto end = [&](float f, float g, float addend) {
            const float nearest = std::fma(f, g, addend);
            if (was_denormal(nearest, fused_error(f, g, addend, nearest))) put_flushed(h, nearest, zero);
            return as_word(nearest);
        };
        if (same) {
            const FloatRange ends = magnitudes(p);
            h.add_interval(end(ends.lo, ends.lo, r.lo), end(ends.hi, ends.hi, r.hi));
        } else {
            int32_t least = order(kInf), most = order(kInf | kSign);
            for (float f : {p.lo, p.hi})
                for (float g : {q.lo, q.hi}) {
                    least = std::min(least, order(end(f, g, r.lo)));
                    most = std::max(most, order(end(f, g, r.hi)));
                }
            h.add_interval(from_order(least), from_order(most));
        }
        return finish_step(context, h, false, value, zero);
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
    // Rounds outwards by one float if the sum of doubles, or its rounding to float, is not exact.
    auto outwards = [&](double product_end, double addend, bool down) {
        const double s = product_end + addend, bb = s - product_end;
        const double error = (product_end - (s - bb)) + (addend - bb);
        const float nearest = static_cast<float>(s);
        const uint32_t w = as_word(nearest);
        if (error == 0 && static_cast<double>(nearest) == s) return w;
        return down ? next_down(w) : next_up(w);
    };
    h.add_interval(outwards(lo, static_cast<double>(r.lo), true), outwards(hi, static_cast<double>(r.hi), false));
    return finish_step(context, h, false, value, zero);
}

Value fused(const Context& context, const Value& a, const Value& b, const Value& d) {
    return fused(context, a, b, d, false);
}

namespace {

/// a * b + d, rounded once or twice: that makes no gaps, but the operands may have some.
Value fused_or_not(const Context& context, const Value& a, const Value& b, const Value& d) {
    if (any_apart({&a, &b, &d}))
        return for_each_part(Parts{&a, &b, &d}, 0,
                             [&](const Parts& p) { return fused_or_not(context, p[0], p[1], p[2]); });
    return filled(join(fused(context, a, b, d), add(context, mul(context, a, b), d)));
}
Value with_nominal(Value v, uint32_t nominal) {
    v.value = nominal;
    return v;
}

}  // namespace

Value mad(const Context& context, const Value& a, const Value& b, const Value& d) {
    const Value two = add(context, mul(context, a, b), d);
    return !context.contract || context.nominal ? two : with_nominal(fused_or_not(context, a, b, d), two.value);
}

Value fma(const Context& context, const Value& a, const Value& b, const Value& d) {
    Context function = context;
    function.preserve = keeps_special(context);
    const Value one = fused(function, a, b, d);
    return context.nominal ? one : with_nominal(fused_or_not(function, a, b, d), one.value);
}

namespace {

/// An unknown value with another nominal answer: its cause is still that of `a`.
template <class V>
V unknown_as(const V& a, WordOf<V> value) {
    V v = unknown(value);
    if (!is_packed(a)) v.lo = a.lo;
    return v;
}

}  // namespace

template <class V>
V neg(const Context& context, const V& a) {
    const auto value = a.value ^ FormatOf<V>::kSign;
    if (context.nominal || is_plain(context, a)) return exact(value);
    if (is_unknown(a)) return unknown_as(a, value);
    SetOf<V> h;
    if (a.maybe_nan) h.add_nan();
    if (a.kind == Kind::Interval) {
        h.add(flipped(a));
    } else {
        for (int i = 0; i < a.count; ++i) h.add_float(a.words[i] ^ FormatOf<V>::kSign);
    }
    return finish_step(context, h, false, value);
}

template <class V>
V abs(const Context& context, const V& a) {
    constexpr auto kMagnitude = ~FormatOf<V>::kSign;
    const auto value = a.value & kMagnitude;
    if (context.nominal || is_plain(context, a)) return exact(value);
    if (is_unknown(a)) return unknown_as(a, value);
    SetOf<V> h;
    if (a.maybe_nan) h.add_nan();
    if (a.kind == Kind::Interval) {
        for (size_t i = 0; i <= a.gaps; ++i) {
            const Part p = part_of(a, i);
            const auto lo = p.lo & kMagnitude, hi = p.hi & kMagnitude;
            if (order(p.lo) < 0 && order(p.hi) >= 0)
                h.add_interval(WordOf<V>{0}, std::max(lo, hi));
            else
                h.add_interval(std::min(lo, hi), std::max(lo, hi));
        }
    } else {
        for (int i = 0; i < a.count; ++i) h.add_float(a.words[i] & kMagnitude);
    }
    return finish_step(context, h, false, value, FlushedTo::ZeroOfItsSign);  // the sign bit is cleared
}

Value div(const Context& context, const Value& a, const Value& b) {
    float nominal = as_number(a.value) / as_number(b.value);
    return binary(
        context, a, b, nominal, [](Hull& h, float x, float y) { put_quotient(h, x, y); },
        [](Hull& h, const FloatRange& x, const FloatRange& y) { put_quotient(h, x, y); }, FlushedTo::ZeroOfItsSign);
}

Value rcp(const Context& context, const Value& a) {
    return div(context, exact(1.0f), a);
}

namespace {

template <class V>
V extremum(const Context& context, const V& a, const V& b, bool least) {
    using Number = NumberOf<V>;
    const auto pick = [least](Number x, Number y) {
        if (std::isnan(x)) return y;
        if (std::isnan(y)) return x;
        if (x == y) return (order(as_word(x)) < order(as_word(y))) == least ? x : y;
        return (x < y) == least ? x : y;
    };
    const Number nominal = pick(as_number(a.value), as_number(b.value));
    if (is_plain(context, a) && is_plain(context, b) && nominal != 0) return exact(as_word(nominal));
    if (is_unknown(a) && is_unknown(b)) return unknown(as_word(nominal));
    return unknown_if_free(binary(
        context, readable(a), readable(b), nominal,
        [&](SetOf<V>& h, Number x, Number y) {
            h.add_number(pick(x, y));
            if (x == 0 && y == 0) {
                h.add_number(x);
                h.add_number(y);
            }
            if (context.tiny_maxima_are_minima && !least && flushes_to_minus_zero(x) && flushes_to_minus_zero(y))
                h.add_number(std::min(x, y));
        },
        [&](SetOf<V>& h, const RangeOf<V>& r, const RangeOf<V>& s) {
            if (r.nan && s.nan) h.add_nan();
            if (r.nan && !s.empty) h.add_interval(s.lo, s.hi);
            if (s.nan && !r.empty) h.add_interval(r.lo, r.hi);
            if (r.empty || s.empty) return;
            h.add_interval(pick(r.lo, s.lo), pick(r.hi, s.hi));
            if (r.contains_zero() && s.contains_zero()) h.add_zeros();
            if (context.tiny_maxima_are_minima && !least && tiny_part(r) && tiny_part(s))
                h.add_interval(std::min(*tiny_part(r), *tiny_part(s)), Number{-0.0});
        }));
}

}  // namespace

template <class V>
V min(const Context& context, const V& a, const V& b) {
    return extremum(context, a, b, true);
}
template <class V>
V max(const Context& context, const V& a, const V& b) {
    return extremum(context, a, b, false);
}

Value light_exponent(const Context& context, const Value& w) {
    Value v = min(context, max(context, w, exact(-128.0f)), exact(128.0f));
    FloatRange r;
    if (!context.nominal && (!float_range(w, r) || r.nan)) make_unknown(v, origin_of(w));
    return v;
}

namespace {

/// Clamped to `least`..1.
Value clamp_to_one(const Context& context, const Value& a, float least) {
    auto clamped = [least](float x) { return x > least ? std::min(x, 1.0f) : least; };
    uint32_t value = as_word(clamped(as_number(a.value)));
    if (context.nominal) return exact(value);
    if (is_plain(context, a)) return exact(value);
    if (!context.preserve && may_be_special(a)) return unknown(value);
    Hull h;
    RangesOf<FloatRange> parts;
    Alternatives x;
    if (alternatives(a, x)) {
        for (int i = 0; i < x.count; ++i) h.add_word(as_word(clamped(x.f[i])));
    } else if (!flushed_ranges(a, parts)) {
        h.add_interval(as_word(least), kOne);  // for any operand, NaN included
    } else {
        for (const FloatRange& r : parts) {
            if (r.nan) h.add_word(as_word(least));
            if (!r.empty) h.add_interval(as_word(clamped(r.lo)), as_word(clamped(r.hi)));
        }
    }
    return finish_step(context, h, false, value, least < 0 ? FlushedTo::EitherZero : FlushedTo::ZeroOfItsSign);
}

}  // namespace

Value saturate(const Context& context, const Value& a) {
    return clamp_to_one(context, a, 0);
}

Value saturate_signed(const Context& context, const Value& a) {
    return clamp_to_one(context, a, -1);
}

template <class V>
Truth compare(const Context& context, Comparison comparison, const V& a, const V& b) {
    const Truth t =
        comparison.swapped ? relate(context, comparison.relation, b, a) : relate(context, comparison.relation, a, b);
    return comparison.negated ? !t : t;
}

Value select(const Truth& truth, const Value& yes, const Value& no) {
    if (!truth.may_be_false) {
        Value v = yes;
        if (!truth.nominal) v.value = no.value;
        return v;
    }
    if (!truth.may_be_true) {
        Value v = no;
        if (truth.nominal) v.value = yes.value;
        return v;
    }
    Value v = join(yes, no);
    v.value = truth.nominal ? yes.value : no.value;
    return v;
}

#define FOR_FORMAT(V)                                   \
    template V add(const Context&, const V&, const V&); \
    template V mul(const Context&, const V&, const V&); \
    template V square(const Context&, const V&);        \
    template V neg(const Context&, const V&);           \
    template V abs(const Context&, const V&);           \
    template V min(const Context&, const V&, const V&); \
    template V max(const Context&, const V&, const V&); \
    template Truth compare(const Context&, Comparison, const V&, const V&);
FOR_FORMAT(Value)
FOR_FORMAT(Wide)
#undef FOR_FORMAT

}  // namespace tgsi2spv::reference
