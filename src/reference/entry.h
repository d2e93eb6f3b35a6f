// A Value in three words, as columns hold it.
#pragma once

#include "reference/value.h"

namespace tgsi2spv::reference {

/// One of three: a word (`value`, and both ends have the same bits); every float between finite ends that are not
/// denormals, without gaps; or a mark. For a mark, `lo` says which one and `hi` holds what belongs to it. `hi` is a NaN
/// as well, so that arithmetic detects marks.
struct Entry {
    uint32_t value = 0, lo = 0, hi = 0;
};
inline bool is_marked(const Entry& e) {
    return e.lo != e.hi && is_nan(e.lo);
}
inline constexpr uint32_t kUnknown = ~0u;    ///< `hi`: kMarks + origin_of()
inline constexpr uint32_t kBoxed = ~0u - 1;  ///< `hi`: kMarks + the number of a Value stored elsewhere
inline constexpr uint32_t kSet = ~0u - 2;    ///< `hi`: kSetBits | bits; bit n is the word value - kSetBefore + n
inline constexpr uint32_t kMarks = 0xff800001;
inline bool is_boxed(const Entry& e) {
    return e.lo == kBoxed && e.hi != kBoxed;
}
inline constexpr uint32_t kSetBits = 0xff800000, kSetBefore = 11, kSetWidth = 23;

/// Ends of an interval that only a Value can hold.
inline bool is_unfit_end(uint32_t w) {
    return is_inf(w) || is_denormal(w);
}

/// All the permitted words; count 0: it is something else.
struct ShortSet {
    uint32_t count = 0;
    std::array<uint32_t, 4> words{};
};
inline ShortSet marked_set(const Entry& e) {
    ShortSet set;
    for (uint32_t rest = e.hi & ~kSetBits; rest != 0; rest &= rest - 1)
        set.words[set.count++] = e.value - kSetBefore + static_cast<uint32_t>(std::countr_zero(rest));
    return set;
}

/// For every entry except a boxed one.
Value value_of(const Entry& e);
/// The same in three words; false if it must be stored elsewhere.
bool make_entry(const Value& v, Entry& e);

}  // namespace tgsi2spv::reference
