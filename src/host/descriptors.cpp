#include "host/descriptors.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "host/sampler.h"

namespace tgsi2spv::host {
namespace {

/// A shader's declaration of an image and a view's kind: whether they fit (Vulkan, "Image Operations" validation).
bool fits(const Descriptor& d, const SamplerView& view) {
    const gpu::Image* image = view.resource->image.get();
    if (image == nullptr) return false;
    const gpu::ImageInfo& info = image->info();
    if (d.multisampled != (info.samples != VK_SAMPLE_COUNT_1_BIT)) return false;
    if (d.depth && (!view.format->has(kDepth))) return false;
    const tgsi2spv_component_type component = view.format->has(kUint)   ? TGSI2SPV_COMPONENT_UINT
                                              : view.format->has(kSint) ? TGSI2SPV_COMPONENT_INT
                                                                        : TGSI2SPV_COMPONENT_FLOAT;
    if (d.component != component) return false;
    switch (d.dim) {
        case TGSI2SPV_IMAGE_1D:
            return info.type == VK_IMAGE_TYPE_1D;
        case TGSI2SPV_IMAGE_2D:
            return info.type == VK_IMAGE_TYPE_2D;
        case TGSI2SPV_IMAGE_3D:
            return info.type == VK_IMAGE_TYPE_3D;
        case TGSI2SPV_IMAGE_CUBE:
            return (info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) != 0 && view.layers >= 6;
        default:
            return false;
    }
}

VkImageViewType view_type(const Descriptor& d) {
    switch (d.dim) {
        case TGSI2SPV_IMAGE_1D:
            return d.array ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
        case TGSI2SPV_IMAGE_3D:
            return VK_IMAGE_VIEW_TYPE_3D;
        case TGSI2SPV_IMAGE_CUBE:
            return d.array ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
        default:
            return d.array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
    }
}

VkImageView image_view(const Descriptor& d, const SamplerView& view) {
    uint32_t layers = view.layers;
    if (d.dim == TGSI2SPV_IMAGE_CUBE)
        layers = d.array ? layers / 6 * 6 : 6;
    else if (!d.array)
        layers = 1;
    return view.resource->image->view(
        {.type = view_type(d),
         .format = view.format->has(kDepth | kStencil) ? view.resource->image->info().format : view.format->vulkan,
         .aspects = view.format->has(kDepth)     ? VK_IMAGE_ASPECT_DEPTH_BIT
                    : view.format->has(kStencil) ? VK_IMAGE_ASPECT_STENCIL_BIT
                                                 : VK_IMAGE_ASPECT_COLOR_BIT,
         .first_level = view.first_level,
         .levels = view.levels,
         .first_layer = view.first_layer,
         .layers = layers,
         .swizzle = view.swizzle,
         .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
}

/// The content of a descriptor, in whichever of the members its type reads.
struct Content {
    VkDescriptorImageInfo image{};
    VkDescriptorBufferInfo buffer{};
    VkBufferView texels = VK_NULL_HANDLE;
};

const SamplerView* bound_view(const SubContext& c, const Descriptor& d, uint32_t element) {
    const uint32_t slot = d.index + element;
    return slot < virgl::kMaxSamplerViews ? c.stage(d.stage).views[slot].get() : nullptr;
}

Content image_content(Host& host, const SubContext& c, const Descriptor& d, uint32_t element) {
    Content content;
    content.image.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    const SamplerView* view = bound_view(c, d, element);
    if (view != nullptr && fits(d, *view)) content.image.imageView = image_view(d, *view);
    if (d.type != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) return content;
    const uint32_t slot = d.index + element;
    const Sampler* sampler = slot < virgl::kMaxSamplerStates ? c.stage(d.stage).samplers[slot].get() : nullptr;
    virgl::CreateSamplerState state = sampler == nullptr ? virgl::CreateSamplerState{} : sampler->state;
    // The guest's state may compare where the text does not, and the other way round: the text decides.
    state.compare_enable = d.depth;
    content.image.sampler =
        find_sampler(host, state, d.component != TGSI2SPV_COMPONENT_FLOAT, d.dim == TGSI2SPV_IMAGE_1D);
    return content;
}

VkBufferView texels_of(const Descriptor& d, const SamplerView* view) {
    if (view == nullptr || view->resource->buffer == nullptr || view->bytes == 0) return VK_NULL_HANDLE;
    const tgsi2spv_component_type component = view->format->has(kUint)   ? TGSI2SPV_COMPONENT_UINT
                                              : view->format->has(kSint) ? TGSI2SPV_COMPONENT_INT
                                                                         : TGSI2SPV_COMPONENT_FLOAT;
    if (d.component != component) return VK_NULL_HANDLE;
    return view->resource->buffer->view(view->format->vulkan, view->offset, view->bytes);
}

/// The library's state buffer: planes and stipple rows.
VkDescriptorBufferInfo state_buffer(Host& host, const SubContext& c) {
    constexpr size_t kBytes = TGSI2SPV_STATE_VECTORS * 16;
    const gpu::Staging staging =
        host.stream.stage(kBytes, host.device->report().limits.minUniformBufferOffsetAlignment);
    if (staging.data == nullptr) return {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
    std::memcpy(staging.data + TGSI2SPV_STATE_VECTOR_CLIP_PLANES * 16, c.clip_planes.data(), sizeof c.clip_planes);
    std::memcpy(staging.data + TGSI2SPV_STATE_VECTOR_POLYGON_STIPPLE * 16, c.stipple.data(), sizeof c.stipple);
    return {staging.buffer->handle(), staging.offset, kBytes};
}

Content constant_content(Host& host, const SubContext& c, const Descriptor& d, uint32_t element) {
    Content content;
    content.buffer = {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
    const uint32_t slot = d.index + element;
    if (slot == kStateBuffer) {
        content.buffer = state_buffer(host, c);
    } else if (slot < virgl::kMaxConstantBuffers) {
        if (const UniformBuffer& u = c.stage(d.stage).uniforms[slot]; u.resource != nullptr && u.length != 0)
            content.buffer = {u.resource->buffer->handle(), u.offset, u.length};
    }
    return content;
}

Content content_of(Host& host, const SubContext& c, const Descriptor& d, uint32_t element) {
    switch (d.kind) {
        case TGSI2SPV_RESOURCE_CONSTANT_BUFFER:
            return constant_content(host, c, d, element);
        case TGSI2SPV_RESOURCE_COMBINED_IMAGE:
            return image_content(host, c, d, element);
        case TGSI2SPV_RESOURCE_SAMPLED_IMAGE:
            if (d.dim == TGSI2SPV_IMAGE_BUFFER) return {.texels = texels_of(d, bound_view(c, d, element))};
            return image_content(host, c, d, element);
        default:
            break;
    }
    Content null;
    null.image.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    null.buffer = {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
    return null;
}

/// CONST[0] in the ring of constants, unless a buffer is bound in its place.
VkDescriptorBufferInfo upload_constants(Host& host, const StageBindings& stage) {
    if (const UniformBuffer& u = stage.uniforms[0]; u.resource != nullptr && u.length != 0)
        return {u.resource->buffer->handle(), u.offset, u.length};
    if (stage.constants.empty()) return {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
    const size_t bytes = stage.constants.size() * sizeof(uint32_t);
    const auto& limits = host.device->report().limits;
    const gpu::Staging staging = host.stream.stage(bytes, limits.minUniformBufferOffsetAlignment);
    if (staging.data == nullptr) return {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
    std::memcpy(staging.data, stage.constants.data(), bytes);
    return {staging.buffer->handle(), staging.offset, bytes};
}

bool write_set(Host& host, const SubContext& c, const LinkedProgram& program, size_t index) {
    const auto& descriptors = program.descriptors[index];
    const VkDescriptorSet set = host.stream.descriptor_set(program.set_layouts[index]);
    if (set == VK_NULL_HANDLE) return false;
    size_t total = 0;
    for (const Descriptor& d : descriptors) total += d.count;
    std::vector<VkDescriptorImageInfo> images(total);
    std::vector<VkDescriptorBufferInfo> buffers(total);
    std::vector<VkBufferView> texels(total);
    std::vector<VkWriteDescriptorSet> writes;
    size_t next = 0;
    for (const Descriptor& d : descriptors) {
        for (uint32_t element = 0; element < d.count; element++) {
            const Content content = d.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
                                        ? Content{.buffer = upload_constants(host, c.stage(d.stage))}
                                        : content_of(host, c, d, element);
            images[next + element] = content.image;
            buffers[next + element] = content.buffer;
            texels[next + element] = content.texels;
        }
        writes.push_back({.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                          .dstSet = set,
                          .dstBinding = d.binding,
                          .descriptorCount = d.count,
                          .descriptorType = d.type,
                          .pImageInfo = &images[next],
                          .pBufferInfo = &buffers[next],
                          .pTexelBufferView = &texels[next]});
        next += d.count;
    }
    vkUpdateDescriptorSets(host.device->handle(), static_cast<uint32_t>(writes.size()), writes.data(), 0, nullptr);
    host.recorded.sets[index] = set;
    return true;
}

}  // namespace

void declare_resources(Host& host, const SubContext& c, const LinkedProgram& program) {
    for (const auto& set : program.descriptors)
        for (const Descriptor& d : set)
            for (uint32_t element = 0; element < d.count; element++) {
                if (d.kind == TGSI2SPV_RESOURCE_CONSTANT_BUFFER) {
                    const uint32_t slot = d.index + element;
                    if (slot >= virgl::kMaxConstantBuffers) continue;
                    if (const auto& r = c.stage(d.stage).uniforms[slot].resource; r != nullptr)
                        host.stream.read(r->buffer);
                } else if (const SamplerView* view = bound_view(c, d, element); view != nullptr) {
                    if (view->resource->image != nullptr) host.stream.read(view->resource->image);
                    if (view->resource->buffer != nullptr) host.stream.read(view->resource->buffer);
                }
            }
}

bool bind_resources(Host& host, SubContext& c, const LinkedProgram& program) {
    for (size_t index = 0; index < program.descriptors.size(); index++) {
        if (program.descriptors[index].empty()) continue;
        if (!write_set(host, c, program, index)) return false;
        const uint32_t zeros[8] = {};
        const auto dynamic = static_cast<uint32_t>(std::ranges::count(
            program.descriptors[index], VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, &Descriptor::type));
        vkCmdBindDescriptorSets(host.stream.commands_in_scope(), VK_PIPELINE_BIND_POINT_GRAPHICS, program.layout,
                                static_cast<uint32_t>(index), 1, &host.recorded.sets[index], dynamic, zeros);
    }
    return true;
}

}  // namespace tgsi2spv::host
