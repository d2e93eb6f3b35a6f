// Reading whole files; writing them whole or not at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tools {

/// A file's bytes, at most `most` + 1 of them; "-" is standard input. Nothing and the reason in `error` on failure.
std::optional<std::string> read_file(const std::string& path, size_t most, std::string& error);

/// Writes through a temporary file beside the path and a rename where the path is absent or a regular file, else
/// straight into it (a pipe, /dev/null); "-" is standard output. Makes the folders above. The reason, or an empty
/// string.
std::string write_file(const std::string& path, std::string_view bytes);

}  // namespace tools
