// Steps with bounds: beside the plainest answer the least and the greatest float that Vulkan permits, as float_math.h
// has them where the module promises RoundingModeRTE and SignedZeroInfNanPreserve and contracts nothing.
//
// Kernels know an operand that is one word (both ends have its bits) and an interval of finite floats whose ends are no
// denormals. What else an operand or a result is, or what needs a set with gaps, is bad: of such a lane the other
// engine's function is asked, and its answer, if it is neither, goes into a box (boxes.h). Where there is no such
// function the lane escapes: the other engine executes it from the start.
#if defined(TGSI2SPV_COLUMNS_BOUNDS) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_BOUNDS
#undef TGSI2SPV_COLUMNS_BOUNDS
#else
#define TGSI2SPV_COLUMNS_BOUNDS
#endif

#include "reference/columns/sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds {

/// Of words: all operands must be one.
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
/// Of floats: `may` where the relation may hold, `may_not` where it may not. NaN (a word) decides by itself.
template <class May, class MayNot>
HWY_INLINE void compares(const At& at, May may, MayNot may_not, bool negated) {
    each2(at, [&](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR {
        const W holds = truth(mask_of(may(a, b))), fails = truth(mask_of(may_not(a, b)));
        bad =
            hn::Or(hn::Or(hn::And(holds, fails), hn::Or(marked(a), marked(b))), hn::Or(denormal(a.lo), denormal(b.lo)));
        return exactly(negated ? hn::Not(holds) : holds);
    });
}

/// ~0 where the other engine lists the floats of an interval.
HWY_INLINE W listed(const Bounded& a) {
    const auto lo = hn::BitCast(kI, words(a.lo)), hi = hn::BitCast(kI, words(a.hi));
    const W width = hn::BitCast(kW, hn::Abs(hn::Sub(hi, lo)));
    const W across = truth(mask_of(hn::Lt(hn::Xor(lo, hi), hn::Zero(kI))));  // zero: few floats, or very many
    return hn::AndNot(marked(a), hn::And(inexact(a), hn::Or(truth(below(width, word(4))), across)));
}
/// AND with a truth value, OR with nothing: intervals pass.
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

/// The number that an opcode of conversion makes of a float: both ends must agree.
template <class Function>
HWY_INLINE void converts(const At& at, Function f) {
    each1(at, [f](const Bounded& a, W& bad) HWY_ATTR {
        const W lo = f(a.lo);
        bad = hn::Or(truth(hn::Ne(lo, f(a.hi))), hn::Or(marked(a), denormal(a.lo)));
        return exactly(lo);
    });
}

/// Where a word is a zero it is the set of both.
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
/// Of words whose fraction is a float: others are rounded, either way.
HWY_INLINE Bounded fraction(const Bounded& a, W& bad) {
    const F whole_part = floor_of(a.lo), r = hn::Sub(a.lo, whole_part);
    const F back = hn::Sub(r, a.lo);  // the error of r (Knuth's two-sum)
    const F error = hn::Add(hn::Sub(a.lo, hn::Sub(r, back)), hn::Sub(plain::flipped(whole_part), back));
    bad = hn::Or(hn::Or(inexact(a), unusual(a.lo)), truth(mask_of(hn::Ne(error, hn::Zero(kF)))));
    return with_both_zeros(exactly(words(r)));
}

/// What runs of a kernel leave in lanes: up to four words, or the interval around all.
struct Gathered {
    alignas(64) uint32_t found[4][kLanes] = {};
    alignas(64) uint32_t count[kLanes] = {}, least[kLanes] = {}, most[kLanes] = {};

    /// Lets in what a vector of lanes from `n` on may be, where `counts`.
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
        // An interval is more than four words.
        const W more = hn::IfThenElse(hn::Ne(words(lo), words(hi)), word(5), word(1));
        hn::Store(hn::Add(so_many, hn::IfThenElseZero(is_new, more)), kW, count + n);
    }
    /// False where no lane of a column can hold it.
    bool put(const At& at, size_t n, size_t lane) const {
        Entry e{at.out[lane], least[n], most[n]};
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

HWY_NOINLINE void lerp(const At& at) {
    Gathered sets;  // of words
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
            // The exact result is among them.
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
        if (sets.count[lane] > 1 && (at.exec >> lane & 1) != 0 && !sets.put(at, lane, lane)) at.bad[lane] = ~0u;
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

/// What has no vector form.
inline void each_word(const At& at) {
    uint32_t x[8];
    for (size_t lane = 0; lane < at.lanes; ++lane) {
        uint32_t bad = 0;
        for (size_t k = 0; k < at.step.operands; ++k) {
            const Source& s = at.step.from[k];
            const uint32_t* from = at.block + s.at + (lane & s.mask);
            x[k] = from[0];
            if (from[s.plane] != from[2 * s.plane]) bad = ~0u;
        }
        at.out[lane] = at.out[kLanes + lane] = at.out[2 * kLanes + lane] = at.step.word(x);
        at.bad[lane] |= bad;
    }
}
/// One lane by the other engine's function.
inline void value_at(const At& at, const Context& c, size_t lane) {
    Value x[8], r;
    for (size_t k = 0; k < at.step.operands; ++k) x[k] = at.boxes.value_of(at.entry(k, lane));
    Entry e;
    at.bad[lane] = evaluate(at.step, c, x, r) && at.boxes.put(r, at.step.origin, e) ? 0 : ~0u;
    at.put(lane, e);
}
/// Of what has no vector form with bounds.
inline void each_value(const At& at) {
    std::fill_n(at.bad, kLanes, ~0u);
}

inline void run_vectors(const Code& code, const At& at) {
    switch (at.step.action) {
        case Action::Move:
            return each1(at, [](const Bounded& a, W&) HWY_ATTR { return a; });
        case Action::Negate:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                bad = hn::Or(denormal(a.lo), truth(mask_of(hn::IsNaN(a.lo))));
                return settled(negative(a), inexact(a));
            });
        case Action::Absolute:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR { return magnitude(a, bad); });
        case Action::Saturate:
            return each1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                bad = hn::Or(marked(a), denormal(a.lo));
                return Bounded{words(plain::saturated(floats(a.value))), plain::saturated(a.lo),
                               plain::saturated(a.hi)};
            });
        case Action::Add:
            return floats2(at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return plus(a, b, bad); });
        case Action::Subtract:
            return floats2(
                at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return plus(a, negative(b), bad); });
        case Action::Multiply:
            if (at.is_uniform(0))
                return floats2(
                    at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return times(b, a, true, bad); });
            if (at.is_uniform(1))
                return floats2(
                    at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return times(a, b, true, bad); });
            return floats2(at,
                           [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR { return times(a, b, false, bad); });
        case Action::Square:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR { return squared(a, bad); });
        case Action::MultiplyAdd:
            return floats3(at, [](const Bounded& a, const Bounded& b, const Bounded& d, W& bad)
                                   HWY_ATTR { return plus(times(a, b, false, bad), d, bad); });
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
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR { return reciprocal_root(a, bad); });
        case Action::Minimum:
            return floats2(at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR {
                return extremum(
                    {words(plain::minimum(floats(a.value), floats(b.value))), lesser(a.lo, b.lo), lesser(a.hi, b.hi)},
                    a, b, bad);
            });
        case Action::Maximum:
            return floats2(at, [](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR {
                return extremum(
                    {words(plain::maximum(floats(a.value), floats(b.value))), greater(a.lo, b.lo), greater(a.hi, b.hi)},
                    a, b, bad);
            });
        case Action::Root:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR { return root(a, bad); });
        case Action::Exp2:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR { return exp2(a, bad); });
        case Action::Log2:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR { return log2(a, bad); });
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
        case Action::Sign:
            return floats1(at, [](const Bounded& a, W& bad) HWY_ATTR {
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
            return each1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                const F f = hn::ConvertTo(kF, hn::BitCast(kI, a.value));
                bad = hn::Or(inexact(a), truth(mask_of(hn::Ge(hn::Abs(f), number(0x1p24f)))));  // else it is exact
                return exactly(words(f));
            });
        case Action::FromUint:
            return each1(at, [](const Bounded& a, W& bad) HWY_ATTR {
                const F f = plain::from_uint(a.value);
                bad = hn::Or(inexact(a), truth(mask_of(hn::Ge(f, number(0x1p24f)))));
                return exactly(words(f));
            });
        case Action::Word:
            return each_word(at);
        case Action::Lookup:
            return look_up(at, code.tables[at.step.table]);
    }
}

