#define SPV_ENABLE_UTILITY_CODE
#include "mutate/module.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <algorithm>
#include <map>
#include <set>

namespace tgsi2spv::difftest::mutation {

namespace {

using spv::Op;

constexpr uint32_t kHeaderWords = 5;
/// Our modules have no more than this.
constexpr uint32_t kMaxIds = 1u << 22;

uint32_t components(const Module& module, uint32_t type) {
    const auto* d = module.definition(type);
    return d != nullptr && d->op == Op::OpTypeVector ? module.word(*d, 3) : 1;
}

/// Functions of GLSL.std.450, except those that mix components, pack them, or give several results.
bool is_elementwise_function(const Module& module, const Instruction& instruction) {
    if (instruction.op != Op::OpExtInst || instruction.size <= instruction.operands + 2) return false;
    const uint32_t function = module.word(instruction, instruction.operands + 1);
    return (function >= GLSLstd450Round && function <= GLSLstd450InverseSqrt) ||
           (function >= GLSLstd450FMin && function <= GLSLstd450Fma) ||
           (function >= GLSLstd450FindILsb && function <= GLSLstd450FindUMsb) ||
           (function >= GLSLstd450NMin && function <= GLSLstd450NClamp);
}

/// Each component of the result depends only on the same component of each operand.
bool is_elementwise(const Module& module, const Instruction& instruction) {
    const auto in = [&](Op a, Op b) { return instruction.op >= a && instruction.op <= b; };
    const bool candidate = in(Op::OpConvertFToU, Op::OpFConvert) || instruction.op == Op::OpBitcast ||
                           in(Op::OpSNegate, Op::OpFMod) || in(Op::OpIsNan, Op::OpIsInf) ||
                           in(Op::OpLogicalEqual, Op::OpFUnordGreaterThanEqual) ||
                           in(Op::OpShiftRightLogical, Op::OpNot) || instruction.op == Op::OpBitReverse ||
                           instruction.op == Op::OpBitCount || instruction.op == Op::OpCopyObject;
    if (!candidate && !is_elementwise_function(module, instruction)) return false;
    const uint32_t first = instruction.op == Op::OpExtInst ? instruction.operands + 2 : instruction.operands;
    const uint32_t count = components(module, instruction.type);
    for (uint32_t k = first; k < instruction.size; k++)
        if (components(module, module.type_of(module.word(instruction, k))) != count) return false;
    return true;
}

/// Nothing depends on it except through its result.
bool has_no_effect(Op op) {
    return op == Op::OpLoad || op == Op::OpAccessChain || op == Op::OpExtInst || op == Op::OpSelect ||
           (op >= Op::OpConvertFToU && op <= Op::OpBitcast) || (op >= Op::OpSNegate && op <= Op::OpFwidthCoarse) ||
           (op >= Op::OpVectorExtractDynamic && op <= Op::OpTranspose);
}

/// The register in the invocation's own memory that a pointer points to or into: a vector, or an array of vectors.
const Instruction* register_of(const Module& module, uint32_t pointer) {
    const Instruction* variable = module.definition(pointer);
    if (variable != nullptr && variable->op == Op::OpAccessChain)
        variable = module.definition(module.word(*variable, variable->operands));
    if (variable == nullptr || variable->op != Op::OpVariable) return nullptr;
    const auto storage = static_cast<spv::StorageClass>(module.word(*variable, 3));
    if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) return nullptr;
    const Instruction* pointed = module.definition(variable->type);
    if (pointed == nullptr) return nullptr;
    const uint32_t type = module.word(*pointed, 3);
    const Instruction* d = module.definition(type);
    const bool array = d != nullptr && d->op == Op::OpTypeArray;
    return components(module, array ? module.word(*d, 2) : type) > 1 ? variable : nullptr;
}

/// The component of the register, if the pointer names one.
std::optional<uint32_t> component_of(const Module& module, uint32_t pointer) {
    const Instruction* chain = module.definition(pointer);
    if (chain == nullptr || chain->op != Op::OpAccessChain) return std::nullopt;
    const Instruction* pointed = module.definition(chain->type);
    if (pointed == nullptr || components(module, module.word(*pointed, 3)) > 1) return std::nullopt;
    const auto component = module.constant(module.word(*chain, chain->size - 1));
    return component && *component < 4 ? component : std::nullopt;
}

/// A variable with uses other than loads, stores and chains is used in ways that are not followed.
bool only_loaded(const Module& module, uint32_t variable) {
    for (const auto& i : module.all) {
        if (i.block == 0 || i.op == Op::OpAccessChain || i.op == Op::OpLoad) continue;
        for (uint32_t k = i.op == Op::OpStore ? 2 : i.operands; k < i.size; k++)
            if (module.word(i, k) == variable) return false;
    }
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
    void all(const Instruction& instruction) {
        for (uint32_t k = instruction.operands; k < instruction.size; k++) mark(m.word(instruction, k), kAllComponents);
    }
    void instruction(const Instruction& i) {
        const uint8_t mask = i.result != 0 ? m.live_components(i.result) : kAllComponents;
        if (i.op == Op::OpPhi) {
            for (uint32_t k = i.operands; k < i.size; k += 2) mark(m.word(i, k), mask);
        } else if (is_elementwise(m, i)) {
            for (uint32_t k = i.op == Op::OpExtInst ? i.operands + 2 : i.operands; k < i.size; k++)
                mark(m.word(i, k), mask);
        } else if (i.op == Op::OpBitcast &&
                   components(m, i.type) == 2 * components(m, m.type_of(m.word(i, i.operands)))) {
            // 64-bit values split into words.
            uint8_t wide = 0;
            for (uint32_t c = 0; c < 4; c++) wide |= static_cast<uint8_t>((mask >> (2 * c) & 3) != 0 ? 1u << c : 0);
            mark(m.word(i, i.operands), wide);
        } else if (i.op == Op::OpBitcast &&
                   2 * components(m, i.type) == components(m, m.type_of(m.word(i, i.operands)))) {
            uint8_t words = 0;
            for (uint32_t c = 0; c < 4; c++) words |= static_cast<uint8_t>((mask >> c & 1) != 0 ? 3u << (2 * c) : 0);
            mark(m.word(i, i.operands), words);
        } else if (i.op == Op::OpSelect && components(m, m.type_of(m.word(i, i.operands))) == 1) {
            if (mask != 0) mark(m.word(i, i.operands), kAllComponents);
            mark(m.word(i, i.operands + 1), mask);
            mark(m.word(i, i.operands + 2), mask);
        } else if (mask == 0 && has_no_effect(i.op)) {
            return;
        } else if (i.op == Op::OpLoad) {
            if (const auto* array = register_of(m, m.word(i, i.operands))) {
                auto& loaded = m.loaded[array->result];
                const auto component = component_of(m, m.word(i, i.operands));
                const uint8_t now = component                   ? static_cast<uint8_t>(1u << *component)
                                    : components(m, i.type) > 1 ? mask
                                                                : kAllComponents;
                changed |= (loaded | now) != loaded;
                loaded |= now;
            }
            all(i);
        } else if (i.op == Op::OpStore && is_dead_store(m, i)) {
            return;
        } else if (const auto* to = i.op == Op::OpStore ? register_of(m, m.word(i, 1)) : nullptr;
                   to != nullptr && components(m, m.type_of(m.word(i, 2))) > 1 && only_loaded(m, to->result)) {
            // For a register: the components that some load reads.
            mark(m.word(i, 1), kAllComponents);
            mark(m.word(i, 2), m.loaded[to->result]);
        } else if (stores_clock_only(m, i)) {
            return;
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

void mark_live(Module& module) {
    Marker marker{module};
    do {
        marker.changed = false;
        for (size_t k = module.all.size(); k-- > 0;) {
            const Instruction& i = module.all[k];
            if (i.block != 0) {
                marker.instruction(i);
            } else if (i.op == Op::OpConstantComposite) {
                const uint8_t mask = module.live_components(i.result);
                const bool vector = components(module, i.type) > 1;
                for (uint32_t at = 3; at < i.size; at++)
                    if (!vector || (mask >> (at - 3) & 1) != 0) marker.mark(module.word(i, at), kAllComponents);
            }
        }
    } while (marker.changed);
}

void mark_clock(Module& module) {
    module.of_clock.assign(module.live.size(), false);
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& i : module.all) {
            if (i.block == 0 || i.result >= module.of_clock.size() || module.of_clock[i.result]) continue;
            if (i.op == Op::OpReadClockKHR || reads_clock(module, i))
                changed = module.of_clock[i.result] = i.result != 0;
        }
        for (const auto& i : module.all) {
            // A register in memory is also computed from a clock if such a value is stored to it.
            if (i.op != Op::OpStore || module.word(i, 2) >= module.of_clock.size() ||
                !module.of_clock[module.word(i, 2)])
                continue;
            const Instruction* pointer = module.definition(module.word(i, 1));
            if (pointer != nullptr && pointer->op == Op::OpAccessChain)
                pointer = module.definition(module.word(*pointer, pointer->operands));
            if (pointer == nullptr || pointer->op != Op::OpVariable || module.of_clock[pointer->result]) continue;
            const auto storage = static_cast<spv::StorageClass>(module.word(*pointer, 3));
            if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) continue;
            changed = module.of_clock[pointer->result] = true;
        }
        if (std::none_of(module.of_clock.begin(), module.of_clock.end(), [](bool b) { return b; })) return;
    }
}

}  // namespace

