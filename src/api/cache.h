// A folder of answers by hash, safe between threads and processes.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv::api {

/// Entries are files `ab/cdef…` (the hash in hexadecimal), each written beside under a name of its own and renamed, so
/// that a reader sees a whole one or none. An entry tells its hash, its size and a checksum; where one is not as it
/// should be, it counts as absent, and the next store replaces it.
class Folder {
  public:
    explicit Folder(std::pmr::memory_resource* memory = std::pmr::get_default_resource()) : path_(memory) {}
    /// Makes the folder if it is absent, and removes what processes that were killed have left half written.
    /// False if it cannot be written.
    bool open(std::string_view path);
    bool load(const tgsi2spv_hash& hash, std::pmr::vector<uint8_t>& bytes) const;
    bool store(const tgsi2spv_hash& hash, std::span<const uint8_t> bytes,
               std::pmr::memory_resource* memory = std::pmr::get_default_resource()) const;
    /// Where an entry stands. (Threads share the folder, but not `memory`.)
    std::pmr::string path_of(const tgsi2spv_hash& hash,
                             std::pmr::memory_resource* memory = std::pmr::get_default_resource()) const;

  private:
    std::pmr::string path_;
};

/// What a file of the folder holds for `hash`; an empty span if it is not that, whole and undamaged.
std::span<const uint8_t> entry_of(std::span<const uint8_t> file, const tgsi2spv_hash& hash);

}  // namespace tgsi2spv::api
