// Reads whole files; writes them whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace tgsi2spv {

/// At most the first `most` + 1 bytes of a file; "-" is standard input. A special file, which may be a trap (a pipe
/// never ends), is read only where the system makes it: in /dev, /dev/fd and /proc/self/fd. The error is the reason
/// alone.
tl::expected<std::string, std::string> read_file(const std::string& path, size_t most);

/// Writes a temporary file beside the path and renames it. The path is absent or a regular file; a link or a special
/// file is refused, except in the system's folders, where the bytes are written straight to it. "-" is standard output.
/// Makes the folders above. Returns the reason on failure, otherwise an empty string.
std::string write_file(const std::string& path, std::string_view bytes);

enum class Output : uint8_t {
    New,     ///< empty
    Longer,  ///< begins with what is there
    Kept,    ///< what is there can be read and changed
};
/// For outputs that grow while the process runs: opens such a file as write_file() does, which nobody else reads if it
/// is `secret`. Returns its descriptor, or the reason.
tl::expected<int, std::string> open_output(const std::string& path, Output output, bool secret = false);

/// The regular files with this extension below a folder, sorted. The error names the unreadable file or folder.
tl::expected<std::vector<std::string>, std::string> files_below(const std::string& folder,
                                                                const std::string& extension);

/// Why these functions would refuse the path; empty if not.
std::string why_not_read(const std::string& path);
std::string why_not_written(const std::string& path);

/// Why the last system call failed.
std::string reason();
/// Errors of these in the form of all messages: the file, then the reason.
std::string cannot_read(const std::string& file, const std::string& reason);
std::string cannot_write(const std::string& file, const std::string& reason);

/// A program's folder for files that it can make again, under XDG_CACHE_HOME or ~/.cache. It exists then; empty if it
/// cannot be made.
std::string cache_folder(const std::string& name);

}  // namespace tgsi2spv
