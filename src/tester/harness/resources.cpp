// Buffers, images, views and attachments of a job, and the commands that copy texels.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "harness/frame.h"
#include "harness/multisample.h"
#include "vulkan/format_name.h"

namespace tgsi2spv::harness {

namespace {

constexpr size_t kSmallestBuffer = 16;  // bytes; a descriptor's range may not be empty

VkDeviceSize place(VkDeviceSize& top, VkDeviceSize size, VkDeviceSize alignment) {
    const auto at = (top + alignment - 1) / alignment * alignment;
    top = at + size;
    return at;
}

struct Extent {
    uint32_t width, height, depth;
};
Extent level_extent(const Image& image, uint32_t level) {
    return {std::max(1u, image.width >> level), std::max(1u, image.height >> level),
            std::max(1u, image.depth >> level)};
}
VkDeviceSize level_bytes(const Image& image, uint32_t level) {
    const auto e = level_extent(image, level);
    const auto bytes = VkDeviceSize{image.texel_bytes} * e.width * e.height * e.depth * image.layers * image.samples;
    return image.samples > 1 ? (bytes + 3) / 4 * 4 : bytes;  // whole words, which the shaders access
}

/// Assigns ranges of the arena to everything, and returns their total size. The contents are written later, when the
/// arena is known to be large enough.
VkDeviceSize place_all(Frame& frame) {
    const auto& limits = frame.device.report().limits;
    const VkDeviceSize alignment =
        std::max({limits.minStorageBufferOffsetAlignment, limits.minUniformBufferOffsetAlignment,
                  limits.minTexelBufferOffsetAlignment, VkDeviceSize{64}});
    VkDeviceSize top = 0;
    // Copies to and from images must begin at a multiple of the texel size, which may be three words
    // (VkBufferImageCopy::bufferOffset).
    const auto range = [&](VkDeviceSize bytes, VkDeviceSize texel_bytes = 1) {
        return ArenaRange{place(top, bytes, std::lcm(alignment, texel_bytes)), bytes};
    };
    for (const auto& b : frame.job.buffers)
        frame.buffers.push_back(range(b.words.empty() ? kSmallestBuffer : b.words.size() * sizeof(uint32_t)));
    for (const auto& a : frame.job.attributes)
        frame.attributes.push_back(range(std::max(a.data.size(), kSmallestBuffer)));
    frame.indices = range(std::max(frame.job.indices.size() * sizeof(uint32_t), kSmallestBuffer));
    for (const auto& i : frame.job.images) {
        FrameImage image;
        if (!i.data.empty() || i.readback)
            for (uint32_t level = 0; level < i.levels; level++)
                image.levels.push_back(range(level_bytes(i, level), i.texel_bytes));
        frame.images.push_back(std::move(image));
    }
    const VkDeviceSize pixels = VkDeviceSize{frame.job.width} * frame.job.height * frame.job.layers;
    for (const auto& a : frame.job.attachments)
        frame.attachments_back.push_back(range(a.texel_bytes * pixels, a.texel_bytes));
    if (frame.job.depth) frame.attachments_back.push_back(range(4 * pixels));
    if (frame.job.depth && frame.job.depth->stencil) frame.attachments_back.push_back(range(pixels));
    return top;
}

void fill_arena(Frame& frame) {
    uint8_t* base = frame.arena->data;
    const auto fill = [&](const ArenaRange& r, const void* data, size_t bytes) {
        bytes = std::min<size_t>(bytes, r.size);
        if (bytes > 0) std::memcpy(base + r.offset, data, bytes);
        std::memset(base + r.offset + bytes, 0, r.size - bytes);
    };
    for (size_t i = 0; i < frame.buffers.size(); i++) {
        const auto& words = frame.job.buffers[i].words;
        fill(frame.buffers[i], words.data(), words.size() * sizeof(uint32_t));
    }
    for (size_t i = 0; i < frame.attributes.size(); i++)
        fill(frame.attributes[i], frame.job.attributes[i].data.data(), frame.job.attributes[i].data.size());
    fill(frame.indices, frame.job.indices.data(), frame.job.indices.size() * sizeof(uint32_t));
    for (size_t i = 0; i < frame.images.size(); i++) {
        const auto& data = frame.job.images[i].data;
        for (size_t level = 0; level < frame.images[i].levels.size(); level++)
            fill(frame.images[i].levels[level], level < data.size() ? data[level].data() : nullptr,
                 level < data.size() ? data[level].size() : 0);
    }
}

/// Whether a set of sample counts contains this number. Several bits at once are not a VkSampleCountFlagBits.
bool contains(VkSampleCountFlags counts, uint32_t samples) {
    return std::has_single_bit(samples) && (counts & samples) != 0;
}

Status make_image(Frame& frame, const VkImageCreateInfo& info, FrameImage& out) {
    const auto device = frame.device.handle();
    VkImageFormatProperties properties{};
    const VkResult offered =
        vkGetPhysicalDeviceImageFormatProperties(frame.device.report().info.handle, info.format, info.imageType,
                                                 info.tiling, info.usage, info.flags, &properties);
    if (offered == VK_ERROR_FORMAT_NOT_SUPPORTED)
        return fail(Failure::Missing,
                    fmt::format("images of format {} with usage {:#x}", vulkan::format_name(info.format), info.usage));
    if (auto s = checked(offered, "vkGetPhysicalDeviceImageFormatProperties"); !s) return s;
    if (info.extent.width > properties.maxExtent.width || info.extent.height > properties.maxExtent.height ||
        info.extent.depth > properties.maxExtent.depth || info.mipLevels > properties.maxMipLevels ||
        info.arrayLayers > properties.maxArrayLayers)
        return fail(Failure::Missing,
                    fmt::format("an image of {}x{}x{} with {} levels and {} layers", info.extent.width,
                                info.extent.height, info.extent.depth, info.mipLevels, info.arrayLayers));
    if (!contains(properties.sampleCounts, info.samples))
        return fail(Failure::Missing, fmt::format("{} samples in format {}", static_cast<int>(info.samples),
                                                  vulkan::format_name(info.format)));
    if (auto s = checked(vkCreateImage(device, &info, nullptr, &out.image), "vkCreateImage"); !s) return s;
    VkMemoryRequirements needs{};
    vkGetImageMemoryRequirements(device, out.image, &needs);
    int type = frame.device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type < 0) type = frame.device.memory_type(needs.memoryTypeBits, 0);
    if (type < 0)
        return fail(Failure::Missing, fmt::format("memory for images of format {}", vulkan::format_name(info.format)));
    auto allocate = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = static_cast<uint32_t>(type);
    if (auto s = checked(vkAllocateMemory(device, &allocate, nullptr, &out.memory), "vkAllocateMemory"); !s) return s;
    return checked(vkBindImageMemory(device, out.image, out.memory, 0), "vkBindImageMemory");
}

VkImageUsageFlags use_of(const Image& image) {
    if (image.input_attachment) return VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
    return image.storage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
}

Status make_job_image(Frame& frame, const Image& image, FrameImage& out) {
    auto info = make<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
    info.flags = image.cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
    if (image.reinterpreted) info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    info.imageType = image.type;
    info.format = image.format;
    info.extent = {image.width, image.height, image.depth};
    info.mipLevels = image.levels;
    info.arrayLayers = image.layers;
    info.samples = static_cast<VkSampleCountFlagBits>(image.samples);
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    info.usage |= use_of(image);
    if (passes_samples(image)) {
        info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
        info.usage |= VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    }
    return make_image(frame, info, out);
}

Status make_views(Frame& frame) {
    const auto device = frame.device.handle();
    for (const auto& v : frame.job.views) {
        const auto& image = frame.job.images[v.image];
        auto info = make<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
        auto usage = make<VkImageViewUsageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO);
        usage.usage = use_of(image);
        info.pNext = &usage;
        info.image = frame.images[v.image].image;
        info.viewType = v.type;
        info.format = v.format != VK_FORMAT_UNDEFINED ? v.format : image.format;
        info.components = v.swizzle;
        info.subresourceRange = {image.aspect, 0, image.storage ? 1 : image.levels, 0, image.layers};
        VkImageView view{};
        if (auto s = checked(vkCreateImageView(device, &info, nullptr, &view), "vkCreateImageView"); !s) return s;
        frame.views.push_back(view);
    }
    for (const auto& v : frame.job.texel_views) {
        VkFormatProperties properties{};
        vkGetPhysicalDeviceFormatProperties(frame.device.report().info.handle, v.format, &properties);
        const auto needed =
            v.storage ? VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT : VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
        if ((properties.bufferFeatures & needed) == 0)
            return fail(Failure::Missing, fmt::format("{}texel buffers of format {}", v.storage ? "storage " : "",
                                                      vulkan::format_name(v.format)));
        auto info = make<VkBufferViewCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO);
        info.buffer = frame.arena->buffer;
        info.format = v.format;
        info.offset = frame.buffers[v.buffer].offset;
        info.range = v.bytes != 0 ? v.bytes : frame.buffers[v.buffer].size;
        if (auto s = within(info.range / v.texel_bytes, frame.device.report().limits.maxTexelBufferElements,
                            "maxTexelBufferElements");
            !s)
            return s;
        VkBufferView view{};
        if (auto s = checked(vkCreateBufferView(device, &info, nullptr, &view), "vkCreateBufferView"); !s) return s;
        frame.texel_views.push_back(view);
    }
    return {};
}

