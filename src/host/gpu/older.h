// Devices of Vulkan 1.1 and 1.2, which have as extensions what later versions have themselves.
#pragma once

#include <volk.h>

#include <cstdint>

#include "vulkan/report.h"

namespace tgsi2spv::gpu {

/// The structures of what Vulkan 1.2 and 1.3 took over.
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

}  // namespace tgsi2spv::gpu
