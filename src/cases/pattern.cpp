#include "cases/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string_view>
#include <utility>

namespace tgsi2spv::difftest {

struct Pattern::Compiled {
    std::regex regex;
};

namespace {

/// Whether a repetition or a back reference has more than three digits: the standard library computes these numbers in
/// a long, which could overflow.
bool counts_too_far(std::string_view pattern) {
    constexpr size_t kMaxDigits = 3;
    const auto digits_at = [&](size_t at) {
        const size_t end = pattern.find_first_not_of("0123456789", at);
        return (end == std::string_view::npos ? pattern.size() : end) - std::min(at, pattern.size());
    };
    bool in_braces = false;
    for (size_t i = 0; i < pattern.size(); i++) {
        const char c = pattern[i];
        in_braces = c == '{' || (in_braces && c != '}');
        if ((c == '\\' || in_braces) && digits_at(i + 1) > kMaxDigits) return true;
        if (c == '\\') i++;
    }
    return false;
}

using Error = tl::unexpected<std::string>;

}  // namespace

tl::expected<Pattern, std::string> compile_pattern(const std::string& text) {
    // The standard library compiles by recursion.
    constexpr size_t kMax = 2000;
    if (text.size() > kMax)
        return Error(fmt::format("regular expression has {} characters, more than the limit of {}", text.size(), kMax));
    if (counts_too_far(text)) return Error(fmt::format("'{}' has a repetition count above 999", text));
    try {  // the standard library reports errors only by exceptions
        Pattern::Compiled compiled{std::regex(text, std::regex::ECMAScript | std::regex::optimize)};
        return Pattern{std::make_shared<const Pattern::Compiled>(std::move(compiled))};
    } catch (const std::regex_error& e) {
        return Error(fmt::format("'{}' is not a valid regular expression: {}", text, e.what()));
    }
}

bool occurs(const Pattern& pattern, const std::string& id) {
    return std::regex_search(id, pattern.compiled->regex);
}

bool is_all_of(const Pattern& pattern, const std::string& id) {
    return std::regex_match(id, pattern.compiled->regex);
}

}  // namespace tgsi2spv::difftest
