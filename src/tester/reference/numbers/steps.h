// Shared by float and double operations: sets and ranges of operands, and results that module promises leave
// unspecified.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "reference/numbers/context.h"
#include "reference/numbers/parts.h"

namespace tgsi2spv::reference::steps {

template <class V>
using NumberOf = typename FormatOf<V>::Number;
template <class V>
using SetOf = HullOf<WordOf<V>>;

template <class Number>
bool special(Number x) {
    return !std::isfinite(x);
}

/// The next whole number that the type holds: x + 1, or beyond the type's precision a larger one.
template <class Number>
Number next_whole(Number x) {
    return std::max(x + 1, std::nextafter(x, std::numeric_limits<Number>::infinity()));
}

/// The numbers that a set of words may be read as. A denormal may be flushed (Vulkan, "Precision and Operation of
/// SPIR-V Instructions": this holds for any denormal, in operands and results, unless a mode preserves them). The zero
/// that an operation then reads is +0 or has the denormal's sign: the documents do not say which (FlushedTo).
template <class V>
struct AlternativesOf {
    NumberOf<V> f[13];
    int count = 0;
    int words = 0;  ///< without the zeros of flushed ones
};

/// False if the value is not a set of words.
template <class V>
bool alternatives(const V& v, AlternativesOf<V>& list) {
    if (v.kind != Kind::Words) return false;
    for (size_t i = 0; i < v.count; ++i) {
        list.f[list.count++] = as_number(v.words[i]);
        if (!is_denormal(v.words[i])) continue;
        list.f[list.count++] = 0;
        if (v.words[i] & FormatOf<V>::kSign) list.f[list.count++] = as_number(FormatOf<V>::kSign);
    }
    if (v.maybe_nan) list.f[list.count++] = as_number(FormatOf<V>::kNan);
    list.words = v.count + (v.maybe_nan ? 1 : 0);
    return true;
}

template <class Range>
void flush_range(Range& r) {
    using Number = decltype(r.lo);
    constexpr Number least = std::numeric_limits<Number>::min();
    if (r.empty) return;
    const Number lo = r.lo, hi = r.hi;
    if (lo > 0 && lo < least) r.lo = Number{0};
    if (lo < 0 && hi <= 0 && hi > -least) r.hi = Number{0};
}

/// −0 or a negative denormal.
template <class Number>
bool flushes_to_minus_zero(Number x) {
    return std::signbit(x) && x > -std::numeric_limits<Number>::min();
}
/// The least of them in a range, if there is one.
template <class Range>
std::optional<decltype(Range::lo)> tiny_part(const Range& r) {
    using Limits = std::numeric_limits<decltype(r.lo)>;
    if (r.empty || !std::signbit(r.lo) || r.hi <= -Limits::min()) return std::nullopt;
    return std::max(r.lo, -(Limits::min() - Limits::denorm_min()));
}

/// The range of a value after its denormals may have been flushed; false if it is unknown.
template <class V>
bool flushed_range(const V& v, RangeOf<V>& r) {
    if (!float_range(v, r)) return false;
    flush_range(r);
    return true;
}

/// The parts of a value after its denormals may have been flushed; false if it is unknown.
template <class V>
bool flushed_ranges(const V& v, RangesOf<RangeOf<V>>& parts) {
    if (!parts_of(v, parts)) return false;
    for (size_t i = 0; i < parts.count; ++i) flush_range(parts.all[i]);
    return true;
}

/// The last step of every operation, on its gathered results. `special`: a NaN or infinity went in or may come out.
/// Without SignedZeroInfNanPreserve these are undefined, and a zero has either sign. `zero`: a flushed result.
template <class Set, class Word>
auto finish_step(const Context& context, Set& h, bool special, Word nominal, FlushedTo zero = FlushedTo::EitherZero) {
    if (!context.preserve && special) h.add_unknown();
    h.flush(zero);
    auto v = h.finish(nominal);
    using V = decltype(v);
    if (context.preserve || v.kind == Kind::Unknown) return v;
    RangeOf<V> r;
    float_range(v, r);
    if (r.nan || r.contains_infinity()) return unknown(nominal);
    if (permits(v, Word{0}) != permits(v, FormatOf<V>::kSign)) {
        h.add_zeros();
        v = h.finish(nominal);
    }
    return v;
}

/// An operation on two numbers: word by word if both are short sets, otherwise on the ranges around them.
template <class V, class Exact, class Ranges>
V binary(const Context& context, const V& a, const V& b, NumberOf<V> nominal, Exact exact_op, Ranges range_op,
         FlushedTo zero = FlushedTo::EitherZero) {
    const auto value = as_word(nominal);
    if (context.nominal) return exact(value);
    AlternativesOf<V> x, y;
    SetOf<V> h;
    bool is_special = false;
    if (alternatives(a, x) && alternatives(b, y) && x.words * y.words <= 16) {
        for (int i = 0; i < x.count; ++i)
            for (int j = 0; j < y.count; ++j) {
                exact_op(h, x.f[i], y.f[j]);
                is_special |= special(x.f[i]) || special(y.f[j]);
            }
    } else {
        RangesOf<RangeOf<V>> parts, others;
        if (!flushed_ranges(a, parts) || !flushed_ranges(b, others)) return unknown(value);
        for (const auto& r : parts)
            for (const auto& s : others) {
                range_op(h, r, s);
                is_special |= r.nan || s.nan || r.contains_infinity() || s.contains_infinity();
            }
    }
    return finish_step(context, h, is_special, value, zero);
}

/// Functions are promised to keep NaN (context.h): no instruction assumes that operands are neither NaN nor infinite.
inline bool keeps_special(const Context& context) {
    return context.preserve && context.functions_keep_nan;
}

/// An operation on one number. `nan_is_nan`: NaN gives NaN if functions are promised to keep it; otherwise the
/// operation itself defines the result for NaN.
template <class V, class Exact, class Ranges>
V unary(const Context& context, const V& a, NumberOf<V> nominal, Exact exact_op, Ranges range_op,
        bool nan_is_nan = true, FlushedTo zero = FlushedTo::EitherZero) {
    const auto value = as_word(nominal);
    if (context.nominal) return exact(value);
    nan_is_nan = nan_is_nan && keeps_special(context);
    AlternativesOf<V> x;
    SetOf<V> h;
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
        RangesOf<RangeOf<V>> parts;
        if (!flushed_ranges(a, parts)) return unknown(value);
        for (auto r : parts) {
            is_special |= r.nan || r.contains_infinity();
            if (nan_is_nan && r.nan) {
                h.add_nan();
                r.nan = false;
            }
            range_op(h, r);
        }
    }
    return finish_step(context, h, is_special, value, zero);
}

