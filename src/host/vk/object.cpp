#include "vk/object.h"

#include <algorithm>
#include <utility>

#include "vk/names.h"

namespace tgsi2spv::vk {

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

namespace {

VkDeviceSize padded_for(const Device& device, VkDeviceSize size) {
    constexpr VkFormat kThrees[] = {VK_FORMAT_R8G8B8_UNORM,   VK_FORMAT_R8G8B8_SNORM,    VK_FORMAT_R8G8B8_UINT,
                                    VK_FORMAT_R8G8B8_SINT,    VK_FORMAT_R16G16B16_UNORM, VK_FORMAT_R16G16B16_SNORM,
                                    VK_FORMAT_R16G16B16_UINT, VK_FORMAT_R16G16B16_SINT,  VK_FORMAT_R16G16B16_SFLOAT};
    const auto fetches = [&](VkFormat format) {
        return (device.format(format).bufferFeatures & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT) != 0;
    };
    return std::ranges::all_of(kThrees, fetches) ? whole_words(size) : padded(size);
}

}  // namespace

std::shared_ptr<Buffer> Buffer::unbound(Device& device, Memory& memory, VkDeviceSize size, VkDeviceSize padded_size,
                                        bool imported) {
    std::shared_ptr<Buffer> self(new Buffer(device, memory));
    VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                            .size = padded_size,
                            .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                     VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                     VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                                     VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT};
    if (device.report().transform_feedback)
        info.usage |= VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
                      VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT;
    if (device.extras().conditional.conditionalRendering != 0)
        info.usage |= VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT;
    if (imported && !can_import(device, info.usage)) return nullptr;
    if (imported) info.pNext = &kImportedMemory;
    if (vkCreateBuffer(device.handle(), &info, nullptr, &self->buffer_) != VK_SUCCESS) return nullptr;
    self->size_ = size;
    self->padded_size_ = padded_size;
    self->views_ = std::make_shared<TexelViews>(device, memory.budget());
    return self;
}

std::shared_ptr<Buffer> Buffer::create(Device& device, Memory& memory, VkDeviceSize size, MemoryUse use) {
    auto self = unbound(device, memory, size, padded_for(device, size), false);
    if (self != nullptr) self->allocation_ = memory.bind(self->buffer_, use);
    return self == nullptr || self->mapped() == nullptr ? nullptr : self;
}

std::shared_ptr<Buffer> Buffer::import(Device& device, Memory& memory, VkDeviceSize size, std::span<std::byte> bytes,
                                       std::shared_ptr<const void> owner) {
    if (device.extras().import_alignment == 0 || size > bytes.size()) return nullptr;
    auto self = unbound(device, memory, size, std::min<VkDeviceSize>(padded_for(device, size), bytes.size()), true);
    if (self == nullptr) return nullptr;
    self->owner_ = std::move(owner);
    self->allocation_ = memory.import(self->buffer_, bytes);
    return self->mapped() == nullptr ? nullptr : self;
}

Buffer::~Buffer() {
    views_ = nullptr;
    for (const VkBuffer buffer : {uniform_texels_, storage_texels_, buffer_})
        vkDestroyBuffer(device_.handle(), buffer, nullptr);
    memory_.release(allocation_);
}

void Buffer::set_name(const std::string& name) {
    if (device_.has_names()) views_->name = name;
    vk::name(device_, VK_OBJECT_TYPE_BUFFER, buffer_, "{}", name);
}

namespace {

/// A view of a cache, which has none if memory is short.
template <class View>
std::optional<View> found(View view) {
    return view == VK_NULL_HANDLE ? std::nullopt : std::optional(view);
}

}  // namespace

