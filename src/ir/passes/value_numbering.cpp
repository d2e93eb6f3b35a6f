#include "ir/passes/value_numbering.h"

#include <algorithm>
#include <utility>

#include "ir/passes/commutative.h"
#include "ir/passes/fold.h"
#include "ir/passes/trivial_phis.h"

namespace tgsi2spv::ir {
namespace {

struct Numbering {
    Module& m;
    Function& f;
    PassMemory& memory;
    bool folding;

    /// The same words come whenever it is done again.
    bool is_repeatable(const Instruction& i) const {
        switch (trait_of(i.op)) {
            case Trait::pure:
                return true;
            case Trait::head:
                return i.op == Op::Phi;
            case Trait::read:
                break;
            default:
                return false;
        }
        if (i.op == Op::ArrayLength) return true;
        if (i.op != Op::Load) return false;
        const Variable& v = m.variables[i.aux];
        if (v.is_volatile) return false;
        switch (v.kind) {
            case VariableKind::Input:
                return v.builtin != BuiltIn::HelperInvocation;  // changes with Demote
            case VariableKind::ConstantBuffer:
            case VariableKind::PushConstant:
                return true;
            default:
                return false;
        }
    }
    uint64_t hash_of(const Instruction& i, BlockId block) const {
        uint64_t hash = hash_word(0, uint64_t{static_cast<uint8_t>(i.op)} << 32 |
                                         uint64_t{static_cast<uint8_t>(i.type.scalar)} << 24 |
                                         uint64_t{i.type.components} << 16 | uint64_t{i.sub} << 8 | i.precise);
        hash = hash_word(hash, uint64_t{i.aux} << 32 | i.aux2);
        if (i.op == Op::Phi) hash = hash_word(hash, block);
        const auto args = std::as_const(f).args_of(i);
        size_t a = 0;
        for (; a + 1 < args.size(); a += 2) hash = hash_word(hash, uint64_t{args[a]} << 32 | args[a + 1]);
        return a < args.size() ? hash_word(hash, args[a]) : hash;
    }
    bool same(uint32_t a, uint32_t b) const {
        const Instruction &i = f.instructions[a], &j = f.instructions[b];
        if (i.op != j.op || i.type != j.type || i.precise != j.precise || i.sub != j.sub || i.aux != j.aux ||
            i.aux2 != j.aux2 || (i.op == Op::Phi && memory.block_of[a] != memory.block_of[b]))
            return false;
        const auto x = std::as_const(f).args_of(i), y = std::as_const(f).args_of(j);
        return std::equal(x.begin(), x.end(), y.begin(), y.end());
    }
    void instruction(uint32_t index, BlockId block) {
        Value& stands_for = memory.renamed[index];
        if (stands_for != index) {  // a trivial phi, for a constant or what came before it
            if (!is_constant(stands_for)) stands_for = memory.renamed[stands_for];
            return;
        }
        Instruction& i = f.instructions[index];
        memory.block_of[index] = block;
        rename_arguments(f, i, memory);
        if (folding && may_fold(i.op)) {
            const Value folded = fold_instruction(m, f, index, memory.constants);
            if (folded != index) {
                memory.renamed[index] = folded;
                return;
            }
        }
        if (is_commutative(i.op)) {
            const auto args = f.args_of(i);
            const auto [low, high] = std::minmax({args[0], args[1]});
            args[0] = low;
            args[1] = high;
        }
        if (!is_repeatable(i)) return;
        uint32_t& first =
            memory.numbers.find_or_insert(hash_of(i, block), index, [&](uint32_t other) { return same(other, index); });
        if (first == index) return;
        if (!memory.cfg.dominates(memory.block_of[first], block)) {
            first = index;  // the later one serves what follows it; one entry a value keeps this linear
            return;
        }
        memory.renamed[index] = first;
        f.instructions[first].second |= i.second;
    }
};

}  // namespace

void number_values(Module& module, Function& function, PassMemory& memory, NumberWith with) {
    memory.cfg.compute(function);
    memory.numbers.clear(function.instructions.size());
    memory.block_of.resize(function.instructions.size());
    if (!with.trivial_phis || !find_trivial_phis(function, memory)) start_renaming(function, memory);
    Numbering pass{module, function, memory, with.folding};
    for (BlockId b = 0; b < function.blocks.size(); b++) {
        const Block& block = function.blocks[b];
        for (uint32_t i = block.first; i < block.first + block.count; i++) pass.instruction(i, b);
    }
    rename_phi_arguments(function, memory);
}

}  // namespace tgsi2spv::ir
