// EX2, LG2, POW, SIN, COS and SQRT of intervals: the formulas of float_functions.cpp, whose comments give their origin.
#if defined(TGSI2SPV_COLUMNS_FUNCTIONS) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_FUNCTIONS
#undef TGSI2SPV_COLUMNS_FUNCTIONS
#else
#define TGSI2SPV_COLUMNS_FUNCTIONS
#endif

#include "reference/columns/intervals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds {

using DMask = hn::Mask<Doubles>;

/// Calls f(least, most, x…) for both halves of wide operands.
template <class Function, class... Operands>
HWY_INLINE void ends(Function f, Wide& least, Wide& most, Operands... x) {
    f(least.low, most.low, x.low...);
#if HWY_TARGET != HWY_SCALAR
    f(least.high, most.high, x.high...);
#endif
}
/// 1 if the ends differ.
HWY_INLINE Wide ones(W is_inexact) {
    return widen(floats(hn::And(is_inexact, words(number(1.0f)))));
}
HWY_INLINE DMask set(D one) {
    return hn::Gt(one, number(0.5));
}
HWY_INLINE D scaled(D x, double by) {
    return hn::Mul(x, number(by));
}

HWY_INLINE D bounded_exp2(D x) {
    return exp2_of(hn::Min(hn::Max(x, number(-1000.0)), number(1000.0)));
}
HWY_INLINE D exp2_error(D x, D result) {
    const D n = hn::Add(number(3.0), scaled(hn::Abs(x), 2));
    const DMask above_one = hn::And(hn::Gt(x, number(0.0)), hn::Eq(result, number(1.0)));
    const D unit = hn::IfThenElse(above_one, number(0x1p-23), ulp(result));
    return hn::Add(scaled(hn::Mul(n, unit), 1 + kSlack), scaled(result, kSlack));
}

HWY_INLINE Bounded exp2(const Bounded& a, W& bad) {
    Wide least, most;
    ends(
        [](D& l, D& m, D lo, D hi, D one) HWY_ATTR {
            const D p = bounded_exp2(lo), q = bounded_exp2(hi), e = exp2_error(lo, p);
            const D n = hn::Add(number(3.0), scaled(hn::Max(hn::Abs(lo), hn::Abs(hi)), 2));
            const auto around = [n](D x) HWY_ATTR {
                const D near = ulp(hn::Add(x, hn::Mul(scaled(n, 2), ulp(x))));
                return hn::Add(hn::Mul(n, near), scaled(x, kSlack));
            };
            l = hn::Max(hn::Sub(p, hn::IfThenElse(set(one), around(p), e)), number(0.0));
            m = hn::Add(q, hn::IfThenElse(set(one), around(q), e));
        },
        least, most, widen(a.lo), widen(a.hi), ones(inexact(a)));
    const Bounded r{words(narrow(apply([](D x) HWY_ATTR { return exp2_of(x); }, widen(floats(a.value))))),
                    least_from(least), greatest_to(most)};
    bad = hn::Or(hn::Or(unusual(a.lo), unusual(a.hi)), unfit(r.lo, r.hi));
    return settled(r, word(~0u));
}

/// The error of log2 at x, where it gives `result`; if `around`, also for x's neighbours.
HWY_INLINE D log2_error(D x, D result, DMask around) {
    const DMask is_near_one = hn::And(hn::Ge(x, number(0.5)), hn::Le(x, number(2.0)));
    const D units = scaled(hn::IfThenElse(around, ulp_around(result, 3), ulp(result)), 3);
    const D e = hn::IfThenElse(is_near_one, number(0x1p-21), units);
    return hn::Add(scaled(e, 1 + kSlack), scaled(hn::Abs(result), kSlack));
}
/// The error at 0.5 and 2, and at 1.
inline constexpr double kErrorAtTwo = 0x1p-21 * (1 + kSlack) + kSlack;
inline constexpr double kErrorAtOne = 0x1p-21 * (1 + kSlack);