bool is_dead_store(const Module& module, const Instruction& instruction) {
    if (instruction.op != Op::OpStore) return false;
    const auto* variable = register_of(module, module.word(instruction, 1));
    if (variable == nullptr) return false;
    const auto component = component_of(module, module.word(instruction, 1));
    const auto loaded = module.loaded.find(variable->result);
    const uint32_t mask = loaded == module.loaded.end() ? 0 : loaded->second;
    if ((component ? mask >> *component & 1 : mask) != 0) return false;
    return only_loaded(module, variable->result);
}

bool stores_clock_only(const Module& module, const Instruction& instruction) {
    if (instruction.op != Op::OpBranchConditional) return false;
    const auto own = static_cast<size_t>(&instruction - module.all.data());
    if (own == 0 || module.all[own - 1].op != Op::OpSelectionMerge) return false;
    const uint32_t merge = module.word(module.all[own - 1], 1);
    bool any = false;
    for (const auto& j : module.all) {
        if (j.block == merge && j.op == Op::OpPhi) return false;
        if (j.block == merge || (j.block != module.word(instruction, 2) && j.block != module.word(instruction, 3)))
            continue;
        if (j.op == Op::OpLabel || has_no_effect(j.op)) continue;
        if (j.op == Op::OpBranch && module.word(j, 1) == merge) continue;
        if (j.op != Op::OpStore || module.word(j, 2) >= module.of_clock.size() || !module.of_clock[module.word(j, 2)])
            return false;
        any = true;
    }
    return any;
}

