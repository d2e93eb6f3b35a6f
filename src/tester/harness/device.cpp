#include "harness/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/frame.h"
#include "vulkan/floats.h"

namespace tgsi2spv::harness {

namespace {

constexpr VkDeviceSize kFirstArena = 4u << 20;

}  // namespace

Expected<std::unique_ptr<Device>> Device::create(const vulkan::Instance& instance, const vulkan::DeviceInfo& info,
                                                 Use use) {
    if (info.api_version < VK_API_VERSION_1_2)
        return fail(Failure::Missing, fmt::format("{} does not support Vulkan 1.2", info.name));
    std::unique_ptr<Device> self(new Device);
    self->use_ = use;
    self->instance_ = &instance;
    auto& report = self->report_;
    report.info = info;
    const auto physical = info.handle;
    vkGetPhysicalDeviceMemoryProperties(physical, &self->memory_);

    vulkan::OfferedFeatures offered;
    if (auto read = vulkan::read_offers(report, offered); !read) return tl::unexpected(read.error());
    std::vector<const char*> names;
    for (const std::string& name : report.extensions) names.push_back(name.c_str());

    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    count = std::min(count, static_cast<uint32_t>(families.size()));
    uint32_t family = count;
    constexpr VkQueueFlags kNeeded = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    for (uint32_t i = 0; i < count && family == count; i++)
        if ((families[i].queueFlags & kNeeded) == kNeeded) family = i;
    if (family == count)
        return fail(Failure::Missing, fmt::format("{} has no queue family for graphics and compute", info.name));

    const float priority = 1;
    auto queue = make<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue.queueFamilyIndex = family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    auto create = make<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    create.pNext = &offered.first;
    create.queueCreateInfoCount = 1;
    create.pQueueCreateInfos = &queue;
    create.enabledExtensionCount = static_cast<uint32_t>(names.size());
    create.ppEnabledExtensionNames = names.data();
    const auto failed = [&](const char* call, VkResult r) {
        return fail(Failure::Device, fmt::format("{} failed on {}: {}", call, info.name, vulkan::result_name(r)));
    };
    if (const auto r = vkCreateDevice(physical, &create, nullptr, &self->device_); r != VK_SUCCESS)
        return failed("vkCreateDevice", r);
    vulkan::finish(report, create);

    vkGetDeviceQueue(self->device_, family, 0, &self->queue_);
    auto pool = make<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = family;
    auto commands = make<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    commands.commandBufferCount = 1;
    auto fence = make<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
    if (const auto r = vkCreateCommandPool(self->device_, &pool, nullptr, &self->pool_); r != VK_SUCCESS)
        return failed("vkCreateCommandPool", r);
    commands.commandPool = self->pool_;
    if (const auto r = vkAllocateCommandBuffers(self->device_, &commands, &self->commands_); r != VK_SUCCESS)
        return failed("vkAllocateCommandBuffers", r);
    if (use == Use::Run)
        if (const auto r = vkCreateFence(self->device_, &fence, nullptr, &self->fence_); r != VK_SUCCESS)
            return failed("vkCreateFence", r);
    self->changed_floats = vulkan::restore_floats() || instance.changed_floats();
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
    vulkan::restore_floats();
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
    constexpr size_t kMax = 4;
    if (pipelines_.size() == kMax) {
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

Expected<void> Device::make_arena(const VkBufferCreateInfo& info, void*& data) {
    if (auto s = checked(vkCreateBuffer(device_, &info, nullptr, &arena_.buffer), "vkCreateBuffer"); !s) return s;
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device_, arena_.buffer, &needs);
    constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    int type = memory_type(needs.memoryTypeBits, kHost | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    if (type < 0) type = memory_type(needs.memoryTypeBits, kHost);
    if (type < 0) return fail(Failure::Missing, "host-visible and coherent memory for buffers");
    auto allocate = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = static_cast<uint32_t>(type);
    if (auto s = checked(vkAllocateMemory(device_, &allocate, nullptr, &arena_.memory), "vkAllocateMemory"); !s)
        return s;
    if (auto s = checked(vkBindBufferMemory(device_, arena_.buffer, arena_.memory, 0), "vkBindBufferMemory"); !s)
        return s;
    return checked(vkMapMemory(device_, arena_.memory, 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
}

Expected<Arena*> Device::arena(VkDeviceSize size) {
    if (size <= arena_.size) return &arena_;
    free_arena();
    auto info = make<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = std::max(kFirstArena, size + size / 2);
    info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                 VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
    if (report_.transform_feedback) info.usage |= VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT;
    void* data = nullptr;
    if (auto made = make_arena(info, data); !made) {
        free_arena();
        return tl::unexpected(
            Error{made.error().failure, fmt::format("{} (for {} bytes)", made.error().message, info.size)});
    }
    arena_.data = static_cast<uint8_t*>(data);
    arena_.size = info.size;
    return &arena_;
}

}  // namespace tgsi2spv::harness