/// Whether a result was denormal before it was rounded up to the least normal number. Whether a result is denormal
/// may be decided before it is rounded, or after it is rounded with an unbounded exponent (IEEE 754-2019, 7.5): such a
/// result may be flushed, too. `error` has the sign of exact - nearest, or is NaN if that is not known.
template <class Number>
bool was_denormal(Number nearest, double error) {
    constexpr Number least = std::numeric_limits<Number>::min();
    return (nearest == least && !(error >= 0)) || (nearest == -least && !(error <= 0));
}

/// The zeros that a denormal with the sign of x may be flushed to.
template <class Set, class Number>
void put_flushed(Set& h, Number x, FlushedTo zero) {
    zero == FlushedTo::EitherZero ? h.add_zeros() : h.add_word(as_word(std::copysign(Number{0}, x)));
}

/// Adds a result of correctly rounded arithmetic: `nearest`, or the neighbour towards the exact result if no rounding
/// mode is in force. `error` is that of was_denormal().
template <class Set, class Number>
void put_rounded(const Context& context, Set& hull, Number nearest, double error,
                 FlushedTo zero = FlushedTo::EitherZero) {
    hull.add_number(nearest);
    if (was_denormal(nearest, error)) put_flushed(hull, nearest, zero);
    if (context.round_to_even || error == 0 || std::isnan(nearest)) return;
    if (!(error > 0)) hull.add_float(next_down(as_word(nearest)));
    if (!(error < 0)) hull.add_float(next_up(as_word(nearest)));
}

template <class Number>
double sum_error(Number x, Number y, Number s) {
    if (special(s)) return special(x) || special(y) ? 0 : -static_cast<double>(s);
    const Number b = s - x;  // Knuth's two-sum: the error is a number of the same type
    return static_cast<double>((x - (s - b)) + (y - b));
}

template <class Set, class Number>
void put_sum(const Context& context, Set& hull, Number x, Number y) {
    const Number s = x + y;
    put_rounded(context, hull, s, context.round_to_even ? 0 : sum_error(x, y, s));
}

