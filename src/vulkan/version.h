// Versions of drivers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tgsi2spv::vulkan {

/// A number for each part of a version: 26, 2, 6 for "26.2.6-1".
using Version = std::vector<uint32_t>;

/// Reads numbers with points between them, up to the first other character.
Version read_version(std::string_view text);
/// Returns the first word of a driver's description that begins with a digit, as a version; empty if there is none.
Version version_of(std::string_view driver);

}  // namespace tgsi2spv::vulkan
