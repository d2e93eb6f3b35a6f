// Operations on doubles, as the device has them: instructions, or without shaderFloat64 functions of words.
#pragma once

#include <initializer_list>

#include "lower/operands/operation.h"

namespace tgsi2spv::lower {

/// Doubles are f64 or, without shaderFloat64, u32: two components each, low word first.
ir::Type doubles_type(const Operation& op, int count);
int count_of_doubles(const Operation& op, ir::Value doubles);

/// FAdd to FRsqrt, and comparisons, which give bools.
ir::Value double_op(Operation& op, ir::Op o, std::initializer_list<ir::Value> args);
/// Selects doubles, component by component.
ir::Value double_select(Operation& op, ir::Value condition, ir::Value a, ir::Value b);
/// From or to doubles, or neither, with the scalar type `to`. FToS and FToU take every operand only if `to` has
/// functions: then what does not fit gives the next integer, and NaN 0.
ir::Value wide_convert(Operation& op, ir::Op o, ir::Value x, ir::Scalar from, ir::Scalar to);
/// x · 2^n and the fraction and exponent, only without shaderFloat64.
ir::Value double_ldexp(Operation& op, ir::Value x, ir::Value n);
struct SplitDouble {
    ir::Value fraction = ir::kNone;  ///< doubles
    ir::Value exponent = ir::kNone;  ///< u32
};
SplitDouble double_frexp(Operation& op, ir::Value x);

}  // namespace tgsi2spv::lower
