#include "api/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <memory>

#include "api/hash.h"

namespace tgsi2spv::api {
namespace {

// A file: the mark, the hash, the payload's size, the checksum of hash and payload, then the payload.
constexpr char kMark[8] = {'T', 'G', 'S', 'I', '2', 'S', 'P', '1'};
constexpr size_t kHashBytes = sizeof(tgsi2spv_hash), kSizeAt = sizeof kMark + kHashBytes,
                 kChecksumAt = kSizeAt + sizeof(uint64_t), kHeaderBytes = kChecksumAt + kHashBytes;
/// No module is larger: 4,194,303 ids of a few words each, and reflection.
constexpr uint64_t kMostBytes = uint64_t{1} << 28;
constexpr time_t kAbandonedSeconds = 3600;
/// Temporary files in new/: this prefix and six letters. The prefix marks them as ours to remove.
constexpr std::string_view kOnItsWay = "tgsi2spv-";

std::string_view view(std::span<const uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

tgsi2spv_hash checksum(const tgsi2spv_hash& hash, std::span<const uint8_t> payload) {
    Hasher h;
    h.text(view(hash.bytes));
    h.text(view(payload));
    return h.finish();
}

std::pmr::string joined(std::pmr::memory_resource* memory, std::initializer_list<std::string_view> parts) {
    std::pmr::string all(memory);
    for (const std::string_view part : parts) all.append(part);
    return all;
}

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

bool make_folder(const std::pmr::string& path) {
    if (mkdir(path.c_str(), 0777) == 0) return true;
    struct stat s {};
    return errno == EEXIST && stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

/// Also creates the parent folders.
bool make_folders(const std::pmr::string& path) {
    for (size_t at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1))
        if (!make_folder({path, 0, at, path.get_allocator()})) return false;
    return make_folder(path);
}

bool write_all(int file, std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = write(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return true;
}

bool read_all(int file, std::span<uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = read(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return true;
}

/// Creates the folder again if it is missing: callers may empty it while it is open.
int make_temporary(const std::pmr::string& path, std::pmr::string& temporary) {
    std::pmr::memory_resource* const memory = temporary.get_allocator().resource();
    for (const bool again : {false, true}) {
        temporary = joined(memory, {path, "/new/", kOnItsWay, "XXXXXX"});
        const int file = mkostemp(temporary.data(), O_CLOEXEC);
        if (file >= 0 || again || errno != ENOENT || !make_folders(joined(memory, {path, "/new"}))) return file;
    }
    return -1;
}

/// Removes files of killed processes, but no file that another program keeps there.
void remove_abandoned(const std::pmr::string& folder) {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
    if (!entries) return;
    const time_t now = time(nullptr);
    while (const dirent* entry = readdir(entries.get())) {
        const std::string_view name = entry->d_name;
        if (!name.starts_with(kOnItsWay) || name.size() != kOnItsWay.size() + 6) continue;
        const std::pmr::string path = joined(folder.get_allocator().resource(), {folder, "/", name});
        struct stat s {};
        if (lstat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) && now - s.st_mtime > kAbandonedSeconds)
            unlink(path.c_str());
    }
}

}  // namespace

std::span<const uint8_t> entry_of(std::span<const uint8_t> file, const tgsi2spv_hash& hash) {
    if (file.size() < kHeaderBytes || std::memcmp(file.data(), kMark, sizeof kMark) != 0) return {};
    if (std::memcmp(file.data() + sizeof kMark, hash.bytes, kHashBytes) != 0) return {};
    uint64_t size = 0;
    for (size_t i = 0; i < sizeof size; ++i) size |= uint64_t{file[kSizeAt + i]} << (8 * i);
    const std::span<const uint8_t> payload = file.subspan(kHeaderBytes);
    if (size != payload.size()) return {};
    const tgsi2spv_hash sum = checksum(hash, payload);
    return std::memcmp(file.data() + kChecksumAt, sum.bytes, kHashBytes) == 0 ? payload : std::span<const uint8_t>{};
}

bool Folder::open(std::string_view path) {
    path_ = path;
    while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
    if (path_.empty() || path_.find('\0') != path_.npos) return false;
    const std::pmr::string fresh = joined(path_.get_allocator().resource(), {path_, "/new"});
    if (!make_folders(path_) || !make_folder(fresh)) return false;
    if (access(fresh.c_str(), W_OK | X_OK) != 0) return false;
    remove_abandoned(fresh);
    return true;
}

std::pmr::string Folder::path_of(const tgsi2spv_hash& hash, std::pmr::memory_resource* memory) const {
    constexpr char kDigits[] = "0123456789abcdef";
    std::pmr::string path = joined(memory, {path_, "/"});
    for (size_t i = 0; i < kHashBytes; ++i) {
        path += kDigits[hash.bytes[i] >> 4];
        path += kDigits[hash.bytes[i] & 15];
        if (i == 0) path += '/';
    }
    return path;
}

bool Folder::load(const tgsi2spv_hash& hash, std::pmr::vector<uint8_t>& bytes) const {
    bytes.clear();
    const std::pmr::string path = path_of(hash, bytes.get_allocator().resource());
    const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number < 0) return false;
    struct stat s {};
    bool whole = fstat(file.number, &s) == 0 && S_ISREG(s.st_mode) && static_cast<uint64_t>(s.st_size) <= kMostBytes;
    if (whole) {
        bytes.resize(static_cast<size_t>(s.st_size));
        whole = read_all(file.number, bytes);
    }
    const std::span<const uint8_t> payload = whole ? entry_of(bytes, hash) : std::span<const uint8_t>{};
    if (payload.empty()) return false;
    bytes.erase(bytes.begin(), bytes.begin() + kHeaderBytes);
    return true;
}

bool Folder::store(const tgsi2spv_hash& hash, std::span<const uint8_t> bytes, std::pmr::memory_resource* memory) const {
    if (bytes.empty() || bytes.size() + kHeaderBytes > kMostBytes) return false;
    const std::pmr::string path = path_of(hash, memory);
    std::pmr::string temporary(memory);
    const int file = make_temporary(path_, temporary);
    if (file < 0) return false;
    uint8_t header[kHeaderBytes];
    std::memcpy(header, kMark, sizeof kMark);
    std::memcpy(header + sizeof kMark, hash.bytes, kHashBytes);
    for (size_t i = 0; i < sizeof(uint64_t); ++i)
        header[kSizeAt + i] = static_cast<uint8_t>(uint64_t{bytes.size()} >> (8 * i));
    std::memcpy(header + kChecksumAt, checksum(hash, bytes).bytes, kHashBytes);
    bool done = write_all(file, header) && write_all(file, bytes);
    // mkstemp's files, and so the entries, belong to this user alone: a cache that several users can write cannot be
    // trusted.
    done = close(file) == 0 && done;
    done = done && make_folder({path, 0, path.rfind('/'), memory});
    done = done && rename(temporary.c_str(), path.c_str()) == 0;
    if (!done) unlink(temporary.c_str());
    return done;
}

}  // namespace tgsi2spv::api
