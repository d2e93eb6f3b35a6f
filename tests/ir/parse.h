// Reads the text form of print.h: for tests of passes, and for writing IR by hand.
//
// Names of values and blocks may be any letters and digits (`%sum`, `bhead`), and may be used before their definition.
// `;` starts a comment. A module that breaks the verifier's rules still parses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/module.h"

namespace tgsi2spv::ir {

struct TextError {
    uint32_t line = 0;  ///< from 1
    std::string text;   ///< one sentence, lower case
};

/// Overwrites `module`. If no error is returned, it is the module of the text.
std::optional<TextError> parse(std::string_view text, Module& module);

}  // namespace tgsi2spv::ir
