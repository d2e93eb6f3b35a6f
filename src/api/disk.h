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

/// One folder, of this user alone where the system has users, whose parent exists. True if it exists afterwards.
bool make_folder(const Path& path);
/// Whether this user can create files in a folder. Where the system has users: and owns it, and nobody else can.
bool is_own(const Path& folder);

/// A regular file that is being read. Where the system has users, only a file of this user opens.
class File {
  public:
    explicit File(const Path& path);
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File();
    bool is_open() const;
    uint64_t size() const { return size_; }
    /// The next bytes; false if there are not as many.
    bool read(std::span<uint8_t> bytes);

  private:
    intptr_t handle_;
    uint64_t size_ = 0;
};

/// The names of the files that write_new() makes begin so, and have six more letters: it marks them as ours to remove.
inline constexpr std::string_view kNewPrefix = "tgsi2spv-";

/// Writes the parts into a new file of a folder, of this user alone where the system has users; `path`
/// becomes its path. If it cannot be written, nothing remains.
enum class Written { no, no_folder, yes };
Written write_new(const Path& folder, std::initializer_list<std::span<const uint8_t>> parts, Path& path);
/// Gives a file another name in one step: who reads that name meanwhile sees the old file or the new one.
bool rename(const Path& from, const Path& to);
void remove(const Path& path);

/// Removes the oldest files whose names have 30 hexadecimal digits, until those that are left have `most` bytes or one
/// is left.
void trim(const Path& folder, uint64_t most);

/// Removes files of such names that were last written more than `seconds` ago.
void remove_old(const Path& folder, int64_t seconds);

}  // namespace tgsi2spv::api::disk
