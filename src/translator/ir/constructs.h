// The construct that contains each block, and the exits from a construct that lie inside another: so that unneeded
// constructs can be removed.
#pragma once

#include <memory_resource>
#include <vector>

#include "ir/module.h"

namespace tgsi2spv::ir {

/// A construct is named by its header block. kNone: outside of all constructs. Memory is kept from one compute() to the
/// next.
class Constructs {
  public:
    explicit Constructs(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : nodes_(memory), open_(memory), exits_(memory) {}

    void compute(const Function& function);

    /// The innermost construct that decides whether `b` runs. A loop's header runs once per iteration; a selection's
    /// header is outside of its selection.
    BlockId around(BlockId b) const { return nodes_[b].around; }
    /// The construct that contains this one.
    BlockId parent(BlockId header) const { return nodes_[header].parent; }
    /// The construct whose merge block is `b`.
    BlockId merged(BlockId b) const { return nodes_[b].merged; }
    /// Whether some edge leads to the merge block.
    bool ends(BlockId header) const { return nodes_[header].ends; }
    /// Calls `visit(construct)` for the construct of each branch that leaves another construct for `header`'s merge
    /// block or continue target: such branches decide how often, or how far, `header`'s blocks run.
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
    std::pmr::vector<Node> nodes_;    ///< a node for each block
    std::pmr::vector<BlockId> open_;  ///< the headers around the current block
    std::pmr::vector<Exit> exits_;

    void add_edge(BlockId construct, BlockId target);
};

}  // namespace tgsi2spv::ir
