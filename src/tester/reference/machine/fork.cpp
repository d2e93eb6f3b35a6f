#include "reference/machine/fork.h"

#include <algorithm>

namespace tgsi2spv::reference {
namespace {

constexpr size_t kMaxDecisions = 32;  ///< decisions of one unit on one path
constexpr uint32_t kMaxRuns = 64;

using Components = std::array<Component, 4>;

/// `pair` numbers belong to one run only.
Component without_pair(Component c) {
    c.pair = 0;
    c.half = PairHalf::None;
    return c;
}

void join_into(Components& a, const Components& b) {
    for (size_t c = 0; c < 4; ++c) a[c] = without_pair(join(a[c], b[c]));
}

/// Both are sound; the nominal answer is the one of the first run.
void replace(Components& first, const Components& joined) {
    for (size_t c = 0; c < 4; ++c) {
        if (is_free(joined[c])) continue;
        const uint32_t nominal = first[c].value;
        first[c] = without_pair(joined[c]);
        first[c].value = nominal;
    }
}

bool same_shape(const std::vector<Emitted>& a, const std::vector<Emitted>& b) {
    return std::ranges::equal(a, b, [](const Emitted& x, const Emitted& y) {
        return x.stream == y.stream && x.primitive == y.primitive &&
               std::ranges::equal(x.outputs, y.outputs,
                                  [](const auto& p, const auto& q) { return p.first == q.first; });
    });
}

/// f(vertex of a, the same vertex of b); the lists have the same shape.
template <class F>
void each_vertex(std::vector<Emitted>& a, const std::vector<Emitted>& b, F f) {
    for (size_t v = 0; v < a.size(); ++v)
        for (auto& [index, components] : a[v].outputs) f(components, b[v].outputs.at(index));
}

}  // namespace

Forks::Forks(const std::vector<bool>& undecided, uint32_t unit)
    : units_((undecided.size() + unit - 1) / unit), unit_(unit), seen_(undecided.size(), false) {
    for (size_t lane = 0; lane < undecided.size(); ++lane)
        if (undecided[lane]) units_[lane / unit].open = true;
}

Truth Forks::decide(uint32_t lane, const Truth& truth) {
    Unit& u = units_[lane / unit_];
    if (u.at == u.path.size()) {
        if (u.path.size() == kMaxDecisions) {
            u.too_many = true;
            return truth;
        }
        u.path.push_back({truth.nominal, false});
    }
    const bool taken = u.path[u.at++].taken;
    return {taken, taken, !taken};
}

void Forks::add(const Result& run, uint32_t lane) {
    const bool first = !seen_[lane];
    seen_[lane] = true;
    for (const auto& [index, lanes] : run.outputs) {
        if (lane >= lanes.size()) continue;
        auto& joined = joined_.outputs[index];
        joined.resize(lanes.size());
        if (first)
            joined[lane] = lanes[lane];
        else
            join_into(joined[lane], lanes[lane]);
    }
    if (lane < run.killed.size()) {
        joined_.killed.resize(run.killed.size());
        joined_.killed_unknown.resize(run.killed.size());
        const bool differs = !first && joined_.killed[lane] != run.killed[lane];
        joined_.killed_unknown[lane] = joined_.killed_unknown[lane] || run.killed_unknown[lane] || differs;
        if (first) joined_.killed[lane] = run.killed[lane];
    }
    if (lane < run.emitted.size()) {
        joined_.emitted.resize(run.emitted.size());
        joined_.emitted_unknown.resize(run.emitted.size());
        auto& joined = joined_.emitted[lane];
        if (first) joined = run.emitted[lane];
        if (run.emitted_unknown[lane] || !same_shape(joined, run.emitted[lane])) joined_.emitted_unknown[lane] = true;
        if (!first && !joined_.emitted_unknown[lane]) each_vertex(joined, run.emitted[lane], join_into);
    }
}

bool Forks::next(const Result& run) {
    for (uint32_t lane = 0; lane < seen_.size(); ++lane)
        if (runs(lane)) add(run, lane);
    bool open = false;
    for (Unit& u : units_) {
        if (!u.open) continue;
        u.at = 0;
        while (!u.path.empty() && u.path.back().other_was_gone) u.path.pop_back();
        u.complete = u.path.empty() && !u.too_many;
        u.open = !u.path.empty() && !u.too_many;
        if (u.open) u.path.back() = {!u.path.back().taken, true};
        open |= u.open;
    }
    return open && ++runs_ < kMaxRuns;
}

void Forks::tighten(Result& first) const {
    for (uint32_t lane = 0; lane < seen_.size(); ++lane) {
        if (!seen_[lane] || !units_[lane / unit_].complete) continue;
        for (auto& [index, lanes] : first.outputs)
            if (lane < lanes.size()) replace(lanes[lane], joined_.outputs.at(index)[lane]);
        if (lane < first.killed.size()) first.killed_unknown[lane] = joined_.killed_unknown[lane];
        if (lane >= first.emitted.size()) continue;
        if (joined_.emitted_unknown[lane]) continue;
        const auto& joined = joined_.emitted[lane];
        if (first.emitted_unknown[lane])
            first.emitted[lane] = joined;
        else
            each_vertex(first.emitted[lane], joined, replace);
        first.emitted_unknown[lane] = false;
    }
}

}  // namespace tgsi2spv::reference
