#include "renderer/record/fetched.h"

#include <algorithm>

#include "renderer/record/descriptor_views.h"
#include "renderer/record/dynamic_state.h"
#include "renderer/record/framebuffer.h"
#include "renderer/record/host_recorder.h"
#include "renderer/state/caps.h"
#include "renderer/state/convert.h"
#include "vk/move.h"

namespace tgsi2spv::host {
namespace {

const Surface* target(const Bindings& context, uint32_t color) {
    const auto& colors = context.framebuffer.colors;
    return color < colors.size() ? colors[color].get() : nullptr;
}

/// The part of the surface's level where fragments may be, with the rest of their quads, which is read as well.
vk::ImageBox drawn_box(const HostState& host, const Bindings& context, const Surface& surface) {
    uint32_t left = UINT32_MAX, top = UINT32_MAX, right = 0, bottom = 0;
    for (uint32_t i = 0; i < viewports_of(host.device->report()); i++) {
        const VkRect2D s = scissor_of(context, i);
        if (s.extent.width == 0 || s.extent.height == 0) continue;
        const auto x = static_cast<uint32_t>(s.offset.x), y = static_cast<uint32_t>(s.offset.y);
        left = std::min(left, x & ~1U);
        top = std::min(top, y & ~1U);
        right = std::max(right, (x + s.extent.width + 1) & ~1U);
        bottom = std::max(bottom, (y + s.extent.height + 1) & ~1U);
    }
    if (right == 0) return {.width = 0};
    const VkExtent3D whole = surface.resource->extent(surface.level);
    return {surface.level,
            left,
            top,
            surface.first_layer,
            std::min(right, whole.width) - left,
            std::min(bottom, whole.height) - top,
            surface.layers};
}

/// Whether Vulkan has an image for the surface's texels that shaders read.
bool can_copy(const HostState& host, const Surface& surface) {
    return (surface.resource->image->info().usage & VK_IMAGE_USAGE_SAMPLED_BIT) != 0 &&
           surface.layers <= host.device->report().limits.maxImageArrayLayers;  // of a 3D texture
}

/// As large as the surface, for shaders to read. Null: memory is short.
std::shared_ptr<vk::Image> make_copy(HostState& host, const Surface& surface) {
    vk::ImageInfo info = surface.resource->image->info();
    info.type = VK_IMAGE_TYPE_2D;
    info.extent = surface.resource->extent(surface.level);
    info.extent.depth = 1;
    info.levels = 1;
    info.layers = surface.layers;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    auto image = vk::Image::create(*host.device, host.memory, info);
    if (image == nullptr || !vk::begin_image(host.stream, image)) return nullptr;
    image->set_name("fetched colours");
    return image;
}

bool fits(const vk::Image* copy, const Surface& surface) {
    if (copy == nullptr) return false;
    const vk::ImageInfo &have = copy->info(), &need = surface.resource->image->info();
    const VkExtent3D extent = surface.resource->extent(surface.level);
    return have.format == need.format && have.samples == need.samples && have.layers == surface.layers &&
           have.extent.width == extent.width && have.extent.height == extent.height;
}

/// Calls `function` with the number of each colour that the program fetches.
template <class Function>
void for_each_fetched(const LinkedProgram& program, const Function& function) {
    for (uint32_t color = 0; color < virgl::kMaxColorBuffers; color++)
        if ((program.fetched >> color & 1) != 0) function(color);
}

}  // namespace

bool copy_fetched(HostRecorder& host, const Bindings& context, const LinkedProgram& program) {
    if (!flush_clears(host)) return false;
    bool complete = true;
    if (host.fetched.owner != host.client) host.fetched = {.owner = host.client};
    host.stream.end_scope();
    for_each_fetched(program, [&](uint32_t color) {
        const Surface* const surface = target(context, color);
        std::shared_ptr<vk::Image>& copy = host.fetched.copies[color];
        if (surface == nullptr || !can_copy(host, *surface)) {
            copy = nullptr;
            return;
        }
        if (!fits(copy.get(), *surface)) copy = make_copy(host, *surface);
        const vk::ImageBox box = drawn_box(host, context, *surface);
        complete &=
            copy != nullptr && (box.width == 0 || vk::copy_image(host.stream, surface->resource->image, box, copy,
                                                                 {.x = box.x, .y = box.y}) == vk::Status::Done);
    });
    return complete;
}

void add_fetched(const HostState& host, const LinkedProgram& program, std::vector<vk::Use>& uses) {
    for_each_fetched(program, [&](uint32_t color) {
        if (host.fetched.copies[color] != nullptr) uses.push_back(vk::reads(host.fetched.copies[color]));
    });
}

std::optional<VkImageView> fetched_view(HostState& host, const Bindings& context, const Descriptor& descriptor) {
    const uint32_t color = descriptor.index - kFirstFetched;
    const Surface* const surface = target(context, color);
    if (surface == nullptr || host.fetched.copies[color] == nullptr) return VK_NULL_HANDLE;
    const vk::ImageInfo& info = host.fetched.copies[color]->info();
    if (descriptor.dim != TGSI2SPV_IMAGE_2D || descriptor.depth ||
        descriptor.multisampled != (info.samples != VK_SAMPLE_COUNT_1_BIT))
        return VK_NULL_HANDLE;
    using enum virgl::Swizzle;
    return host.stream.view(host.fetched.copies[color],
                            {.type = view_type(descriptor),
                             .format = format_of_view(*surface->format, descriptor.component),
                             .layers = descriptor.array ? info.layers : 1,
                             .swizzle = to_vulkan(compose(*surface->format, {X, Y, Z, W})),
                             .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
}

}  // namespace tgsi2spv::host
