// Operations on abstract values that look at their sets only: unions, lists of words, ranges, truth values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/numbers/permitted.h"

namespace tgsi2spv::reference {

/// Flips the sign bit of each word; changes nothing else.
template <class V>
V flipped(const V& v);

/// True if `word` is an answer that Vulkan permits.
bool permits(const Value& v, uint32_t word);
bool permits(const Wide& v, uint64_t word);

/// The zero that a flushed denormal becomes. Vulkan and SPIR-V say "flushed to zero" and no more (SPIRV-Registry,
/// issue 430, asks for it), so in general either. But they also say that zeros are generated as IEEE 754 dictates
/// ("Precision and Operation of SPIR-V Instructions"), and this dictates the sign of products, quotients and sums of
/// numbers with one sign, "even when operands or results are zero" (6.3): there, a flush cannot change it.
enum class FlushedTo : uint8_t {
    EitherZero,
    ZeroOfItsSign,
};

/// Gathers permitted patterns; if they do not fit four words, they become the interval around them, with the widest
/// gaps between them.
template <class Word>
class HullOf {
    using F = Format<Word>;
    using Number = typename F::Number;

  public:
    /// Any bit pattern, as it is.
    void add_word(Word w) {
        for (int i = 0; i < count_; ++i)
            if (words_[i] == w) return;
        if (count_ < kWords) {
            words_[count_++] = w;
            return;
        }
        add_ends(w, w);
    }
    /// Zero of either sign.
    void add_zeros() {
        add_word(0);
        add_word(F::kSign);
    }
    /// A number that arithmetic produced: a NaN may have any bits.
    void add_float(Word w) {
        if (is_nan(w))
            nan_ = true;
        else
            add_word(w);
    }
    void add_number(Number x) { add_float(as_word(x)); }
    void add_interval(Number lo, Number hi) { add_interval(as_word(lo), as_word(hi)); }
    /// A number's bits, lo <= hi in the total order, no NaN.
    void add_interval(Word lo, Word hi) {
        if (lo == hi && !is_nan(lo))
            add_word(lo);
        else
            add_ends(lo, hi);
    }
    /// Real bounds: every float32 within them. Beyond the largest finite float, both that float and infinity are
    /// permitted (ULP rule). Bounds that reach zero permit both zeros.
    void add_real(double lo, double hi) requires(sizeof(Word) == 4);
    void add_nan() { nan_ = true; }
    void add_unknown() { unknown_ = true; }
    /// All that `v` permits.
    void add(const ValueOf<Word>& v);

    bool is_unknown() const { return unknown_; }
    /// A denormal inside may be flushed, so the zeros that it may become are added (semantics: Float).
    void flush(FlushedTo zero = FlushedTo::EitherZero);
    /// The permitted patterns, with `value` as the nominal one.
    ValueOf<Word> finish(Word value) const;

  private:
    static constexpr int kWords = 4, kRuns = F::kGaps == 0 ? 1 : 4;
    /// Numbers by order(), ends inclusive.
    struct Run {
        int64_t lo, hi;
        int64_t distance(const Run& run) const { return std::max(run.lo - hi, lo - run.hi); }
        void widen(const Run& run) {
            lo = std::min(lo, run.lo);
            hi = std::max(hi, run.hi);
        }
    };
    static Word bits_of(int64_t rank) { return from_order(static_cast<typename F::Rank>(rank)); }
    void add_ends(Word lo, Word hi) {
        if (is_nan(lo) || is_nan(hi)) {
            (F::kListsNan ? nan_ : unknown_) = true;
            return;
        }
        const Run r{order(lo), order(hi)};
        for (int i = 0; i < run_count_; ++i)
            if (kRuns == 1 || runs_[i].distance(r) <= kLeastGap) return runs_[i].widen(r);
        if (run_count_ < kRuns)
            runs_[run_count_++] = r;
        else
            squeeze(r);
    }
    /// Adds a run although there are too many: makes one of the two that are nearest to each other.
    void squeeze(Run run);
    Word words_[kWords];
    int count_ = 0;
    bool nan_ = false, unknown_ = false;
    int run_count_ = 0;
    Run runs_[kRuns];
};
using Hull = HullOf<uint32_t>;
using WideHull = HullOf<uint64_t>;

/// The union of both; the value is `a`'s.
Value join(const Value& a, const Value& b);
Wide join(const Wide& a, const Wide& b);

/// The words that a value may be, if they are at most `limit` (up to 16) and none is "any NaN"; else false.
struct WordList {
    std::array<uint32_t, 16> words;
    int count = 0;
};
bool enumerate(const Value& v, WordList& list, int limit = 4);

/// A value read as a number: the lowest and highest one it may be, and whether it may be NaN. `empty`: only NaN.
template <class Number>
struct NumberRange {
    Number lo = 0, hi = 0;
    bool nan = false;
    bool empty = false;
    bool contains_zero() const { return !empty && lo <= 0 && hi >= 0; }
    bool contains_infinity() const { return !empty && (std::isinf(lo) || std::isinf(hi)); }
    bool contains_denormal() const {
        constexpr Number least = std::numeric_limits<Number>::min();
        if (empty) return false;
        if (lo < 0 && hi > 0) return true;
        return lo >= 0 ? hi > 0 && lo < least : lo < 0 && hi > -least;
    }
    /// Nothing inside has its sign bit set, except perhaps a NaN.
    bool is_positive() const { return !empty && !std::signbit(lo); }
};
using FloatRange = NumberRange<float>;
using DoubleRange = NumberRange<double>;
template <class V>
using RangeOf = NumberRange<typename FormatOf<V>::Number>;
/// False if the value is unknown.
template <class V>
bool float_range(const V& v, RangeOf<V>& range);
/// Whether it may be NaN or infinite.
template <class V>
bool may_be_special(const V& v) {
    RangeOf<V> range;
    return !float_range(v, range) || range.nan || range.contains_infinity();
}

/// A truth value: its nominal answer, and the possible answers.
struct Truth {
    bool nominal = false;
    bool may_be_true = false;
    bool may_be_false = false;
};
/// Whether the bits are not zero (UIF, UCMP).
Truth any_bit(const Value& v);
/// Whether a bit other than the sign is set (IF): true for NaN and denormals, false for ±0.
Truth any_magnitude_bit(const Value& v);
/// Whether the sign bit is set, also of a zero or a NaN.
Truth has_sign(const Value& v);
/// Whether two words are the same (USEQ, CASE, ATOMCAS).
Truth same_bits(const Value& a, const Value& b);
/// Whether the float is not zero: true for NaN, false for ±0, either for a denormal.
Truth not_zero(const Value& v);

}  // namespace tgsi2spv::reference
