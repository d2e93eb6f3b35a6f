// Reads whole files; writes them whole or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace tgsi2spv {

/// At most the first `most` + 1 bytes of a file; "-" is standard input. The error is the reason alone.
tl::expected<std::string, std::string> read_file(const std::string& path, size_t most);

/// If the path is absent or a regular file, writes a temporary file beside it and renames that; otherwise writes
/// straight to the path (a pipe, /dev/null). "-" is standard output. Makes the folders above. Returns the reason on
/// failure, otherwise an empty string.
std::string write_file(const std::string& path, std::string_view bytes);

/// Errors of these in the form of all messages: the file, then what is wrong with it.
std::string cannot_read(const std::string& file, const std::string& reason);
std::string cannot_write(const std::string& file, const std::string& reason);

}  // namespace tgsi2spv
