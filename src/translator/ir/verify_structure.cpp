// SPIR-V's structured control flow (specification 2.11), slightly narrower: a construct is the run of blocks from its
// header up to its merge block; a continue construct is the run from the continue target up to the loop's merge block;
// a case is the run from its target up to the next case. So every rule only compares places.
#include <fmt/format.h>

#include <algorithm>

#include "ir/verify_rules.h"

namespace tgsi2spv::ir {
namespace {

using Construct = VerifyMemory::Construct;
using Kind = Construct::Kind;

struct Structure {
    const Function& f;
    VerifyMemory& memory;
    const Cfg& cfg = memory.cfg;
    std::pmr::vector<Construct>& constructs = memory.constructs;
    std::pmr::vector<uint32_t>& innermost = memory.innermost;
    std::pmr::vector<BlockId>&cases = memory.cases, &back_edges = memory.back_edges, &merges_of = memory.merges_of;

    BlockId block_count() const { return static_cast<BlockId>(f.blocks.size()); }

    // ---- constructs
    Verdict gather() {
        const BlockId n = block_count();
        merges_of.assign(n, kNone);
        innermost.assign(n, 0);
        cases.clear();
        constructs.clear();
        constructs.push_back({.kind = Kind::Function, .end = n});
        uint32_t top = 0;
        for (BlockId b = 0; b < n; b++) {
            while (constructs[top].end == b) top = constructs[top].parent;
            const Construct& around = constructs[top];
            if (around.kind == Kind::Loop && f.blocks[around.header].continue_block == b && b != around.header)
                open(top, Kind::Continue, b, around.end);
            if (Verdict v = header(b, top)) return v;
            innermost[b] = top;
        }
        for (const Construct& c : constructs)
            if (c.kind == Kind::Loop && !c.has_continue)
                return broken("continue-target",
                              fmt::format("the continue target of b{} is inside another construct", c.header));
        return {};
    }
    void open(uint32_t& top, Kind kind, BlockId first, BlockId end) {
        if (kind == Kind::Continue) constructs[top].has_continue = true;
        Construct c{.kind = kind, .header = first, .end = end, .parent = top};
        const auto self = static_cast<uint32_t>(constructs.size());
        const bool is_loop = kind == Kind::Loop || kind == Kind::Continue;
        c.loop = is_loop ? self : constructs[top].loop;
        c.swtch = is_loop ? kNone : kind == Kind::Switch ? self : constructs[top].swtch;
        constructs.push_back(c);
        top = self;
    }
    Verdict header(BlockId b, uint32_t& top) {
        const Block& block = f.blocks[b];
        const Instruction& last = terminator(f, block);
        if (last.op == Op::Switch && block.merge != Merge::Selection)
            return broken("switch-merge", fmt::format("b{} ends in a Switch but names no merge block", b));
        if (block.merge == Merge::None) return {};
        if (block.merge == Merge::Selection && last.op != Op::Switch && last.op != Op::BranchIf)
            return broken("selection-header",
                          fmt::format("b{} is a selection header but does not end in BranchIf or Switch", b));
        if (block.merge == Merge::Loop && last.op != Op::Branch && last.op != Op::BranchIf)
            return broken("loop-header", fmt::format("b{} is a loop header but does not end in Branch or BranchIf", b));
        const BlockId merge = block.merge_block;
        if (merges_of[merge] != kNone)
            return broken("merge-once",
                          fmt::format("b{} is the merge block of b{} and b{}", merge, merges_of[merge], b));
        merges_of[merge] = b;
        if (merge <= b || merge > constructs[top].end || merge == block_count())
            return broken(
                "nesting",
                fmt::format("the merge block b{} of b{} is not after it inside the enclosing construct", merge, b));
        if (block.merge == Merge::Loop) {
            if (block.continue_block < b || block.continue_block >= merge)
                return broken("continue-target",
                              fmt::format("the continue target b{} is not inside its loop", block.continue_block));
            open(top, Kind::Loop, b, merge);
            if (block.continue_block == b) open(top, Kind::Continue, b, merge);
        } else if (last.op == Op::Switch) {
            open(top, Kind::Switch, b, merge);
            return switch_cases(constructs[top], last);
        } else {
            open(top, Kind::Selection, b, merge);
        }
        return {};
    }
    Verdict switch_cases(Construct& construct, const Instruction& last) {
        construct.first_case = static_cast<uint32_t>(cases.size());
        bool inside = true;
        visit_targets(f, last, [&](BlockId target) {
            inside = inside && target > construct.header && target <= construct.end;
            if (target != construct.end) cases.push_back(target);
        });
        if (!inside)
            return broken("case-target",
                          fmt::format("the Switch of b{} has a target outside its construct", construct.header));
        std::sort(cases.begin() + construct.first_case, cases.end());
        cases.erase(std::unique(cases.begin() + construct.first_case, cases.end()), cases.end());
        construct.num_cases = static_cast<uint32_t>(cases.size()) - construct.first_case;
        return {};
    }

