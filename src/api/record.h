// A module and its reflection as bytes: what a cache keeps.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "spirv/reflect.h"

namespace tgsi2spv::api {

/// The same bytes on every machine.
std::pmr::vector<uint8_t> write_record(std::span<const uint32_t> words, const spirv::Reflection& reflection,
                                       std::pmr::memory_resource* memory = std::pmr::get_default_resource());

/// False if the bytes are not such a record; then both results are invalid. The bytes are not trusted: enumerants are
/// checked against their ranges, and memory use stays proportional to the number of bytes.
bool read_record(std::span<const uint8_t> bytes, std::pmr::vector<uint32_t>& words, spirv::Reflection& reflection);

}  // namespace tgsi2spv::api
