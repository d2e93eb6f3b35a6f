// A module walked from constants to effects: what each value is as a node, and what is done with it where. Internal to
// mutate_values.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "difftest/mutate_equal.h"
#include "difftest/mutate_module.h"
#include "difftest/mutate_nodes.h"

namespace tgsi2spv::difftest::mutation {

using spv::Op;

using Components = std::vector<uint32_t>;
/// The low or the high word of 64 bits.
inline constexpr Op kHalf = Op::OpVectorExtractDynamic;
/// What stands for something that is no value: a type, a literal, a number of this module alone.
inline constexpr uint64_t kType = uint64_t{1} << 40, kLiteral = uint64_t{2} << 40, kNobody = uint64_t{3} << 40;

/// What a module does at one place: the words that are no ids, and the nodes of those that are.
struct Effect {
    std::vector<uint32_t> words;
    Components nodes;
    bool quiet = false;  ///< only where this lane goes on, or what it keeps for itself
    bool operator==(const Effect&) const = default;
};

struct Walker {
    const Module& m;
    Nodes& nodes;
    const std::optional<ZeroWord>& zero;
    uint32_t number = 0;                                  ///< of the module
    Facts base{};                                         ///< what holds everywhere
    std::optional<std::array<uint32_t, 3>> invocation{};  ///< of the work group: this one

    std::map<uint32_t, Components> values{};
    std::map<uint32_t, Effect> effects{};                                    ///< by place
    std::map<uint32_t, std::map<uint32_t, std::vector<Components>>> phis{};  ///< by place: label, values
    std::map<uint32_t, Facts> facts{};                                       ///< by block
    std::map<uint32_t, std::vector<uint32_t>> before{};                      ///< blocks that lead to a block
    std::map<uint32_t, const Instruction*> ends{};                           ///< by block
    std::map<uint32_t, uint32_t> header_of{};                                ///< merge block: the selection's header
    std::set<uint32_t> unreached{};                                          ///< blocks
    std::map<uint32_t, uint32_t> effects_in{};                               ///< by block
    std::set<uint32_t> crossing{};                                           ///< blocks that read other lanes
    std::set<uint32_t> joins{};                                              ///< blocks with a phi of their own
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> places{};              ///< variable: set, binding
    std::map<uint32_t, uint32_t> builtins{};
    std::set<uint32_t> helpers{};  ///< nodes: whether this is a helper invocation
    uint32_t invocations = 1;
    uint32_t group[3] = {1, 1, 1};

    // ---- types

    uint32_t bits(uint32_t type) const {
        const auto* d = m.definition(type);
        if (d == nullptr) return 0;
        if (d->op == Op::OpTypeBool) return 1;
        if (d->op == Op::OpTypeInt || d->op == Op::OpTypeFloat) return m.word(*d, 2);
        if (d->op == Op::OpTypeVector) return bits(m.word(*d, 2));
        return 0;
    }
    uint32_t count(uint32_t type) const {
        const auto* d = m.definition(type);
        return d != nullptr && d->op == Op::OpTypeVector ? m.word(*d, 3) : 1;
    }

    // ---- values

    const Components& of(uint32_t id) {
        const auto found = values.find(id);
        if (found != values.end()) return found->second;
        return values[id] = constant(id);
    }
    /// Of a constant, a variable, or what only its number names.
    Components constant(uint32_t id) {
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
        // What stands further down is nothing that another module has.
        const bool later = d != nullptr && d->block != 0 && d->op != Op::OpLabel;
        return {nodes.opaque(Op::OpVariable, 0, later ? kNobody | uint64_t{number} << 32 | id : id, {})};
    }
    /// The components of one value that is known as a whole.
    Components split(uint32_t whole, uint32_t type) {
        const uint32_t n = count(type), width = bits(type);
        if (n == 1) return {whole};
        Components all;
        for (uint32_t c = 0; c < n; c++) all.push_back(nodes.opaque(Op::OpCompositeExtract, width, c, {whole}));
        return all;
    }
    Components operands(const Instruction& i, uint32_t from) {
        Components all;
        for (uint32_t k = from; k < i.size; k++) {
            const auto& c = of(m.word(i, k));
            all.insert(all.end(), c.begin(), c.end());
        }
        return all;
    }

    /// Each component by itself, of those of the operands.
    Components elementwise(const Instruction& i, uint32_t from, uint64_t literal) {
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

    /// Words of 64 bits taken apart or put together.
    Components bitcast(const Instruction& i) {
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
                    else
                        all.push_back(nodes.opaque(kHalf, 32, half, {whole}));
                }
            }
        return all;
    }

