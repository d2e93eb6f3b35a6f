#include "gpu/memory.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace tgsi2spv::gpu {
namespace {

constexpr VkDeviceSize kBlockBytes = 64u << 20;

VkDeviceSize align_up(VkDeviceSize value, VkDeviceSize alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}

/// Takes a range out of the first hole that is large enough.
std::optional<VkDeviceSize> take(MemoryBlock& block, VkDeviceSize size, VkDeviceSize alignment) {
    for (const auto& [offset, bytes] : block.holes) {
        const VkDeviceSize start = align_up(offset, alignment), end = offset + bytes;
        if (start > end || end - start < size) continue;
        const VkDeviceSize hole = offset;
        block.holes.erase(hole);
        if (start > hole) block.holes[hole] = start - hole;
        if (start + size < end) block.holes[start + size] = end - start - size;
        return start;
    }
    return std::nullopt;
}

void give(MemoryBlock& block, VkDeviceSize offset, VkDeviceSize size) {
    const auto next = block.holes.lower_bound(offset);
    if (next != block.holes.end() && next->first == offset + size) {
        size += next->second;
        block.holes.erase(next);
    }
    const auto after = block.holes.lower_bound(offset);
    if (after != block.holes.begin()) {
        const auto before = std::prev(after);
        if (before->first + before->second == offset) {
            before->second += size;
            return;
        }
    }
    block.holes[offset] = size;
}

}  // namespace

Memory::~Memory() {
    for (const MemoryBlock& block : blocks_) vkFreeMemory(device_.handle(), block.memory, nullptr);
}

MemoryBlock* Memory::new_block(VkDeviceSize size, uint32_t type, bool images) {
    VkMemoryAllocateInfo info{
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = size, .memoryTypeIndex = type};
    MemoryBlock block{.size = size, .type = type, .images = images};
    if (vkAllocateMemory(device_.handle(), &info, nullptr, &block.memory) != VK_SUCCESS) return nullptr;
    if ((device_.memory().memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
        void* mapped = nullptr;
        if (vkMapMemory(device_.handle(), block.memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS) {
            vkFreeMemory(device_.handle(), block.memory, nullptr);
            return nullptr;
        }
        block.mapped = static_cast<std::byte*>(mapped);
    }
    block.holes[0] = size;
    return &blocks_.emplace_back(std::move(block));
}

Allocation Memory::allocate(const VkMemoryRequirements& requirements, VkMemoryPropertyFlags needed,
                            VkMemoryPropertyFlags preferred, bool image) {
    const VkDeviceSize size = requirements.size;
    if (size > budget_ || used_ > budget_ - size) return {};
    const auto& types = device_.memory();
    int best = -1, best_score = -1;
    for (uint32_t i = 0; i < types.memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = types.memoryTypes[i].propertyFlags;
        if ((requirements.memoryTypeBits >> i & 1) == 0 || (flags & needed) != needed) continue;
        const int score = std::popcount(flags & preferred);
        if (score > best_score) best = static_cast<int>(i), best_score = score;
    }
    if (best < 0) return {};
    const auto type = static_cast<uint32_t>(best);
    const auto fits = [&](MemoryBlock& block) -> Allocation {
        const auto offset = take(block, size, requirements.alignment);
        if (!offset) return {};
        used_ += size;
        return {&block, *offset, size};
    };
    if (size <= kBlockBytes / 2)
        for (MemoryBlock& block : blocks_)
            if (block.type == type && block.images == image)
                if (const Allocation found = fits(block); found.block != nullptr) return found;
    MemoryBlock* const block = new_block(std::max(size, size <= kBlockBytes / 2 ? kBlockBytes : size), type, image);
    return block == nullptr ? Allocation{} : fits(*block);
}

void Memory::release(const Allocation& allocation) {
    if (allocation.block == nullptr) return;
    MemoryBlock& block = *allocation.block;
    give(block, allocation.offset, allocation.size);
    used_ -= allocation.size;
    if (block.holes.begin()->second != block.size || block.size == kBlockBytes) return;
    vkFreeMemory(device_.handle(), block.memory, nullptr);
    blocks_.remove_if([&](const MemoryBlock& b) { return &b == &block; });
}

}  // namespace tgsi2spv::gpu