/// Whether the other engine's function of sets of words is what it gives of each combination of them.
inline bool goes_word_by_word(Action a) {
    switch (a) {
        case Action::Negate:
        case Action::Absolute:
        case Action::Saturate:
        case Action::Add:
        case Action::Subtract:
        case Action::Multiply:
        case Action::Square:
        case Action::MultiplyAdd:
        case Action::Reciprocal:
        case Action::ReciprocalRoot:
        case Action::Root:
        case Action::Exp2:
        case Action::Log2:
        case Action::Minimum:
        case Action::Maximum:
            return true;
        default:
            return false;
    }
}

/// Lanes with operands that are sets of words: the same kernel executes every combination of their words. Where an
/// operand is an interval the others are the ranges around them, as they are there.
class OfSets {
  public:
    explicit OfSets(const Step& step) : step_(step) {}

    /// Adds a lane. False where it is none for this.
    bool add(const At& at, size_t lane) {
        Entry entries[kMostOperands];
        const Value* sets[kMostOperands] = {};
        uint32_t combinations = 1;
        bool any_set = false, any_interval = false;
        for (size_t k = 0; k < step_.operands; ++k) {
            const Entry e = entries[k] = at.entry(k, lane);
            if (e.lo == e.hi) continue;
            if (!is_marked(e)) {
                any_interval = true;
                continue;
            }
            sets[k] = at.boxes.set(e);
            if (sets[k] == nullptr) return false;
            combinations *= sets[k]->count;
            any_set = true;
        }
        if (!any_set || combinations > kMostCombinations) return false;
        const size_t n = used_++;
        lanes_[n] = static_cast<uint8_t>(lane);
        for (size_t k = 0; k < step_.operands; ++k) {
            const Entry& e = entries[k];
            uint32_t* to = operands_[k] + n;
            for (size_t i = 0; i < 4; ++i) to[i * kLanes] = e.value;
            if (any_interval) {
                to[kLanes] = e.lo;
                to[2 * kLanes] = e.hi;
                if (sets[k] != nullptr) ends_of_set(*sets[k], to[kLanes], to[2 * kLanes]);
            } else if (sets[k] != nullptr) {
                const uint32_t count = sets[k]->count;
                for (size_t i = 0; i < 4; ++i) to[i * kLanes] = sets[k]->words[std::min<size_t>(i, count - 1)];
                most_words_[k] = std::max(most_words_[k], count);
            }
        }
        (any_interval ? intervals_ : words_) |= Bits{1} << n;
        return true;
    }

