#include "difftest/mutate/lanes.h"

#include <algorithm>

#include "difftest/mutate/nodes.h"

namespace tgsi2spv::difftest::mutation {

namespace {

using spv::Op;

const Instruction* operand(const Module& m, const Instruction& i, uint32_t number) {
    return m.definition(m.word(i, i.operands + number));
}

bool is_number(const Module& m, const Instruction& i, uint32_t which, uint32_t value) {
    return m.constant(m.word(i, i.operands + which)) == value;
}

/// A coordinate of the pixel, truncated to an integer.
bool is_pixel(const Module& m, const Instruction* i) {
    if (i == nullptr || i->op != Op::OpConvertFToU) return false;
    const auto* extract = operand(m, *i, 0);
    if (extract == nullptr || extract->op != Op::OpCompositeExtract) return false;
    const auto* load = operand(m, *extract, 0);
    if (load == nullptr || load->op != Op::OpLoad) return false;
    const uint32_t variable = m.word(*load, load->operands);
    return std::any_of(m.all.begin(), m.all.end(), [&](const Instruction& d) {
        return d.op == Op::OpDecorate && m.word(d, 1) == variable &&
               m.word(d, 2) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
               m.word(d, 3) == static_cast<uint32_t>(spv::BuiltIn::FragCoord);
    });
}

/// Computed from constants, parameters of the case, and pixels' coordinates without their last bit.
bool is_quads(const Module& m, const Instruction* i) {
    if (i == nullptr) return false;
    if (i->op == Op::OpConstant) return true;
    if (i->op == Op::OpLoad) {
        const auto* chain = operand(m, *i, 0);
        if (chain == nullptr || chain->op != Op::OpAccessChain) return false;
        for (uint32_t k = chain->operands + 1; k < chain->size; k++)
            if (!m.constant(m.word(*chain, k))) return false;
        return true;
    }
    if (i->op == Op::OpShiftRightLogical && is_pixel(m, operand(m, *i, 0))) return is_number(m, *i, 1, 1);
    if (i->op != Op::OpIAdd && i->op != Op::OpIMul && i->op != Op::OpShiftRightLogical) return false;
    return is_quads(m, operand(m, *i, 0)) && is_quads(m, operand(m, *i, 1));
}

/// The number of the lane in its quad: two bits.
bool is_place_in_quad(const Module& m, const Instruction* i) {
    if (i == nullptr) return false;
    if (i->op == Op::OpBitwiseAnd) return is_number(m, *i, 1, 1);
    if (i->op == Op::OpShiftLeftLogical) {
        const auto* bit = operand(m, *i, 0);
        return bit != nullptr && bit->op == Op::OpBitwiseAnd && is_number(m, *bit, 1, 1) && is_number(m, *i, 1, 1);
    }
    return i->op == Op::OpBitwiseOr && is_place_in_quad(m, operand(m, *i, 0)) && is_place_in_quad(m, operand(m, *i, 1));
}

}  // namespace

bool reads_neighbours(const Module& m) {
    return std::any_of(m.all.begin(), m.all.end(), [](const Instruction& i) { return crosses_lanes(i.op); });
}

bool is_of_subgroup(Op op) {
    return op >= Op::OpGroupNonUniformElect && op <= Op::OpGroupNonUniformQuadSwap;
}

bool reads_subgroup(const Module& m) {
    return std::any_of(m.all.begin(), m.all.end(), [](const Instruction& i) { return is_of_subgroup(i.op); });
}

std::optional<std::array<uint32_t, 3>> small_group(const Module& m) {
    constexpr uint32_t kMax = 64;
    for (const auto& i : m.all) {
        if (i.op != Op::OpExecutionMode ||
            static_cast<spv::ExecutionMode>(m.word(i, 2)) != spv::ExecutionMode::LocalSize)
            continue;
        const uint64_t count = uint64_t{m.word(i, 3)} * m.word(i, 4) * m.word(i, 5);
        if (count > 1 && count <= kMax) return std::array{m.word(i, 3), m.word(i, 4), m.word(i, 5)};
    }
    return std::nullopt;
}

uint32_t lane_condition(const Module& m) {
    uint32_t entry = 0, block = 0;
    for (size_t k = 0; k + 1 < m.all.size(); k++) {
        const Instruction& i = m.all[k];
        if (i.op == Op::OpEntryPoint) entry = m.word(i, 2);
        if (entry != 0 && i.op == Op::OpFunction && i.result == entry) block = m.all[k + 1].result;
        if (block == 0 || i.block != block || i.op != Op::OpULessThan) continue;
        for (const auto& branch : m.all)
            if (branch.op == Op::OpBranchConditional && m.word(branch, 1) == i.result) return i.result;
    }
    return 0;
}

bool is_same_in_quad(const Module& m, uint32_t condition) {
    const auto* c = m.definition(condition);
    if (c == nullptr || c->op != Op::OpULessThan || !is_quads(m, operand(m, *c, 1))) return false;
    const auto* lane = operand(m, *c, 0);
    if (lane == nullptr || lane->op != Op::OpIAdd) return false;
    for (const uint32_t which : {0u, 1u}) {
        const auto* quad = operand(m, *lane, which);
        if (quad != nullptr && quad->op == Op::OpShiftLeftLogical && is_number(m, *quad, 1, 2) &&
            is_quads(m, operand(m, *quad, 0)) && is_place_in_quad(m, operand(m, *lane, 1 - which)))
            return true;
    }
    return false;
}

}  // namespace tgsi2spv::difftest::mutation
