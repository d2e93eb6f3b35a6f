// The engine for what is common: programs of VERT and FRAG whose lanes share nothing, over columns of words.
#pragma once

#include "reference/machine.h"

namespace tgsi2spv::reference::columns {

/// Executes a program for its plainest answer, where all it has is known here and every lane ends. False: the other
/// engine must do it, and `result` says nothing.
bool run(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs, const Options& options,
         const FlowTable& table, Result& result);

}  // namespace tgsi2spv::reference::columns
