#include "ir/constructs.h"

#include "ir/cfg.h"

namespace tgsi2spv::ir {

void Constructs::add_edge(BlockId construct, BlockId target) {
    const BlockId ended = nodes_[target].merged, continued = nodes_[target].continued;
    if (ended != kNone) nodes_[ended].ends = true;
    const BlockId left = ended != kNone ? ended : continued;
    if (left == kNone || left == construct) return;
    exits_.push_back({construct, nodes_[left].first_exit});
    nodes_[left].first_exit = static_cast<uint32_t>(exits_.size() - 1);
}

void Constructs::compute(const Function& function) {
    const size_t n = function.blocks.size();
    nodes_.assign(n, {});
    exits_.clear();
    open_.clear();
    for (BlockId b = 0; b < n; b++) {
        if (function.blocks[b].merge == Merge::None) continue;
        nodes_[function.blocks[b].merge_block].merged = b;
        if (function.blocks[b].merge == Merge::Loop) nodes_[function.blocks[b].continue_block].continued = b;
    }
    // A construct is the run of blocks from its header up to its merge block.
    for (BlockId b = 0; b < n; b++) {
        while (!open_.empty() && function.blocks[open_.back()].merge_block == b) open_.pop_back();
        const BlockId outer = open_.empty() ? kNone : open_.back();
        const Merge merge = function.blocks[b].merge;
        nodes_[b].parent = outer;
        nodes_[b].around = merge == Merge::Loop ? b : outer;
        if (merge != Merge::None) open_.push_back(b);
        const BlockId inner = merge != Merge::None ? b : outer;
        visit_targets(function, terminator(function, function.blocks[b]),
                      [&](BlockId target) { add_edge(inner, target); });
    }
}

}  // namespace tgsi2spv::ir
