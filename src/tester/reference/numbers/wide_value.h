// The abstract value of a pair of register components: the set of 64-bit patterns that Vulkan permits there.
//
// It is a Value (value.h) of twice the width: up to four words, an interval of doubles in the order -inf … -0 < +0 …
// +inf, or unknown; `maybe_nan` adds every NaN.
//
// Registers hold words, so a pair is split when it is written. The bounds of the two words by themselves are less exact
// than those of the pair. So the halves of an interval keep a common number, and the low half keeps the ends of the
// interval. Code that reads both halves of one number gets the interval back. Moves carry the halves along; anything
// that computes with a half, or joins it with another value, makes a word without its number. So a number is never next
// to a word that does not belong to it.
#pragma once

#include "reference/numbers/context.h"
#include "reference/numbers/value.h"

namespace tgsi2spv::reference {

struct Wide {
    Kind kind = Kind::Words;
    uint8_t count = 1;  ///< Words: 1 to 4; 0 with maybe_nan: NaN for sure
    bool maybe_nan = false;
    uint64_t value = 0;
    std::array<uint64_t, 4> words{};
    uint64_t lo = 0, hi = 0;
};

inline constexpr uint64_t kSign64 = 1ull << 63, kInf64 = 0x7ff0000000000000, kNan64 = 0x7ff8000000000000,
                          kOne64 = 0x3ff0000000000000;

inline double as_double(uint64_t w) {
    return std::bit_cast<double>(w);
}
inline uint64_t as_word(double d) {
    return std::bit_cast<uint64_t>(d);
}
inline bool is_nan(uint64_t w) {
    return (w & ~kSign64) > kInf64;
}
inline bool is_zero(uint64_t w) {
    return (w & ~kSign64) == 0;
}
inline bool is_denormal(uint64_t w) {
    return (w & kInf64) == 0 && !is_zero(w);
}
inline int64_t order(uint64_t w) {
    return static_cast<int64_t>(w & kSign64 ? ~w ^ kSign64 : w);
}
inline uint64_t from_order64(int64_t o) {
    return o < 0 ? ~(static_cast<uint64_t>(o) ^ kSign64) : static_cast<uint64_t>(o);
}
inline uint64_t next_up(uint64_t w) {
    return w == kInf64 ? w : from_order64(order(w) + 1);
}
inline uint64_t next_down(uint64_t w) {
    return w == (kInf64 | kSign64) ? w : from_order64(order(w) - 1);
}
inline Wide exact64(uint64_t w) {
    Wide v;
    v.value = v.words[0] = w;
    return v;
}
inline Wide unknown64(uint64_t value = 0) {
    Wide v;
    v.kind = Kind::Unknown;
    v.value = value;
    return v;
}
/// All doubles and every NaN.
inline Wide any_double(uint64_t value) {
    Wide v;
    v.kind = Kind::Interval;
    v.maybe_nan = true;
    v.value = value;
    v.lo = kInf64 | kSign64;
    v.hi = kInf64;
    return v;
}
inline bool is_exact(const Wide& v) {
    return v.kind == Kind::Words && v.count == 1 && !v.maybe_nan;
}
inline bool is_unknown(const Wide& v) {
    return v.kind == Kind::Unknown;
}
/// Every pattern is permitted, for any kind.
inline bool is_free(const Wide& v) {
    return is_unknown(v) || (v.kind == Kind::Interval && v.maybe_nan && v.lo == (kInf64 | kSign64) && v.hi == kInf64);
}
/// As for a Value.
inline Wide readable(const Wide& v) {
    return is_unknown(v) ? any_double(v.value) : v;
}
inline Wide unknown_if_free(const Wide& v) {
    return is_free(v) ? unknown64(v.value) : v;
}

bool permits(const Wide& v, uint64_t word);

/// A double as a range; `empty`: only NaN. False if unknown.
struct DoubleRange {
    double lo = 0, hi = 0;
    bool nan = false, empty = false;
    bool contains_zero() const { return !empty && lo <= 0 && hi >= 0; }
    bool contains_infinity() const { return !empty && (std::isinf(lo) || std::isinf(hi)); }
    bool is_positive() const { return !empty && !std::signbit(lo); }
};
bool double_range(const Wide& v, DoubleRange& range);

/// Gathers permitted patterns, as Hull does.
class WideHull {
  public:
    void add_word(uint64_t w) {
        for (int i = 0; i < count_; ++i)
            if (words_[i] == w) return;
        if (count_ < 4)
            words_[count_++] = w;
        else
            add_ends(w, w);
    }
    /// Zero of either sign.
    void add_zeros() {
        add_word(0);
        add_word(kSign64);
    }
    /// A double that arithmetic produced.
    void add_double(double d) { std::isnan(d) ? add_nan() : add_word(as_word(d)); }
    void add_interval(double lo, double hi) {
        if (std::isnan(lo) || std::isnan(hi)) return add_unknown();
        as_word(lo) == as_word(hi) ? add_word(as_word(lo)) : add_ends(as_word(lo), as_word(hi));
    }
    /// The patterns lo to hi of non-negative integers; they have the same order as doubles.
    void add_patterns(uint64_t lo, uint64_t hi) { lo == hi ? add_word(lo) : add_ends(lo, hi); }
    void add_nan() { nan_ = true; }
    void add_unknown() { unknown_ = true; }
    void add(const Wide& v);
    bool is_unknown() const { return unknown_; }
    /// A denormal inside may be flushed, so the zeros that it may become are added.
    void flush(FlushedTo zero = FlushedTo::EitherZero);
    Wide finish(uint64_t value) const;

  private:
    void add_ends(uint64_t lo, uint64_t hi) {
        if (is_nan(lo) || is_nan(hi)) return add_unknown();
        if (!has_interval_ || order(lo) < order(lo_)) lo_ = lo;
        if (!has_interval_ || order(hi) > order(hi_)) hi_ = hi;
        has_interval_ = true;
    }
    uint64_t words_[4];
    int count_ = 0;
    bool nan_ = false, unknown_ = false, has_interval_ = false;
    uint64_t lo_ = 0, hi_ = 0;
};

Wide join(const Wide& a, const Wide& b);

/// Whether these are the halves of one pair whose bounds are known as a double.
inline bool is_pair(const Value& low, const Value& high) {
    return low.pair != 0 && low.pair == high.pair && low.half == PairHalf::Low && high.half == PairHalf::High;
}
/// The pair that two components permit when they are read as one.
Wide join_halves(const Value& low, const Value& high);
/// The components of a pair. `pairs` numbers the pairs of the run.
void split(const Wide& v, uint32_t& pairs, Value& low, Value& high);

}  // namespace tgsi2spv::reference
