#include "vulkan/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <string_view>
#include <utility>

#include "tgsi2spv/tgsi2spv_vulkan.h"
#include "vulkan/enumerate.h"

namespace tgsi2spv::vulkan {

bool DeviceReport::has(std::string_view extension) const {
    return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

namespace {

// Extensions that may not be enabled without another one.
constexpr std::pair<std::string_view, std::string_view> kBuildsOn[] = {
    {VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME, VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME},
    {VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME},
};

bool is_hidden(const Mask& mask, std::string_view extension) {
    const auto needs_hidden = [&](const auto& pair) { return pair.first == extension && hides(mask, pair.second); };
    return hides(mask, extension) || std::ranges::any_of(kBuildsOn, needs_hidden);
}

}  // namespace

Expected<std::vector<VkExtensionProperties>> offered_extensions(const DeviceReport& report) {
    auto offered = enumerate<VkExtensionProperties>(
        "vkEnumerateDeviceExtensionProperties", [&](uint32_t* count, VkExtensionProperties* items) {
            return vkEnumerateDeviceExtensionProperties(report.info.handle, nullptr, count, items);
        });
    if (offered)
        std::erase_if(*offered,
                      [&](const VkExtensionProperties& e) { return is_hidden(report.mask, e.extensionName); });
    return offered;
}

namespace {

// Extensions that are enabled if the device offers them.
constexpr const char* kWanted[] = {
    VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
    VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,
    VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME,
    VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME,
    VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME,
    VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
    VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
    VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
    VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME,
    VK_EXT_BLEND_OPERATION_ADVANCED_EXTENSION_NAME,
    VK_NV_VIEWPORT_ARRAY_2_EXTENSION_NAME,
    VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME,
    VK_KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY_EXTENSION_NAME,
    VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME,
    VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME,
};

/// Names the structure and puts it at the end of the chain.
template <class T>
void chain(void**& tail, T& next, VkStructureType type) {
    next.sType = type;
    *tail = &next;
    tail = &next.pNext;
}

/// Disables the update-after-bind features: no descriptor set of this harness is written after it is bound, and
/// together with robustBufferAccess these features require a property (robustBufferAccessUpdateAfterBind) that many
/// devices lack.
void leave_out_update_after_bind(VkPhysicalDeviceVulkan12Features& f) {
    for (VkBool32* bit :
         {&f.descriptorBindingUniformBufferUpdateAfterBind, &f.descriptorBindingSampledImageUpdateAfterBind,
          &f.descriptorBindingStorageImageUpdateAfterBind, &f.descriptorBindingStorageBufferUpdateAfterBind,
          &f.descriptorBindingUniformTexelBufferUpdateAfterBind, &f.descriptorBindingStorageTexelBufferUpdateAfterBind})
        *bit = VK_FALSE;
}

Expected<void> read_extensions(DeviceReport& report) {
    const auto offered = offered_extensions(report);
    if (!offered) return tl::unexpected(offered.error());
    const auto offers = [&](std::string_view name) {
        return std::ranges::any_of(*offered, [&](const auto& e) { return std::string_view(e.extensionName) == name; });
    };
    std::ranges::copy_if(kWanted, std::back_inserter(report.extensions), offers);
    return {};
}

void read_features(DeviceReport& report, OfferedFeatures& features) {
    const bool is12 = report.info.api_version >= VK_API_VERSION_1_2;
    const bool is13 = report.info.api_version >= VK_API_VERSION_1_3;
    features.first.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    void** tail = &features.first.pNext;
    const auto add = [&](const char* extension, auto& structure, VkStructureType type) {
        if (report.has(extension)) chain(tail, structure, type);
    };
    if (is12) {
        chain(tail, report.features11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
        chain(tail, report.features12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    }
    if (is13) {
        chain(tail, report.features13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    } else {
        // VkPhysicalDeviceVulkan13Features has the same members, and these must not be in one chain with it.
        add(VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME, features.demote,
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES);
        add(VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME, features.image_robustness,
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES);
        add(VK_KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY_EXTENSION_NAME, features.zero_workgroup,
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES);
    }
    add(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, features.robustness,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);
    add(VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME, features.border,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT);
    add(VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME, features.border_swizzle,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT);
    add(VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME, features.shading_rate,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR);
    add(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, features.atomics,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT);
    add(VK_KHR_SHADER_CLOCK_EXTENSION_NAME, features.clock,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR);
    add(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, features.feedback,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT);
    add(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, features.executables,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
    vkGetPhysicalDeviceFeatures2(report.info.handle, &features.first);
    hide_features(report.mask, &features.first);
    // Never needed here, and some drivers take other paths if these are enabled.
    report.features11.protectedMemory = VK_FALSE;
    report.features12.bufferDeviceAddressCaptureReplay = VK_FALSE;
    report.features12.bufferDeviceAddressMultiDevice = VK_FALSE;
    leave_out_update_after_bind(report.features12);

    report.features = features.first.features;
    report.demote =
        (is13 ? report.features13.shaderDemoteToHelperInvocation : features.demote.shaderDemoteToHelperInvocation);
    report.custom_border_color = features.border.customBorderColors;
    report.border_color_without_format =
        features.border.customBorderColors && features.border.customBorderColorWithoutFormat;
    report.border_swizzle_from_image =
        features.border_swizzle.borderColorSwizzle && features.border_swizzle.borderColorSwizzleFromImage;
    report.robust_buffer_access2 = features.robustness.robustBufferAccess2;
    report.robust_image_access2 = features.robustness.robustImageAccess2;
    report.null_descriptor = features.robustness.nullDescriptor;
    report.stencil_export = report.has(VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME);
    report.buffer_float32_atomic_add = features.atomics.shaderBufferFloat32AtomicAdd;
    report.image_float32_atomic_add = features.atomics.shaderImageFloat32AtomicAdd;
    report.shader_clock = features.clock.shaderSubgroupClock;
    report.transform_feedback = features.feedback.transformFeedback;
    report.geometry_streams = features.feedback.geometryStreams;
}

/// Replaces the properties by another device's. Those of precision that its profile does not name stay as they are.
void hide_properties(DeviceReport& report) {
    const Mask& mask = report.mask;
    hide_limits(mask, report.limits);
    for (const char* stages : {"supportedStages", "subgroupSupportedStages"})  // the second since Vulkan 1.2
        hide_flags(mask, stages, report.subgroup.supportedStages);
    for (const char* operations : {"supportedOperations", "subgroupSupportedOperations"})
        hide_flags(mask, operations, report.subgroup.supportedOperations);
    VkPhysicalDeviceTransformFeedbackPropertiesEXT& f = report.feedback;
    hide_limit(mask, "maxTransformFeedbackStreams", f.maxTransformFeedbackStreams);
    hide_limit(mask, "maxTransformFeedbackBuffers", f.maxTransformFeedbackBuffers);
    hide_limit(mask, "maxTransformFeedbackStreamDataSize", f.maxTransformFeedbackStreamDataSize);
    hide_limit(mask, "maxTransformFeedbackBufferDataSize", f.maxTransformFeedbackBufferDataSize);
    hide_limit(mask, "maxTransformFeedbackBufferDataStride", f.maxTransformFeedbackBufferDataStride);
    hide_flags(mask, "transformFeedbackQueries", f.transformFeedbackQueries);
    hide_flags(mask, "transformFeedbackStreamsLinesTriangles", f.transformFeedbackStreamsLinesTriangles);
    hide_flags(mask, "transformFeedbackRasterizationStreamSelect", f.transformFeedbackRasterizationStreamSelect);
    hide_flags(mask, "transformFeedbackDraw", f.transformFeedbackDraw);
}

void read_properties(DeviceReport& report) {
    const bool is12 = report.info.api_version >= VK_API_VERSION_1_2;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    VkPhysicalDeviceDescriptorIndexingProperties indexing{};
    void** tail = &properties.pNext;
    chain(tail, report.subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
    if (is12) {
        chain(tail, report.float_controls, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
        chain(tail, indexing, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES);
    }
    if (report.has(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME))
        chain(tail, report.feedback, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT);
    vkGetPhysicalDeviceProperties2(report.info.handle, &properties);
    report.limits = properties.properties.limits;
    report.quad_divergent_implicit_lod = indexing.quadDivergentImplicitLod;
    hide_properties(report);
    report.streams_of_lines_and_triangles = report.feedback.transformFeedbackStreamsLinesTriangles;
    report.max_transform_feedback_buffers = report.feedback.maxTransformFeedbackBuffers;
}

/// Vulkan, "Required Limits".
Expected<void> check_limits(const DeviceReport& report) {
    const VkPhysicalDeviceLimits& limits = report.limits;
    const auto wrong = [&](const char* name, uint64_t value) {
        return fail(Failure::Device,
                    fmt::format("{} has a {} of {}, which Vulkan does not permit", report.info.name, name, value));
    };
    constexpr VkDeviceSize kMaxAlignment = 256;
    for (const auto& [name, value] :
         {std::pair("minTexelBufferOffsetAlignment", limits.minTexelBufferOffsetAlignment),
          std::pair("minUniformBufferOffsetAlignment", limits.minUniformBufferOffsetAlignment),
          std::pair("minStorageBufferOffsetAlignment", limits.minStorageBufferOffsetAlignment)})
        if (!std::has_single_bit(value) || value > kMaxAlignment) return wrong(name, value);
    constexpr uint32_t kMinPrecision = 4,
                       kMaxPrecision = 24;  // a float distinguishes no more positions between two texels
    for (const auto& [name, value] : {std::pair("subPixelPrecisionBits", limits.subPixelPrecisionBits),
                                      std::pair("subTexelPrecisionBits", limits.subTexelPrecisionBits),
                                      std::pair("mipmapPrecisionBits", limits.mipmapPrecisionBits)})
        if (value < kMinPrecision || value > kMaxPrecision) return wrong(name, value);
    return {};
}

}  // namespace

Expected<void> read_offers(DeviceReport& report, OfferedFeatures& features) {
    if (auto read = read_extensions(report); !read) return read;
    read_features(report, features);
    read_properties(report);
    return check_limits(report);
}

namespace {

/// The properties that the mask lowered.
void set_masked_caps(DeviceReport& report) {
    tgsi2spv_device_caps& caps = report.caps;
    tgsi2spv_vulkan_set_limits(&report.limits, &caps);
    caps.subgroup_supported_stages = report.subgroup.supportedStages;
    caps.subgroup_supported_operations = report.subgroup.supportedOperations;
    const VkPhysicalDeviceTransformFeedbackPropertiesEXT& f = report.feedback;
    caps.transform_feedback_streams_lines_triangles = f.transformFeedbackStreamsLinesTriangles;
    caps.max_transform_feedback_streams = f.maxTransformFeedbackStreams;
    caps.max_transform_feedback_buffers = f.maxTransformFeedbackBuffers;
    caps.max_transform_feedback_buffer_data_size = f.maxTransformFeedbackBufferDataSize;
    caps.max_transform_feedback_buffer_data_stride = f.maxTransformFeedbackBufferDataStride;
}

}  // namespace

void finish(DeviceReport& report, const VkDeviceCreateInfo& created) {
    tgsi2spv_vulkan_get_caps(report.info.handle, vkGetPhysicalDeviceProperties2, report.info.api_version, &created,
                             &report.caps);
    set_masked_caps(report);
    report.features11.pNext = report.features12.pNext = report.features13.pNext = nullptr;
    report.float_controls.pNext = report.subgroup.pNext = report.feedback.pNext = nullptr;
}

}  // namespace tgsi2spv::vulkan
