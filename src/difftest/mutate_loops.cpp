#include "difftest/mutate_loops.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "difftest/mutate_module.h"
#include "difftest/mutate_walk.h"

namespace tgsi2spv::difftest::mutation {

namespace {

/// What a component of a header's phi was seen to be given in one walk.
struct Given {
    PhiPlace place;
    uint32_t block = 0;
    std::vector<std::pair<uint32_t, uint32_t>> first{}, again{};  ///< label, node: before the loop, and by a turn
    std::optional<Range> range{};                                 ///< of all of them
};

std::vector<Given> given_by(Walker& w) {
    std::vector<Given> all;
    for (const auto& i : w.m.all) {
        if (i.op != Op::OpPhi || !w.loop_headers.contains(i.block) || w.bits(i.type) == 0) continue;
        for (uint32_t c = 0; c < w.count(i.type); c++) {
            Given g{{i.at, c}, i.block};
            for (const auto& [label, node] : w.phis[g.place]) {
                (w.is_back_edge(i, label) ? g.again : g.first).emplace_back(label, node);
                const Range one = w.nodes.range(node, w.on_edge(label, i.block));
                g.range = g.range ? hull(*g.range, one) : one;
            }
            all.push_back(std::move(g));
        }
    }
    return all;
}

/// Words near which a counter is likely to stop.
struct Limits {
    std::set<uint64_t> words{0};
    std::set<int64_t> numbers{0};

    explicit Limits(const Module& m) {
        for (const auto& i : m.all) {
            if (i.op != Op::OpConstant || i.size != 4) continue;
            const uint64_t word = m.word(i, 3);
            const int64_t number = static_cast<int32_t>(m.word(i, 3));
            for (const int beside : {-1, 0, 1}) {
                words.insert((word + static_cast<uint64_t>(beside)) & 0xffffffff);
                numbers.insert(number + beside);
            }
        }
    }
    Range around(const Range& r) const {
        Range wide;
        if (const auto hi = words.lower_bound(r.hi); hi != words.end()) wide.hi = *hi;
        if (const auto lo = words.upper_bound(r.lo); lo != words.begin()) wide.lo = *std::prev(lo);
        if (const auto most = numbers.lower_bound(r.most); most != numbers.end()) wide.most = *most;
        if (const auto least = numbers.upper_bound(r.least); least != numbers.begin()) wide.least = *std::prev(least);
        return wide;
    }
};

/// False: nothing had to be given up.
bool give_up(const std::vector<Given>& all, const Limits& limits, LoopFacts& facts) {
    constexpr int kStepByStep = 2, kMostSteps = 12;
    bool changed = false;
    const auto nodes_of = [](const std::vector<std::pair<uint32_t, uint32_t>>& from) {
        std::set<uint32_t> nodes;
        for (const auto& [label, node] : from) nodes.insert(node);
        return nodes;
    };
    // Those that were one until now part where they are given different things.
    std::map<std::tuple<uint32_t, bool, PhiPlace, decltype(Given::first), decltype(Given::again)>, PhiPlace> classes;
    for (const Given& g : all) {
        LoopFact& f = facts.of[g.place];
        const bool was = f.constant;
        if (was) {
            auto nodes = nodes_of(g.first);
            nodes.merge(nodes_of(g.again));
            f.constant = nodes.size() <= 1;
            changed |= !f.constant;
        }
        if (f.constant) continue;
        const auto key = was ? std::tuple(g.block, true, PhiPlace{}, g.first, decltype(Given::again){})
                             : std::tuple(g.block, false, f.like, g.first, g.again);
        const PhiPlace like = classes.emplace(key, g.place).first->second;
        changed |= was || like != f.like;
        f.like = like;
        const Range seen = g.range.value_or(Range{});
        if (was) {
            f.range = seen;
        } else if (hull(f.range, seen) != f.range) {
            f.range = hull(f.range, seen);
            f.grown++;
            if (f.grown > kMostSteps)
                f.range = Range{};
            else if (f.grown > kStepByStep)
                f.range = limits.around(f.range);
            changed = true;
        }
    }
    return changed;
}

}  // namespace

LoopFacts loop_facts(const Module& m, const Surroundings& around,
                     const std::optional<std::array<uint32_t, 3>>& invocation) {
    constexpr int kMostRounds = 40;
    const bool loops = std::any_of(m.all.begin(), m.all.end(), [](const auto& i) { return i.op == Op::OpLoopMerge; });
    if (!loops) return {};
    const Limits limits(m);
    LoopFacts facts;
    for (int round = 0; round < kMostRounds; round++) {
        Nodes nodes;
        nodes.open_alike = around.open_alike;
        Walker w{m, nodes, around, 0};
        w.invocation = invocation;
        w.loops = &facts;
        w.suppose = round == 0;
        w.walk();
        bool changed = false;
        for (const uint32_t header : w.loop_headers)
            for (const uint32_t from : w.before[header])
                if (w.m.defined.at(from) >= w.m.defined.at(header) && !w.is_dead(from, header))
                    changed |= facts.turning.insert(header).second;
        changed |= give_up(given_by(w), limits, facts);
        if (!changed) return facts;
    }
    return {};
}

}  // namespace tgsi2spv::difftest::mutation
