// Names of formats in messages.
#pragma once

#include <volk.h>

#include <string>

namespace tgsi2spv::vulkan {

/// `R8G8B8A8Unorm`.
std::string format_name(VkFormat format);

}  // namespace tgsi2spv::vulkan
