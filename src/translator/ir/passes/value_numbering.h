#pragma once

#include "ir/pass_memory.h"

namespace tgsi2spv::ir {

/// Further work of the same sweep, for each instruction before its equal is looked up.
struct NumberWith {
    bool folding = false;  ///< fold.h
    bool renamed = false;  ///< `memory.renamed` already holds the replacements of trivial phis (trivial_phis.h)
};

/// Replaces an instruction by an equal one that dominates it: pure ones, loads of memory that the shader cannot write
/// (inputs, constant buffers, push constants), lengths of buffers, phis of one block. Convergent instructions are never
/// merged, and nothing moves. Replaced instructions stay, unused.
void number_values(Module& module, Function& function, PassMemory& memory, NumberWith with = {});

}  // namespace tgsi2spv::ir
