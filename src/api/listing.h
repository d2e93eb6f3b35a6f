// What `--emit=sampling` shows: the texture message of each instruction that has one.
#pragma once

#include <string>

#include "tgsi/program.h"

namespace tgsi2spv::api {

/// A line for each texture instruction: its number, itself, and its message in its document's notation, or why there
/// is none. The Program has passed the checker.
std::string list_messages(const tgsi::Program& program);

}  // namespace tgsi2spv::api
