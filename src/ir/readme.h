// The tables of README.md, as instructions.def and the verifier have them.
#pragma once

#include <string>

namespace tgsi2spv::ir {

/// A Markdown table: a row for each instruction, in the order of instructions.def.
std::string instruction_table();
/// A Markdown table: a row for each rule of the verifier.
std::string rule_table();

}  // namespace tgsi2spv::ir
