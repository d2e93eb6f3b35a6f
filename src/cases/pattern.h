// Regular expressions that match ids of cases. Only pattern.cpp uses std::regex: it adds four seconds to the
// compilation of every file that includes it.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

namespace tgsi2spv::difftest {

struct Pattern {
    struct Compiled;
    std::shared_ptr<const Compiled> compiled;  ///< never null after compile_pattern
};

/// Compiles a regular expression in std::regex's ECMAScript syntax. The error shows the text and what is wrong with it.
tl::expected<Pattern, std::string> compile_pattern(const std::string& text);
bool occurs(const Pattern& pattern, const std::string& id);  ///< anywhere in `id`
bool is_all_of(const Pattern& pattern, const std::string& id);

}  // namespace tgsi2spv::difftest
