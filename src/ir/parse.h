// The text form of print.h, read back: for tests of passes, and for whoever wants to write IR by hand.
//
// Values and blocks may be named by any letters and digits (`%sum`, `bhead`), and named before they stand. `;` starts
// a comment. A module that breaks the verifier's rules parses all the same.
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

/// Overwrites `module`. No error: it is what the text says.
std::optional<TextError> parse(std::string_view text, Module& module);

}  // namespace tgsi2spv::ir
