#include "difftest/mutate/nodes.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace tgsi2spv::difftest::mutation {

namespace {

using spv::Op;

constexpr uint64_t kAll = ~uint64_t{0};

bool commutes(Op op) {
    switch (op) {
        case Op::OpIAdd:
        case Op::OpIMul:
        case Op::OpFAdd:
        case Op::OpFMul:
        case Op::OpBitwiseAnd:
        case Op::OpBitwiseOr:
        case Op::OpBitwiseXor:
        case Op::OpLogicalAnd:
        case Op::OpLogicalOr:
        case Op::OpLogicalEqual:
        case Op::OpLogicalNotEqual:
        case Op::OpIEqual:
        case Op::OpINotEqual:
        case Op::OpFOrdEqual:
        case Op::OpFUnordNotEqual:
            return true;
        default:
            return false;
    }
}

std::optional<uint64_t> fold(Op op, uint32_t bits, uint64_t a, uint64_t b) {
    const uint64_t mask = limit(bits);
    const int64_t x = as_signed(a, bits), y = as_signed(b, bits);
    switch (op) {
        case Op::OpIAdd:
            return (a + b) & mask;
        case Op::OpISub:
            return (a - b) & mask;
        case Op::OpIMul:
            return (a * b) & mask;
        case Op::OpUDiv:
            return b == 0 ? std::nullopt : std::optional(a / b);
        case Op::OpUMod:
            return b == 0 ? std::nullopt : std::optional(a % b);
        case Op::OpSDiv:
            return y == 0 || y == -1 ? std::nullopt : std::optional(static_cast<uint64_t>(x / y) & mask);
        case Op::OpSRem:
            return y == 0 || y == -1 ? std::nullopt : std::optional(static_cast<uint64_t>(x % y) & mask);
        case Op::OpBitwiseAnd:
            return a & b;
        case Op::OpBitwiseOr:
            return a | b;
        case Op::OpBitwiseXor:
            return a ^ b;
        case Op::OpShiftLeftLogical:
            return b >= bits ? std::nullopt : std::optional(a << b & mask);
        case Op::OpShiftRightLogical:
            return b >= bits ? std::nullopt : std::optional(a >> b);
        case Op::OpShiftRightArithmetic:
            return b >= bits ? std::nullopt : std::optional(static_cast<uint64_t>(x >> b) & mask);
        case Op::OpIEqual:
            return a == b;
        case Op::OpINotEqual:
            return a != b;
        case Op::OpULessThan:
            return a < b;
        case Op::OpULessThanEqual:
            return a <= b;
        case Op::OpUGreaterThan:
            return a > b;
        case Op::OpUGreaterThanEqual:
            return a >= b;
        case Op::OpSLessThan:
            return x < y;
        case Op::OpSLessThanEqual:
            return x <= y;
        case Op::OpSGreaterThan:
            return x > y;
        case Op::OpSGreaterThanEqual:
            return x >= y;
        default:
            return std::nullopt;
    }
}

}  // namespace

uint64_t limit(uint32_t bits) {
    return bits >= 64 ? kAll : (uint64_t{1} << bits) - 1;
}

bool compares_integers(Op op) {
    return op >= Op::OpIEqual && op <= Op::OpSLessThanEqual;
}

std::optional<uint64_t> fold_ranges(Op op, const Node& a, const Node& b) {
    const bool is_signed = op == Op::OpSLessThan || op == Op::OpSLessThanEqual || op == Op::OpSGreaterThan ||
                           op == Op::OpSGreaterThanEqual;
    const bool equality = op == Op::OpIEqual || op == Op::OpINotEqual;
    const auto apart = [&](bool below, bool above, bool at_most, bool at_least) -> std::optional<uint64_t> {
        if (below) return fold(op, 64, 0, 1);
        if (above) return fold(op, 64, 1, 0);
        const bool takes_most = op == Op::OpULessThanEqual || op == Op::OpSLessThanEqual || op == Op::OpUGreaterThan ||
                                op == Op::OpSGreaterThan;
        if (takes_most && at_most) return fold(op, 64, 0, 0);
        const bool takes_least = op == Op::OpUGreaterThanEqual || op == Op::OpSGreaterThanEqual ||
                                 op == Op::OpULessThan || op == Op::OpSLessThan;
        if (takes_least && at_least) return fold(op, 64, 0, 0);
        return std::nullopt;
    };
    std::optional<uint64_t> known;
    if (is_signed || equality)
        known = apart(a.most_signed < b.least_signed, b.most_signed < a.least_signed, a.most_signed <= b.least_signed,
                      b.most_signed <= a.least_signed);
    if (!known && !is_signed) known = apart(a.hi < b.lo, b.hi < a.lo, a.hi <= b.lo, b.hi <= a.lo);
    return known;
}

