#include "renderer/record/framebuffer.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

#include "renderer/record/host_recorder.h"
#include "renderer/state/resource.h"

namespace tgsi2spv::host {
namespace {

VkClearColorValue color_value(const std::array<uint32_t, 4>& words, const FormatInfo& format) {
    VkClearColorValue value{};
    std::ranges::copy(words, value.uint32);
    if (is_alpha_only(format)) value.uint32[0] = words[3];
    if (alpha_in(format) == AlphaIn::Nowhere)
        value.uint32[3] = format.has(kUint | kSint) ? 1 : std::bit_cast<uint32_t>(1.0F);
    return value;
}

VkClearDepthStencilValue depth_value(double depth, uint32_t stencil) {
    // NaN is not in the range that Vulkan permits, and becomes 0.
    const double clamped = depth >= 0 ? std::min(depth, 1.0) : 0.0;
    return {static_cast<float>(clamped), stencil & 0xff};
}

VkImageAspectFlags depth_aspects(uint32_t bits, const vk::Image& image) {
    VkImageAspectFlags aspects = 0;
    if ((bits & virgl::kClearDepth) != 0) aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if ((bits & virgl::kClearStencil) != 0) aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
    return aspects & image.aspects();
}

vk::Attachment attachment_of(const Surface* surface) {
    if (surface == nullptr) return {};
    const std::shared_ptr<vk::Image>& image = surface->resource->image;
    const bool color = (image->aspects() & VK_IMAGE_ASPECT_COLOR_BIT) != 0;
    return {surface->view, color ? surface->format->vulkan : image->info().format, image, surface->views};
}

vk::Scope scope_of(const Framebuffer& framebuffer) {
    vk::Scope scope;
    for (const auto& surface : framebuffer.colors) scope.colors.push_back(attachment_of(surface.get()));
    if (framebuffer.depth != nullptr) {
        const VkImageAspectFlags aspects = framebuffer.depth->resource->image->aspects();
        if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0) scope.depth = attachment_of(framebuffer.depth.get());
        if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) scope.stencil = attachment_of(framebuffer.depth.get());
    }
    scope.area = {{0, 0}, {framebuffer.width, framebuffer.height}};
    scope.layers = framebuffer.layers;
    return scope;
}

/// Turns pending clears into load operations. Safe even if surfaces have different sizes: the render area limits both.
void add_load_operations(vk::Scope& scope, const Framebuffer& framebuffer, const virgl::Clear& clear, uint32_t bits) {
    for (size_t i = 0; i < scope.colors.size(); i++)
        if ((bits & virgl::kClearColor0 << i) != 0 && framebuffer.colors[i] != nullptr) {
            scope.colors[i].clear = true;
            scope.colors[i].value.color = color_value(clear.color, *framebuffer.colors[i]->format);
        }
    const VkClearDepthStencilValue value = depth_value(clear.depth, clear.stencil);
    scope.depth.value.depthStencil = scope.stencil.value.depthStencil = value;
    scope.depth.clear = (bits & virgl::kClearDepth) != 0;
    scope.stencil.clear = (bits & virgl::kClearStencil) != 0;
}

constexpr uint32_t kMostSamples = 16;

/// The number of samples for a guest's request; 0: too many.
uint32_t samples_without_surfaces(const HostState& host, uint32_t requested) {
    const VkSampleCountFlags offered = host.device->report().limits.framebufferNoAttachmentsSampleCounts;
    for (uint32_t samples = 1; samples <= kMostSamples; samples *= 2)
        if (samples >= requested && (offered & samples) != 0) return samples;
    return 0;
}

