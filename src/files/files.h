// Reads whole files; writes them whole or not at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tgsi2spv {

/// At most the first `most` + 1 bytes of a file; "-" is standard input. Nothing on failure, with the reason in `error`.
std::optional<std::string> read_file(const std::string& path, size_t most, std::string& error);

/// If the path is absent or a regular file, writes a temporary file beside it and renames that; otherwise writes
/// straight to the path (a pipe, /dev/null). "-" is standard output. Makes the folders above. Returns the reason on
/// failure, otherwise an empty string.
std::string write_file(const std::string& path, std::string_view bytes);

}  // namespace tgsi2spv
