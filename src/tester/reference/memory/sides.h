// The two sides of branches that may go either way.
//
// A lane whose IF may go either way is in both sides, without kMust. Within one side, its writes are definite; they are
// merged only at ENDIF: each side starts from the registers before the IF, and after it the registers are those of one
// side or the other.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "reference/memory/presence.h"

namespace tgsi2spv::reference {

/// The lanes of one IF that may go either way, and their writes in it.
struct Split {
    struct Lane {
        Split* outer = nullptr;  ///< the next IF around this one that the lane may go either way at
        Presence exec = 0;       ///< presence at the IF
        bool in = false;         ///< the lane is one of them
        bool certain = false;    ///< it was here for certain, as far as the side of `outer` goes
        bool outer_sure = false;
        bool goes_first = false;    ///< its side comes first in the nominal execution
        bool nominal_here = false;  ///< the nominal execution is in the current side
        bool left_first = false;    ///< it may have left the first side before its end
    };
    struct Written {
        uint32_t lane = 0;
        Value before, first;  ///< value at the IF, and at the end of the first side
        bool in_first = false;
    };
    std::vector<Lane> lanes;
    std::unordered_map<Value*, Written> slots;
    bool second_side = false;
};

class Sides {
  public:
    /// True if some lane may be in a side; otherwise the other functions have nothing to do.
    bool any() const { return open_ > 0; }

    /// The lane, present as `exec`, enters the first side of an IF; `goes_first`: as the nominal execution does.
    /// `split`: of this IF, made for its first lane; `count`: the number of all lanes.
    void enter(std::unique_ptr<Split>& split, uint32_t count, uint32_t lane, Presence exec, bool goes_first);
    /// At ELSE. `lost`: by lane: its registers are unknown and stay so.
    void turn(Split& split, const std::vector<bool>& lost);
    /// At ENDIF.
    void close(Split& split, const std::vector<bool>& lost);
    /// The lane may have left its side, or is in a construct of it that it may not have entered: its writes there are
    /// no longer certain.
    void may_leave(uint32_t lane) {
        if (any()) sure_[lane] = false;
    }
    /// Assigns in a lane that is `here` without kMust; `sure`: no predicate or index makes this less certain than that
    /// the lane is in its side.
    void assign_within(Value& slot, uint32_t lane, const Value& v, Presence here, bool sure);

  private:
    uint32_t open_ = 0;
    std::vector<Split*> innermost_;  ///< the innermost split of each lane
    std::vector<bool> sure_;         ///< lanes that are here for certain, as far as the innermost side goes
};

}  // namespace tgsi2spv::reference
