#include "renderer/state/resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "vk/move.h"

#include "renderer/state/host_state.h"

namespace tgsi2spv::host {
namespace {

constexpr size_t kMaxResources = 65536;
/// The approximate memory of a resource on the CPU, with the driver's part.
constexpr uint64_t kResourceBytes = 2048;
/// A sample mask has so many bits, in gallium and in this host.
constexpr uint32_t kMostSamples = 32;

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

/// Dimensions that the target does not have are 1.
Problem check_sizes(const virgl::ResourceRequest& request, virgl::Target target) {
    using T = virgl::Target;
    if (request.width == 0) return {Problem::BadSize, 0, 1};
    if (request.height != 1 && (target == T::Buffer || target == T::Tex1d || target == T::Tex1dArray))
        return {Problem::BadSize, request.height, 1};
    if (request.depth != 1 && target != T::Tex3d) return {Problem::BadSize, request.depth, 1};
    if (is_cube(target) && request.width != request.height) return {Problem::BadSize, request.height, request.width};
    if (is_cube(target) && request.array_size % 6 != 0) return {Problem::Misaligned, request.array_size, 6};
    const bool array = target == T::Tex1dArray || target == T::Tex2dArray || target == T::CubeArray;
    const uint32_t layers = target == T::Cube ? 6 : 1;
    if (!array && request.array_size != layers) return {Problem::BadSize, request.array_size, layers};
    const auto levels = static_cast<uint32_t>(std::bit_width(std::max({request.width, request.height, request.depth})));
    if (request.last_level >= levels) return {Problem::BadLevel, request.last_level, levels};
    if (request.samples > 1 && (request.last_level != 0 || (target != T::Tex2d && target != T::Tex2dArray)))
        return {Problem::BadSamples, request.samples, 1};
    return Problem::None;
}

VkImageUsageFlags usage_of(const vk::Device& device, const FormatInfo& format, VkFormatFeatureFlags features,
                           uint32_t samples) {
    VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if ((features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0) usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if ((features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) != 0 && !format.has(kDepthStencil))
        usage |= color_target_usage(device);
    if ((features & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0)
        usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    if ((features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) != 0 &&
        (samples <= 1 || device.report().features.shaderStorageImageMultisample != 0))
        usage |= VK_IMAGE_USAGE_STORAGE_BIT;
    return usage;
}

Problem make_buffer(HostState& host, Resource& resource) {
    resource.buffer = vk::Buffer::create(*host.device, host.memory, resource.info.width);
    if (resource.buffer == nullptr) return Problem::NoMemory;
    std::memset(resource.buffer->mapped(), 0, resource.buffer->padded_size());
    return Problem::None;
}

Problem map_buffer(HostState& host, Resource& resource) {
    resource.buffer =
        vk::Buffer::import(*host.device, host.memory, resource.info.width, resource.memory->bytes, resource.memory);
    return resource.buffer == nullptr ? Problem::NoMemory : Problem::None;
}

}  // namespace

VkImageUsageFlags color_target_usage(const vk::Device& device) {
    constexpr VkImageUsageFlags kColor = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    const VkPhysicalDeviceFeatures& f = device.report().features;
    return f.dualSrcBlend != 0 && f.logicOp != 0 ? kColor : kColor | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
}

Problem make_image(HostState& host, Resource& resource) {
    const virgl::ResourceRequest& r = resource.info;
    const FormatInfo& format = *resource.format;
    if (format.has(kVertexOnly | kBufferOnly | kViewOnly)) return {Problem::BadFormat, r.format};
    if (format.has(kDepthStencil) && resource.target == virgl::Target::Tex3d) return {Problem::BadFormat, r.format};
    const VkFormatFeatureFlags features = host.device->format(format.vulkan).optimalTilingFeatures;
    if ((features & (VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT |
                     VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)) == 0)
        return {Problem::BadFormat, r.format};
    vk::ImageInfo info{.type = image_type(resource.target),
                       .format = format.vulkan,
                       .extent = {r.width, r.height, r.depth},
                       .levels = r.last_level + 1,
                       .layers = r.array_size,
                       .usage = usage_of(*host.device, format, features, r.samples),
                       .block = {format.block_width, format.block_height, format.vulkan_bytes()}};
    if (!format.has(kDepthStencil)) info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    if (info.type == VK_IMAGE_TYPE_2D && r.width == r.height && r.array_size >= 6 && r.samples <= 1)
        info.flags |= VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
    const auto& portability = host.device->extras().portability;
    if (info.type == VK_IMAGE_TYPE_3D && portability.imageView2DOn3DImage != 0)
        info.flags |= VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
    if (info.type == VK_IMAGE_TYPE_3D && host.device->extras().slices.image2DViewOf3D != 0)
        info.flags |= VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
    VkImageFormatProperties limits{};
    const auto find_limits = [&] {
        return vkGetPhysicalDeviceImageFormatProperties(host.device->physical(), info.format, info.type,
                                                        VK_IMAGE_TILING_OPTIMAL, info.usage, info.flags,
                                                        &limits) == VK_SUCCESS;
    };
    bool found = find_limits();
    // Targets may have more samples than storage images (VkPhysicalDeviceLimits, storageImageSampleCounts).
    if (found && std::bit_floor(limits.sampleCounts) < r.samples) {
        info.usage &= ~VkImageUsageFlags{VK_IMAGE_USAGE_STORAGE_BIT};
        found = find_limits();
    }
    if (!found) return {Problem::BadFormat, r.format};
    for (const auto& [size, most] :
         {std::pair(info.extent.width, limits.maxExtent.width), std::pair(info.extent.height, limits.maxExtent.height),
          std::pair(info.extent.depth, limits.maxExtent.depth), std::pair(info.layers, limits.maxArrayLayers),
          std::pair(info.levels, limits.maxMipLevels)})
        if (size > most) return {Problem::BadSize, size, most};
    // The count itself, or the next higher.
    uint32_t samples = 1;
    while (samples < r.samples || (limits.sampleCounts & samples) == 0) {
        samples *= 2;
        if (samples > kMostSamples) return {Problem::BadSamples, r.samples, std::bit_floor(limits.sampleCounts)};
    }
    if (samples > 1 && info.layers > 1 && portability.multisampleArrayImage == 0) return Problem::BadSamples;
    info.samples = static_cast<VkSampleCountFlagBits>(samples);
    resource.image = nullptr;  // of the first try: its memory
    resource.image = vk::Image::create(*host.device, host.memory, info);
    if (resource.image == nullptr || !vk::begin_image(host.stream, resource.image)) return Problem::NoMemory;
    return Problem::None;
}

uint32_t Resource::slices(uint32_t level) const {
    return image == nullptr || image->info().type != VK_IMAGE_TYPE_3D ? layers() : extent(level).depth;
}

VkExtent3D Resource::extent(uint32_t level) const {
    const auto halved = [&](uint32_t size) { return std::max(size >> level, 1u); };
    return {halved(info.width), halved(info.height), halved(info.depth)};
}

namespace {

/// Compressed formats have views of the one other way to read their blocks, which is their neighbour (linear and sRGB,
/// unsigned and signed). 0: not compressed.
uint32_t compressed_class(const FormatInfo& format) {
    static_assert(VK_FORMAT_BC1_RGB_UNORM_BLOCK % 2 == 1 && VK_FORMAT_ASTC_12x12_SRGB_BLOCK % 2 == 0);
    return format.has(kCompressed) ? static_cast<uint32_t>(format.vulkan + 1) / 2 : 0;
}

}  // namespace

bool Resource::has_views_of(const FormatInfo& other) const {
    if (image == nullptr || other.has(kVertexOnly | kBufferOnly)) return false;
    const bool depth = (image->aspects() & VK_IMAGE_ASPECT_COLOR_BIT) == 0;
    if (depth || other.has(kDepthStencil)) return depth && other.has(kDepthStencil);
    if (format->has(kCompressed)) return compressed_class(other) == compressed_class(*format);
    return !other.has(kCompressed) && other.block_bytes == format->block_bytes &&
           other.conversion == format->conversion;
}

namespace {

/// `mapped`: the memory is the buffer's.
Problem create(HostState& host, const virgl::ResourceRequest& request, std::shared_ptr<virgl::SharedMemory> memory,
               bool mapped) {
    if (request.handle == 0) return Problem::HandleZero;
    if (host.resources.contains(request.handle)) return {Problem::HandleInUse, request.handle};
    if (host.resources.size() >= kMaxResources) return {Problem::Budget, host.resources.size(), kMaxResources};
    if (!host.budget.has_room(kResourceBytes)) return {Problem::Budget, host.budget.used(), host.budget.limit()};
    if (request.target > static_cast<uint32_t>(virgl::Target::CubeArray)) return {Problem::BadTarget, request.target};
    auto resource = std::make_shared<Resource>();
    resource->charge = vk::Charge(host.budget, kResourceBytes);
    resource->info = request;
    virgl::ResourceRequest& r = resource->info;
    r.height = std::max(r.height, 1u);  // older guests leave out dimensions that the target does not have
    r.depth = std::max(r.depth, 1u);
    r.array_size = std::max(r.array_size, 1u);
    resource->target = static_cast<virgl::Target>(request.target);
    if (resource->target == virgl::Target::Cube) r.array_size = 6;
    resource->format = format_info(request.format, host.depth24);
    if (resource->format == nullptr) return {Problem::BadFormat, request.format};
    if (const Problem p = check_sizes(r, resource->target)) return p;
    resource->memory = std::move(memory);
    resource->busy_until = host.stream.current() - (host.stream.empty() ? 1 : 0);
    const bool bytes_only = !mapped && resource->target == virgl::Target::Buffer &&
                            (r.bind & ~(virgl::kBindCustom | virgl::kBindStaging)) == 0 && r.bind != 0;
    const auto make = [&]() -> Problem {
        if (mapped) return map_buffer(host, *resource);
        return resource->target == virgl::Target::Buffer ? make_buffer(host, *resource) : make_image(host, *resource);
    };
    const Problem problem = bytes_only ? Problem::None : or_reclaim(host, make);
    const std::string name = host.device->has_names() ? fmt::format("resource {}", request.handle) : "";
    if (resource->buffer != nullptr) resource->buffer->set_name(name);
    if (resource->image != nullptr) resource->image->set_name(name);
    if (problem == Problem::None) host.resources.emplace(request.handle, std::move(resource));
    return problem;
}

}  // namespace

Problem create_resource(HostState& host, const virgl::ResourceRequest& request,
                        std::shared_ptr<virgl::SharedMemory> memory) {
    return create(host, request, std::move(memory), false);
}

Problem describe_buffer(HostState& host, const virgl::DescribeBuffer& command) {
    constexpr size_t kMost = 64;     // guests ask for each at once
    constexpr uint32_t kBytes = 64;  // R8_UNORM; a buffer has no format
    auto& described = host.client->described;
    const auto target = static_cast<uint32_t>(virgl::Target::Buffer);
    if (command.request.target != target) return {Problem::BadTarget, command.request.target};
    if (described.size() >= kMost && !described.contains(command.number)) return {Problem::Budget, kMost, kMost};
    virgl::ResourceRequest& request = described[command.number] = command.request;
    request.format = kBytes;
    return Problem::None;
}

bool maps(HostState& host, const std::shared_ptr<virgl::SharedMemory>& memory) {
    return vk::Buffer::import(*host.device, host.memory, memory->size(), memory->bytes, memory) != nullptr;
}

Problem create_mapped(HostState& host, uint32_t handle, uint64_t number, std::shared_ptr<virgl::SharedMemory> memory) {
    auto& described = host.client->described;
    const auto found = number > UINT32_MAX ? described.end() : described.find(static_cast<uint32_t>(number));
    if (found == described.end()) return {Problem::NoResource, number};
    virgl::ResourceRequest request = found->second;
    described.erase(found);
    request.handle = handle;
    if (request.width > memory->size()) return {Problem::BadSize, request.width, memory->size()};
    return create(host, request, std::move(memory), true);
}

void make_view(HostState& host, Surface& surface) {
    vk::Image& image = *surface.resource->image;
    const bool depth = (image.aspects() & VK_IMAGE_ASPECT_COLOR_BIT) == 0, one = image.info().type == VK_IMAGE_TYPE_1D;
    const VkImageViewType type = surface.layers == 1
                                     ? (one ? VK_IMAGE_VIEW_TYPE_1D : VK_IMAGE_VIEW_TYPE_2D)
                                     : (one ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_2D_ARRAY);
    const auto view = host.stream.view(surface.resource->image,
                                       {.type = type,
                                        .format = depth ? image.info().format : surface.format->vulkan,
                                        .aspects = image.aspects(),
                                        .first_level = surface.level,
                                        .levels = 1,
                                        .first_layer = surface.first_layer,
                                        .layers = surface.layers,
                                        .usage = depth ? VkImageUsageFlags{VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT}
                                                       : color_target_usage(*host.device)});
    surface.view = view.value_or(VK_NULL_HANDLE);
    surface.views = image.views();
}

std::shared_ptr<Resource> make_texture_for_copy(HostState& host, const Resource& from, const vk::ImageInfo& info) {
    auto copy = std::make_shared<Resource>();
    copy->info = from.info;
    copy->target = from.target;
    copy->format = from.format;
    copy->image = vk::Image::create(*host.device, host.memory, info);
    return copy->image != nullptr && vk::begin_image(host.stream, copy->image) ? copy : nullptr;
}

bool has_target_views(const vk::Image& image) {
    constexpr VkImageCreateFlags kSlices =
        VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
    return image.info().type != VK_IMAGE_TYPE_3D || (image.info().flags & kSlices) != 0;
}

namespace {

/// Mesa makes surfaces before it asks whether they can be drawn to.
bool is_target(const HostState& host, const Surface& surface) {
    const vk::Image& image = *surface.resource->image;
    const bool depth = (image.aspects() & VK_IMAGE_ASPECT_COLOR_BIT) == 0;
    const VkImageUsageFlags usage =
        depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    const VkFormatFeatureFlags needed =
        depth ? VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
    const VkFormat format = depth ? image.info().format : surface.format->vulkan;
    return !surface.format->has(kSampleOnly) && (image.info().usage & usage) != 0 && has_target_views(image) &&
           (host.device->format(format).optimalTilingFeatures & needed) != 0;
}

}  // namespace

Problem make_surface(HostState& host, const virgl::CreateSurface& command, Surface& surface) {
    surface.resource = host.find_resource(command.resource);
    if (surface.resource == nullptr) return {Problem::NoResource, command.resource};
    vk::Image* const image = surface.resource->image.get();
    if (image == nullptr) return {Problem::Incompatible, command.resource};
    surface.format = format_info(command.format, host.depth24);
    if (surface.format == nullptr) return {Problem::BadFormat, command.format};
    const vk::ImageInfo& info = image->info();
    surface.level = command.level_or_first;
    surface.first_layer = command.layers_or_last & 0xffff;
    const uint32_t last = command.layers_or_last >> 16;
    if (surface.level >= info.levels) return {Problem::BadLevel, surface.level, info.levels};
    if (const Problem p = check_range(surface.first_layer, last, surface.resource->slices(surface.level))) return p;
    surface.layers = last - surface.first_layer + 1;
    if (!surface.resource->has_views_of(*surface.format) || surface.format->has(kViewOnly))
        return {Problem::BadFormat, command.format};
    if (is_target(host, surface)) make_view(host, surface);
    return Problem::None;
}

Problem find_view(HostState& host, std::shared_ptr<const Surface>& surface) {
    if (surface->view != VK_NULL_HANDLE || !is_target(host, *surface)) return Problem::None;
    auto seen = std::make_shared<Surface>(*surface);
    make_view(host, *seen);
    if (seen->view == VK_NULL_HANDLE) return Problem::NoMemory;
    surface = std::move(seen);
    return Problem::None;
}

}  // namespace tgsi2spv::host
