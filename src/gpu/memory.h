// Device memory, in blocks that many resources share. Freed ranges are joined with their neighbours.
#pragma once

#include <volk.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>

#include "gpu/device.h"

namespace tgsi2spv::gpu {

struct MemoryBlock {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize size = 0;
    std::byte* mapped = nullptr;
    uint32_t type = 0;
    bool images = false;                         ///< of optimal tiling: apart from buffers (bufferImageGranularity)
    std::map<VkDeviceSize, VkDeviceSize> holes;  ///< size by offset
};

/// A range of a block. `block` is null if there was no memory.
struct Allocation {
    MemoryBlock* block = nullptr;
    VkDeviceSize offset = 0, size = 0;

    VkDeviceMemory memory() const { return block->memory; }
    /// Null if the host cannot see it.
    std::byte* mapped() const { return block->mapped == nullptr ? nullptr : block->mapped + offset; }
};

class Memory {
  public:
    /// `budget`: bytes that one client may use.
    Memory(Device& device, uint64_t budget) : device_(device), budget_(budget) {}
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    /// Of the permitted types, the first with `needed` and most of `preferred`.
    Allocation allocate(const VkMemoryRequirements& requirements, VkMemoryPropertyFlags needed,
                        VkMemoryPropertyFlags preferred, bool image);
    void release(const Allocation& allocation);
    uint64_t used() const { return used_; }

  private:
    MemoryBlock* new_block(VkDeviceSize size, uint32_t type, bool images);
    Device& device_;
    uint64_t budget_, used_ = 0;
    std::list<MemoryBlock> blocks_;
};

}  // namespace tgsi2spv::gpu
