#include "renderer/state/surface.h"

#include "renderer/state/host_state.h"
#include "renderer/state/resource.h"

namespace tgsi2spv::host {

void make_view(HostState& host, Surface& surface) {
    gpu::Image& image = *surface.resource->image;
    const bool depth = (image.aspects() & VK_IMAGE_ASPECT_COLOR_BIT) == 0, one = image.info().type == VK_IMAGE_TYPE_1D;
    const VkImageViewType type = surface.layers == 1
                                     ? (one ? VK_IMAGE_VIEW_TYPE_1D : VK_IMAGE_VIEW_TYPE_2D)
                                     : (one ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_2D_ARRAY);
    surface.view = host.stream.view(surface.resource->image,
                                    {.type = type,
                                     .format = depth ? image.info().format : surface.format->vulkan,
                                     .aspects = image.aspects(),
                                     .first_level = surface.level,
                                     .levels = 1,
                                     .first_layer = surface.first_layer,
                                     .layers = surface.layers,
                                     .usage = depth ? VkImageUsageFlags{VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT}
                                                    : color_target_usage(*host.device)});
    surface.views = image.views();
}

Problem make_surface(HostState& host, const virgl::CreateSurface& command, Surface& surface) {
    surface.resource = host.find_resource(command.resource);
    if (surface.resource == nullptr) return {Problem::NoResource, command.resource};
    gpu::Image* const image = surface.resource->image.get();
    if (image == nullptr) return {Problem::Incompatible, command.resource};
    surface.format = format_info(command.format, host.depth24);
    if (surface.format == nullptr) return {Problem::BadFormat, command.format};
    const gpu::ImageInfo& info = image->info();
    surface.level = command.level_or_first;
    surface.first_layer = command.layers_or_last & 0xffff;
    const uint32_t last = command.layers_or_last >> 16;
    if (surface.level >= info.levels) return {Problem::BadLevel, surface.level, info.levels};
    if (const Problem p = check_range(surface.first_layer, last, surface.resource->slices(surface.level));
        p != Problem::None)
        return p;
    surface.layers = last - surface.first_layer + 1;
    const bool depth = (image->aspects() & VK_IMAGE_ASPECT_COLOR_BIT) == 0;
    if (!surface.resource->has_views_of(*surface.format) || surface.format->has(kViewOnly))
        return {Problem::BadFormat, command.format};
    const VkImageUsageFlags usage =
        depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    // Mesa makes surfaces before it asks whether they can be drawn to.
    const VkFormatFeatureFlags needed =
        depth ? VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
    const VkFormat format = depth ? info.format : surface.format->vulkan;
    if (surface.format->has(kSampleOnly) || (info.usage & usage) == 0 ||
        (host.device->format(format).optimalTilingFeatures & needed) == 0)
        return Problem::None;
    make_view(host, surface);
    return surface.view == VK_NULL_HANDLE ? Problem::NoMemory : Problem::None;
}

}  // namespace tgsi2spv::host
