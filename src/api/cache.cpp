#include "api/cache.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <new>

#include "api/disk.h"
#include "api/hash.h"

namespace tgsi2spv::api {
namespace {

// A file: the mark, the hash, the sizes of request, text and payload, the checksum of the payload, then these three.
constexpr char kMark[8] = {'T', 'G', 'S', 'I', '2', 'S', 'P', '2'};
constexpr size_t kHashBytes = sizeof(tgsi2spv_hash), kSizesAt = sizeof kMark + kHashBytes,
                 kChecksumAt = kSizesAt + 3 * sizeof(uint64_t), kHeaderBytes = kChecksumAt + kHashBytes;
using Header = std::array<uint8_t, kHeaderBytes>;
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

std::span<const uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Header header_of(const Key& key, std::span<const uint8_t> payload) {
    Header header;
    std::memcpy(header.data(), kMark, sizeof kMark);
    std::memcpy(header.data() + sizeof kMark, key.hash.bytes, kHashBytes);
    uint8_t* at = header.data() + kSizesAt;
    for (const uint64_t size : {key.request.size(), key.text.size(), payload.size()})
        for (int shift = 0; shift < 64; shift += 8) *at++ = static_cast<uint8_t>(size >> shift);
    Hasher h;
    h.text(view(payload));
    std::memcpy(header.data() + kChecksumAt, h.finish().bytes, kHashBytes);
    return header;
}

/// Whether the next bytes of the file are these. Takes little memory, whatever the file is.
template <class Source>
bool goes_on_with(Source& file, std::span<const uint8_t> bytes) {
    uint8_t part[4096];
    while (!bytes.empty()) {
        const std::span<uint8_t> next(part, std::min(bytes.size(), sizeof part));
        if (!file.read(next) || std::memcmp(next.data(), bytes.data(), next.size()) != 0) return false;
        bytes = bytes.subspan(next.size());
    }
    return true;
}

/// The header decides before any memory is taken.
template <class Source>
bool read_payload(Source& file, const Key& key, std::pmr::vector<uint8_t>& payload) {
    const uint64_t others = kHeaderBytes + key.request.size() + key.text.size();
    Header header;
    if (file.size() <= others || file.size() - others > kMaxBytes || !file.read(header)) return false;
    Header expected = header_of(key, {});
    uint64_t size = file.size() - others;
    for (size_t at = kChecksumAt - sizeof size; at < kChecksumAt; ++at, size >>= 8)
        expected[at] = static_cast<uint8_t>(size);
    if (!std::equal(expected.begin(), expected.begin() + kChecksumAt, header.begin())) return false;
    if (!goes_on_with(file, key.request) || !goes_on_with(file, bytes_of(key.text))) return false;
    payload.resize(static_cast<size_t>(file.size() - others));
    return file.read(payload) && header_of(key, payload) == header;
}

/// Bytes in memory as a file.
struct Bytes {
    std::span<const uint8_t> left;
    uint64_t whole = left.size();

    uint64_t size() const { return whole; }
    bool read(std::span<uint8_t> bytes) {
        if (bytes.size() > left.size()) return false;
        std::ranges::copy(left.first(bytes.size()), bytes.begin());
        left = left.subspan(bytes.size());
        return true;
    }
};

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

bool read_entry(std::span<const uint8_t> file, const Key& key, std::pmr::vector<uint8_t>& payload) {
    Bytes source{file};
    return read_payload(source, key, payload);
}

bool Folder::open(std::string_view path, uint64_t quota) {
    quota_ = quota;
    path_ = path;
    while (path_.size() > 1 && disk::kSeparators.find(path_.back()) != path_.npos) path_.pop_back();
    if (path_.empty() || path_.size() > kLongestPath || path_.find('\0') != path_.npos) return false;
    const std::pmr::string fresh = joined(path_.get_allocator().resource(), {path_, kNew});
    if (!make_folders(fresh) || !disk::is_own(path_) || !disk::is_own(fresh)) return false;
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

bool Folder::load(const Key& key, std::pmr::vector<uint8_t>& bytes) const {
    bytes.clear();
    try {
        disk::File file(path_of(key.hash, bytes.get_allocator().resource()));
        return file.is_open() && read_payload(file, key, bytes);
    } catch (const std::bad_alloc&) {
        return false;
    }
}

bool Folder::store(const Key& key, std::span<const uint8_t> bytes, std::pmr::memory_resource* memory) const {
    if (bytes.empty() || bytes.size() > kMaxBytes) return false;
    const Header header = header_of(key, bytes);
    const std::pmr::string path = path_of(key.hash, memory), fresh = joined(memory, {path_, kNew});
    // Entries belong to this user alone: a cache that several users can write cannot be trusted.
    std::pmr::string temporary(memory);
    const auto write = [&] {
        return disk::write_new(fresh, {header, key.request, bytes_of(key.text), bytes}, temporary);
    };
    auto written = write();
    // Callers may empty the folder while it is open.
    if (written == disk::Written::no_folder && make_folders(fresh)) written = write();
    if (written != disk::Written::yes) return false;
    const std::pmr::string shard(path, 0, path.rfind('/'), memory);
    const bool done = disk::make_folder(shard) && disk::rename(temporary, path);
    if (!done) disk::remove(temporary);
    // Each of the 256 folders has its part of the quota. To look at one takes longer than to store: one in 16 does.
    if (done && key.hash.bytes[1] % 16 == 0) disk::trim(shard, quota_ / 256);
    return done;
}

}  // namespace tgsi2spv::api
