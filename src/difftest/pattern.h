// Regular expressions over the ids of cases. The standard library's are used in pattern.cpp alone: they take the
// compiler four seconds in every file that has one.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

namespace tgsi2spv::difftest {

struct Pattern {
    struct Compiled;
    std::shared_ptr<const Compiled> compiled;  ///< never null in one that compile_pattern gave
};

/// ECMAScript's, as std::regex has them. The error names the text and what is wrong with it.
tl::expected<Pattern, std::string> compile_pattern(const std::string& text);
bool occurs(const Pattern& pattern, const std::string& id);  ///< somewhere in it
bool is_all_of(const Pattern& pattern, const std::string& id);

}  // namespace tgsi2spv::difftest
