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

#include <array>
#include <cstdint>
#include <type_traits>

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

}  // namespace tgsi2spv::reference
