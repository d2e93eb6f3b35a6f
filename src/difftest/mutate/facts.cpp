// What nodes become under conditions that are known to hold.
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "difftest/mutate/nodes.h"

namespace tgsi2spv::difftest::mutation {

using spv::Op;

namespace {

/// How deep the ranges of operations are computed again if facts say more about their operands.
constexpr int kDeep = 4;

/// Also bounds it as a float, unless it is NaN.
void meet(Node& n, double least, double most) {
    n.least = n.ranged ? std::max(n.least, least) : least;
    n.most = n.ranged ? std::min(n.most, most) : most;
    n.ranged = true;
}

}  // namespace

void Nodes::learn(Facts& facts, uint32_t id, bool holds) {
    const Node n = all_[id];
    if (n.is_constant()) return;
    facts[id] = holds;
    // What one comparison implies for others of the same two values.
    const auto also = [&](Op op, bool swap, bool so) {
        const uint32_t other = make(op, 1, 0, {n.operands[swap ? 1 : 0], n.operands[swap ? 0 : 1]});
        if (!all_[other].is_constant()) facts.emplace(other, so);
    };
    const bool less_float = n.op == Op::OpFOrdLessThan, less = n.op == Op::OpULessThan || n.op == Op::OpSLessThan;
    if (holds && less_float) {
        also(Op::OpFUnordNotEqual, false, true);
        also(Op::OpFOrdEqual, false, false);
        also(Op::OpFOrdLessThan, true, false);
        also(Op::OpFOrdLessThanEqual, false, true);
        also(Op::OpFOrdLessThanEqual, true, false);
    }
    if (n.op == Op::OpFOrdEqual || n.op == Op::OpFUnordNotEqual) {
        const bool equal = (n.op == Op::OpFOrdEqual) == holds;
        also(Op::OpFOrdEqual, false, equal);
        also(Op::OpFUnordNotEqual, false, !equal);
        for (const bool swap : {false, true}) {
            if (equal) also(Op::OpFOrdLessThan, swap, false);
            if (equal) also(Op::OpFOrdLessThanEqual, swap, true);
        }
    }
    if (holds && less) {
        also(Op::OpINotEqual, false, true);
        also(Op::OpIEqual, false, false);
        also(n.op, true, false);
    }
    if (n.op == Op::OpIEqual || n.op == Op::OpINotEqual) {
        const bool equal = (n.op == Op::OpIEqual) == holds;
        also(Op::OpIEqual, false, equal);
        also(Op::OpINotEqual, false, !equal);
        for (const bool swap : {false, true})
            for (const Op op : {Op::OpULessThan, Op::OpSLessThan})
                if (equal) also(op, swap, false);
    }
    const auto turned = [&](Op from, Op to) {
        if (n.op == from) also(to, true, !holds);
    };
    turned(Op::OpULessThan, Op::OpULessThanEqual);
    turned(Op::OpULessThanEqual, Op::OpULessThan);
    turned(Op::OpSLessThan, Op::OpSLessThanEqual);
    turned(Op::OpSLessThanEqual, Op::OpSLessThan);
    if (n.op == Op::OpLogicalNot) learn(facts, n.operands[0], !holds);
    if ((n.op == Op::OpLogicalAnd && holds) || (n.op == Op::OpLogicalOr && !holds))
        for (const uint32_t o : n.operands) learn(facts, o, holds);
}

uint32_t Nodes::under(uint32_t id, const Facts& facts) {
    if (facts.empty()) return id;
    std::map<uint32_t, uint32_t> done;
    constexpr int kDeepest = 200;
    // For example, what is at most 0 is 0. This is not done for operands: facts name them as they are.
    if (all_[id].bits == 32)
        if (const Node narrow = refined(id, facts); narrow.lo == narrow.hi) return constant(32, narrow.lo);
    return rebuilt(id, facts, done, kDeepest);
}

void Nodes::refine_float(Node& n, uint32_t id, const Node& fact, bool holds) const {
    const bool equal = fact.op == Op::OpFOrdEqual, below = fact.op == Op::OpFOrdLessThan;
    if (!below && fact.op != Op::OpFOrdLessThanEqual && (!equal || !holds)) return;
    const bool first = fact.operands[0] == id;
    const Node& other = all_[fact.operands[first ? 1 : 0]];
    // A comparison that holds compares numbers; if it does not hold, either may be NaN.
    if (n.bits != 32 || fact.operands[0] == fact.operands[1] || !(holds ? other.ranged : other.real)) return;
    constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNormal = 0x1p-126;
    const bool strict = below == holds && !equal, least = equal || first != holds, most = equal || first == holds;
    double lo = least ? other.least : -kInfinity, hi = most ? other.most : kInfinity;
    if (n.whole) {
        lo = strict ? std::floor(lo) + 1 : std::ceil(lo);
        hi = strict ? std::ceil(hi) - 1 : std::floor(hi);
    } else if (!strict) {
        // A denormal may have been flushed only for the comparison.
        if (lo == 0) lo = -kNormal;
        if (hi == 0) hi = kNormal;
    }
    meet(n, lo, hi);
    n.real |= holds && n.least > -kInfinity && n.most < kInfinity;
}

Node Nodes::refined(uint32_t id, const Facts& facts) const {
    Node n = all_[id];
    for (const auto& [fact, holds] : facts) {
        const Node& f = all_[fact];
        if (orders_floats(f.op)) {
            if (f.operands[0] == id || f.operands[1] == id) refine_float(n, id, f, holds);
            continue;
        }
        if (holds && f.op == Op::OpIEqual && (f.operands[0] == id || f.operands[1] == id)) {
            const Node& other = all_[f.operands[f.operands[0] == id ? 1 : 0]];
            n.lo = std::max(n.lo, other.lo);
            n.hi = std::min(n.hi, other.hi);
            n.least_signed = std::max(n.least_signed, other.least_signed);
            n.most_signed = std::min(n.most_signed, other.most_signed);
            continue;
        }
        const bool is_signed = f.op == Op::OpSLessThan || f.op == Op::OpSLessThanEqual;
        if (!is_signed && f.op != Op::OpULessThan && f.op != Op::OpULessThanEqual) continue;
        // What is not less is greater or equal.
        const uint32_t small = f.operands[holds ? 0 : 1], large = f.operands[holds ? 1 : 0];
        if (small == large || (small != id && large != id)) continue;
        const bool strict = (f.op == Op::OpULessThan || f.op == Op::OpSLessThan) == holds;
        const Node& other = all_[small == id ? large : small];
        if (is_signed) {
            if (small == id)
                n.most_signed = std::min(n.most_signed, other.most_signed - (strict ? 1 : 0));
            else
                n.least_signed = std::max(n.least_signed, other.least_signed + (strict ? 1 : 0));
        } else if (small == id) {
            n.hi = std::min(n.hi, other.hi - (strict && other.hi > 0 ? 1 : 0));
        } else {
            n.lo = std::max(n.lo, other.lo + (strict && other.lo < limit(n.bits) ? 1 : 0));
        }
    }
    settle_ranges(n);
    return n;
}

Node Nodes::narrowed(uint32_t id, const Facts& facts, int depth) {
    Node n = refined(id, facts);
    if (depth == 0 || n.bits != 32 || n.operands.empty() || n.operands.size() > 3 || n.op == Op::OpPhi) return n;
    // The same operation on operands about which the facts say more.
    Node same{n.op, n.bits, n.literal};
    same.hi = limit(n.bits);
    same.most_signed = static_cast<int64_t>(same.hi >> 1);
    same.least_signed = -same.most_signed - 1;
    const size_t known = all_.size();
    std::vector<Node> operands;
    for (const uint32_t o : n.operands) operands.push_back(narrowed(o, facts, depth - 1));
    for (Node& o : operands) {
        same.operands.push_back(static_cast<uint32_t>(all_.size()));
        all_.push_back(std::move(o));
    }
    bound(same);
    settle_ranges(same);
    all_.resize(known);
    n.lo = std::max(n.lo, same.lo);
    n.hi = std::min(n.hi, same.hi);
    n.least_signed = std::max(n.least_signed, same.least_signed);
    n.most_signed = std::min(n.most_signed, same.most_signed);
    settle_ranges(n);
    if (same.ranged) meet(n, same.least, same.most);
    n.real |= same.real;
    n.whole |= same.whole;
    return n;
}

Range Nodes::range(uint32_t id, const Facts& facts) {
    const Node n = narrowed(id, facts, kDeep);
    const bool real = n.real && n.bits == 32;
    return {n.lo, n.hi, n.least_signed, n.most_signed,
            real ? FloatRange{true, n.whole, n.least, n.most} : FloatRange{}};
}

void Nodes::within(uint32_t id, const Range& range) {
    Node& n = all_[id];
    n.lo = std::max(n.lo, range.lo);
    n.hi = std::min(n.hi, range.hi);
    n.least_signed = std::max(n.least_signed, range.least);
    n.most_signed = std::min(n.most_signed, range.most);
    settle_ranges(n);
    if (!range.number.real) return;
    meet(n, range.number.least, range.number.most);
    n.real = true;
    n.whole |= range.number.whole;
}

uint32_t Nodes::rebuilt(uint32_t id, const Facts& facts, std::map<uint32_t, uint32_t>& done, int depth) {
    if (const auto fact = facts.find(id); fact != facts.end()) return truth(fact->second);
    if (const auto before = done.find(id); before != done.end()) return before->second;
    const Node n = all_[id];
    if (n.operands.empty() || depth == 0 || (n.op == Op::OpLoad && !through_loads_)) return id;
    if (crosses_lanes(n.op)) {
        if (in_quad.empty() || &facts == &in_quad) return id;
        std::map<uint32_t, uint32_t> of_neighbours;
        std::vector<uint32_t> theirs;
        for (const uint32_t o : n.operands) theirs.push_back(rebuilt(o, in_quad, of_neighbours, depth - 1));
        return done[id] = theirs == n.operands ? id : make(n.op, n.bits, n.literal, std::move(theirs));
    }
    std::vector<uint32_t> operands;
    for (const uint32_t o : n.operands) operands.push_back(rebuilt(o, facts, done, depth - 1));
    uint32_t result = id;
    if (const auto extremum = of_known_order(n, operands, facts)) return done[id] = *extremum;
    // An index below the limit is not clamped, nor compared with it again.
    if (n.bits == 32 && n.op == Op::OpExtInst && (n.literal == GLSLstd450UMin || n.literal == GLSLstd450SMin))
        for (size_t k = 0; k < 2; k++) {
            const Node a = narrowed(operands[k], facts, kDeep), b = narrowed(operands[1 - k], facts, kDeep);
            if (n.literal == GLSLstd450UMin ? a.hi <= b.lo : a.most_signed <= b.least_signed)
                return done[id] = operands[k];
        }
    if (const auto open = without_limit(n, operands, facts)) return done[id] = *open;
    if (compares_integers(n.op) && all_[operands[0]].bits == 32)
        if (const auto known =
                fold_ranges(n.op, narrowed(operands[0], facts, kDeep), narrowed(operands[1], facts, kDeep)))
            return done[id] = truth(*known != 0);
    if (const auto known = of_narrowed_floats(n, operands, facts)) return done[id] = *known;
    if (n.op == Op::OpFSub && operands[0] == operands[1])
        if (const auto known = difference_of_same(operands[0], facts)) return done[id] = *known;
    if (operands != n.operands) result = make(n.op, n.bits, n.literal, std::move(operands));
    done[id] = result;
    return result;
}

std::optional<uint32_t> Nodes::of_known_order(const Node& n, const std::vector<uint32_t>& operands,
                                              const Facts& facts) {
    if (n.bits != 32 || n.op != Op::OpExtInst || n.operands.size() != 2) return std::nullopt;
    const bool is_signed = n.literal == GLSLstd450SMin || n.literal == GLSLstd450SMax;
    const bool least = n.literal == GLSLstd450UMin || n.literal == GLSLstd450SMin;
    if (!is_signed && !least && n.literal != GLSLstd450UMax) return std::nullopt;
    for (const size_t k : {size_t{0}, size_t{1}}) {
        const uint32_t below =
            make(is_signed ? Op::OpSLessThan : Op::OpULessThan, 1, 0, {n.operands[k], n.operands[1 - k]});
        const auto fact = facts.find(below);
        if (fact != facts.end()) return operands[fact->second == least ? k : 1 - k];
    }
    return std::nullopt;
}

std::optional<uint32_t> Nodes::of_narrowed_floats(const Node& n, const std::vector<uint32_t>& operands,
                                                  const Facts& facts) {
    if (all_[operands[0]].bits != 32) return std::nullopt;
    if (orders_floats(n.op)) {
        const auto known = fold_order(n.op, narrowed(operands[0], facts, kDeep), narrowed(operands[1], facts, kDeep));
        return known ? std::optional(truth(*known)) : std::nullopt;
    }
    if (n.op == Op::OpIsNan && narrowed(operands[0], facts, kDeep).real) return truth(false);
    if (n.op != Op::OpExtInst || (n.literal != GLSLstd450NClamp && n.literal != GLSLstd450FAbs)) return std::nullopt;
    const Node x = narrowed(operands[0], facts, kDeep);
    constexpr double kNormal = 0x1p-126;
    const bool flushed = !x.whole && !x.kept && x.least < kNormal && x.most > -kNormal;
    if (!x.real || (flushed && !open_alike)) return std::nullopt;
    if (n.literal == GLSLstd450FAbs)
        return x.least > 0 || (x.least == 0 && x.no_minus) ? std::optional(operands[0]) : std::nullopt;
    const Node &least = all_[operands[1]], &most = all_[operands[2]];
    if (!least.is_constant() || !most.is_constant() || !least.real || !most.real) return std::nullopt;
    // If the bound is a zero, the clamp may give either zero; if there is only +0, there is no other one.
    const bool above =
        x.least > least.least || (x.least == least.least && (x.least != 0 || (least.literal == 0 && x.no_minus)));
    const bool below = x.most < most.least || (x.most == most.least && x.most != 0);
    return above && below ? std::optional(operands[0]) : std::nullopt;
}

std::optional<uint32_t> Nodes::without_limit(const Node& clamp, const std::vector<uint32_t>& operands,
                                             const Facts& facts) {
    if (clamp.op != Op::OpExtInst || clamp.literal != GLSLstd450NClamp || clamp.bits != 32) return std::nullopt;
    const Node most = all_[operands[2]];
    if (!most.is_constant() || !most.real) return std::nullopt;
    for (const auto& [fact, holds] : facts) {
        const Node& f = all_[fact];
        if (holds || f.op != Op::OpFOrdLessThanEqual || f.operands[1] != clamp.operands[0]) continue;
        const Node& large = all_[f.operands[0]];
        if (!large.is_constant() || !large.real) continue;
        // It is less, or NaN: a clamp then gives the lower bound, as NMax does.
        const float below = std::nextafter(static_cast<float>(large.least), -std::numeric_limits<float>::infinity());
        if (most.least >= static_cast<double>(below))
            return make(Op::OpExtInst, 32, GLSLstd450NMax, {operands[0], operands[1]});
    }
    return std::nullopt;
}

uint32_t Nodes::with_word(uint32_t id, uint32_t condition) {
    const Node c = all_[condition];
    if (c.op != Op::OpIEqual && c.op != Op::OpFOrdEqual) return id;
    for (size_t k = 0; k < 2; k++) {
        const Node word = all_[c.operands[k]];
        const uint32_t of = c.operands[1 - k];
        if (!word.is_constant() || all_[of].is_constant() || all_[of].bits != word.bits) continue;
        // As a float, 0 has two words. A denormal that is equal to 0 was flushed, and may also be flushed in its other
        // uses.
        if (c.op == Op::OpFOrdEqual && (!word.real || word.bits != 32)) return id;
        const bool zero = c.op == Op::OpFOrdEqual && word.least == 0;
        if (zero && !(all_[of].kept || (open_alike && all_[of].no_minus))) return id;
        constexpr int kDeepest = 24;
        std::map<uint32_t, uint32_t> done{{of, zero ? constant(32, 0) : c.operands[k]}};
        return rebuilt(id, {}, done, kDeepest);
    }
    return id;
}

std::optional<uint32_t> Nodes::of_one_word(Op op, uint32_t bits, const std::vector<uint32_t>& o) {
    const bool divides = op == Op::OpUDiv || op == Op::OpSDiv || op == Op::OpUMod || op == Op::OpSRem;
    if ((!divides && op != Op::OpIAdd && op != Op::OpISub && op != Op::OpIMul) || bits != 32) return std::nullopt;
    const auto selects = [&](uint32_t id) {
        const Node& n = all_[id];
        if (n.op != Op::OpSelect || !all_[n.operands[1]].is_constant()) return false;
        const Node& c = all_[n.operands[0]];
        return c.op == Op::OpIEqual && (all_[c.operands[0]].is_constant() || all_[c.operands[1]].is_constant());
    };
    const auto selection = std::find_if(o.begin(), o.end(), selects);
    if (selection == o.end()) return std::nullopt;
    const uint32_t condition = all_[*selection].operands[0];
    const Node c = all_[condition];
    const bool word_first = all_[c.operands[0]].is_constant();
    const uint32_t word = c.operands[word_first ? 0 : 1], of = c.operands[word_first ? 1 : 0];
    std::vector<uint32_t> yes = o, no = o;
    for (size_t k = 0; k < o.size(); k++) {
        const Node& n = all_[o[k]];
        if (o[k] == of) {
            yes[k] = word;
        } else if (n.op == Op::OpSelect && n.operands[0] == condition) {
            yes[k] = n.operands[1];
            no[k] = n.operands[2];
        } else if (!n.is_constant()) {
            return std::nullopt;
        }
    }
    const uint32_t first = make(op, bits, 0, std::move(yes)), second = make(op, bits, 0, std::move(no));
    return make(Op::OpSelect, bits, 0, {condition, first, second});
}

std::optional<uint32_t> Nodes::of_selection(Op op, uint32_t bits, uint64_t literal, const std::vector<uint32_t>& o) {
    const bool computes = op == Op::OpFAdd || op == Op::OpFSub || op == Op::OpFMul || op == Op::OpFNegate;
    const bool clamps = op == Op::OpExtInst && (literal == GLSLstd450FAbs || literal == GLSLstd450NClamp ||
                                                literal == GLSLstd450NMin || literal == GLSLstd450NMax);
    if (!computes && !clamps && !orders_floats(op)) return std::nullopt;
    std::optional<size_t> at;
    for (size_t k = 0; k < o.size(); k++) {
        const Node& n = all_[o[k]];
        if (n.is_constant()) continue;
        if (at || n.op != Op::OpSelect || n.bits != 32) return std::nullopt;
        at = k;
    }
    if (!at) return std::nullopt;
    const Node select = all_[o[*at]];
    if (!all_[select.operands[1]].is_constant() && !all_[select.operands[2]].is_constant()) return std::nullopt;
    std::vector<uint32_t> yes = o, no = o;
    yes[*at] = select.operands[1];
    no[*at] = select.operands[2];
    const uint32_t first = make(op, bits, literal, std::move(yes)), second = make(op, bits, literal, std::move(no));
    return make(Op::OpSelect, bits, 0, {select.operands[0], first, second});
}

}  // namespace tgsi2spv::difftest::mutation
