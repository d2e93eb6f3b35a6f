// Arithmetic on intervals of floats, a vector of them at once: the building blocks of bounds-inl.h.
#if defined(TGSI2SPV_COLUMNS_INTERVALS) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_INTERVALS
#undef TGSI2SPV_COLUMNS_INTERVALS
#else
#define TGSI2SPV_COLUMNS_INTERVALS
#endif

#include "reference/columns/boxes.h"
#include "reference/columns/plain-inl.h"
#include "reference/float_steps.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds {

using steps::kLeastNormal;
using steps::kSlack;

struct Bounded {
    W value;
    F lo, hi;
};

HWY_INLINE Bounded exactly(W w) {
    return {w, floats(w), floats(w)};
}
/// ~0 if the ends differ.
HWY_INLINE W inexact(const Bounded& a) {
    return truth(hn::Ne(words(a.lo), words(a.hi)));
}
HWY_INLINE W inexact(const Bounded& a, const Bounded& b) {
    const W differ = hn::Or(hn::Xor(words(a.lo), words(a.hi)), hn::Xor(words(b.lo), words(b.hi)));
    return truth(hn::Ne(differ, word(0)));
}
HWY_INLINE Bounded select(Mask m, const Bounded& yes, const Bounded& no) {
    return {hn::IfThenElse(m, yes.value, no.value), floats(hn::IfThenElse(m, words(yes.lo), words(no.lo))),
            floats(hn::IfThenElse(m, words(yes.hi), words(no.hi)))};
}
/// ~0 if every pattern is permitted.
HWY_INLINE W unknown(const Bounded& a) {
    const W all = word(kUnknown);
    return hn::AndNot(truth(hn::Eq(words(a.hi), all)), truth(hn::Eq(words(a.lo), all)));
}
/// ~0 for a mark: unknown, boxed or a set.
HWY_INLINE W marked(const Bounded& a) {
    return hn::And(inexact(a), truth(mask_of(hn::IsNaN(a.lo))));
}
/// ~0 for denormals.
HWY_INLINE W denormal(F x) {
    const F m = hn::Abs(x);
    return truth(mask_of(hn::And(hn::Lt(m, number(kLeastNormal)), hn::Gt(m, hn::Zero(kF)))));
}
/// ~0 for denormals, infinities and NaN.
HWY_INLINE W unusual(F x) {
    const F m = hn::Abs(x);
    const auto usual = hn::And(hn::Ge(m, number(kLeastNormal)), hn::Lt(m, number(HUGE_VALF)));
    return hn::Not(truth(mask_of(hn::Or(usual, hn::Eq(m, hn::Zero(kF))))));
}
HWY_INLINE W infinite(const Bounded& a) {
    return truth(mask_of(hn::Eq(hn::Abs(a.lo), number(HUGE_VALF))));
}
/// ~0 if a result is denormal, or may have been before it was rounded (was_denormal of steps.h).
HWY_INLINE W may_be_flushed(F x) {
    const F m = hn::Abs(x);
    return truth(mask_of(hn::And(hn::Le(m, number(kLeastNormal)), hn::Gt(m, hn::Zero(kF)))));
}
/// ~0 if a column cannot hold the result as ends.
HWY_INLINE W unfit(F lo, F hi) {
    const F most = number(std::numeric_limits<float>::max());
    const W finite = truth(mask_of(hn::And(hn::Ge(lo, plain::flipped(most)), hn::Le(hi, most))));
    return hn::Or(hn::Not(finite), hn::Or(may_be_flushed(lo), may_be_flushed(hi)));
}
/// If the ends differ, an end that is zero also permits the zero of the other sign: a denormal next to it may be
/// flushed to either (FlushedTo::EitherZero of value.h). `is_inexact`: ~0 if the ends differ.
HWY_INLINE Bounded settled(const Bounded& r, W is_inexact) {
    const F zero = hn::Zero(kF);
    const W low = hn::And(is_inexact, truth(mask_of(hn::Eq(r.lo, zero))));
    const W high = hn::And(is_inexact, truth(mask_of(hn::Eq(r.hi, zero))));
    return {r.value, floats(hn::Or(words(r.lo), hn::And(low, word(kSign)))), floats(hn::AndNot(high, words(r.hi)))};
}
/// The same for ends that were selected from several: if both are zeros, the interpreter decides their signs.
HWY_INLINE Bounded settled(const Bounded& r, W is_inexact, W& bad) {
    const F zero = hn::Zero(kF);
    const W low = truth(mask_of(hn::Eq(r.lo, zero))), high = truth(mask_of(hn::Eq(r.hi, zero)));
    bad = hn::Or(bad, hn::And(is_inexact, hn::And(low, high)));
    const W differ = hn::And(is_inexact, inexact(r));
    return {r.value, floats(hn::Or(words(r.lo), hn::And(hn::And(low, differ), word(kSign)))),
            floats(hn::AndNot(hn::And(high, differ), words(r.hi)))};
}
/// In the order −0 < +0.
HWY_INLINE F lesser(F x, F y) {
    return hn::IfThenElse(hn::Eq(x, y), hn::Or(x, y), hn::Min(x, y));
}
HWY_INLINE F greater(F x, F y) {
    return hn::IfThenElse(hn::Eq(x, y), hn::And(x, y), hn::Max(x, y));
}
HWY_INLINE Bounded hull(const Bounded& a, const Bounded& b) {
    return {a.value, lesser(a.lo, b.lo), greater(a.hi, b.hi)};
}
/// Flips the sign, and changes nothing else.
HWY_INLINE Bounded negative(const Bounded& a) {
    return {hn::Xor(a.value, word(kSign)), plain::flipped(a.hi), plain::flipped(a.lo)};
}