// Sums and products of ranges. The ends are rounded as Vulkan permits, outwards; those of doubles always.
template <class Number>
auto rounded_down(const Context& context, Number nearest, double error) {
    const auto w = as_word(nearest);
    return !context.round_to_even && (error < 0 || sizeof(Number) == 8) ? next_down(w) : w;
}

template <class Number>
auto rounded_up(const Context& context, Number nearest, double error) {
    const auto w = as_word(nearest);
    return !context.round_to_even && (error > 0 || sizeof(Number) == 8) ? next_up(w) : w;
}

template <class Set, class Number>
void put_sum(const Context& context, Set& hull, const NumberRange<Number>& a, const NumberRange<Number>& b) {
    constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
    if (a.nan || b.nan) hull.add_nan();
    if (a.empty || b.empty) return;
    if ((a.lo == -kInfinity && b.hi == kInfinity) || (b.lo == -kInfinity && a.hi == kInfinity)) hull.add_nan();
    Number lo = a.lo + b.lo, hi = a.hi + b.hi;
    if (std::isnan(lo)) lo = -kInfinity;
    if (std::isnan(hi)) hi = kInfinity;
    hull.add_interval(rounded_down(context, lo, sum_error(a.lo, b.lo, lo)),
                      rounded_up(context, hi, sum_error(a.hi, b.hi, hi)));
}

/// Has the sign of x·y - p, where p is the number nearest to the exact product.
inline double product_error(float x, float y, float p) {
    return std::isinf(x) || std::isinf(y) ? 0 : static_cast<double>(x) * y - static_cast<double>(p);  // 48 bits fit
}
inline double product_error(double x, double y, double p) {
    if (special(p)) return special(x) || special(y) ? 0 : -p;
    // The error of a product is a double if nothing underflows. Factors of so small a product are below 2^175.
    if (std::fabs(p) > 0x1p-900) return std::fma(x, y, -p);
    return std::fma(x * 0x1p511, y * 0x1p511, -p * 0x1p1022);
}

/// Nothing that the value may be has its sign bit set, except perhaps a NaN.
template <class V>
bool is_positive(const V& v) {
    RangeOf<V> r;
    return float_range(v, r) && r.is_positive();
}

/// A flushed sum: its sign is that of the addends if they have the same one.
template <class V>
FlushedTo flushed_sum(const V& a, const V& b) {
    return is_positive(a) && is_positive(b) ? FlushedTo::ZeroOfItsSign : FlushedTo::EitherZero;
}

/// Not denormal, NaN or infinite, not the least normal number (was_denormal), and not a zero whose sign is free.
template <class Word>
bool ordinary(const Context& context, Word w) {
    constexpr Word kLeast = as_word(std::numeric_limits<typename Format<Word>::Number>::min());
    const Word magnitude = w & ~Format<Word>::kSign;
    return (magnitude > kLeast && magnitude < Format<Word>::kInf) || (magnitude == 0 && context.preserve);
}

/// An ordinary number for sure, which is the nominal one.
template <class V>
bool is_plain(const Context& context, const V& a) {
    return is_exact(a) && ordinary(context, a.value) && a.value == a.words[0];
}

/// A monotone function that gives whole numbers. `g`: another one, whose results are permitted, too.
template <class V, class F, class G>
V whole(const Context& context, const V& a, F f, G g) {
    using Number = NumberOf<V>;
    return unary(
        context, a, f(as_number(a.value)),
        [&](SetOf<V>& h, Number x) {
            if (special(x)) return h.add_unknown();
            for (const Number n : {f(x), g(x)}) n == 0 ? h.add_zeros() : h.add_word(as_word(n));
        },
        [&](SetOf<V>& h, const RangeOf<V>& r) {
            if (r.nan || r.empty || r.contains_infinity()) return h.add_unknown();
            const Number lo = std::min(f(r.lo), g(r.lo)), hi = std::max(f(r.hi), g(r.hi));
            if (lo <= 0 && hi >= 0) h.add_zeros();
            if (hi - lo <= 2) {
                for (Number x = lo; x <= hi; x = next_whole(x))
                    if (x != 0) h.add_word(as_word(x));
            } else {
                h.add_interval(lo, hi);
            }
        });
}
template <class V, class F>
V whole(const Context& context, const V& a, F f) {
    return whole(context, a, f, f);
}

}  // namespace tgsi2spv::reference::steps