    /// Executes them, and puts together what comes of each lane. Returns the lanes of which they cannot tell.
    Bits run(const Code& code, const At& at) {
        if (used_ == 0) return 0;
        for (size_t k = 0; k < step_.operands; ++k)
            for (size_t i = 0; i < 4; ++i)
                std::fill(operands_[k] + i * kLanes + used_, operands_[k] + i * kLanes + round_up(used_), 0u);
        if (intervals_ != 0) {
            for (size_t k = 0; k < step_.operands; ++k) place(k, 0, kLanes);
            execute(code, at, intervals_);
        }
        if (words_ != 0)
            for (uint32_t i = 0; i < most_words_[0]; ++i)
                for (uint32_t j = 0; j < most_words_[1]; ++j)
                    for (uint32_t k = 0; k < most_words_[2]; ++k) {
                        place(0, i * kLanes, 0);
                        place(1, j * kLanes, 0);
                        place(2, k * kLanes, 0);
                        execute(code, at, words_);
                    }
        Bits left = 0;
        for (size_t n = 0; n < used_; ++n)
            if (bad_[n] != 0 || !gathered_.put(at, n, lanes_[n])) left |= Bits{1} << lanes_[n];
        return left;
    }

  private:
    static constexpr uint32_t kMostCombinations = 16;
    static constexpr size_t kMostOperands = 3;
    static size_t round_up(size_t n) { return (n + kWidest - 1) / kWidest * kWidest; }

    void place(size_t operand, uint32_t at, uint32_t plane) {
        step_.from[operand] = {static_cast<uint32_t>(operand) * 4 * kLanes + at, ~0u, plane};
    }
    /// Executes the step as it is placed, and lets its results into those of the lanes `of`.
    void execute(const Code& code, const At& at, Bits of) {
        alignas(64) uint32_t bad[kLanes] = {}, here[kLanes];
        run_vectors(code, {step_, operands_[0], out_, bad, kEveryLane, at.boxes, round_up(used_)});
        spread(of, here);
        for (size_t n = 0; n < used_; n += hn::Lanes(kW)) {
            const Mask counts = hn::MaskFromVec(hn::Load(kW, here + n));
            gathered_.add(n, counts, floats(hn::Load(kW, out_ + kLanes + n)),
                          floats(hn::Load(kW, out_ + 2 * kLanes + n)));
            const W b = hn::IfThenElseZero(counts, hn::Load(kW, bad + n));
            hn::Store(hn::Or(hn::Load(kW, bad_ + n), b), kW, bad_ + n);
        }
    }

    Step step_;
    size_t used_ = 0;
    Bits words_ = 0, intervals_ = 0;
    uint32_t most_words_[kMostOperands] = {1, 1, 1};
    uint8_t lanes_[kLanes];
    alignas(64) uint32_t operands_[kMostOperands][4 * kLanes];  ///< words; or the plainest, the ends
    alignas(64) uint32_t out_[3 * kLanes];
    alignas(64) uint32_t bad_[kLanes] = {};
    Gathered gathered_;
};

/// Executes a step in the lanes `exec`; adds to `escaped` where it cannot tell.
inline void run(const Code& code, const Step& step, const uint32_t* block, uint32_t* out, Bits exec, Boxes& boxes,
                uint32_t* escaped) {
    alignas(64) uint32_t bad[kLanes] = {};
    const At at{step, block, out, bad, exec, boxes};
    run_vectors(code, at);
    W any_bad = word(0);
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW)) any_bad = hn::Or(any_bad, hn::Load(kW, bad + i));
    if (HWY_LIKELY(!any(any_bad))) return;
    Bits rest = gather(bad) & exec;
    if (goes_word_by_word(step.action)) {
        OfSets sets(step);
        Bits left = 0;
        for (Bits lanes = rest; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<size_t>(std::countr_zero(lanes));
            if (!sets.add(at, lane)) left |= Bits{1} << lane;
        }
        rest = left | sets.run(code, at);
    }
    for (; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        value_at(at, code.context, lane);
        escaped[lane] |= bad[lane];
    }
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds
HWY_AFTER_NAMESPACE();

#endif  // per target
