#include "files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <system_error>

namespace tgsi2spv {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSpecial = "is not a regular file";

/// Returns the reason on failure, otherwise an empty string.
std::string write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return reason();
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    return {};
}

/// Whether only the system makes files there: terminals, /dev/null, the shell's pipes (/dev/fd/63). A special file
/// elsewhere, or a link where a file is to be, may be a trap that somebody else laid.
bool is_of_system(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    return folder == "/dev" || folder == "/dev/fd" || folder == "/proc/self/fd";
}

/// The open file that a name such as /dev/fd/63 means; -1 if it means none. Opening the name again would begin at the
/// start of a file, and truncate or miss a file that the shell appends to.
int open_file_of(const std::string& path) {
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    const fs::path name(path);
    if (name.parent_path() != "/dev/fd" && name.parent_path() != "/proc/self/fd") return -1;
    const std::string digits = name.filename();
    int file = -1;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), file);
    return failed == std::errc{} && end == digits.data() + digits.size() ? file : -1;
}

std::string write_device(const std::string& path, std::string_view bytes) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return reason();
    std::string error = write_all(file, bytes);
    if (::close(file) != 0 && error.empty()) error = reason();
    return error;
}

/// An unused name in the folder. It does not contain the output's name, which may have the maximum length.
std::string fresh_name(const fs::path& folder) {
    static std::atomic<uint64_t> count = std::random_device{}();
    return folder / fmt::format(".tgsi2spv-{}-{:x}", ::getpid(), ++count);
}

/// Gives the nameless file the path's name. (No system call does this over an existing file; a rename does.)
std::string name_it(int file, const fs::path& folder, const std::string& path) {
    const std::string from = fmt::format("/proc/self/fd/{}", file);
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return {};
    if (errno != EEXIST) return reason();
    for (;;) {
        const std::string beside = fresh_name(folder);
        if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, beside.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            if (::rename(beside.c_str(), path.c_str()) == 0) return {};
            std::string error = reason();
            ::unlink(beside.c_str());
            return error;
        }
        if (errno != EEXIST) return reason();
    }
}

/// Writes a file with a name, for file systems without nameless files: if the process ends here, the file stays.
std::string write_named(const fs::path& folder, const std::string& path, const mode_t* mode, std::string_view bytes) {
    std::string beside;
    int file = -1;
    do {
        beside = fresh_name(folder);
        file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (file < 0 && errno == EEXIST);
    if (file < 0) return reason();
    std::string error = write_all(file, bytes);
    if (error.empty() && mode && ::fchmod(file, *mode) != 0) error = reason();
    if (::close(file) != 0 && error.empty()) error = reason();
    if (error.empty() && ::rename(beside.c_str(), path.c_str()) != 0) error = reason();
    if (!error.empty()) ::unlink(beside.c_str());
    return error;
}

/// `mode`: that of the replaced file. A new file gets the mode of the system's umask (threads must not read the umask,
/// since reading changes it).
std::string write_beside(const std::string& path, const mode_t* mode, std::string_view bytes) {
    fs::path folder = fs::path(path).parent_path();
    if (folder.empty()) folder = ".";
    // While it has no name, it disappears if the process ends.
    const int file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (file < 0 || ::access("/proc/self/fd", X_OK) != 0) {
        if (file >= 0) ::close(file);
        return write_named(folder, path, mode, bytes);
    }
    std::string error = write_all(file, bytes);
    if (error.empty() && mode && ::fchmod(file, *mode) != 0) error = reason();
    if (error.empty()) error = name_it(file, folder, path);
    if (::close(file) != 0 && error.empty()) error = reason();
    return error;
}

}  // namespace

