// The abstract value of one register component of one lane: the set of 32-bit patterns that Vulkan permits there, and
// the nominal answer.
//
// The permitted patterns are
//   Words     `count` listed words, 1 to 4;
//   Interval  every number from lo to hi in the total order -inf … -0 < +0 … +inf (so an end says whether a zero of
//             that sign is inside), except the words in up to two wide gaps between alternatives (part_of());
//   Unknown   all of them, or those whose fields are within sets of their own (`fields`);
// and, where `maybe_nan` is set, every NaN pattern as well. Arithmetic leaves the sign and payload of a NaN free, so a
// result that is surely NaN is the word 0x7fc00000 with maybe_nan. Moves keep bits: a NaN that was loaded stays an
// exact word until arithmetic touches it.
#pragma once

#include <algorithm>
#include <array>

#include "reference/numbers/format.h"

namespace tgsi2spv::reference {

enum class Kind : uint8_t { Words, Interval, Unknown };
enum class PairHalf : uint8_t { None, Low, High };

/// The set and the nominal answer, of words of either width.
template <class Word>
struct Permitted {
    Kind kind = Kind::Words;
    uint8_t count = 1;            ///< Words: 1 to 4; of 64 bits also 0 with maybe_nan: NaN for sure
    bool maybe_nan = false;       ///< Words, Interval: any NaN pattern is permitted too
    uint8_t gaps = 0;             ///< Interval: 0 to Format::kGaps
    Word value = 0;               ///< round to nearest even, no contraction, denormals kept
    std::array<Word, 4> words{};  ///< Words: the first `count`. Interval: the ends of its gaps (part_of())
    Word lo = 0, hi = 0;          ///< Interval: a number's bits, ends inclusive. Unknown: lo is origin_of()
};

struct Value : Permitted<uint32_t> {
    /// Unknown: not 0 if the word is packed from this many fields and something is known of each (packed.h). Code that
    /// does not check it may treat the value as any word.
    uint8_t fields = 0;
    PairHalf half = PairHalf::None;
    bool pair_nan = false;    ///< low half: the double may be NaN
    bool pair_empty = false;  ///< low half: the double is NaN for sure
    /// Not 0: together with the other half that has the same number, the value is a pair whose bounds are known as one
    /// double (wide_value.h). Each half by itself permits the words of the set.
    uint32_t pair = 0;
};
/// A pair of components (wide_value.h).
using Wide = Permitted<uint64_t>;

template <class V>
using WordOf = decltype(V::value);
template <class V>
using FormatOf = Format<WordOf<V>>;
template <class Word>
using ValueOf = std::conditional_t<sizeof(Word) == 4, Value, Wide>;

template <class Word>
ValueOf<Word> exact_word(Word word) {
    ValueOf<Word> v;
    v.value = v.words[0] = word;
    return v;
}
inline Value exact(uint32_t word) {
    return exact_word(word);
}
inline Wide exact(uint64_t word) {
    return exact_word(word);
}
inline Value exact(float f) {
    return exact(as_word(f));
}
/// A NaN from arithmetic, for sure: with any sign and payload.
inline Value any_nan() {
    Value v = exact(kNan);
    v.maybe_nan = true;
    return v;
}
/// A number's bits, lo <= hi in the total order.
template <class Word>
ValueOf<Word> interval(Word lo, std::type_identity_t<Word> hi, std::type_identity_t<Word> value,
                       bool maybe_nan = false) {
    ValueOf<Word> v;
    v.kind = Kind::Interval;
    v.value = value;
    v.lo = lo;
    v.hi = hi;
    v.maybe_nan = maybe_nan;
    return v;
}
inline Value interval(float lo, float hi, float value, bool maybe_nan = false) {
    return interval(as_word(lo), as_word(hi), as_word(value), maybe_nan);
}
template <class Word>
ValueOf<Word> unknown(Word value) {
    ValueOf<Word> v;
    v.kind = Kind::Unknown;
    v.value = value;
    return v;
}
inline Value unknown() {
    return unknown(0u);
}

/// All numbers and every NaN: an unknown word, read as a number.
template <class Word>
ValueOf<Word> any_number(Word value) {
    return interval(Format<Word>::kInf | Format<Word>::kSign, Format<Word>::kInf, value, true);
}

/// The numbers from lo to hi.
template <class Word>
struct Part {
    Word lo, hi;
};
/// The permitted numbers of an interval, in ascending order: part i is followed by gap i, for i up to `gaps`. Code that
/// looks only at `lo` and `hi` sees more than is permitted, which is sound.
template <class Word>
Part<Word> part_of(const Permitted<Word>& v, size_t i) {
    return {i == 0 ? v.lo : v.words[2 * i - 1], i == v.gaps ? v.hi : v.words[2 * i]};
}
/// The floats between two alternatives are worth excluding if they are more than this many: all answers that differ
/// by no more than rounding errors stay one interval.
inline constexpr int64_t kLeastGap = 1 << 12;
/// The value without its gaps: for alternatives that are only roundings of one result.
inline Value filled(Value v) {
    v.gaps = 0;
    return v;
}
/// Flips the sign bit of each word; changes nothing else.
template <class V>
V flipped(const V& v);

template <class Word>
bool is_exact(const Permitted<Word>& v) {
    return v.kind == Kind::Words && v.count == 1 && !v.maybe_nan;
}
template <class Word>
bool is_unknown(const Permitted<Word>& v) {
    return v.kind == Kind::Unknown;
}
/// For an unknown value: something is known of its fields (packed.h).
inline bool is_packed(const Value& v) {
    return v.fields != 0;
}
inline bool is_packed(const Wide&) {
    return false;
}
/// Every pattern is permitted, for any kind.
template <class V>
bool is_free(const V& v) {
    using F = FormatOf<V>;
    return (is_unknown(v) && !is_packed(v)) ||
           (v.kind == Kind::Interval && v.maybe_nan && v.lo == (F::kInf | F::kSign) && v.hi == F::kInf && v.gaps == 0);
}
/// The nominal answer stays. `origin`: see origin_of().
template <class V>
void make_unknown(V& v, uint32_t origin = 0) {
    if (is_unknown(v) && !is_packed(v)) return;
    v = unknown(v.value);
    v.lo = origin;
}
/// For operations that limit their result for every operand: an unknown operand becomes any number.
template <class V>
V readable(const V& v) {
    return is_unknown(v) ? any_number(v.value) : v;
}
/// For their results: a value that permits everything becomes unknown.
template <class V>
V unknown_if_free(V v) {
    if (is_free(v)) make_unknown(v);
    return v;
}
/// For an unknown value: 1 + the number of the instruction that could not determine it, although it knew its sources;
/// 0: none.
inline uint32_t origin_of(const Value& v) {
    return is_unknown(v) ? v.lo : 0;
}

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
/// Whether the float is below zero: false for NaN and -0, either for a denormal.
Truth below_zero(const Value& v);

}  // namespace tgsi2spv::reference
