// Texts and their results, from files: lines, `=>` and the result. The result is the rest of that line, or the
// lines up to a blank one. Lines that begin with "# " are comments; those right above a case are its name.
#pragma once

#include <string>
#include <vector>

namespace tgsi2spv::ir {

struct TextCase {
    std::string name, before, after;
    int line = 0;
};

/// The cases of tests/NAME.txt; a file without cases fails the test.
std::vector<TextCase> text_cases(const std::string& name);

/// A module that keeps every rule and contains every instruction.
std::string every_instruction();

}  // namespace tgsi2spv::ir
