// Arithmetic, signs, minimum, maximum and comparison.
#include "reference/numbers/float_steps.h"
#include "reference/numbers/relate.h"

namespace tgsi2spv::reference {

using namespace steps;

namespace {

/// LEGACY_MATH_RULES: a factor is certainly 0, so the product is, whatever the other factor is.
bool is_nothing(const Context& c, const Value& a, const Value& b) {
    const auto certainly_zero = [](const Value& v) {
        return v.kind == Kind::Words && !v.maybe_nan &&
               std::all_of(v.words.begin(), v.words.begin() + v.count, [](uint32_t w) { return is_zero(w); });
    };
    return c.legacy_math && !c.nominal && (certainly_zero(a) || certainly_zero(b));
}

Value nothing() {
    Hull h;
    h.add_zeros();
    return h.finish(0);
}

void put_product(const Context& c, Hull& h, float x, float y) {
    if (c.legacy_math && (x == 0 || y == 0)) {
        h.add_zeros();
        return;
    }
    float p = x * y;
    double exact_product = static_cast<double>(x) * y;  // 48 bits fit
    put_rounded(c, h, p, std::isinf(x) || std::isinf(y) ? 0 : exact_product - static_cast<double>(p),
                FlushedTo::ZeroOfItsSign);
}

/// Has the sign of x·y + z - r, where r is the float nearest to the exact sum.
double fused_error(float x, float y, float z, float r) {
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) return 0;
    const double p = static_cast<double>(x) * y, s = p + z, bb = s - p;
    const double error = s - static_cast<double>(r);
    return error != 0 ? error : (p - (s - bb)) + (z - bb);
}

void put_fused(const Context& c, Hull& h, float x, float y, float z, FlushedTo zero) {
    if (c.legacy_math && (x == 0 || y == 0)) {
        h.add_float(as_word(0.0f + z));
        return;
    }
    const float r = std::fma(x, y, z);
    put_rounded(c, h, r, fused_error(x, y, z, r), zero);
}

void put_product(const Context& c, Hull& h, const FloatRange& a, const FloatRange& b) {
    if (a.nan || b.nan) h.add_nan();
    if (a.empty || b.empty) {
        if (c.legacy_math) h.add_unknown();
        return;
    }
    if ((a.contains_zero() && b.contains_infinity()) || (b.contains_zero() && a.contains_infinity())) {
        if (!c.legacy_math) h.add_nan();
        h.add_zeros();
    }
    if (c.legacy_math && (a.contains_zero() || b.contains_zero())) h.add_zeros();
    bool any = false;
    uint32_t lo = 0, hi = 0;
    for (float x : {a.lo, a.hi})
        for (float y : {b.lo, b.hi}) {
            float p = x * y;
            if (std::isnan(p)) continue;
            double error = std::isinf(x) || std::isinf(y) ? 0 : static_cast<double>(x) * y - static_cast<double>(p);
            if (was_denormal(p, error)) put_flushed(h, p, FlushedTo::ZeroOfItsSign);
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
    if (was_denormal(lo, error(m.lo, lo))) h.add_word(0);
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

}  // namespace

Value add(const Context& c, const Value& a, const Value& b) {
    float nominal = as_float(a.value) + as_float(b.value);
    if (is_exact(a) && is_exact(b) && c.round_to_even && ordinary(c, a.value) && ordinary(c, b.value) &&
        ordinary(c, as_word(nominal)))
        return exact(nominal);
    return binary(
        c, a, b, nominal, [&](Hull& h, float x, float y) { put_sum(c, h, x, y); },
        [&](Hull& h, const FloatRange& x, const FloatRange& y) { put_sum(c, h, x, y); }, flushed_sum(a, b));
}

Value sub(const Context& c, const Value& a, const Value& b) {
    return add(c, a, flipped(b));  // x - y is x + (-y), also for zeros and NaN
}

Value mul(const Context& c, const Value& a, const Value& b) {
    if (is_nothing(c, a, b)) return nothing();
    float nominal = product(c, as_float(a.value), as_float(b.value));
    if (is_exact(a) && is_exact(b) && c.round_to_even && ordinary(c, a.value) && ordinary(c, b.value) &&
        ordinary(c, as_word(nominal)) && !(c.legacy_math && nominal == 0))
        return exact(nominal);
    return binary(
        c, a, b, nominal, [&](Hull& h, float x, float y) { put_product(c, h, x, y); },
        [&](Hull& h, const FloatRange& x, const FloatRange& y) { put_product(c, h, x, y); }, FlushedTo::ZeroOfItsSign);
}

Value square(const Context& c, const Value& a) {
    const float x = as_float(a.value), nominal = product(c, x, x);
    if (is_exact(a) && !is_denormal(a.words[0])) return mul(c, a, a);
    return unary(
        c, a, nominal, [&](Hull& h, float f) { put_product(c, h, f, f); },
        [&](Hull& h, const FloatRange& r) {
            if (r.nan) h.add_nan();
            if (!r.empty) put_square(c, h, r);
        },
        true, FlushedTo::ZeroOfItsSign);
}

Value steps::fused(const Context& c, const Value& a, const Value& b, const Value& d, bool same) {
    if (is_nothing(c, a, b)) return add(c, nothing(), d);
    float x = as_float(a.value), y = as_float(b.value), z = as_float(d.value);
    float nominal = c.legacy_math && (x == 0 || y == 0) ? 0.0f + z : std::fma(x, y, z);
    uint32_t value = as_word(nominal);
    if (c.nominal) return exact(value);
    if (is_exact(a) && is_exact(b) && is_exact(d) && c.round_to_even && ordinary(c, a.value) && ordinary(c, b.value) &&
        ordinary(c, d.value) && ordinary(c, value))
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
                    put_fused(c, h, l.f[i], m.f[j], n.f[k], zero);
                    is_special |= special(l.f[i]) || special(m.f[j]) || special(n.f[k]);
                }
        return finish_step(c, h, is_special, value, zero);
    }
    FloatRange p, q, r;
    if (!flushed_range(a, p) || !flushed_range(b, q) || !flushed_range(d, r)) return unknown(value);
    is_special = p.nan || q.nan || r.nan || p.contains_infinity() || q.contains_infinity() || r.contains_infinity();
    if (is_special || p.empty || q.empty || r.empty) {
        // Rare: computed as two operations. They differ from the fused one only by rounding, so each end is one step
        // wider.
        Context either = c;
        either.round_to_even = false;
        return add(either, same ? square(either, a) : mul(either, a, b), d);
    }
    if (c.round_to_even) {
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
        return finish_step(c, h, false, value, zero);
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
    return finish_step(c, h, false, value, zero);
}

Value fused(const Context& c, const Value& a, const Value& b, const Value& d) {
    return fused(c, a, b, d, false);
}

namespace {

/// With one rounding or with two: that makes no gaps, but the operands may have some.
Value fused_or_not(const Context& c, const Value& a, const Value& b, const Value& d) {
    if (any_apart({&a, &b, &d}))
        return for_each_part(Parts{&a, &b, &d}, 0, [&](const Parts& p) { return fused_or_not(c, p[0], p[1], p[2]); });
    return filled(join(fused(c, a, b, d), add(c, mul(c, a, b), d)));
}
Value with_nominal(Value v, uint32_t nominal) {
    v.value = nominal;
    return v;
}

}  // namespace

Value mad(const Context& c, const Value& a, const Value& b, const Value& d) {
    const Value two = add(c, mul(c, a, b), d);
    return !c.contract || c.nominal ? two : with_nominal(fused_or_not(c, a, b, d), two.value);
}

Value fma(const Context& c, const Value& a, const Value& b, const Value& d) {
    const Value one = fused(c, a, b, d);
    return c.nominal ? one : with_nominal(fused_or_not(c, a, b, d), one.value);
}

namespace {

/// An unknown value with another nominal answer: its cause is still that of `a`.
Value unknown_as(const Value& a, uint32_t value) {
    Value v = unknown(value);
    if (!is_packed(a)) v.lo = origin_of(a);
    return v;
}

}  // namespace

Value neg(const Context& c, const Value& a) {
    if (is_exact(a) && ordinary(c, a.value)) return exact(a.value ^ kSign);
    uint32_t value = a.value ^ kSign;
    if (c.nominal) return exact(value);
    if (is_unknown(a)) return unknown_as(a, value);
    Hull h;
    if (a.maybe_nan) h.add_nan();
    if (a.kind == Kind::Interval) {
        h.add(flipped(a));
    } else {
        for (int i = 0; i < a.count; ++i) h.add_float(a.words[i] ^ kSign);
    }
    h.flush();
    return h.finish(value);
}

Value abs(const Context& c, const Value& a) {
    if (is_exact(a) && ordinary(c, a.value)) return exact(a.value & ~kSign);
    uint32_t value = a.value & ~kSign;
    if (c.nominal) return exact(value);
    if (is_unknown(a)) return unknown_as(a, value);
    Hull h;
    if (a.maybe_nan) h.add_nan();
    if (a.kind == Kind::Interval) {
        for (size_t i = 0; i <= a.gaps; ++i) {
            const Part p = part_of(a, i);
            const uint32_t lo = p.lo & ~kSign, hi = p.hi & ~kSign;
            if (order(p.lo) < 0 && order(p.hi) >= 0)
                h.add_interval(0, std::max(lo, hi));
            else
                h.add_interval(std::min(lo, hi), std::max(lo, hi));
        }
    } else {
        for (int i = 0; i < a.count; ++i) h.add_float(a.words[i] & ~kSign);
    }
    h.flush(c.preserve ? FlushedTo::ZeroOfItsSign : FlushedTo::EitherZero);  // the sign bit is cleared
    return h.finish(value);
}

Value div(const Context& c, const Value& a, const Value& b) {
    float nominal = as_float(a.value) / as_float(b.value);
    return binary(
        c, a, b, nominal, [](Hull& h, float x, float y) { put_quotient(h, x, y); },
        [](Hull& h, const FloatRange& x, const FloatRange& y) { put_quotient(h, x, y); }, FlushedTo::ZeroOfItsSign);
}

Value rcp(const Context& c, const Value& a) {
    return div(c, exact(1.0f), a);
}

namespace {

Value extremum(const Context& c, const Value& a, const Value& b, bool least) {
    auto pick = [least](float x, float y) {
        if (std::isnan(x)) return y;
        if (std::isnan(y)) return x;
        if (x == y) return (order(as_word(x)) < order(as_word(y))) == least ? x : y;
        return (x < y) == least ? x : y;
    };
    float nominal = pick(as_float(a.value), as_float(b.value));
    if (is_exact(a) && is_exact(b) && ordinary(c, a.value) && ordinary(c, b.value) && nominal != 0)
        return exact(nominal);
    if (is_unknown(a) && is_unknown(b)) return unknown(as_word(nominal));
    return unknown_if_free(binary(
        c, readable(a), readable(b), nominal,
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
            if (r.contains_zero() && s.contains_zero()) h.add_zeros();
        }));
}

}  // namespace

