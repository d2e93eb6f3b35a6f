#include "ir/cfg.h"

namespace tgsi2spv::ir {

void Cfg::compute_edges(const Function& function) {
    const size_t n = function.blocks.size();
    // Counting sort of the edges by target; an edge counts once, even if a switch names the target several times.
    first_source_.assign(n + 2, 0);
    last_source_.assign(n, kNone);
    auto each_edge = [&](auto&& visit) {
        for (BlockId source = 0; source < n; source++) {
            visit_targets(function, terminator(function, function.blocks[source]), [&](BlockId target) {
                if (last_source_[target] == source) return;
                last_source_[target] = source;
                visit(source, target);
            });
        }
    };
    each_edge([&](BlockId, BlockId target) { first_source_[target + 2]++; });
    for (size_t i = 2; i < n + 2; i++) first_source_[i] += first_source_[i - 1];
    sources_.resize(first_source_[n + 1]);
    last_source_.assign(n, kNone);
    each_edge([&](BlockId source, BlockId target) { sources_[first_source_[target + 1]++] = source; });
    reachable_.assign(n, 0);
    reachable_[0] = 1;
    for (BlockId b = 1; b < n; b++)
        for (const BlockId p : predecessors(b))
            if (p < b) reachable_[b] |= reachable_[p];
}

void Cfg::compute(const Function& function) {
    compute_edges(function);
    const auto n = static_cast<BlockId>(function.blocks.size());
    nodes_.assign(n, {});
    dominators_.clear(n);
    for (BlockId b = 0; b < n; b++) {
        for (const BlockId p : predecessors(b))
            if (p < b) dominators_.add_edge(p, b);
        dominators_.place(b);
    }
    for (BlockId b = n; b-- > 0;) {
        if (!reachable(b)) continue;
        nodes_[b].size++;
        if (b != 0) nodes_[immediate_dominator(b)].size += nodes_[b].size;
    }
    for (BlockId b = 0; b < n; b++) {
        if (!reachable(b)) continue;
        Node& node = nodes_[b];
        if (b != 0) {
            Node& parent = nodes_[immediate_dominator(b)];
            node.pre = parent.next;
            parent.next += node.size;
        }
        node.next = node.pre + 1;
    }
}

}  // namespace tgsi2spv::ir
