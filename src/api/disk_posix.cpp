#ifndef _WIN32
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "api/disk.h"

namespace tgsi2spv::api::disk {
namespace {

constexpr std::string_view kLetters = "XXXXXX";

/// Closes the file in any case, also if memory runs out.
struct OpenFile {
    int number = -1;
    explicit OpenFile(int n) : number(n) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() {
        if (number >= 0) close(number);
    }
};

bool write_all(int file, std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return true;
}

bool read_all(int file, std::span<uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::read(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return true;
}

}  // namespace

const std::string_view kSeparators = "/";

bool make_folder(const Path& path) {
    if (mkdir(path.c_str(), 0777) == 0) return true;
    struct stat s {};
    return errno == EEXIST && stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

bool is_writable(const Path& folder) {
    return access(folder.c_str(), W_OK | X_OK) == 0;
}

bool read(const Path& path, uint64_t most, std::pmr::vector<uint8_t>& bytes) {
    const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number < 0) return false;
    struct stat s {};
    if (fstat(file.number, &s) != 0 || !S_ISREG(s.st_mode) || static_cast<uint64_t>(s.st_size) > most) return false;
    bytes.resize(static_cast<size_t>(s.st_size));
    return read_all(file.number, bytes);
}

Written write_new(const Path& folder, std::initializer_list<std::span<const uint8_t>> parts, Path& path) {
    path.assign(folder).append("/").append(kNewPrefix).append(kLetters);
    const int file = mkostemp(path.data(), O_CLOEXEC);
    if (file < 0) return errno == ENOENT ? Written::no_folder : Written::no;
    bool done = true;
    for (const std::span<const uint8_t> part : parts) done = done && write_all(file, part);
    done = close(file) == 0 && done;
    if (!done) unlink(path.c_str());
    return done ? Written::yes : Written::no;
}

bool rename(const Path& from, const Path& to) {
    return ::rename(from.c_str(), to.c_str()) == 0;
}

void remove(const Path& path) {
    unlink(path.c_str());
}

void remove_old(const Path& folder, int64_t seconds) {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
    if (!entries) return;
    const time_t now = time(nullptr);
    Path path(folder.get_allocator());
    while (const dirent* entry = readdir(entries.get())) {
        const std::string_view name = entry->d_name;
        if (!name.starts_with(kNewPrefix) || name.size() != kNewPrefix.size() + kLetters.size()) continue;
        path.assign(folder).append("/").append(name);
        struct stat s {};
        if (lstat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) && now - s.st_mtime > seconds) unlink(path.c_str());
    }
}

}  // namespace tgsi2spv::api::disk
#endif
