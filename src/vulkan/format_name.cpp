#include "vulkan/format_name.h"

#include <vulkan/vulkan.hpp>

namespace tgsi2spv::vulkan {

std::string format_name(VkFormat format) {
    return vk::to_string(static_cast<vk::Format>(format));
}

}  // namespace tgsi2spv::vulkan
