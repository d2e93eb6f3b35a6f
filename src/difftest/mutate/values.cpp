#include "difftest/mutate/values.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "difftest/mutate/lanes.h"
#include "difftest/mutate/walk.h"

namespace tgsi2spv::difftest::mutation {

namespace {

/// Compares all words except those of functions and constants.
bool same_outside(const Module& a, const Module& b) {
    if (a.all.size() != b.all.size() || a.words.size() != b.words.size()) return false;
    for (size_t k = 0; k < a.all.size(); k++) {
        const Instruction& i = a.all[k];
        if (i.op != b.all[k].op && i.block == 0) return false;
        if (i.op == Op::OpConstant && a.word(i, 2) == b.word(i, 2) &&
            (!a.structural.contains(i.result) || a.word(i, i.size - 1) == b.word(i, i.size - 1)))
            continue;
        if (i.block != 0) continue;
        for (uint32_t w = 0; w < i.size; w++)
            if (a.word(i, w) != b.word(i, w)) return false;
    }
    return true;
}

}  // namespace

bool same_outside(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant) {
    return same_outside(read(module), read(mutant));
}

namespace {

/// What is assumed in both modules.
struct Case {
    std::vector<std::pair<uint32_t, bool>> conditions{};  ///< results in the first block of both
    bool in_quad = false;                                 ///< in all lanes of the quad
    std::optional<std::array<uint32_t, 3>> invocation{};
};

/// A lane that has no effects, whatever it computes.
bool is_idle(const Walker& w) {
    return std::all_of(w.effects.begin(), w.effects.end(), [](const auto& e) { return e.second.quiet; });
}

bool same_in(const Module& a, const Module& b, const Surroundings& around, const Case& holds) {
    Nodes nodes;
    nodes.open_alike = around.open_alike;
    const LoopFacts loops_of_first = loop_facts(a, around, holds.invocation);
    const LoopFacts loops_of_second = loop_facts(b, around, holds.invocation);
    Walker first{a, nodes, around, 0}, second{b, nodes, around, 1};
    first.loops = &loops_of_first;
    second.loops = &loops_of_second;
    if (!holds.conditions.empty()) {
        // Finds the nodes of the conditions, in the same table that the walks then use.
        Walker names{a, nodes, around, 0}, others{b, nodes, around, 1};
        names.loops = &loops_of_first;
        others.loops = &loops_of_second;
        names.walk();
        others.walk();
        Facts facts;
        for (const auto& [id, so] : holds.conditions) {
            if (names.of(id) != others.of(id)) return false;
            nodes.learn(facts, names.of(id).front(), so);
        }
        first.base = second.base = facts;
        if (holds.in_quad) nodes.in_quad = facts;
    }
    first.invocation = second.invocation = holds.invocation;
    first.walk();
    second.walk();
    std::set<Cell> asked = first.asked;
    asked.insert(second.asked.begin(), second.asked.end());
    first.settle_stores(asked);
    second.settle_stores(asked);
    if (!holds.conditions.empty() && is_idle(first) && is_idle(second)) return true;
    if (first.effects != second.effects) return false;
    // The phis that the effects depend on.
    std::vector<uint32_t> work;
    std::set<uint32_t> seen;
    const auto need = [&](uint32_t n) {
        if (seen.insert(n).second) work.push_back(n);
    };
    for (const auto& [at, effect] : first.effects)
        for (const uint32_t n : effect.nodes) need(n);
    while (!work.empty()) {
        const Node& n = nodes[work.back()];
        work.pop_back();
        for (const uint32_t o : n.operands) need(o);
        if (n.op != Op::OpPhi) continue;
        const PhiPlace at(static_cast<uint32_t>(n.literal), static_cast<uint32_t>(n.literal >> 32));
        const auto x = first.phis.find(at), y = second.phis.find(at);
        if (x == first.phis.end() || y == second.phis.end() || x->second != y->second) return false;
        for (const auto& [label, value] : x->second) need(value);
    }
    return true;
}

/// What lanes of a subgroup communicate is something that each of them knows, so it does not matter who takes part.
bool tells_nothing(const Module& m, const Surroundings& around) {
    Nodes nodes;
    const LoopFacts loops = loop_facts(m, around, std::nullopt);
    Walker w{m, nodes, around, 0};
    w.loops = &loops;
    w.walk();
    return std::none_of(m.all.begin(), m.all.end(),
                        [&](const Instruction& i) { return is_of_subgroup(i.op) && w.effects.contains(i.at); });
}

bool same_in_each_invocation(const Module& a, const Module& b, const Surroundings& around,
                             const std::array<uint32_t, 3>& group) {
    for (uint32_t z = 0; z < group[2]; z++)
        for (uint32_t y = 0; y < group[1]; y++)
            for (uint32_t x = 0; x < group[0]; x++)
                if (!same_in(a, b, around, {{}, false, std::array{x, y, z}})) return false;
    return true;
}

}  // namespace

bool same_values(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant, const Surroundings& around) {
    const Module a = read(module), b = read(mutant);
    if (!same_outside(a, b)) return false;
    if (same_in(a, b, around, {})) return true;
    // Two cases that leave none out.
    if (const uint32_t condition = lane_condition(a); condition != 0 && condition == lane_condition(b)) {
        const bool in_quad = reads_neighbours(a) || reads_neighbours(b);
        const bool known = !in_quad || (is_same_in_quad(a, condition) && is_same_in_quad(b, condition));
        const bool apart =
            !(reads_subgroup(a) || reads_subgroup(b)) || (tells_nothing(a, around) && tells_nothing(b, around));
        if (known && apart && same_in(a, b, around, {{{condition, true}}, in_quad, {}}) &&
            same_in(a, b, around, {{{condition, false}}, in_quad, {}}))
            return true;
    }
    const auto group = small_group(a);
    // Communication between lanes of a subgroup is an effect, and each lane does it in the same way.
    if (!group || reads_neighbours(a) || reads_neighbours(b)) return false;
    return same_in_each_invocation(a, b, around, *group);
}

}  // namespace tgsi2spv::difftest::mutation