namespace {

/// The end of the words of an instruction that may be ids: indices of components are not.
uint32_t end_of_ids(const Instruction& instruction) {
    if (instruction.op == Op::OpCompositeExtract) return instruction.operands + 1;
    return instruction.op == Op::OpVectorShuffle ? instruction.operands + 2 : instruction.size;
}

}  // namespace

std::set<uint32_t> choosing_vertex(const Module& module) {
    uint32_t entry = 0, coordinate = 0, first_block = 0;
    for (const auto& j : module.all) {
        if (j.op == Op::OpEntryPoint &&
            static_cast<spv::ExecutionModel>(module.word(j, 1)) == spv::ExecutionModel::TessellationEvaluation)
            entry = module.word(j, 2);
        if (j.op == Op::OpDecorate && module.word(j, 2) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
            module.word(j, 3) == static_cast<uint32_t>(spv::BuiltIn::TessCoord))
            coordinate = module.word(j, 1);
    }
    if (entry == 0 || coordinate == 0) return {};
    // main's first block ends with a branch around one that only returns; nothing else reads the coordinate.
    const Instruction *branch = nullptr, *load = nullptr;
    for (size_t k = 0; k + 1 < module.all.size(); k++) {
        const auto& j = module.all[k];
        if (j.op == Op::OpFunction && j.result == entry) first_block = module.all[k + 1].result;
        if (j.block != 0 && j.block == first_block && j.op == Op::OpBranchConditional) branch = &j;
        if (j.op != Op::OpLoad || module.word(j, j.operands) != coordinate) continue;
        if (load != nullptr) return {};
        load = &j;
    }
    if (branch == nullptr || load == nullptr) return {};
    bool returns = false;
    for (size_t k = 0; k + 1 < module.all.size(); k++)
        returns |= module.all[k].op == Op::OpLabel && module.all[k + 1].op == Op::OpReturn &&
                   (module.all[k].result == module.word(*branch, 2) || module.all[k].result == module.word(*branch, 3));
    if (!returns) return {};
    std::set<uint32_t> of_coordinate{load->result}, places{load->at};
    for (const auto& j : module.all) {
        if (j.block == 0) continue;
        bool reads = false;
        for (uint32_t k = j.operands; k < end_of_ids(j); k++) {
            const bool names_function = j.op == Op::OpExtInst && k == j.operands + 1;
            reads |= !names_function && of_coordinate.contains(module.word(j, k));
        }
        if (!reads || &j == branch) continue;
        if (j.block != first_block || !has_no_effect(j.op) || j.result == 0) return {};
        of_coordinate.insert(j.result);
        places.insert(j.at);
    }
    if (!of_coordinate.contains(module.word(*branch, 1))) return {};
    places.insert(branch->at);
    return places;
}

