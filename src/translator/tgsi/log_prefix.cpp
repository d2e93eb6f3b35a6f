#include "tgsi/log_prefix.h"

#include <algorithm>

namespace tgsi2spv::tgsi {
namespace {

constexpr std::string_view kDigits = "0123456789", kPadding = " \t";

/// Takes the number at `at`, with the blanks that pad it. Empty, and takes nothing, if there is none.
std::string_view take_padded(std::string_view text, size_t& at) {
    const bool after_blank =
        at > 0 && kPadding.find(text[at - 1]) != kPadding.npos;  // then there is none: it was tried
    const size_t first = after_blank ? at : std::min(text.find_first_not_of(kPadding, at), text.size());
    const size_t end = std::min(text.find_first_not_of(kDigits, first), text.size());
    if (first < end) at = end;
    return text.substr(first, end - first);
}

}  // namespace

std::optional<PrefixMatch> match_prefix(std::string_view prefix, std::string_view line) {
    PrefixMatch found;
    size_t at = 0;
    unsigned number = 0;
    for (size_t i = 0; i < prefix.size();) {
        if (const std::string_view expected = take_padded(prefix, i); !expected.empty()) {
            const std::string_view written = take_padded(line, at);
            if (written.empty()) return std::nullopt;
            (expected == written ? found.equal : found.differ) |= uint64_t{1} << std::min(number++, 63u);
        } else if (at < line.size() && line[at] == prefix[i]) {
            ++at, ++i;
        } else {
            return std::nullopt;
        }
    }
    found.rest = line.substr(at);
    return found;
}

std::string prefix_pattern(std::string_view prefix) {
    std::string pattern;
    for (size_t i = 0; i < prefix.size();)
        if (take_padded(prefix, i).empty())
            pattern += prefix[i++];
        else
            pattern += '0';
    return pattern;
}

}  // namespace tgsi2spv::tgsi
