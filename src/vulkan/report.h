// A device's extensions, features and properties, and the structures that enable all of them.
#pragma once

#include <volk.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tgsi2spv/tgsi2spv_device.h"
#include "vulkan/instance.h"
#include "vulkan/mask.h"

namespace tgsi2spv::vulkan {

/// A device's extensions, features and properties. All of them are enabled, so modules may use all of them.
struct DeviceReport {
    DeviceInfo info;
    VkPhysicalDeviceLimits limits{};
    VkPhysicalDeviceFeatures features{};
    VkPhysicalDeviceVulkan11Features features11{};  ///< zero below Vulkan 1.2, so is the next
    VkPhysicalDeviceVulkan12Features features12{};
    VkPhysicalDeviceVulkan13Features features13{};  ///< zero below Vulkan 1.3
    VkPhysicalDeviceFloatControlsProperties float_controls{};
    VkPhysicalDeviceSubgroupProperties subgroup{};
    VkPhysicalDeviceTransformFeedbackPropertiesEXT feedback{};  ///< zero without the extension
    bool demote = false;
    bool custom_border_color = false;
    bool border_color_without_format = false;  ///< custom border colours work without naming the format
    /// The view's swizzle applies to border colours. If this is false, border colours read through a swizzling view are
    /// undefined.
    bool border_swizzle_from_image = false;
    /// Implicit LOD is defined even if the lanes of a quad sample different images.
    bool quad_divergent_implicit_lod = false;
    bool robust_buffer_access2 = false;
    bool robust_image_access2 = false;
    bool null_descriptor = false;
    bool stencil_export = false;
    bool shader_clock = false;
    bool transform_feedback = false;
    bool geometry_streams = false;
    bool streams_of_lines_and_triangles = false;  ///< transformFeedbackStreamsLinesTriangles
    uint32_t max_transform_feedback_buffers = 0;
    bool buffer_float32_atomic_add = false;
    bool image_float32_atomic_add = false;
    Mask mask;                            ///< the parts that count as not offered; set before read_offers()
    std::vector<std::string> extensions;  ///< enabled
    tgsi2spv_device_caps caps{};          ///< the library's description of the device, once it is created

    bool has(std::string_view extension) const;
};

/// Features that vkCreateDevice enables: a chain of structures that begins at `first`. Those of the core versions are
/// the report's, which must live as long; so neither is moved meanwhile.
struct OfferedFeatures {
    VkPhysicalDeviceFeatures2 first{};
    VkPhysicalDeviceRobustness2FeaturesEXT robustness{};
    VkPhysicalDeviceCustomBorderColorFeaturesEXT border{};
    VkPhysicalDeviceBorderColorSwizzleFeaturesEXT border_swizzle{};
    VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures demote{};
    VkPhysicalDeviceImageRobustnessFeatures image_robustness{};
    VkPhysicalDeviceFragmentShadingRateFeaturesKHR shading_rate{};
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_workgroup{};
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomics{};
    VkPhysicalDeviceShaderClockFeaturesKHR clock{};
    VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback{};
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{};
};

/// The extensions that the device offers, without those that the report hides.
Expected<std::vector<VkExtensionProperties>> offered_extensions(const DeviceReport& report);
/// Fills the report, whose `info` is set, and the chain. It fails if the device does not tell its extensions, or tells
/// limits that Vulkan does not permit, with which answers or places in memory would be wrong.
Expected<void> read_offers(DeviceReport& report, OfferedFeatures& features);
/// Fills the capabilities from the device's creation info. Takes the report's structures out of the chains, which it
/// may outlive.
void finish(DeviceReport& report, const VkDeviceCreateInfo& created);

}  // namespace tgsi2spv::vulkan
