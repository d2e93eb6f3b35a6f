// Names of Vulkan's objects and labels among commands, in the guest's words: RenderDoc and the validation layer show
// them. Nothing is done, and no text made, unless Device::has_names().
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "vk/device.h"

namespace tgsi2spv::vk {

void set_name(const Device& device, VkObjectType type, uint64_t handle, const std::string& name);

template <class Handle, class... Arguments>
void name(const Device& device, VkObjectType type, Handle handle, fmt::format_string<Arguments...> format,
          Arguments&&... arguments) {
    if (!device.has_names() || handle == VK_NULL_HANDLE) return;
    set_name(device, type, reinterpret_cast<uint64_t>(handle),
             fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// A label with a guest's text, of which the beginning is kept; what is not printable ASCII becomes "?".
void insert_label(const Device& device, VkCommandBuffer commands, std::string_view text);

}  // namespace tgsi2spv::vk