bool crosses_lanes(Op op) {
    return (op >= Op::OpDPdx && op <= Op::OpFwidthCoarse) ||
           (op >= Op::OpImageSampleImplicitLod && op <= Op::OpImageSampleProjDrefExplicitLod) ||
           op == Op::OpImageQueryLod;
}

uint32_t Nodes::opaque(Op op, uint32_t bits, uint64_t literal, std::vector<uint32_t> operands) {
    const Key key{op, bits, literal, operands};
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    Node n{op, bits, literal, std::move(operands)};
    n.hi = limit(bits == 0 ? 64 : bits);
    if (bits != 0 && bits < 64) {
        n.most_signed = static_cast<int64_t>(n.hi >> 1);
        n.least_signed = -n.most_signed - 1;
    }
    if (op == Op::OpConstant) {
        n.lo = n.hi = literal;
        const float f = as_float(literal);
        const double d = std::bit_cast<double>(literal);
        if (bits == 32 && is_plain(f)) n.real = n.ranged = true, n.least = n.most = static_cast<double>(f);
        n.kept = n.real && literal != 0x80000000;
        n.whole = n.real && std::trunc(f) == f;
        n.no_minus = n.real && literal != 0x80000000;
        if (bits == 64 && (d == 0 || std::isnormal(d))) {
            n.real = n.ranged = true;
            n.least = n.most = d;
            n.whole = std::trunc(d) == d;
        }
    } else {
        bound(n);
    }
    settle_ranges(n);
    all_.push_back(std::move(n));
    const auto id = static_cast<uint32_t>(all_.size() - 1);
    known_.emplace(key, id);
    return id;
}

uint32_t Nodes::constant(uint32_t bits, uint64_t word) {
    return opaque(Op::OpConstant, bits, word & limit(bits), {});
}

void settle_ranges(Node& n) {
    if (n.bits != 32 && n.bits != 64) return;
    const uint64_t half = uint64_t{1} << (n.bits - 1);
    if (n.hi < half || n.lo >= half) {
        n.least_signed = std::max(n.least_signed, as_signed(n.lo, n.bits));
        n.most_signed = std::min(n.most_signed, as_signed(n.hi, n.bits));
    }
    if (n.least_signed >= 0 || n.most_signed < 0) {
        n.lo = std::max(n.lo, static_cast<uint64_t>(n.least_signed) & limit(n.bits));
        n.hi = std::min(n.hi, static_cast<uint64_t>(n.most_signed) & limit(n.bits));
    }
}

uint32_t Nodes::bounded(uint32_t id, uint64_t hi) {
    all_[id].hi = std::min(all_[id].hi, hi);
    settle_ranges(all_[id]);
    return all_[id].hi == all_[id].lo ? constant(all_[id].bits, all_[id].lo) : id;
}

