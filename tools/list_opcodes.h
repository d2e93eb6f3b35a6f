// `tgsi2spv --list-opcodes`.
#pragma once

#include <string>

namespace tools {

/// A row an opcode: mnemonic, editions, stages, and whether the project's own examples show it parsed, translated,
/// executed by the reference and compared with a device.
std::string list_opcodes();

}  // namespace tools
