// The engine for what is common: programs of VERT and FRAG whose lanes share nothing, over columns of words.
#pragma once

#include <optional>
#include <vector>

#include "reference/machine.h"

namespace tgsi2spv::reference::columns {

/// Executes a program, where all it has is known here; `result` then holds what it leaves, but for the lanes that are
/// set in what is returned: of these the other engine must say it. Nothing: the other engine must do all, and `result`
/// says nothing.
std::optional<std::vector<bool>> run(const tgsi::Program& program, const tgsi::Registers& registers,
                                     const Inputs& inputs, const Options& options, const FlowTable& table,
                                     Result& result);

}  // namespace tgsi2spv::reference::columns
