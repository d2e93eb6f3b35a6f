#include "api/cache.h"

#include <cstring>
#include <initializer_list>

#include "api/disk.h"
#include "api/hash.h"

namespace tgsi2spv::api {
namespace {

// A file: the mark, the hash, the payload's size, the checksum of hash and payload, then the payload.
constexpr char kMark[8] = {'T', 'G', 'S', 'I', '2', 'S', 'P', '1'};
constexpr size_t kHashBytes = sizeof(tgsi2spv_hash), kSizeAt = sizeof kMark + kHashBytes,
                 kChecksumAt = kSizeAt + sizeof(uint64_t), kHeaderBytes = kChecksumAt + kHashBytes;
/// No module is larger: 4,194,303 ids of a few words each, and reflection.
constexpr uint64_t kMaxBytes = uint64_t{1} << 28;
/// Of all systems: no other path can be opened.
constexpr size_t kLongestPath = 32'767;
constexpr int64_t kAbandonedSeconds = 3600;
/// The folder of temporary files.
constexpr std::string_view kNew = "/new";

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

/// Also creates the parent folders.
bool make_folders(const std::pmr::string& path) {
    // Only the last one decides: a parent may exist, although this user may not create it.
    for (size_t at = path.find_first_of(disk::kSeparators, 1); at != path.npos;
         at = path.find_first_of(disk::kSeparators, at + 1))
        disk::make_folder({path, 0, at, path.get_allocator()});
    return disk::make_folder(path);
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
    while (path_.size() > 1 && disk::kSeparators.find(path_.back()) != path_.npos) path_.pop_back();
    if (path_.empty() || path_.size() > kLongestPath || path_.find('\0') != path_.npos) return false;
    const std::pmr::string fresh = joined(path_.get_allocator().resource(), {path_, kNew});
    if (!make_folders(fresh) || !disk::is_writable(fresh)) return false;
    disk::remove_old(fresh, kAbandonedSeconds);
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
    if (!disk::read(path, kMaxBytes, bytes) || entry_of(bytes, hash).empty()) return false;
    bytes.erase(bytes.begin(), bytes.begin() + kHeaderBytes);
    return true;
}

bool Folder::store(const tgsi2spv_hash& hash, std::span<const uint8_t> bytes, std::pmr::memory_resource* memory) const {
    if (bytes.empty() || bytes.size() + kHeaderBytes > kMaxBytes) return false;
    uint8_t header[kHeaderBytes];
    std::memcpy(header, kMark, sizeof kMark);
    std::memcpy(header + sizeof kMark, hash.bytes, kHashBytes);
    for (size_t i = 0; i < sizeof(uint64_t); ++i)
        header[kSizeAt + i] = static_cast<uint8_t>(uint64_t{bytes.size()} >> (8 * i));
    std::memcpy(header + kChecksumAt, checksum(hash, bytes).bytes, kHashBytes);
    const std::pmr::string path = path_of(hash, memory), fresh = joined(memory, {path_, kNew});
    // Entries belong to this user alone: a cache that several users can write cannot be trusted.
    std::pmr::string temporary(memory);
    auto written = disk::write_new(fresh, {header, bytes}, temporary);
    // Callers may empty the folder while it is open.
    if (written == disk::Written::no_folder && make_folders(fresh))
        written = disk::write_new(fresh, {header, bytes}, temporary);
    if (written != disk::Written::yes) return false;
    const bool done = disk::make_folder({path, 0, path.rfind('/'), memory}) && disk::rename(temporary, path);
    if (!done) disk::remove(temporary);
    return done;
}

}  // namespace tgsi2spv::api
