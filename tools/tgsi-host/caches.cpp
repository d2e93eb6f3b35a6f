#include "tgsi-host/caches.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "files/files.h"

namespace tools {

namespace fs = std::filesystem;
using namespace tgsi2spv;

namespace {

constexpr const char* kMark = "made-by-tgsi-host";

/// Drivers run the code in a cache, so nobody else may have written it.
std::string why_not_own(const struct stat& found) {
    if (found.st_uid != geteuid()) return "belongs to another user";
    return (found.st_mode & (S_IWGRP | S_IWOTH)) != 0 ? "others can write it: chmod go-w" : "";
}

uintmax_t bytes_below(const fs::path& folder) {
    std::error_code error;
    uintmax_t bytes = 0;
    fs::recursive_directory_iterator at(folder, error);
    for (; !error && at != end(at); at.increment(error))
        if (at->is_regular_file(error)) bytes += at->file_size(error);
    return bytes;
}

/// The mark stays: should this be interrupted, the folder is still known.
void empty_folder(const fs::path& folder) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
        if (entry.path().filename() != kMark) fs::remove_all(entry.path(), error);
}

}  // namespace

File open_pipelines(const std::string& path, std::string& why) {
    const auto opened = open_output(path, Output::Kept, true);
    if (!opened) why = opened.error();
    File file(opened ? fdopen(*opened, "r+") : nullptr);
    struct stat found {};
    if (file && fstat(*opened, &found) == 0) why = why_not_own(found);
    return why.empty() ? std::move(file) : File();
}

std::string use_folder_of_mesa(const std::string& folder) {
    constexpr uintmax_t kLargeBytes = uintmax_t{256} << 20;
    const fs::path path = fs::absolute(folder), mark = path / kMark;
    std::error_code error;
    const bool is_new = mkdir(path.c_str(), 0700) == 0;
    if (!is_new && errno != EEXIST) return cannot_write(folder, reason());
    struct stat found {};
    if (lstat(path.c_str(), &found) != 0) return cannot_write(folder, reason());
    if (!S_ISDIR(found.st_mode)) return cannot_write(folder, "is not a folder");
    if (const std::string why = why_not_own(found); !why.empty()) return cannot_write(folder, why);
    if (is_new) {
        if (const std::string why = write_file(mark.string(), ""); !why.empty())
            return cannot_write(mark.string(), why);
    } else if (!fs::is_regular_file(fs::symlink_status(mark, error))) {
        return cannot_write(folder, fmt::format("tgsi-host has not made it: it has no file {}", kMark));
    }
    if (bytes_below(path) > kLargeBytes) empty_folder(path);
    setenv("MESA_SHADER_CACHE_DIR", path.c_str(), 0);
    setenv("MESA_DISK_CACHE_SINGLE_FILE", "1", 0);
    return {};
}

std::string own_pipelines() {
    const std::string folder = cache_folder("tgsi-host"), file = folder + "/pipelines";
    return folder.empty() || !use_folder_of_mesa(file + ".mesa").empty() ? std::string() : file;
}

}  // namespace tools
