// Removes the wrapping of shaders in logs: C string literals, HTML.
#pragma once

#include <string>
#include <string_view>

namespace tgsi2spv::tgsi {

/// Turns the lines of a log into lines of text: those in C string literals (also of several lines, and raw ones), and
/// without the tags and entities of HTML. Time and memory are linear in the log.
class Unwrapper {
  public:
    /// The lines that are complete with this line of the log, each with its end.
    std::string lines_of(std::string_view line);
    /// The rest at the end of the log.
    std::string rest();

  private:
    std::string pending_;      ///< the beginning of a line in a literal, which the next literal may continue
    std::string raw_end_;      ///< the delimiter of the raw literal that is open
    bool in_literal_ = false;  ///< the line before ended with a backslash inside a literal
    bool in_program_ = false;  ///< the line before was of literals whose lines end in them

    std::string of_literals(std::string_view line);
};

}  // namespace tgsi2spv::tgsi
