// Formatted text at the end of a string in the caller's memory.
#pragma once

#include <fmt/core.h>

#include <memory_resource>
#include <string>

namespace tgsi2spv::api {

void append_formatted(std::pmr::string& out, fmt::string_view format, fmt::format_args args);

template <class... Args>
void append(std::pmr::string& out, fmt::format_string<Args...> format, Args&&... args) {
    append_formatted(out, format, fmt::make_format_args(args...));
}

}  // namespace tgsi2spv::api
