#pragma once

#include "ir/pass_memory.h"

namespace tgsi2spv::ir {

/// Computes instructions on constants, and replaces instructions by one of their operands or by a shorter form, using
/// laws that hold for every bit pattern (fold_constants.cpp, peepholes.cpp). `memory.constants` must contain the
/// module's constants. Replaced instructions stay, unused.
void fold(Module& module, Function& function, PassMemory& memory);

/// False for operations that fold_instruction() never changes, for any arguments; for sweeps over many instructions.
constexpr bool may_fold(Op op) {
    return (trait_of(op) == Trait::pure && !is_image_op(op)) || op == Op::BranchIf;
}

/// The same for one instruction, whose arguments are already renamed: returns the value that it reduces to, or its own
/// number.
Value fold_instruction(Module& module, Function& function, uint32_t index, ConstantTable& constants);

}  // namespace tgsi2spv::ir
