#pragma once

#include <array>

#include "ir/passes/memory.h"

namespace tgsi2spv::ir {

/// Computes instructions of constants, and replaces instructions that come to one of their operands, or to a shorter
/// form, by laws that hold for every bit pattern (fold_constants.cpp, peepholes.cpp). Needs `memory.constants` to
/// know the module's constants. The replaced instructions stay, unused.
void fold(Module& module, Function& function, PassMemory& memory);

/// What laws look for behind an argument, beside constants: see peepholes.cpp.
inline constexpr auto kLookedThrough = [] {
    std::array<bool, kOpCount> table{};
    for (const Op op : {Op::FNegate, Op::FAbs, Op::INegate, Op::Not, Op::LNot, Op::Bitcast, Op::Select})
        table[static_cast<size_t>(op)] = true;
    return table;
}();

/// False for what fold_instruction() leaves as it is whatever the arguments, for sweeps over many instructions.
constexpr bool may_fold(Op op) {
    return (trait_of(op) == Trait::pure && !is_image_op(op)) || op == Op::BranchIf;
}

/// The same with a look at the arguments. A law needs a constant, an argument twice, or one that an operation made
/// which some law looks through; the few operations with laws beyond that are asked always.
inline bool may_fold(const Function& f, const Instruction& i) {
    if (!may_fold(i.op)) return false;
    switch (i.op) {
        case Op::Bitcast:
        case Op::Select:
        case Op::LNot:
        case Op::BranchIf:
            return true;
        case Op::Compose: {  // made of what resolve() gave
            const Value first = f.args[i.first_arg];
            if (is_constant(first)) return false;
            const Op made_by = f.instructions[first].op;
            return made_by == Op::Bitcast || (made_by == Op::Select && i.num_args == 1);
        }
        default:
            break;
    }
    const auto args = f.args_of(i);
    for (const Value v : args)
        if (is_constant(v) || kLookedThrough[static_cast<size_t>(f.instructions[v].op)]) return true;
    return args.size() == 2 && args[0] == args[1];
}

/// The same for one instruction, whose arguments are renamed: the value that it comes to, or its own number.
Value fold_instruction(Module& module, Function& function, uint32_t index, FlatTable& constants);

}  // namespace tgsi2spv::ir
