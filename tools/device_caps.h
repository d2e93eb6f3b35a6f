// What a device has, from the JSON of vulkaninfo.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "tgsi2spv/tgsi2spv.h"

namespace tools {

/// Larger ones are refused: vulkaninfo writes a few hundred kilobytes.
inline constexpr size_t kMostCapsBytes = 8 << 20;

/// Reads what `vulkaninfo --json` writes: the profiles schema (Vulkan SDK 1.3 and later; also a profile made by hand,
/// of which all blocks of capabilities count) and the older one, with VkPhysicalDevice… structs at the top. What is not
/// said is not there. Any text may come; an error says what is wrong with it.
tl::expected<tgsi2spv_device_caps, std::string> read_device_caps(std::string_view json);

}  // namespace tools
