// What opcodes ask of their sources, and what comes of them. Internal to this folder.
#pragma once

#include <array>
#include <optional>

#include "difftest/generate/value.h"
#include "tgsi/opcode.h"

namespace tgsi2spv::difftest::generate {

using Needs = std::array<Need, 4>;
using Values = std::array<Value, 4>;

/// By source. Nothing: the opcode is not one that a rule describes.
std::optional<Needs> needs_of(tgsi::Opcode op);

/// Needs under which more can be seen of what the opcode does: divisors that are smaller than what is divided, words of
/// a few values where they are asked to be equal, fractions where they are rounded.
Needs telling_needs(tgsi::Opcode op, Needs needs);
/// Whether another operation in its place, or another operand, would give something else in some lane: not so where a
/// number that is never negative loses its sign, or words of any bits are asked to be equal.
bool reveals(tgsi::Opcode op, const std::array<Values, 4>& sources, int c);

/// For component `c` (of pairs the lower one) from the same component of each source, scalar opcodes and dots from
/// all. None: out of range, take other sources.
Value result_of(tgsi::Opcode op, const std::array<Values, 4>& sources, int c);

std::optional<Needs> float_needs(tgsi::Opcode op);
Value float_result(tgsi::Opcode op, const std::array<Values, 4>& sources, int c);
std::optional<Needs> integer_needs(tgsi::Opcode op);
Value integer_result(tgsi::Opcode op, const std::array<Values, 4>& sources, int c);
std::optional<Needs> wide_needs(tgsi::Opcode op);
Value wide_result(tgsi::Opcode op, const std::array<Values, 4>& sources, int c);

// ---- intervals, shared by the rules

Value add(const Value& a, const Value& b);
Value multiply(const Value& a, const Value& b);
Value minimum(const Value& a, const Value& b);
Value maximum(const Value& a, const Value& b);
Value negate(const Value& a);
Value absolute(const Value& a);
/// Not exact any more, in the given range.
Value inexact(double lo, double hi, int fuzz);
/// None if the range of its kind is left.
Value checked(Value v);

}  // namespace tgsi2spv::difftest::generate
