// Text files of tests: sections of lines, with names, loops and shared parts.
//
// `text NAME` … `use NAME` are lines that several sections share. `let NAME text` and `for NAME values` make $NAME
// stand for the text, or for each of the values in turn. `?condition line` is the line where the condition holds,
// `repeat NAME first last` … `done` its lines for each number, and $(formula) a number (formula.h). # begins a comment.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "texts/formula.h"

namespace tgsi2spv::test {

using Lines = std::vector<std::string>;
/// The text that a name after $ stands for.
using Names = std::map<std::string, std::string>;

struct TextFile {
    Lines head;  ///< before the first section: lines of every section
    std::map<std::string, Lines> texts;
    Names lets;
    std::vector<std::pair<std::string, Lines>> sections;  ///< by the word after the one that begins them
};

/// A section with a value for each of its loops.
struct Expanded {
    std::string label;    ///< the loops' values, for messages
    Variables variables;  ///< the same
    Lines lines;
};

/// Reads a file of the project whose sections begin with this word.
TextFile read_text_file(const std::string& path, std::string_view section);
/// The section's lines for each combination of the values of its loops.
std::vector<Expanded> expand_section(const Lines& lines, TextFile file);
/// The word up to the first space, and the rest.
std::pair<std::string, std::string> first_word(const std::string& line);

}  // namespace tgsi2spv::test