uint32_t Nodes::make(Op op, uint32_t bits, uint64_t literal, std::vector<uint32_t> o) {
    if (op == Op::OpCopyObject) return o[0];
    if (op == Op::OpBitcast && all_[o[0]].bits == bits) return o[0];  // nodes are words
    // Puts a comparison in one direction.
    const auto turn = [&](Op other) {
        op = other;
        std::swap(o[0], o[1]);
    };
    if (op == Op::OpUGreaterThan) turn(Op::OpULessThan);
    if (op == Op::OpUGreaterThanEqual) turn(Op::OpULessThanEqual);
    if (op == Op::OpSGreaterThan) turn(Op::OpSLessThan);
    if (op == Op::OpSGreaterThanEqual) turn(Op::OpSLessThanEqual);
    if (op == Op::OpFOrdGreaterThan) turn(Op::OpFOrdLessThan);
    if (op == Op::OpFOrdGreaterThanEqual) turn(Op::OpFOrdLessThanEqual);
    // x * 1 is x, except for what any operation on floats may do to its operands itself: flush a denormal, make another
    // NaN.
    const bool computes = op == Op::OpFAdd || op == Op::OpFSub || op == Op::OpFMul || op == Op::OpFDiv;
    if (computes || orders_floats(op))
        for (uint32_t& operand : o) operand = without_one(operand);
    // Where the sign of a zero does not show.
    const bool clamps = op == Op::OpExtInst && literal == GLSLstd450NClamp && bits == 32;
    if (orders_floats(op) || (op == Op::OpExtInst && literal == GLSLstd450FAbs) ||
        (clamps && open_alike && all_[o[1]].real && all_[o[1]].most == 0 && all_[o[1]].least == 0))
        for (uint32_t& operand : o) operand = without_zero_choice(operand);
    if (op == Op::OpFAdd && bits == 32)
        for (size_t k = 0; k < 2; k++)
            if (all_[o[1 - k]].no_minus) o[k] = without_zero_choice(o[k]);
    // A sine has a permitted absolute error: it is open which zero it gives for a zero.
    if (op == Op::OpExtInst && (literal == GLSLstd450Cos || literal == GLSLstd450Sin) && open_alike)
        o[0] = without_zero(of_known_angles(o[0]));
    if (commutes(op) && o[0] > o[1]) std::swap(o[0], o[1]);
    if (const auto simpler = simple(op, bits, literal, o)) return *simpler;
    if (const auto chosen = of_selection(op, bits, literal, o)) return *chosen;
    if (const auto chosen = of_one_word(op, bits, o)) return *chosen;
    const uint32_t id = opaque(op, bits, literal, std::move(o));
    return bits != 0 && all_[id].lo == all_[id].hi ? constant(bits, all_[id].lo) : id;
}

std::optional<uint32_t> Nodes::simple(Op op, uint32_t bits, uint64_t literal, const std::vector<uint32_t>& o) {
    if (op == Op::OpSelect) return simple_select(bits, o[0], o[1], o[2]);
    if (op == Op::OpExtInst) return simple_function(bits, literal, o);
    if (op >= Op::OpLogicalEqual && op <= Op::OpLogicalNot) return simple_truth(op, o);
    if (auto found = simple_integer(op, bits, o)) return found;
    return simple_float(op, bits, literal, o);
}

std::optional<uint32_t> Nodes::simple_select(uint32_t bits, uint32_t c, uint32_t a, uint32_t b) {
    if (a == b) return a;
    const Node condition = all_[c];
    if (condition.is_constant()) return condition.literal != 0 ? a : b;
    if (condition.op == Op::OpLogicalNot) return make(Op::OpSelect, bits, 0, {condition.operands[0], b, a});
    // The minimum or the maximum.
    const bool is_signed = condition.op == Op::OpSLessThan || condition.op == Op::OpSLessThanEqual;
    if (bits == 32 && (is_signed || condition.op == Op::OpULessThan || condition.op == Op::OpULessThanEqual)) {
        const auto& o = condition.operands;
        if (o == std::vector{a, b}) return make(Op::OpExtInst, bits, is_signed ? GLSLstd450SMin : GLSLstd450UMin, o);
        if (o == std::vector{b, a}) return make(Op::OpExtInst, bits, is_signed ? GLSLstd450SMax : GLSLstd450UMax, o);
    }
    const Node first = all_[a], second = all_[b];
    if (first.op == Op::OpSelect && first.operands[0] == c)
        return make(Op::OpSelect, bits, 0, {c, first.operands[1], b});
    if (second.op == Op::OpSelect && second.operands[0] == c)
        return make(Op::OpSelect, bits, 0, {c, a, second.operands[2]});
    // A constant for one of two reasons: splits these into two selections.
    if (bits != 1 && condition.op == Op::OpLogicalOr && first.is_constant())
        return make(Op::OpSelect, bits, 0,
                    {condition.operands[0], a, make(Op::OpSelect, bits, 0, {condition.operands[1], a, b})});
    // Each arm matters only where it is taken, so a guard inside it disappears.
    Facts holds, fails;
    learn(holds, c, true);
    learn(fails, c, false);
    const uint32_t there_alone = under(a, holds), no = under(b, fails);
    // If the condition leaves only one word, both arms may turn out equal.
    if (with_word(no, c) == with_word(there_alone, c)) return no;
    // A load from a place that depends on the word keeps its name.
    const bool outside = std::exchange(through_loads_, false);
    const uint32_t yes = with_word(there_alone, c);
    through_loads_ = outside;
    if (condition.op == Op::OpLogicalAnd) {
        uint32_t there = under(b, holds);
        for (const uint32_t part : condition.operands) there = with_word(there, part);
        if (there == yes) return b;
    }
    if (yes != a || no != b) return make(Op::OpSelect, bits, 0, {c, yes, no});
    if (bits != 1) return std::nullopt;
    if (first.is_constant() && second.is_constant())  // they differ
        return first.literal != 0 ? c : make(Op::OpLogicalNot, 1, 0, {c});
    if (second.is_constant() && second.literal == 0) return make(Op::OpLogicalAnd, 1, 0, {c, a});
    if (first.is_constant() && first.literal != 0) return make(Op::OpLogicalOr, 1, 0, {c, b});
    if (first.is_constant()) return make(Op::OpLogicalAnd, 1, 0, {make(Op::OpLogicalNot, 1, 0, {c}), b});
    if (second.is_constant()) return make(Op::OpLogicalOr, 1, 0, {make(Op::OpLogicalNot, 1, 0, {c}), a});
    return std::nullopt;
}

