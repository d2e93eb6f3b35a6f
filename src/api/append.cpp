#include "api/append.h"

#include <fmt/format.h>

#include <iterator>

namespace tgsi2spv::api {

void append_formatted(std::pmr::string& out, fmt::string_view format, fmt::format_args args) {
    fmt::vformat_to(std::back_inserter(out), format, args);
}

}  // namespace tgsi2spv::api
