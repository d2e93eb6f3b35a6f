// What operations on floats give for known operands, and what they do not see of an operand, so that a simpler one will
// do: a factor of 1, an added zero, the sign of a zero.
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "difftest/mutate/nodes.h"

namespace tgsi2spv::difftest::mutation {

using spv::Op;

// For operands that are not NaN, ordered and unordered comparisons are the same.
std::optional<bool> fold_order(Op op, const Node& a, const Node& b) {
    if (!a.ranged || !b.ranged) return std::nullopt;
    if (!a.real || !b.real) {
        // NaN makes ordered comparisons false and the others true: the result is known if numbers would give the same.
        const bool apart = a.most < b.least || b.most < a.least;
        if (apart && op == Op::OpFOrdEqual) return false;
        if (apart && op == Op::OpFUnordNotEqual) return true;
        if (op == Op::OpFOrdLessThan && a.least >= b.most) return false;
        if (op == Op::OpFOrdLessThanEqual && a.least > b.most) return false;
        if (op == Op::OpFOrdGreaterThan && a.most <= b.least) return false;
        if (op == Op::OpFOrdGreaterThanEqual && a.most < b.least) return false;
        return std::nullopt;
    }
    const bool less = a.most<b.least, greater = a.least> b.most;
    const bool same = a.least == a.most && b.least == b.most && a.least == b.least;
    if (!less && !greater && !same) {
        const bool at_most = a.most <= b.least, at_least = a.least >= b.most;
        if (at_most && (op == Op::OpFOrdLessThanEqual || op == Op::OpFUnordLessThanEqual)) return true;
        if (at_most && (op == Op::OpFOrdGreaterThan || op == Op::OpFUnordGreaterThan)) return false;
        if (at_least && (op == Op::OpFOrdGreaterThanEqual || op == Op::OpFUnordGreaterThanEqual)) return true;
        if (at_least && (op == Op::OpFOrdLessThan || op == Op::OpFUnordLessThan)) return false;
        return std::nullopt;
    }
    switch (op) {
        case Op::OpFOrdEqual:
        case Op::OpFUnordEqual:
            return same;
        case Op::OpFOrdNotEqual:
        case Op::OpFUnordNotEqual:
            return !same;
        case Op::OpFOrdLessThan:
        case Op::OpFUnordLessThan:
            return less;
        case Op::OpFOrdGreaterThan:
        case Op::OpFUnordGreaterThan:
            return greater;
        case Op::OpFOrdLessThanEqual:
        case Op::OpFUnordLessThanEqual:
            return !greater;
        default:
            return !less;
    }
}

std::optional<uint32_t> Nodes::unless_nan(Op op, const std::vector<uint32_t>& o) {
    if (op != Op::OpFOrdLessThan && op != Op::OpFOrdLessThanEqual) return std::nullopt;
    const bool strict = op == Op::OpFOrdLessThan;
    if (o[0] == o[1]) return strict ? truth(false) : make(Op::OpFOrdEqual, 1, 0, {o[0], o[0]});
    const Node &a = all_[o[0]], &b = all_[o[1]];
    if (!a.ranged || !b.ranged || a.real == b.real || !(strict ? a.most < b.least : a.most <= b.least))
        return std::nullopt;
    const uint32_t other = a.real ? o[1] : o[0];
    return make(Op::OpFOrdEqual, 1, 0, {other, other});
}

std::optional<uint32_t> Nodes::simple_float(Op op, uint32_t bits, uint64_t function, const std::vector<uint32_t>& o) {
    if (o.empty()) return std::nullopt;
    const Node a = all_[o[0]];
    const bool of_nan = std::any_of(o.begin(), o.end(), [&](uint32_t id) { return is_nan(id); });
    const bool computes = op == Op::OpFAdd || op == Op::OpFSub || op == Op::OpFMul || op == Op::OpFDiv;
    if (of_nan && computes && bits == 32) return nan();
    if (orders_floats(op) && o.size() == 2) {
        static_assert(static_cast<uint32_t>(Op::OpFOrdEqual) % 2 == 0);  // the ordered ones are even
        if (of_nan) return truth(static_cast<uint32_t>(op) % 2 == 1);
        // A zero or NaN differs from itself exactly if it differs from 0.
        if ((op == Op::OpFUnordNotEqual || op == Op::OpFOrdEqual) && o[0] == o[1] && a.naught)
            return make(op, 1, 0, {o[0], constant(32, 0)});
        if (o[0] == o[1] && a.real) {
            Node number;
            number.real = number.ranged = true;
            return truth(*fold_order(op, number, number));
        }
        if (const auto known = fold_order(op, a, all_[o[1]])) return truth(*known);
        return unless_nan(op, o);
    }
    if (op == Op::OpIsNan && a.real) return truth(false);
    if (op == Op::OpIsInf && a.real) return truth(false);
    // FSign of a number that is 0 or 1 equals its absolute value.
    if (op == Op::OpExtInst && function == GLSLstd450FSign && a.real && a.whole && a.least >= 0 && a.most <= 1)
        return make(op, bits, GLSLstd450FAbs, o);
    // Truncation leaves one integer (also if a denormal is flushed).
    const bool cuts = op == Op::OpConvertFToU || op == Op::OpConvertFToS;
    if (cuts && a.bits == 32 && a.real && a.least > (op == Op::OpConvertFToU ? -1 : -0x1p31) && a.most < 0x1p31 &&
        std::trunc(a.least) == std::trunc(a.most))
        return constant(bits, static_cast<uint64_t>(static_cast<int64_t>(a.most)));
    if (bits != 32 || a.bits != 32) return std::nullopt;
    if (op == Op::OpFNegate && a.op == Op::OpFNegate) return a.operands[0];
    if (op == Op::OpFNegate && a.is_constant()) return constant(32, a.literal ^ 0x80000000);
    if (op == Op::OpConvertUToF && a.is_constant() && a.literal < 1u << 24)
        return constant(32, as_word(static_cast<float>(a.literal)));
    if (op == Op::OpConvertSToF && a.is_constant() && std::abs(as_signed(a.literal, 32)) < 1 << 24)
        return constant(32, as_word(static_cast<float>(as_signed(a.literal, 32))));
    if (op == Op::OpExtInst && function == GLSLstd450FAbs && a.real && a.least == 0 && a.most == 0)
        return constant(32, 0);
    if (op == Op::OpExtInst && a.is_constant() && a.real) {
        const float f = as_float(a.literal);
        if (function == GLSLstd450FAbs) return constant(32, a.literal & 0x7fffffff);
        if (function == GLSLstd450Floor) return constant(32, as_word(std::floor(f)));
        if (function == GLSLstd450Ceil) return constant(32, as_word(std::ceil(f)));
        if (function == GLSLstd450Trunc) return constant(32, as_word(std::trunc(f)));
        if (function == GLSLstd450RoundEven) return constant(32, as_word(std::nearbyint(f)));
    }
    if (o.size() == 3) return of_clamp(function, o);
    if (o.size() != 2) return std::nullopt;
    const Node b = all_[o[1]];
    for (const bool swap : {false, true}) {
        const Node &zero = swap ? b : a, &other = swap ? a : b;
        if (op == Op::OpFMul && zero.is_constant() && zero.literal == 0 && other.real && other.no_minus &&
            other.least >= 0)
            return constant(32, 0);
    }
    const auto is_zero = [](const Node& n) { return n.real && n.least == 0 && n.most == 0; };
    if ((op == Op::OpFAdd || op == Op::OpFSub) && a.kept && is_zero(b)) return o[0];
    if (op == Op::OpFAdd && b.kept && is_zero(a)) return o[1];
    // The result is the first operand, or NaN.
    if (op == Op::OpFSub && a.kept && b.naught) return make(Op::OpFAdd, bits, 0, o);
    if (!a.is_constant() || !b.is_constant() || !a.real || !b.real) return std::nullopt;
    const float x = as_float(a.literal), y = as_float(b.literal);
    const float result = op == Op::OpFAdd   ? x + y
                         : op == Op::OpFSub ? x - y
                         : op == Op::OpFMul ? x * y
                                            : std::numeric_limits<float>::quiet_NaN();
    // An underflow is rounded to 0 or flushed: these are only the same if a factor is 0.
    if (!is_plain(result) || (op == Op::OpFMul && result == 0 && x != 0 && y != 0)) return std::nullopt;
    return constant(32, as_word(result));
}

std::optional<uint32_t> Nodes::of_clamp(uint64_t function, const std::vector<uint32_t>& o) {
    const Node &x = all_[o[0]], &least = all_[o[1]], &most = all_[o[2]];
    // A denormal may be flushed in the sum, or by the clamp.
    const bool stays = x.whole || x.kept || open_alike;
    if (function != GLSLstd450NClamp || !x.real || !stays || !least.real || !most.real || most.least < least.most)
        return std::nullopt;
    // If the number is less than the upper limit, or is that limit (rounding keeps the order), only the lower limit is
    // left.
    const auto adds = [&](size_t k) {
        const Node& more = all_[most.operands[k]];
        return most.operands[1 - k] == o[0] && more.real && more.least >= 0;
    };
    const bool below = x.most < most.least || (most.op == Op::OpFAdd && (adds(0) || adds(1)));
    return below ? std::optional(make(Op::OpExtInst, 32, GLSLstd450NMax, {o[0], o[1]})) : std::nullopt;
}

uint32_t Nodes::without_one(uint32_t id) const {
    const Node& n = all_[id];
    if (n.op != Op::OpFMul || n.bits != 32) return id;
    for (size_t k = 0; k < 2; k++)
        if (all_[n.operands[k]].is_constant() && all_[n.operands[k]].literal == 0x3f800000 &&
            (open_alike || all_[n.operands[1 - k]].kept))
            return n.operands[1 - k];
    return id;
}

uint32_t Nodes::without_sign(uint32_t id, int depth) {
    const Node n = all_[id];
    if (n.bits != 32 || depth == 0) return id;
    const auto of = [&](size_t k) { return without_sign(n.operands[k], depth - 1); };
    if (n.is_constant()) return constant(32, n.literal & 0x7fffffff);
    if (n.op == Op::OpFNegate || (n.op == Op::OpExtInst && n.literal == GLSLstd450FAbs)) return of(0);
    if (n.op == Op::OpFMul) return make(n.op, 32, 0, {of(0), of(1)});
    if (n.op == Op::OpFSub)
        return make(n.op, 32, 0, {std::min(n.operands[0], n.operands[1]), std::max(n.operands[0], n.operands[1])});
    if (n.op == Op::OpSelect) return make(n.op, 32, 0, {n.operands[0], of(1), of(2)});
    return id;
}

uint32_t Nodes::without_zero(uint32_t id) const {
    const Node& n = all_[id];
    if ((n.op != Op::OpFAdd && n.op != Op::OpFSub) || n.bits != 32) return id;
    for (const size_t k : {size_t{1}, size_t{0}}) {
        const Node& zero = all_[n.operands[k]];
        if (zero.real && zero.least == 0 && zero.most == 0 && (k == 1 || n.op == Op::OpFAdd))
            return without_zero(n.operands[1 - k]);
    }
    return id;
}

uint32_t Nodes::without_zero_choice(uint32_t id) {
    const Node n = all_[id];
    if (n.op != Op::OpSelect || n.bits != 32) return id;
    const Node zero = all_[n.operands[1]];
    if (!zero.is_constant() || zero.literal != 0) return id;
    Facts facts;
    learn(facts, n.operands[0], true);
    const Node there = all_[under(n.operands[2], facts)];
    if (there.op != Op::OpFMul) return id;
    for (const auto& [fact, holds] : facts) {
        const Node& f = all_[fact];
        if (!holds || f.op != Op::OpFOrdEqual) continue;
        for (size_t k = 0; k < 2; k++) {
            const uint32_t x = f.operands[k];
            const Node& none = all_[f.operands[1 - k]];
            if (!none.real || none.least != 0 || none.most != 0 || !(open_alike || all_[x].kept)) continue;
            for (size_t p = 0; p < 2; p++) {
                const Node& by = all_[there.operands[1 - p]];
                if (there.operands[p] == x && by.is_constant() && by.real && by.least != 0) return n.operands[2];
            }
        }
    }
    return id;
}

uint32_t Nodes::of_known_angles(uint32_t id) const {
    constexpr double kLargest = 0x1p15;
    const Node& n = all_[id];
    if (n.op != Op::OpSelect || n.bits != 32) return id;
    const Node& c = all_[n.operands[0]];
    const uint32_t angle = n.operands[2];
    const auto is_of = [&](uint32_t node, bool sized) {
        const Node& f = all_[node];
        const bool function = f.op == Op::OpExtInst && f.operands.size() == 1 && f.operands[0] == angle;
        return function && (f.literal == GLSLstd450FAbs || (!sized && f.literal == GLSLstd450FSign));
    };
    if (c.op == Op::OpFOrdLessThanEqual && is_of(c.operands[0], true)) {
        const Node& most = all_[c.operands[1]];
        if (most.is_constant() && most.real && most.least >= kLargest) return n.operands[1];
    }
    const bool number = c.op == Op::OpFOrdEqual && c.operands[0] == c.operands[1] &&
                        (c.operands[0] == angle || is_of(c.operands[0], false));
    return number ? n.operands[1] : id;
}

}  // namespace tgsi2spv::difftest::mutation
