#include "reference/columns/ways.h"

#include <bit>

namespace tgsi2spv::reference::columns {

void Ways::clear() {
    for (Bits rest = decided_; rest != 0; rest &= rest - 1) {
        Lane& l = lanes_[static_cast<size_t>(std::countr_zero(rest))];
        l.way.clear();
        l.at = 0;
    }
    decided_ = lost_ = 0;
}

bool Ways::decide(uint32_t lane, bool plain) {
    Lane& l = lanes_[lane];
    decided_ |= Bits{1} << lane;
    if (l.at == l.way.size()) {
        if (l.way.size() == kMaxDecisions) {
            lost_ |= Bits{1} << lane;
            return plain;
        }
        l.way.push_back({plain, false});
    }
    return l.way[l.at++].taken;
}

Bits Ways::next(Bits open) {
    Bits left = 0;
    for (Bits rest = open & decided_ & ~lost_; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        Lane& l = lanes_[lane];
        l.at = 0;
        while (!l.way.empty() && l.way.back().other_was_gone) l.way.pop_back();
        if (l.way.empty()) continue;
        l.way.back() = {!l.way.back().taken, true};
        left |= Bits{1} << lane;
    }
    return left;
}

}  // namespace tgsi2spv::reference::columns