bool reads_clock(const Module& module, const Instruction& instruction) {
    if (instruction.block == 0) return false;
    for (uint32_t k = instruction.operands; k < instruction.size; k++)
        if (module.word(instruction, k) < module.of_clock.size() && module.of_clock[module.word(instruction, k)])
            return true;
    return false;
}

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
    m.live.assign(words.size() > 3 && words[3] <= kMaxIds ? words[3] : 0, 0);
    mark_clock(m);
    mark_live(m);
    return m;
}

bool reaches_live_component(const Module& module, const Instruction& instruction, uint32_t k) {
    const uint8_t mask = module.live_components(instruction.result);
    if (instruction.op == Op::OpVectorShuffle && k < instruction.operands + 2) {
        const uint32_t first = components(module, module.type_of(module.word(instruction, instruction.operands)));
        for (uint32_t at = instruction.operands + 2, c = 0; at < instruction.size; at++, c++)
            if ((mask >> c & 1) != 0 && (module.word(instruction, at) < first) == (k == instruction.operands))
                return true;
        return false;
    }
    if (instruction.op == Op::OpCompositeConstruct && components(module, instruction.type) > 1) {
        uint32_t at = 0;
        for (uint32_t before = instruction.operands; before < k; before++)
            at += components(module, module.type_of(module.word(instruction, before)));
        return (mask >> at & ((1u << components(module, module.type_of(module.word(instruction, k)))) - 1)) != 0;
    }
    return true;
}

bool serves_clock_only(const Module& module, uint32_t constant) {
    bool any = false;
    for (const auto& i : module.all)
        for (uint32_t k = i.operands; i.block != 0 && k < i.size; k++) {
            if (module.word(i, k) != constant) continue;
            if (!reads_clock(module, i)) return false;
            any = true;
        }
    return any;
}

namespace {

/// Blocks, by label, that are only reached over the edge to `target`: without that block no path leads to them.
std::set<uint32_t> only_behind(const Module& module, uint32_t target) {
    std::map<uint32_t, std::vector<uint32_t>> next;
    std::vector<uint32_t> labels;
    for (const auto& i : module.all) {
        if (i.op == Op::OpLabel) labels.push_back(i.result);
        if (i.op == Op::OpBranch) next[i.block].push_back(module.word(i, 1));
        if (i.op == Op::OpBranchConditional)
            next[i.block].insert(next[i.block].end(), {module.word(i, 2), module.word(i, 3)});
        if (i.op == Op::OpSwitch) {
            next[i.block].push_back(module.word(i, 2));
            for (uint32_t k = 4; k < i.size; k += 2) next[i.block].push_back(module.word(i, k));
        }
    }
    // Entries are the first blocks of functions: those that no edge leads to.
    std::set<uint32_t> led_to, reached;
    for (const auto& [from, to] : next) led_to.insert(to.begin(), to.end());
    std::vector<uint32_t> work;
    for (const uint32_t label : labels)
        if (!led_to.contains(label)) work.push_back(label);
    while (!work.empty()) {
        const uint32_t label = work.back();
        work.pop_back();
        if (label == target || !reached.insert(label).second) continue;
        work.insert(work.end(), next[label].begin(), next[label].end());
    }
    std::set<uint32_t> behind;
    for (const uint32_t label : labels)
        if (!reached.contains(label)) behind.insert(label);
    return behind;
}

}  // namespace

