#include "vulkan/format_name.h"

// Only the names: everything else in this header takes a second more.
#define VULKAN_HPP_DISABLE_ENHANCED_MODE
#define VULKAN_HPP_NO_SMART_HANDLE
#define VULKAN_HPP_NO_STRUCT_CONSTRUCTORS
#include <vulkan/vulkan.hpp>

namespace tgsi2spv::vulkan {

std::string format_name(VkFormat format) {
    return vk::to_string(static_cast<vk::Format>(format));
}

}  // namespace tgsi2spv::vulkan