VkBuffer Buffer::texels(VkBufferUsageFlagBits usage) {
    VkBuffer& texels = usage == VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT ? uniform_texels_ : storage_texels_;
    if (texels != VK_NULL_HANDLE) return texels;
    VkBufferCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size_, .usage = static_cast<VkBufferUsageFlags>(usage)};
    if (is_imported()) info.pNext = &kImportedMemory;
    if (!device_.check(vkCreateBuffer(device_.handle(), &info, nullptr, &texels), "vkCreateBuffer"))
        return texels = VK_NULL_HANDLE;
    name(device_, VK_OBJECT_TYPE_BUFFER, texels, "{}, texels", views_->name);
    if (memory_.alias(texels, allocation_)) return texels;
    vkDestroyBuffer(device_.handle(), std::exchange(texels, VK_NULL_HANDLE), nullptr);
    return VK_NULL_HANDLE;
}

std::optional<VkBufferView> Buffer::view(VkBufferUsageFlagBits usage, VkFormat format, VkDeviceSize offset,
                                         VkDeviceSize bytes) {
    const VkFormatFeatureFlags needed = usage == VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT
                                            ? VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT
                                            : VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
    const VkPhysicalDeviceLimits& limits = device_.report().limits;
    if ((device_.format(format).bufferFeatures & needed) == 0 || bytes == 0 || offset > size_ ||
        bytes > size_ - offset || offset % limits.minTexelBufferOffsetAlignment != 0)
        return VK_NULL_HANDLE;
    return found(views_->find({static_cast<uint64_t>(usage), static_cast<uint64_t>(format), offset, bytes}, [&] {
        VkBufferViewCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                    .buffer = texels(usage),
                                    .format = format,
                                    .offset = offset,
                                    .range = bytes};
        VkBufferView made = VK_NULL_HANDLE;
        if (info.buffer != VK_NULL_HANDLE &&
            !device_.check(vkCreateBufferView(device_.handle(), &info, nullptr, &made), "vkCreateBufferView"))
            made = VK_NULL_HANDLE;
        return made;
    }));
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
    self->views_ = std::make_shared<ImageViews>(device, memory.budget());
    self->allocation_ = memory.bind(self->image_);
    if (self->allocation_.handle == nullptr) return nullptr;
    return self;
}

Image::~Image() {
    views_ = nullptr;
    vkDestroyImage(device_.handle(), image_, nullptr);
    memory_.release(allocation_);
}

void Image::set_name(const std::string& name) {
    if (device_.has_names()) views_->name = name;
    vk::name(device_, VK_OBJECT_TYPE_IMAGE, image_, "{}", name);
}

std::optional<VkImageView> Image::view(const ViewInfo& info) {
    constexpr std::pair<VkImageUsageFlags, VkFormatFeatureFlags> kNeeds[] = {
        {VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT},
        {VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT},
        {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT},
        {VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT},
    };
    const VkFormatFeatureFlags features = device_.format(info.format).optimalTilingFeatures;
    for (const auto& [usage, needed] : kNeeds)
        if ((info.usage & usage) != 0 && ((info_.usage & usage) == 0 || (features & needed) == 0))
            return VK_NULL_HANDLE;
    const bool slices = info_.type == VK_IMAGE_TYPE_3D && info.type != VK_IMAGE_VIEW_TYPE_3D;
    constexpr VkImageCreateFlags kSlices =
        VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
    if (slices && (info_.flags & kSlices) == 0) return VK_NULL_HANDLE;
    const bool swizzles = device_.extras().portability.imageViewFormatSwizzle != 0;
    return found(views_->find(info.key(), [&] {
        VkImageViewUsageCreateInfo usage{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, .usage = info.usage};
        VkImageViewCreateInfo create{
            .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
            .pNext = &usage,
            .image = image_,
            .viewType = info.type,
            .format = info.format,
            .components = swizzles ? info.swizzle : VkComponentMapping{},
            .subresourceRange = {info.aspects, info.first_level, info.levels, info.first_layer, info.layers}};
        VkImageView made = VK_NULL_HANDLE;
        if (!device_.check(vkCreateImageView(device_.handle(), &create, nullptr, &made), "vkCreateImageView"))
            made = VK_NULL_HANDLE;
        return made;
    }));
}

}  // namespace tgsi2spv::vk
