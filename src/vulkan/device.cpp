#include "vulkan/device.h"

#include <fmt/format.h>

#include <algorithm>

namespace tgsi2spv::vulkan {

bool DeviceReport::has(std::string_view extension) const {
    return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

Failure failure_of(VkResult result) {
    switch (result) {
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        case VK_ERROR_OUT_OF_HOST_MEMORY:
            return Failure::Memory;
        case VK_ERROR_DEVICE_LOST:
            return Failure::Lost;
        default:
            return Failure::Device;
    }
}

std::string result_name(VkResult result) {
    switch (result) {
        case VK_SUCCESS:
            return "VK_SUCCESS";
        case VK_NOT_READY:
            return "VK_NOT_READY";
        case VK_TIMEOUT:
            return "VK_TIMEOUT";
        case VK_ERROR_OUT_OF_HOST_MEMORY:
            return "VK_ERROR_OUT_OF_HOST_MEMORY";
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
            return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
        case VK_ERROR_INITIALIZATION_FAILED:
            return "VK_ERROR_INITIALIZATION_FAILED";
        case VK_ERROR_DEVICE_LOST:
            return "VK_ERROR_DEVICE_LOST";
        case VK_ERROR_MEMORY_MAP_FAILED:
            return "VK_ERROR_MEMORY_MAP_FAILED";
        case VK_ERROR_FEATURE_NOT_PRESENT:
            return "VK_ERROR_FEATURE_NOT_PRESENT";
        case VK_ERROR_EXTENSION_NOT_PRESENT:
            return "VK_ERROR_EXTENSION_NOT_PRESENT";
        case VK_ERROR_FORMAT_NOT_SUPPORTED:
            return "VK_ERROR_FORMAT_NOT_SUPPORTED";
        case VK_ERROR_FRAGMENTED_POOL:
            return "VK_ERROR_FRAGMENTED_POOL";
        case VK_ERROR_OUT_OF_POOL_MEMORY:
            return "VK_ERROR_OUT_OF_POOL_MEMORY";
        case VK_ERROR_UNKNOWN:
            return "VK_ERROR_UNKNOWN";
        default:
            return fmt::format("VkResult {}", static_cast<int>(result));
    }
}

namespace {

constexpr VkDeviceSize kFirstArena = 4u << 20;

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
    VK_EXT_DEPTH_RANGE_UNRESTRICTED_EXTENSION_NAME,
    VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME,
    VK_EXT_BLEND_OPERATION_ADVANCED_EXTENSION_NAME,
    VK_NV_VIEWPORT_ARRAY_2_EXTENSION_NAME,
    VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME,
    VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME,
};

template <class T>
T structure(VkStructureType type) {
    T s{};
    s.sType = type;
    return s;
}

template <class T>
void chain(void**& tail, T& next) {
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

}  // namespace

Expected<std::unique_ptr<Device>> Device::create(const Instance& instance, const DeviceInfo& info, Use use) {
    if (info.api_version < VK_API_VERSION_1_2)
        return fail(Failure::Missing, fmt::format("{} does not support Vulkan 1.2", info.name));
    std::unique_ptr<Device> self(new Device);
    self->use_ = use;
    self->instance_ = &instance;
    auto& report = self->report_;
    report.info = info;
    const auto physical = info.handle;
    vkGetPhysicalDeviceMemoryProperties(physical, &self->memory_);

    uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> offered(count);
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, offered.data());
    std::vector<const char*> names;
    for (const char* wanted : kWanted)
        if (std::any_of(offered.begin(), offered.end(),
                        [&](const auto& e) { return std::string_view(e.extensionName) == wanted; })) {
            names.push_back(wanted);
            report.extensions.emplace_back(wanted);
        }

    report.features11 =
        structure<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    report.features12 =
        structure<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    report.features13 =
        structure<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    auto robustness =
        structure<VkPhysicalDeviceRobustness2FeaturesEXT>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);
    auto border = structure<VkPhysicalDeviceCustomBorderColorFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT);
    auto border_swizzle = structure<VkPhysicalDeviceBorderColorSwizzleFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT);
    auto demote = structure<VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES);
    auto image_robustness =
        structure<VkPhysicalDeviceImageRobustnessFeatures>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES);
    auto shading_rate = structure<VkPhysicalDeviceFragmentShadingRateFeaturesKHR>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR);
    auto atomics = structure<VkPhysicalDeviceShaderAtomicFloatFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT);
    auto clock =
        structure<VkPhysicalDeviceShaderClockFeaturesKHR>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR);
    auto feedback = structure<VkPhysicalDeviceTransformFeedbackFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT);
    auto features = structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    const bool is13 = info.api_version >= VK_API_VERSION_1_3;
    void** tail = &features.pNext;
    chain(tail, report.features11);
    chain(tail, report.features12);
    if (is13) chain(tail, report.features13);
    if (report.has(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME)) chain(tail, robustness);
    if (report.has(VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME)) chain(tail, border);
    if (report.has(VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME)) chain(tail, border_swizzle);
    // VkPhysicalDeviceVulkan13Features has the same members, and these structures must not be in one chain with it.
    if (!is13 && report.has(VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME)) chain(tail, demote);
    if (!is13 && report.has(VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME)) chain(tail, image_robustness);
    if (report.has(VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME)) chain(tail, shading_rate);
    if (report.has(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME)) chain(tail, atomics);
    if (report.has(VK_KHR_SHADER_CLOCK_EXTENSION_NAME)) chain(tail, clock);
    if (report.has(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME)) chain(tail, feedback);
    vkGetPhysicalDeviceFeatures2(physical, &features);
    // Never needed here, and some drivers take other paths if these are enabled.
    report.features11.protectedMemory = VK_FALSE;
    report.features12.bufferDeviceAddressCaptureReplay = VK_FALSE;
    report.features12.bufferDeviceAddressMultiDevice = VK_FALSE;
    leave_out_update_after_bind(report.features12);

    report.features = features.features;
    report.demote = (is13 ? report.features13.shaderDemoteToHelperInvocation : demote.shaderDemoteToHelperInvocation);
    report.custom_border_color = border.customBorderColors;
    report.border_color_without_format = border.customBorderColors && border.customBorderColorWithoutFormat;
    report.border_swizzle_from_image = border_swizzle.borderColorSwizzle && border_swizzle.borderColorSwizzleFromImage;
    report.robust_buffer_access2 = robustness.robustBufferAccess2;
    report.robust_image_access2 = robustness.robustImageAccess2;
    report.null_descriptor = robustness.nullDescriptor;
    report.stencil_export = report.has(VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME);
    report.buffer_float32_atomic_add = atomics.shaderBufferFloat32AtomicAdd;
    report.image_float32_atomic_add = atomics.shaderImageFloat32AtomicAdd;
    report.shader_clock = clock.shaderSubgroupClock;
    report.transform_feedback = feedback.transformFeedback;
    report.geometry_streams = feedback.geometryStreams;

    auto properties = structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
    report.float_controls =
        structure<VkPhysicalDeviceFloatControlsProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
    report.subgroup =
        structure<VkPhysicalDeviceSubgroupProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
    auto indexing = structure<VkPhysicalDeviceDescriptorIndexingProperties>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES);
    auto feedback_limits = structure<VkPhysicalDeviceTransformFeedbackPropertiesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT);
    tail = &properties.pNext;
    chain(tail, report.float_controls);
    chain(tail, report.subgroup);
    chain(tail, indexing);
    if (report.has(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME)) chain(tail, feedback_limits);
    vkGetPhysicalDeviceProperties2(physical, &properties);
    report.limits = properties.properties.limits;
    report.max_transform_feedback_buffers = feedback_limits.maxTransformFeedbackBuffers;
    report.quad_divergent_implicit_lod = indexing.quadDivergentImplicitLod;

    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    uint32_t family = count;
    constexpr VkQueueFlags kNeeded = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    for (uint32_t i = 0; i < count && family == count; i++)
        if ((families[i].queueFlags & kNeeded) == kNeeded) family = i;
    if (family == count)
        return fail(Failure::Missing, fmt::format("{} has no queue family for graphics and compute", info.name));

    const float priority = 1;
    auto queue = structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue.queueFamilyIndex = family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    auto create = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    create.pNext = &features;
    create.queueCreateInfoCount = 1;
    create.pQueueCreateInfos = &queue;
    create.enabledExtensionCount = static_cast<uint32_t>(names.size());
    create.ppEnabledExtensionNames = names.data();
    if (const auto r = vkCreateDevice(physical, &create, nullptr, &self->device_); r != VK_SUCCESS)
        return fail(Failure::Device, fmt::format("vkCreateDevice failed on {}: {}", info.name, result_name(r)));
    // The report outlives the structures in the chain.
    report.features11.pNext = report.features12.pNext = report.features13.pNext = nullptr;
    report.float_controls.pNext = report.subgroup.pNext = nullptr;

    vkGetDeviceQueue(self->device_, family, 0, &self->queue_);
    auto pool = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = family;
    auto commands = structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    commands.commandBufferCount = 1;
    auto fence = structure<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
    auto r = vkCreateCommandPool(self->device_, &pool, nullptr, &self->pool_);
    commands.commandPool = self->pool_;
    if (r == VK_SUCCESS) r = vkAllocateCommandBuffers(self->device_, &commands, &self->commands_);
    if (r == VK_SUCCESS && use == Use::Run) r = vkCreateFence(self->device_, &fence, nullptr, &self->fence_);
    if (r != VK_SUCCESS) return fail(Failure::Device, "cannot create the command pool: " + result_name(r));
    return self;
}

