// The lines of a log in which extract() looks for shaders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tgsi/parse.h"
#include "tgsi/types.h"

namespace tgsi2spv::tgsi {

/// Returns a line, with the CR of a CR LF, and moves `at` to the next one. A CR alone ends a line too.
std::string_view next_line(std::string_view log, size_t& at);

/// The stage at the end of a line, `FRAG` or `FRAG1.1`, and where it begins. Producers print in capitals: in prose
/// these words mean something else.
std::optional<Stage> stage_at_end(std::string_view line, size_t& first);

/// Without blanks at both ends.
std::string_view trimmed(std::string_view line);

enum class LineKind : uint8_t { Other, Blank, Declaration, Instruction, Continued, End };

/// A shader's line, without the log's prefix.
struct ShaderLine {
    LineKind kind = LineKind::Other;
    std::optional<uint64_t> number = {};  ///< `  12: `
    bool is_word = false;                 ///< one word in capitals, perhaps with a number before it
};
ShaderLine shader_line(std::string_view line);

/// The kind of a text: one statement, the beginning of one, or neither.
enum class Reading : uint8_t { Statement, Beginning, Other };

class StatementReader {
  public:
    static constexpr size_t kLongest = 1024;  ///< bytes of a statement, so that each line takes a bounded time

    /// `piece`: the end of the text, from another line. A beginning has its error in its last word, and that one is not
    /// all of the piece.
    Reading of(Stage stage, std::string_view text, std::string_view piece = {});

  private:
    Program program_;
    std::vector<Diagnostic> diagnostics_;
};

}  // namespace tgsi2spv::tgsi
