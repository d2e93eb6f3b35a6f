#include "ir/passes/constructs.h"

#include "ir/cfg.h"

namespace tgsi2spv::ir {

void Constructs::add_edge(BlockId construct, BlockId target) {
    const BlockId ended = merged_[target], continued = continued_[target];
    if (ended != kNone) ends_[ended] = 1;
    const BlockId left = ended != kNone ? ended : continued;
    if (left == kNone || left == construct) return;
    exits_.push_back({construct, first_exit_[left]});
    first_exit_[left] = static_cast<uint32_t>(exits_.size() - 1);
}

void Constructs::compute(const Function& f) {
    const size_t n = f.blocks.size();
    around_.assign(n, kNone);
    parent_.assign(n, kNone);
    merged_.assign(n, kNone);
    continued_.assign(n, kNone);
    first_exit_.assign(n, kNone);
    ends_.assign(n, 0);
    exits_.clear();
    open_.clear();
    for (BlockId b = 0; b < n; b++) {
        if (f.blocks[b].merge == Merge::None) continue;
        merged_[f.blocks[b].merge_block] = b;
        if (f.blocks[b].merge == Merge::Loop) continued_[f.blocks[b].continue_block] = b;
    }
    // A construct is the run of blocks from its header up to its merge block.
    for (BlockId b = 0; b < n; b++) {
        while (!open_.empty() && f.blocks[open_.back()].merge_block == b) open_.pop_back();
        const BlockId outer = open_.empty() ? kNone : open_.back();
        const Merge merge = f.blocks[b].merge;
        parent_[b] = outer;
        around_[b] = merge == Merge::Loop ? b : outer;
        if (merge != Merge::None) open_.push_back(b);
        const BlockId inner = merge != Merge::None ? b : outer;
        visit_targets(f, terminator(f, f.blocks[b]), [&](BlockId target) { add_edge(inner, target); });
    }
}

}  // namespace tgsi2spv::ir
