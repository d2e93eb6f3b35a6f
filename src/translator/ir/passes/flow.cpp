#include "ir/passes/flow.h"

#include <algorithm>
#include <cassert>

namespace tgsi2spv::ir {
namespace {

/// A side of a selection with at most this many pure instructions is always computed. A branch, its merge, a label and
/// a phi take more words, and no GPU branches for so little.
constexpr uint32_t kSpeculated = 4;

enum Role : uint8_t { kPlain = 0, kMerge = 1, kContinue = 2 };

enum State : uint8_t {
    kKept,
    kAppended,  ///< a block appended to the previous one
    kAbsorbed,  ///< a side of a selection: its instructions move to the header, its branch is removed
    kStub,      ///< unreachable, but named by a header
    kDropped,
};

struct FlowPass {
    const Module& m;
    Function& f;
    PassMemory& memory;
    const bool speculate_conversions;
    bool drops_condition = false;  ///< a branch was removed, and no Select uses its condition
    bool unreachable = false;      ///< some block is
    bool changes = false;          ///< join() has something to do
    std::pmr::vector<uint8_t>& role = memory.block_role;
    std::pmr::vector<uint8_t>& state = memory.block_state;
    std::pmr::vector<BlockId>& place = memory.block_place;       ///< its index afterwards
    std::pmr::vector<BlockId>& header_of = memory.block_header;  ///< the loop's header of each continue target
    std::pmr::vector<BlockId>& only_source =
        memory.block_source;  ///< the former selection's header of each merge block

    Instruction& last(BlockId b) { return f.instructions[f.blocks[b].first + f.blocks[b].count - 1]; }
    bool starts_with_phi(BlockId b) {
        uint32_t first = f.blocks[b].first;
        while (f.instructions[first].dead) first++;  // the terminator is not dead
        return f.instructions[first].op == Op::Phi;
    }
    bool single_predecessor(BlockId b, BlockId p) const {
        const auto all = memory.cfg.predecessors(b);
        return all.size() == 1 && all[0] == p;
    }

    void roles() {
        role.assign(f.blocks.size(), kPlain);
        state.assign(f.blocks.size(), kKept);
        header_of.assign(f.blocks.size(), kNone);
        only_source.assign(f.blocks.size(), kNone);
        for (BlockId b = 0; b < f.blocks.size(); b++) {
            if (!memory.cfg.reachable(b)) continue;
            const Block& block = f.blocks[b];
            if (block.merge != Merge::None) role[block.merge_block] |= kMerge;
            if (block.merge == Merge::Loop) {
                role[block.continue_block] |= kContinue;
                header_of[block.continue_block] = b;
            }
        }
    }

    // ---- branches with a known direction
    /// Resolves selections on a constant, and headers of loops, before the edges are computed.
    bool known_branches() {
        bool any = false;
        for (BlockId b = 0; b < f.blocks.size(); b++) {
            Instruction& branch = last(b);
            if (branch.op != Op::BranchIf || f.blocks[b].merge == Merge::None) continue;
            const Value condition = f.args[branch.first_arg];
            if (!is_constant(condition) || m.constant(condition).spec_id >= 0) continue;
            const bool holds = m.constant(condition).words[0] != 0;
            const BlockId taken = holds ? branch.aux : branch.aux2, other = holds ? branch.aux2 : branch.aux;
            if (taken != other) remove_edge(b, other);
            branch.op = Op::Branch;
            branch.num_args = 0;
            branch.aux = taken;
            branch.aux2 = 0;
            if (f.blocks[b].merge == Merge::Selection) f.blocks[b].merge = Merge::None;
            any = true;
        }
        return any;
    }
    void remove_edge(BlockId from, BlockId to) {
        for (uint32_t i = f.blocks[to].first; f.instructions[i].op == Op::Phi; i++) {
            const auto args = f.args_of(f.instructions[i]);
            size_t kept = 0;
            for (size_t a = 0; a < args.size(); a += 2) {
                if (args[a + 1] == from) continue;
                args[kept] = args[a];
                args[kept + 1] = args[a + 1];
                kept += 2;
            }
            f.instructions[i].num_args = static_cast<uint32_t>(kept);
        }
    }

