// Errors as values: a code, a place in the text, one sentence, a hint.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tgsi/text/code.h"

namespace tgsi2spv::tgsi {

enum class Severity : uint8_t { Error, Warning, Note };

struct Diagnostic {
    Severity severity = Severity::Error;
    Code code = "internal-error";
    uint32_t offset = 0;    ///< byte offset in the text
    uint32_t length = 0;    ///< bytes to underline; 0: as marked_bytes() says
    std::string message;    ///< lower case, one sentence, no final stop
    std::string hint;       ///< may be empty
    std::string feature{};  ///< the missing feature, by Vulkan's name; may be empty
};

struct LineColumn {
    uint32_t line = 1;    ///< line, from 1
    uint32_t column = 1;  ///< column, from 1, in bytes
};

/// Line and column of a byte offset.
LineColumn line_column_of(std::string_view text, uint32_t offset);

/// Returns how many bytes of the text to underline: `length`, or the word at the offset with its indices (`BARRIER`,
/// `CONST[1][ADDR[0].x]`), or one byte.
uint32_t marked_bytes(const Diagnostic& diagnostic, std::string_view text);

/// A message for a terminal that may contain text from outside: control bytes become \xNN, so that it cannot control
/// the terminal. Lines and UTF-8 stay. A message of more than 4,000 bytes is cut.
std::string printable(std::string_view message);

/// Writes `file:12:7: error: message`, the source line, a caret line, `hint: …`. Control bytes of the line are escaped,
/// so that hostile text cannot control a terminal.
std::string render(const Diagnostic& diagnostic, std::string_view file, std::string_view text);
/// The same as one line of JSON: file, line, column, length, severity, code, message, hint.
std::string render_json(const Diagnostic& diagnostic, std::string_view file, std::string_view text);

}  // namespace tgsi2spv::tgsi
