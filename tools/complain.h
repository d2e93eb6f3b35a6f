// How the tools say what is wrong.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "tgsi/diagnostic.h"

namespace tools {

/// Prints one line on standard error. Returns the status, for `return`.
inline int complain(std::string_view tool, int status, std::string_view message) {
    fmt::print(stderr, "{}: {}\n", tool, tgsi2spv::tgsi::printable(message));
    return status;
}

}  // namespace tools