/// Creates an attachment: an image of the framebuffer's size and layers with one level.
Status make_attachment(Frame& frame, VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect,
                       uint32_t samples = 1) {
    auto info = make<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {frame.job.width, frame.job.height, 1};
    info.mipLevels = 1;
    info.arrayLayers = frame.job.layers;
    info.samples = static_cast<VkSampleCountFlagBits>(samples);
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = usage;
    auto& image = (samples > 1 ? frame.multisampled : frame.attachments).emplace_back();
    if (auto s = make_image(frame, info, image); !s) return s;
    auto view = make<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
    view.image = image.image;
    view.viewType = frame.job.layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
    view.format = format;
    view.subresourceRange = {aspect, 0, 1, 0, frame.job.layers};
    VkImageView handle{};
    if (auto s = checked(vkCreateImageView(frame.device.handle(), &view, nullptr, &handle), "vkCreateImageView"); !s)
        return s;
    (samples > 1 ? frame.multisampled_views : frame.attachment_views).push_back(handle);
    return {};
}

Status make_attachments(Frame& frame) {
    const Job& job = frame.job;
    constexpr VkImageUsageFlags kColor = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, kBack = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    if (job.samples > 1 && (job.depth || !job.input_attachments.empty()))
        return fail(Failure::Missing, "multisampled depth or input attachments (not supported by the harness)");
    if (job.layers > 1 && (job.samples > 1 || !job.input_attachments.empty()))
        return fail(Failure::Missing, "layers of multisampled or input attachments (not supported by the harness)");
    if (job.samples != 1 && !contains(frame.device.report().limits.framebufferNoAttachmentsSampleCounts, job.samples))
        return fail(Failure::Missing, fmt::format("framebuffers of {} samples", job.samples));
    for (const auto& a : job.attachments) {
        if (job.samples > 1) {
            auto status = make_attachment(frame, a.format, kColor, VK_IMAGE_ASPECT_COLOR_BIT, job.samples);
            if (!status) return status;
        }
        if (auto s = make_attachment(frame, a.format, kColor | kBack, VK_IMAGE_ASPECT_COLOR_BIT); !s) return s;
    }
    if (!job.depth) return {};
    VkImageAspectFlags aspects = VK_IMAGE_ASPECT_DEPTH_BIT;
    if (job.depth->stencil) aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
    return make_attachment(frame, depth_format(*job.depth), VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | kBack,
                           aspects);
}