/// Real bounds of log2 over [lo, hi], from its results at both ends.
HWY_INLINE void log2_range(D lo, D hi, D at_lo, D at_hi, DMask around, D& least, D& most) {
    const D e = log2_error(lo, at_lo, around), f = log2_error(hi, at_hi, around);
    least = hn::Min(hn::Sub(at_lo, e), hn::Sub(at_hi, f));
    most = hn::Max(hn::Add(at_lo, e), hn::Add(at_hi, f));
    for (const double x : {0.5, 2.0}) {
        const DMask inside = hn::And(hn::Lt(lo, number(x)), hn::Gt(hi, number(x)));
        const double l = x < 1 ? -1 : 1;
        least = hn::IfThenElse(inside, hn::Min(least, number(l - kErrorAtTwo)), least);
        most = hn::IfThenElse(inside, hn::Max(most, number(l + kErrorAtTwo)), most);
    }
}

HWY_INLINE Bounded log2(const Bounded& a, W& bad) {
    Wide least, most;
    ends([](D& l, D& m, D lo, D hi, D one) HWY_ATTR { log2_range(lo, hi, log2_of(lo), log2_of(hi), set(one), l, m); },
         least, most, widen(a.lo), widen(a.hi), ones(inexact(a)));
    const Bounded r{words(narrow(apply([](D x) HWY_ATTR { return log2_of(x); }, widen(floats(a.value))))),
                    least_from(least), greatest_to(most)};
    const W positive = truth(mask_of(hn::Gt(a.lo, hn::Zero(kF))));
    bad = hn::Or(hn::Or(unusual(a.lo), unusual(a.hi)), hn::Or(hn::Not(positive), unfit(r.lo, r.hi)));
    return settled(r, word(~0u));
}

HWY_INLINE Bounded power(const Bounded& a, const Bounded& b, W& bad) {
    Wide least, most;
    ends(
        [](D& l, D& m, D xl, D xh, D yl, D yh, D one) HWY_ATTR {
            const DMask around = set(one);
            const D p = log2_of(xl), q = log2_of(xh);
            // The error of log2 within [xl, xh].
            D low, high;
            log2_range(xl, xh, p, q, around, low, high);
            D error = hn::Max(hn::Sub(p, low), hn::Sub(high, q));
            for (const double x : {0.5, 1.0, 2.0}) {
                const DMask inside = hn::And(hn::Le(xl, number(x)), hn::Ge(xh, number(x)));
                const double e = x == 1 ? kErrorAtOne : kErrorAtTwo;
                error = hn::IfThenElse(inside, hn::Max(error, number(e)), error);
            }
            error = hn::IfThenElse(around, error, log2_error(xl, p, around));
            const D t0 = hn::Mul(yl, p), t1 = hn::Mul(yl, q), t2 = hn::Mul(yh, p), t3 = hn::Mul(yh, q);
            const D tl = hn::Min(hn::Min(t0, t1), hn::Min(t2, t3)), th = hn::Max(hn::Max(t0, t1), hn::Max(t2, t3));
            D e = hn::Mul(hn::Max(hn::Abs(yl), hn::Abs(yh)), error);
            e = hn::Add(e, scaled(ulp_around(hn::Add(hn::Max(hn::Abs(tl), hn::Abs(th)), e), 1), 0.5));
            const auto above = [e](D t) HWY_ATTR {
                const D r = bounded_exp2(hn::Add(t, e));
                return hn::Add(r, exp2_error(hn::Add(hn::Abs(t), e), r));
            };
            const D r = bounded_exp2(tl), above_least = above(tl);
            l = hn::Max(hn::Sub(r, hn::Sub(above_least, r)), number(0.0));
            m = hn::Max(above_least, above(th));
        },
        least, most, widen(a.lo), widen(a.hi), widen(b.lo), widen(b.hi), ones(inexact(a, b)));
    const Bounded r{words(plain::power(floats(a.value), floats(b.value))), least_from(least), greatest_to(most)};
    const F zero = hn::Zero(kF);
    // 0 to a power above 0 is a zero of either sign.
    const W is_zero = truth(mask_of(hn::And(hn::And(hn::Eq(a.lo, zero), hn::Eq(a.hi, zero)), hn::Gt(b.lo, zero))));
    const W is_known =
        truth(mask_of(hn::And(hn::Gt(a.lo, zero), hn::Not(hn::And(hn::Eq(b.lo, zero), hn::Eq(b.hi, zero))))));
    const W strange = hn::Or(hn::Or(unusual(a.lo), unusual(a.hi)), hn::Or(unusual(b.lo), unusual(b.hi)));
    bad = hn::Or(strange, hn::AndNot(is_zero, hn::Or(hn::Not(is_known), unfit(r.lo, r.hi))));
    bad = hn::Or(bad, hn::AndNot(inexact(a, b), is_zero));  // a set of two words
    const Bounded zeros{r.value, floats(word(kSign)), zero};
    return select(hn::MaskFromVec(is_zero), zeros, settled(r, word(~0u)));
}

