// Edges between the blocks of a function, reachability and dominance, all in one linear sweep.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "ir/dominators.h"
#include "ir/module.h"

namespace tgsi2spv::ir {

inline const Instruction& terminator(const Function& function, const Block& block) {
    return function.instructions[block.first + block.count - 1];
}

/// Calls `visit(BlockId&)` for each target of the terminator, including repeated ones. `F` is Function or const
/// Function.
template <class F, class I, class Visit>
void visit_targets(F& f, I& terminator, Visit&& visit) {
    switch (terminator.op) {
        case Op::Branch:
            visit(terminator.aux);
            break;
        case Op::BranchIf:
            visit(terminator.aux);
            visit(terminator.aux2);
            break;
        case Op::Switch: {
            visit(terminator.aux);
            const auto args = f.args_of(terminator);
            for (size_t a = 2; a < args.size(); a += 2) visit(args[a]);
            break;
        }
        default:
            break;
    }
}

/// Memory is kept from one compute() to the next. Unreachable blocks have no immediate dominator and dominate nothing.
class Cfg {
  public:
    explicit Cfg(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : dominators_(memory),
          nodes_(memory),
          reachable_(memory),
          first_source_(memory),
          sources_(memory),
          last_source_(memory) {}

    /// The function must satisfy the verifier's rule `block-order`: each reachable block except the entry comes after
    /// one of its reachable predecessors, and back-edges go to loop headers only. Each block must have its terminator.
    void compute(const Function& function);
    /// Computes edges without dominance.
    void compute_edges(const Function& function);

    /// The blocks with an edge to `b`, each once.
    std::span<const BlockId> predecessors(BlockId b) const {
        return {sources_.data() + first_source_[b], first_source_[b + 1] - first_source_[b]};
    }
    bool reachable(BlockId b) const { return reachable_[b] != 0; }
    /// For the entry, the entry itself.
    BlockId immediate_dominator(BlockId b) const { return dominators_.immediate(b); }
    /// Every path to `b` passes through `a`; each block dominates itself.
    bool dominates(BlockId a, BlockId b) const {
        return reachable(a) && reachable(b) && nodes_[b].pre - nodes_[a].pre < nodes_[a].size;
    }

  private:
    /// A node of the dominator tree.
    struct Node {
        uint32_t pre = 0;   ///< number in preorder
        uint32_t size = 0;  ///< number of nodes in the subtree
        uint32_t next = 0;  ///< preorder number for the next child
    };
    Dominators dominators_;
    std::pmr::vector<Node> nodes_;
    std::pmr::vector<uint8_t> reachable_;
    std::pmr::vector<uint32_t> first_source_;
    std::pmr::vector<BlockId> sources_;
    std::pmr::vector<BlockId> last_source_;
};

}  // namespace tgsi2spv::ir
