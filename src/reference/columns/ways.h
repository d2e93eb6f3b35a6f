// The ways of a block's lanes through branches that may go either way (fork.h). Each run of the block takes every lane
// along one of its ways, beginning with the plainest one.
#pragma once

#include <vector>

#include "reference/columns/code.h"

namespace tgsi2spv::reference::columns {

class Ways {
  public:
    void clear();
    /// Returns whether the lane takes the branch in this run. `plain`: whether it does so on the plainest way.
    bool decide(uint32_t lane, bool plain);
    /// Called after a run of the lanes `open`: moves them to their next way, and returns those that have one.
    Bits next(Bits open);
    /// Returns the lanes with a way that has too many branches.
    Bits lost() const { return lost_; }

  private:
    static constexpr size_t kMaxDecisions = 32;  ///< of a lane on one way, as in fork.cpp
    struct Decision {
        bool taken, other_was_gone;
    };
    struct Lane {
        std::vector<Decision> way;
        size_t at = 0;
    };
    std::vector<Lane> lanes_ = std::vector<Lane>(kLanes);
    Bits decided_ = 0, lost_ = 0;
};

}  // namespace tgsi2spv::reference::columns