bool matters_only_where(const Module& module, uint32_t id, uint32_t condition, bool holds) {
    std::set<uint32_t> guarded;
    for (const auto& i : module.all) {
        if (i.op != Op::OpBranchConditional || module.word(i, 1) != condition || module.word(i, 2) == module.word(i, 3))
            continue;
        const uint32_t target = module.word(i, holds ? 2 : 3);
        // On another edge to it the condition could have the other value.
        uint32_t ways = 0;
        for (const auto& j : module.all) {
            if (j.op == Op::OpBranch || j.op == Op::OpBranchConditional || j.op == Op::OpSwitch)
                for (uint32_t k = 1; k < j.size; k++) ways += module.word(j, k) == target ? 1 : 0;
        }
        if (ways == 1) guarded.merge(only_behind(module, target));
    }
    std::set<uint32_t> seen{id};
    std::vector<uint32_t> work{id};
    while (!work.empty()) {
        const uint32_t value = work.back();
        work.pop_back();
        for (const auto& i : module.all) {
            if (i.block == 0 || guarded.contains(i.block)) continue;
            bool uses = false;
            for (uint32_t k = i.operands; k < i.size; k++) uses |= module.word(i, k) == value;
            if (!uses || i.op == Op::OpLabel) continue;
            if (i.op == Op::OpSelect && module.word(i, i.operands) == condition &&
                module.word(i, i.operands + (holds ? 2 : 1)) != value && value != condition)
                continue;
            const bool crosses_lanes = i.op >= Op::OpDPdx && i.op <= Op::OpFwidthCoarse;
            if (i.result == 0 || crosses_lanes || !(has_no_effect(i.op) || i.op == Op::OpImageRead)) return false;
            if (seen.insert(i.result).second) work.push_back(i.result);
        }
    }
    return true;
}

std::map<uint32_t, std::pair<uint32_t, uint32_t>> places_of(const Module& module) {
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> places;
    for (const auto& i : module.all) {
        if (i.op != Op::OpDecorate) continue;
        const auto what = static_cast<spv::Decoration>(module.word(i, 2));
        if (what == spv::Decoration::DescriptorSet) places[module.word(i, 1)].first = module.word(i, 3);
        if (what == spv::Decoration::Binding) places[module.word(i, 1)].second = module.word(i, 3);
    }
    return places;
}

uint32_t variable_of(const Module& module, uint32_t pointer) {
    const auto* d = module.definition(pointer);
    while (d != nullptr && d->op == Op::OpAccessChain) d = module.definition(module.word(*d, d->operands));
    return d != nullptr && d->op == Op::OpVariable ? d->result : 0;
}

namespace {

/// The array at the end of the structure for which OpArrayLength asks; 0: not a module of ours.
uint32_t array_of_length(const Module& module, const Instruction& instruction) {
    const auto* pointer = module.definition(module.type_of(module.word(instruction, instruction.operands)));
    const auto* block =
        pointer != nullptr && pointer->op == Op::OpTypePointer ? module.definition(module.word(*pointer, 3)) : nullptr;
    return block != nullptr && block->op == Op::OpTypeStruct ? module.word(*block, block->size - 1) : 0;
}

}  // namespace

bool reads_beyond_first(const Module& module, uint32_t array) {
    for (const auto& i : module.all) {
        if (i.op == Op::OpArrayLength && array_of_length(module, i) == array) return true;
        if (i.op == Op::OpLoad && (module.is_type(i.type, Op::OpTypeStruct) || module.is_type(i.type, Op::OpTypeArray)))
            return true;
        if (i.op != Op::OpAccessChain) continue;
        const auto* pointer = module.definition(module.type_of(module.word(i, i.operands)));
        if (pointer == nullptr || pointer->op != Op::OpTypePointer) return true;
        uint32_t type = module.word(*pointer, 3);
        for (uint32_t k = i.operands + 1; k < i.size; k++) {
            const auto* d = module.definition(type);
            if (d == nullptr) return true;
            const auto index = module.constant(module.word(i, k));
            if (d->op == Op::OpTypeStruct) {
                if (!index || *index + 2 >= d->size) return true;
                type = module.word(*d, 2 + *index);
                continue;
            }
            if (type == array && (!index || *index != 0)) return true;
            type = module.word(*d, 2);
        }
    }
    return false;
}

}  // namespace tgsi2spv::difftest::mutation
