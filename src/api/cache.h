// A folder of results by request, safe between threads and processes.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/hash.h"
#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv::api {

/// Entries are files `ab/cdef…` (the hash in hexadecimal). Each is written under a temporary name and then renamed, so
/// a reader sees a whole entry or none. An entry holds its whole request, which is compared: two requests with one hash
/// never share an answer. An entry for another request, a damaged one, one too large, and one for which there is no
/// memory count as absent, and the next store replaces them.
class Folder {
  public:
    /// Of all entries together. Beyond it, the oldest go.
    static constexpr uint64_t kQuota = uint64_t{1} << 30;

    explicit Folder(std::pmr::memory_resource* memory = std::pmr::get_default_resource()) : path_(memory) {}
    /// Creates the folder if it is absent, and removes half-written files of killed processes. False if the folder
    /// cannot be written, or belongs to another user, or others can write to it.
    bool open(std::string_view path, uint64_t quota = kQuota);
    bool load(const Key& key, std::pmr::vector<uint8_t>& bytes) const;
    bool store(const Key& key, std::span<const uint8_t> bytes,
               std::pmr::memory_resource* memory = std::pmr::get_default_resource()) const;
    /// The path of an entry. (Threads share the folder, but not `memory`.)
    std::pmr::string path_of(const tgsi2spv_hash& hash,
                             std::pmr::memory_resource* memory = std::pmr::get_default_resource()) const;

  private:
    std::pmr::string path_;
    uint64_t quota_ = kQuota;
};

/// Copies the payload of a file's bytes; false if the file is for another request, incomplete or damaged.
bool read_entry(std::span<const uint8_t> file, const Key& key, std::pmr::vector<uint8_t>& payload);

}  // namespace tgsi2spv::api
