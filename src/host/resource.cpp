#include "host/resource.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tgsi2spv::host {
namespace {

constexpr size_t kMaxResources = 65536;

VkImageType image_type(virgl::Target target) {
    switch (target) {
        case virgl::Target::Tex1d:
        case virgl::Target::Tex1dArray:
            return VK_IMAGE_TYPE_1D;
        case virgl::Target::Tex3d:
            return VK_IMAGE_TYPE_3D;
        default:
            return VK_IMAGE_TYPE_2D;
    }
}

bool is_cube(virgl::Target target) {
    return target == virgl::Target::Cube || target == virgl::Target::CubeArray;
}

/// Sizes that the target does not have are 1.
Problem check_sizes(const virgl::ResourceRequest& request, virgl::Target target) {
    using T = virgl::Target;
    if (request.width == 0 || request.height == 0 || request.depth == 0 || request.array_size == 0)
        return Problem::BadSize;
    if (request.height != 1 && (target == T::Buffer || target == T::Tex1d || target == T::Tex1dArray))
        return Problem::BadSize;
    if (request.depth != 1 && target != T::Tex3d) return Problem::BadSize;
    if (is_cube(target) && (request.width != request.height || request.array_size % 6 != 0)) return Problem::BadSize;
    const bool array = target == T::Tex1dArray || target == T::Tex2dArray || target == T::CubeArray;
    if (!array && request.array_size != (target == T::Cube ? 6u : 1u)) return Problem::BadSize;
    const uint32_t largest = std::max({request.width, request.height, request.depth});
    if (request.last_level >= static_cast<uint32_t>(std::bit_width(largest))) return Problem::BadLevel;
    if (request.samples > 1 && (request.last_level != 0 || (target != T::Tex2d && target != T::Tex2dArray)))
        return Problem::BadSamples;
    return Problem::None;
}

VkImageUsageFlags usage_of(const FormatInfo& format, VkFormatFeatureFlags features) {
    VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if ((features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0) usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if ((features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) != 0 && !format.has(kDepthStencil))
        usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    if ((features & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0)
        usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    if ((features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) != 0) usage |= VK_IMAGE_USAGE_STORAGE_BIT;
    return usage;
}

VkImageSubresourceRange whole(const gpu::Image& image) {
    return {image.aspects(), 0, image.info().levels, 0, image.info().layers};
}

/// The image's first use. Returns commands that may write it.
VkCommandBuffer begin_image(Host& host, const std::shared_ptr<gpu::Image>& image) {
    host.stream.write(image);
    host.stream.order();
    const VkCommandBuffer commands = host.stream.commands();
    VkImageMemoryBarrier2 barrier{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                  .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                  .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
                                  .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                  .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .image = image->handle(),
                                  .subresourceRange = whole(*image)};
    VkDependencyInfo dependency{
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier};
    vkCmdPipelineBarrier2(commands, &dependency);
    return commands;
}

/// Compressed images are not cleared, but copied to: the largest level's zeros serve all.
void clear_blocks(Host& host, const std::shared_ptr<gpu::Image>& image, const FormatInfo& format) {
    const gpu::ImageInfo& info = image->info();
    const VkCommandBuffer commands = begin_image(host, image);
    const uint64_t blocks_across = (info.extent.width + format.block_width - 1) / format.block_width;
    const uint64_t blocks_down = (info.extent.height + format.block_height - 1) / format.block_height;
    const uint64_t bytes = blocks_across * blocks_down * format.block_bytes * info.extent.depth;
    const gpu::Staging zeros = host.stream.stage(bytes, 16);
    if (zeros.data == nullptr) return;
    std::memset(zeros.data, 0, bytes);
    for (uint32_t level = 0; level < info.levels; level++)
        for (uint32_t layer = 0; layer < info.layers; layer++) {
            const VkBufferImageCopy region{
                .bufferOffset = zeros.offset,
                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1},
                .imageExtent = {std::max(info.extent.width >> level, 1u), std::max(info.extent.height >> level, 1u),
                                std::max(info.extent.depth >> level, 1u)}};
            vkCmdCopyBufferToImage(commands, zeros.buffer->handle(), image->handle(), VK_IMAGE_LAYOUT_GENERAL, 1,
                                   &region);
        }
}

Problem make_buffer(Host& host, Resource& resource) {
    resource.buffer = gpu::Buffer::create(*host.device, host.memory, resource.info.width);
    if (resource.buffer == nullptr) return Problem::NoMemory;
    clear_buffer(host, resource.buffer);
    return Problem::None;
}

}  // namespace

void clear_image(Host& host, const std::shared_ptr<gpu::Image>& image) {
    const VkImageSubresourceRange all = whole(*image);
    const VkClearColorValue black{};
    const VkClearDepthStencilValue zero{};
    const VkCommandBuffer commands = begin_image(host, image);
    if (all.aspectMask == VK_IMAGE_ASPECT_COLOR_BIT)
        vkCmdClearColorImage(commands, image->handle(), VK_IMAGE_LAYOUT_GENERAL, &black, 1, &all);
    else
        vkCmdClearDepthStencilImage(commands, image->handle(), VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &all);
}

void clear_buffer(Host& host, const std::shared_ptr<gpu::Buffer>& buffer) {
    if (std::byte* const mapped = buffer->mapped(); mapped != nullptr) {
        std::memset(mapped, 0, buffer->size());
        return;
    }
    host.stream.write(buffer);
    host.stream.order();
    vkCmdFillBuffer(host.stream.commands(), buffer->handle(), 0, VK_WHOLE_SIZE, 0);
}

Problem make_image(Host& host, Resource& resource) {
    const virgl::ResourceRequest& r = resource.info;
    const FormatInfo& format = *resource.format;
    if (format.has(kVertexOnly | kBufferOnly | kViewOnly)) return Problem::BadFormat;
    VkFormatProperties properties{};
    vkGetPhysicalDeviceFormatProperties(host.device->physical(), format.vulkan, &properties);
    const VkFormatFeatureFlags features = properties.optimalTilingFeatures;
    if ((features & (VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT |
                     VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)) == 0)
        return Problem::BadFormat;
    gpu::ImageInfo info{.type = image_type(resource.target),
                        .format = format.vulkan,
                        .extent = {r.width, r.height, r.depth},
                        .levels = r.last_level + 1,
                        .layers = r.array_size,
                        .usage = usage_of(format, features)};
    if (!format.has(kDepthStencil)) info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    if (info.type == VK_IMAGE_TYPE_2D && r.width == r.height && r.array_size >= 6 && r.samples <= 1)
        info.flags |= VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
    if (info.type == VK_IMAGE_TYPE_3D) info.flags |= VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
    if (info.type == VK_IMAGE_TYPE_3D && host.device->extras().slices.image2DViewOf3D != 0)
        info.flags |= VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
    VkImageFormatProperties limits{};
    if (vkGetPhysicalDeviceImageFormatProperties(host.device->physical(), info.format, info.type,
                                                 VK_IMAGE_TILING_OPTIMAL, info.usage, info.flags,
                                                 &limits) != VK_SUCCESS)
        return Problem::BadFormat;
    if (info.extent.width > limits.maxExtent.width || info.extent.height > limits.maxExtent.height ||
        info.extent.depth > limits.maxExtent.depth || info.layers > limits.maxArrayLayers ||
        info.levels > limits.maxMipLevels)
        return Problem::BadSize;
    // The count itself, or the next higher.
    uint32_t samples = 1;
    while (samples < r.samples || (limits.sampleCounts & samples) == 0) {
        samples *= 2;
        if (samples > 64) return Problem::BadSamples;
    }
    info.samples = static_cast<VkSampleCountFlagBits>(samples);
    resource.image = gpu::Image::create(*host.device, host.memory, info);
    if (resource.image == nullptr) return Problem::NoMemory;
    format.has(kCompressed) ? clear_blocks(host, resource.image, format) : clear_image(host, resource.image);
    return Problem::None;
}

uint32_t Resource::slices(uint32_t level) const {
    return image == nullptr || image->info().type != VK_IMAGE_TYPE_3D ? layers() : extent(level).depth;
}

VkExtent3D Resource::extent(uint32_t level) const {
    const auto halved = [&](uint32_t size) { return std::max(size >> level, 1u); };
    return {halved(info.width), halved(info.height), halved(info.depth)};
}

bool Resource::has_views_of(const FormatInfo& other) const {
    if (image == nullptr || other.has(kVertexOnly | kBufferOnly)) return false;
    const bool depth = (image->aspects() & VK_IMAGE_ASPECT_COLOR_BIT) == 0;
    if (depth || other.has(kDepthStencil)) return depth && other.has(kDepthStencil);
    return other.block_bytes == format->block_bytes && other.block_width == format->block_width &&
           other.block_height == format->block_height && other.has(kCompressed) == format->has(kCompressed);
}

Problem create_resource(Host& host, const virgl::ResourceRequest& request,
                        std::shared_ptr<virgl::SharedMemory> memory) {
    if (request.handle == 0) return Problem::HandleZero;
    if (host.resources.contains(request.handle)) return Problem::HandleInUse;
    if (host.resources.size() >= kMaxResources) return Problem::Budget;
    if (request.target > static_cast<uint32_t>(virgl::Target::CubeArray)) return Problem::BadTarget;
    auto resource = std::make_shared<Resource>();
    resource->info = request;
    virgl::ResourceRequest& r = resource->info;
    r.height = std::max(r.height, 1u);  // older guests leave out what the target does not have
    r.depth = std::max(r.depth, 1u);
    r.array_size = std::max(r.array_size, 1u);
    resource->target = static_cast<virgl::Target>(request.target);
    if (resource->target == virgl::Target::Cube) r.array_size = 6;
    resource->format = format_info(request.format, host.depth24);
    if (resource->format == nullptr) return Problem::BadFormat;
    if (const Problem p = check_sizes(r, resource->target); p != Problem::None) return p;
    resource->memory = std::move(memory);
    resource->busy_until = host.stream.current() - (host.stream.empty() ? 1 : 0);
    const bool bytes_only = resource->target == virgl::Target::Buffer &&
                            (r.bind & ~(virgl::kBindCustom | virgl::kBindStaging)) == 0 && r.bind != 0;
    Problem problem = Problem::None;
    if (!bytes_only)
        problem =
            resource->target == virgl::Target::Buffer ? make_buffer(host, *resource) : make_image(host, *resource);
    if (problem == Problem::None) host.resources.emplace(request.handle, std::move(resource));
    return problem;
}

}  // namespace tgsi2spv::host
