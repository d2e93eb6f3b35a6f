#include "vk/memory.h"

#include <algorithm>
#include <array>

#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 1
#define VMA_IMPLEMENTATION
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#endif
#include <vk_mem_alloc.h>
#ifdef __clang__
#pragma clang diagnostic pop
#endif

namespace tgsi2spv::vk {
namespace {

/// The size of blocks in heaps beyond 1 GiB; smaller ones, and those that a budget makes small, have blocks of an
/// eighth.
constexpr VkDeviceSize kBlockBytes = 64U << 20;

void VKAPI_PTR count_block(VmaAllocator, uint32_t, VkDeviceMemory, VkDeviceSize size, void* budget) {
    static_cast<Budget*>(budget)->add(size);
}
void VKAPI_PTR discount_block(VmaAllocator, uint32_t, VkDeviceMemory, VkDeviceSize size, void* budget) {
    static_cast<Budget*>(budget)->remove(size);
}

// Through volk's pointers at the time of the call, as all other calls: tests make them fail.
VkResult VKAPI_PTR allocate(VkDevice device, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* callbacks,
                            VkDeviceMemory* memory) {
    return vkAllocateMemory(device, info, callbacks, memory);
}
VkResult VKAPI_PTR map(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                       VkMemoryMapFlags flags, void** data) {
    return vkMapMemory(device, memory, offset, size, flags, data);
}

VmaAllocationCreateInfo create_info(MemoryUse use) {
    VmaAllocationCreateInfo info{};
    info.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
    info.requiredFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    if (use == MemoryUse::Device) info.preferredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    if (use == MemoryUse::ReadBack) info.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    return info;
}

uint64_t Allocated::*kind_of(MemoryUse use) {
    switch (use) {
        case MemoryUse::Upload:
            return &Allocated::uploads;
        case MemoryUse::ReadBack:
            return &Allocated::read_backs;
        case MemoryUse::Device:
            break;
    }
    return &Allocated::buffers;
}

constexpr std::array<VkBufferUsageFlags, 2> kTexelUsages{VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
                                                         VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT};

/// The requirements of texel buffers, which share the memory of other buffers (Buffer::texels). Alignment and types of
/// memory follow from the usage alone (Vulkan, VkMemoryRequirements).
VkMemoryRequirements needs_of_texels(VkDevice device, const void* extensions) {
    VkMemoryRequirements all{.alignment = 1, .memoryTypeBits = ~0U};
    for (const VkBufferUsageFlags usage : kTexelUsages) {
        const VkBufferCreateInfo info{
            .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = extensions, .size = 4, .usage = usage};
        VkBuffer buffer = VK_NULL_HANDLE;
        if (vkCreateBuffer(device, &info, nullptr, &buffer) != VK_SUCCESS) continue;
        VkMemoryRequirements needs{};
        vkGetBufferMemoryRequirements(device, buffer, &needs);
        vkDestroyBuffer(device, buffer, nullptr);
        all.alignment = std::max(all.alignment, needs.alignment);
        all.memoryTypeBits &= needs.memoryTypeBits;
    }
    return all;
}

/// Those over imported memory. No types: the device imports none for them.
VkMemoryRequirements needs_of_imported_texels(const Device& device) {
    const auto importable = [&](VkBufferUsageFlags usage) { return can_import(device, usage); };
    if (!std::ranges::all_of(kTexelUsages, importable)) return {.alignment = 1};
    return needs_of_texels(device.handle(), &kImportedMemory);
}

}  // namespace

bool can_import(const Device& device, VkBufferUsageFlags usage) {
    const VkPhysicalDeviceExternalBufferInfo info{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                                  .usage = usage,
                                                  .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
    VkExternalBufferProperties answer{.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    vkGetPhysicalDeviceExternalBufferProperties(device.physical(), &info, &answer);
    const VkExternalMemoryFeatureFlags features = answer.externalMemoryProperties.externalMemoryFeatures;
    return (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) != 0 &&
           (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) == 0;
}

Memory::Memory(Device& device, Budget& budget)
    : device_(device), budget_(budget), texels_(needs_of_texels(device.handle(), nullptr)) {
    std::array<VkDeviceSize, VK_MAX_MEMORY_HEAPS> limits{};
    limits.fill(budget.limit());
    VmaVulkanFunctions functions{};
    functions.vkGetInstanceProcAddr = vkGetInstanceProcAddr;
    functions.vkGetDeviceProcAddr = vkGetDeviceProcAddr;
    functions.vkAllocateMemory = allocate;
    functions.vkMapMemory = map;
    VmaDeviceMemoryCallbacks callbacks{};
    callbacks.pfnAllocate = count_block;
    callbacks.pfnFree = discount_block;
    callbacks.pUserData = &budget_;
    VmaAllocatorCreateInfo info{};
    info.flags = VMA_ALLOCATOR_CREATE_EXTERNALLY_SYNCHRONIZED_BIT;
    info.physicalDevice = device.physical();
    info.device = device.handle();
    info.instance = volkGetLoadedInstance();
    info.preferredLargeHeapBlockSize = kBlockBytes;
    info.pDeviceMemoryCallbacks = &callbacks;
    info.pHeapSizeLimit = limits.data();
    info.pVulkanFunctions = &functions;
    info.vulkanApiVersion = std::min<uint32_t>(device.report().info.api_version, VK_API_VERSION_1_3);
    if (!device.check(vmaCreateAllocator(&info, &allocator_), "vmaCreateAllocator")) allocator_ = nullptr;
}

Memory::~Memory() {
    if (allocator_ != nullptr) vmaDestroyAllocator(allocator_);
}

Allocation Memory::bind(VkBuffer buffer, MemoryUse use) {
    if (allocator_ == nullptr) return {};
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device_.handle(), buffer, &needs);
    VmaAllocationCreateInfo create = create_info(use);
    if (!budget_.has_room(needs.size)) create.flags |= VMA_ALLOCATION_CREATE_NEVER_ALLOCATE_BIT;  // holes of blocks
    VmaAllocation made = nullptr;
    VmaAllocationInfo info{};
    const uint32_t types = needs.memoryTypeBits & texels_.memoryTypeBits;
    const bool fits_texels = types == needs.memoryTypeBits && needs.alignment % texels_.alignment == 0;
    needs.memoryTypeBits = types != 0 ? types : needs.memoryTypeBits;
    needs.alignment = std::max(needs.alignment, texels_.alignment);
    const VkResult result = fits_texels ? vmaAllocateMemoryForBuffer(allocator_, buffer, &create, &made, &info)
                                        : vmaAllocateMemory(allocator_, &needs, &create, &made, &info);
    if (result != VK_SUCCESS) return {};
    VkMemoryPropertyFlags flags = 0;
    vmaGetAllocationMemoryProperties(allocator_, made, &flags);
    if (vmaBindBufferMemory(allocator_, made, buffer) == VK_SUCCESS) {
        allocated_.*kind_of(use) += info.size;
        return {.handle = made,
                .mapped = static_cast<std::byte*>(info.pMappedData),
                .cached = (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0,
                .kind = kind_of(use),
                .bytes = info.size,
                .offset = info.offset,
                .type = info.memoryType};
    }
    vmaFreeMemory(allocator_, made);
    return {};
}

Allocation Memory::bind(VkImage image) {
    if (allocator_ == nullptr) return {};
    VkMemoryRequirements needs{};
    vkGetImageMemoryRequirements(device_.handle(), image, &needs);
    VmaAllocationCreateInfo create{};
    create.preferredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    if (!budget_.has_room(needs.size)) create.flags |= VMA_ALLOCATION_CREATE_NEVER_ALLOCATE_BIT;
    VmaAllocation made = nullptr;
    VmaAllocationInfo info{};
    if (vmaAllocateMemoryForImage(allocator_, image, &create, &made, &info) != VK_SUCCESS) return {};
    if (vmaBindImageMemory(allocator_, made, image) == VK_SUCCESS) {
        allocated_.images += info.size;
        return {.handle = made, .kind = &Allocated::images, .bytes = info.size};
    }
    vmaFreeMemory(allocator_, made);
    return {};
}

Allocation Memory::import(VkBuffer buffer, std::span<std::byte> bytes) {
    constexpr auto kKind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    const VkDeviceSize unit = device_.extras().import_alignment;
    constexpr VkDeviceSize kPage = 4096;
    // Drivers count allocations; half of them are for blocks.
    if (allocator_ == nullptr || unit == 0 || unit > kPage || reinterpret_cast<uintptr_t>(bytes.data()) % unit != 0 ||
        imports_ >= device_.report().limits.maxMemoryAllocationCount / 2)
        return {};
    const VkDeviceSize size = (bytes.size() + unit - 1) / unit * unit;
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device_.handle(), buffer, &needs);
    if (!imported_texels_) imported_texels_ = needs_of_imported_texels(device_);
    VkMemoryHostPointerPropertiesEXT there{.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    if (needs.size > size ||
        vkGetMemoryHostPointerPropertiesEXT(device_.handle(), kKind, bytes.data(), &there) != VK_SUCCESS)
        return {};
    const VmaAllocationCreateInfo wanted = create_info(MemoryUse::Device);
    uint32_t type = 0;
    const uint32_t types = needs.memoryTypeBits & there.memoryTypeBits & imported_texels_->memoryTypeBits;
    if (vmaFindMemoryTypeIndex(allocator_, types, &wanted, &type) != VK_SUCCESS) return {};
    const VkImportMemoryHostPointerInfoEXT from{.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
                                                .handleType = kKind,
                                                .pHostPointer = bytes.data()};
    const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                    .pNext = &from,
                                    .allocationSize = size,
                                    .memoryTypeIndex = type};
    Allocation made{.mapped = bytes.data(), .cached = true, .kind = &Allocated::buffers, .bytes = size, .type = type};
    if (vkAllocateMemory(device_.handle(), &info, nullptr, &made.imported) != VK_SUCCESS) return {};
    imports_++;
    allocated_.buffers += made.bytes;
    if (vkBindBufferMemory(device_.handle(), buffer, made.imported, 0) == VK_SUCCESS) return made;
    release(made);
    return {};
}

bool Memory::alias(VkBuffer buffer, const Allocation& allocation) {
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device_.handle(), buffer, &needs);
    // Another usage may have other requirements (Vulkan, VkMemoryRequirements).
    if ((needs.memoryTypeBits >> allocation.type & 1) == 0 || allocation.offset % needs.alignment != 0 ||
        needs.size > allocation.bytes)
        return false;
    if (allocation.imported != VK_NULL_HANDLE)
        return vkBindBufferMemory(device_.handle(), buffer, allocation.imported, 0) == VK_SUCCESS;
    return vmaBindBufferMemory(allocator_, allocation.handle, buffer) == VK_SUCCESS;
}

void Memory::release(const Allocation& allocation) {
    if (allocation.kind != nullptr) allocated_.*allocation.kind -= allocation.bytes;
    if (allocation.imported != VK_NULL_HANDLE) {
        vkFreeMemory(device_.handle(), allocation.imported, nullptr);
        imports_--;
    }
    if (allocation.handle != nullptr) vmaFreeMemory(allocator_, allocation.handle);
}

}  // namespace tgsi2spv::vk
