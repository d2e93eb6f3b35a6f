#include "cases/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <utility>

namespace tgsi2spv::difftest {

namespace {

using Error = tl::unexpected<std::string>;

/// Names are bytes, and the caller prints the errors.
re2::RE2::Options options() {
    re2::RE2::Options o(re2::RE2::Latin1);
    o.set_log_errors(false);
    return o;
}

}  // namespace

struct Pattern::Compiled {
    explicit Compiled(const std::string& text) : regex(text, options()) {}
    re2::RE2 regex;
};

tl::expected<Pattern, std::string> compile_pattern(const std::string& text) {
    // Matching takes time in proportion to the name times the pattern.
    constexpr size_t kMax = 2000;
    if (text.size() > kMax)
        return Error(fmt::format("regular expression has {} characters, more than the limit of {}", text.size(), kMax));
    auto compiled = std::make_shared<const Pattern::Compiled>(text);
    if (!compiled->regex.ok())
        return Error(fmt::format("'{}' is not a valid regular expression: {}", text, compiled->regex.error()));
    return Pattern{std::move(compiled)};
}

bool occurs(const Pattern& pattern, const std::string& id) {
    return re2::RE2::PartialMatch(id, pattern.compiled->regex);
}

bool is_all_of(const Pattern& pattern, const std::string& id) {
    return re2::RE2::FullMatch(id, pattern.compiled->regex);
}

}  // namespace tgsi2spv::difftest
