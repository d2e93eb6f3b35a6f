// Reads files of cases: README.md describes their language, in which each folder has words of its own.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "texts/formula.h"

namespace tgsi2spv::test {

struct Line {
    std::string text;
    int number = 0;  ///< in its file
};
using Lines = std::vector<Line>;

/// A case of a file, or one of its variants: a test of its own.
struct CaseId {
    std::string path;           ///< of the file, from the project's folder
    std::string name, variant;  ///< the words after `case` and `with`
    int line = 0;               ///< of the variant, or of the case

    friend void PrintTo(const CaseId& id, std::ostream* to) { *to << id.path << ":" << id.line; }
};

/// A case with a value for each of its loops.
struct Case {
    CaseId id;
    std::string label;    ///< the name, the variant and the loops' values, for messages
    Variables variables;  ///< the loops' values
    Lines lines;

    /// A failure at a line of the file.
    void wrong(int line, const std::string& why) const;
    /// Adds the case's place and name to failures.
    testing::ScopedTrace trace(int line = 0) const;
};

/// Files of a folder, without extensions.
std::vector<std::string> files_of(const std::string& folder);
/// All cases of a file, or of the .txt files of a folder. Bad syntax is a test failure that names the line.
std::vector<CaseId> cases_of(const std::string& path);
/// The case for each combination of the values of its loops.
std::vector<Case> expand(const CaseId& id);
std::vector<Case> expand_all(const std::string& path);

/// For INSTANTIATE_TEST_SUITE_P: file_name_of_the_case, and after two underscores its variant.
std::string test_name(const testing::TestParamInfo<CaseId>& info);

/// The word up to the first space, and the rest.
std::pair<std::string, std::string> first_word(const std::string& line);
/// The parts between separators.
std::vector<std::string> split(const std::string& text, char separator);
/// The words between blanks.
std::vector<std::string> words_of(const std::string& text);

}  // namespace tgsi2spv::test
