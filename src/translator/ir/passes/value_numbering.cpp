#include "ir/passes/value_numbering.h"

#include <algorithm>
#include <utility>

#include "ir/commutative.h"
#include "ir/equal.h"
#include "ir/fold.h"

namespace tgsi2spv::ir {
namespace {

struct Numbering {
    Module& m;
    Function& f;
    PassMemory& memory;
    bool folding;

    bool same(uint32_t a, uint32_t b) const {
        const Instruction &i = f.instructions[a], &j = f.instructions[b];
        return i.aux2 == j.aux2 && equal(kind_of(i), i.aux, std::as_const(f).args_of(i), j, f.args.data()) &&
               (i.op != Op::Phi || memory.block_of[a] == memory.block_of[b]);
    }
    void instruction(uint32_t index, BlockId block) {
        Value& stands_for = memory.renamed[index];
        if (stands_for != index) {  // a trivial phi, replaced by a constant or an earlier value
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
        if (!is_repeatable(m, i.op, i.aux)) return;
        if (memory.numbers.size() >= kMaxNumbered) [[unlikely]]
            memory.numbers.clear(kMaxNumbered);
        uint64_t hash = hash_of(memory.numbers.seed(), kind_of(i), i.aux, std::as_const(f).args_of(i));
        if (i.op == Op::Phi) hash = hash_word(hash, block);
        uint32_t& first =
            memory.numbers.find_or_insert(hash, index, [&](uint32_t other) { return same(other, index); });
        if (first == index) return;
        if (!memory.cfg.dominates(memory.block_of[first], block)) {
            first = index;  // the later one serves its successors; one entry per value keeps this linear
            return;
        }
        memory.renamed[index] = first;
        f.instructions[first].second |= i.second;
    }
};

}  // namespace

void number_values(Module& module, Function& function, PassMemory& memory, NumberWith with) {
    memory.cfg.compute(function);
    memory.numbers.clear(std::min(function.instructions.size(), kMaxNumbered));
    memory.block_of.resize(function.instructions.size());
    if (!with.renamed) start_renaming(function, memory);
    Numbering pass{module, function, memory, with.folding};
    for (BlockId b = 0; b < function.blocks.size(); b++) {
        const Block& block = function.blocks[b];
        for (uint32_t i = block.first; i < block.first + block.count; i++) pass.instruction(i, b);
    }
    rename_phi_arguments(function, memory);
}

}  // namespace tgsi2spv::ir
