// Features that come with an extension: of all devices, and of those of Vulkan 1.1 and 1.2, which have as extensions
// what later versions have themselves.
#pragma once

#include <volk.h>

#include <cstdint>
#include <span>

#include "vulkan/report.h"

namespace tgsi2spv::vk {

/// An extension and the structure of its features. Of rows with one structure, which are names of one extension, the
/// first one that is offered counts.
struct FeatureRow {
    const char* extension;  ///< null: none is needed
    VkStructureType type = VK_STRUCTURE_TYPE_MAX_ENUM;
    void* features = nullptr;     ///< null: it has none
    uint32_t until = UINT32_MAX;  ///< the version of Vulkan that has it without an extension
};

/// Adds the offered extensions to the report, and their structures, as the device fills them and less what is hidden,
/// to the chain that begins at `first`.
vulkan::Expected<void> read_rows(vulkan::DeviceReport& report, std::span<const FeatureRow> rows,
                                 VkPhysicalDeviceFeatures2& first);

/// The structures of features that Vulkan 1.2 and 1.3 took over.
struct OlderFeatures {
    VkPhysicalDeviceShaderDrawParametersFeatures draw_parameters{};
    VkPhysicalDeviceHostQueryResetFeatures query_reset{};
    VkPhysicalDeviceDynamicRenderingFeatures rendering{};
    VkPhysicalDeviceExtendedDynamicStateFeaturesEXT dynamic{};
};

/// Adds the extensions to the report and their features to the chain that begins at `first`, and tells them in the
/// report as those of the later version. For a device that has the version: nothing.
vulkan::Expected<void> read_older(vulkan::DeviceReport& report, OlderFeatures& older, VkPhysicalDeviceFeatures2& first);
/// Lets the functions that the later versions have mean those of the extensions, in volk's pointers.
void use_older_names(uint32_t api_version);

}  // namespace tgsi2spv::vk
