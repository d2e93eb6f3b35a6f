// Immediate dominators of structured flow, computed block by block as the blocks are placed.
#pragma once

#include <memory_resource>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace tgsi2spv::ir {

/// Structured flow is reducible, so back-edges do not affect dominance: a block's dominator is known once its forward
/// edges are known. Jump pointers (skew-binary: Myers, "An applicative random-access stack") avoid k steps for each of
/// the k breaks that reach a merge block. Memory is kept from one function to the next.
class Dominators {
  public:
    explicit Dominators(std::pmr::memory_resource* memory = std::pmr::get_default_resource()) : nodes_(memory) {}

    /// `count` blocks without edges; 0 is the entry.
    void clear(size_t count) {
        nodes_.assign(count, {});
        if (count != 0) nodes_[0].idom = 0;
    }
    void add_block() {
        nodes_.push_back({});
        if (nodes_.size() == 1) nodes_[0].idom = 0;
    }
    /// Adds a forward edge from a placed block.
    void add_edge(BlockId from, BlockId to) {
        Node& node = nodes_[to];
        if (to == 0 || !reachable(from)) return;
        node.idom = node.idom == kNone ? from : common(node.idom, from);
    }
    /// Call it when all forward edges to `b` are known.
    void place(BlockId b) {
        Node& node = nodes_[b];
        if (b == 0 || node.idom == kNone) return;
        const Node& parent = nodes_[node.idom];
        const Node& over = nodes_[parent.jump];
        node.depth = parent.depth + 1;
        const bool equal_jumps = parent.depth - over.depth == over.depth - nodes_[over.jump].depth;
        node.jump = equal_jumps ? over.jump : node.idom;
    }
    bool reachable(BlockId b) const { return nodes_[b].idom != kNone; }
    /// For the entry, the entry itself; kNone for unreachable blocks.
    BlockId immediate(BlockId b) const { return nodes_[b].idom; }
    /// Every path to `b` passes through `a`, both placed; each reachable block dominates itself. O(log n).
    bool dominates(BlockId a, BlockId b) const {
        return reachable(a) && reachable(b) && nodes_[a].depth <= nodes_[b].depth && ancestor(b, nodes_[a].depth) == a;
    }

  private:
    struct Node {
        BlockId idom = kNone;
        BlockId jump = 0;  ///< an ancestor, far enough that climbing takes O(log n) steps
        uint32_t depth = 0;
    };
    std::pmr::vector<Node> nodes_;

    BlockId ancestor(BlockId b, uint32_t depth) const {
        while (nodes_[b].depth > depth) b = nodes_[nodes_[b].jump].depth >= depth ? nodes_[b].jump : nodes_[b].idom;
        return b;
    }
    BlockId common(BlockId a, BlockId b) const {
        if (nodes_[a].depth < nodes_[b].depth) std::swap(a, b);
        a = ancestor(a, nodes_[b].depth);
        while (a != b) {
            const bool far = nodes_[a].jump != nodes_[b].jump;
            a = far ? nodes_[a].jump : nodes_[a].idom;
            b = far ? nodes_[b].jump : nodes_[b].idom;
        }
        return a;
    }
};

}  // namespace tgsi2spv::ir
