// Buffers and images: memory, and their last uses by the device.
#pragma once

#include <volk.h>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "vk/cache.h"
#include "vk/memory.h"

namespace tgsi2spv::vk {

/// The stream's record of an object's uses, for the next one. Epochs are numbered by memory barriers (Stream).
struct Uses {
    uint64_t last_batch = 0;     ///< the batch that used it last
    uint64_t written_batch = 0;  ///< the batch that wrote it last
    uint64_t read_epoch = 0, write_epoch = 0;
};

/// Views of an image or of texels, keyed by format, range and swizzle.
using ImageViews = Cache<VkImageView, std::array<uint32_t, 12>>;
using TexelViews = Cache<VkBufferView, std::array<uint64_t, 4>>;

/// Buffers have their last word as a whole, since shaders read words: it is the guest's, or zeros.
constexpr VkDeviceSize whole_words(VkDeviceSize bytes) {
    return (bytes + 3) / 4 * 4;
}

/// The VkBuffer is larger than the guest's: devices that fetch three components as four read past the last vertex.
constexpr VkDeviceSize padded(VkDeviceSize bytes) {
    return whole_words(bytes) + 4;
}

class Buffer {
  public:
    /// Null if memory is short. All buffers may be used for everything, and the host sees them.
    static std::shared_ptr<Buffer> create(Device& device, Memory& memory, VkDeviceSize size,
                                          MemoryUse use = MemoryUse::Device);
    /// A buffer in memory of this process, of whole pages, that `owner` keeps. Null: the device cannot share it.
    static std::shared_ptr<Buffer> import(Device& device, Memory& memory, VkDeviceSize size, std::span<std::byte> bytes,
                                          std::shared_ptr<const void> owner);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    VkBuffer handle() const { return buffer_; }
    VkDeviceSize size() const { return size_; }
    /// The size of the VkBuffer; memory of others may end before that of padded().
    VkDeviceSize padded_size() const { return padded_size_; }
    std::byte* mapped() const { return allocation_.mapped; }
    /// Whether it is in memory that others write at any time: copy first, then check.
    bool is_imported() const { return allocation_.imported != VK_NULL_HANDLE; }
    bool is_cached() const { return allocation_.cached; }
    void set_name(const std::string& name);
    Uses uses;

  private:
    friend class Stream;
    Buffer(Device& device, Memory& memory) : device_(device), memory_(memory) {}
    std::optional<VkBufferView> view(VkBufferUsageFlagBits usage, VkFormat format, VkDeviceSize offset,
                                     VkDeviceSize bytes);
    VkBuffer texels(VkBufferUsageFlagBits usage);
    static std::shared_ptr<Buffer> unbound(Device& device, Memory& memory, VkDeviceSize size, VkDeviceSize padded_size,
                                           bool imported);
    Device& device_;
    Memory& memory_;
    std::shared_ptr<const void> owner_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceSize size_ = 0, padded_size_ = 0;
    Allocation allocation_;
    // A view's format must do all that its buffer is for: so there is one for uniform and one for storage texels, over
    // the same memory, when asked for.
    VkBuffer uniform_texels_ = VK_NULL_HANDLE, storage_texels_ = VK_NULL_HANDLE;
    std::shared_ptr<TexelViews> views_;
};

/// A format's smallest unit: one texel, or several if it is compressed.
struct Block {
    uint8_t width = 1, height = 1, bytes = 4;
};

struct ImageInfo {
    VkImageType type = VK_IMAGE_TYPE_2D;
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkExtent3D extent{1, 1, 1};
    uint32_t levels = 1, layers = 1;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
    VkImageUsageFlags usage = 0;
    VkImageCreateFlags flags = 0;
    Block block{};
};

struct ViewInfo {
    VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D;
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT;
    uint32_t first_level = 0, levels = 1, first_layer = 0, layers = 1;
    VkComponentMapping swizzle{};
    VkImageUsageFlags usage = 0;  ///< the view's usages; its format may not permit all of the image's
    auto key() const { return std::bit_cast<std::array<uint32_t, 12>>(*this); }
};

/// An image is in the layout GENERAL from its first use on: no transitions.
/// Devices with VK_KHR_unified_image_layouts lose nothing by it.
class Image {
  public:
    static std::shared_ptr<Image> create(Device& device, Memory& memory, const ImageInfo& info);
    ~Image();
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;

    VkImage handle() const { return image_; }
    const ImageInfo& info() const { return info_; }
    VkImageAspectFlags aspects() const { return aspects_; }
    void set_name(const std::string& name);
    /// Keeps the views that were made so far alive.
    std::shared_ptr<const void> views() const { return views_; }
    Uses uses;

  private:
    friend class Stream;
    std::optional<VkImageView> view(const ViewInfo& info);
    Image(Device& device, Memory& memory, const ImageInfo& info) : device_(device), memory_(memory), info_(info) {}
    Device& device_;
    Memory& memory_;
    ImageInfo info_;
    VkImage image_ = VK_NULL_HANDLE;
    VkImageAspectFlags aspects_ = 0;
    Allocation allocation_;
    std::shared_ptr<ImageViews> views_;
};

VkImageAspectFlags aspects_of(VkFormat format);

}  // namespace tgsi2spv::vk