std::optional<uint32_t> Nodes::simple_truth(Op op, const std::vector<uint32_t>& o) {
    const Node a = all_[o[0]];
    if (op == Op::OpLogicalNot) {
        if (a.is_constant()) return truth(a.literal == 0);
        if (a.op == Op::OpLogicalNot) return a.operands[0];
        if (a.op == Op::OpIEqual) return make(Op::OpINotEqual, 1, 0, a.operands);
        if (a.op == Op::OpINotEqual) return make(Op::OpIEqual, 1, 0, a.operands);
        if (a.op == Op::OpULessThan) return make(Op::OpULessThanEqual, 1, 0, {a.operands[1], a.operands[0]});
        if (a.op == Op::OpULessThanEqual) return make(Op::OpULessThan, 1, 0, {a.operands[1], a.operands[0]});
        if (a.op == Op::OpSLessThan) return make(Op::OpSLessThanEqual, 1, 0, {a.operands[1], a.operands[0]});
        if (a.op == Op::OpSLessThanEqual) return make(Op::OpSLessThan, 1, 0, {a.operands[1], a.operands[0]});
        return std::nullopt;
    }
    const bool is_and = op == Op::OpLogicalAnd, is_or = op == Op::OpLogicalOr, same = op == Op::OpLogicalEqual;
    if (o[0] == o[1]) return is_and || is_or ? o[0] : truth(same);
    for (int k = 0; k < 2; k++) {
        const Node& n = all_[o[static_cast<size_t>(k)]];
        const uint32_t other = o[static_cast<size_t>(1 - k)];
        if (!n.is_constant()) continue;
        const bool value = n.literal != 0;
        if (is_and) return value ? other : truth(false);
        if (is_or) return value ? truth(true) : other;
        return value == same ? other : make(Op::OpLogicalNot, 1, 0, {other});
    }
    return is_and || is_or ? std::optional(joined(op, o)) : std::nullopt;
}

uint32_t Nodes::joined(Op op, const std::vector<uint32_t>& o) {
    constexpr size_t kMax = 64;
    std::set<uint32_t> parts;
    std::vector<uint32_t> work = o;
    while (!work.empty() && parts.size() < kMax) {
        const Node& n = all_[work.back()];
        const uint32_t id = work.back();
        work.pop_back();
        if (n.op == op)
            work.insert(work.end(), n.operands.begin(), n.operands.end());
        else
            parts.insert(id);
    }
    if (!work.empty()) return opaque(op, 1, 0, o);
    uint32_t all = *parts.begin();
    for (const uint32_t part : parts)
        if (part != all) all = opaque(op, 1, 0, {std::min(all, part), std::max(all, part)});
    return all;
}

