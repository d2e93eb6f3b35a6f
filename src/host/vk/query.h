// Results that the device counts: a slot for each stretch of work.
#pragma once

#include <volk.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "vk/stream.h"

namespace tgsi2spv::vk {

/// All statistics of a slot of VK_QUERY_TYPE_PIPELINE_STATISTICS, in the order of their bits.
inline constexpr uint32_t kStatistics = 11;
/// The most words that a slot's result has.
inline constexpr uint32_t kMaxResults = kStatistics;

struct QueryPool;

/// A slot is written once; keep it until the batch that uses it is done.
struct QuerySlot {
    std::shared_ptr<const QueryPool> pool;
    uint32_t index = 0;
};

VkQueryPool handle_of(const QuerySlot& slot);
/// Reads the device's results, one word of 64 bits for each number. False: they are not available.
bool read_slot(const Device& device, const QuerySlot& slot, std::span<uint64_t, kMaxResults> results);

class QuerySlots {
  public:
    explicit QuerySlots(Stream& stream) : stream_(stream) {}
    /// Empty: no memory.
    std::optional<QuerySlot> take(VkQueryType type);

  private:
    Stream& stream_;
    std::map<VkQueryType, QuerySlot> next_;
};

}  // namespace tgsi2spv::vk
