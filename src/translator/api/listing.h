// The output of `--emit=sampling`: the texture message of each instruction that has one.
#pragma once

#include <string>

#include "tgsi/program/program.h"

namespace tgsi2spv::api {

/// Writes one line for each texture instruction: its number, the instruction, and its message in its document's
/// notation, or the reason why there is none. The Program has passed the checker.
std::string list_messages(const tgsi::Program& program);

}  // namespace tgsi2spv::api
