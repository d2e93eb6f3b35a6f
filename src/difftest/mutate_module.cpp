#define SPV_ENABLE_UTILITY_CODE
#include "difftest/mutate_module.h"

#include <algorithm>

namespace tgsi2spv::difftest::mutation {

namespace {

using spv::Op;

constexpr uint32_t kHeaderWords = 5;
/// More than this is no module of ours.
constexpr uint32_t kMostIds = 1u << 22;

uint32_t components(const Module& m, uint32_t type) {
    const auto* d = m.definition(type);
    return d != nullptr && d->op == Op::OpTypeVector ? m.word(*d, 3) : 1;
}

/// Each component of the result depends on the same one of each operand alone.
bool is_elementwise(const Module& m, const Instruction& i) {
    const auto in = [&](Op a, Op b) { return i.op >= a && i.op <= b; };
    const bool candidate = in(Op::OpConvertFToU, Op::OpFConvert) || i.op == Op::OpBitcast ||
                           in(Op::OpSNegate, Op::OpFMod) || in(Op::OpIsNan, Op::OpIsInf) ||
                           in(Op::OpLogicalEqual, Op::OpFUnordGreaterThanEqual) ||
                           in(Op::OpShiftRightLogical, Op::OpNot) || i.op == Op::OpBitReverse ||
                           i.op == Op::OpBitCount || i.op == Op::OpCopyObject;
    if (!candidate) return false;
    const uint32_t count = components(m, i.type);
    for (uint32_t k = i.operands; k < i.size; k++)
        if (components(m, m.type_of(m.word(i, k))) != count) return false;
    return true;
}

struct Marker {
    Module& m;
    bool changed = false;

    void mark(uint32_t id, uint8_t mask) {
        if (id >= m.live.size() || (m.live[id] | mask) == m.live[id]) return;
        m.live[id] |= mask;
        changed = true;
    }
    void all(const Instruction& i) {
        for (uint32_t k = i.operands; k < i.size; k++) mark(m.word(i, k), kAllComponents);
    }
    void instruction(const Instruction& i) {
        const uint8_t mask = i.result != 0 ? m.live_components(i.result) : kAllComponents;
        if (i.op == Op::OpPhi) {
            for (uint32_t k = i.operands; k < i.size; k += 2) mark(m.word(i, k), mask);
        } else if (is_elementwise(m, i)) {
            for (uint32_t k = i.operands; k < i.size; k++) mark(m.word(i, k), mask);
        } else if (i.op == Op::OpVectorShuffle) {
            const uint32_t first = components(m, m.type_of(m.word(i, i.operands)));
            for (uint32_t k = i.operands + 2, c = 0; k < i.size; k++, c++) {
                const uint32_t from = m.word(i, k);
                if ((mask >> c & 1) == 0) continue;
                if (from < first)
                    mark(m.word(i, i.operands), static_cast<uint8_t>(1u << from));
                else if (from < first + 4)
                    mark(m.word(i, i.operands + 1), static_cast<uint8_t>(1u << (from - first)));
            }
        } else if (i.op == Op::OpCompositeExtract && i.size == i.operands + 2 &&
                   components(m, m.type_of(m.word(i, i.operands))) > 1) {
            if (mask != 0) mark(m.word(i, i.operands), static_cast<uint8_t>(1u << (m.word(i, i.operands + 1) & 7)));
        } else if (i.op == Op::OpCompositeConstruct && components(m, i.type) > 1) {
            uint32_t at = 0;
            for (uint32_t k = i.operands; k < i.size; k++) {
                const uint32_t count = components(m, m.type_of(m.word(i, k)));
                mark(m.word(i, k), static_cast<uint8_t>(mask >> at & ((1u << count) - 1)));
                at += count;
            }
        } else {
            all(i);
        }
    }
};

void mark_live(Module& m, uint32_t bound) {
    if (bound > kMostIds) return;
    m.live.assign(bound, 0);
    Marker marker{m};
    do {
        marker.changed = false;
        for (size_t k = m.all.size(); k-- > 0;)
            if (m.all[k].block != 0) marker.instruction(m.all[k]);
    } while (marker.changed);
}

}  // namespace

Module read(std::span<const uint32_t> words) {
    Module m{words};
    uint32_t block = 0;
    for (uint32_t at = kHeaderWords; at < words.size();) {
        Instruction i;
        i.op = static_cast<Op>(words[at] & 0xffff);
        i.at = at;
        i.size = words[at] >> 16;
        if (i.size == 0 || at + i.size > words.size()) break;
        bool has_result = false, has_type = false;
        spv::HasResultAndType(i.op, &has_result, &has_type);
        if (has_type) i.type = words[at + i.operands++];
        if (has_result) i.result = words[at + i.operands++];
        if (i.op == Op::OpLabel) block = i.result;
        if (i.op == Op::OpFunctionEnd) block = 0;
        i.block = block;
        if (i.result != 0) m.defined[i.result] = m.all.size();
        m.all.push_back(i);
        at += i.size;
    }
    for (const auto& i : m.all) {
        if (i.block != 0)
            for (uint32_t k = i.operands; k < i.size; k++) m.uses[m.word(i, k)]++;
        switch (i.op) {
            case Op::OpTypeArray:
                m.structural[m.word(i, 3)] = true;
                break;
            case Op::OpControlBarrier:
            case Op::OpMemoryBarrier:
                for (uint32_t k = 1; k < i.size; k++) m.structural[m.word(i, k)] = true;
                break;
            default:
                if (i.op >= Op::OpAtomicLoad && i.op <= Op::OpAtomicXor)
                    for (uint32_t k = i.operands + 1; k < i.size && k < i.operands + 3; k++)
                        m.structural[m.word(i, k)] = true;
                if (i.op >= Op::OpGroupNonUniformElect && i.op <= Op::OpGroupNonUniformQuadSwap)
                    m.structural[m.word(i, i.operands)] = true;
                break;
        }
    }
    mark_live(m, words.size() > 3 ? words[3] : 0);
    return m;
}

bool reaches_live_component(const Module& m, const Instruction& i, uint32_t k) {
    const uint8_t mask = m.live_components(i.result);
    if (i.op == Op::OpVectorShuffle && k < i.operands + 2) {
        const uint32_t first = components(m, m.type_of(m.word(i, i.operands)));
        for (uint32_t at = i.operands + 2, c = 0; at < i.size; at++, c++)
            if ((mask >> c & 1) != 0 && (m.word(i, at) < first) == (k == i.operands)) return true;
        return false;
    }
    if (i.op == Op::OpCompositeConstruct && components(m, i.type) > 1) {
        uint32_t at = 0;
        for (uint32_t before = i.operands; before < k; before++) at += components(m, m.type_of(m.word(i, before)));
        return (mask >> at & ((1u << components(m, m.type_of(m.word(i, k)))) - 1)) != 0;
    }
    return true;
}

}  // namespace tgsi2spv::difftest::mutation
