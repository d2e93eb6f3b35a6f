// Functions of doubles in words, for devices without shaderFloat64. The IR calls them; each is made once, after the
// text's own functions, if something calls it.
#pragma once

#include <array>
#include <initializer_list>

#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

/// A double is a u32 x2, low word first, and so is a 64-bit integer. Results are correctly rounded, to nearest and ties
/// to even; denormals are kept.
enum class DoubleFunction : uint8_t {
    Add,
    Multiply,
    Fma,  ///< rounded once
    Divide,
    SquareRoot,
    Minimum,  ///< if one operand is NaN, the other
    Maximum,
    // Of two doubles, a bool: false for NaN.
    Equal,
    Less,
    AtLeast,
    Floor,
    Ceiling,
    Truncate,
    RoundEven,
    LoadExponent,   ///< x · 2^n, of a double and a u32
    SplitExponent,  ///< u32 x3: the fraction in [0.5, 1), and the exponent; zero, infinity and NaN as they are, and 0
    FromFloat,      ///< of a float's word
    ToFloat,
    FromSigned,  ///< of a u32
    FromUnsigned,
    ToSigned,  ///< towards zero; what does not fit gives the integer that is next, NaN 0
    ToUnsigned,
    FromSigned64,
    FromUnsigned64,
    ToSigned64,
    ToUnsigned64,
};
inline constexpr size_t kDoubleFunctions = static_cast<size_t>(DoubleFunction::ToUnsigned64) + 1;

/// The IR's functions; kNoIndex: not declared yet.
struct DoubleFunctions {
    std::array<uint32_t, kDoubleFunctions> ir_functions{};
};

void prepare_double_functions(Walk& walk);
ir::Value call_double(Walk& walk, DoubleFunction function, std::span<const ir::Value> args);
/// Makes those that the text's functions call.
void fill_double_functions(Walk& walk);

}  // namespace tgsi2spv::lower
