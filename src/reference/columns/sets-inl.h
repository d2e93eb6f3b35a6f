// Sets of words near the plainest one (kSet of entry.h) in vectors: results of sums, and operations on them.
#if defined(TGSI2SPV_COLUMNS_SETS) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_SETS
#undef TGSI2SPV_COLUMNS_SETS
#else
#define TGSI2SPV_COLUMNS_SETS
#endif

#include "reference/columns/intervals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds {

/// ~0 if a mark gives the words of a set.
HWY_INLINE W near_set(const Bounded& a) {
    return hn::And(truth(hn::Eq(words(a.lo), word(kSet))), truth(hn::Ne(words(a.hi), word(kSet))));
}
/// A bit for each word of such a set, or one bit for a single word: bit n is the word first_of(a) + n.
HWY_INLINE W bits_of(const Bounded& a, W is_set) {
    return hn::IfThenElse(hn::MaskFromVec(is_set), hn::AndNot(word(kSetBits), words(a.hi)), word(1u << kSetBefore));
}
HWY_INLINE W first_of(const Bounded& a) {
    return hn::Sub(a.value, word(kSetBefore));
}
/// The number of the highest bit. There must be one, and it must be the only one or below bit 24, so that it follows
/// from a float's exponent.
HWY_INLINE W highest_bit(W bits) {
    const W exponent = hn::ShiftRight<23>(words(hn::ConvertTo(kF, hn::BitCast(kI, bits))));
    return hn::And(hn::Sub(exponent, word(127)), word(31));
}
HWY_INLINE W lowest_alone(W bits) {
    return hn::And(bits, hn::Sub(word(0), bits));
}
/// ~0 if more than four bits are set.
HWY_INLINE W more_than_four(W bits) {
    for (int i = 0; i < 4; ++i) bits = hn::And(bits, hn::Sub(bits, word(1)));
    return truth(hn::Ne(bits, word(0)));
}

/// Replaces such sets by the ranges around them, unless an end is unusual. `is_set`: ~0 where it did so.
HWY_INLINE Bounded around(const Bounded& a, W& is_set) {
    is_set = near_set(a);
    const W bits = bits_of(a, is_set), first = first_of(a);
    const W least = hn::Add(first, highest_bit(lowest_alone(bits))), most = hn::Add(first, highest_bit(bits));
    // As words, negative numbers are in descending order.
    const Mask falls = hn::Ne(hn::And(a.value, word(kSign)), word(0));
    const F lo = floats(hn::IfThenElse(falls, most, least)), hi = floats(hn::IfThenElse(falls, least, most));
    is_set = hn::AndNot(hn::Or(unusual(lo), unusual(hi)), is_set);
    return select(hn::MaskFromVec(is_set), {a.value, lo, hi}, a);
}

/// Lists the words of such sets in `list`; a lane with fewer words repeats its last one. For other lanes lists the word
/// itself.
HWY_INLINE unsigned words_of(const Bounded& a, W is_set, F (&list)[4]) {
    const W first = first_of(a);
    W bits = bits_of(a, is_set);
    unsigned count = 0;
    for (;;) {
        const W lowest = lowest_alone(bits), rest = hn::Xor(bits, lowest);
        list[count++] = floats(hn::Add(first, highest_bit(lowest)));
        const Mask is_last = hn::Eq(rest, word(0));
        if (count == 4 || hn::AllTrue(kW, is_last)) return count;
        bits = hn::IfThenElse(is_last, bits, rest);
    }
}

