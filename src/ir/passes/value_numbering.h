#pragma once

#include "ir/passes/memory.h"

namespace tgsi2spv::ir {

/// What takes place in the same sweep, each instruction's before its equal is looked for.
struct NumberWith {
    bool folding = false;  ///< fold.h
    bool renamed = false;  ///< `memory.renamed` tells what stands for trivial phis already (trivial_phis.h)
};

/// Replaces an instruction by an equal one that dominates it: pure ones, loads of what the shader cannot write
/// (inputs, constant buffers, push constants), lengths of buffers, phis of one block. Convergent instructions are
/// never merged, and nothing moves. The replaced instructions stay, unused.
void number_values(Module& module, Function& function, PassMemory& memory, NumberWith with = {});

}  // namespace tgsi2spv::ir
