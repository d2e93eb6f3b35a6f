// How the tools report errors.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "tgsi/text/diagnostic.h"

namespace tools {

/// "1 shader", "2 shaders".
inline std::string counted(size_t number, std::string_view thing) {
    return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

/// Prints one line on standard error. Returns the status, for `return`.
inline int complain(std::string_view tool, int status, std::string_view message) {
    fmt::print(stderr, "{}: {}\n", tool, tgsi2spv::tgsi::printable(message));
    return status;
}

}  // namespace tools
