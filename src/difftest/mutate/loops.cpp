#include "difftest/mutate/loops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include "difftest/mutate/module.h"
#include "difftest/mutate/walk.h"

namespace tgsi2spv::difftest::mutation {

namespace {

/// The values that one walk saw for a component of a header's phi.
struct Given {
    PhiPlace place;
    uint32_t block = 0;
    std::vector<std::pair<uint32_t, uint32_t>> first{}, again{};  ///< label, node: before the loop, from a back edge
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
    std::set<double> floats{0};

    explicit Limits(const Module& m) {
        for (const auto& i : m.all) {
            if (i.op != Op::OpConstant || i.size != 4) continue;
            const uint64_t word = m.word(i, 3);
            const int64_t number = static_cast<int32_t>(m.word(i, 3));
            for (const int beside : {-1, 0, 1}) {
                words.insert((word + static_cast<uint64_t>(beside)) & 0xffffffff);
                numbers.insert(number + beside);
                floats.insert(static_cast<double>(number + beside));
            }
            // It may be a float; if immediates are hidden, all are words.
            if (const float f = std::bit_cast<float>(m.word(i, 3)); std::isnormal(f))
                for (const int beside : {-1, 0, 1}) floats.insert(static_cast<double>(f) + beside);
        }
    }
    /// The new range after it was too narrow `times` times: first as seen now, then up to a limit, finally anything.
    template <class R>
    R grown(const R& was, const R& now, int times) const {
        constexpr int kStepByStep = 2, kMaxSteps = 12;
        if (times > kMaxSteps) return {};
        return times > kStepByStep ? beyond(was, now, times - kStepByStep - 1) : now;
    }

  private:
    /// Ends that moved go to the next limit beyond them, further each time; beyond all limits they are unbounded.
    FloatRange beyond(const FloatRange& was, const FloatRange& now, int step) const {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        if (!now.real) return now;
        const auto far = static_cast<double>(distance(step));
        FloatRange wide = now;
        if (now.most > was.most) wide.most = up(floats, now.most, far, kInfinity);
        if (now.least < was.least) wide.least = down(floats, now.least, far, -kInfinity);
        return std::isfinite(wide.most) && std::isfinite(wide.least) ? wide : FloatRange{};
    }
    /// The same for integers.
    Range beyond(const Range& was, const Range& now, int step) const {
        const Range none;
        const uint64_t far = distance(step);
        const auto signed_far = static_cast<int64_t>(far);
        Range wide = now;
        if (now.hi > was.hi) wide.hi = up(words, now.hi, far, none.hi);
        if (now.lo < was.lo) wide.lo = down(words, now.lo, far, none.lo);
        if (now.most > was.most) wide.most = up(numbers, now.most, signed_far, none.most);
        if (now.least < was.least) wide.least = down(numbers, now.least, signed_far, none.least);
        return wide;
    }
    static uint64_t distance(int step) { return (uint64_t{1} << step) - 1; }
    template <class T>
    static T up(const std::set<T>& limits, T from, T far, T none) {
        const auto limit = limits.lower_bound(from > none - far ? none : from + far);
        return limit != limits.end() ? *limit : none;
    }
    template <class T>
    static T down(const std::set<T>& limits, T from, T far, T none) {
        const auto limit = limits.upper_bound(from < none + far ? none : from - far);
        return limit != limits.begin() ? *std::prev(limit) : none;
    }
};

/// False: nothing had to be given up.
bool give_up(const std::vector<Given>& all, const Limits& limits, LoopFacts& facts) {
    bool changed = false;
    const auto nodes_of = [](const std::vector<std::pair<uint32_t, uint32_t>>& from) {
        std::set<uint32_t> nodes;
        for (const auto& [label, node] : from) nodes.insert(node);
        return nodes;
    };
    // Components that were equal until now are separated if they get different values.
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
        } else if (const Range both = hull(f.range, seen); both != f.range) {
            const Range before = f.range;
            f.range.number = both.number;
            if (both != f.range) f.grown++;
            if (both.number != before.number) f.grown_number++;
            f.range = limits.grown(before, both, f.grown);
            f.range.number = limits.grown(before.number, both.number, f.grown_number);
            changed = true;
        }
    }
    return changed;
}

/// False: no range was wider than the values it gets.
bool take_back(const std::vector<Given>& all, LoopFacts& facts) {
    bool changed = false;
    for (const Given& g : all) {
        LoopFact& f = facts.of[g.place];
        const Range seen = g.range.value_or(Range{});
        changed |= !f.constant && f.range != seen;
        if (!f.constant) f.range = seen;
    }
    return changed;
}

}  // namespace

LoopFacts loop_facts(const Module& m, const Surroundings& around,
                     const std::optional<std::array<uint32_t, 3>>& invocation) {
    constexpr int kMaxRounds = 40;
    const bool loops = std::any_of(m.all.begin(), m.all.end(), [](const auto& i) { return i.op == Op::OpLoopMerge; });
    if (!loops) return {};
    const Limits limits(m);
    LoopFacts facts;
    std::optional<LoopFacts> wide;
    for (int round = 0; round < kMaxRounds; round++) {
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
        const auto all = given_by(w);
        changed |= give_up(all, limits, facts);
        if (wide) return changed ? *wide : facts;
        if (changed) continue;
        // Narrows ranges that grew too far to the values they get, if that holds.
        wide = facts;
        if (!take_back(all, facts)) return facts;
    }
    return {};
}

}  // namespace tgsi2spv::difftest::mutation