/// The size, layers and samples that follow from the surfaces.
void measure(const HostState& host, Framebuffer& framebuffer) {
    framebuffer.width = framebuffer.height = framebuffer.layers = UINT32_MAX;
    framebuffer.samples = framebuffer.seen_samples = 1;
    bool any = false;
    const auto add = [&](const Surface* s) {
        if (s == nullptr) return;
        const VkExtent3D e = s->resource->extent(s->level);
        framebuffer.width = std::min(framebuffer.width, e.width);
        framebuffer.height = std::min(framebuffer.height, e.height);
        framebuffer.layers = std::min(framebuffer.layers, s->layers);
        framebuffer.samples = std::max<uint32_t>(framebuffer.samples, s->resource->image->info().samples);
        framebuffer.seen_samples = std::max(framebuffer.seen_samples, std::bit_ceil(s->resource->info.samples));
        any = true;
    };
    for (const auto& s : framebuffer.colors) add(s.get());
    add(framebuffer.depth.get());
    if (!any) {
        framebuffer.width = framebuffer.none.width;
        framebuffer.height = framebuffer.none.height;
        framebuffer.layers = std::max<uint32_t>(framebuffer.none.layers, 1);
        framebuffer.samples = samples_without_surfaces(host, framebuffer.none.samples);
        framebuffer.seen_samples = std::bit_ceil<uint32_t>(framebuffer.none.samples);
    }
    const auto& limits = host.device->report().limits;
    framebuffer.width = std::min(framebuffer.width, limits.maxFramebufferWidth);
    framebuffer.height = std::min(framebuffer.height, limits.maxFramebufferHeight);
    framebuffer.layers = std::min(framebuffer.layers, limits.maxFramebufferLayers);
}

/// Whether all surfaces have the same number of samples, which `samples` reads from their resources.
template <class Samples>
bool agree(const Framebuffer& framebuffer, const Samples& samples) {
    std::vector<uint32_t> all;
    for (const auto& color : framebuffer.colors)
        if (color != nullptr) all.push_back(samples(*color->resource));
    if (framebuffer.depth != nullptr) all.push_back(samples(*framebuffer.depth->resource));
    return std::ranges::adjacent_find(all, std::not_equal_to{}) == all.end();
}

}  // namespace

Problem bind(HostRecorder& host, SubContext& context, const virgl::SetFramebufferNoAttach& command) {
    if (samples_without_surfaces(host, command.samples) == 0)
        return {Problem::BadSamples, command.samples, kMostSamples};
    context.framebuffer.none = command;
    if (!context.framebuffer.colors.empty() || context.framebuffer.depth != nullptr) return Problem::None;
    host.stream.end_scope();
    measure(host, context.framebuffer);
    context.mark_dirty(Dirty::Framebuffer);
    return Problem::None;
}

Problem bind(HostRecorder& host, SubContext& context, const virgl::SetFramebuffer& command) {
    Framebuffer next;
    next.none = context.framebuffer.none;
    const auto find = [&](uint32_t handle, Shared<Surface>& surface) -> Problem {
        if (const Problem p = context.objects.find(handle, surface)) return p;
        if (surface == nullptr) return Problem::None;
        const Problem problem = find_view(host, surface);
        if (surface->view == VK_NULL_HANDLE) surface = nullptr;
        return problem;
    };
    for (const uint32_t handle : command.colors)
        if (const Problem p = find(handle, next.colors.emplace_back())) return p;
    if (const Problem p = find(command.depth_stencil, next.depth)) return p;
    if (next.depth != nullptr && !next.depth->format->has(kDepthStencil))
        return {Problem::Incompatible, command.depth_stencil};
    for (const auto& color : next.colors)
        if (color != nullptr && color->format->has(kDepthStencil)) return Problem::Incompatible;
    // The same view twice is undefined in OpenGL, and crashes lavapipe: the first one counts.
    for (size_t i = 1; i < next.colors.size(); i++) {
        const auto same = [&](const auto& c) { return c != nullptr && c->view == next.colors[i]->view; };
        if (next.colors[i] != nullptr && std::any_of(next.colors.begin(), next.colors.begin() + i, same))
            next.colors[i] = nullptr;
    }
    while (!next.colors.empty() && next.colors.back() == nullptr) next.colors.pop_back();
    if (!agree(next, [](const Resource& r) { return uint32_t{r.image->info().samples}; })) {
        if (!agree(next, [](const Resource& r) { return std::max(r.info.samples, 1U); })) return Problem::Incompatible;
        log_line("the device has no number of samples for all formats of a framebuffer; draws to it are skipped");
        next.colors.clear();
        next.depth = nullptr;
    }
    measure(host, next);
    if (!flush_clears(host)) return Problem::NoMemory;
    host.stream.end_scope();
    context.framebuffer = std::move(next);
    context.mark_dirty(Dirty::Framebuffer);
    return Problem::None;
}

