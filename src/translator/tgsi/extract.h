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
    std::string text;                       ///< the shader's lines without the log's prefix
    uint32_t line = 0;                      ///< line of the log, from 1, where it begins
    bool complete = true;                   ///< false: the log ends before END
    std::optional<uint64_t> missing = {};   ///< number of the first instruction that the log has lost
    std::optional<uint32_t> left_out = {};  ///< line of the log that is left out and may be a piece of this shader
    std::optional<uint32_t> mixed = {};     ///< line of the log that may be another shader's
};

/// Splits a log into shaders. A shader begins at a line whose last word is a stage. The text before that word is the
/// prefix of the shader's other lines too, except for its numbers (time stamps); if the next line is a statement
/// without it, the shader has none. Lines of other prefixes come between, also those of other shaders (threads).
/// Statements that a terminal or a mail program wrapped are joined; C string literals are replaced by the lines in
/// them, and the tags and entities of HTML are removed. Other lines of the log between those of a shader are left out,
/// but not instructions whose opcode is unknown. The shader ends after END and the subroutines that follow it, or at
/// the next shader with its prefix. Time and memory are linear in the log. `headers`: the lines of stages without a
/// shader.
std::vector<Extracted> extract(std::string_view log, std::vector<uint32_t>* headers = nullptr);

}  // namespace tgsi2spv::tgsi