/// Returns the aspects of a layout transition: of a combined format both, whichever is sampled.
VkImageAspectFlags aspects_of(const Image& image) {
    const bool stencil = image.format == VK_FORMAT_D24_UNORM_S8_UINT;
    return image.aspect | (stencil ? static_cast<VkImageAspectFlags>(VK_IMAGE_ASPECT_STENCIL_BIT) : 0);
}

VkImageMemoryBarrier whole_image(const Image& image, VkImage handle, VkImageLayout from, VkImageLayout to) {
    auto barrier = make<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
    barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = handle;
    barrier.subresourceRange = {aspects_of(image), 0, image.levels, 0, image.layers};
    return barrier;
}

void transition(VkCommandBuffer commands, const VkImageMemoryBarrier& barrier) {
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &barrier);
}

VkBufferImageCopy copy_of(const Image& image, uint32_t level, VkDeviceSize offset) {
    const auto e = level_extent(image, level);
    VkBufferImageCopy copy{};
    copy.bufferOffset = offset;
    copy.imageSubresource = {image.aspect, level, 0, image.layers};
    copy.imageExtent = {e.width, e.height, e.depth};
    return copy;
}

VkImageLayout layout_of(const Image& image) {
    return image.storage ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
}

}  // namespace

Status make_resources(Frame& frame) {
    auto arena = frame.device.arena(place_all(frame));
    if (!arena) return tl::unexpected<Error>(arena.error());
    frame.arena = *arena;
    fill_arena(frame);
    if (auto s = check_sample_passes(frame); !s) return s;
    for (size_t i = 0; i < frame.images.size(); i++)
        if (auto s = make_job_image(frame, frame.job.images[i], frame.images[i]); !s) return s;
    if (auto s = make_sample_passes(frame); !s) return s;
    if (auto s = make_views(frame); !s) return s;
    if (auto s = make_samplers(frame); !s) return s;
    return make_attachments(frame);
}

