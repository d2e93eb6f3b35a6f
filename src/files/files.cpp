#include "files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>

namespace tgsi2spv {
namespace {

namespace fs = std::filesystem;

std::string reason() {
    return std::strerror(errno);
}

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

std::string write_in_place(const std::string& path, std::string_view bytes) {
    const int file = ::open(path.c_str(), O_WRONLY);
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

/// `mode`: of the file that is replaced. A new file gets what the system's umask gives it (threads must not read the
/// umask, since reading changes it).
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
    const bool standard = path == "-";
    const int file = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY);
    if (file < 0) return tl::unexpected(reason());
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

std::string write_file(const std::string& path, std::string_view bytes) {
    if (path == "-") return write_all(STDOUT_FILENO, bytes);
    std::error_code failed;
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) return "is a folder";
    // A pipe, a terminal, /dev/stdout: the name may be a link that says nothing.
    if (exists && !S_ISREG(status.st_mode)) return write_in_place(path, bytes);
    // Follows a link: its target is replaced.
    fs::path target = path;
    for (int links = 0; links < 40 && fs::is_symlink(target, failed); ++links) {
        const fs::path next = fs::read_symlink(target, failed);
        if (failed) return failed.message();
        target = next.is_absolute() ? next : target.parent_path() / next;
    }
    if (exists && ::access(target.c_str(), W_OK) != 0) return reason();
    if (target.has_parent_path()) {
        fs::create_directories(target.parent_path(), failed);
        if (failed) return failed.message();
    }
    const mode_t mode = status.st_mode & 07777;
    return write_beside(target, exists ? &mode : nullptr, bytes);
}

std::string cannot_read(const std::string& file, const std::string& reason) {
    return file + ": cannot read: " + reason;
}

std::string cannot_write(const std::string& file, const std::string& reason) {
    return file + ": cannot write: " + reason;
}

}  // namespace tgsi2spv