    // ---- dominance: a construct is entered only through its header
    Verdict entries() {
        for (BlockId b = 0; b < block_count(); b++) {
            if (!cfg.reachable(b)) continue;
            // Outer headers dominate the next inner one: they have been checked.
            const Construct* c = &constructs[innermost[b]];
            while (c->header == b && c->kind != Kind::Function) c = &constructs[c->parent];
            if (!cfg.dominates(c->header, b))
                return broken("construct-entry",
                              fmt::format("b{} is reached without passing its header b{}", b, c->header));
            const BlockId merged = merges_of[b];
            if (merged != kNone && !cfg.dominates(merged, b))
                return broken("construct-entry",
                              fmt::format("b{} is reached without passing b{}, whose merge block it is", b, merged));
        }
        return {};
    }

    // ---- exits
    Verdict edge(BlockId from, BlockId to) {
        const Construct& c = constructs[innermost[from]];
        if (to <= from) return back_edge(from, to);
        if (c.swtch != kNone && to < constructs[c.swtch].end) {
            if (Verdict v = case_edge(constructs[c.swtch], from, to); v || is_case(constructs[c.swtch], to)) return v;
        }
        if (to < c.end) return {};
        if (to == c.end && c.kind == Kind::Selection) return {};
        if (c.swtch != kNone && to == constructs[c.swtch].end) return {};
        if (c.loop != kNone) {
            const Construct& loop = constructs[c.loop];
            if (loop.kind == Kind::Loop && (to == loop.end || to == f.blocks[loop.header].continue_block)) return {};
            if (loop.kind == Kind::Continue) {
                if (to == loop.end && goes_to(from, constructs[loop.parent].header)) return {};
                return broken("continue-exit", fmt::format("b{} leaves its continue construct to b{}", from, to));
            }
        }
        return broken("construct-exit", fmt::format("b{} leaves its construct to b{}", from, to));
    }
    bool goes_to(BlockId from, BlockId to) const {
        bool found = false;
        visit_targets(f, terminator(f, f.blocks[from]), [&](BlockId t) { found = found || t == to; });
        return found;
    }
    Verdict back_edge(BlockId from, BlockId to) {
        const Construct& c = constructs[innermost[from]];
        if (c.kind != Kind::Continue || constructs[c.parent].header != to)
            return broken("back-edge",
                          fmt::format("b{} branches back to b{} from outside its continue construct", from, to));
        if (back_edges[to] != kNone) return broken("back-edge", fmt::format("b{} has two back-edges", to));
        back_edges[to] = from;
        return {};
    }
    bool is_case(const Construct& construct, BlockId b) const {
        return std::binary_search(cases.begin() + construct.first_case,
                                  cases.begin() + construct.first_case + construct.num_cases, b);
    }
    /// From a block of one case, an edge may go to a block of the same case, or to the start of the next.
    Verdict case_edge(const Construct& construct, BlockId from, BlockId to) {
        const auto first = cases.begin() + construct.first_case, last = first + construct.num_cases;
        const auto next = std::upper_bound(first, last, from);
        if (next == first) return broken("case-order", fmt::format("b{} is not in a case", from));
        if (next == last || to < *next) return {};
        if (*next != to)
            return broken("case-order", fmt::format("b{} branches to b{}, which is not the next case", from, to));
        return {};
    }
    /// If a continue construct has no other exit, it has at least one back-edge.
    Verdict edges() {
        back_edges.assign(block_count(), kNone);
        for (BlockId b = 0; b < block_count(); b++) {
            const Instruction& last = terminator(f, f.blocks[b]);
            if (last.op == Op::Switch) continue;  // its targets are checked with its header
            BlockId before = kNone;
            Verdict verdict;
            visit_targets(f, last, [&](BlockId to) {
                if (!verdict && to != before) verdict = edge(b, to);
                before = to;
            });
            if (verdict) return verdict;
            const uint32_t loop = constructs[innermost[b]].loop;
            const bool ends = last.op == Op::Kill || last.op == Op::Return || last.op == Op::Unreachable;
            if (ends && loop != kNone && constructs[loop].kind == Kind::Continue)
                return broken("continue-exit", fmt::format("b{} ends the function inside a continue construct", b));
        }
        return {};
    }

    /// A BranchIf without a merge block has at least one target where some construct ends or a case starts.
    Verdict selections() {
        auto& known = memory.known;
        known.assign(block_count(), 0);
        for (BlockId b = 0; b < block_count(); b++) {
            const Block& block = f.blocks[b];
            if (block.merge != Merge::None) known[block.merge_block] = 1;
            if (block.merge == Merge::Loop) known[block.continue_block] = 1;
            const Instruction& last = terminator(f, block);
            if (last.op != Op::BranchIf || !cfg.reachable(b)) continue;
            if (block.merge != Merge::Selection && last.aux != last.aux2 && known[last.aux] == 0 &&
                known[last.aux2] == 0 && last.aux > b && last.aux2 > b)
                return broken("selection-merge", fmt::format("b{} selects but names no merge block", b));
            known[last.aux] = known[last.aux2] = 1;
        }
        return {};
    }
};

}  // namespace

Verdict verify_structure(const Function& function, VerifyMemory& memory) {
    Structure s{function, memory};
    if (Verdict v = s.gather()) return v;
    if (Verdict v = s.entries()) return v;
    if (Verdict v = s.edges()) return v;
    return s.selections();
}

}  // namespace tgsi2spv::ir
