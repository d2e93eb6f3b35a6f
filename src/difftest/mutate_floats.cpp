// What an operation on floats does not see of an operand, so that a simpler one is as good: a factor of 1, a zero that
// is added, the sign of a zero.
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "difftest/mutate_nodes.h"

namespace tgsi2spv::difftest::mutation {

using spv::Op;

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
