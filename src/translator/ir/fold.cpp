#include "ir/fold.h"

#include <array>
#include <utility>

#include "ir/commutative.h"
#include "ir/fold_constants.h"
#include "ir/peepholes.h"

namespace tgsi2spv::ir {
namespace {

/// One law may enable another; real chains are shorter than this, and none is endless.
constexpr int kRewrites = 8;

struct Folder {
    Module& m;
    Function& f;
    ConstantTable& constants;

    bool all_constant(std::span<const Value> args) const {
        for (const Value v : args)
            if (!is_constant(v) || m.constant(v).spec_id >= 0) return false;
        return !args.empty() && args.size() <= 4;
    }
    Value interned(const Constant& constant) { return constants.find_or_add(m, constant); }

    /// The value that the instruction reduces to, or the instruction itself.
    Value value_of(uint32_t index) {
        for (int n = 0; n < kRewrites; n++) {
            Instruction& i = f.instructions[index];
            const auto args = f.args_of(i);
            if (is_commutative(i.op) && is_constant(args[0]) && !is_constant(args[1])) std::swap(args[0], args[1]);
            if (i.op != Op::Compose && all_constant(args)) {
                std::array<const Constant*, 4> values{};
                for (size_t a = 0; a < args.size(); a++) values[a] = &m.constants[args[a] & ~kConstantBit];
                if (const auto c = fold_constants(i.op, i.type, std::span(values.data(), args.size())))
                    return interned(*c);
                return index;
            }
            const Peephole p = try_peephole(m, f, index, constants);
            if (p.kind == Peephole::Kind::None) return index;
            if (p.kind == Peephole::Kind::IsValue) return p.value;
        }
        return index;
    }
    /// Inverts a branch: !c ? a : b becomes c ? b : a.
    void branch(Instruction& instruction) {
        Value& condition = f.args[instruction.first_arg];
        if (is_constant(condition) || f.instructions[condition].op != Op::LNot) return;
        condition = f.args[f.instructions[condition].first_arg];
        std::swap(instruction.aux, instruction.aux2);
    }
};

/// Folding the first result would leave the second without its instruction.
bool has_second(Op op) {
    return op == Op::UMulExt || op == Op::SMulExt;
}

}  // namespace

Value fold_instruction(Module& module, Function& function, uint32_t index, ConstantTable& constants) {
    Folder folder{module, function, constants};
    Instruction& i = function.instructions[index];
    if (i.op == Op::BranchIf) folder.branch(i);
    if (!may_fold(i.op) || is_terminator(i.op) || i.num_args == 0 || has_second(i.op)) return index;
    return folder.value_of(index);
}

void fold(Module& module, Function& function, PassMemory& memory) {
    start_renaming(function, memory);
    for (uint32_t index = 0; index < function.instructions.size(); index++) {
        rename_arguments(function, function.instructions[index], memory);
        memory.renamed[index] = fold_instruction(module, function, index, memory.constants);
    }
    rename_phi_arguments(function, memory);
}

}  // namespace tgsi2spv::ir
