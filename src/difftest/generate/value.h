// What the generator knows of a register component: its type, its range, and how well the judge will know it.
// Internal to this folder.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tgsi2spv::difftest::generate {

enum class Kind : uint8_t {
    None,    ///< not to be read
    Float,   ///< no NaN, no infinity
    Int,     ///< a word, signed or not
    Double,  ///< the low half of a pair; its high half is High
    Long,    ///< a 64-bit integer, likewise
    High,
};

/// Fuzz of what goes nowhere but to an output.
inline constexpr int kOnlyShown = 9;
/// No power of two is known to divide the value.
inline constexpr int kNoGrid = -1000;
inline constexpr double kMinInt = -0x1p31, kMaxUint = 0x1p32 - 1, kMinLong = -0x1p63, kMaxUlong = 0x1p64;
/// Beyond this floats are not let grow.
inline constexpr double kMaxFloat = 0x1p20;

struct Value {
    Kind kind = Kind::None;
    double lo = 0, hi = 0;  ///< Int, Long: a word that may be negative has lo < 0; above the signed range hi says so
    /// Steps of imprecision: 0 is one word for sure. What is above can be the data of floating point, but decides
    /// nothing: no branch, no conversion to integers.
    int fuzz = 0;
    int grid = kNoGrid;  ///< Float, Double: a multiple of 2^grid (so no denormal); Int: above 0 where bits are always 0
    bool uniform = false;  ///< the same for every lane
    bool asked = false;    ///< a construct around has chosen its way by it: here it says little
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
/// 0 or ~0
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

/// Where two ways meet.
Value join(const Value& a, const Value& b);
/// Whether all that `b` may be `a` may be.
bool contains(const Value& a, const Value& b);

/// What an instruction asks of an operand's component.
struct Need {
    Kind kind = Kind::Float;
    double lo = -kMaxFloat, hi = kMaxFloat;
    int most_fuzz = 0;
    bool grid = false;      ///< a grid is known
    bool uniform = false;   ///< the same for every lane
    bool varies = false;    ///< no literal, nor the same for every lane if there is another: it chooses a way
    bool fraction = false;  ///< no whole number: it is rounded
    bool operator==(const Need&) const = default;
};
bool satisfies(const Value& v, const Need& need);
/// Whether it may be more than one value: what is computed of others is the same whatever is computed.
inline bool tells(const Value& v) {
    return v.kind == Kind::None || v.lo < v.hi;
}
/// How many values it may have, about.
inline double count_of(const Value& v) {
    const bool is_float = v.kind == Kind::Float || v.kind == Kind::Double;
    if (is_float && v.grid == kNoGrid) return 0x1p64;
    return (v.hi - v.lo) / std::ldexp(1, is_float ? v.grid : std::max(0, v.grid)) + 1;
}
/// A truth value, say: little can be seen through functions of it.
inline bool is_few(const Value& v) {
    return v.kind != Kind::None && v.kind != Kind::High && count_of(v) <= 3;
}

}  // namespace tgsi2spv::difftest::generate
