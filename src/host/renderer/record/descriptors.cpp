#include "renderer/record/descriptors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "renderer/record/descriptor_views.h"
#include "renderer/record/fetched.h"
#include "renderer/record/host_recorder.h"
#include "renderer/record/pipeline.h"
#include "renderer/state/caps.h"
#include "renderer/state/sampler.h"
#include "tgsi2spv/tgsi2spv_vulkan.h"

namespace tgsi2spv::host {
namespace {

/// A shader's declaration of an image and an image of so many layers: whether they fit (Vulkan, "Image Operations").
bool fits(const Descriptor& descriptor, const vk::ImageInfo& info, uint32_t layers) {
    if (descriptor.multisampled != (info.samples != VK_SAMPLE_COUNT_1_BIT)) return false;
    if (descriptor.dim == TGSI2SPV_IMAGE_CUBE)
        return (info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) != 0 && layers >= 6;
    return descriptor.dim < TGSI2SPV_IMAGE_BUFFER && info.type == image_type(descriptor);
}

bool fits(const Descriptor& descriptor, const SamplerView& view) {
    const vk::Image* image = view.resource->image.get();
    return image != nullptr && (!descriptor.depth || view.format->has(kDepth)) &&
           format_of_view(*view.format, descriptor.component) != VK_FORMAT_UNDEFINED &&
           fits(descriptor, image->info(), view.layers);
}

uint32_t layers_of_view(const Descriptor& descriptor, uint32_t layers) {
    if (descriptor.dim == TGSI2SPV_IMAGE_CUBE) return descriptor.array ? layers / 6 * 6 : 6;
    return descriptor.array ? layers : 1;
}

VkFormat image_format(const Descriptor& descriptor, const SamplerView& view) {
    return view.format->has(kDepth | kStencil) ? view.resource->image->info().format
                                               : format_of_view(*view.format, descriptor.component);
}

/// Integer samplers of other textures, Mesa's incomplete ones above all, whose texel is (0, 0, 0, 1) in all types.
VkComponentMapping swizzle_of(const Descriptor& descriptor, const SamplerView& view) {
    VkComponentMapping swizzle = view.swizzle;
    if (!view.format->has(kDepth) && component_of(*view.format) == TGSI2SPV_COMPONENT_FLOAT &&
        descriptor.component != TGSI2SPV_COMPONENT_FLOAT)
        swizzle.a = VK_COMPONENT_SWIZZLE_ONE;
    return swizzle;
}

std::optional<VkImageView> image_view(HostState& host, const Descriptor& descriptor, const SamplerView& view) {
    return host.stream.view(view.resource->image, {.type = view_type(descriptor),
                                                   .format = image_format(descriptor, view),
                                                   .aspects = view.format->has(kDepth)     ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                              : view.format->has(kStencil) ? VK_IMAGE_ASPECT_STENCIL_BIT
                                                                                           : VK_IMAGE_ASPECT_COLOR_BIT,
                                                   .first_level = view.first_level,
                                                   .levels = view.levels,
                                                   .first_layer = view.first_layer,
                                                   .layers = layers_of_view(descriptor, view.layers),
                                                   .swizzle = swizzle_of(descriptor, view),
                                                   .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
}

/// The content of a descriptor, in the member for its type.
struct Content {
    VkDescriptorImageInfo image{VK_NULL_HANDLE, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL};
    VkDescriptorBufferInfo buffer{VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
    VkBufferView texels = VK_NULL_HANDLE;
};

const SamplerView* bound_view(const Bindings& context, const Descriptor& descriptor, uint32_t element) {
    const uint32_t slot = descriptor.index + element;
    return slot < virgl::kMaxSamplerViews ? context.stage(descriptor.stage).views[slot].get() : nullptr;
}

/// One of a stage's buffers or images. Null: nothing is bound there.
template <class T, size_t N>
const T* bound_of(const std::array<T, N>& slots, const Descriptor& descriptor, uint32_t element) {
    const uint32_t slot = descriptor.index + element;
    return slot < N && slots[slot].resource != nullptr ? &slots[slot] : nullptr;
}

virgl::CreateSamplerState bound_sampler(const Bindings& context, const Descriptor& descriptor, uint32_t element) {
    const uint32_t slot = descriptor.index + element;
    const auto* const sampler =
        slot < virgl::kMaxSamplerStates ? context.stage(descriptor.stage).samplers[slot].get() : nullptr;
    return sampler == nullptr ? virgl::CreateSamplerState{} : *sampler;
}

/// Content with a view, which is null where there is none. Empty: memory is short.
std::optional<Content> content_with(const std::optional<VkImageView>& view) {
    if (!view) return std::nullopt;
    Content content;
    content.image.imageView = *view;
    return content;
}
std::optional<Content> content_with(const std::optional<VkBufferView>& texels) {
    return texels ? std::optional(Content{.texels = *texels}) : std::nullopt;
}

std::optional<Content> image_content(HostState& host, const Bindings& context, const Descriptor& descriptor,
                                     uint32_t element) {
    if (is_fetched(descriptor.kind, descriptor.index)) return content_with(fetched_view(host, context, descriptor));
    const SamplerView* view = bound_view(context, descriptor, element);
    const bool fitting = view != nullptr && fits(descriptor, *view);
    auto content = fitting ? content_with(image_view(host, descriptor, *view)) : Content{};
    if (!content) return content;
    if (descriptor.type != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) return content;
    virgl::CreateSamplerState state = bound_sampler(context, descriptor, element);
    // The guest's state may compare where the text does not, and vice versa: the text decides.
    state.compare_enable = descriptor.depth;
    SamplerUse use{.integer = descriptor.component != TGSI2SPV_COMPONENT_FLOAT,
                   .queries_lod = context.stage(descriptor.stage).shader->queries_lod,
                   .filters = false};
    if (fitting) {
        use.format = image_format(descriptor, *view);
        use.filters = descriptor.depth || filters(host, use.format);
        use.swizzle = view->format->swizzle;
    }
    content->image.sampler = find_sampler(host, state, use);
    return content;
}

/// A sampler that the text combines with any view: it filters if it compares, or all views of the stage can be
/// filtered.
Content sampler_content(HostState& host, const Bindings& context, const Descriptor& descriptor, uint32_t element) {
    const StageBindings& stage = context.stage(descriptor.stage);
    const auto filtered = [&](const Shared<SamplerView>& view) {
        return view == nullptr || view->resource->image == nullptr ||
               (filters(host, view->format->vulkan) && filters(host, view->resource->image->info().format));
    };
    const virgl::CreateSamplerState state = bound_sampler(context, descriptor, element);
    Content content;
    content.image.sampler =
        find_sampler(host, state,
                     {.queries_lod = stage.shader->queries_lod,
                      .filters = state.compare_enable || std::ranges::all_of(stage.views, filtered)});
    return content;
}

std::optional<Content> texels_of(HostState& host, const Descriptor& descriptor, const SamplerView* view) {
    if (view == nullptr || view->resource->buffer == nullptr || view->bytes == 0) return Content{};
    const VkFormat format = format_of_view(*view->format, descriptor.component);
    if (format == VK_FORMAT_UNDEFINED) return Content{};
    return content_with(host.stream.view(view->resource->buffer, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, format,
                                         view->offset, view->bytes));
}

/// The size of uniform memory with so many bytes and zeros after them. Other clients' uploads share the buffer, and
/// shaders may read beyond the bytes: with robustBufferAccess, a device may return anything in the buffer, and with
/// robustBufferAccess2 the rest of up to 256 bytes (robustUniformBufferAccessSizeAlignment).
VkDeviceSize padded_uniforms(const HostState& host, VkDeviceSize bytes, uint32_t bytes_read) {
    constexpr VkDeviceSize kLargestAlignment = 256;
    const vulkan::DeviceReport& report = host.device->report();
    const VkDeviceSize padded = report.robust_buffer_access2
                                    ? (bytes + kLargestAlignment - 1) / kLargestAlignment * kLargestAlignment
                                    : std::max<VkDeviceSize>(bytes, bytes_read);
    return std::min<VkDeviceSize>(padded, report.limits.maxUniformBufferRange);
}

/// Uniform memory with these bytes, for the current batch and a shader that reads at most `bytes_read`. Empty: memory
/// is short.
std::optional<VkDescriptorBufferInfo> upload(HostState& host, std::span<const std::byte> bytes, uint32_t bytes_read) {
    const VkDeviceSize padded = padded_uniforms(host, bytes.size(), bytes_read);
    const vk::Staging staging = host.stream.stage(padded, host.device->report().limits.minUniformBufferOffsetAlignment);
    if (staging.data == nullptr) return std::nullopt;
    std::ranges::copy(bytes, staging.data);
    std::fill(staging.data + bytes.size(), staging.data + padded, std::byte{});
    return VkDescriptorBufferInfo{staging.buffer->handle(), staging.offset, padded};
}

/// The library's state buffer: planes, stipple rows and values.
std::optional<VkDescriptorBufferInfo> state_buffer(HostState& host, const Bindings& context) {
    tgsi2spv_state_buffer state{};
    std::memcpy(state.clip_planes, context.clip_planes.data(), sizeof state.clip_planes);
    std::memcpy(state.polygon_stipple, context.stipple.data(), sizeof state.polygon_stipple);
    std::ranges::copy(state_values(context), state.values);
    if (context.chosen) {
        state.viewport[2] = std::bit_cast<float>(context.chosen->layer);
        state.viewport[3] = std::bit_cast<float>(context.chosen->viewport);
    }
    return upload(host, std::as_bytes(std::span(&state, 1)), sizeof state);
}

/// The range that is bound for a descriptor's element; null: none.
template <size_t N>
VkDescriptorBufferInfo range_of(const std::array<BoundRange, N>& slots, const Descriptor& descriptor,
                                uint32_t element) {
    const BoundRange* const bound = bound_of(slots, descriptor, element);
    if (bound == nullptr || bound->bytes == 0) return {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
    return {bound->resource->buffer->handle(), bound->offset, bound->bytes};
}

std::optional<VkDescriptorBufferInfo> constants_of(HostState& host, const Bindings& context,
                                                   const Descriptor& descriptor, uint32_t element) {
    if (descriptor.index + element == kStateBuffer) return state_buffer(host, context);
    const StageBindings& stage = context.stage(descriptor.stage);
    const VkDescriptorBufferInfo bound = range_of(stage.uniforms, descriptor, element);
    const bool uploads = bound.buffer == VK_NULL_HANDLE && descriptor.index + element == 0 && !stage.constants.empty();
    return uploads ? upload(host, std::as_bytes(std::span(stage.constants)), descriptor.bytes_read) : bound;
}

/// A slice of a 3D texture as a two-dimensional image.
bool fits_slice(const Descriptor& descriptor, const vk::ImageInfo& info, uint32_t layers) {
    return descriptor.dim == TGSI2SPV_IMAGE_2D && !descriptor.array && !descriptor.multisampled && layers == 1 &&
           (info.flags & VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT) != 0;
}

/// Views have the format that the shader declares: drivers compute addresses with it.
std::optional<Content> storage_content(HostState& host, const Bindings& context, const Descriptor& descriptor,
                                       uint32_t element) {
    const Content content;
    const StorageImage* bound = bound_of(context.stage(descriptor.stage).images, descriptor, element);
    if (bound == nullptr) return content;
    const tgsi2spv_component_type own = component_of(*bound->format);
    const bool has_own = (descriptor.components >> own & 1) != 0;
    // Atomics see the words of floats; a text of integers sees nothing.
    const VkFormat named = tgsi2spv_vulkan_storage_format(
        context.stage(descriptor.stage).shader->image_formats[descriptor.index + element]);
    if (!has_own && own == TGSI2SPV_COMPONENT_FLOAT && named != VK_FORMAT_UNDEFINED && named != VK_FORMAT_R32_SFLOAT)
        return content;
    const VkFormat format = format_of_view(*bound->format, has_own ? own : descriptor.component);
    if (format == VK_FORMAT_UNDEFINED || (descriptor.format != VK_FORMAT_UNDEFINED && descriptor.format != format))
        return content;
    const Resource& r = *bound->resource;
    if (descriptor.dim == TGSI2SPV_IMAGE_BUFFER) {
        if (r.buffer == nullptr || bound->bytes == 0) return content;
        return content_with(
            host.stream.view(r.buffer, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT, format, bound->offset, bound->bytes));
    }
    if (r.image == nullptr || (r.image->info().usage & VK_IMAGE_USAGE_STORAGE_BIT) == 0 ||
        (!fits(descriptor, r.image->info(), bound->layers) && !fits_slice(descriptor, r.image->info(), bound->layers)))
        return content;
    return content_with(
        host.stream.view(r.image, {.type = view_type(descriptor),
                                   .format = format,
                                   .first_level = bound->level,
                                   .levels = 1,
                                   .first_layer = descriptor.dim == TGSI2SPV_IMAGE_3D ? 0 : bound->first_layer,
                                   .layers = layers_of_view(descriptor, bound->layers),
                                   .usage = VK_IMAGE_USAGE_STORAGE_BIT}));
}

/// Empty: memory is short.
std::optional<Content> content_of(HostState& host, const Bindings& context, const Descriptor& descriptor,
                                  uint32_t element) {
    switch (descriptor.kind) {
        case TGSI2SPV_RESOURCE_CONSTANT_BUFFER:
            if (const auto range = constants_of(host, context, descriptor, element)) return Content{.buffer = *range};
            return std::nullopt;
        case TGSI2SPV_RESOURCE_COMBINED_IMAGE:
            return image_content(host, context, descriptor, element);
        case TGSI2SPV_RESOURCE_SAMPLED_IMAGE:
            if (descriptor.dim == TGSI2SPV_IMAGE_BUFFER)
                return texels_of(host, descriptor, bound_view(context, descriptor, element));
            return image_content(host, context, descriptor, element);
        case TGSI2SPV_RESOURCE_SAMPLER:
            return sampler_content(host, context, descriptor, element);
        case TGSI2SPV_RESOURCE_STORAGE_BUFFER:
            return Content{.buffer = range_of(context.stage(descriptor.stage).buffers, descriptor, element)};
        case TGSI2SPV_RESOURCE_STORAGE_IMAGE:
            return storage_content(host, context, descriptor, element);
        case TGSI2SPV_RESOURCE_INPUT_ATTACHMENT:
            return Content{.image = {VK_NULL_HANDLE, context.framebuffer.colors[0]->view, VK_IMAGE_LAYOUT_GENERAL}};
        case TGSI2SPV_RESOURCE_RECORDS:
            return Content{.buffer = context.records[descriptor.index]};
        default:
            return Content{};
    }
}

/// Empty contents, and writes of them.
void begin_contents(SetContents& contents, const std::vector<Descriptor>& descriptors) {
    size_t total = 0;
    for (const Descriptor& d : descriptors) total += d.count;
    contents.images.resize(total);
    contents.buffers.resize(total);
    contents.texels.resize(total);
    contents.writes.clear();
    size_t next = 0;
    for (const Descriptor& d : descriptors) {
        contents.writes.push_back({.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstBinding = d.binding,
                                   .descriptorCount = d.count,
                                   .descriptorType = d.type,
                                   .pImageInfo = &contents.images[next],
                                   .pBufferInfo = &contents.buffers[next],
                                   .pTexelBufferView = &contents.texels[next]});
        next += d.count;
    }
}

/// Looks up what a descriptor's elements hold, from `at` on. False: memory is short.
bool fill_contents(HostState& host, const Bindings& context, const Descriptor& d, SetContents& contents, size_t at) {
    const bool samples = d.type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || d.type == VK_DESCRIPTOR_TYPE_SAMPLER;
    for (uint32_t element = 0; element < d.count; element++, at++) {
        const auto content = content_of(host, context, d, element);
        if (!content || (samples && content->image.sampler == VK_NULL_HANDLE)) return false;
        contents.images[at] = content->image;
        contents.buffers[at] = content->buffer;
        contents.texels[at] = content->texels;
        if (content->image.imageView == VK_NULL_HANDLE) contents.images[at].imageView = d.dummy.view;
        if (content->buffer.buffer == VK_NULL_HANDLE && d.dummy.buffer != nullptr)
            contents.buffers[at] = {d.dummy.buffer->handle(), 0, d.dummy.buffer->size()};
        if (content->texels == VK_NULL_HANDLE) contents.texels[at] = d.dummy.texels;
    }
    return true;
}

/// The bindings of its stage from which a descriptor's content comes.
BoundBits sources_of(tgsi2spv_resource_kind kind) {
    switch (kind) {
        case TGSI2SPV_RESOURCE_CONSTANT_BUFFER:
            return bits_of(Bound::Constants, Bound::Uniforms);
        case TGSI2SPV_RESOURCE_STORAGE_BUFFER:
            return bits_of(Bound::Buffers);
        case TGSI2SPV_RESOURCE_STORAGE_IMAGE:
            return bits_of(Bound::Images);
        default:
            return bits_of(Bound::Views, Bound::Samplers);  // which filter as the views permit
    }
}

bool has_changed(const Changes& changes, const Descriptor& d) {
    if (d.kind == TGSI2SPV_RESOURCE_CONSTANT_BUFFER && d.index == kStateBuffer) return changes.has(Dirty::StateBuffer);
    if (d.kind == TGSI2SPV_RESOURCE_RECORDS || is_fetched(d.kind, d.index)) return true;
    if (d.kind == TGSI2SPV_RESOURCE_INPUT_ATTACHMENT) return changes.has(Dirty::Framebuffer);
    return (changes.of(d.stage) & sources_of(d.kind)).any();
}

/// Binds a set of `contents`, in which what has changed is looked up. Null: memory is short.
VkDescriptorSet bind_set(HostRecorder& host, const Bindings& context, const LinkedProgram& program, size_t index,
                         VkPipelineBindPoint point, SetContents& contents) {
    const auto& descriptors = program.descriptors[index];
    const bool all = !std::exchange(contents.complete, false);
    if (all) begin_contents(contents, descriptors);
    const VkDescriptorSet set = host.stream.descriptor_set(program.set_layouts[index], contents.images.size());
    if (set == VK_NULL_HANDLE) return set;
    size_t at = 0;
    for (const Descriptor& d : descriptors) {
        if ((all || has_changed(host.recorded.changes, d)) && !fill_contents(host, context, d, contents, at))
            return VK_NULL_HANDLE;
        at += d.count;
    }
    for (VkWriteDescriptorSet& write : contents.writes) write.dstSet = set;
    vkUpdateDescriptorSets(host.device->handle(), static_cast<uint32_t>(contents.writes.size()), contents.writes.data(),
                           0, nullptr);
    contents.complete = true;
    vkCmdBindDescriptorSets(host.stream.commands_in_scope(), point, program.layout, static_cast<uint32_t>(index), 1,
                            &set, 0, nullptr);
    return set;
}

/// The descriptor of a resource or a dummy.
template <class T>
void add_use(const T* used, bool writes, std::vector<vk::Use>& uses) {
    if (used == nullptr) return;
    const auto use = [&](const auto& object) {
        if (object != nullptr) uses.push_back(writes ? vk::writes(object) : vk::reads(object));
    };
    use(used->image);
    use(used->buffer);
}

const Resource* bound_resource(const Bindings& context, const LinkedProgram& program, const Descriptor& descriptor,
                               uint32_t element) {
    const auto get = [](const auto* bound) { return bound == nullptr ? nullptr : bound->resource.get(); };
    switch (descriptor.kind) {
        case TGSI2SPV_RESOURCE_CONSTANT_BUFFER:
            return get(bound_of(context.stage(descriptor.stage).uniforms, descriptor, element));
        case TGSI2SPV_RESOURCE_STORAGE_BUFFER:
            return get(bound_of(context.stage(descriptor.stage).buffers, descriptor, element));
        case TGSI2SPV_RESOURCE_STORAGE_IMAGE:
            return get(bound_of(context.stage(descriptor.stage).images, descriptor, element));
        case TGSI2SPV_RESOURCE_INPUT_ATTACHMENT:
            // Reads of a render pass are ordered in it.
            return program.color_reads == vk::ColorReads::None ? context.framebuffer.colors[0]->resource.get()
                                                               : nullptr;
        case TGSI2SPV_RESOURCE_SAMPLER:
        case TGSI2SPV_RESOURCE_RECORDS:  // emulation orders these
            return nullptr;
        default:
            return get(bound_view(context, descriptor, element));
    }
}

}  // namespace

void add_resources(const Bindings& context, const LinkedProgram& program, std::vector<vk::Use>& uses) {
    for (const auto& set : program.descriptors)
        for (const Descriptor& d : set) {
            add_use(&d.dummy, d.writes, uses);
            for (uint32_t element = 0; element < d.count; element++)
                add_use(bound_resource(context, program, d, element), d.writes, uses);
        }
}

bool bind_resources(HostRecorder& host, const Bindings& context, const std::shared_ptr<LinkedProgram>& linked,
                    VkPipelineBindPoint point, BoundSets& bound) {
    const LinkedProgram& program = *linked;
    if (std::exchange(bound.program, linked) != linked) {
        bound.sets = {};
        for (SetContents& contents : bound.contents) contents.complete = false;
    }
    for (size_t index = 0; index < program.descriptors.size(); index++) {
        const auto& descriptors = program.descriptors[index];
        VkDescriptorSet& set = bound.sets[index];
        if (descriptors.empty()) continue;
        const auto changed = [&](const Descriptor& d) { return has_changed(host.recorded.changes, d); };
        if (set != VK_NULL_HANDLE && std::ranges::none_of(descriptors, changed)) continue;
        set = bind_set(host, context, program, index, point, bound.contents[index]);
        if (set == VK_NULL_HANDLE) return false;
    }
    return true;
}

}  // namespace tgsi2spv::host