std::optional<Framebuffer> layer_of(HostState& host, const Framebuffer& framebuffer, uint32_t layer) {
    Framebuffer one = framebuffer;
    one.layers = 1;
    const auto choose = [&](Shared<Surface>& surface) {
        if (surface == nullptr) return true;
        auto chosen = std::make_shared<Surface>(*surface);
        chosen->first_layer += layer;
        chosen->layers = 1;
        make_view(host, *chosen);
        surface = chosen;
        return chosen->view != VK_NULL_HANDLE;
    };
    if (!std::ranges::all_of(one.colors, choose) || !choose(one.depth)) return std::nullopt;
    return one;
}

void add_attachments(const Bindings& context, std::vector<vk::Use>& uses) {
    for (const auto& color : context.framebuffer.colors)
        if (color != nullptr) uses.push_back(vk::writes(color->resource->image));
    if (context.framebuffer.depth != nullptr) uses.push_back(vk::writes(context.framebuffer.depth->resource->image));
}

bool uses_attachments(const Bindings& context, std::span<const vk::Use> uses) {
    std::vector<vk::Use> attachments;
    add_attachments(context, attachments);
    return std::ranges::find_first_of(uses, attachments, {}, &vk::Use::uses, &vk::Use::uses) != uses.end();
}

namespace {

/// Orders work after earlier uses of the attachments, and enters their scope. False: memory is short.
bool enter_ordered(HostRecorder& host, const Bindings& context) {
    std::vector<vk::Use> uses;
    add_attachments(context, uses);
    host.stream.order(uses);
    return enter_scope(host, context);
}

}  // namespace

bool enter_scope(HostRecorder& host, const Bindings& context, vk::ColorReads color_reads) {
    if (host.stream.in_scope()) return true;
    vk::Scope scope = scope_of(context.framebuffer);
    scope.color_reads = color_reads;
    if (host.pending.bits != 0) add_load_operations(scope, context.framebuffer, host.pending.values, host.pending.bits);
    const bool begun = host.stream.begin_scope(scope);
    if (begun) host.pending.bits = 0;
    return begun;
}

bool flush_clears(HostRecorder& host) {
    if (host.pending.bits == 0) return true;
    if (!enter_ordered(host, *host.current)) return false;
    host.stream.end_scope();
    return true;
}

bool flush_clears_of(HostRecorder& host, const Resource& image) {
    if (host.pending.bits == 0) return true;
    const vk::Use uses[] = {vk::writes(image.image)};
    return !uses_attachments(*host.current, uses) || flush_clears(host);
}

Problem clear(HostRecorder& host, SubContext& context, const virgl::Clear& command) {
    const Framebuffer& f = context.framebuffer;
    uint32_t bits = 0;
    for (size_t i = 0; i < f.colors.size(); i++)
        if (f.colors[i] != nullptr) bits |= command.bits & virgl::kClearColor0 << i;
    if (f.depth != nullptr) {
        const VkImageAspectFlags aspects = depth_aspects(command.bits, *f.depth->resource->image);
        if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0) bits |= virgl::kClearDepth;
        if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) bits |= virgl::kClearStencil;
    }
    if (bits == 0 || f.width == 0 || f.height == 0) return Problem::None;
    if (!host.stream.in_scope()) {
        // One clear is a load operation; a second one of other attachments joins it if its values agree.
        constexpr uint32_t kColors = ~(virgl::kClearDepth | virgl::kClearStencil);
        auto& pending = host.pending;
        const bool same_color =
            (pending.bits & kColors) == 0 || (bits & kColors) == 0 || pending.values.color == command.color;
        if (same_color) {
            if ((bits & kColors) != 0) pending.values.color = command.color;
            if ((bits & virgl::kClearDepth) != 0) pending.values.depth = command.depth;
            if ((bits & virgl::kClearStencil) != 0) pending.values.stencil = command.stencil;
            pending.bits |= bits;
            return Problem::None;
        }
        if (!enter_ordered(host, context)) return Problem::NoMemory;
    }
    std::vector<VkClearAttachment> clears;
    for (size_t i = 0; i < f.colors.size(); i++)
        if ((bits & virgl::kClearColor0 << i) != 0)
            clears.push_back({VK_IMAGE_ASPECT_COLOR_BIT,
                              static_cast<uint32_t>(i),
                              {.color = color_value(command.color, *f.colors[i]->format)}});
    if (f.depth != nullptr)
        if (const auto aspects = depth_aspects(bits, *f.depth->resource->image); aspects != 0)
            clears.push_back({aspects, 0, {.depthStencil = depth_value(command.depth, command.stencil)}});
    const VkClearRect rect{{{0, 0}, {f.width, f.height}}, 0, f.layers};
    vkCmdClearAttachments(host.stream.commands_in_scope(), static_cast<uint32_t>(clears.size()), clears.data(), 1,
                          &rect);
    host.recorded.ordered = {};  // FRAG that reads its target has to wait
    return Problem::None;
}

