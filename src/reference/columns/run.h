// The engine for the common cases: programs of VERT and FRAG whose lanes share nothing, over columns of words.
#pragma once

#include <optional>
#include <vector>

#include "reference/machine.h"

namespace tgsi2spv::reference::columns {

/// Executes a program if this engine supports everything in it, and fills `result`. Returns the lanes that the
/// interpreter must execute instead. Returns nothing if the interpreter must execute the whole program; `result` is
/// then meaningless.
std::optional<std::vector<bool>> run(const tgsi::Program& program, const tgsi::Registers& registers,
                                     const Inputs& inputs, const Options& options, const FlowTable& table,
                                     Result& result);

}  // namespace tgsi2spv::reference::columns
