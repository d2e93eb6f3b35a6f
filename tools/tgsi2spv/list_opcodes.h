// `tgsi2spv --list-opcodes`.
#pragma once

#include <string>

namespace tools {

/// One row for each opcode: mnemonic, editions, stages, and whether the project's own examples show it parsed,
/// translated, executed by the reference and compared with a device.
std::string list_opcodes();

}  // namespace tools
