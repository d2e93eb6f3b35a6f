// The shaders in a log of a driver, whose lines may have a prefix. Part of tgsi2spv --extract.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tgsi/tables/types.h"

namespace tools {

/// A place of the log that lost, cut or mixed lines of a shader.
struct LogNote {
    uint32_t line = 0;           ///< line of the log, from 1
    const char* code = nullptr;  ///< stable name, for --diagnostics=json
    std::string message;
};

struct LogShader {
    tgsi2spv::tgsi::Stage stage{};
    std::string text;   ///< the shader's lines without the log's prefix
    uint32_t line = 0;  ///< line of the log, from 1, where it begins
    std::vector<LogNote> notes;
};

struct LogShaders {
    std::vector<LogShader> shaders;
    std::vector<uint32_t> headers;  ///< lines of stages without a shader
};

/// Splits a log into shaders. A shader begins at a line whose last word is a stage in capitals. The text before that
/// word is the prefix of the shader's other lines too, except for its numbers (time stamps); if the next line is a
/// statement without it, the shader has none. The shader ends after END and the subroutines that follow it, or at the
/// next shader. Statements are never joined: a line that no parser takes, and one that was left out between those of a
/// shader, have a note. Instructions whose opcode is unknown stay. Time and memory are linear in the log.
LogShaders shaders_of_log(std::string_view log);

}  // namespace tools
