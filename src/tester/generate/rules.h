// Rules for opcodes: the requirements on their sources, and the known facts of their results. Internal to this folder.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "generate/value.h"
#include "tgsi/tables/opcode.h"

namespace tgsi2spv::difftest::generate {

using Needs = std::array<Need, 4>;
using Values = std::array<Value, 4>;

/// Returns the needs by source, or nothing if no rule describes the opcode.
std::optional<Needs> needs_of(tgsi::Opcode op);

/// Returns stricter needs under which the opcode's effect is more visible: divisors smaller than dividends, words with
/// few values for tests of equality, fractions for rounding.
Needs telling_needs(tgsi::Opcode op, Needs needs);
/// Whether in some lane another operation or another operand would give a different result. This is not the case if the
/// sign is removed from a number that is never negative, or if arbitrary words are compared for equality.
bool reveals(tgsi::Opcode op, const std::array<Values, 4>& sources, int c);

/// Returns the value of component `c` (of pairs, the lower one), from the same component of each source; for scalar
/// opcodes and dots, from all components. None: out of range, so other sources must be chosen.
Value result_of(tgsi::Opcode op, const std::array<Values, 4>& sources, int c);

/// The needs of some opcodes.
struct NeedsRule {
    std::vector<tgsi::Opcode> of;
    Needs needs;
};
std::optional<Needs> find_needs(std::span<const NeedsRule> rules, tgsi::Opcode op);

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
/// Returns an inexact value in the given range.
Value inexact(double lo, double hi, int fuzz);
/// Returns `v`, or None if it is outside the range of its kind.
Value checked(Value v);

}  // namespace tgsi2spv::difftest::generate