HWY_INLINE bool any(W is) {
    return !hn::AllFalse(kW, hn::MaskFromVec(is));
}

/// Whether no lane can be a special case: no result from `lo` to `hi` may be flushed, infinite, NaN or at a zero, and
/// no operand denormal (one end of each suffices). Takes few operations.
HWY_INLINE bool is_ordinary(F lo, F hi, F a, F b) {
    constexpr uint32_t kLeast = 0x00800000, kAboveLeast = kLeast + 1, kBeyond = kInf;
    const W least = word(2 * kAboveLeast), one = word(1);
    const W result = hn::Max(hn::Sub(twice(lo), least), hn::Sub(twice(hi), least));
    const W operand = hn::Min(hn::Sub(twice(a), one), hn::Sub(twice(b), one));  // for zero, the greatest word
    return hn::AllTrue(kW,
                       hn::And(below(result, word(2 * (kBeyond - kAboveLeast))), below(word(2 * kLeast - 2), operand)));
}

/// ~0 if a number has its sign bit set: only for others is a flushed sum a zero of its sign (flushed_sum of steps.h).
HWY_INLINE W has_sign(F x, F y) {
    return truth(hn::Ne(hn::And(hn::Or(words(x), words(y)), word(kSign)), word(0)));
}
/// A denormal below zero may be flushed to +0 before the operation (flushed_range of steps.h).
HWY_INLINE F opened(const Bounded& a) {
    const auto below = hn::And(hn::Lt(a.lo, hn::Zero(kF)), hn::Eq(a.hi, hn::Zero(kF)));
    return hn::IfThenZeroElse(below, a.hi);
}

HWY_INLINE Bounded plus(const Bounded& a, const Bounded& b, W& bad) {
    const Bounded r{words(hn::Add(floats(a.value), floats(b.value))), hn::Add(a.lo, b.lo), hn::Add(a.hi, b.hi)};
    if (HWY_LIKELY(is_ordinary(r.lo, r.hi, a.lo, b.lo))) return r;
    W is_unfit = unfit(r.lo, r.hi);
    if (HWY_UNLIKELY(any(is_unfit))) {
        // An infinite sum is a word.
        const W differ = hn::Or(inexact(r), hn::Xor(words(r.lo), r.value));
        is_unfit = hn::AndNot(hn::And(infinite(r), truth(hn::Eq(differ, word(0)))), is_unfit);
    }
    bad = hn::Or(bad, hn::Or(is_unfit, hn::Or(denormal(a.lo), denormal(b.lo))));
    return settled(r, hn::And(inexact(a, b), has_sign(a.lo, b.lo)), bad);
}

