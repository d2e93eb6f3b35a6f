#pragma once

#include "ir/passes/memory.h"

namespace tgsi2spv::ir {

/// Replaces an instruction by an equal one that dominates it: pure ones, loads of what the shader cannot write
/// (inputs, constant buffers, push constants), lengths of buffers, phis of one block. Convergent instructions are
/// never merged, and nothing moves. The replaced instructions stay, unused. With `folding`, each instruction is
/// folded (fold.h) before its equal is looked for, in the same sweep.
void number_values(Module& module, Function& function, PassMemory& memory, bool folding = false);

}  // namespace tgsi2spv::ir
