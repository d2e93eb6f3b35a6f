#pragma once

#include "ir/passes/memory.h"

namespace tgsi2spv::ir {

/// Computes instructions of constants, and replaces instructions that come to one of their operands, or to a shorter
/// form, by laws that hold for every bit pattern (fold_constants.cpp, peepholes.cpp). Needs `memory.constants` to
/// know the module's constants. The replaced instructions stay, unused.
void fold(Module& module, Function& function, PassMemory& memory);

/// False for what fold_instruction() leaves as it is whatever the arguments, for sweeps over many instructions.
constexpr bool may_fold(Op op) {
    return (trait_of(op) == Trait::pure && !is_image_op(op)) || op == Op::BranchIf;
}

/// The same for one instruction, whose arguments are renamed: the value that it comes to, or its own number.
Value fold_instruction(Module& module, Function& function, uint32_t index, FlatTable& constants);

}  // namespace tgsi2spv::ir