/// ~0 if one factor is a zero of a known sign, and the other factor has only one sign: the product is then a zero of
/// one sign.
HWY_INLINE W zero_product(const Bounded& a, const Bounded& b) {
    const auto zero = [](const Bounded& x)
                          HWY_ATTR { return hn::AndNot(inexact(x), truth(mask_of(hn::Eq(x.lo, hn::Zero(kF))))); };
    const auto signs = [](const Bounded& x) HWY_ATTR {
        return hn::And(hn::Or(hn::Xor(words(x.lo), words(opened(x))), hn::Xor(words(x.lo), x.value)), word(kSign));
    };
    const W one_sign = truth(hn::Eq(hn::Or(signs(a), signs(b)), word(0)));
    return hn::And(one_sign, hn::Or(zero(a), zero(b)));
}

/// `b_is_word`: b is a word in every lane.
HWY_INLINE Bounded times(const Bounded& a, const Bounded& b, bool b_is_word, W& bad) {
    F p = hn::Mul(a.lo, b.lo), q = hn::Mul(a.hi, b.lo);
    F lo = hn::Min(p, q), hi = hn::Max(p, q);
    if (!b_is_word) {
        const F s = hn::Mul(a.lo, b.hi), t = hn::Mul(a.hi, b.hi);
        lo = hn::Min(lo, hn::Min(s, t));
        hi = hn::Max(hi, hn::Max(s, t));
    }
    const W value = words(hn::Mul(floats(a.value), floats(b.value)));
    if (HWY_LIKELY(is_ordinary(lo, hi, a.lo, b.lo))) return {value, lo, hi};
    bad = hn::Or(bad, hn::Or(unfit(lo, hi), hn::Or(denormal(a.lo), denormal(b.lo))));
    // Again, with the signs of zeros: a denormal product that is flushed keeps its sign (FlushedTo of value.h).
    const F most = opened(a);
    q = hn::Mul(most, b.lo);
    lo = lesser(p, q);
    hi = greater(p, q);
    if (!b_is_word) {
        const F other = opened(b), s = hn::Mul(a.lo, other), t = hn::Mul(most, other);
        lo = lesser(lo, lesser(s, t));
        hi = greater(hi, greater(s, t));
    }
    const Bounded r{value, lo, hi};
    const W zeros = truth(mask_of(hn::And(hn::Eq(lo, hn::Zero(kF)), hn::Eq(hi, hn::Zero(kF)))));
    const W bad_zeros = hn::And(inexact(a, b), zeros);
    if (HWY_LIKELY(!any(bad_zeros))) return r;
    const W is_word = hn::And(bad_zeros, zero_product(a, b));
    bad = hn::Or(bad, hn::AndNot(is_word, bad_zeros));
    return select(hn::MaskFromVec(is_word), exactly(r.value), r);
}

/// The least and the greatest magnitude in an interval.
HWY_INLINE void magnitudes(const Bounded& a, F& least, F& most) {
    const F x = hn::Abs(a.lo), y = hn::Abs(a.hi);
    const auto holds_zero = hn::And(hn::Le(a.lo, hn::Zero(kF)), hn::Ge(a.hi, hn::Zero(kF)));
    least = hn::IfThenZeroElse(holds_zero, hn::Min(x, y));
    most = hn::Max(x, y);
}

HWY_INLINE Bounded squared(const Bounded& a, W& bad) {
    F least, most;
    magnitudes(a, least, most);
    const Bounded r{words(hn::Mul(floats(a.value), floats(a.value))), hn::Mul(least, least), hn::Mul(most, most)};
    bad = hn::Or(bad, hn::Or(unfit(r.lo, r.hi), denormal(a.lo)));
    return r;  // never -0
}

/// |x|: an interval with both signs starts at +0, since a denormal that is flushed has its sign bit cleared, too.
HWY_INLINE Bounded magnitude(const Bounded& a, W& bad) {
    F least, most;
    magnitudes(a, least, most);
    bad = hn::Or(bad, hn::Or(denormal(a.lo), truth(mask_of(hn::IsNaN(a.lo)))));
    return {hn::And(a.value, word(~kSign)), least, most};
}

