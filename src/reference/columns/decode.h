// Translates a Program to Code.
#pragma once

#include <optional>

#include "reference/columns/code.h"
#include "reference/machine.h"

namespace tgsi2spv::reference::columns {

/// Returns nothing if the program has something that only the interpreter executes.
std::optional<Code> decode(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
                           const Context& context, const FlowTable& table);

}  // namespace tgsi2spv::reference::columns