Value min(const Context& c, const Value& a, const Value& b) {
    return extremum(c, a, b, true);
}
Value max(const Context& c, const Value& a, const Value& b) {
    return extremum(c, a, b, false);
}

Value light_exponent(const Context& c, const Value& w) {
    Value v = min(c, max(c, w, exact(-128.0f)), exact(128.0f));
    FloatRange r;
    if (!c.nominal && (!float_range(w, r) || r.nan)) make_unknown(v, origin_of(w));
    return v;
}

namespace {

/// Clamped to `least`..1.
Value clamp_to_one(const Context& c, const Value& a, float least) {
    auto clamped = [least](float x) { return x > least ? std::min(x, 1.0f) : least; };
    uint32_t value = as_word(clamped(as_float(a.value)));
    if (c.nominal) return exact(value);
    if (is_exact(a) && !is_denormal(a.value)) return exact(value);
    Hull h;
    RangesOf<FloatRange> parts;
    Alternatives x;
    if (alternatives(a, x)) {
        for (int i = 0; i < x.count; ++i) h.add_word(as_word(clamped(x.f[i])));
    } else if (!flushed_ranges(a, parts)) {
        h.add_interval(as_word(least), kOne);  // whatever the operand was, NaN included
    } else {
        for (const FloatRange& r : parts) {
            if (r.nan) h.add_word(as_word(least));
            if (!r.empty) h.add_interval(as_word(clamped(r.lo)), as_word(clamped(r.hi)));
        }
    }
    return h.finish(value);
}

}  // namespace

Value saturate(const Context& c, const Value& a) {
    return clamp_to_one(c, a, 0);
}

Value saturate_signed(const Context& c, const Value& a) {
    return clamp_to_one(c, a, -1);
}

Truth compare(const Context& c, Comparison comparison, const Value& a, const Value& b) {
    return compare_values(c, comparison, a, b);
}

Value select(const Truth& t, const Value& yes, const Value& no) {
    if (!t.may_be_false) {
        Value v = yes;
        if (!t.nominal) v.value = no.value;
        return v;
    }
    if (!t.may_be_true) {
        Value v = no;
        if (t.nominal) v.value = yes.value;
        return v;
    }
    Value v = join(yes, no);
    v.value = t.nominal ? yes.value : no.value;
    return v;
}

}  // namespace tgsi2spv::reference
