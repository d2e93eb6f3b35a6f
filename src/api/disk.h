// What the cache needs of a file system: `disk_posix.cpp` and `disk_windows.cpp` implement it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tgsi2spv::api::disk {

/// A path in UTF-8. The functions take memory from its resource.
using Path = std::pmr::string;

/// What separates the folders of a path; '/' always does.
extern const std::string_view kSeparators;

/// One folder, whose parent exists. True if it exists afterwards.
bool make_folder(const Path& path);
/// Whether files can be created in a folder.
bool is_writable(const Path& folder);

/// Reads a whole file; false if it does not exist, is no regular file or is larger than `most`.
bool read(const Path& path, uint64_t most, std::pmr::vector<uint8_t>& bytes);

/// The names of the files that write_new() makes begin so, and have six more letters: it marks them as ours to remove.
inline constexpr std::string_view kNewPrefix = "tgsi2spv-";

/// Writes the parts into a new file of a folder, of this user alone where the system has users; `path`
/// becomes its path. If it cannot be written, nothing remains.
enum class Written { no, no_folder, yes };
Written write_new(const Path& folder, std::initializer_list<std::span<const uint8_t>> parts, Path& path);
/// Gives a file another name in one step: who reads that name meanwhile sees the old file or the new one.
bool rename(const Path& from, const Path& to);
void remove(const Path& path);

/// Removes files of such names that were last written more than `seconds` ago.
void remove_old(const Path& folder, int64_t seconds);

}  // namespace tgsi2spv::api::disk
