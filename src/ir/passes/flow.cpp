#include "ir/passes/flow.h"

#include <algorithm>
#include <utility>

namespace tgsi2spv::ir {
namespace {

/// A side of a selection with as many pure instructions at most is computed always. A branch, its merge, a label and
/// a phi take more words, and no GPU branches for so little.
constexpr uint32_t kSpeculated = 4;

enum Role : uint8_t { kPlain = 0, kMerge = 1, kContinue = 2 };

enum State : uint8_t {
    kKept,
    kAppended,  ///< to the block before it
    kAbsorbed,  ///< a side of a selection: its instructions go to the header, its branch is gone
    kStub,      ///< unreachable, but named by a header
    kDropped,
};

struct Flow {
    const Module& m;
    Function& f;
    PassMemory& memory;
    bool drops_condition = false;  ///< a branch is gone, and no Select takes what it chose by
    std::pmr::vector<uint8_t>& role = memory.block_role;
    std::pmr::vector<uint8_t>& state = memory.block_state;
    std::pmr::vector<BlockId>& place = memory.block_place;       ///< its index afterwards
    std::pmr::vector<BlockId>& header_of = memory.block_header;  ///< of a continue target: the loop's header
    std::pmr::vector<BlockId>& only_source =
        memory.block_source;  ///< of a merge block: the header of what was a selection

