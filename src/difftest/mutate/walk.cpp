// What instructions compute, and their effects.
#include "difftest/mutate/walk.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>

#include "difftest/mutate/lanes.h"

namespace tgsi2spv::difftest::mutation {

uint32_t Walker::bits(uint32_t type) const {
    const auto* d = m.definition(type);
    if (d == nullptr) return 0;
    if (d->op == Op::OpTypeBool) return 1;
    if (d->op == Op::OpTypeInt || d->op == Op::OpTypeFloat) return m.word(*d, 2);
    if (d->op == Op::OpTypeVector) return bits(m.word(*d, 2));
    return 0;
}

uint32_t Walker::count(uint32_t type) const {
    const auto* d = m.definition(type);
    return d != nullptr && d->op == Op::OpTypeVector ? m.word(*d, 3) : 1;
}

const Components& Walker::of(uint32_t id) {
    const auto found = values.find(id);
    if (found != values.end()) return found->second;
    return values[id] = constant(id);
}

Components Walker::constant(uint32_t id) {
    const auto* d = m.definition(id);
    if (d != nullptr && d->op == Op::OpConstant) {
        uint64_t word = m.word(*d, 3);
        if (d->size > 4) word |= uint64_t{m.word(*d, 4)} << 32;
        return {nodes.constant(bits(d->type), word)};
    }
    if (d != nullptr && (d->op == Op::OpConstantTrue || d->op == Op::OpConstantFalse))
        return {nodes.constant(1, d->op == Op::OpConstantTrue ? 1 : 0)};
    if (d != nullptr && d->op == Op::OpConstantNull && bits(d->type) != 0)
        return Components(count(d->type), nodes.constant(bits(d->type), 0));
    if (d != nullptr && d->op == Op::OpConstantComposite && bits(d->type) != 0) {
        Components all;
        for (uint32_t k = 3; k < d->size; k++) all.push_back(of(m.word(*d, k)).front());
        return all;
    }
    // A value defined further down is a name that no other module has.
    const bool later = d != nullptr && d->block != 0 && d->op != Op::OpLabel;
    return {nodes.opaque(Op::OpVariable, 0, later ? kNobody | uint64_t{number} << 32 | id : id, {})};
}

Components Walker::split(uint32_t whole, uint32_t type) {
    const uint32_t n = count(type), width = bits(type);
    if (n == 1) return {whole};
    Components all;
    for (uint32_t c = 0; c < n; c++) all.push_back(nodes.opaque(Op::OpCompositeExtract, width, c, {whole}));
    return all;
}

Components Walker::operands(const Instruction& i, uint32_t from) {
    Components all;
    for (uint32_t k = from; k < i.size; k++) {
        const auto& c = of(m.word(i, k));
        all.insert(all.end(), c.begin(), c.end());
    }
    return all;
}

Components Walker::elementwise(const Instruction& i, uint32_t from, uint64_t literal) {
    const uint32_t n = count(i.type);
    Components all;
    for (uint32_t c = 0; c < n; c++) {
        Components o;
        for (uint32_t k = from; k < i.size; k++) {
            const auto& v = of(m.word(i, k));
            o.push_back(v[v.size() == 1 ? 0 : std::min<size_t>(c, v.size() - 1)]);
        }
        all.push_back(nodes.make(i.op, bits(i.type), literal, std::move(o)));
    }
    return all;
}

Components Walker::bitcast(const Instruction& i) {
    const auto& from = of(m.word(i, i.operands));
    const uint32_t width = bits(i.type), n = count(i.type);
    if (from.size() == n) return elementwise(i, i.operands, 0);
    Components all;
    if (width == 64)
        for (size_t c = 0; c + 1 < from.size(); c += 2) {
            const Node low = nodes[from[c]], high = nodes[from[c + 1]];
            if (low.is_constant() && high.is_constant())
                all.push_back(nodes.constant(64, high.literal << 32 | low.literal));
            else if (low.op == kHalf && high.op == kHalf && low.literal == 0 && high.literal == 1 &&
                     low.operands == high.operands)
                all.push_back(low.operands[0]);
            else
                all.push_back(nodes.opaque(Op::OpCompositeConstruct, 64, 0, {from[c], from[c + 1]}));
        }
    else
        for (const uint32_t whole : from) {
            const Node w = nodes[whole];
            for (uint32_t half = 0; half < 2; half++) {
                if (w.is_constant())
                    all.push_back(nodes.constant(32, w.literal >> (32 * half)));
                else if (w.op == Op::OpCompositeConstruct)
                    all.push_back(w.operands[half]);
                else if (w.op == Op::OpUConvert)
                    all.push_back(half == 0 ? w.operands[0] : nodes.constant(32, 0));
                else
                    all.push_back(nodes.opaque(kHalf, 32, half, {whole}));
            }
        }
    return all;
}

Components Walker::extract(const Instruction& i) {
    const auto& from = of(m.word(i, i.operands));
    const uint32_t first = m.word(i, i.operands + 1);
    const uint32_t type = m.type_of(m.word(i, i.operands));
    if (i.size == i.operands + 2 && bits(type) != 0) return {from[std::min<size_t>(first, from.size() - 1)]};
    uint32_t whole = from.front();
    for (uint32_t k = i.operands + 1; k < i.size; k++)
        whole = nodes.opaque(Op::OpCompositeExtract, k + 1 == i.size ? bits(i.type) : 0,
                             uint64_t{1} << 32 | m.word(i, k), {whole});
    return split(whole, i.type);
}

Components Walker::shuffle(const Instruction& i) {
    Components both = of(m.word(i, i.operands)), all;
    const auto& second = of(m.word(i, i.operands + 1));
    both.insert(both.end(), second.begin(), second.end());
    for (uint32_t k = i.operands + 2; k < i.size; k++)
        all.push_back(both[std::min<size_t>(m.word(i, k), both.size() - 1)]);
    return all;
}

const Instruction* Walker::root(uint32_t pointer) const {
    const auto* d = m.definition(pointer);
    while (d != nullptr && d->op == Op::OpAccessChain) d = m.definition(m.word(*d, d->operands));
    return d != nullptr && d->op == Op::OpVariable ? d : nullptr;
}

Components Walker::load(const Instruction& i) {
    const uint32_t id = m.word(i, i.operands);
    const uint32_t pointer = of(id).front();
    const auto* variable = root(id);
    const auto storage =
        variable == nullptr ? spv::StorageClass::Function : static_cast<spv::StorageClass>(m.word(*variable, 3));
    const bool builtin_changes = variable != nullptr && builtins.contains(variable->result) &&
                                 builtins.at(variable->result) == static_cast<uint32_t>(spv::BuiltIn::HelperInvocation);
    const bool constant = storage == spv::StorageClass::UniformConstant || storage == spv::StorageClass::Uniform ||
                          (storage == spv::StorageClass::Input && !builtin_changes) ||
                          storage == spv::StorageClass::PushConstant ||
                          (variable != nullptr && unwritten.contains(variable->result));
    const auto* chain = m.definition(id);
    if (variable != nullptr && around.zero && chain->op == Op::OpAccessChain) {
        const auto place = places.find(variable->result);
        if (place != places.end() && place->second == std::pair(around.zero->set, around.zero->binding) &&
            m.constant(m.word(*chain, chain->size - 1)) == ZeroWord::kWord)
            return {nodes.constant(32, 0)};
    }
    Components all = split(nodes.opaque(Op::OpLoad, bits(i.type), constant ? 0 : i.at, {pointer}), i.type);
    if (register_of(id) != 0) load_register(i, all);
    if (constant && storage != spv::StorageClass::Input && is_shared(pointer)) shared.insert(all.begin(), all.end());
    if (variable == nullptr || chain->op == Op::OpAccessChain) return all;
    const auto builtin = builtins.find(variable->result);
    if (builtin == builtins.end()) return all;
    const auto kind = static_cast<spv::BuiltIn>(builtin->second);
    if (kind == spv::BuiltIn::HelperInvocation) helpers.insert(all.front());
    for (uint32_t c = 0; c < all.size() && c < 3; c++) {
        if (kind == spv::BuiltIn::LocalInvocationId)
            all[c] = invocation ? nodes.constant(32, (*invocation)[c]) : nodes.bounded(all[c], group[c] - 1);
        if (kind == spv::BuiltIn::InvocationId) all[c] = nodes.bounded(all[c], invocations - 1);
    }
    return all;
}

bool Walker::pure(const Instruction& i) {
    const auto in = [&](Op a, Op b) { return i.op >= a && i.op <= b; };
    if (i.op == Op::OpLoad) return values[i.result] = load(i), true;
    if (i.op == Op::OpPhi) return values[i.result] = phi(i), true;
    if (i.op == Op::OpCopyObject) {
        Components copy = of(m.word(i, i.operands));
        return values[i.result] = std::move(copy), true;
    }
    if (i.op == Op::OpBitcast) return values[i.result] = bitcast(i), true;
    if (i.op == Op::OpCompositeExtract) return values[i.result] = extract(i), true;
    if (i.op == Op::OpVectorShuffle) return values[i.result] = shuffle(i), true;
    if (i.op == Op::OpCompositeConstruct && bits(i.type) != 0) return values[i.result] = operands(i, i.operands), true;
    if (i.op == Op::OpUndef) {
        values[i.result] = split(nodes.opaque(i.op, bits(i.type), i.at, {}), i.type);
        return true;
    }
    const bool each = in(Op::OpConvertFToU, Op::OpFConvert) || in(Op::OpSNegate, Op::OpFMod) ||
                      in(Op::OpIsNan, Op::OpIsInf) || in(Op::OpLogicalEqual, Op::OpFUnordGreaterThanEqual) ||
                      in(Op::OpShiftRightLogical, Op::OpBitCount);
    if (each) return values[i.result] = elementwise(i, i.operands, 0), true;
    if (i.op == Op::OpExtInst) {
        const uint32_t function = m.word(i, i.operands + 1);
        const bool by_component = (function >= GLSLstd450Round && function <= GLSLstd450InverseSqrt) ||
                                  (function >= GLSLstd450FMin && function <= GLSLstd450Fma) ||
                                  (function >= GLSLstd450FindILsb && function <= GLSLstd450FindUMsb) ||
                                  (function >= GLSLstd450NMin && function <= GLSLstd450NClamp);
        if (by_component) return values[i.result] = elementwise(i, i.operands + 2, function), true;
    }
    if (i.op == Op::OpAny || i.op == Op::OpAll) {
        const Components o = of(m.word(i, i.operands));
        uint32_t joined = o.front();
        for (size_t c = 1; c < o.size(); c++)
            joined = nodes.make(i.op == Op::OpAny ? Op::OpLogicalOr : Op::OpLogicalAnd, 1, 0, {joined, o[c]});
        return values[i.result] = {joined}, true;
    }
    // Names the operation as a whole; its literals are part of the name.
    const bool whole = i.op == Op::OpAccessChain || i.op == Op::OpCompositeConstruct || i.op == Op::OpArrayLength ||
                       i.op == Op::OpDot || in(Op::OpIAddCarry, Op::OpSMulExtended) || i.op == Op::OpSampledImage ||
                       in(Op::OpImageSampleImplicitLod, Op::OpImageDrefGather) ||
                       in(Op::OpImage, Op::OpImageQuerySamples) || in(Op::OpDPdx, Op::OpFwidthCoarse) ||
                       i.op == Op::OpExtInst || i.op == Op::OpImageRead;
    if (!whole) return false;
    if (i.op == Op::OpExtInst) {  // those with pointers have effects
        const uint32_t function = m.word(i, i.operands + 1);
        if (function == GLSLstd450Modf || function == GLSLstd450Frexp) return false;
    }
    Components o{nodes.opaque(Op::OpVariable, 0, kType | i.type, {})};
    const auto [signless, signs] = signless_words(i);
    for (uint32_t k = i.operands; k < i.size; k++) {
        if (is_literal(i, k)) {
            o.push_back(nodes.opaque(Op::OpVariable, 0, kLiteral | m.word(i, k), {}));
            continue;
        }
        const auto& c = of(m.word(i, k));
        for (const uint32_t n : c) o.push_back(k >= signless && k < signs ? nodes.without_sign(n) : n);
    }
    const uint64_t place = i.op == Op::OpImageRead ? i.at : 0;
    auto& all = values[i.result] = split(nodes.opaque(i.op, bits(i.type), place, std::move(o)), i.type);
    // Sizes and the numbers of levels and samples are not 0; the first level exists.
    const bool first_level = i.op == Op::OpImageQuerySizeLod && m.constant(m.word(i, i.operands + 1)) == 0u;
    const bool counts = i.op == Op::OpImageQuerySize || i.op == Op::OpImageQueryLevels ||
                        i.op == Op::OpImageQuerySamples || first_level;
    for (const uint32_t n : all)
        if (counts) nodes.at_least(n, 1);
    if (i.op == Op::OpImageQuerySamples) count_samples(i, all);
    // Components that a texel's format lacks are 0 (Vulkan, "Conversion to RGBA").
    const auto* read = i.op == Op::OpImageRead ? m.definition(m.type_of(m.word(i, i.operands))) : nullptr;
    if (read != nullptr && read->op == Op::OpTypeImage && all.size() == 4)
        for (uint32_t c = components_of(static_cast<spv::ImageFormat>(m.word(*read, 8))); c < 3; c++)
            all[c] = nodes.constant(32, 0);
    // A cube's faces are squares (Vulkan, VkImageCreateInfo).
    const bool sized = i.op == Op::OpImageQuerySize || i.op == Op::OpImageQuerySizeLod;
    const auto* image = sized ? m.definition(m.type_of(m.word(i, i.operands))) : nullptr;
    if (image != nullptr && image->op == Op::OpTypeImage && all.size() > 1 &&
        static_cast<spv::Dim>(m.word(*image, 3)) == spv::Dim::Cube)
        all[1] = all[0];
    return true;
}

uint32_t Walker::components_of(spv::ImageFormat format) {
    switch (format) {
        case spv::ImageFormat::R32f:
        case spv::ImageFormat::R32i:
        case spv::ImageFormat::R32ui:
            return 1;
        case spv::ImageFormat::Rg32f:
        case spv::ImageFormat::Rg32i:
        case spv::ImageFormat::Rg32ui:
            return 2;
        default:
            return 4;
    }
}

/// Multisampled images never have one sample (Vulkan, validation of OpTypeImage's MS), and only counts that the device
/// has.
void Walker::count_samples(const Instruction& i, Components& all) {
    const auto* image = m.definition(m.type_of(m.word(i, i.operands)));
    const uint32_t counts = around.sample_counts & ~1u;
    if (image == nullptr || image->op != Op::OpTypeImage || m.word(*image, 6) != 1 || counts == 0) return;
    nodes.at_least(all.front(), std::bit_floor(counts & -counts));
    all.front() = nodes.bounded(all.front(), std::bit_floor(counts));
}

bool Walker::is_literal(const Instruction& i, uint32_t k) {
    if (i.op == Op::OpArrayLength) return k == i.operands + 1;
    if (i.op == Op::OpExtInst) return k <= i.operands + 1;
    if (i.op == Op::OpImageRead || i.op == Op::OpImageFetch) return k == i.operands + 2;
    const bool compared = i.op == Op::OpImageDrefGather || i.op == Op::OpImageGather ||
                          i.op == Op::OpImageSampleDrefImplicitLod || i.op == Op::OpImageSampleDrefExplicitLod ||
                          i.op == Op::OpImageSampleProjDrefImplicitLod || i.op == Op::OpImageSampleProjDrefExplicitLod;
    if (compared) return k == i.operands + 3;
    return i.op >= Op::OpImageSampleImplicitLod && i.op < Op::OpImageFetch && k == i.operands + 2;
}

/// Vulkan, "Scale Factor Operation": the result rises with the magnitudes of the gradients. Those of a cube are
/// projected first.
std::pair<uint32_t, uint32_t> Walker::signless_words(const Instruction& i) const {
    const bool compared = i.op == Op::OpImageSampleDrefExplicitLod;
    if (!around.isotropic || (i.op != Op::OpImageSampleExplicitLod && !compared)) return {0, 0};
    const uint32_t mask = i.operands + (compared ? 3 : 2);
    const auto* sampled = m.definition(m.type_of(m.word(i, i.operands)));
    const auto* image = sampled != nullptr ? m.definition(m.word(*sampled, 2)) : nullptr;
    const bool grad = (m.word(i, mask) & static_cast<uint32_t>(spv::ImageOperandsMask::Grad)) != 0;
    if (!grad || image == nullptr || static_cast<spv::Dim>(m.word(*image, 3)) == spv::Dim::Cube) return {0, 0};
    return {mask + 1, mask + 3};
}

std::pair<uint32_t, uint32_t> Walker::value_words(const Instruction& i) {
    if (i.op == Op::OpStore) return {1, 3};
    if (i.op == Op::OpImageWrite) return {1, 4};
    if (i.op == Op::OpBranchConditional || i.op == Op::OpSwitch || i.op == Op::OpReturnValue) return {1, 2};
    if (i.op == Op::OpAtomicCompareExchange) return {i.operands, i.size};
    if (i.op >= Op::OpAtomicLoad && i.op <= Op::OpAtomicXor) return {i.operands, i.size};
    return {0, 0};
}

bool Walker::is_quiet(const Instruction& i) {
    switch (i.op) {
        case Op::OpBranch:
        case Op::OpBranchConditional:
        case Op::OpSwitch:
        case Op::OpSelectionMerge:
        case Op::OpReturn:
        case Op::OpKill:
        case Op::OpDemoteToHelperInvocation:
        case Op::OpFunction:
        case Op::OpFunctionEnd:
            return true;
        default:
            return false;
    }
}

void Walker::effect(const Instruction& i) {
    const auto [first, end] = value_words(i);
    Effect e;
    Facts here = facts[i.block];
    // What helper invocations store to buffers and images is not written.
    const auto* variable = i.op == Op::OpStore ? root(m.word(i, 1)) : nullptr;
    if (i.op == Op::OpImageWrite || (variable != nullptr && static_cast<spv::StorageClass>(m.word(*variable, 3)) ==
                                                                spv::StorageClass::StorageBuffer))
        for (const uint32_t h : helpers) here[h] = false;
    for (uint32_t k = 0; k < i.size; k++) {
        const bool used = k >= first && k < end;
        if (!used) e.words.push_back(m.word(i, k));
        // It is not known for every operation which words are ids: a word that is no id counts twice.
        const auto* d = m.definition(m.word(i, k));
        if (!used && (k < i.operands || d == nullptr || d->op == Op::OpLabel || d->op == Op::OpFunction)) continue;
        for (const uint32_t n : of(m.word(i, k))) e.nodes.push_back(nodes.under(n, here));
    }
    e.quiet = is_quiet(i);
    // A branch on a known condition goes one way.
    if (i.op == Op::OpBranchConditional && nodes[e.nodes.front()].is_constant())
        e = {{static_cast<uint32_t>(Op::OpBranch), m.word(i, nodes[e.nodes.front()].literal != 0 ? 2 : 3)}, {}, true};
    if (i.op == Op::OpStore) store(i);
    if (i.op == Op::OpFunctionCall) {
        memory_at_call[m.word(i, i.operands)] = memory;
        forget_stores(m.word(i, i.operands));
    }
    e.quiet |= own_stores.contains(i.at);
    if (!unreached.contains(i.block)) effects[i.at] = std::move(e);
    if (i.result != 0) values[i.result] = split(nodes.opaque(i.op, bits(i.type), i.at, {}), i.type);
    of_subgroup(i);
}

bool Walker::is_shared(uint32_t node, uint32_t block) {
    if (invocation) return false;  // the numbers of one invocation look like constants
    if (shared.contains(node)) return true;
    if (const auto here = shared_in.find(node); block != 0 && here != shared_in.end() && here->second == block)
        return true;
    const Node n = nodes[node];
    if (n.is_constant()) return true;
    if (n.op == Op::OpVariable && (n.literal >> 40) != 0) return (n.literal & kNobody) != kNobody;
    const bool computes = n.op == Op::OpSelect || n.op == Op::OpCompositeExtract || n.op == Op::OpCompositeConstruct ||
                          n.op == kHalf || n.op == Op::OpExtInst || n.op == Op::OpAccessChain ||
                          (n.op >= Op::OpConvertFToU && n.op <= Op::OpFConvert) ||
                          (n.op >= Op::OpSNegate && n.op <= Op::OpFMod) ||
                          (n.op >= Op::OpLogicalEqual && n.op <= Op::OpFUnordGreaterThanEqual) ||
                          (n.op >= Op::OpShiftRightLogical && n.op <= Op::OpBitCount);
    if (!computes || n.operands.empty()) return false;
    // A chain starts at the same variable in all invocations.
    const size_t first = n.op == Op::OpAccessChain ? 2 : 0;
    for (size_t k = first; k < n.operands.size(); k++)
        if (!is_shared(n.operands[k], block)) return false;
    if (block == 0)
        shared.insert(node);
    else
        shared_in[node] = block;
    return true;
}

void Walker::of_subgroup(const Instruction& i) {
    if (!is_of_subgroup(i.op)) return;
    auto& result = values[i.result];
    // There are no bits for lanes outside the subgroup (SPIR-V, OpGroupNonUniformBallot).
    if (i.op == Op::OpGroupNonUniformBallot && around.subgroup_size != 0)
        for (uint32_t c = 0; c < result.size(); c++) {
            const uint32_t from = 32 * c, lanes = around.subgroup_size > from ? around.subgroup_size - from : 0;
            if (lanes < 32) result[c] = nodes.bounded(result[c], limit(lanes));
        }
    // If all lanes say the same, the result is what each of them says, and no communication is needed.
    const bool votes = i.op == Op::OpGroupNonUniformAll || i.op == Op::OpGroupNonUniformAny;
    const bool first = i.op == Op::OpGroupNonUniformBroadcastFirst;
    if (!votes && !first && i.op != Op::OpGroupNonUniformBallot) return;
    const Components all = of(m.word(i, i.operands + 1));
    const bool alike = std::all_of(all.begin(), all.end(), [&](uint32_t n) { return is_shared(n, i.block); });
    if (alike && (votes || first)) {
        result = all;
        effects.erase(i.at);
    }
    // If no lane says so, no bit is set.
    const Node said = nodes[all.front()];
    if (i.op == Op::OpGroupNonUniformBallot && said.is_constant() && said.literal == 0) {
        result.assign(result.size(), nodes.constant(32, 0));
        effects.erase(i.at);
    }
    if (!invocation)
        for (const uint32_t n : result) shared_in[n] = i.block;
}

}  // namespace tgsi2spv::difftest::mutation