Device::~Device() {
    if (device_ == VK_NULL_HANDLE) return;
    if (hung) {
        instance_->leave();
        return;
    }
    // Objects of a lost device may be destroyed as usual (Vulkan, "Lost Device"); only waiting for it is useless.
    if (!compiles_only() && !lost) vkDeviceWaitIdle(device_);
    forget();
    vkDestroyFence(device_, fence_, nullptr);
    vkDestroyCommandPool(device_, pool_, nullptr);
    vkDestroyDevice(device_, nullptr);
}

void Device::forget() {
    free_arena();
    for (const auto& kept : pipelines_) vkDestroyPipeline(device_, kept.pipeline, nullptr);
    pipelines_.clear();
}

void Device::free_arena() {
    vkDestroyBuffer(device_, arena_.buffer, nullptr);
    vkFreeMemory(device_, arena_.memory, nullptr);
    arena_ = {};
}

VkPipeline Device::kept_pipeline(std::span<const uint32_t> key) const {
    for (const auto& kept : pipelines_)
        if (std::equal(kept.key.begin(), kept.key.end(), key.begin(), key.end())) return kept.pipeline;
    return VK_NULL_HANDLE;
}

void Device::keep_pipeline(std::vector<uint32_t> key, VkPipeline pipeline) {
    constexpr size_t kMost = 4;
    if (pipelines_.size() == kMost) {
        vkDestroyPipeline(device_, pipelines_.front().pipeline, nullptr);
        pipelines_.erase(pipelines_.begin());
    }
    pipelines_.push_back({std::move(key), pipeline});
}

