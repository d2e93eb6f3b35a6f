// Instructions that come to one of their operands, or to a shorter form.
#pragma once

#include "ir/passes/memory.h"

namespace tgsi2spv::ir {

/// What an instruction may become.
struct Peephole {
    enum class Kind : uint8_t { None, IsValue, Rewritten } kind = Kind::None;
    Value value = kNone;  ///< IsValue: it is this
};

/// Tries the laws on instruction `index`, whose arguments are renamed already and, in a commutative operation, stand
/// with a constant second. Rewritten: the instruction was changed in its place, and may be tried again.
Peephole try_peephole(Module& module, Function& function, uint32_t index, FlatTable& constants);

}  // namespace tgsi2spv::ir