void record_uploads(const Frame& frame, VkCommandBuffer commands) {
    for (size_t i = 0; i < frame.images.size(); i++) {
        const auto& image = frame.job.images[i];
        const auto handle = frame.images[i].image;
        if (image.samples > 1) {
            transition(commands, whole_image(image, handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL));
            record_sample_pass(frame, commands, i, true);
            transition(commands, whole_image(image, handle, VK_IMAGE_LAYOUT_GENERAL, layout_of(image)));
            continue;
        }
        transition(commands,
                   whole_image(image, handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL));
        for (uint32_t level = 0; level < frame.images[i].levels.size(); level++) {
            const auto copy = copy_of(image, level, frame.images[i].levels[level].offset);
            vkCmdCopyBufferToImage(commands, frame.arena->buffer, handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                                   &copy);
        }
        transition(commands, whole_image(image, handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout_of(image)));
    }
}

void record_readbacks(const Frame& frame, VkCommandBuffer commands) {
    for (size_t i = 0; i < frame.images.size(); i++) {
        const auto& image = frame.job.images[i];
        if (!image.readback) continue;
        const auto handle = frame.images[i].image;
        if (image.samples > 1) {
            transition(commands, whole_image(image, handle, layout_of(image), VK_IMAGE_LAYOUT_GENERAL));
            record_sample_pass(frame, commands, i, false);
            continue;
        }
        transition(commands, whole_image(image, handle, layout_of(image), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL));
        for (uint32_t level = 0; level < frame.images[i].levels.size(); level++) {
            const auto copy = copy_of(image, level, frame.images[i].levels[level].offset);
            vkCmdCopyImageToBuffer(commands, handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, frame.arena->buffer, 1,
                                   &copy);
        }
    }
    for (size_t i = 0; i < frame.attachments_back.size(); i++) {
        // The render pass leaves attachments in TRANSFER_SRC_OPTIMAL. After the colours comes depth, then its stencil.
        VkBufferImageCopy copy{};
        copy.bufferOffset = frame.attachments_back[i].offset;
        const size_t depth = frame.job.attachments.size();
        const VkImageAspectFlags aspect = i < depth    ? VK_IMAGE_ASPECT_COLOR_BIT
                                          : i == depth ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                       : VK_IMAGE_ASPECT_STENCIL_BIT;
        copy.imageSubresource = {aspect, 0, 0, frame.job.layers};
        copy.imageExtent = {frame.job.width, frame.job.height, 1};
        vkCmdCopyImageToBuffer(commands, frame.attachments[std::min(i, depth)].image,
                               VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, frame.arena->buffer, 1, &copy);
    }
}

}  // namespace tgsi2spv::harness
