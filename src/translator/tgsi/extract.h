// Extracts shaders from a log: driver dumps, with or without a prefix before each line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tgsi/types.h"

namespace tgsi2spv::tgsi {

struct Extracted {
    Stage stage{};
    std::string text;                      ///< the shader's lines without the log's prefix
    uint32_t line = 0;                     ///< line of the log, from 1, where it begins
    bool complete = true;                  ///< false: the log ends before END
    std::optional<uint64_t> missing = {};  ///< number of the first instruction that the log has lost
};

/// Splits a log into shaders. A shader begins at a line whose last word is a stage, followed by a declaration,
/// property, immediate or instruction. The text before that word is the prefix of the shader's other lines too, except
/// that digits (time stamps) may differ. A line that a mail program wrapped is joined; C string literals are replaced
/// by the lines in them, and the tags and entities of HTML are removed. Other lines of the log between those of a
/// shader are left out, but not instructions whose opcode is unknown. The shader ends after END and the subroutines
/// that follow it, or at the next shader. Time and memory are linear in the log.
std::vector<Extracted> extract(std::string_view log);

}  // namespace tgsi2spv::tgsi