int Device::memory_type(uint32_t bits, VkMemoryPropertyFlags wanted) const {
    for (uint32_t i = 0; i < memory_.memoryTypeCount; i++)
        if ((bits >> i & 1) != 0 && (memory_.memoryTypes[i].propertyFlags & wanted) == wanted)
            return static_cast<int>(i);
    return -1;
}

Expected<Arena*> Device::arena(VkDeviceSize size) {
    if (size <= arena_.size) return &arena_;
    free_arena();
    auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = std::max(kFirstArena, size + size / 2);
    info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                 VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
    if (report_.transform_feedback) info.usage |= VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT;
    VkMemoryRequirements needs{};
    auto r = vkCreateBuffer(device_, &info, nullptr, &arena_.buffer);
    if (r == VK_SUCCESS) {
        vkGetBufferMemoryRequirements(device_, arena_.buffer, &needs);
        constexpr VkMemoryPropertyFlags kHost =
            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        int type = memory_type(needs.memoryTypeBits, kHost | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
        if (type < 0) type = memory_type(needs.memoryTypeBits, kHost);
        auto allocate = structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
        allocate.allocationSize = needs.size;
        allocate.memoryTypeIndex = static_cast<uint32_t>(std::max(type, 0));
        r = vkAllocateMemory(device_, &allocate, nullptr, &arena_.memory);
    }
    void* data = nullptr;
    if (r == VK_SUCCESS) r = vkBindBufferMemory(device_, arena_.buffer, arena_.memory, 0);
    if (r == VK_SUCCESS) r = vkMapMemory(device_, arena_.memory, 0, VK_WHOLE_SIZE, 0, &data);
    if (r != VK_SUCCESS) {
        free_arena();
        return fail(failure_of(r), fmt::format("cannot allocate {} bytes for buffers: {}", size, result_name(r)));
    }
    arena_.data = static_cast<uint8_t*>(data);
    arena_.size = info.size;
    return &arena_;
}

}  // namespace tgsi2spv::vulkan
