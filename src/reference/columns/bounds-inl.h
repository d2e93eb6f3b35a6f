// Steps with bounds: in addition to the plainest answer, the least and the greatest float that Vulkan permits, as in
// float_math.h for modules that promise RoundingModeRTE and SignedZeroInfNanPreserve and do not contract.
//
// Kernels support operands that are one word (both ends have its bits), and intervals of finite floats whose ends are
// not denormals. Any other operand or result, and anything that needs a set with gaps, is bad: for such a lane the
// interpreter's function is called, and if its result has neither form it goes into a box (boxes.h). If there is no
// such function, the lane escapes: the interpreter executes it from the start.
#if defined(TGSI2SPV_COLUMNS_BOUNDS) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_BOUNDS
#undef TGSI2SPV_COLUMNS_BOUNDS
#else
#define TGSI2SPV_COLUMNS_BOUNDS
#endif

#include "reference/columns/sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds {

/// For words: all operands must be single words.
template <class Function>
HWY_INLINE void words1(const At& at, Function f) {
    each1(at, [f](const Bounded& a, W& bad) HWY_ATTR {
        bad = inexact(a);
        return exactly(f(a.value));
    });
}
template <class Function>
HWY_INLINE void words2(const At& at, Function f) {
    each2(at, [f](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR {
        bad = inexact(a, b);
        return exactly(f(a.value, b.value));
    });
}
/// For floats: `may` tells whether the relation may hold, `may_not` whether it may not. For NaN (a word), only one of
/// them is true.
template <class May, class MayNot>
HWY_INLINE void compares(const At& at, May may, MayNot may_not, bool negated) {
    each2(at, [&](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR {
        const W holds = truth(mask_of(may(a, b))), fails = truth(mask_of(may_not(a, b)));
        bad =
            hn::Or(hn::Or(hn::And(holds, fails), hn::Or(marked(a), marked(b))), hn::Or(denormal(a.lo), denormal(b.lo)));
        return exactly(negated ? hn::Not(holds) : holds);
    });
}

/// ~0 if the interpreter lists the floats of an interval.
HWY_INLINE W listed(const Bounded& a) {
    const auto lo = hn::BitCast(kI, words(a.lo)), hi = hn::BitCast(kI, words(a.hi));
    const W width = hn::BitCast(kW, hn::Abs(hn::Sub(hi, lo)));
    const W across = truth(mask_of(hn::Lt(hn::Xor(lo, hi), hn::Zero(kI))));  // across zero: few floats, or very many
    return hn::AndNot(marked(a), hn::And(inexact(a), hn::Or(truth(below(width, word(4))), across)));
}
/// AND with a truth value, OR with 0: intervals pass through.
HWY_INLINE Bounded and_words(const Bounded& a, const Bounded& b, W& bad) {
    const W ends = hn::Or(inexact(a), inexact(b));
    const auto picks = [&](const Bounded& mask, const Bounded& x, Bounded& r) HWY_ATTR {
        const W is_word = hn::Not(inexact(mask));
        const Mask all = hn::MaskFromVec(hn::And(is_word, truth(hn::Eq(mask.value, word(~0u)))));
        const Mask none = hn::MaskFromVec(hn::And(is_word, truth(hn::Eq(mask.value, word(0)))));
        r = select(all, x, select(none, exactly(word(0)), r));
        return truth(hn::Or(all, none));
    };
    Bounded r = exactly(hn::And(a.value, b.value));
    const W known = hn::Or(picks(a, b, r), picks(b, a, r));
    bad = hn::Or(hn::AndNot(known, ends), hn::Or(listed(a), listed(b)));
    return r;
}
HWY_INLINE Bounded or_words(const Bounded& a, const Bounded& b, W& bad) {
    const Mask a_is_none = hn::And(hn::MaskFromVec(hn::Not(inexact(a))), hn::Eq(a.value, word(0)));
    const Mask b_is_none = hn::And(hn::MaskFromVec(hn::Not(inexact(b))), hn::Eq(b.value, word(0)));
    bad = hn::AndNot(truth(hn::Or(a_is_none, b_is_none)), inexact(a, b));
    bad = hn::Or(bad, hn::Or(listed(a), listed(b)));
    return select(a_is_none, b, select(b_is_none, a, exactly(hn::Or(a.value, b.value))));
}

/// The integer that a conversion makes of a float: both ends must agree.
template <class Function>
HWY_INLINE void converts(const At& at, Function f) {
    each1(at, [f](const Bounded& a, W& bad) HWY_ATTR {
        const W lo = f(a.lo);
        bad = hn::Or(truth(hn::Ne(lo, f(a.hi))), hn::Or(marked(a), denormal(a.lo)));
        return exactly(lo);
    });
}

/// Replaces a word that is a zero by the set of both zeros.
HWY_INLINE Bounded with_both_zeros(const Bounded& r) {
    const Mask zero = mask_of(hn::Eq(r.lo, hn::Zero(kF)));
    return select(zero, {r.value, floats(word(kBoxed)), floats(word(kBothZeros))}, r);
}
/// A monotone function to whole numbers: both ends must agree.
template <class Function>
HWY_INLINE void whole(const At& at, Function f) {
    floats1(at, [f](const Bounded& a, W& bad) HWY_ATTR {
        const F lo = f(a.lo);
        bad = hn::Or(truth(mask_of(hn::Ne(lo, f(a.hi)))), hn::Or(unusual(a.lo), marked(a)));
        return with_both_zeros({words(f(floats(a.value))), lo, lo});
    });
}
/// The fraction of words for which it is a float: others are rounded to either side.
HWY_INLINE Bounded fraction(const Bounded& a, W& bad) {
    const F whole_part = floor_of(a.lo), r = hn::Sub(a.lo, whole_part);
    const F back = hn::Sub(r, a.lo);  // the error of r (Knuth's two-sum)
    const F error = hn::Add(hn::Sub(a.lo, hn::Sub(r, back)), hn::Sub(plain::flipped(whole_part), back));
    bad = hn::Or(hn::Or(inexact(a), unusual(a.lo)), truth(mask_of(hn::Ne(error, hn::Zero(kF)))));
    return with_both_zeros(exactly(words(r)));
}

/// The combined results of runs of a kernel, by lane: up to four words, or the interval around all.
struct Gathered {
    alignas(64) uint32_t found[4][kLanes] = {};
    alignas(64) uint32_t count[kLanes] = {}, least[kLanes] = {}, most[kLanes] = {};

    /// Adds the results of a vector of lanes from `n` on, for the lanes in `counts`.
    HWY_INLINE void add(size_t n, Mask counts, F lo, F hi) {
        const auto join = [counts](uint32_t* to, W w)
                              HWY_ATTR { hn::Store(hn::IfThenElse(counts, w, hn::Load(kW, to)), kW, to); };
        const W so_many = hn::Load(kW, count + n);
        const Mask first = hn::Eq(so_many, word(0));
        join(least + n, hn::IfThenElse(first, words(lo), words(lesser(floats(hn::Load(kW, least + n)), lo))));
        join(most + n, hn::IfThenElse(first, words(hi), words(greater(floats(hn::Load(kW, most + n)), hi))));
        Mask is_new = counts;
        for (uint32_t i = 0; i < 4; ++i) {
            const W w = hn::Load(kW, found[i] + n);
            is_new = hn::AndNot(hn::And(below(word(i), so_many), hn::Eq(w, words(lo))), is_new);
            const Mask here = hn::And(is_new, hn::Eq(so_many, word(i)));
            hn::Store(hn::IfThenElse(here, words(lo), w), kW, found[i] + n);
        }
        // An interval counts as more than four words.
        const W more = hn::IfThenElse(hn::Ne(words(lo), words(hi)), word(5), word(1));
        hn::Store(hn::Add(so_many, hn::IfThenElseZero(is_new, more)), kW, count + n);
    }
    /// Stores the result for a lane. Returns false if a column cannot hold it, or if there may be gaps in it; without
    /// `gaps`, they do not matter.
    bool put(const At& at, size_t n, size_t lane, bool gaps) const {
        Entry e{at.out[lane], least[n], most[n]};
        if (gaps && count[n] > 4 && int64_t{order(most[n])} - order(least[n]) > kLeastGap) return false;
        if (count[n] <= 4) {
            Value v;
            v.value = e.value;
            v.count = static_cast<uint8_t>(count[n]);
            for (size_t i = 0; i < v.count; ++i) v.words[i] = found[i][n];
            if (!at.boxes.put(v, at.step.origin, e)) return false;
        } else if (is_unfit_end(e.lo) || is_unfit_end(e.hi)) {
            return false;
        }
        at.put(lane, e);
        return true;
    }
};

/// Rounded twice.
HWY_NOINLINE void multiply_add(const At& at) {
    const auto multiply = [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return times(a, b, false, bad); };
    const auto add = [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return plus(a, b, bad); };
    each3(at, [&](const Bounded& a, const Bounded& b, const Bounded& d, W& bad) HWY_ATTR {
        Bounded product = multiply(a, b, bad);
        if (HWY_UNLIKELY(any(bad))) {
            put_sets(a, b, multiply, product, bad);
            pass_unknown(a, product, bad);
            pass_unknown(b, product, bad);
        }
        W bad_sum = word(0);
        Bounded r = add(product, d, bad_sum);
        if (HWY_UNLIKELY(any(bad_sum))) {
            put_sets(product, d, add, r, bad_sum);
            pass_unknown(product, r, bad_sum);
            pass_unknown(d, r, bad_sum);
        }
        bad = hn::Or(bad, bad_sum);
        return r;
    });
}

HWY_NOINLINE void lerp(const At& at) {
    Gathered sets;  // for operands that are words
    for (size_t i = 0; i < at.lanes; i += hn::Lanes(kW)) {
        const Bounded a = at.load(0, i), b = at.load(1, i), d = at.load(2, i);
        W bad = word(0);
        const Bounded rest = plus(exactly(words(number(1.0f))), negative(a), bad);
        const Bounded left = times(a, b, false, bad), right = times(rest, d, false, bad);
        const Bounded first = plus(left, right, bad);
        const Bounded difference = plus(b, negative(d), bad);
        const Bounded second = plus(times(a, difference, false, bad), d, bad);
        const Mask agree =
            hn::MaskFromVec(hn::AndNot(inexact(first, second), truth(hn::Eq(words(first.lo), words(second.lo)))));
        const Bounded x = fused(a, b, right, false, false, bad), y = fused(rest, d, left, false, false, bad),
                      z = fused(a, difference, d, false, false, bad);
        Bounded r = hull(first, second);
        r = select(agree, r, hull(r, hull(x, hull(y, z))));
        r.value = first.value;
        bad = hn::Or(bad, hn::Or(infinite(first), infinite(second)));
        const W all_words = hn::Not(hn::Or(inexact(a, b), inexact(d)));
        const W any_range = hn::Or(inexact(first, second), hn::AndNot(truth(agree), hn::Or(inexact(x, y), inexact(z))));
        const W known = hn::Or(all_words, hn::Or(any_range, hn::Not(inexact(r))));
        bad = hn::Or(bad, hn::Not(known));
        if (any(bad))
            for (const Bounded* operand : {&a, &b, &d}) pass_unknown(*operand, r, bad);
        const Mask of_words = hn::MaskFromVec(hn::AndNot(bad, all_words));
        if (!hn::AllFalse(kW, of_words)) {
            // The exact result is permitted too.
            const F exact_result = narrow(apply(
                [](D t, D p, D q) HWY_ATTR { return hn::Add(hn::Mul(t, p), hn::Mul(hn::Sub(number(1.0), t), q)); },
                widen(a.lo), widen(b.lo), widen(d.lo)));
            for (const F w : {first.lo, second.lo, exact_result}) sets.add(i, of_words, w, w);
            const Mask part = hn::AndNot(agree, of_words);
            for (const F w : {x.lo, y.lo, z.lo}) sets.add(i, part, w, w);
        }
        at.store(i, r, bad);
    }
    for (size_t lane = 0; lane < at.lanes; ++lane)
        if (sets.count[lane] > 1 && (at.exec >> lane & 1) != 0 && !sets.put(at, lane, lane, false)) at.bad[lane] = ~0u;
}

HWY_NOINLINE void look_up(const At& at, const Table& table) {
    const W offset = word(at.step.offset), outside = word(static_cast<uint32_t>(table.words.size() - 1));
    each1(at, [&](const Bounded& index, W& bad) HWY_ATTR {
        const W i = hn::Add(index.value, offset);
        const auto inside = hn::BitCast(kI, hn::IfThenElse(below(i, outside), i, outside));
        bad = inexact(index);
        if (table.any_undecided) bad = hn::Or(bad, hn::GatherIndex(kW, table.undecided.data(), inside));
        return exactly(hn::GatherIndex(kW, table.words.data(), inside));
    });
}

/// Executes an action without a vector form.
inline void each_word(const At& at) {
    uint32_t x[8];
    for (size_t lane = 0; lane < at.lanes; ++lane) {
        uint32_t bad = 0;
        for (size_t k = 0; k < at.step.operands; ++k) {
            const Entry e = at.entry(k, lane);
            x[k] = e.value;
            if (e.lo != e.hi) bad = ~0u;
        }
        at.out[lane] = at.out[kLanes + lane] = at.out[2 * kLanes + lane] = at.step.word(x);
        at.bad[lane] |= bad;
    }
}
/// For actions without a vector form with bounds.
inline void each_value(const At& at) {
    std::fill_n(at.bad, kLanes, ~0u);
}

inline void run_vectors(const Code& code, const At& at) {
    switch (at.step.action) {
        case Action::Move:
            return each1(at, [](const Bounded& a, W&) HWY_ATTR { return a; });
        case Action::Negate:
            return by_words1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                bad = hn::Or(denormal(a.lo), truth(mask_of(hn::IsNaN(a.lo))));
                return settled(negative(a), inexact(a));
            });
        case Action::Absolute:
            return by_words1(at, [](const Bounded& a, W& bad) HWY_ATTR { return magnitude(a, bad); });
        case Action::Saturate:
            return each1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                bad = hn::Or(marked(a), denormal(a.lo));
                const Bounded r{words(plain::saturated(floats(a.value))), plain::saturated(a.lo),
                                plain::saturated(a.hi)};
                if (HWY_LIKELY(!any(bad))) return r;
                const W is_unknown = unknown(a);
                bad = hn::AndNot(is_unknown, bad);
                return select(hn::MaskFromVec(is_unknown), {r.value, hn::Zero(kF), number(1.0f)}, r);
            });
        case Action::LightExponent:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                bad = hn::Or(marked(a), unusual(a.lo));
                const Bounded r{words(plain::light_exponent(floats(a.value))), plain::light_exponent(a.lo),
                                plain::light_exponent(a.hi)};
                return settled(r, inexact(r));
            });
        case Action::Add:
            return by_words2(at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return plus(a, b, bad); });
        case Action::Subtract:
            return by_words2(
                at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return plus(a, negative(b), bad); });
        case Action::Multiply:
            if (at.is_words(0))
                return by_words2(
                    at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return times(b, a, true, bad); });
            if (at.is_words(1))
                return by_words2(
                    at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return times(a, b, true, bad); });
            return by_words2(
                at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return times(a, b, false, bad); });
        case Action::Square:
            return by_words1(at, [](const Bounded& a, W& bad) HWY_ATTR { return squared(a, bad); });
        case Action::MultiplyAdd:
            return multiply_add(at);
        case Action::Fused:
            return floats3(at, [](const Bounded& a, const Bounded& b, const Bounded& d, W& bad) HWY_ATTR {
                const Bounded once = fused(a, b, d, false, false, bad);
                const Bounded twice = plus(times(a, b, false, bad), d, bad);
                Bounded r = hull(once, twice);
                r.value = once.value;
                bad = hn::Or(bad, hn::AndNot(inexact(once, twice), inexact(r)));  // two words
                return r;
            });
        case Action::Lerp:
            return lerp(at);
        case Action::Divide:
            return floats2(at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return quotient(a, b, bad); });
        case Action::Reciprocal:
            return floats1(
                at, [](const Bounded& a, W& bad) HWY_ATTR { return quotient(exactly(words(number(1.0f))), a, bad); });
        case Action::ReciprocalRoot:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                W is_set = word(0);
                return reciprocal_root(any(marked(a)) ? around(a, is_set) : a, is_set, bad);
            });
        case Action::Minimum:
            return limits2(at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR {
                return extremum(
                    {words(plain::minimum(floats(a.value), floats(b.value))), lesser(a.lo, b.lo), lesser(a.hi, b.hi)},
                    a, b, bad);
            });
        case Action::Maximum:
            return limits2(at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR {
                return extremum(
                    {words(plain::maximum(floats(a.value), floats(b.value))), greater(a.lo, b.lo), greater(a.hi, b.hi)},
                    a, b, bad);
            });
        case Action::Root:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR { return root(a, bad); });
        case Action::Exp2:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR { return exp2(a, bad); });
        case Action::Log2:
            return floats1(at, [&at](const Bounded& a, W& bad) HWY_ATTR {
                const Bounded r = log2(a, bad);
                if (HWY_LIKELY(!any(bad))) return r;
                // Below zero the result is unknown.
                const W below_zero = truth(mask_of(hn::Lt(a.lo, hn::Zero(kF))));
                const W is_unknown = hn::AndNot(hn::Or(marked(a), unusual(a.lo)), below_zero);
                bad = hn::AndNot(is_unknown, bad);
                const Bounded nothing{r.value, floats(word(kUnknown)), floats(word(kMarks + at.step.origin))};
                return select(hn::MaskFromVec(is_unknown), nothing, r);
            });
        case Action::Power:
            return floats2(at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return power(a, b, bad); });
        case Action::Sine:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                return trigonometric(
                    a, [](D x) HWY_ATTR { return sin_of(x); }, bad);
            });
        case Action::Cosine:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                return trigonometric(
                    a, [](D x) HWY_ATTR { return cos_of(x); }, bad);
            });
        case Action::Fraction:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR { return fraction(a, bad); });
        case Action::Sign:  // of an unknown operand, too: the interpreter knows what it may be
            return each1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                const F lo = plain::sign_of(a.lo);
                bad = hn::Or(hn::Or(marked(a), truth(mask_of(hn::IsNaN(a.lo)))),
                             hn::Or(denormal(a.lo), truth(mask_of(hn::Ne(lo, plain::sign_of(a.hi))))));
                return with_both_zeros({words(plain::sign_of(floats(a.value))), lo, lo});
            });
        case Action::Float:
            return each_value(at);
        case Action::Floor:
            return whole(at, [](F a) HWY_ATTR { return floor_of(a); });
        case Action::Ceil:
            return whole(at, [](F a) HWY_ATTR { return ceil_of(a); });
        case Action::Truncate:
            return whole(at, [](F a) HWY_ATTR { return hn::Trunc(a); });
        case Action::Round:
            return whole(at, [](F a) HWY_ATTR { return hn::Round(a); });
        case Action::Dot:
            return at.step.terms == 2 ? dot<2>(at) : at.step.terms == 3 ? dot<3>(at) : dot<4>(at);
        case Action::Less:
            return compares(
                at, [](const Bounded& a, const Bounded& b) HWY_ATTR { return hn::Lt(a.lo, b.hi); },
                [](const Bounded& a, const Bounded& b) HWY_ATTR { return hn::Ge(a.hi, b.lo); }, false);
        case Action::LessEqual:
            return compares(
                at, [](const Bounded& a, const Bounded& b) HWY_ATTR { return hn::Le(a.lo, b.hi); },
                [](const Bounded& a, const Bounded& b) HWY_ATTR { return hn::Gt(a.hi, b.lo); }, false);
        case Action::Equal:
        case Action::NotEqual:
            return compares(
                at,
                [](const Bounded& a, const Bounded& b)
                    HWY_ATTR { return hn::And(hn::Le(a.lo, b.hi), hn::Le(b.lo, a.hi)); },
                [](const Bounded& a, const Bounded& b) HWY_ATTR {
                    return hn::Or(hn::Lt(a.lo, a.hi), hn::Or(hn::Lt(b.lo, b.hi), hn::Not(hn::Eq(a.lo, b.lo))));
                },
                at.step.action == Action::NotEqual);
        case Action::NotZero:
            return each1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                const F zero = hn::Zero(kF);
                const W holds = truth(mask_of(hn::And(hn::Le(a.lo, zero), hn::Ge(a.hi, zero))));
                const W only = truth(mask_of(hn::And(hn::Eq(a.lo, zero), hn::Eq(a.hi, zero))));
                bad = hn::Or(hn::AndNot(only, holds), hn::Or(marked(a), denormal(a.lo)));
                return exactly(hn::Not(only));
            });
        case Action::BelowZero:
            return each1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                const W holds = truth(mask_of(hn::Lt(a.lo, hn::Zero(kF))));
                bad = hn::Or(marked(a), hn::And(holds, truth(mask_of(hn::Gt(a.hi, number(-kLeastNormal))))));
                return exactly(holds);
            });
        case Action::SelectBelowZero:
            return each3(at, [](const Bounded& a, const Bounded& b, const Bounded& d, W& bad) HWY_ATTR {
                const Mask holds = mask_of(hn::Lt(a.lo, hn::Zero(kF)));
                bad = hn::Or(marked(a), hn::And(truth(holds), truth(mask_of(hn::Gt(a.hi, number(-kLeastNormal))))));
                return select(holds, b, d);
            });
        case Action::SelectAnyBit:
            return each3(at, [](const Bounded& a, const Bounded& b, const Bounded& d, W& bad) HWY_ATTR {
                bad = inexact(a);
                return select(hn::Ne(a.value, word(0)), b, d);
            });
        case Action::AddWords:
            return words2(at, [](W a, W b) HWY_ATTR { return hn::Add(a, b); });
        case Action::MultiplyWords:
            return words2(at, [](W a, W b) HWY_ATTR { return hn::Mul(a, b); });
        case Action::NegateWords:
            return words1(at, [](W a) HWY_ATTR { return hn::Sub(word(0), a); });
        case Action::And:
            return each2(at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return and_words(a, b, bad); });
        case Action::Or:
            return each2(at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return or_words(a, b, bad); });
        case Action::Xor:
            return words2(at, [](W a, W b) HWY_ATTR { return hn::Xor(a, b); });
        case Action::Not:
            return words1(at, [](W a) HWY_ATTR { return hn::Not(a); });
        case Action::ShiftLeft:
            return words2(at, [](W a, W b) HWY_ATTR { return hn::Shl(a, hn::And(b, word(31))); });
        case Action::ShiftRight:
            return words2(at, [](W a, W b) HWY_ATTR { return hn::Shr(a, hn::And(b, word(31))); });
        case Action::ShiftRightSigned:
            return words2(at, [](W a, W b) HWY_ATTR { return plain::shifted_signed(a, b); });
        case Action::SameWords:
            return words2(at, [](W a, W b) HWY_ATTR { return truth(hn::Eq(a, b)); });
        case Action::LessSigned:
            return words2(at, [](W a, W b) HWY_ATTR { return plain::less_signed(a, b); });
        case Action::LessUnsigned:
            return words2(at, [](W a, W b) HWY_ATTR { return truth(below(a, b)); });
        case Action::AnyBit:
            return words1(at, [](W a) HWY_ATTR { return truth(hn::Ne(a, word(0))); });
        case Action::ToInt:
            return converts(at, [](F a) HWY_ATTR { return plain::to_int(hn::Trunc(a)); });
        case Action::ToUint:
            return converts(at, [](F a) HWY_ATTR { return plain::to_uint(hn::Trunc(a)); });
        case Action::FloorToInt:
            return converts(at, [](F a) HWY_ATTR { return plain::to_int(hn::Floor(a)); });
        case Action::FromInt:
            // Bounds require RoundingModeRTE: only the nearest float is permitted.
            return each1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                bad = inexact(a);
                return exactly(words(hn::ConvertTo(kF, hn::BitCast(kI, a.value))));
            });
        case Action::FromUint:
            return each1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                bad = inexact(a);
                return exactly(words(plain::from_uint(a.value)));
            });
        case Action::Word:
            return each_word(at);
        case Action::Lookup:
            return look_up(at, code.tables[at.step.table]);
    }
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds
HWY_AFTER_NAMESPACE();

#endif  // per target
