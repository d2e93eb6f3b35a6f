// Device memory, by VulkanMemoryAllocator: blocks that resources share, types of memory with a second choice, empty
// blocks returned.
#pragma once

#include <volk.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vk/budget.h"
#include "vk/device.h"

struct VmaAllocator_T;
struct VmaAllocation_T;

namespace tgsi2spv::vk {

/// The purpose of a buffer's memory. All of it is visible to the host.
enum class MemoryUse : uint8_t {
    Device,    ///< the device reads and writes it, and the host now and then: the device's own, if there is such
    Upload,    ///< the host writes it once
    ReadBack,  ///< the host reads it: cached
};

/// Bytes that resources have. Blocks may have more.
struct Allocated {
    uint64_t buffers = 0, images = 0, uploads = 0, read_backs = 0;
};

/// Buffers over imported memory are created with this (Vulkan, VkExternalMemoryBufferCreateInfo).
inline constexpr VkExternalMemoryBufferCreateInfo kImportedMemory{
    .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
    .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};

/// Whether buffers of this usage may be over imported memory.
bool can_import(const Device& device, VkBufferUsageFlags usage);

/// Memory that is bound to a buffer or an image. Null: out of memory.
struct Allocation {
    VmaAllocation_T* handle = nullptr;
    VkDeviceMemory imported = VK_NULL_HANDLE;  ///< memory that is imported in place of an allocation
    std::byte* mapped = nullptr;               ///< null: the host does not see it
    bool cached = false;                       ///< the host reads it fast
    uint64_t Allocated::*kind = nullptr;
    uint64_t bytes = 0;
    VkDeviceSize offset = 0;  ///< the place in its block
    uint32_t type = 0;        ///< the number of the memory type
};

class Memory {
  public:
    /// Blocks of device memory count in the budget, whether resources fill them or not.
    Memory(Device& device, Budget& budget);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    Allocation bind(VkBuffer buffer, MemoryUse use);
    Allocation bind(VkImage image);
    /// Memory of this process, of whole pages, which the device then shares. Not of the budget: it is someone else's.
    Allocation import(VkBuffer buffer, std::span<std::byte> bytes);
    /// One more buffer over the same bytes. False: it needs other memory, or none is left.
    bool alias(VkBuffer buffer, const Allocation& allocation);
    void release(const Allocation& allocation);
    Budget& budget() { return budget_; }
    const Allocated& allocated() const { return allocated_; }

  private:
    Device& device_;
    Budget& budget_;
    Allocated allocated_;
    VkMemoryRequirements texels_;                          ///< the requirements of texel buffers, without the size
    std::optional<VkMemoryRequirements> imported_texels_;  ///< those of texel buffers over imported memory
    uint32_t imports_ = 0;
    VmaAllocator_T* allocator_ = nullptr;
};

}  // namespace tgsi2spv::vk