/// The words that a result may be, near its plainest one.
class NearWords {
  public:
    HWY_INLINE explicit NearWords(W plain) : plain_(plain), first_(hn::Sub(plain, word(kSetBefore))) {}
    HWY_INLINE void add(F x) {
        const W n = hn::Sub(words(x), first_);
        furthest_ = hn::Max(furthest_, n);
        spread_ = hn::Max(spread_, hn::Add(n, word(kSpread / 2)));
        bits_ = hn::Or(bits_, hn::Shl(word(1), hn::And(n, word(31))));
        least_ = hn::Min(least_, x);
        most_ = hn::Max(most_, x);
    }
    /// Stores the result in `r` where `is_bad` is 0: a word, a mark, or the interval around more than four words, if
    /// there are no gaps between these. Returns ~0 where it did so.
    HWY_INLINE W put(W is_bad, Bounded& r) const {
        const F zero = hn::Zero(kF);
        const W many = more_than_four(bits_), inside = truth(below(furthest_, word(kSetWidth)));
        const W ends_at_zero = truth(mask_of(hn::Or(hn::Eq(least_, zero), hn::Eq(most_, zero))));
        const Mask is_word = hn::Eq(bits_, word(1u << kSetBefore));
        const Bounded interval{plain_, least_, most_};
        const Bounded set{plain_, floats(word(kSet)), floats(hn::Or(word(kSetBits), bits_))};
        const W no_gaps = hn::AndNot(ends_at_zero, truth(below(spread_, word(kSpread))));
        const W known = hn::Or(hn::And(no_gaps, many), hn::AndNot(many, inside));
        const W puts = hn::AndNot(is_bad, known);
        const Bounded found = select(is_word, exactly(plain_), select(hn::MaskFromVec(many), interval, set));
        r = select(hn::MaskFromVec(puts), found, r);
        return puts;
    }

  private:
    static constexpr uint32_t kSpread = kLeastGap;
    W plain_, first_;
    W bits_ = word(0), furthest_ = word(0), spread_ = word(0);
    F least_ = number(HUGE_VALF), most_ = number(-HUGE_VALF);
};

/// For lanes that are bad because an operand is such a set, applies f(a, b, bad), which maps words to words, to every
/// combination of words. Next to an interval it applies f to the ranges around sets, as the interpreter does.
template <class Function>
HWY_NOINLINE void put_sets(const Bounded& a, const Bounded& b, Function f, Bounded& r, W& bad) {
    const W set_a = near_set(a), set_b = near_set(b), any_set = hn::And(bad, hn::Or(set_a, set_b));
    if (!any(any_set)) return;
    const W other = hn::Or(hn::AndNot(set_a, inexact(a)), hn::AndNot(set_b, inexact(b)));
    if (any(hn::AndNot(other, any_set))) {
        F x[4], y[4];
        const unsigned count_x = words_of(a, set_a, x), count_y = words_of(b, set_b, y);
        NearWords found(r.value);
        W is_bad = hn::Or(hn::Not(any_set), other);
        for (unsigned i = 0; i < count_x; ++i)
            for (unsigned j = 0; j < count_y; ++j) {
                W bad_words = word(0);
                const Bounded made = f(exactly(words(x[i])), exactly(words(y[j])), bad_words);
                found.add(made.lo);
                is_bad = hn::Or(is_bad, hn::Or(bad_words, inexact(made)));
            }
        bad = hn::AndNot(found.put(is_bad, r), bad);
    }
    const W beside_interval = hn::And(any_set, other);
    if (any(beside_interval)) {
        W around_a, around_b, is_bad = word(0);
        const Bounded x = around(a, around_a), y = around(b, around_b);
        const Bounded made = f(x, y, is_bad);
        const W puts = hn::AndNot(hn::Or(is_bad, hn::Or(marked(x), marked(y))), beside_interval);
        r = select(hn::MaskFromVec(puts), made, r);
        bad = hn::AndNot(puts, bad);
    }
}
template <class Function>
HWY_NOINLINE void put_sets(const Bounded& a, Function f, Bounded& r, W& bad) {
    const W is_set = near_set(a), wants = hn::And(bad, is_set);
    if (!any(wants)) return;
    F x[4];
    const unsigned count = words_of(a, is_set, x);
    NearWords found(r.value);
    W is_bad = hn::Not(wants);
    for (unsigned i = 0; i < count; ++i) {
        W bad_words = word(0);
        const Bounded made = f(exactly(words(x[i])), bad_words);
        found.add(made.lo);
        is_bad = hn::Or(is_bad, hn::Or(bad_words, inexact(made)));
    }
    bad = hn::AndNot(found.put(is_bad, r), bad);
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds
HWY_AFTER_NAMESPACE();

#endif  // per target
