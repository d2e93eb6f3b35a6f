#include "generate/rules.h"

#include <algorithm>
#include <cmath>

namespace tgsi2spv::difftest::generate {

namespace {

/// The number of bits that a float or double may have above its grid and still be exact.
int precision(Kind kind) {
    return kind == Kind::Double ? 52 : 23;
}

Value rounded(Value v, int fuzz) {
    const double most = std::max(std::abs(v.lo), std::abs(v.hi));
    const bool exact = fuzz == 0 && v.grid != kNoGrid && most <= std::ldexp(1, precision(v.kind) + v.grid);
    v.fuzz = exact ? 0 : fuzz + 1;
    if (!exact) v.grid = kNoGrid;
    return checked(v);
}

}  // namespace

Value checked(Value v) {
    const double most = std::max(std::abs(v.lo), std::abs(v.hi));
    if ((v.kind == Kind::Float || v.kind == Kind::Double) && !(most <= kMaxFloat)) return {};
    return v;
}

Value inexact(double lo, double hi, int fuzz) {
    return checked({Kind::Float, lo, hi, fuzz, kNoGrid, false});
}

Value add(const Value& a, const Value& b) {
    Value v{a.kind, a.lo + b.lo, a.hi + b.hi, 0, std::min(a.grid, b.grid), a.uniform && b.uniform};
    return rounded(v, std::max(a.fuzz, b.fuzz));
}

Value multiply(const Value& a, const Value& b) {
    const auto [lo, hi] = std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
    const int grid = a.grid == kNoGrid || b.grid == kNoGrid ? kNoGrid : a.grid + b.grid;
    return rounded({a.kind, lo, hi, 0, grid, a.uniform && b.uniform}, std::max(a.fuzz, b.fuzz));
}

Value minimum(const Value& a, const Value& b) {
    return {a.kind,
            std::min(a.lo, b.lo),
            std::min(a.hi, b.hi),
            std::max(a.fuzz, b.fuzz),
            std::min(a.grid, b.grid),
            a.uniform && b.uniform};
}

Value maximum(const Value& a, const Value& b) {
    return {a.kind,
            std::max(a.lo, b.lo),
            std::max(a.hi, b.hi),
            std::max(a.fuzz, b.fuzz),
            std::min(a.grid, b.grid),
            a.uniform && b.uniform};
}

Value negate(const Value& a) {
    Value v = a;
    v.lo = -a.hi;
    v.hi = -a.lo;
    return v;
}

Value absolute(const Value& a) {
    Value v = a;
    v.lo = a.lo <= 0 && a.hi >= 0 ? 0 : std::min(std::abs(a.lo), std::abs(a.hi));
    v.hi = std::max(std::abs(a.lo), std::abs(a.hi));
    return v;
}

std::optional<Needs> find_needs(std::span<const NeedsRule> rules, tgsi::Opcode op) {
    for (const NeedsRule& rule : rules)
        if (std::ranges::find(rule.of, op) != rule.of.end()) return rule.needs;
    return std::nullopt;
}

std::optional<Needs> needs_of(tgsi::Opcode op) {
    if (auto n = float_needs(op)) return n;
    if (auto n = integer_needs(op)) return n;
    return wide_needs(op);
}

Value result_of(tgsi::Opcode op, const std::array<Values, 4>& sources, int c) {
    if (float_needs(op)) return float_result(op, sources, c);
    if (integer_needs(op)) return integer_result(op, sources, c);
    return wide_result(op, sources, c);
}

}  // namespace tgsi2spv::difftest::generate
