// Ways of a block's lanes through branches that may go either way (fork.h): each run of the block takes every lane
// along one of its ways, the first along the plainest.
#pragma once

#include <vector>

#include "reference/columns/code.h"

namespace tgsi2spv::reference::columns {

class Ways {
  public:
    void clear();
    /// Whether the lane takes the branch in this run; `plain`: what it does on the plainest way.
    bool decide(uint32_t lane, bool plain);
    /// To be called after a run of the lanes `open`: puts them on their next way. Returns those that have one.
    Bits next(Bits open);
    /// Lanes whose ways have too many branches.
    Bits lost() const { return lost_; }

  private:
    static constexpr size_t kMostDecisions = 32;  ///< of a lane on one way, as in fork.cpp
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
