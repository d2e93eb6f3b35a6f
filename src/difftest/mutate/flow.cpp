// Control flow: which edges lead where, what holds there, and which values result at merges.
#include "difftest/mutate/walk.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>

namespace tgsi2spv::difftest::mutation {

std::set<uint32_t> Walker::region(uint32_t target, uint32_t merge, uint32_t header) const {
    std::set<uint32_t> inside;
    std::vector<uint32_t> work{target};
    const size_t first = header == 0 ? 0 : m.defined.at(header);
    while (!work.empty()) {
        const uint32_t label = work.back();
        work.pop_back();
        // A block before the branch is reached through a loop's back edge.
        if (label == merge || m.defined.at(label) <= first || !inside.insert(label).second) continue;
        const auto to = after.find(label);
        if (to != after.end()) work.insert(work.end(), to->second.begin(), to->second.end());
    }
    return inside;
}

std::optional<Walker::Sides> Walker::sides_of(uint32_t merge) {
    const auto found = header_of.find(merge);
    if (found == header_of.end()) return std::nullopt;
    const uint32_t header = found->second;
    const Instruction& branch = *ends.at(header);
    if (branch.op != Op::OpBranchConditional || m.word(branch, 2) == m.word(branch, 3)) return std::nullopt;
    Sides sides{header, nodes.under(of(m.word(branch, 1)).front(), facts[header])};
    for (uint32_t arm = 0; arm < 2; arm++) {
        sides.inside[arm] = region(m.word(branch, 2 + arm), merge, header);
        sides.direct[arm] = m.word(branch, 2 + arm) == merge;
    }
    return sides;
}

uint32_t Walker::Sides::arm(uint32_t from) const {
    for (const uint32_t arm : {0u, 1u})
        if ((direct[arm] && from == header) || (inside[arm].contains(from) && !inside[1 - arm].contains(from)))
            return arm;
    return kBoth;
}

Facts Walker::on_side(const Sides& sides, uint32_t arm, uint32_t from, uint32_t merge) {
    Facts here = on_edge(from, merge);
    nodes.learn(here, sides.condition, arm == 0);
    return here;
}

std::optional<Components> Walker::chosen(const Instruction& i) {
    if (i.size != i.operands + 4 || bits(i.type) == 0) return std::nullopt;
    const auto sides = sides_of(i.block);
    if (!sides) return std::nullopt;
    std::optional<Components> arms[2];
    for (uint32_t k = i.operands; k < i.size; k += 2) {
        const uint32_t from = m.word(i, k + 1);
        if (!is_known_before(m.word(i, k), i)) return std::nullopt;
        const uint32_t arm = sides->arm(from);
        if (arm == Sides::kBoth) continue;
        const Facts here = on_side(*sides, arm, from, i.block);
        Components all;
        for (const uint32_t n : of(m.word(i, k))) all.push_back(nodes.under(n, here));
        arms[arm] = std::move(all);
    }
    if (!arms[0] || !arms[1]) return std::nullopt;
    Components all;
    for (size_t c = 0; c < arms[0]->size(); c++)
        all.push_back(nodes.make(Op::OpSelect, bits(i.type), 0, {sides->condition, (*arms[0])[c], (*arms[1])[c]}));
    return all;
}

bool Walker::is_known_before(uint32_t id, const Instruction& i) const {
    const auto* d = m.definition(id);
    return d == nullptr || d->block == 0 || d->at < i.at;
}

Components Walker::phi(const Instruction& i) {
    if (auto selected = chosen(i)) return *selected;
    joins.insert(i.block);
    const uint32_t width = bits(i.type);
    if (width == 0) return {nodes.opaque(Op::OpPhi, 0, i.at, {})};
    const bool header = loop_headers.contains(i.block);
    bool known = true;
    for (uint32_t k = i.operands; k < i.size; k += 2) known &= is_known_before(m.word(i, k), i);
    Components all;
    for (uint32_t c = 0; c < count(i.type); c++)
        all.push_back(header ? carried(i, c, width) : known ? joined(i, c, width) : unknown_phi(i, c, width, {}));
    return all;
}

uint32_t Walker::unknown_phi(const Instruction& i, uint32_t c, uint32_t width, const Range& range) {
    const auto word = [&](uint64_t w) { return nodes.constant(64, w); };
    Components name{word(range.lo), word(range.hi), word(static_cast<uint64_t>(range.least)),
                    word(static_cast<uint64_t>(range.most))};
    if (const FloatRange& f = range.number; f.real)
        name.insert(name.end(), {word(f.whole ? 1 : 0), word(std::bit_cast<uint64_t>(f.least)),
                                 word(std::bit_cast<uint64_t>(f.most))});
    const uint32_t node = nodes.opaque(Op::OpPhi, width, uint64_t{c} << 32 | i.at, std::move(name));
    nodes.within(node, range);
    return node;
}

uint32_t Walker::joined(const Instruction& i, uint32_t c, uint32_t width) {
    std::optional<uint32_t> same;
    std::optional<Range> range;
    bool alike = true;
    for (uint32_t k = i.operands; k < i.size; k += 2) {
        const uint32_t from = m.word(i, k + 1);
        if (is_dead(from, i.block)) continue;
        const Facts there = on_edge(from, i.block);
        const uint32_t n = nodes.under(of(m.word(i, k))[c], there);
        alike = alike && (!same || *same == n);
        same = n;
        const Range one = nodes.range(n, there);
        range = range ? hull(*range, one) : one;
    }
    if (same && alike) return *same;
    return unknown_phi(i, c, width, range.value_or(Range{}));
}

uint32_t Walker::carried(const Instruction& i, uint32_t c, uint32_t width) {
    const PhiPlace place{i.at, c};
    uint32_t& node = phi_nodes[place];
    const LoopFact supposed;
    const LoopFact* fact = loops != nullptr && loops->of.contains(place) ? &loops->of.at(place) : &supposed;
    if (fact == &supposed && !suppose) return node = unknown_phi(i, c, width, {});
    if (!fact->constant && fact->like != place) return node = phi_nodes.at(fact->like);
    if (!fact->constant) return node = unknown_phi(i, c, width, fact->range);
    for (uint32_t k = i.operands; k < i.size; k += 2)
        if (!is_back_edge(i, m.word(i, k + 1)) && !is_dead(m.word(i, k + 1), i.block))
            return node = of(m.word(i, k))[c];
    return node = unknown_phi(i, c, width, {});
}

bool Walker::is_back_edge(const Instruction& phi, uint32_t from) const {
    return m.defined.at(from) >= m.defined.at(phi.block);
}

void Walker::close_phi(const Instruction& i) {
    for (uint32_t k = i.operands; k < i.size; k += 2) {
        const uint32_t from = m.word(i, k + 1);
        if (is_dead(from, i.block)) continue;
        const Facts there = on_edge(from, i.block);
        const Components& all = of(m.word(i, k));
        for (uint32_t c = 0; c < all.size(); c++) phis[{i.at, c}][from] = nodes.under(all[c], there);
    }
}

void Walker::survey() {
    places = places_of(m);
    uint32_t merge = 0;
    std::set<uint32_t> read_only, aliased;
    for (const auto& i : m.all) {
        if (i.op == Op::OpMemberDecorate && static_cast<spv::Decoration>(m.word(i, 3)) == spv::Decoration::NonWritable)
            read_only.insert(m.word(i, 1));
        // Each of our buffers has one member; no other variable refers to the same buffer, unless declared so.
        if (i.op == Op::OpVariable &&
            static_cast<spv::StorageClass>(m.word(i, 3)) == spv::StorageClass::StorageBuffer) {
            const auto* type = m.definition(m.word(*m.definition(i.type), 3));
            if (type->size == 3 && read_only.contains(type->result) && !aliased.contains(i.result))
                unwritten.insert(i.result);
        }
        if (i.op == Op::OpDecorate) {
            const auto what = static_cast<spv::Decoration>(m.word(i, 2));
            if (what == spv::Decoration::Aliased) aliased.insert(m.word(i, 1));
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
        if (i.op == Op::OpLoopMerge) loop_headers.insert(i.block);
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
        for (const uint32_t one : from) after[one].push_back(label);
    }
}

uint32_t Walker::condition_of(uint32_t block) {
    const Instruction& end = *ends.at(block);
    if (end.op != Op::OpBranchConditional || m.word(end, 2) == m.word(end, 3)) return 0;
    return m.word(end, 1);
}

bool Walker::is_dead(uint32_t from, uint32_t to) {
    if (unreached.contains(from)) return true;
    const uint32_t condition = condition_of(from);
    if (condition == 0) return false;
    const Node known = nodes[nodes.under(of(condition).front(), facts[from])];
    return known.is_constant() && m.word(*ends.at(from), known.literal != 0 ? 2 : 3) != to;
}

Facts Walker::on_edge(uint32_t from, uint32_t to) {
    Facts here = facts[from];
    if (const uint32_t condition = condition_of(from); condition != 0)
        nodes.learn(here, nodes.under(of(condition).front(), facts[from]), m.word(*ends.at(from), 2) == to);
    return here;
}

void Walker::enter(uint32_t label) {
    facts[label] = base;
    std::vector<uint32_t> ways;
    if (const auto from = before.find(label); from != before.end()) ways = from->second;
    const bool leads_here = !ways.empty();
    // What holds before a loop holds in it: nodes that are known there do not change in it.
    const auto is_later = [&](uint32_t one) { return m.defined.at(one) >= m.defined.at(label); };
    if (loop_headers.contains(label)) std::erase_if(ways, is_later);
    if (const auto header = header_of.find(label); header != header_of.end()) facts[label] = facts[header->second];
    if (std::any_of(ways.begin(), ways.end(), is_later)) return memory.clear();
    std::erase_if(ways, [&](uint32_t one) { return is_dead(one, label); });
    if (leads_here && ways.empty()) unreached.insert(label);
    if (ways.size() == 1) facts[label] = on_edge(ways.front(), label);
    enter_memory(label, ways);
}

void Walker::add_guards(std::set<std::pair<uint32_t, bool>>& all, uint32_t node, bool holds) {
    const Node n = nodes[node];
    if (n.is_constant()) return;
    if (n.op == Op::OpLogicalNot) return add_guards(all, n.operands[0], !holds);
    if ((n.op == Op::OpLogicalAnd && holds) || (n.op == Op::OpLogicalOr && !holds)) {
        for (const uint32_t o : n.operands) add_guards(all, o, holds);
        return;
    }
    // For integers, the opposite comparison represents a condition that does not hold.
    const uint32_t turned = holds ? node : nodes.make(Op::OpLogicalNot, 1, 0, {node});
    if (nodes[turned].op == Op::OpLogicalNot)
        all.emplace(node, false);
    else
        all.emplace(turned, true);
}

void Walker::drop(uint32_t merge, uint32_t header) {
    const Instruction& branch = *ends.at(header);
    if (condition_of(header) == 0 || joins.contains(merge) || !effects.contains(branch.at)) return;
    bool crosses = false;
    const std::set<uint32_t> sides[] = {region(m.word(branch, 2), merge, header),
                                        region(m.word(branch, 3), merge, header)};
    for (const auto& inside : sides)
        for (const uint32_t label : inside) {
            const auto to = after.find(label);
            if (to == after.end() || loop_headers.contains(label)) return;
            for (const uint32_t one : before[label])
                if (one != header && !inside.contains(one)) return;
            for (const uint32_t next : to->second)
                if (m.defined.at(next) <= m.defined.at(header)) return;
            crosses |= crossing.contains(label);
        }
    const uint32_t condition = nodes.under(of(m.word(branch, 1)).front(), facts[header]);
    for (const bool holds : {true, false})
        for (const uint32_t label : sides[holds ? 0 : 1]) add_guards(guards[label], condition, holds);
    Effect& e = effects[branch.at];
    e.words.clear();
    // If neighbours are read, they must still be there.
    if (!crosses) e.nodes.clear();
}

void Walker::walk() {
    survey();
    find_registers();
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
        if (ends.contains(i.block) && ends.at(i.block) == &i) memory_behind[i.block] = memory;
    }
    for (const auto& [merge, header] : header_of) drop(merge, header);
    for (const auto& i : m.all) {
        if (i.op == Op::OpPhi) close_phi(i);
        const bool flows = i.op == Op::OpBranch || i.op == Op::OpSelectionMerge;
        if (const auto e = effects.find(i.at); e != effects.end() && !flows && !e->second.words.empty())
            e->second.guards = guards[i.block];
    }
}

}  // namespace tgsi2spv::difftest::mutation
