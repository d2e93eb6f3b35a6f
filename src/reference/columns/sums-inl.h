// Sums of products with bounds: DP2, DP3, DP4 and their like (float_sum.cpp).
#if defined(TGSI2SPV_COLUMNS_SUMS) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_SUMS
#undef TGSI2SPV_COLUMNS_SUMS
#else
#define TGSI2SPV_COLUMNS_SUMS
#endif

#include <bit>

#include "reference/columns/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds {

/// A sum of intervals in any order, products fused or not (float_sum.cpp).
template <int kTerms>
HWY_NOINLINE Bounded sum_of_intervals(const At& at, const Bounded* a, const Bounded* b, W& bad) {
    constexpr unsigned kSets = 1u << kTerms;
    // `range`: ~0 where the other engine has an interval, not words that it lists.
    struct Sum {
        Bounded r;
        W range;
    };
    Sum partial[kSets];
    bool square[kTerms], is_word[kTerms];  // of a product: one component twice; a factor is one word in all lanes
    W inexact_factor[kTerms];
    for (unsigned t = 0; t < kTerms; ++t) {
        square[t] = at.step.from[2 * t] == at.step.from[2 * t + 1] && !at.is_uniform(2 * t);
        is_word[t] = at.is_uniform(2 * t) || at.is_uniform(2 * t + 1);
        inexact_factor[t] = inexact(a[t], b[t]);
        Sum& s = partial[1u << t];
        s.r = square[t] ? squared(a[t], bad) : times(a[t], b[t], is_word[t], bad);
        s.range = inexact(s.r);
    }
    Bounded left = partial[1].r;
    for (unsigned t = 1; t < kTerms; ++t)
        left.value = words(hn::Add(floats(left.value), floats(partial[1u << t].r.value)));
    for (unsigned set = 3; set < kSets; ++set) {
        if ((set & (set - 1)) == 0) continue;
        Sum& s = partial[set];
        bool first = true;
        const auto take = [&](const Bounded& r, W from_range) HWY_ATTR {
            const W range = hn::And(from_range, inexact(r));
            s.r = first ? r : hull(s.r, r);
            s.range = first ? range : hn::Or(s.range, range);
            first = false;
        };
        for (unsigned part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set)
            take(plus(partial[part].r, partial[set ^ part].r, bad),
                 hn::Or(partial[part].range, partial[set ^ part].range));
        for (unsigned t = 0; t < kTerms; ++t)
            if (set >> t & 1) {
                const Sum& rest = partial[set ^ (1u << t)];
                take(fused(a[t], b[t], rest.r, square[t], is_word[t], bad), hn::Or(rest.range, inexact_factor[t]));
            }
    }
    const Sum& all = partial[kSets - 1];
    bad = hn::Or(bad, hn::AndNot(all.range, inexact(all.r)));
    return {left.value, all.r.lo, all.r.hi};
}

/// A sum of words in any order, products fused or not, and `with_exact` the exact sum: all that comes of it, as bits
/// around the plainest answer. What lies further away, or may be a denormal on the way, is bad.
struct Listed {
    W plain;
    W bits;  ///< bit n: the word plain − kBefore + n
};
inline constexpr uint32_t kBefore = 16;

template <int kTerms>
HWY_NOINLINE Listed sum_of_words(const Bounded* a, const Bounded* b, bool with_exact, W& bad) {
    constexpr unsigned kSets = 1u << kTerms, kMostOfThree = 18;
    F x[kTerms], y[kTerms], list[kSets][kMostOfThree];
    unsigned count[kSets] = {};
    for (unsigned t = 0; t < kTerms; ++t) {
        x[t] = a[t].lo;
        y[t] = b[t].lo;
        const F p = hn::Mul(x[t], y[t]), m = hn::Abs(p), zero = hn::Zero(kF);
        list[1u << t][0] = p;
        count[1u << t] = 1;
        // All sums are multiples of what the smallest product's last bit stands for: 2^-78 · 2^-47 at least, and no
        // sum that is not zero is a denormal.
        const auto usual = hn::And(hn::Ge(m, number(0x1p-78f)), hn::Le(m, number(0x1p100f)));
        const auto no_factor = hn::And(hn::Eq(m, zero), hn::Or(hn::Eq(x[t], zero), hn::Eq(y[t], zero)));
        bad = hn::Or(bad, hn::Not(truth(mask_of(hn::Or(usual, no_factor)))));
        bad = hn::Or(bad, hn::Or(denormal(x[t]), denormal(y[t])));
    }
    F plain = list[1][0];
    for (unsigned t = 1; t < kTerms; ++t) plain = hn::Add(plain, list[1u << t][0]);
    const W base = hn::Sub(words(plain), word(kBefore)), one = word(1), within = word(31);
    W bits = word(0), all = word(0);
    const auto found = [&](F v) HWY_ATTR {
        const W at = hn::Sub(words(v), base);
        all = hn::Or(all, at);
        bits = hn::Or(bits, hn::Shl(one, hn::And(at, within)));
    };
    for (unsigned set = 3; set < kSets; ++set) {
        if ((set & (set - 1)) == 0) continue;
        const auto take = [&](F v) HWY_ATTR {
            if (set == kSets - 1)
                found(v);
            else
                list[set][count[set]++] = v;
        };
        for (unsigned part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set)
            for (unsigned i = 0; i < count[part]; ++i)
                for (unsigned j = 0; j < count[set ^ part]; ++j) take(hn::Add(list[part][i], list[set ^ part][j]));
        for (unsigned t = 0; t < kTerms; ++t) {
            if (!(set >> t & 1)) continue;
            const unsigned rest = set ^ (1u << t);
            for (unsigned i = 0; i < count[rest]; ++i) take(fused_of(x[t], y[t], list[rest][i]));
        }
    }
    if (with_exact) {
        const auto product = [](D p, D q) HWY_ATTR { return hn::Mul(p, q); };
        const auto sum = [](D p, D q) HWY_ATTR { return hn::Add(p, q); };
        Wide exact_sum = apply(product, widen(x[0]), widen(y[0]));
        for (unsigned t = 1; t < kTerms; ++t)
            exact_sum = apply(sum, exact_sum, apply(product, widen(x[t]), widen(y[t])));
        const F rounded = narrow(exact_sum);
        found(hn::IfThenElse(hn::Eq(rounded, hn::Zero(kF)), plain, rounded));
    }
    bad = hn::Or(bad, truth(hn::Ne(hn::AndNot(within, all), word(0))));
    return {words(plain), bits};
}

