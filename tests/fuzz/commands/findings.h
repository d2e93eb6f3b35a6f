// The kinds of findings, and their names: messages of the validation layer, lost devices, processes that end.
#pragma once

#include <string>
#include <string_view>

namespace tgsi2spv::fuzz {

/// The rule that a message names: "VUID-vkCmdDraw-None-02721".
std::string key_of(std::string_view message);

/// Why a message of this key is not a fault of the host; null: it is a finding.
const char* reason_to_ignore(std::string_view key, std::string_view message);

}  // namespace tgsi2spv::fuzz
