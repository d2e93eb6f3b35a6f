#include "vk/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "vk/features.h"

namespace tgsi2spv::vk {
namespace {

std::vector<FeatureRow> wanted(Extras& extras) {
#define ROW(name, member) \
    { VK_EXT_##name##_EXTENSION_NAME, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##name##_FEATURES_EXT, &extras.member }
    return {
        ROW(EXTENDED_DYNAMIC_STATE_3, dynamic3),
        ROW(EXTENDED_DYNAMIC_STATE_2, dynamic2),
        ROW(VERTEX_INPUT_DYNAMIC_STATE, vertex_input),
        ROW(VERTEX_ATTRIBUTE_DIVISOR, divisor),
        ROW(DEPTH_CLIP_ENABLE, depth_clip),
        ROW(DEPTH_CLIP_CONTROL, clip_control),
        ROW(DEPTH_CLAMP_ZERO_ONE, clamp_zero_one),
        ROW(PROVOKING_VERTEX, provoking),
        ROW(LINE_RASTERIZATION, lines),
        ROW(INDEX_TYPE_UINT8, index8),
        ROW(PRIMITIVE_TOPOLOGY_LIST_RESTART, list_restart),
        ROW(NON_SEAMLESS_CUBE_MAP, non_seamless),
        ROW(4444_FORMATS, formats4444),
        ROW(PRIMITIVES_GENERATED_QUERY, primitives_generated),
        ROW(CONDITIONAL_RENDERING, conditional),
        ROW(IMAGE_2D_VIEW_OF_3D, slices),
        ROW(RASTERIZATION_ORDER_ATTACHMENT_ACCESS, ordered_reads),
        {VK_ARM_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_EXTENSION_NAME,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_FEATURES_EXT, &extras.ordered_reads},
        {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME},
        {kLocalRead, static_cast<VkStructureType>(1000232000), &extras.local_read},
    };
#undef ROW
}

/// Fills properties, whose sType says which ones they are.
void read_properties(const vulkan::DeviceReport& report, auto& own) {
    VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &own};
    vkGetPhysicalDeviceProperties2(report.info.handle, &properties);
}

/// Reads the extras that the device offers, adds their extensions to the report and their features to the chain that
/// begins at `first`.
Expected<void> read_extras(vulkan::DeviceReport& report, Extras& extras, VkPhysicalDeviceFeatures2& first) {
    if (auto read = read_rows(report, wanted(extras), first); !read) return read;
    if (report.transform_feedback) extras.feedback = report.feedback;
    if (std::ranges::find(report.extensions, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) != report.extensions.end()) {
        VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
        read_properties(report, host);
        extras.import_alignment = host.minImportedHostPointerAlignment;
    }
    if (report.custom_border_color) {
        VkPhysicalDeviceCustomBorderColorPropertiesEXT borders{
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_PROPERTIES_EXT};
        read_properties(report, borders);
        extras.most_custom_borders = borders.maxCustomBorderColorSamplers;
        vulkan::hide_limit(report.mask, "maxCustomBorderColorSamplers", extras.most_custom_borders);
    }
    if (extras.dynamic3.sType != 0) {
        VkPhysicalDeviceExtendedDynamicState3PropertiesEXT dynamic3{
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_PROPERTIES_EXT};
        read_properties(report, dynamic3);
        extras.any_topology = dynamic3.dynamicPrimitiveTopologyUnrestricted != 0;
    }
    return {};
}

/// Finds the parts of Vulkan that a device of the portability subset has, also one that only shows as such.
/// Where the extension is offered, it must be enabled.
Expected<void> read_portability(vulkan::DeviceReport& report, Extras& extras, VkPhysicalDeviceFeatures2& first) {
    constexpr std::string_view kExtension = VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME;
    const auto offered = vulkan::offered_extensions({.info = report.info});
    if (!offered) return tl::unexpected(offered.error());
    auto& features = extras.portability;
    features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PORTABILITY_SUBSET_FEATURES_KHR,
                nullptr,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE,
                VK_TRUE};
    const bool is_subset =
        std::ranges::any_of(*offered, [&](const auto& e) { return std::string_view(e.extensionName) == kExtension; });
    if (is_subset) {
        VkPhysicalDeviceFeatures2 own{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features};
        vkGetPhysicalDeviceFeatures2(report.info.handle, &own);
        VkPhysicalDevicePortabilitySubsetPropertiesKHR strides{
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PORTABILITY_SUBSET_PROPERTIES_KHR};
        read_properties(report, strides);
        extras.stride_alignment = strides.minVertexInputBindingStrideAlignment;
        report.extensions.emplace_back(kExtension);
        features.pNext = std::exchange(first.pNext, &features);
    }
    vulkan::Mask mask = report.mask;
    if (mask.profile && !mask.profile->extensions.contains(kExtension)) mask.profile.reset();
    vulkan::hide_features(mask, &features);
    vulkan::hide_alignment(mask, "minVertexInputBindingStrideAlignment", extras.stride_alignment);
    // An interpolation at a place of its own needs this feature in SPIR-V.
    if (features.shaderSampleRateInterpolationFunctions == 0)
        report.features.sampleRateShading = first.features.sampleRateShading = VK_FALSE;
    return {};
}

/// From Vulkan 1.3 on, both are there without a feature; there they are missing where a user hides them.
void read_dynamic_state(const vulkan::DeviceReport& report, const OlderFeatures& older, Extras& extras) {
    const auto& hidden = report.mask.names;
    const auto offered = [&](const char* name, bool has_feature) {
        const bool is13 = report.info.api_version >= VK_API_VERSION_1_3;
        return is13 ? std::ranges::find(hidden, name) == hidden.end() : has_feature;
    };
    extras.has_dynamic = offered("extendedDynamicState", older.dynamic.extendedDynamicState != 0);
    extras.has_dynamic2 = offered("extendedDynamicState2", extras.dynamic2.extendedDynamicState2 != 0);
}

/// The features that the host requires.
Expected<void> check_needs(const vulkan::DeviceReport& report, const Extras& extras) {
    const std::pair<const char*, bool> needs[] = {
        {"Vulkan 1.1", report.info.api_version >= VK_API_VERSION_1_1},
        {"robustBufferAccess", report.features.robustBufferAccess},
        {"constantAlphaColorBlendFactors", extras.portability.constantAlphaColorBlendFactors},
        {"imageViewFormatReinterpretation", extras.portability.imageViewFormatReinterpretation},
        {"mutableComparisonSamplers", extras.portability.mutableComparisonSamplers},
    };
    std::string missing;
    for (const auto& [name, offered] : needs)
        if (!offered) missing += (missing.empty() ? "" : ", ") + std::string(name);
    if (!missing.empty()) return fail(Failure::Missing, missing);
    return {};
}

/// The number of the family, and its timestampValidBits.
Expected<std::pair<uint32_t, uint32_t>> find_family(const vulkan::DeviceInfo& info) {
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(info.handle, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(info.handle, &count, families.data());
    constexpr VkQueueFlags kNeeded = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    const auto fits = [](const VkQueueFamilyProperties& f) { return (f.queueFlags & kNeeded) == kNeeded; };
    const auto found = std::ranges::find_if(families, fits);
    if (found == families.end()) return fail(Failure::Missing, "a queue family for graphics and compute");
    return std::pair(static_cast<uint32_t>(found - families.begin()), found->timestampValidBits);
}

// Rows of the table of formats: those of Vulkan 1.0 by their numbers, of which 0 is undefined, then these.
constexpr VkFormat kLastOfCore = VK_FORMAT_ASTC_12x12_SRGB_BLOCK;
constexpr VkFormat kOtherFormats[] = {VK_FORMAT_A4R4G4B4_UNORM_PACK16, VK_FORMAT_A4B4G4R4_UNORM_PACK16};

size_t row_of(VkFormat format) {
    if (format <= kLastOfCore) return static_cast<size_t>(format);
    return kLastOfCore + 1U + static_cast<size_t>(std::ranges::find(kOtherFormats, format) - std::begin(kOtherFormats));
}

std::vector<VkFormatProperties> read_formats(const vulkan::DeviceReport& report) {
    std::vector<VkFormatProperties> formats(kLastOfCore + 1U + std::size(kOtherFormats));
    const auto read = [&](VkFormat format) {
        VkFormatProperties& properties = formats[row_of(format)];
        vkGetPhysicalDeviceFormatProperties(report.info.handle, format, &properties);
        vulkan::hide_format(report.mask, format, properties);
    };
    for (uint32_t n = VK_FORMAT_UNDEFINED + 1U; n <= kLastOfCore; n++) read(static_cast<VkFormat>(n));
    for (const VkFormat format : kOtherFormats) read(format);
    return formats;
}

}  // namespace

Expected<std::unique_ptr<Device>> Device::create(const vulkan::DeviceInfo& info, vulkan::Mask mask,
                                                 std::vector<const char*> extensions) {
    if (const std::string name = vulkan::unknown_name(mask); !name.empty())
        return fail(Failure::Missing, "a feature with the name " + name);
    std::unique_ptr<Device> self(new Device);
    self->report_.info = info;
    if (mask.profile) self->report_.info.api_version = std::min(info.api_version, mask.profile->api_version);
    self->report_.mask = std::move(mask);
    vulkan::OfferedFeatures offered;
    OlderFeatures older;
    if (auto read = vulkan::read_offers(self->report_, offered); !read) return tl::unexpected(read.error());
    if (auto read = read_extras(self->report_, self->extras_, offered.first); !read)
        return tl::unexpected(read.error());
    if (auto read = read_portability(self->report_, self->extras_, offered.first); !read)
        return tl::unexpected(read.error());
    if (auto read = read_older(self->report_, older, offered.first); !read) return tl::unexpected(read.error());
    read_dynamic_state(self->report_, older, self->extras_);
    if (self->report_.features13.dynamicRendering == 0) self->extras_.local_read.dynamicRenderingLocalRead = VK_FALSE;
    if (auto check = check_needs(self->report_, self->extras_); !check) return tl::unexpected(check.error());
    const auto family = find_family(info);
    if (!family) return tl::unexpected(family.error());
    self->family_ = family->first;
    self->timestamp_mask_ = family->second == 0 ? 0 : ~uint64_t{0} >> (64 - family->second);
    self->formats_ = read_formats(self->report_);

    std::vector<const char*> names = std::move(extensions);
    for (const std::string& name : self->report_.extensions) names.push_back(name.c_str());
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                  .queueFamilyIndex = self->family_,
                                  .queueCount = 1,
                                  .pQueuePriorities = &priority};
    VkDeviceCreateInfo create{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                              .pNext = &offered.first,
                              .queueCreateInfoCount = 1,
                              .pQueueCreateInfos = &queue,
                              .enabledExtensionCount = static_cast<uint32_t>(names.size()),
                              .ppEnabledExtensionNames = names.data()};
    if (const auto r = vkCreateDevice(info.handle, &create, nullptr, &self->device_); r != VK_SUCCESS)
        return fail(Failure::Device, vulkan::failed_call("vkCreateDevice", r));
    vulkan::finish(self->report_, create);
    volkLoadDevice(self->device_);
    use_older_names(self->report_.info.api_version);
    vkGetDeviceQueue(self->device_, self->family_, 0, &self->queue_);
    return self;
}

Device::~Device() {
    if (device_ != VK_NULL_HANDLE) vkDestroyDevice(device_, nullptr);
}

const VkFormatProperties& Device::format(VkFormat format) const {
    const size_t row = row_of(format);
    return formats_[row < formats_.size() ? row : 0];
}

bool Device::check(VkResult result, const char* call) {
    constexpr uint32_t kMostSentences = 16;
    if (result == VK_SUCCESS) return true;
    if (!failed_ && failure_count_++ < kMostSentences) failures_.push_back(vulkan::failed_call(call, result));
    failed_ |= result == VK_ERROR_DEVICE_LOST;
    return false;
}

bool Device::check_or_lose(VkResult result, const char* call) {
    if (check(result, call)) return true;
    failed_ = true;
    return false;
}

}  // namespace tgsi2spv::vk
