// What conditions that are known to hold make of nodes.
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <utility>

#include "difftest/mutate_nodes.h"

namespace tgsi2spv::difftest::mutation {

using spv::Op;

void Nodes::learn(Facts& facts, uint32_t id, bool holds) {
    const Node n = all_[id];
    if (n.is_constant()) return;
    facts[id] = holds;
    // What one comparison says of others of the same two.
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
    constexpr int kDeep = 200;
    return rebuilt(id, facts, done, kDeep);
}

Node Nodes::refined(uint32_t id, const Facts& facts) const {
    Node n = all_[id];
    for (const auto& [fact, holds] : facts) {
        const Node& f = all_[fact];
        const bool is_signed = f.op == Op::OpSLessThan || f.op == Op::OpSLessThanEqual;
        if (!is_signed && f.op != Op::OpULessThan && f.op != Op::OpULessThanEqual) continue;
        // What is not below is at least as much.
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

uint32_t Nodes::rebuilt(uint32_t id, const Facts& facts, std::map<uint32_t, uint32_t>& done, int depth) {
    if (const auto fact = facts.find(id); fact != facts.end()) return truth(fact->second);
    if (const auto before = done.find(id); before != done.end()) return before->second;
    const Node n = all_[id];
    if (n.operands.empty() || depth == 0) return id;
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
    // An index below the limit is not cut off, nor held against it again.
    if (n.bits == 32 && n.op == Op::OpExtInst && (n.literal == GLSLstd450UMin || n.literal == GLSLstd450SMin))
        for (size_t k = 0; k < 2; k++) {
            const Node a = refined(operands[k], facts), b = refined(operands[1 - k], facts);
            if (n.literal == GLSLstd450UMin ? a.hi <= b.lo : a.most_signed <= b.least_signed)
                return done[id] = operands[k];
        }
    if (compares_integers(n.op) && all_[operands[0]].bits == 32)
        if (const auto known = fold_ranges(n.op, refined(operands[0], facts), refined(operands[1], facts)))
            return done[id] = truth(*known != 0);
    if (n.op == Op::OpFSub && operands[0] == operands[1])
        if (const auto known = difference_of_same(operands[0], facts)) return done[id] = *known;
    if (operands != n.operands) result = make(n.op, n.bits, n.literal, std::move(operands));
    done[id] = result;
    return result;
}

}  // namespace tgsi2spv::difftest::mutation
