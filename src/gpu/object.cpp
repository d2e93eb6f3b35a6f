#include "gpu/object.h"

namespace tgsi2spv::gpu {

VkImageAspectFlags aspects_of(VkFormat format) {
    switch (format) {
        case VK_FORMAT_D16_UNORM:
        case VK_FORMAT_X8_D24_UNORM_PACK32:
        case VK_FORMAT_D32_SFLOAT:
            return VK_IMAGE_ASPECT_DEPTH_BIT;
        case VK_FORMAT_S8_UINT:
            return VK_IMAGE_ASPECT_STENCIL_BIT;
        case VK_FORMAT_D16_UNORM_S8_UINT:
        case VK_FORMAT_D24_UNORM_S8_UINT:
        case VK_FORMAT_D32_SFLOAT_S8_UINT:
            return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
        default:
            return VK_IMAGE_ASPECT_COLOR_BIT;
    }
}

std::shared_ptr<Buffer> Buffer::create(Device& device, Memory& memory, VkDeviceSize size, MemoryUse use) {
    std::shared_ptr<Buffer> self(new Buffer(device, memory));
    VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                            .size = size,
                            .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                     VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                     VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                                     VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                     VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT};
    if (device.report().transform_feedback)
        info.usage |= VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
                      VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT;
    if (device.extras().conditional.conditionalRendering != 0)
        info.usage |= VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT;
    if (vkCreateBuffer(device.handle(), &info, nullptr, &self->buffer_) != VK_SUCCESS) return nullptr;
    self->size_ = size;
    self->allocation_ = memory.bind(self->buffer_, use);
    if (self->allocation_.mapped == nullptr) return nullptr;
    return self;
}

Buffer::~Buffer() {
    for (const auto& [key, view] : views_) vkDestroyBufferView(device_.handle(), view, nullptr);
    vkDestroyBuffer(device_.handle(), buffer_, nullptr);
    memory_.release(allocation_);
}

VkBufferView Buffer::view(VkFormat format, VkDeviceSize offset, VkDeviceSize bytes) {
    const auto [at, created] = views_.try_emplace({static_cast<uint64_t>(format), offset, bytes});
    if (!created) return at->second;
    VkBufferViewCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                .buffer = buffer_,
                                .format = format,
                                .offset = offset,
                                .range = bytes};
    if (vkCreateBufferView(device_.handle(), &info, nullptr, &at->second) != VK_SUCCESS) at->second = VK_NULL_HANDLE;
    return at->second;
}

std::shared_ptr<Image> Image::create(Device& device, Memory& memory, const ImageInfo& info) {
    std::shared_ptr<Image> self(new Image(device, memory, info));
    VkImageCreateInfo create{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                             .flags = info.flags,
                             .imageType = info.type,
                             .format = info.format,
                             .extent = info.extent,
                             .mipLevels = info.levels,
                             .arrayLayers = info.layers,
                             .samples = info.samples,
                             .tiling = VK_IMAGE_TILING_OPTIMAL,
                             .usage = info.usage};
    if (vkCreateImage(device.handle(), &create, nullptr, &self->image_) != VK_SUCCESS) return nullptr;
    self->aspects_ = aspects_of(info.format);
    self->allocation_ = memory.bind(self->image_);
    if (self->allocation_.handle == nullptr) return nullptr;
    return self;
}

Image::~Image() {
    for (const auto& [key, view] : views_) vkDestroyImageView(device_.handle(), view, nullptr);
    vkDestroyImage(device_.handle(), image_, nullptr);
    memory_.release(allocation_);
}

VkImageView Image::view(const ViewInfo& info) {
    const auto [at, created] = views_.try_emplace(info.key());
    if (!created) return at->second;
    VkImageViewUsageCreateInfo usage{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
                                     .usage = info.usage & info_.usage};
    VkImageViewCreateInfo create{
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .pNext = &usage,
        .image = image_,
        .viewType = info.type,
        .format = info.format,
        .components = info.swizzle,
        .subresourceRange = {info.aspects, info.first_level, info.levels, info.first_layer, info.layers}};
    if (vkCreateImageView(device_.handle(), &create, nullptr, &at->second) != VK_SUCCESS) at->second = VK_NULL_HANDLE;
    return at->second;
}

}  // namespace tgsi2spv::gpu
