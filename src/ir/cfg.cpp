#include "ir/cfg.h"

#include <utility>

namespace tgsi2spv::ir {

void Cfg::edges(const Function& f) {
    const size_t n = f.blocks.size();
    // Counting sort of the edges by target; an edge counts once, however often a switch names the target.
    first_source_.assign(n + 2, 0);
    last_source_.assign(n, kNone);
    auto each_edge = [&](auto&& visit) {
        for (BlockId source = 0; source < n; source++) {
            visit_targets(f, terminator(f, f.blocks[source]), [&](BlockId target) {
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
}

BlockId Cfg::common_dominator(BlockId a, BlockId b) const {
    if (nodes_[a].depth < nodes_[b].depth) std::swap(a, b);
    const uint32_t depth = nodes_[b].depth;
    while (nodes_[a].depth > depth) a = nodes_[nodes_[a].jump].depth >= depth ? nodes_[a].jump : nodes_[a].idom;
    while (a != b) {
        const bool far = nodes_[a].jump != nodes_[b].jump;
        a = far ? nodes_[a].jump : nodes_[a].idom;
        b = far ? nodes_[b].jump : nodes_[b].idom;
    }
    return a;
}

void Cfg::compute(const Function& f) {
    edges(f);
    const auto n = static_cast<BlockId>(f.blocks.size());
    nodes_.assign(n, {});
    // Structured flow is reducible, so that edges backward do not take part in dominance, and one sweep in block
    // order is enough. The jump pointers (skew-binary: Myers, "An applicative random-access stack") keep a merge
    // with k breaks from taking k steps for each.
    for (BlockId b = 0; b < n; b++) {
        Node& node = nodes_[b];
        if (b == 0) node.idom = 0;
        for (const BlockId p : predecessors(b)) {
            if (b == 0 || p >= b || !reachable(p)) continue;
            node.idom = node.idom == kNone ? p : common_dominator(node.idom, p);
        }
        if (b == 0 || node.idom == kNone) continue;
        const Node& parent = nodes_[node.idom];
        const Node& over = nodes_[parent.jump];
        node.depth = parent.depth + 1;
        const bool equal_jumps = parent.depth - over.depth == over.depth - nodes_[over.jump].depth;
        node.jump = equal_jumps ? over.jump : node.idom;
    }
    for (BlockId b = n; b-- > 0;) {
        if (!reachable(b)) continue;
        nodes_[b].size++;
        if (b != 0) nodes_[nodes_[b].idom].size += nodes_[b].size;
    }
    for (BlockId b = 0; b < n; b++) {
        if (!reachable(b)) continue;
        Node& node = nodes_[b];
        if (b != 0) {
            Node& parent = nodes_[node.idom];
            node.pre = parent.next;
            parent.next += node.size;
        }
        node.next = node.pre + 1;
    }
}

}  // namespace tgsi2spv::ir