tl::expected<std::string, std::string> read_file(const std::string& path, size_t most) {
    const bool standard = path == "-", of_system = is_of_system(path);
    // Opening a pipe without a writer would wait forever.
    const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (of_system ? 0 : O_NONBLOCK);
    const int file = standard ? STDIN_FILENO : ::open(path.c_str(), flags);
    if (file < 0) return tl::unexpected(reason());
    struct stat status {};
    if (!standard && !of_system && ::fstat(file, &status) == 0 && !S_ISREG(status.st_mode) &&
        !S_ISDIR(status.st_mode)) {
        ::close(file);
        return tl::unexpected<std::string>(kSpecial);
    }
    std::string text;
    char buffer[1 << 16];
    while (text.size() <= most) {
        const ssize_t n = ::read(file, buffer, std::min(sizeof buffer, most + 1 - text.size()));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            tl::unexpected<std::string> error(reason());
            if (!standard) ::close(file);
            return error;
        }
        if (n == 0) break;
        text.append(buffer, static_cast<size_t>(n));
    }
    if (!standard) ::close(file);
    return text;
}

tl::expected<std::vector<std::string>, std::string> files_below(const std::string& folder,
                                                                const std::string& extension) {
    std::vector<std::string> found;
    std::error_code error;
    std::string at = folder;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        at = it->path().string();
        if (it->path().extension() != extension) continue;
        const fs::file_status status = it->status(error);
        if (!error && !fs::exists(status)) error = std::make_error_code(std::errc::no_such_file_or_directory);
        if (error) break;
        if (fs::is_regular_file(status)) found.push_back(at);
    }
    if (error) return tl::unexpected(at + ": " + error.message());
    std::sort(found.begin(), found.end());
    return found;
}

std::string why_not_read(const std::string& path) {
    struct stat status {};
    const bool special = !is_of_system(path) && ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
    return special && !S_ISDIR(status.st_mode) ? kSpecial : "";
}

std::string why_not_written(const std::string& path) {
    struct stat status {};
    if (is_of_system(path) || ::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return {};
    return S_ISDIR(status.st_mode) ? "is a folder" : S_ISLNK(status.st_mode) ? "is a link" : kSpecial;
}

std::string write_file(const std::string& path, std::string_view bytes) {
    if (path == "-") return write_all(STDOUT_FILENO, bytes);
    if (const int file = open_file_of(path); file >= 0) return write_all(file, bytes);
    if (std::string why = why_not_written(path); !why.empty()) return why;
    struct stat status {};
    const bool exists = ::lstat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) return write_device(path, bytes);
    if (exists && ::access(path.c_str(), W_OK) != 0) return reason();
    std::error_code failed;
    if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) {
        fs::create_directories(folder, failed);
        if (failed) return failed.message();
    }
    const mode_t mode = status.st_mode & 07777;
    return write_beside(path, exists ? &mode : nullptr, bytes);
}

tl::expected<int, std::string> open_output(const std::string& path, Output output, bool secret) {
    if (std::string why = why_not_written(path); !why.empty()) return tl::unexpected(std::move(why));
    // The path may mean another file by now: no link, and no pipe without a reader, which would wait for one.
    const int careful = is_of_system(path) ? 0 : O_NOFOLLOW | O_NONBLOCK;
    const int how = output == Output::Kept ? O_RDWR : output == Output::Longer ? O_WRONLY | O_APPEND : O_WRONLY;
    const int file = ::open(path.c_str(), how | careful | O_CREAT | O_CLOEXEC | O_NOCTTY, secret ? 0600 : 0666);
    if (file < 0) return tl::unexpected(reason());
    struct stat status {};
    const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    std::string why = regular || careful == 0 ? "" : kSpecial;
    if (why.empty() && regular && output == Output::New && ::ftruncate(file, 0) != 0) why = reason();
    if (why.empty()) return file;
    ::close(file);
    return tl::unexpected(std::move(why));
}

std::string reason() {
    return std::generic_category().message(errno);
}

std::string cannot_read(const std::string& file, const std::string& reason) {
    return file + ": cannot read: " + reason;
}

std::string cannot_write(const std::string& file, const std::string& reason) {
    return file + ": cannot write: " + reason;
}

std::string cache_folder(const std::string& name) {
    const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
    const bool has_cache = cache != nullptr && *cache == '/';
    if (!has_cache && (home == nullptr || *home != '/')) return {};
    const fs::path folder = (has_cache ? fs::path(cache) : fs::path(home) / ".cache") / name;
    std::error_code error;
    fs::create_directories(folder, error);
    return error ? std::string() : folder.string();
}

}  // namespace tgsi2spv
