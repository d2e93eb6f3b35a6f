// Paths through a program whose branches depend on values that may go either way.
//
// The first run follows both sides of such a branch at once and joins their writes with the previous contents
// (flow/structured.cpp). So even a register that both sides write keeps its old value among the permitted ones. If the
// lanes share no memory, the run is then repeated, each time along one path that decides every branch. An output has
// the value that some path leaves: any execution that Vulkan permits takes one of these paths.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/case/result.h"
#include "reference/numbers/value.h"

namespace tgsi2spv::reference {

class Forks {
  public:
    /// `unit`: the number of lanes that decide together: 4 if derivatives look at the quad, else 1. `undecided`: by
    /// lane.
    Forks(const std::vector<bool>& undecided, uint32_t unit);

    /// The decision of a branch in this run.
    Truth decide(uint32_t lane, const Truth& truth);
    /// Whether the lane takes part in this run.
    bool runs(uint32_t lane) const { return units_[lane / unit_].open; }
    /// Call it after a run: joins the run with the earlier ones and puts every lane on its next path. False if all
    /// paths have been run, or if too many are left.
    bool next(const Result& run);
    /// Replaces the results of the first run by those of all paths, for lanes whose paths have all been run.
    void tighten(Result& first) const;

  private:
    struct Decision {
        bool taken, other_was_gone;
    };
    struct Unit {
        std::vector<Decision> path;
        size_t at = 0;
        bool open = false, complete = false, too_many = false;
    };
    std::vector<Unit> units_;
    uint32_t unit_;
    uint32_t runs_ = 0;
    Result joined_;
    std::vector<bool> seen_;  ///< lanes that are in `joined_`
    void add(const Result& run, uint32_t lane);
};

}  // namespace tgsi2spv::reference
