// A folder of results by hash, safe between threads and processes.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv::api {

/// Entries are files `ab/cdef…` (the hash in hexadecimal). Each is written under a temporary name and then renamed, so
/// a reader sees a whole entry or none. An entry holds its hash, its size and a checksum. If one of these is wrong, the
/// entry counts as absent, and the next store replaces it.
class Folder {
  public:
    explicit Folder(std::pmr::memory_resource* memory = std::pmr::get_default_resource()) : path_(memory) {}
    /// Creates the folder if it is absent, and removes half-written files of killed processes. False if the folder
    /// cannot be written.
    bool open(std::string_view path);
    bool load(const tgsi2spv_hash& hash, std::pmr::vector<uint8_t>& bytes) const;
    bool store(const tgsi2spv_hash& hash, std::span<const uint8_t> bytes,
               std::pmr::memory_resource* memory = std::pmr::get_default_resource()) const;
    /// The path of an entry. (Threads share the folder, but not `memory`.)
    std::pmr::string path_of(const tgsi2spv_hash& hash,
                             std::pmr::memory_resource* memory = std::pmr::get_default_resource()) const;

  private:
    std::pmr::string path_;
};

/// The payload of a file in the folder for `hash`; an empty span if the file is for another hash, incomplete or
/// damaged.
std::span<const uint8_t> entry_of(std::span<const uint8_t> file, const tgsi2spv_hash& hash);

}  // namespace tgsi2spv::api
