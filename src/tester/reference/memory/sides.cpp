#include "reference/memory/sides.h"

namespace tgsi2spv::reference {

void Sides::enter(std::unique_ptr<Split>& split, uint32_t count, uint32_t lane, Presence exec, bool goes_first) {
    if (innermost_.empty()) {
        innermost_.resize(count);
        sure_.resize(count);
    }
    if (!split) {
        split = std::make_unique<Split>();
        split->lanes.resize(count);
        ++open_;
    }
    Split::Lane& l = split->lanes[lane];
    l.in = true;
    l.outer = innermost_[lane];
    l.exec = exec;
    l.outer_sure = sure_[lane];
    l.certain = (exec & kMust) != 0 || sure_[lane];
    l.goes_first = goes_first;
    l.nominal_here = (exec & kNominal) != 0 && goes_first;
    innermost_[lane] = split.get();
    sure_[lane] = true;
}

void Sides::turn(Split& split, const std::vector<bool>& lost) {
    split.second_side = true;
    for (auto& [slot, w] : split.slots) {
        if (lost[w.lane]) continue;
        w.first = *slot;
        w.in_first = true;
        *slot = w.before;
    }
    for (size_t lane = 0; lane < split.lanes.size(); ++lane) {
        Split::Lane& l = split.lanes[lane];
        if (!l.in) continue;
        l.left_first = !sure_[lane];
        l.nominal_here = (l.exec & kNominal) != 0 && !l.goes_first;
        sure_[lane] = true;
    }
}

void Sides::close(Split& split, const std::vector<bool>& lost) {
    for (auto& [slot, w] : split.slots) {
        const Split::Lane& l = split.lanes[w.lane];
        if (lost[w.lane]) continue;
        const Value& first = w.in_first ? w.first : split.second_side ? w.before : *slot;
        const Value& second = split.second_side ? *slot : w.before;
        Value after = join(first, second);
        // It may not have been at the IF at all.
        if (!l.certain) after = join(after, w.before);
        if (l.exec & kNominal)
            after.value = l.goes_first ? first.value : second.value;
        else if (!l.certain || !l.outer || l.outer->lanes[w.lane].nominal_here)
            after.value = w.before.value;
        if (l.outer) l.outer->slots.try_emplace(slot, Split::Written{w.lane, w.before, {}, false});
        *slot = after;
    }
    for (size_t lane = 0; lane < split.lanes.size(); ++lane) {
        const Split::Lane& l = split.lanes[lane];
        if (!l.in) continue;
        sure_[lane] = l.outer_sure && sure_[lane] && !l.left_first;
        innermost_[lane] = l.outer;
    }
    --open_;
}

void Sides::assign_within(Value& slot, uint32_t lane, const Value& v, Presence here, bool sure) {
    Split* split = innermost_[lane];
    if (split) split->slots.try_emplace(&slot, Split::Written{lane, slot, {}, false});
    if (!split || !sure || !sure_[lane] || !(here & kMay)) return assign(slot, v, here);
    const uint32_t nominal = split->lanes[lane].nominal_here && !(here & kNominal) ? slot.value : v.value;
    slot = v;
    slot.value = nominal;
}

}  // namespace tgsi2spv::reference
