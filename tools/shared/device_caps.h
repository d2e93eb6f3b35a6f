// A device's capabilities, from the JSON of vulkaninfo. device_profile reads the same files for tgsi-host, which hides
// by Vulkan's names what this file turns into numbers; device_json has what both share.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "tgsi2spv/tgsi2spv.h"

namespace tools {

/// Reads the output of `vulkaninfo --json`: the profiles schema (Vulkan SDK 1.3 and later; also a profile made by hand,
/// of which all blocks of capabilities count) and the older schema, with VkPhysicalDevice… structs at the top. Features
/// that the text does not mention are absent. Any text may come; an error describes its mistake, also in the value of a
/// known member.
tl::expected<tgsi2spv_device_caps, std::string> read_device_caps(std::string_view json);

}  // namespace tools
