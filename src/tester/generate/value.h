// The generator's knowledge of a register component: its type, its range, and how precisely the judge will know it.
// Internal to this folder.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tgsi2spv::difftest::generate {

enum class Kind : uint8_t {
    None,    ///< must not be read
    Float,   ///< no NaN, no infinity
    Int,     ///< a word, signed or not
    Double,  ///< the low half of a pair; the high half is High
    Long,    ///< a 64-bit integer, as a pair like Double
    High,
};

/// The fuzz of a value that may only be moved to an output.
inline constexpr int kOnlyShown = 9;
/// The grid of a value that is not known to be a multiple of any power of two.
inline constexpr int kNoGrid = -1000;
inline constexpr double kMinInt = -0x1p31, kMaxUint = 0x1p32 - 1, kMinLong = -0x1p63, kMaxUlong = 0x1p64;
/// Floats are not allowed to grow beyond this.
inline constexpr double kMaxFloat = 0x1p20;

struct Value {
    Kind kind = Kind::None;
    double lo = 0, hi = 0;  ///< Int, Long: lo < 0 if the word may be negative as signed; hi above the signed range if
                            ///< it may be large as unsigned
    /// Steps of imprecision; 0 means that one word is certain. A value with fuzz can be floating-point data, but must
    /// not decide anything: no branch, no conversion to an integer.
    int fuzz = 0;
    int grid = kNoGrid;    ///< Float, Double: a multiple of 2^grid (so not a denormal); Int: above 0 if low bits are
                           ///< always 0
    bool uniform = false;  ///< the same for every lane
    bool asked = false;    ///< an enclosing construct has branched on it, so its value says little here
};

inline Value float_of(double lo, double hi, int grid = kNoGrid, bool uniform = false) {
    return {Kind::Float, lo, hi, 0, grid, uniform};
}
inline Value int_of(double lo, double hi, bool uniform = false) {
    return {Kind::Int, lo, hi, 0, kNoGrid, uniform};
}
inline Value any_int(bool uniform = false) {
    return int_of(kMinInt, kMaxUint, uniform);
}
inline Value any_long(bool uniform = false) {
    return {Kind::Long, kMinLong, kMaxUlong, 0, kNoGrid, uniform};
}
/// 0 or ~0.
inline Value mask_of(int fuzz = 0, bool uniform = false) {
    return {Kind::Int, -1, 0, fuzz, kNoGrid, uniform};
}
inline Value high(const Value& low) {
    Value v = low;
    v.kind = Kind::High;
    return v;
}
inline bool is_pair(Kind k) {
    return k == Kind::Double || k == Kind::Long;
}

/// Returns the value where two paths merge.
Value join(const Value& a, const Value& b);
/// Whether `a` permits everything that `b` permits.
bool contains(const Value& a, const Value& b);

/// An instruction's requirement on a component of an operand.
struct Need {
    Kind kind = Kind::Float;
    double lo = -kMaxFloat, hi = kMaxFloat;
    int most_fuzz = 0;
    bool grid = false;      ///< the grid must be known
    bool uniform = false;   ///< the same for every lane
    bool varies = false;    ///< must not be a literal, nor uniform if there is an alternative: it decides a branch
    bool fraction = false;  ///< must not always be whole, since it is rounded
    bool operator==(const Need&) const = default;
};
bool satisfies(const Value& v, const Need& need);
/// Whether it may be more than one value: results computed from a single value are the same in all lanes and test
/// nothing.
inline bool tells(const Value& v) {
    return v.kind == Kind::None || v.lo < v.hi;
}
/// Returns the approximate number of values that it may have.
inline double count_of(const Value& v) {
    const bool is_float = v.kind == Kind::Float || v.kind == Kind::Double;
    if (is_float && v.grid == kNoGrid) return 0x1p64;
    return (v.hi - v.lo) / std::ldexp(1, is_float ? v.grid : std::max(0, v.grid)) + 1;
}
/// Whether there are few values, as for a truth value: functions of it show little.
inline bool is_few(const Value& v) {
    return v.kind != Kind::None && v.kind != Kind::High && count_of(v) <= 3;
}

}  // namespace tgsi2spv::difftest::generate