/// What a lane of such a sum is: a word, a set in a box, or the interval around more than four.
HWY_INLINE bool put_listed(uint32_t plain, uint32_t bits, const Step& step, Boxes& boxes, Entry& e) {
    const auto count = static_cast<unsigned>(std::popcount(bits));
    const uint32_t base = plain - kBefore;
    const uint32_t least = base + static_cast<uint32_t>(std::countr_zero(bits)),
                   most = base + 31 - static_cast<uint32_t>(std::countl_zero(bits));
    if (count > 4) {
        const bool negative = (plain & kSign) != 0;
        e = {plain, negative ? most : least, negative ? least : most};
        return true;
    }
    Value v;
    v.value = plain;
    v.count = 0;
    for (uint32_t rest = bits; rest != 0; rest &= rest - 1)
        v.words[v.count++] = base + static_cast<uint32_t>(std::countr_zero(rest));
    return boxes.put(v, step.origin, e);
}

template <int kTerms>
HWY_NOINLINE void dot(const At& at) {
    alignas(64) uint32_t bits[kLanes] = {}, plain[kLanes];
    bool any_listed = false;
    for (size_t i = 0; i < at.lanes; i += hn::Lanes(kW)) {
        Bounded a[kTerms], b[kTerms];
        W all_words = word(~0u);
        for (unsigned t = 0; t < kTerms; ++t) {
            a[t] = at.load(2 * t, i);
            b[t] = at.load(2 * t + 1, i);
            all_words = hn::AndNot(inexact(a[t], b[t]), all_words);
            if (at.is_uniform(2 * t)) std::swap(a[t], b[t]);
        }
        const Mask are_words = hn::MaskFromVec(all_words);
        Bounded r = exactly(word(0));
        W bad = word(0);
        if (!hn::AllTrue(kW, are_words)) {
            r = sum_of_intervals<kTerms>(at, a, b, bad);
            if (any(bad))
                for (unsigned t = 0; t < kTerms; ++t) {
                    pass_unknown(a[t], r, bad);
                    pass_unknown(b[t], r, bad);
                }
            bad = hn::AndNot(all_words, bad);
        }
        if (!hn::AllFalse(kW, are_words)) {
            W bad_words = word(0);
            const Listed l = sum_of_words<kTerms>(a, b, !at.of_sets, bad_words);
            r = select(are_words, exactly(l.plain), r);
            bad = hn::Or(bad, hn::And(all_words, bad_words));
            const W several = hn::AndNot(bad_words, hn::AndNot(truth(hn::Eq(l.bits, word(1u << kBefore))), all_words));
            if (any(several)) {
                any_listed = true;
                hn::Store(hn::And(several, l.bits), kW, bits + i);
                hn::Store(l.plain, kW, plain + i);
            }
        }
        at.store(i, r, bad);
    }
    if (!any_listed) return;
    for (size_t lane = 0; lane < at.lanes; ++lane) {
        if (bits[lane] == 0 || !(at.exec >> lane & 1)) continue;
        Entry e;
        if (!put_listed(plain[lane], bits[lane], at.step, at.boxes, e)) at.bad[lane] = ~0u;
        at.put(lane, e);
    }
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds
HWY_AFTER_NAMESPACE();

#endif  // per target