    // ---- selections
    /// Whether `side` goes from `header` to `merge` and contains only a few pure instructions.
    bool is_small_side(BlockId side, BlockId header, BlockId merge) {
        if (side == merge) return true;
        const Block& block = f.blocks[side];
        if (role[side] != kPlain || block.merge != Merge::None) return false;
        if (last(side).op != Op::Branch || last(side).aux != merge || !single_predecessor(side, header)) return false;
        uint32_t count = 0;
        for (uint32_t i = block.first; i + 1 < block.first + block.count; i++) {
            if (f.instructions[i].dead) continue;
            const Op op = f.instructions[i].op;
            if (trait_of(op) != Trait::pure || is_image_op(op) || ++count > kSpeculated) return false;
            if (!speculate_conversions && (op == Op::FToS || op == Op::FToU)) return false;
        }
        return true;
    }
    void flatten(BlockId b) {
        Block& block = f.blocks[b];
        Instruction& branch = last(b);
        if (block.merge != Merge::Selection || branch.op != Op::BranchIf || !memory.cfg.reachable(b)) return;
        const BlockId merge = block.merge_block, if_true = branch.aux, if_false = branch.aux2;
        // The sides lie between the header and the merge block, and nothing else leads there.
        const uint32_t sides = (if_true != merge) + (if_false != merge && if_false != if_true);
        if (merge != b + 1 + sides) return;
        if (!is_small_side(if_true, b, merge) || !is_small_side(if_false, b, merge)) return;
        const auto sources = memory.cfg.predecessors(merge);
        if (sources.size() != std::max(1u, sides + (if_true == merge || if_false == merge))) return;
        for (const BlockId s : sources)
            if (s != b && s != if_true && s != if_false) return;

        if (starts_with_phi(merge) && sources.size() != 2) return;  // one edge, one value: remove_trivial_phis()

        const Value condition = f.args[branch.first_arg];
        const BlockId from_true = if_true == merge ? b : if_true;
        bool selects = false;
        for (uint32_t i = f.blocks[merge].first; f.instructions[i].op == Op::Phi; i++) {
            Instruction& phi = f.instructions[i];
            if (phi.dead) {
                drop(phi);
                continue;
            }
            const auto args = f.args_of(phi);
            const Value a = args[args[1] == from_true ? 0 : 2], c = args[args[1] == from_true ? 2 : 0];
            args[0] = condition;
            args[1] = a;
            args[2] = c;
            phi.op = Op::Select;
            phi.num_args = 3;
            selects = true;
        }
        drops_condition |= !selects;
        if (if_true != merge) state[if_true] = kAbsorbed;
        if (if_false != merge) state[if_false] = kAbsorbed;
        branch.op = Op::Branch;
        branch.num_args = 0;
        branch.aux = merge;
        branch.aux2 = 0;
        block.merge = Merge::None;
        role[merge] &= static_cast<uint8_t>(~kMerge);
        only_source[merge] = b;
        changes = true;
    }

    // ---- the fate of each block
    void plan() {
        BlockId tail = kNone;             // the block whose terminator ends the chain so far
        Merge chain_merge = Merge::None;  // the merge kind of the chain so far
        for (BlockId b = 0; b < f.blocks.size(); b++) {
            if (state[b] == kAbsorbed) continue;
            if (!memory.cfg.reachable(b)) {
                state[b] = role[b] == kPlain ? kDropped : kStub;
                if (state[b] == kStub) tail = kNone;
                unreachable = true;
                changes |= state[b] == kDropped || f.blocks[b].count > 1;  // a stub keeps its terminator
                continue;
            }
            if (tail != kNone && follows(tail, b, chain_merge)) {
                state[b] = kAppended;
                changes = true;
                if (chain_merge == Merge::None) chain_merge = f.blocks[b].merge;
            } else {
                chain_merge = f.blocks[b].merge;
            }
            tail = b;
        }
    }
    bool follows(BlockId tail, BlockId b, Merge chain_merge) {
        const Instruction& branch = last(tail);
        if (branch.op != Op::Branch || branch.aux != b || role[b] != kPlain || starts_with_phi(b)) return false;
        if (!single_predecessor(b, tail) && only_source[b] != tail) return false;
        // A loop's header ends in a Branch or a BranchIf, and has one merge block.
        if (chain_merge == Merge::None) return true;
        const Op op = last(b).op;
        return f.blocks[b].merge == Merge::None && (op == Op::Branch || op == Op::BranchIf);
    }

