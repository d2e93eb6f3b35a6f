// The two binary formats of numbers, by their words: what differs between floats and doubles, and the bits of either.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tgsi2spv::reference {

template <class Word>
struct Format;

template <>
struct Format<uint32_t> {
    using Number = float;
    using Rank = int32_t;
    static constexpr uint32_t kSign = 0x80000000, kInf = 0x7f800000, kNan = 0x7fc00000, kOne = 0x3f800000;
    static constexpr int kGaps = 2;          ///< an interval may leave out this many gaps
    static constexpr bool kListsNan = true;  ///< a set of words that may be NaN lists kNan as well
};

template <>
struct Format<uint64_t> {
    using Number = double;
    using Rank = int64_t;
    static constexpr uint64_t kSign = 1ull << 63, kInf = 0x7ff0000000000000, kNan = 0x7ff8000000000000,
                              kOne = 0x3ff0000000000000;
    static constexpr int kGaps = 0;
    static constexpr bool kListsNan = false;
};

using Double = Format<uint64_t>;

inline constexpr uint32_t kNan = Format<uint32_t>::kNan, kInf = Format<uint32_t>::kInf, kOne = Format<uint32_t>::kOne,
                          kSign = Format<uint32_t>::kSign;

template <class Word>
auto as_number(Word w) {
    return std::bit_cast<typename Format<Word>::Number>(w);
}
constexpr uint32_t as_word(float f) {
    return std::bit_cast<uint32_t>(f);
}
constexpr uint64_t as_word(double d) {
    return std::bit_cast<uint64_t>(d);
}
template <class Word>
bool is_nan(Word w) {
    return (w & ~Format<Word>::kSign) > Format<Word>::kInf;
}
template <class Word>
bool is_zero(Word w) {
    return (w & ~Format<Word>::kSign) == 0;
}
template <class Word>
bool is_denormal(Word w) {
    return (w & Format<Word>::kInf) == 0 && !is_zero(w);
}

/// Rank of a number's bits in the total order (NaNs lie outside the two infinities).
template <class Word>
auto order(Word w) {
    return static_cast<typename Format<Word>::Rank>(w & Format<Word>::kSign ? ~w ^ Format<Word>::kSign : w);
}
template <class Rank>
auto from_order(Rank o) {
    using Word = std::make_unsigned_t<Rank>;
    return o < 0 ? ~(static_cast<Word>(o) ^ Format<Word>::kSign) : static_cast<Word>(o);
}
/// Neighbours in the total order; infinities stay.
template <class Word>
Word next_up(Word w) {
    return w == Format<Word>::kInf ? w : from_order(order(w) + 1);
}
template <class Word>
Word next_down(Word w) {
    return w == (Format<Word>::kInf | Format<Word>::kSign) ? w : from_order(order(w) - 1);
}

}  // namespace tgsi2spv::reference