/// SIN and COS of words that need no range reduction. `f` computes them.
template <class Function>
HWY_INLINE Bounded trigonometric(const Bounded& a, Function f, W& bad) {
    const Wide at = apply(f, widen(a.lo));
    const auto below = [](D y) HWY_ATTR { return hn::Sub(y, number(steps::kTrigError)); };
    const auto above = [](D y) HWY_ATTR { return hn::Add(y, number(steps::kTrigError)); };
    const Bounded r{words(narrow(at)), least_from(apply(below, at)), greatest_to(apply(above, at))};
    const Wide x = widen(hn::Abs(a.lo));
    const auto turns = [](D magnitude) HWY_ATTR {
        return hn::IfThenElseZero(hn::Gt(magnitude, number(steps::kUnturned)), number(1.0));
    };
    const W turned = truth(mask_of(hn::Gt(narrow(apply(turns, x)), hn::Zero(kF))));
    bad = hn::Or(hn::Or(inexact(a), unusual(a.lo)), hn::Or(turned, unfit(r.lo, r.hi)));
    return settled(r, word(~0u));
}

/// For operands above zero.
HWY_INLINE Bounded root(const Bounded& a, W& bad) {
    const auto error = [](D s, DMask around) HWY_ATTR {
        const auto unit = [around](D x, double n) HWY_ATTR { return hn::IfThenElse(around, ulp_around(x, n), ulp(x)); };
        const D r = hn::Div(number(1.0), s), e = scaled(unit(r, 2), 2);
        D most = hn::Div(number(1.0), hn::Sub(r, e)), least = hn::Div(number(1.0), hn::Add(r, e));
        most = hn::Add(most, scaled(unit(most, 3), 2.5));
        least = hn::Sub(least, scaled(unit(least, 3), 2.5));
        return scaled(hn::Max(hn::Sub(most, s), hn::Sub(s, least)), 1 + 1e-6);
    };
    Wide least, most;
    ends(
        [error](D& l, D& m, D lo, D hi, D one) HWY_ATTR {
            const D p = hn::Sqrt(lo), q = hn::Sqrt(hi);
            l = hn::Sub(p, error(p, set(one)));
            m = hn::Add(q, error(q, set(one)));
        },
        least, most, widen(a.lo), widen(a.hi), ones(inexact(a)));
    const W positive = truth(mask_of(hn::Gt(a.lo, hn::Zero(kF))));
    bad = hn::Or(hn::Or(unusual(a.lo), unusual(a.hi)), hn::Not(positive));
    return {words(hn::Sqrt(floats(a.value))), least_from(least), greatest_to(most)};
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds
HWY_AFTER_NAMESPACE();

#endif  // per target