    // ---- execution
    /// Replaces a removed instruction with one that any block allows in its middle. The type stays the same, because
    /// other dead instructions may name it.
    static void drop(Instruction& instruction) {
        const Type type = instruction.type.is_void() ? u32() : instruction.type;
        instruction = {};
        instruction.op = Op::Undef;
        instruction.type = type;
        instruction.dead = true;
    }
    /// Computes all positions: blocks that are joined become contiguous, with removed ones between them.
    void join() {
        place.assign(f.blocks.size(), kNone);
        BlockId built = 0;  // the number of blocks so far
        Instruction end;    // the terminator of the last of them: it moves to the end
        auto close = [&] {
            if (built != 0) last(built - 1) = end;
        };
        for (BlockId b = 0; b < f.blocks.size(); b++) {
            const Block from = f.blocks[b];
            const Instruction terminator = last(b);
            if (state[b] == kKept || state[b] == kStub) {
                close();
                f.blocks[built++] = from;
            } else {
                f.blocks[built - 1].count += from.count;
            }
            Block& to = f.blocks[built - 1];
            if (state[b] != kDropped) place[b] = built - 1;
            const bool all = state[b] == kStub || state[b] == kDropped;
            const uint32_t after = from.first + from.count;
            for (uint32_t i = all ? from.first : after - 1; i < after; i++) drop(f.instructions[i]);
            if (state[b] == kStub) {
                to.merge = Merge::None;
                end = {};
                end.op = header_of[b] == kNone ? Op::Unreachable : Op::Branch;
                end.aux = header_of[b];
            } else if (state[b] == kKept || state[b] == kAppended) {
                end = terminator;
                if (state[b] == kAppended) append(to, from);
            }
        }
        close();
        f.blocks.resize(built);
        for (BlockId b = 0; b < built; b++) rename_blocks(b);
    }
    /// The appended block's phis are now in the middle of a block; nothing needs them.
    void append(Block& to, const Block& from) {
        for (uint32_t i = from.first; f.instructions[i].op == Op::Phi; i++) drop(f.instructions[i]);
        if (from.merge == Merge::None) return;
        to.merge = from.merge;
        to.merge_block = from.merge_block;
        to.continue_block = from.continue_block;
    }
    void rename_blocks(BlockId b) {
        Block& block = f.blocks[b];
        for (uint32_t i = block.first; f.instructions[i].op == Op::Phi; i++) rename_edges(f.instructions[i], block);
        if (block.merge != Merge::None) block.merge_block = place[block.merge_block];
        if (block.merge == Merge::Loop) block.continue_block = place[block.continue_block];
        visit_targets(f, last(b), [&](BlockId& target) { target = place[target]; });
    }
    /// Removes the edges from unreachable blocks. `block`, which the phi begins, has the old names.
    void rename_edges(Instruction& phi, const Block& block) {
        const auto args = f.args_of(phi);
        size_t kept = 0;
        for (size_t a = 0; a < args.size(); a += 2) {
            if (!memory.cfg.reachable(args[a + 1])) continue;
            args[kept++] = args[a];
            args[kept++] = place[args[a + 1]];
        }
        // No path returns from a stub: the value from outside is as good as any.
        if (block.merge == Merge::Loop && state[block.continue_block] == kStub) {
            assert(kept + 2 <= args.size() && "a removed edge reappeared");
            args[kept++] = args[0];
            args[kept++] = place[block.continue_block];
        }
        phi.num_args = static_cast<uint32_t>(kept);
    }
};

}  // namespace

bool simplify_flow(const Module& module, Function& function, PassMemory& memory, bool speculate_conversions) {
    if (function.blocks.size() == 1) return false;
    FlowPass pass{module, function, memory, speculate_conversions};
    const bool known = pass.known_branches();
    memory.cfg.compute_edges(function);
    pass.roles();
    for (auto b = static_cast<BlockId>(function.blocks.size()); b-- > 0;) pass.flatten(b);
    pass.plan();
    if (!known && !pass.changes) return false;
    pass.join();
    // If sides of selections were absorbed and nothing else changed, every used value is still used.
    return known || pass.drops_condition || pass.unreachable;
}

}  // namespace tgsi2spv::ir
