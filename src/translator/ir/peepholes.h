// Instructions that reduce to one of their operands, or to a shorter form.
#pragma once

#include "ir/pass_memory.h"

namespace tgsi2spv::ir {

/// The replacement of an instruction.
struct Peephole {
    enum class Kind : uint8_t { None, IsValue, Rewritten } kind = Kind::None;
    Value value = kNone;  ///< IsValue: the replacing value
};

/// Tries the laws on instruction `index`. Its arguments are already renamed; in a commutative operation, a constant is
/// the second argument. Rewritten: the instruction was changed in place, and may be tried again.
Peephole try_peephole(Module& module, Function& function, uint32_t index, ConstantTable& constants);

}  // namespace tgsi2spv::ir
