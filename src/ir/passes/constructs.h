// Which construct each block stands in, and what leaves a construct from inside another: what may go with it if
// nothing needs it.
#pragma once

#include <memory_resource>
#include <vector>

#include "ir/module.h"

namespace tgsi2spv::ir {

/// A construct is named by its header block. kNone: outside of all. Memory is kept from one compute() to the next.
class Constructs {
  public:
    explicit Constructs(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : nodes_(memory), open_(memory), exits_(memory) {}

    void compute(const Function& f);

    /// The innermost one that decides whether `b` runs. A loop's header runs as often as the loop turns; a selection's
    /// header stands outside of it.
    BlockId around(BlockId b) const { return nodes_[b].around; }
    /// The one around the construct.
    BlockId parent(BlockId header) const { return nodes_[header].parent; }
    /// The construct that `b` is the merge block of.
    BlockId merged(BlockId b) const { return nodes_[b].merged; }
    /// Some edge leads to the merge block.
    bool ends(BlockId header) const { return nodes_[header].ends; }
    /// Calls `visit(construct)` for the construct of each branch that leaves another construct for `header`'s merge
    /// block or continue target: they decide how often or how far `header`'s blocks run.
    template <class Visit>
    void each_exit(BlockId header, Visit&& visit) const {
        for (uint32_t e = nodes_[header].first_exit; e != kNone; e = exits_[e].next) visit(exits_[e].from);
    }

  private:
    struct Exit {
        BlockId from = kNone;
        uint32_t next = kNone;
    };
    struct Node {
        BlockId around = kNone, parent = kNone, merged = kNone, continued = kNone;
        uint32_t first_exit = kNone;
        bool ends = false;
    };
    std::pmr::vector<Node> nodes_;    ///< by block
    std::pmr::vector<BlockId> open_;  ///< the headers around the block under way
    std::pmr::vector<Exit> exits_;

    void add_edge(BlockId construct, BlockId target);
};

}  // namespace tgsi2spv::ir