std::optional<uint32_t> Nodes::simple_integer(Op op, uint32_t bits, const std::vector<uint32_t>& o) {
    if (o.empty() || o.size() > 2) return std::nullopt;
    const Node a = all_[o[0]];
    const uint32_t width = a.bits;
    if (o.size() == 1) {
        if (!a.is_constant()) return std::nullopt;
        if (op == Op::OpNot) return constant(bits, ~a.literal);
        if (op == Op::OpSNegate) return constant(bits, ~a.literal + 1);
        if (op == Op::OpUConvert) return constant(bits, a.literal);
        if (op == Op::OpSConvert) return constant(bits, static_cast<uint64_t>(as_signed(a.literal, width)));
        if (op == Op::OpBitCount) return constant(bits, static_cast<uint64_t>(std::popcount(a.literal)));
        return std::nullopt;
    }
    const Node b = all_[o[1]];
    if (width != 32 && width != 64) return std::nullopt;
    if (a.is_constant() && b.is_constant())
        if (const auto word = fold(op, width, a.literal, b.literal)) return constant(bits, *word);
    if (compares_integers(op)) {
        if (const auto known = fold_ranges(op, a, b)) return truth(*known != 0);
        if (o[0] == o[1]) return truth(*fold(op, 64, 0, 0) != 0);
        // An OR of two words has some bit set exactly if one of the words has.
        for (int k = 0; k < 2 && (op == Op::OpIEqual || op == Op::OpINotEqual); k++) {
            const Node& zero = k == 0 ? b : a;
            const Node& both = k == 0 ? a : b;
            if (!zero.is_constant() || zero.literal != 0 || both.op != Op::OpBitwiseOr) continue;
            const uint32_t nothing = o[static_cast<size_t>(1 - k)];
            const Op join = op == Op::OpIEqual ? Op::OpLogicalAnd : Op::OpLogicalOr;
            return make(join, 1, 0,
                        {make(op, 1, 0, {both.operands[0], nothing}), make(op, 1, 0, {both.operands[1], nothing})});
        }
        // A truth value that became a word and is compared again.
        for (int k = 0; k < 2 && (op == Op::OpIEqual || op == Op::OpINotEqual); k++) {
            const Node& s = k == 0 ? a : b;
            const Node& c = k == 0 ? b : a;
            if (s.op != Op::OpSelect || !c.is_constant()) continue;
            const Node yes = all_[s.operands[1]], no = all_[s.operands[2]];
            if (!yes.is_constant() && !no.is_constant()) continue;
            const uint32_t second = o[static_cast<size_t>(1 - k)];
            return make(
                Op::OpSelect, 1, 0,
                {s.operands[0], make(op, 1, 0, {s.operands[1], second}), make(op, 1, 0, {s.operands[2], second})});
        }
        return std::nullopt;
    }
    const uint64_t full = limit(width);
    switch (op) {
        case Op::OpISub:
            if (o[0] == o[1]) return constant(bits, 0);
            if (b.is_constant() && b.literal == 0) return o[0];
            return std::nullopt;
        case Op::OpShiftLeftLogical:
        case Op::OpShiftRightLogical:
        case Op::OpShiftRightArithmetic:
            if (b.is_constant() && b.literal == 0) return o[0];
            // Bits that are shifted out, from a part of an OR.
            if (op == Op::OpShiftLeftLogical && a.op == Op::OpBitwiseOr && b.is_constant())
                for (size_t k = 0; k < 2; k++) {
                    const Node& part = all_[a.operands[k]];
                    if (part.op != Op::OpShiftLeftLogical || !all_[part.operands[1]].is_constant()) continue;
                    if (all_[part.operands[1]].literal + b.literal >= width)
                        return make(op, bits, 0, {a.operands[1 - k], o[1]});
                }
            if (a.is_constant() && a.literal == 0 && b.hi < width) return o[0];
            return std::nullopt;
        case Op::OpUDiv:
            return b.is_constant() && b.literal == 1 ? std::optional(o[0]) : std::nullopt;
        case Op::OpUMod:
            return a.hi < b.lo ? std::optional(o[0]) : std::nullopt;
        default:
            break;
    }
    for (int k = 0; k < 2; k++) {
        const Node& c = k == 0 ? a : b;
        const Node& x = k == 0 ? b : a;
        const uint32_t other = o[static_cast<size_t>(1 - k)];
        if (!c.is_constant()) continue;
        const bool mask_of_all = (c.literal & (c.literal + 1)) == 0 && x.hi <= c.literal;
        if (op == Op::OpBitwiseAnd && (c.literal == full || mask_of_all)) return other;
        if ((op == Op::OpBitwiseAnd || op == Op::OpIMul) && c.literal == 0) return constant(bits, 0);
        if ((op == Op::OpBitwiseOr || op == Op::OpBitwiseXor || op == Op::OpIAdd) && c.literal == 0) return other;
        if (op == Op::OpIMul && c.literal == 1) return other;
        if (op == Op::OpBitwiseOr && c.literal == full) return constant(bits, full);
    }
    if (o[0] == o[1]) {
        if (op == Op::OpBitwiseAnd || op == Op::OpBitwiseOr) return o[0];
        if (op == Op::OpBitwiseXor) return constant(bits, 0);
    }
    // For words that are masks (~0 or 0), or some bits of constants.
    if (op == Op::OpBitwiseAnd || op == Op::OpBitwiseOr || op == Op::OpBitwiseXor)
        for (int k = 0; k < 2; k++) {
            const Node s = k == 0 ? a : b;
            if (s.op != Op::OpSelect) continue;
            const uint32_t other = o[static_cast<size_t>(1 - k)];
            const auto is_mask = [&](const Node& n) {
                return n.is_constant() && (n.literal == 0 || n.literal == full);
            };
            const bool masks = is_mask(all_[s.operands[1]]) && is_mask(all_[s.operands[2]]);
            constexpr int kDeep = 4;
            const bool chooses = op == Op::OpBitwiseAnd && chooses_constants(o[static_cast<size_t>(k)], kDeep) &&
                                 chooses_constants(other, kDeep);
            if (!masks && !chooses) continue;
            return make(
                Op::OpSelect, bits, 0,
                {s.operands[0], make(op, bits, 0, {s.operands[1], other}), make(op, bits, 0, {s.operands[2], other})});
        }
    return std::nullopt;
}