namespace {

/// Clears all layers of a surface that has no more than maxFramebufferLayers.
Problem clear_layers(HostRecorder& host, const Surface& surface, const virgl::ClearSurface& command,
                     const VkRect2D& area) {
    vk::Image& image = *surface.resource->image;
    const VkImageAspectFlags aspects = (image.aspects() & VK_IMAGE_ASPECT_COLOR_BIT) != 0
                                           ? VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT}
                                           : depth_aspects(command.bits, image);
    host.stream.end_scope();
    host.stream.order({vk::writes(surface.resource->image)});
    vk::Scope scope{.area = area, .layers = surface.layers};
    VkClearAttachment clear{aspects, 0, {}};
    if (aspects == VK_IMAGE_ASPECT_COLOR_BIT) {
        scope.colors.push_back(attachment_of(&surface));
        clear.clearValue.color = color_value(command.color, *surface.format);
    } else {
        if ((image.aspects() & VK_IMAGE_ASPECT_DEPTH_BIT) != 0) scope.depth = attachment_of(&surface);
        if ((image.aspects() & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) scope.stencil = attachment_of(&surface);
        clear.clearValue.depthStencil = depth_value(command.depth, command.stencil);
    }
    if (!host.stream.begin_scope(scope)) return Problem::NoMemory;
    const VkClearRect rect{area, 0, surface.layers};
    if (aspects != 0) vkCmdClearAttachments(host.stream.commands_in_scope(), 1, &clear, 1, &rect);
    host.stream.end_scope();
    return Problem::None;
}

}  // namespace

Problem clear_surface(HostRecorder& host, SubContext& context, const virgl::ClearSurface& command) {
    Shared<Surface> found;
    if (const Problem p = context.objects.find(command.surface, found)) return p;
    if (found == nullptr) return {Problem::NoObject, command.surface};
    if (const Problem p = find_view(host, found)) return p;
    const Surface& surface = *found;
    if (surface.view == VK_NULL_HANDLE) return {Problem::BadFormat, surface.format->number};
    const VkExtent3D extent = surface.resource->extent(surface.level);
    const uint32_t x = std::min(command.x, extent.width), y = std::min(command.y, extent.height);
    const VkRect2D area{{static_cast<int32_t>(x), static_cast<int32_t>(y)},
                        {std::min(command.width, extent.width - x), std::min(command.height, extent.height - y)}};
    if (area.extent.width == 0 || area.extent.height == 0) return Problem::None;
    if (!flush_clears(host)) return Problem::NoMemory;
    const uint32_t most = host.device->report().limits.maxFramebufferLayers;
    if (surface.layers <= most) return clear_layers(host, surface, command, area);
    Surface part = surface;
    for (uint32_t done = 0; done < surface.layers; done += part.layers) {
        part.first_layer = surface.first_layer + done;
        part.layers = std::min(surface.layers - done, most);
        make_view(host, part);
        if (part.view == VK_NULL_HANDLE) return Problem::NoMemory;
        if (const Problem p = clear_layers(host, part, command, area)) return p;
    }
    return Problem::None;
}

}  // namespace tgsi2spv::host
