// Regular expressions that match ids of cases, in linear time: a baseline may come from elsewhere, and an engine that
// backtracks, as std::regex does, can take forever.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

namespace tgsi2spv::difftest {

struct Pattern {
    struct Compiled;
    std::shared_ptr<const Compiled> compiled;  ///< never null after compile_pattern
};

/// Compiles a regular expression in RE2's syntax (no back references, no look-around). The error shows the text and its
/// mistake.
tl::expected<Pattern, std::string> compile_pattern(const std::string& text);
bool occurs(const Pattern& pattern, const std::string& id);  ///< anywhere in `id`
bool is_all_of(const Pattern& pattern, const std::string& id);

}  // namespace tgsi2spv::difftest