bool Nodes::chooses_constants(uint32_t id, int depth) const {
    // A chain of selections, as for masks that are joined by AND: of any length up to this.
    constexpr int kLongest = 64;
    for (int k = 0; k < kLongest && all_[id].op == Op::OpSelect; k++) {
        const auto& o = all_[id].operands;
        if (!all_[o[1]].is_constant() && !all_[o[2]].is_constant()) break;
        id = all_[o[1]].is_constant() ? o[2] : o[1];
    }
    const Node& n = all_[id];
    if (n.is_constant()) return true;
    return n.op == Op::OpSelect && depth > 0 && chooses_constants(n.operands[1], depth - 1) &&
           chooses_constants(n.operands[2], depth - 1);
}

std::optional<uint32_t> Nodes::simple_function(uint32_t bits, uint64_t function, const std::vector<uint32_t>& o) {
    if (o.empty() || bits == 0 || all_[o[0]].bits != bits) return std::nullopt;
    const Node a = all_[o[0]];
    if (o.size() == 2) {
        const Node b = all_[o[1]];
        const bool least = function == GLSLstd450UMin || function == GLSLstd450SMin;
        const bool largest = function == GLSLstd450UMax || function == GLSLstd450SMax;
        const bool is_signed = function == GLSLstd450SMin || function == GLSLstd450SMax;
        if (least || largest) {
            if (o[0] == o[1]) return o[0];
            const bool up = is_signed ? a.most_signed <= b.least_signed : a.hi <= b.lo;
            const bool down = is_signed ? b.most_signed <= a.least_signed : b.hi <= a.lo;
            if (up) return o[least ? 0 : 1];
            if (down) return o[least ? 1 : 0];
        }
        const bool minimum = function == GLSLstd450FMin || function == GLSLstd450NMin;
        const bool maximum = function == GLSLstd450FMax || function == GLSLstd450NMax;
        if ((minimum || maximum) && a.real && b.real) {  // equal ones may differ in sign, and either may be the result
            if (a.most < b.least) return o[minimum ? 0 : 1];
            if (b.most < a.least) return o[minimum ? 1 : 0];
        }
    }
    if (o.size() == 3) {
        const Node b = all_[o[1]], c = all_[o[2]];
        if (function == GLSLstd450UClamp && b.hi <= a.lo && a.hi <= c.lo) return o[0];
        if (function == GLSLstd450SClamp && b.most_signed <= a.least_signed && a.most_signed <= c.least_signed)
            return o[0];
        const bool clamps = function == GLSLstd450NClamp || function == GLSLstd450FClamp;
        if (clamps && bits == 32 && a.is_constant() && b.is_constant() && c.is_constant() && a.real && b.real &&
            c.real) {
            // For a zero, either may be the result.
            if (a.least < b.least) return o[1];
            if (a.least > c.least) return o[2];
            if (a.least != 0) return o[0];
        }
        if (clamps && a.real && b.real && c.real && b.most < a.least && a.most < c.least) return o[0];
    }
    return simple_float(Op::OpExtInst, bits, function, o);
}

}  // namespace tgsi2spv::difftest::mutation