/// a·b + d, rounded once. `same`: a and b are the same value.
HWY_INLINE Bounded fused(const Bounded& a, const Bounded& b, const Bounded& d, bool same, bool b_is_word, W& bad) {
    F lo, hi;
    if (same) {
        F least, most;
        magnitudes(a, least, most);
        lo = fused_of(least, least, d.lo);
        hi = fused_of(most, most, d.hi);
    } else {
        lo = hn::Min(fused_of(a.lo, b.lo, d.lo), fused_of(a.hi, b.lo, d.lo));
        hi = hn::Max(fused_of(a.lo, b.lo, d.hi), fused_of(a.hi, b.lo, d.hi));
        if (!b_is_word) {
            lo = hn::Min(lo, hn::Min(fused_of(a.lo, b.hi, d.lo), fused_of(a.hi, b.hi, d.lo)));
            hi = hn::Max(hi, hn::Max(fused_of(a.lo, b.hi, d.hi), fused_of(a.hi, b.hi, d.hi)));
        }
    }
    const Bounded r{words(fused_of(floats(a.value), floats(b.value), floats(d.value))), lo, hi};
    bad = hn::Or(bad, hn::Or(unfit(lo, hi), hn::Or(denormal(d.lo), hn::Or(denormal(a.lo), denormal(b.lo)))));
    const W positive_product = same ? word(~0u) : hn::Not(has_sign(a.lo, b.lo));
    const W is_positive = hn::AndNot(has_sign(d.lo, d.lo), positive_product);
    return settled(r, hn::AndNot(is_positive, hn::Or(inexact(a, b), inexact(d))), bad);
}

/// A minimum or maximum with ends `r`: if both operands may be zero, it is a zero of either sign.
HWY_INLINE Bounded extremum(const Bounded& r, const Bounded& a, const Bounded& b, W& bad) {
    const F zero = hn::Zero(kF);
    const auto holds_zero = [&](const Bounded& x) HWY_ATTR { return hn::And(hn::Le(x.lo, zero), hn::Ge(x.hi, zero)); };
    const W both = truth(mask_of(hn::And(holds_zero(a), holds_zero(b))));
    const W is_zero = truth(mask_of(hn::And(hn::Eq(r.lo, zero), hn::Eq(r.hi, zero))));
    const W differ = hn::Or(inexact(a, b), hn::Xor(words(a.lo), words(b.lo)));
    bad = hn::Or(hn::Or(unusual(a.lo), unusual(b.lo)), hn::And(hn::And(both, is_zero), truth(hn::Ne(differ, word(0)))));
    return settled(r, inexact(r));
}

// Errors in units in the last place, as doubles (float_steps.h).

HWY_INLINE D ulp(D x) {
    constexpr hn::Rebind<uint64_t, Doubles> bits{};
    // Uses the double before x, since a power of two has the unit of the floats below it.
    const auto before = hn::Sub(hn::BitCast(bits, hn::Max(hn::Abs(x), number(0x1p-149))), hn::Set(bits, uint64_t{1}));
    const auto exponent = hn::And(before, hn::Set(bits, uint64_t{0x7ff} << 52));
    return hn::Max(hn::Mul(hn::BitCast(kD, exponent), number(0x1p-23)), number(0x1p-149));
}
HWY_INLINE D ulp_around(D x, double n) {
    return ulp(hn::Add(hn::Abs(x), hn::Mul(number(2 * n), ulp(x))));
}
/// The error of n ULPs at x; if `around`, also for x's neighbours.
HWY_INLINE D error_at(D x, double n, hn::Mask<Doubles> around) {
    const D near = hn::Mul(number(n), ulp_around(x, n));
    const D here = hn::Mul(hn::Mul(number(n), ulp(x)), number(1 + kSlack));
    return hn::Add(hn::IfThenElse(around, near, here), hn::Mul(hn::Abs(x), number(kSlack)));
}
/// The least float that is not below x.
HWY_INLINE F least_from(Wide x) {
    const F f = narrow(x);
    // x - f, scaled so that its sign is not lost when it becomes a float.
    const auto rest = [](D d, D g) HWY_ATTR { return hn::Mul(hn::Sub(d, g), number(0x1p100)); };
    const auto rises = hn::Gt(narrow(apply(rest, x, widen(f))), hn::Zero(kF));
    const Mask beyond = mask_of(hn::And(rises, hn::Lt(hn::Abs(f), number(HUGE_VALF))));  // infinity stays, and is unfit
    const W w = words(f);
    const Mask is_negative = hn::And(mask_of(hn::Lt(f, hn::Zero(kF))), hn::Ne(w, word(kSign)));
    const W next = hn::IfThenElse(is_negative, hn::Sub(w, word(1)), hn::Add(hn::And(w, word(~kSign)), word(1)));
    const F g = floats(hn::IfThenElse(beyond, next, w));
    return hn::IfThenElse(hn::Eq(g, hn::Zero(kF)), floats(word(kSign)), g);
}
HWY_INLINE F greatest_to(Wide x) {
    return plain::flipped(least_from(apply([](D d) HWY_ATTR { return hn::Neg(d); }, x)));
}