    Instruction& last(BlockId b) { return f.instructions[f.blocks[b].first + f.blocks[b].count - 1]; }
    bool starts_with_phi(BlockId b) {
        uint32_t first = f.blocks[b].first;
        while (f.instructions[first].dead) first++;  // its terminator is not
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

    // ---- branches whose way is known
    /// A selection on a constant goes one way; before the edges are looked at.
    bool known_branches() {
        bool any = false;
        for (BlockId b = 0; b < f.blocks.size(); b++) {
            Instruction& branch = last(b);
            if (branch.op != Op::BranchIf || f.blocks[b].merge != Merge::Selection) continue;
            const Value condition = f.args[branch.first_arg];
            if (!is_constant(condition) || m.constants[condition & ~kConstantBit].spec_id >= 0) continue;
            const bool holds = m.constants[condition & ~kConstantBit].words[0] != 0;
            const BlockId taken = holds ? branch.aux : branch.aux2, other = holds ? branch.aux2 : branch.aux;
            if (taken != other) remove_edge(b, other);
            branch.op = Op::Branch;
            branch.num_args = 0;
            branch.aux = taken;
            branch.aux2 = 0;
            f.blocks[b].merge = Merge::None;
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
    /// `side` goes from `header` to `merge` and does little and nothing else.
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
        }
        return true;
    }
    void flatten(BlockId b) {
        Block& block = f.blocks[b];
        Instruction& branch = last(b);
        if (block.merge != Merge::Selection || branch.op != Op::BranchIf || !memory.cfg.reachable(b)) return;
        const BlockId merge = block.merge_block, if_true = branch.aux, if_false = branch.aux2;
        // The sides stand between the header and the merge block, and are all that leads there.
        const uint32_t sides = (if_true != merge) + (if_false != merge && if_false != if_true);
        if (merge != b + 1 + sides) return;
        if (!is_small_side(if_true, b, merge) || !is_small_side(if_false, b, merge)) return;
        const auto sources = memory.cfg.predecessors(merge);
        if (sources.size() != std::max(1u, sides + (if_true == merge || if_false == merge))) return;
        for (const BlockId s : sources)
            if (s != b && s != if_true && s != if_false) return;

        if (starts_with_phi(merge) && sources.size() != 2) return;  // one edge, one value: for remove_trivial_phis()

        const Value condition = f.args[branch.first_arg];
        const BlockId from_true = if_true == merge ? b : if_true;
        bool selects = false;
        for (uint32_t i = f.blocks[merge].first; f.instructions[i].op == Op::Phi; i++) {
            Instruction& phi = f.instructions[i];
            if (phi.dead) continue;
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
    }

    // ---- what becomes of each block
    void plan() {
        BlockId tail = kNone;             // the block whose terminator ends what is being built
        Merge chain_merge = Merge::None;  // of what is being built
        for (BlockId b = 0; b < f.blocks.size(); b++) {
            if (state[b] == kAbsorbed) continue;
            if (!memory.cfg.reachable(b)) {
                state[b] = role[b] == kPlain ? kDropped : kStub;
                if (state[b] == kStub) tail = kNone;
                continue;
            }
            if (tail != kNone && follows(tail, b, chain_merge)) {
                state[b] = kAppended;
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
        // A loop's header goes on with a Branch or a BranchIf, and has one merge block.
        if (chain_merge == Merge::None) return true;
        const Op op = last(b).op;
        return f.blocks[b].merge == Merge::None && (op == Op::Branch || op == Op::BranchIf);
    }
    bool anything() const {
        return std::any_of(state.begin(), state.end(), [](uint8_t s) { return s != kKept && s != kStub; }) ||
               std::any_of(only_source.begin(), only_source.end(), [](BlockId b) { return b != kNone; }) ||
               shortens_stub();
    }
    /// A stub that is not one yet.
    bool shortens_stub() const {
        for (BlockId b = 0; b < f.blocks.size(); b++)
            if (state[b] == kStub && f.blocks[b].count > 1) return true;
        return false;
    }

    // ---- rebuilding
    void rebuild() {
        auto& blocks = memory.blocks;
        auto& out = memory.instructions;
        blocks.clear();
        out.clear();
        memory.heads.clear();
        memory.renamed.resize(f.instructions.size());
        place.assign(f.blocks.size(), kNone);
        Instruction end;  // the terminator of the block that is being built
        auto close = [&] {
            if (blocks.empty()) return;
            out.push_back(end);
            blocks.back().count = static_cast<uint32_t>(out.size()) - blocks.back().first;
        };
        for (BlockId b = 0; b < f.blocks.size(); b++) {
            if (state[b] == kDropped) continue;
            const Block& from = f.blocks[b];
            if (state[b] == kKept || state[b] == kStub) {
                close();
                Block block = from;
                block.first = static_cast<uint32_t>(out.size());
                if (state[b] == kStub) block.merge = Merge::None;
                blocks.push_back(block);
                memory.heads.push_back(b);
            }
            place[b] = static_cast<BlockId>(blocks.size() - 1);
            if (state[b] == kStub) {
                end = {};
                end.op = header_of[b] == kNone ? Op::Unreachable : Op::Branch;
                end.aux = header_of[b];
                continue;
            }
            for (uint32_t i = from.first; i + 1 < from.first + from.count; i++) {
                if (f.instructions[i].dead) continue;
                memory.renamed[i] = static_cast<Value>(out.size());
                out.push_back(f.instructions[i]);
            }
            if (state[b] == kAbsorbed) continue;
            end = last(b);
            if (state[b] == kAppended && from.merge != Merge::None) {
                blocks.back().merge = from.merge;
                blocks.back().merge_block = from.merge_block;
                blocks.back().continue_block = from.continue_block;
            }
        }
        close();
        arguments();
        f.blocks.swap(blocks);
        f.instructions.swap(out);
        f.args.swap(memory.args);
    }
    Value renamed(Value v) const {
        const Value to = memory.renamed[is_constant(v) ? 0 : v];  // no branch, as in rename_arguments()
        return is_constant(v) ? v : to;
    }
    void arguments() {
        auto& args = memory.args;
        args.clear();
        for (BlockId b = 0; b < memory.blocks.size(); b++) {
            Block& block = memory.blocks[b];
            if (block.merge != Merge::None) block.merge_block = place[block.merge_block];
            if (block.merge == Merge::Loop) block.continue_block = place[block.continue_block];
            for (uint32_t n = block.first; n < block.first + block.count; n++) {
                Instruction& i = memory.instructions[n];
                const auto from = std::as_const(f).args_of(i);
                const auto first = static_cast<uint32_t>(args.size());
                if (i.op == Op::Phi) {
                    phi_arguments(from, memory.heads[b]);
                } else if (i.op == Op::Switch) {
                    args.push_back(renamed(from[0]));
                    for (size_t a = 1; a < from.size(); a++) args.push_back(a % 2 == 1 ? from[a] : place[from[a]]);
                } else {
                    Value* const to = args.extend(from.size());
                    for (size_t a = 0; a < from.size(); a++) to[a] = renamed(from[a]);
                }
                i.first_arg = first;
                i.num_args = static_cast<uint32_t>(args.size()) - first;
                if (i.op == Op::Branch || i.op == Op::BranchIf || i.op == Op::Switch) i.aux = place[i.aux];
                if (i.op == Op::BranchIf) i.aux2 = place[i.aux2];
            }
        }
    }
    void phi_arguments(std::span<const uint32_t> from, BlockId head) {
        auto& args = memory.args;
        const size_t first = args.size();
        for (size_t a = 0; a < from.size(); a += 2) {
            if (!memory.cfg.reachable(from[a + 1])) continue;
            args.push_back(renamed(from[a]));
            args.push_back(place[from[a + 1]]);
        }
        // No path comes back from a stub: the value from outside does as well as any.
        const Block& block = f.blocks[head];
        if (block.merge == Merge::Loop && state[block.continue_block] == kStub) {
            args.push_back(args[first]);
            args.push_back(place[block.continue_block]);
        }
    }
};

}  // namespace

bool simplify_flow(const Module& module, Function& function, PassMemory& memory) {
    if (function.blocks.size() == 1) return false;
    Flow pass{module, function, memory};
    const bool known = pass.known_branches();
    memory.cfg.compute_edges(function);
    pass.roles();
    for (auto b = static_cast<BlockId>(function.blocks.size()); b-- > 0;) pass.flatten(b);
    pass.plan();
    if (!known && !pass.anything()) return false;
    pass.rebuild();
    // Where sides of selections were absorbed and nothing else, all that was used still is.
    return known || pass.drops_condition ||
           std::any_of(memory.block_state.begin(), memory.block_state.end(),
                       [](uint8_t s) { return s == kStub || s == kDropped; });
}

}  // namespace tgsi2spv::ir
