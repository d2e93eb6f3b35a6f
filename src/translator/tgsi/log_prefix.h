// The prefix that a log puts before each line of a shader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tgsi2spv::tgsi {

/// A line that has a prefix.
struct PrefixMatch {
    std::string_view rest;  ///< the line after the prefix
    uint64_t equal = 0;     ///< bit N: number N of the prefix is the same
    uint64_t differ = 0;    ///< bit N: number N is another one, of a time stamp or a thread
};

/// Matches a line with a prefix. Numbers may differ, also in their width and the blanks before them; all else is equal.
std::optional<PrefixMatch> match_prefix(std::string_view prefix, std::string_view line);

/// The prefix with each number as one '0': equal for the prefixes of all lines that match.
std::string prefix_pattern(std::string_view prefix);

}  // namespace tgsi2spv::tgsi
