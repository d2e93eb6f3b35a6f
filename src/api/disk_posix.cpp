#ifndef _WIN32
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include "api/disk.h"

namespace tgsi2spv::api::disk {
namespace {

constexpr std::string_view kLetters = "XXXXXX";
constexpr size_t kEntryDigits = 30;

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

bool write_all(int file, std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return true;
}

bool is_entry(std::string_view name) {
    return name.size() == kEntryDigits && name.find_first_not_of("0123456789abcdef") == name.npos;
}

}  // namespace

const std::string_view kSeparators = "/";

bool make_folder(const Path& path) {
    if (mkdir(path.c_str(), 0700) == 0) return true;
    struct stat s {};
    return errno == EEXIST && stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

bool is_own(const Path& folder) {
    struct stat s {};
    return stat(folder.c_str(), &s) == 0 && s.st_uid == geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           access(folder.c_str(), W_OK | X_OK) == 0;
}

File::File(const Path& path) : handle_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)) {
    if (handle_ < 0) return;
    struct stat s {};
    if (fstat(static_cast<int>(handle_), &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid()) {
        size_ = static_cast<uint64_t>(s.st_size);
        return;
    }
    close(static_cast<int>(handle_));
    handle_ = -1;
}

File::~File() {
    if (handle_ >= 0) close(static_cast<int>(handle_));
}

bool File::is_open() const {
    return handle_ >= 0;
}

bool File::read(std::span<uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::read(static_cast<int>(handle_), bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return true;
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

void trim(const Path& folder, uint64_t most) {
    const Folder entries(opendir(folder.c_str()), closedir);
    if (!entries) return;
    struct Entry {
        timespec written;
        uint64_t bytes;
        char name[kEntryDigits + 1];
    };
    std::pmr::vector<Entry> all(folder.get_allocator().resource());
    uint64_t sum = 0;
    while (const dirent* entry = readdir(entries.get())) {
        struct stat s {};
        if (!is_entry(entry->d_name) || fstatat(dirfd(entries.get()), entry->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (!S_ISREG(s.st_mode)) continue;
        sum += static_cast<uint64_t>(s.st_size);
        Entry& e = all.emplace_back(Entry{s.st_mtim, static_cast<uint64_t>(s.st_size), {}});
        std::memcpy(e.name, entry->d_name, sizeof e.name);
    }
    if (sum <= most) return;
    std::ranges::sort(all, {}, [](const Entry& e) { return std::pair(e.written.tv_sec, e.written.tv_nsec); });
    for (size_t i = 0; i + 1 < all.size() && sum > most; ++i)
        if (unlinkat(dirfd(entries.get()), all[i].name, 0) == 0) sum -= all[i].bytes;
}

void remove_old(const Path& folder, int64_t seconds) {
    const Folder entries(opendir(folder.c_str()), closedir);
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
