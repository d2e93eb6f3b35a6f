// The tables of README.md, generated from instructions.def and the verifier.
#pragma once

#include <string>

namespace tgsi2spv::ir {

/// A Markdown table: one row for each instruction, in the order of instructions.def.
std::string instruction_table();
/// A Markdown table: one row for each rule of the verifier.
std::string rule_table();

}  // namespace tgsi2spv::ir
