// A logical device for continuous work, with the features that a gallium host uses enabled.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vulkan/error.h"
#include "vulkan/instance.h"
#include "vulkan/report.h"

namespace tgsi2spv::vk {

using vulkan::Expected;
using vulkan::fail;
using vulkan::Failure;

/// An extension that Vulkan's headers have from 1.3.273 on, and its
/// VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR.
inline constexpr const char* kLocalRead = "VK_KHR_dynamic_rendering_local_read";
struct LocalReadFeatures {
    VkStructureType sType{};
    void* pNext = nullptr;
    VkBool32 dynamicRenderingLocalRead = VK_FALSE;
};

/// The device's features beyond vulkan::DeviceReport. A feature is false without its extension.
struct Extras {
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic3{};
    VkPhysicalDeviceExtendedDynamicState2FeaturesEXT dynamic2{};
    VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT vertex_input{};
    VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor{};
    VkPhysicalDeviceDepthClipEnableFeaturesEXT depth_clip{};
    VkPhysicalDeviceDepthClipControlFeaturesEXT clip_control{};
    VkPhysicalDeviceDepthClampZeroOneFeaturesEXT clamp_zero_one{};
    VkPhysicalDeviceProvokingVertexFeaturesEXT provoking{};
    VkPhysicalDeviceLineRasterizationFeaturesEXT lines{};
    VkPhysicalDeviceIndexTypeUint8FeaturesEXT index8{};
    VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT list_restart{};
    VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT non_seamless{};
    VkPhysicalDevice4444FormatsFeaturesEXT formats4444{};
    VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT primitives_generated{};
    VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional{};
    VkPhysicalDeviceImage2DViewOf3DFeaturesEXT slices{};
    VkPhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT ordered_reads{};
    LocalReadFeatures local_read{};
    VkPhysicalDeviceTransformFeedbackPropertiesEXT feedback{};
    /// All true on a device that has all of Vulkan, which need not offer the extension.
    VkPhysicalDevicePortabilitySubsetFeaturesKHR portability{};
    uint32_t stride_alignment = 1;                   ///< alignment of the strides of vertices
    uint32_t most_custom_borders = 0;                ///< the device's maxCustomBorderColorSamplers
    VkDeviceSize import_alignment = 0;               ///< alignment of process memory that the device can share; 0: none
    bool has_dynamic = false, has_dynamic2 = false;  ///< extendedDynamicState and 2, which Vulkan 1.3 has
    bool any_topology = false;  ///< a pipeline with dynamic topology takes all, not only those of its class
};

class Device {
  public:
    /// Fails with Failure::Missing, which names what is needed and absent, or an unknown name in the mask.
    /// `extensions`: are enabled beside those of the features, and must be offered.
    static Expected<std::unique_ptr<Device>> create(const vulkan::DeviceInfo& info, vulkan::Mask mask = {},
                                                    std::vector<const char*> extensions = {});
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    VkDevice handle() const { return device_; }
    VkPhysicalDevice physical() const { return report_.info.handle; }
    VkQueue queue() const { return queue_; }
    uint32_t family() const { return family_; }
    /// The bits of a timestamp that the queue writes; 0: it writes none.
    uint64_t timestamp_mask() const { return timestamp_mask_; }
    const vulkan::DeviceReport& report() const { return report_; }
    const Extras& extras() const { return extras_; }
    /// Whether objects get names, and commands labels (names.h); the instance has VK_EXT_debug_utils then.
    bool has_names() const { return has_names_; }
    void use_names() { has_names_ = true; }
    /// The device's support of a format; queried once. Formats of extensions are not supported, except A4R4G4B4 and
    /// A4B4G4R4.
    const VkFormatProperties& format(VkFormat format) const;

    /// Whether a call has succeeded; take_failures() says if not. A failed creation is the request's failure and no
    /// more: only VK_ERROR_DEVICE_LOST loses the device.
    bool check(VkResult result, const char* call);
    /// The same for the calls by which work reaches the device and is waited for: without them there is no order any
    /// more, so that the device counts as lost. Work that follows is dropped.
    bool check_or_lose(VkResult result, const char* call);
    bool failed() const { return failed_; }
    /// A sentence for each call that failed since the last time, but few in all: guests can make calls fail.
    std::vector<std::string> take_failures() { return std::exchange(failures_, {}); }

  private:
    Device() = default;
    vulkan::DeviceReport report_;
    Extras extras_;
    std::vector<VkFormatProperties> formats_;
    std::vector<std::string> failures_;
    uint32_t failure_count_ = 0;
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    uint32_t family_ = 0;
    uint64_t timestamp_mask_ = 0;
    bool failed_ = false, has_names_ = false;
};

}  // namespace tgsi2spv::vk
