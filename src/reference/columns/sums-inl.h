// Sums of products with bounds: DP2, DP3, DP4 and the like (float_sum.cpp).
#if defined(TGSI2SPV_COLUMNS_SUMS) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_SUMS
#undef TGSI2SPV_COLUMNS_SUMS
#else
#define TGSI2SPV_COLUMNS_SUMS
#endif

#include <algorithm>
#include <bit>

#include "reference/columns/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds {

/// A sum of intervals in any order, with products fused or not (float_sum.cpp).
template <int kTerms>
HWY_NOINLINE Bounded sum_of_intervals(const At& at, const Bounded* a, const Bounded* b, W& bad) {
    constexpr unsigned kSets = 1u << kTerms;
    // `range`: ~0 if the interpreter has an interval, not a list of words.
    struct Sum {
        Bounded r;
        W range;
    };
    Sum partial[kSets];
    bool square[kTerms], is_word[kTerms];  // for each product: it is a square; a factor is one word in all lanes
    W inexact_factor[kTerms];
    for (unsigned t = 0; t < kTerms; ++t) {
        square[t] = at.is_square(t);
        is_word[t] = at.is_words(2 * t) || at.is_words(2 * t + 1);
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

/// ~0 for products that make no denormal sums: all are multiples of the unit of the last bit of the smallest one, at
/// least 2^-78 · 2^-47, so a sum is zero or not a denormal.
HWY_INLINE W is_usual_product(F x, F y, F product) {
    const F m = hn::Abs(product), zero = hn::Zero(kF);
    const auto usual = hn::And(hn::Ge(m, number(0x1p-78f)), hn::Le(m, number(0x1p100f)));
    const auto no_factor = hn::And(hn::Eq(m, zero), hn::Or(hn::Eq(x, zero), hn::Eq(y, zero)));
    return truth(mask_of(hn::Or(usual, no_factor)));
}

/// Whether all factors are between 2^-39 and 2^50 in every lane, so that all products are usual, and none is a mark.
template <int kTerms>
HWY_INLINE bool are_usual_factors(const Bounded* a, const Bounded* b, bool are_words) {
    constexpr uint32_t kLeast = std::bit_cast<uint32_t>(0x1p-39f), kMost = std::bit_cast<uint32_t>(0x1p50f);
    W furthest = word(0);
    const auto see = [&furthest](F x) HWY_ATTR { furthest = hn::Max(furthest, hn::Sub(twice(x), word(2 * kLeast))); };
    for (unsigned t = 0; t < kTerms; ++t) {
        see(a[t].lo);
        see(b[t].lo);
        if (are_words) continue;
        see(a[t].hi);
        see(b[t].hi);
    }
    return hn::AllTrue(kW, below(furthest, word(2 * (kMost - kLeast))));
}

/// A sum of words in any order, with products fused or not, and the exact sum: all results, as bits around the plainest
/// answer. Lanes with results further away, or with possible denormals on the way, are bad.
struct Listed {
    W plain;
    W bits;  ///< bit n: the word plain − kBefore + n
};
inline constexpr uint32_t kBefore = 16;

template <int kTerms>
HWY_NOINLINE Listed sum_of_words(const Bounded* a, const Bounded* b, W& bad) {
    constexpr unsigned kSets = 1u << kTerms, kMostOfThree = 18;
    F x[kTerms], y[kTerms], list[kSets][kMostOfThree];
    unsigned count[kSets] = {};
    for (unsigned t = 0; t < kTerms; ++t) {
        x[t] = a[t].lo;
        y[t] = b[t].lo;
        const F p = hn::Mul(x[t], y[t]);
        list[1u << t][0] = p;
        count[1u << t] = 1;
        bad = hn::Or(bad, hn::Not(is_usual_product(x[t], y[t], p)));
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
    const auto product = [](D p, D q) HWY_ATTR { return hn::Mul(p, q); };
    const auto sum = [](D p, D q) HWY_ATTR { return hn::Add(p, q); };
    Wide exact_sum = apply(product, widen(x[0]), widen(y[0]));
    for (unsigned t = 1; t < kTerms; ++t) exact_sum = apply(sum, exact_sum, apply(product, widen(x[t]), widen(y[t])));
    const F rounded = narrow(exact_sum);
    found(hn::IfThenElse(hn::Eq(rounded, hn::Zero(kF)), plain, rounded));
    bad = hn::Or(bad, truth(hn::Ne(hn::AndNot(within, all), word(0))));
    return {words(plain), bits};
}

/// Stores such a sum as an entry: a word, a set in a box, or the interval around more than four words.
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

/// Loads an operand, replacing a set of words by the range around it. Adds to `any_set` and `any_interval` which of
/// these it was.
inline Bounded around_sets(const At& at, size_t operand, size_t lane, W& any_set, W& any_interval) {
    const Bounded a = at.load(operand, lane);
    any_interval = hn::Or(any_interval, hn::AndNot(marked(a), inexact(a)));
    if (!any(marked(a))) return a;
    W is_set;
    const Bounded r = around(a, is_set);
    any_set = hn::Or(any_set, is_set);
    if (!any(hn::And(marked(r), truth(hn::Eq(words(r.lo), word(kBoxed)))))) return r;
    // Boxes hold words that are too far from each other for a mark. If they are apart, the interpreter keeps the gaps.
    alignas(64) uint32_t lo[kWidest], hi[kWidest], sets[kWidest] = {};
    hn::Store(words(r.lo), kW, lo);
    hn::Store(words(r.hi), kW, hi);
    for (size_t i = 0; i < hn::Lanes(kW); ++i) {
        const Entry e = at.entry(operand, lane + i);
        if (!is_boxed(e)) continue;
        const ShortSet set = at.boxes.set_of(e);
        const auto fits = [](uint32_t w) { return !is_nan(w) && !is_unfit_end(w); };
        if (set.count == 0 || !std::all_of(set.words.begin(), set.words.begin() + set.count, fits)) continue;
        if (is_apart(set)) continue;
        ends_of_set(set, lo[i], hi[i]);
        sets[i] = ~0u;
    }
    any_set = hn::Or(any_set, hn::Load(kW, sets));
    return {a.value, floats(hn::Load(kW, lo)), floats(hn::Load(kW, hi))};
}

/// Two factors and their product, whose exact value is `product` + `error`.
struct Corner {
    F x, y, product, error;
};
HWY_INLINE Corner corner(F x, F y) {
    const F p = hn::Mul(x, y);
    return {x, y, p, fused_of(x, y, plain::flipped(p))};
}
/// Returns the corner with the lesser exact product, or with the greater one if `sign` is kSign.
HWY_INLINE Corner extreme(const Corner& a, const Corner& b, W sign) {
    const auto turned = [sign](F x) HWY_ATTR { return floats(hn::Xor(words(x), sign)); };
    const auto is_less = hn::Lt(turned(b.product), turned(a.product));
    const auto is_tie = hn::And(hn::Eq(b.product, a.product), hn::Lt(turned(b.error), turned(a.error)));
    const auto takes_b = hn::Or(is_less, is_tie);
    return {hn::IfThenElse(takes_b, b.x, a.x), hn::IfThenElse(takes_b, b.y, a.y),
            hn::IfThenElse(takes_b, b.product, a.product), hn::IfThenElse(takes_b, b.error, a.error)};
}

/// The least and the greatest result of a sum of products in any order, with products fused or not. All additions are
/// monotone, so the ends of partial sums follow from ends alone. `kWords`: for words, where both ends of a product are
/// equal. `kRanges`: also tracks which partial sums are intervals, not words that the interpreter lists. Sets of
/// products are template arguments, so that the compiler can unroll everything.
template <int kTerms, bool kWords, bool kRanges = false>
struct EndsOfSum {
    static constexpr unsigned kSets = 1u << kTerms, kAll = kSets - 1;
    F low[kSets], high[kSets];
    W range[kRanges ? kSets : 1];     ///< ~0 if the interpreter has an interval
    F takes[kSets - 2 + 2 * kTerms];  ///< results of the last additions: some of the permitted ones, including the ends
    unsigned count = 0;
    W is_range = word(0);  ///< ~0 if the last fused additions show that the interpreter has an interval

    HWY_INLINE EndsOfSum(const Corner* of_least, const Corner* of_most, const W* are_inexact)
        : least_(of_least), most_(of_most), inexact_factor_(are_inexact) {
        for (unsigned t = 0; t < kTerms; ++t) {
            low[1u << t] = least_[t].product;
            high[1u << t] = kWords ? low[1u << t] : most_[t].product;
            if constexpr (kRanges) range[1u << t] = differ(low[1u << t], high[1u << t]);
        }
        add_sets<3>();
    }

  private:
    const Corner* least_;
    const Corner* most_;
    const W* inexact_factor_;

    static HWY_INLINE W differ(F x, F y) { return truth(mask_of(hn::Ne(x, y))); }
    template <unsigned kSet>
    HWY_INLINE void add_sets() {
        if constexpr (kSet <= kAll) {
            if constexpr ((kSet & (kSet - 1)) != 0) {
                low[kSet] = number(HUGE_VALF);
                high[kSet] = number(-HUGE_VALF);
                if constexpr (kRanges) range[kSet] = word(0);
                add_parts<kSet, (kSet - 1) & kSet>();
                add_fused<kSet, 0>();
            }
            add_sets<kSet + 1>();
        }
    }
    template <unsigned kSet, unsigned kPart>
    HWY_INLINE void add_parts() {
        if constexpr (kPart > (kSet ^ kPart)) {
            constexpr unsigned kRest = kSet ^ kPart;
            const F x = hn::Add(low[kPart], low[kRest]), y = hn::Add(high[kPart], high[kRest]);
            if constexpr (kRanges)
                range[kSet] = hn::Or(range[kSet], hn::And(hn::Or(range[kPart], range[kRest]), differ(x, y)));
            take<kSet>(x, y);
            add_parts<kSet, (kPart - 1) & kSet>();
        }
    }
    template <unsigned kSet, unsigned kTerm>
    HWY_INLINE void add_fused() {
        if constexpr (kTerm < kTerms) {
            if constexpr ((kSet >> kTerm & 1) != 0) {
                constexpr unsigned kRest = kSet ^ (1u << kTerm);
                const Corner& l = least_[kTerm];
                const Corner& m = kWords ? l : most_[kTerm];
                const F x = fused_of(l.x, l.y, low[kRest]), y = fused_of(m.x, m.y, high[kRest]);
                if constexpr (kSet == kAll && !kWords)
                    is_range = hn::Or(is_range, hn::And(inexact_factor_[kTerm], differ(x, y)));
                if constexpr (kRanges)
                    range[kSet] =
                        hn::Or(range[kSet], hn::And(hn::Or(range[kRest], inexact_factor_[kTerm]), differ(x, y)));
                take<kSet>(x, y);
            }
            add_fused<kSet, kTerm + 1>();
        }
    }
    template <unsigned kSet>
    HWY_INLINE void take(F x, F y) {
        low[kSet] = hn::Min(low[kSet], x);
        high[kSet] = hn::Max(high[kSet], y);
        if constexpr (kSet == kAll) {
            takes[count++] = x;
            takes[count++] = y;
        }
    }
};

template <int kTerms>
HWY_NOINLINE W range_of_sum(const Corner* least, const Corner* most, const W* inexact_factor) {
    const EndsOfSum<kTerms, false, true> sum(least, most, inexact_factor);
    return sum.range[sum.kAll];
}

/// Determines most sums from their ends: a word, a few adjacent words (`bits` of Listed), or an interval. Returns ~0
/// for the lanes where it does; the others are left to sum_of_intervals() and sum_of_words(). `good`: ~0 if at least
/// the ends are known. `are_sets`: lanes whose operands are words or sets of words, at least one of them a set, given
/// as the ranges around them. `are_marked`: lanes with marks, sets or not. `kWords`: all operands are words.
template <int kTerms, bool kWords>
HWY_NOINLINE W sum_by_ends(const At& at, const Bounded* a, const Bounded* b, W all_words, W are_marked, W are_sets,
                           Bounded& r, W& bits, W& good) {
    Corner least[kTerms], most[kTerms];
    W inexact_factor[kTerms];
    good = word(~0u);
    const bool are_usual = are_usual_factors<kTerms>(a, b, kWords);
    F plain = hn::Zero(kF);
    for (unsigned t = 0; t < kTerms; ++t) {
        inexact_factor[t] = hn::AndNot(are_sets, inexact(a[t], b[t]));
        const F p = hn::Mul(floats(a[t].value), floats(b[t].value));
        plain = t == 0 ? p : hn::Add(plain, p);
        if (kWords) {
            least[t] = most[t] = {a[t].lo, b[t].lo, p, p};
        } else if (at.is_square(t)) {
            F x, y;
            magnitudes(a[t], x, y);
            least[t] = corner(x, x);
            most[t] = corner(y, y);
            // The squares of a set come from its words, and none of these need be near zero.
            const F zero = hn::Zero(kF);
            const auto across = hn::And(hn::Le(a[t].lo, zero), hn::Ge(a[t].hi, zero));
            good = hn::AndNot(hn::And(inexact(a[t]), truth(mask_of(across))), good);
        } else if (at.is_words(2 * t) || at.is_words(2 * t + 1)) {
            // The sign of a word determines which end is which (dot() has put words second).
            const auto falls = hn::Lt(b[t].lo, hn::Zero(kF));
            const F x = hn::IfThenElse(falls, a[t].hi, a[t].lo), y = hn::IfThenElse(falls, a[t].lo, a[t].hi);
            const F low = hn::Mul(x, b[t].lo), high = hn::Mul(y, b[t].lo);
            least[t] = {x, b[t].lo, low, low};
            most[t] = {y, b[t].lo, high, high};
        } else {
            const Corner c[4] = {corner(a[t].lo, b[t].lo), corner(a[t].hi, b[t].hi), corner(a[t].lo, b[t].hi),
                                 corner(a[t].hi, b[t].lo)};
            const auto of_all = [&](W sign) HWY_ATTR {
                return extreme(extreme(c[0], c[1], sign), extreme(c[2], c[3], sign), sign);
            };
            least[t] = of_all(word(0));
            most[t] = of_all(word(kSign));
        }
        if (are_usual) continue;
        good = hn::And(good, is_usual_product(least[t].x, least[t].y, least[t].product));
        if (!kWords) good = hn::And(good, is_usual_product(most[t].x, most[t].y, most[t].product));
        good = hn::AndNot(hn::Or(denormal(a[t].lo), denormal(b[t].lo)), good);
        good = hn::AndNot(hn::Or(marked(a[t]), marked(b[t])), good);
    }
    const EndsOfSum<kTerms, kWords> sum(least, most, inexact_factor);
    F lo = sum.low[sum.kAll], hi = sum.high[sum.kAll];
    F exact_sum = plain;
    if (any(all_words)) {
        const auto product = [](D p, D q) HWY_ATTR { return hn::Mul(p, q); };
        const auto plus = [](D p, D q) HWY_ATTR { return hn::Add(p, q); };
        Wide exactly = apply(product, widen(a[0].lo), widen(b[0].lo));
        for (unsigned t = 1; t < kTerms; ++t)
            exactly = apply(plus, exactly, apply(product, widen(a[t].lo), widen(b[t].lo)));
        const F rounded = narrow(exactly);
        const Mask counts = hn::And(hn::MaskFromVec(all_words), mask_of(hn::Ne(rounded, hn::Zero(kF))));
        exact_sum = floats(hn::IfThenElse(counts, words(rounded), words(plain)));
        lo = floats(hn::IfThenElse(counts, words(hn::Min(lo, rounded)), words(lo)));
        hi = floats(hn::IfThenElse(counts, words(hn::Max(hi, rounded)), words(hi)));
    }
    r = {words(plain), lo, hi};
    const W may_be_zero = truth(mask_of(hn::Or(hn::Eq(lo, hn::Zero(kF)), hn::Eq(hi, hn::Zero(kF)))));
    W is_zero = word(0);
    if (HWY_UNLIKELY(any(may_be_zero))) {
        // The other functions know which zero it is, unless all products are zeros of known signs.
        is_zero = hn::And(good, may_be_zero);
        for (unsigned t = 0; t < kTerms; ++t) is_zero = hn::And(is_zero, zero_product(a[t], b[t]));
        good = hn::AndNot(may_be_zero, good);
        r = select(hn::MaskFromVec(is_zero), exactly(r.value), r);
    }
    W several = hn::And(hn::Or(all_words, are_sets), inexact(r));
    bits = word(0);
    W known = hn::Or(sum.is_range, hn::AndNot(several, hn::Or(all_words, are_sets)));
    W all_listed = word(0);  // the results of the last additions are all that is permitted
    if constexpr (!kWords) {
        const W are_intervals = hn::AndNot(hn::Or(all_words, are_marked), good);
        known = hn::Or(known, hn::AndNot(inexact(r), are_intervals));
        const W unsure = hn::AndNot(known, are_intervals);
        if (any(unsure)) {
            const W is_range = hn::And(unsure, range_of_sum<kTerms>(least, most, inexact_factor));
            known = hn::Or(known, is_range);
            // Short intervals for which each order gives one word, or two adjacent ones.
            all_listed = hn::AndNot(is_range, unsure);
            for (unsigned n = 0; n < sum.count; n += 2) {
                const auto rises = hn::BitCast(kI, hn::Sub(words(sum.takes[n]), words(sum.takes[n + 1])));
                all_listed = hn::And(all_listed, truth(mask_of(hn::Lt(hn::Abs(rises), hn::Set(kI, 2)))));
            }
            several = hn::Or(several, all_listed);
        }
    }
    if (any(hn::And(several, good))) {
        const W base = hn::Sub(words(plain), word(kBefore)), one = word(1), within = word(31);
        W all = word(0);
        const auto found = [&](F v) HWY_ATTR {
            const W n = hn::Sub(words(v), base);
            all = hn::Or(all, n);
            bits = hn::Or(bits, hn::Shl(one, hn::And(n, within)));
        };
        // The plainest answer of sets need not be permitted.
        const Mask of_sets = hn::MaskFromVec(hn::Or(are_sets, all_listed));
        found(floats(hn::IfThenElse(of_sets, words(lo), words(plain))));
        found(floats(hn::IfThenElse(of_sets, words(lo), words(exact_sum))));
        for (unsigned n = 0; n < sum.count; ++n) found(sum.takes[n]);
        // More than four words make an interval. Fewer are complete if none is missing between the ends.
        const W many = more_than_four(bits);
        const W above_last = hn::Add(bits, hn::And(bits, hn::Sub(word(0), bits)));
        const W no_gap = hn::And(hn::Or(all_listed, truth(hn::Eq(hn::And(above_last, bits), word(0)))),
                                 truth(hn::Eq(hn::AndNot(within, all), word(0))));
        known = hn::Or(known, hn::And(several, hn::Or(many, no_gap)));
        bits = hn::And(hn::And(good, several), hn::AndNot(many, bits));
    }
    return hn::Or(is_zero, hn::And(good, known));
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
            if (at.is_words(2 * t)) std::swap(a[t], b[t]);
        }
        Bounded r;
        W several, good, bad = word(0), is_known;
        W are_marked = word(0);
        for (unsigned t = 0; t < kTerms; ++t) are_marked = hn::Or(are_marked, hn::Or(marked(a[t]), marked(b[t])));
        if (HWY_UNLIKELY(any(are_marked))) {
            // Sets as the ranges around them.
            Bounded x[kTerms], y[kTerms];
            W any_set = word(0), any_interval = word(0);
            for (unsigned t = 0; t < kTerms; ++t) {
                x[t] = around_sets(at, 2 * t, i, any_set, any_interval);
                y[t] = around_sets(at, 2 * t + 1, i, any_set, any_interval);
                if (at.is_words(2 * t)) std::swap(x[t], y[t]);
            }
            is_known = sum_by_ends<kTerms, false>(at, x, y, all_words, are_marked, hn::AndNot(any_interval, any_set), r,
                                                  several, good);
        } else if (hn::AllTrue(kW, hn::MaskFromVec(all_words))) {
            is_known = sum_by_ends<kTerms, true>(at, a, b, all_words, word(0), word(0), r, several, good);
        } else {
            is_known = sum_by_ends<kTerms, false>(at, a, b, all_words, word(0), word(0), r, several, good);
        }
        several = hn::And(several, is_known);
        W plain_sum = r.value;
        if (!hn::AllTrue(kW, hn::MaskFromVec(is_known))) {
            const Mask are_words = hn::MaskFromVec(all_words);
            Bounded full = exactly(r.value);
            const W others = hn::Not(hn::Or(is_known, all_words));
            if (any(others)) {
                bad = others;
                if (any(hn::AndNot(are_marked, others))) {
                    W bad_sum = word(0);
                    full = sum_of_intervals<kTerms>(at, a, b, bad_sum);
                    bad = hn::And(others, bad_sum);
                }
                if (any(bad))
                    for (unsigned t = 0; t < kTerms; ++t) {
                        pass_unknown(a[t], full, bad);
                        pass_unknown(b[t], full, bad);
                    }
            }
            if (any(hn::AndNot(is_known, all_words))) {
                W bad_words = word(0);
                const Listed l = sum_of_words<kTerms>(a, b, bad_words);
                // Too far from each other to be listed, but more than four: the ends suffice.
                const W many = more_than_four(l.bits);
                const W by_ends = hn::And(hn::And(all_words, good), many);
                full = select(are_words, exactly(l.plain), full);
                full = select(hn::MaskFromVec(by_ends), r, full);
                bad_words = hn::AndNot(by_ends, bad_words);
                bad = hn::Or(bad, hn::And(all_words, bad_words));
                const W listed = hn::AndNot(hn::Or(bad_words, by_ends),
                                            hn::AndNot(truth(hn::Eq(l.bits, word(1u << kBefore))), all_words));
                several = hn::Or(several, hn::AndNot(is_known, hn::And(listed, l.bits)));
                plain_sum = hn::IfThenElse(are_words, l.plain, plain_sum);
            }
            r = select(hn::MaskFromVec(is_known), r, full);
            bad = hn::AndNot(is_known, bad);
        }
        // Sets that fit into a mark are stored directly.
        constexpr uint32_t kFirst = kBefore - kSetBefore, kInside = ((1u << kSetWidth) - 1) << kFirst;
        const W fits = truth(hn::Eq(hn::AndNot(word(kInside), several), word(0)));
        const W is_plain = truth(hn::Eq(several, word(1u << kBefore)));
        const W is_set =
            hn::AndNot(is_plain, hn::AndNot(more_than_four(several), hn::And(truth(hn::Ne(several, word(0))), fits)));
        const Bounded set{plain_sum, floats(word(kSet)),
                          floats(hn::Or(word(kSetBits), hn::ShiftRight<kFirst>(several)))};
        r = select(hn::MaskFromVec(is_set), set, r);
        several = hn::AndNot(is_set, several);
        const W is_listed = truth(hn::Ne(several, word(0)));
        if (any(is_listed)) {
            any_listed = true;
            hn::Store(several, kW, bits + i);
            hn::Store(plain_sum, kW, plain + i);
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