    Components extract(const Instruction& i) {
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

    Components shuffle(const Instruction& i) {
        Components both = of(m.word(i, i.operands)), all;
        const auto& second = of(m.word(i, i.operands + 1));
        both.insert(both.end(), second.begin(), second.end());
        for (uint32_t k = i.operands + 2; k < i.size; k++)
            all.push_back(both[std::min<size_t>(m.word(i, k), both.size() - 1)]);
        return all;
    }

    /// The variable that an access chain starts from; 0: a pointer of another kind.
    const Instruction* root(uint32_t pointer) const {
        const auto* d = m.definition(pointer);
        while (d != nullptr && d->op == Op::OpAccessChain) d = m.definition(m.word(*d, d->operands));
        return d != nullptr && d->op == Op::OpVariable ? d : nullptr;
    }

    Components load(const Instruction& i) {
        const uint32_t id = m.word(i, i.operands);
        const uint32_t pointer = of(id).front();
        const auto* variable = root(id);
        const auto storage =
            variable == nullptr ? spv::StorageClass::Function : static_cast<spv::StorageClass>(m.word(*variable, 3));
        const bool builtin_changes =
            variable != nullptr && builtins.contains(variable->result) &&
            builtins.at(variable->result) == static_cast<uint32_t>(spv::BuiltIn::HelperInvocation);
        const bool constant = storage == spv::StorageClass::UniformConstant || storage == spv::StorageClass::Uniform ||
                              (storage == spv::StorageClass::Input && !builtin_changes) ||
                              storage == spv::StorageClass::PushConstant;
        const auto* chain = m.definition(id);
        if (variable != nullptr && zero && chain->op == Op::OpAccessChain) {
            const auto place = places.find(variable->result);
            if (place != places.end() && place->second == std::pair(zero->set, zero->binding) &&
                m.constant(m.word(*chain, chain->size - 1)) == ZeroWord::kWord)
                return {nodes.constant(32, 0)};
        }
        Components all = split(nodes.opaque(Op::OpLoad, bits(i.type), constant ? 0 : i.at, {pointer}), i.type);
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

    /// Behind a selection that has one block a side, or none: chosen by its condition.
    std::optional<Components> chosen(const Instruction& i) {
        const auto found = header_of.find(i.block);
        if (found == header_of.end() || i.size != i.operands + 4) return std::nullopt;
        const Instruction& branch = *ends.at(found->second);
        if (branch.op != Op::OpBranchConditional) return std::nullopt;
        const Components* arms[2] = {};
        for (uint32_t k = i.operands; k < i.size; k += 2) {
            const uint32_t from = m.word(i, k + 1);
            for (uint32_t arm = 0; arm < 2; arm++) {
                const uint32_t target = m.word(branch, 2 + arm);
                const bool direct = target == i.block && from == found->second;
                const bool through = target == from && before[from].size() == 1;
                if (direct || through) arms[arm] = &of(m.word(i, k));
            }
        }
        if (arms[0] == nullptr || arms[1] == nullptr || bits(i.type) == 0) return std::nullopt;
        const Components yes = *arms[0], no = *arms[1];
        const uint32_t condition = of(m.word(branch, 1)).front();
        Facts holds, fails;
        nodes.learn(holds, condition, true);
        nodes.learn(fails, condition, false);
        Components all;
        for (size_t c = 0; c < yes.size(); c++)
            all.push_back(nodes.make(Op::OpSelect, bits(i.type), 0,
                                     {condition, nodes.under(yes[c], holds), nodes.under(no[c], fails)}));
        return all;
    }

    Components phi(const Instruction& i) {
        if (auto selected = chosen(i)) return *selected;
        joins.insert(i.block);
        return split(nodes.opaque(Op::OpPhi, bits(i.type), i.at, {}), i.type);
    }
    /// When all is known: what comes from where.
    void close_phi(const Instruction& i) {
        auto& from = phis[i.at];
        for (uint32_t k = i.operands; k < i.size; k += 2) {
            if (unreached.contains(m.word(i, k + 1))) continue;
            const Facts& there = facts[m.word(i, k + 1)];
            Components known;
            for (const uint32_t n : of(m.word(i, k))) known.push_back(nodes.under(n, there));
            from[m.word(i, k + 1)].push_back(std::move(known));
        }
    }

    // ---- instructions

    /// What depends on its operands alone, or on memory that nobody writes; false: an effect.
    bool pure(const Instruction& i) {
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
        if (i.op == Op::OpCompositeConstruct && bits(i.type) != 0)
            return values[i.result] = operands(i, i.operands), true;
        if (i.op == Op::OpUndef) {
            values[i.result] = split(nodes.opaque(i.op, bits(i.type), i.at, {}), i.type);
            return true;
        }
        const bool each = in(Op::OpConvertFToU, Op::OpFConvert) || in(Op::OpSNegate, Op::OpFMod) ||
                          in(Op::OpIsNan, Op::OpIsInf) || in(Op::OpLogicalEqual, Op::OpFUnordGreaterThanEqual) ||
                          in(Op::OpShiftRightLogical, Op::OpNot) || i.op == Op::OpBitReverse || i.op == Op::OpBitCount;
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
        // The operation as a whole; its literals are part of its name.
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
        for (uint32_t k = i.operands; k < i.size; k++) {
            if (is_literal(i, k)) {
                o.push_back(nodes.opaque(Op::OpVariable, 0, kLiteral | m.word(i, k), {}));
                continue;
            }
            const auto& c = of(m.word(i, k));
            o.insert(o.end(), c.begin(), c.end());
        }
        const uint64_t place = i.op == Op::OpImageRead ? i.at : 0;
        auto& all = values[i.result] = split(nodes.opaque(i.op, bits(i.type), place, std::move(o)), i.type);
        // Nothing is without extent, levels or samples.
        const bool counts =
            i.op == Op::OpImageQuerySize || i.op == Op::OpImageQueryLevels || i.op == Op::OpImageQuerySamples;
        for (const uint32_t n : all)
            if (counts) nodes.at_least(n, 1);
        // What a texel's format lacks is 0 (Vulkan, "Conversion to RGBA").
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
    static uint32_t components_of(spv::ImageFormat format) {
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
    static bool is_literal(const Instruction& i, uint32_t k) {
        if (i.op == Op::OpArrayLength) return k == i.operands + 1;
        if (i.op == Op::OpExtInst) return k <= i.operands + 1;
        if (i.op == Op::OpImageRead || i.op == Op::OpImageFetch) return k == i.operands + 2;
        const bool compared = i.op == Op::OpImageDrefGather || i.op == Op::OpImageGather ||
                              i.op == Op::OpImageSampleDrefImplicitLod || i.op == Op::OpImageSampleDrefExplicitLod ||
                              i.op == Op::OpImageSampleProjDrefImplicitLod ||
                              i.op == Op::OpImageSampleProjDrefExplicitLod;
        if (compared) return k == i.operands + 3;
        return i.op >= Op::OpImageSampleImplicitLod && i.op < Op::OpImageFetch && k == i.operands + 2;
    }
    /// Operands of effects that are values and nothing else.
    static std::pair<uint32_t, uint32_t> value_words(const Instruction& i) {
        if (i.op == Op::OpStore) return {1, 3};
        if (i.op == Op::OpImageWrite) return {1, 4};
        if (i.op == Op::OpBranchConditional || i.op == Op::OpSwitch || i.op == Op::OpReturnValue) return {1, 2};
        if (i.op == Op::OpAtomicCompareExchange) return {i.operands, i.size};
        if (i.op >= Op::OpAtomicLoad && i.op <= Op::OpAtomicXor) return {i.operands, i.size};
        return {0, 0};
    }

    /// No loop: it might not end.
    static bool is_quiet(const Instruction& i) {
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

    void effect(const Instruction& i) {
        const auto [first, end] = value_words(i);
        Effect e;
        Facts here = facts[i.block];
        // What helper invocations write to buffers and images is not written.
        const auto* variable = i.op == Op::OpStore ? root(m.word(i, 1)) : nullptr;
        if (i.op == Op::OpImageWrite || (variable != nullptr && static_cast<spv::StorageClass>(m.word(*variable, 3)) ==
                                                                    spv::StorageClass::StorageBuffer))
            for (const uint32_t h : helpers) here[h] = false;
        for (uint32_t k = 0; k < i.size; k++) {
            const bool used = k >= first && k < end;
            if (!used) e.words.push_back(m.word(i, k));
            // Which words are ids is not known of every operation: one that is none counts twice.
            const auto* d = m.definition(m.word(i, k));
            if (!used && (k < i.operands || d == nullptr || d->op == Op::OpLabel || d->op == Op::OpFunction)) continue;
            for (const uint32_t n : of(m.word(i, k))) e.nodes.push_back(nodes.under(n, here));
        }
        e.quiet = is_quiet(i);
        // A branch whose condition is known goes one way.
        if (i.op == Op::OpBranchConditional && nodes[e.nodes.front()].is_constant())
            e = {{static_cast<uint32_t>(Op::OpBranch), m.word(i, nodes[e.nodes.front()].literal != 0 ? 2 : 3)},
                 {},
                 true};
        if (!unreached.contains(i.block)) effects[i.at] = std::move(e);
        const bool flows = i.op == Op::OpBranch || i.op == Op::OpSelectionMerge;
        if (!flows) effects_in[i.block]++;
        if (i.result != 0) values[i.result] = split(nodes.opaque(i.op, bits(i.type), i.at, {}), i.type);
    }

    // ---- blocks

    void survey() {
        uint32_t merge = 0;
        for (const auto& i : m.all) {
            if (i.op == Op::OpDecorate) {
                const auto what = static_cast<spv::Decoration>(m.word(i, 2));
                if (what == spv::Decoration::DescriptorSet) places[m.word(i, 1)].first = m.word(i, 3);
                if (what == spv::Decoration::Binding) places[m.word(i, 1)].second = m.word(i, 3);
                if (what == spv::Decoration::BuiltIn) builtins[m.word(i, 1)] = m.word(i, 3);
            }
            if (i.op == Op::OpExecutionMode) {
                const auto mode = static_cast<spv::ExecutionMode>(m.word(i, 2));
                if (mode == spv::ExecutionMode::LocalSize)
                    for (uint32_t c = 0; c < 3; c++) group[c] = std::max(1u, m.word(i, 3 + c));
                if (mode == spv::ExecutionMode::Invocations || mode == spv::ExecutionMode::OutputVertices)
                    invocations = std::max(invocations, m.word(i, 3));
            }
            if (i.block == 0) continue;
            if (i.op == Op::OpSelectionMerge) merge = m.word(i, 1);
            const bool ends_block = i.op == Op::OpBranch || i.op == Op::OpBranchConditional || i.op == Op::OpSwitch ||
                                    i.op == Op::OpReturn || i.op == Op::OpReturnValue || i.op == Op::OpKill ||
                                    i.op == Op::OpUnreachable;
            if (!ends_block) continue;
            ends[i.block] = &i;
            if (merge != 0) header_of[merge] = i.block;
            merge = 0;
            if (i.op == Op::OpBranch) before[m.word(i, 1)].push_back(i.block);
            if (i.op == Op::OpBranchConditional)
                for (uint32_t k = 2; k < 4; k++) before[m.word(i, k)].push_back(i.block);
            if (i.op == Op::OpSwitch)
                for (uint32_t k = 2; k < i.size; k += 2) before[m.word(i, k)].push_back(i.block);
        }
        for (auto& [label, from] : before) {
            std::sort(from.begin(), from.end());
            from.erase(std::unique(from.begin(), from.end()), from.end());
        }
    }
    /// What holds in a block because of how it is reached.
    void enter(uint32_t label) {
        const auto header = header_of.find(label);
        if (header != header_of.end()) {
            facts[label] = facts[header->second];
            return;
        }
        facts[label] = base;
        const auto from = before.find(label);
        if (from == before.end() || from->second.size() != 1) return;
        const uint32_t one = from->second.front();
        Facts here = facts[one];
        const Instruction& end = *ends.at(one);
        const uint32_t condition = end.op == Op::OpBranchConditional ? of(m.word(end, 1)).front() : 0;
        const bool two_ways = end.op == Op::OpBranchConditional && m.word(end, 2) != m.word(end, 3);
        if (two_ways) {
            const Node& known = nodes[nodes.under(condition, here)];
            if (known.is_constant() && m.word(end, known.literal != 0 ? 2 : 3) != label) unreached.insert(label);
        }
        if (unreached.contains(one)) unreached.insert(label);
        if (two_ways) nodes.learn(here, nodes.under(condition, facts[one]), m.word(end, 2) == label);
        facts[label] = std::move(here);
    }

    /// A branch around blocks that only compute: all that comes of it is what is chosen behind it.
    void drop(uint32_t merge, uint32_t header) {
        const Instruction& branch = *ends.at(header);
        if (branch.op != Op::OpBranchConditional || joins.contains(merge) || !effects.contains(branch.at)) return;
        bool crosses = false;
        for (uint32_t k = 2; k < 4; k++) {
            const uint32_t arm = m.word(branch, k);
            if (arm == merge) continue;
            const auto end = ends.find(arm);
            if (end == ends.end() || end->second->op != Op::OpBranch || m.word(*end->second, 1) != merge) return;
            if (before[arm].size() != 1 || effects_in[arm] != 0) return;
            crosses |= crossing.contains(arm);
        }
        Effect& e = effects[branch.at];
        e.words.clear();
        // Where neighbours are read they must still be there.
        if (!crosses) e.nodes.clear();
    }

    void walk() {
        survey();
        for (const auto& i : m.all) {
            if (i.block == 0) continue;
            if (i.op == Op::OpLabel) {
                enter(i.result);
                continue;
            }
            if (!pure(i))
                effect(i);
            else if (crosses_lanes(i.op))
                crossing.insert(i.block);
        }
        for (const auto& [merge, header] : header_of) drop(merge, header);
        for (const auto& i : m.all)
            if (i.op == Op::OpPhi) close_phi(i);
    }
};

}  // namespace tgsi2spv::difftest::mutation
