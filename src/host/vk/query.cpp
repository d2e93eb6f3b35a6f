#include "vk/query.h"

namespace tgsi2spv::vk {
namespace {

constexpr uint32_t kSlotsOfPool = 64;

uint32_t words_of(VkQueryType type) {
    if (type == VK_QUERY_TYPE_PIPELINE_STATISTICS) return kStatistics;
    return type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT ? 2 : 1;
}

}  // namespace

struct QueryPool {
    QueryPool(VkDevice the_device, VkQueryType the_type, VkCommandBuffer reset) : device(the_device), type(the_type) {
        VkQueryPoolCreateInfo info{
            .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
            .queryType = type,
            .queryCount = kSlotsOfPool,
            .pipelineStatistics = type == VK_QUERY_TYPE_PIPELINE_STATISTICS ? (1u << kStatistics) - 1 : 0};
        if (vkCreateQueryPool(device, &info, nullptr, &pool) != VK_SUCCESS) return;
        if (reset != VK_NULL_HANDLE)
            vkCmdResetQueryPool(reset, pool, 0, kSlotsOfPool);
        else
            vkResetQueryPool(device, pool, 0, kSlotsOfPool);
    }
    ~QueryPool() { vkDestroyQueryPool(device, pool, nullptr); }
    QueryPool(const QueryPool&) = delete;
    QueryPool& operator=(const QueryPool&) = delete;

    VkDevice device;
    VkQueryType type;
    VkQueryPool pool = VK_NULL_HANDLE;
};

VkQueryPool handle_of(const QuerySlot& slot) {
    return slot.pool->pool;
}

bool read_slot(const Device& device, const QuerySlot& slot, std::span<uint64_t, kMaxResults> results) {
    const size_t bytes = words_of(slot.pool->type) * sizeof(uint64_t);
    return vkGetQueryPoolResults(device.handle(), slot.pool->pool, slot.index, 1, bytes, results.data(), bytes,
                                 VK_QUERY_RESULT_64_BIT) == VK_SUCCESS;
}

std::optional<QuerySlot> QuerySlots::take(VkQueryType type) {
    QuerySlot& next = next_[type];
    if (next.pool == nullptr || next.index == kSlotsOfPool) {
        const Device& device = stream_.device();
        const bool by_command = device.report().features12.hostQueryReset == 0;
        const VkCommandBuffer reset = by_command ? stream_.commands_before() : VK_NULL_HANDLE;
        if (by_command && reset == VK_NULL_HANDLE) return std::nullopt;
        next = {std::make_shared<const QueryPool>(device.handle(), type, reset), 0};
        if (by_command) stream_.keep(next.pool);
    }
    if (next.pool->pool == VK_NULL_HANDLE) {
        next = {};
        return std::nullopt;
    }
    const QuerySlot taken = next;
    next.index++;
    return taken;
}

}  // namespace tgsi2spv::vk