/// Every float from lo − its error to hi + its error, with n ULPs each. `is_inexact`: ~0 if lo and hi differ.
HWY_INLINE void put_ulps(Wide lo, Wide hi, double n, W is_inexact, F& least, F& most) {
    const Wide around = widen(floats(hn::And(is_inexact, words(number(1.0f)))));
    const auto down = [n](D x, D a) HWY_ATTR { return hn::Sub(x, error_at(x, n, hn::Gt(a, number(0.0)))); };
    const auto up = [n](D x, D a) HWY_ATTR { return hn::Add(x, error_at(x, n, hn::Gt(a, number(0.0)))); };
    least = least_from(apply(down, lo, around));
    most = greatest_to(apply(up, hi, around));
}

/// Division, with 2.5 ULP.
HWY_INLINE Bounded quotient(const Bounded& a, const Bounded& b, W& bad) {
    F least, most;
    magnitudes(b, least, most);
    const W divides = truth(mask_of(hn::And(hn::Ge(least, number(0x1p-126f)), hn::Le(most, number(0x1p126f)))));
    const Wide al = widen(a.lo), ah = widen(a.hi), bl = widen(b.lo), bh = widen(b.hi);
    const auto over = [](D x, D y) HWY_ATTR { return hn::Div(x, y); };
    const auto min = [](D x, D y) HWY_ATTR { return hn::Min(x, y); };
    const auto max = [](D x, D y) HWY_ATTR { return hn::Max(x, y); };
    const Wide p = apply(over, al, bl), q = apply(over, al, bh), s = apply(over, ah, bl), t = apply(over, ah, bh);
    const W is_inexact = inexact(a, b);
    F lo, hi;
    put_ulps(apply(min, apply(min, p, q), apply(min, s, t)), apply(max, apply(max, p, q), apply(max, s, t)), 2.5,
             is_inexact, lo, hi);
    const W value = words(hn::Div(floats(a.value), floats(b.value)));
    const W is_zero = truth(mask_of(hn::And(hn::Eq(a.lo, hn::Zero(kF)), hn::Eq(a.hi, hn::Zero(kF)))));
    bad = hn::Or(bad, hn::Or(hn::Not(divides), hn::Or(unusual(a.lo), hn::AndNot(is_zero, unfit(lo, hi)))));
    bad = hn::Or(bad, hn::AndNot(is_zero, hn::Not(truth(mask_of(hn::Le(lo, hi))))));  // beyond the largest float
    const Bounded zero = settled(exactly(value), is_inexact);
    return select(hn::MaskFromVec(is_zero), zero, settled({value, lo, hi}, word(~0u)));
}

/// RSQ, with 2 ULP, for operands above zero. `is_set`: the operand is a set of words, given as the range around it. If
/// the ULP is the same at both ends, the words together permit everything between the least and the greatest end.
HWY_INLINE Bounded reciprocal_root(const Bounded& a, W is_set, W& bad) {
    const auto root = [](D x) HWY_ATTR { return hn::Div(number(1.0), hn::Sqrt(x)); };
    const auto difference = [](D x, D y) HWY_ATTR { return hn::Sub(ulp(x), ulp(y)); };
    const W is_inexact = inexact(a);
    const Wide most = apply(root, widen(a.lo));
    const bool all_words = !any(is_inexact);
    const Wide least = all_words ? most : apply(root, widen(a.hi));
    F lo, hi;
    put_ulps(least, most, 2, hn::AndNot(is_set, is_inexact), lo, hi);
    const W units_differ = truth(mask_of(hn::Ne(narrow(apply(difference, most, least)), hn::Zero(kF))));
    bad = hn::Or(hn::Or(unusual(a.lo), unusual(a.hi)), hn::Not(truth(mask_of(hn::Gt(a.lo, hn::Zero(kF))))));
    bad = hn::Or(bad, hn::And(is_set, units_differ));
    return {words(all_words ? narrow(most) : plain::reciprocal_root(floats(a.value))), lo, hi};
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds
HWY_AFTER_NAMESPACE();

#endif  // per target
