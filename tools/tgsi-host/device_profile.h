// All that a device has, from the JSON of vulkaninfo, to use another device as if it were that one.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "vulkan/mask.h"

namespace tools {

/// Reads what read_device_caps() reads. Features and extensions that the text does not mention are absent; limits and
/// formats then are those of the other device. Any text may come; an error says what is wrong with it.
tl::expected<tgsi2spv::vulkan::DeviceProfile, std::string> read_device_profile(std::string_view json);

}  // namespace tools
