#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace tools {
namespace {

namespace fs = std::filesystem;

std::string reason() {
    return std::strerror(errno);
}

/// The reason, or an empty string.
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

std::string write_beside(const std::string& path, mode_t mode, bool exists, std::string_view bytes) {
    std::string temporary = path + ".XXXXXX";
    const int file = ::mkstemp(temporary.data());
    if (file < 0) return reason();
    std::string error = write_all(file, bytes);
    if (!exists) {  // what open() would have given it
        const mode_t mask = ::umask(0);
        ::umask(mask);
        mode = 0666 & ~mask;
    }
    if (error.empty() && ::fchmod(file, mode) != 0) error = reason();
    if (::close(file) != 0 && error.empty()) error = reason();
    if (error.empty() && ::rename(temporary.c_str(), path.c_str()) != 0) error = reason();
    if (!error.empty()) ::unlink(temporary.c_str());
    return error;
}

}  // namespace

std::optional<std::string> read_file(const std::string& path, size_t most, std::string& error) {
    const bool standard = path == "-";
    const int file = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY);
    if (file < 0) {
        error = reason();
        return std::nullopt;
    }
    std::string text;
    char buffer[1 << 16];
    while (text.size() <= most) {
        const ssize_t n = ::read(file, buffer, std::min(sizeof buffer, most + 1 - text.size()));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            error = reason();
            if (!standard) ::close(file);
            return std::nullopt;
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
    // A link is followed: what it names is replaced.
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
    return write_beside(target, status.st_mode & 07777, exists, bytes);
}

}  // namespace tools
