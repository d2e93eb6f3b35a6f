#include "vk/names.h"

#include <algorithm>

namespace tgsi2spv::vk {

void set_name(const Device& device, VkObjectType type, uint64_t handle, const std::string& name) {
    VkDebugUtilsObjectNameInfoEXT info{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                       .objectType = type,
                                       .objectHandle = handle,
                                       .pObjectName = name.c_str()};
    vkSetDebugUtilsObjectNameEXT(device.handle(), &info);
}

void insert_label(const Device& device, VkCommandBuffer commands, std::string_view text) {
    constexpr size_t kMost = 256;
    if (!device.has_names()) return;
    std::string label(text.substr(0, kMost));
    std::ranges::replace_if(
        label, [](char c) { return c < ' ' || c > '~'; }, '?');
    VkDebugUtilsLabelEXT info{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = label.c_str()};
    vkCmdInsertDebugUtilsLabelEXT(commands, &info);
}

}  // namespace tgsi2spv::vk
