#include "renderer/draw/realign.h"

#include <algorithm>
#include <cstring>

#include "renderer/draw/vertices.h"
#include "renderer/host.h"

namespace tgsi2spv::host {
namespace {

/// The alignment of an attribute's address: a component, or the whole of packed formats (Vulkan, "Vertex Input
/// Extraction").
uint32_t alignment_of(VkFormat format) {
    if (format >= VK_FORMAT_R8_UNORM && format <= VK_FORMAT_B8G8R8A8_SRGB) return 1;
    if (format <= VK_FORMAT_A1R5G5B5_UNORM_PACK16) return 2;
    if (format >= VK_FORMAT_R16_UNORM && format <= VK_FORMAT_R16G16B16A16_SFLOAT) return 2;
    if (format >= VK_FORMAT_R64_UINT && format <= VK_FORMAT_R64G64B64A64_SFLOAT) return 8;
    return 4;
}

bool is_misaligned(const Host& host, const Bindings& context, const virgl::VertexElement& element) {
    const FormatInfo* const format = vertex_format(host, element.format);
    const BoundVertexBuffer* const bound = bound_buffer(context, element);
    if (format == nullptr || bound == nullptr) return false;
    const gpu::Extras& extras = host.device->extras();
    const uint32_t alignment = alignment_of(format->vulkan);
    if (bound->stride != 0 && format->block_bytes > bound->stride &&
        extras.portability.vertexAttributeAccessBeyondStride == 0)
        return true;
    return (uint64_t{bound->offset} + element.offset) % alignment != 0 ||
           bound->stride % std::max(alignment, extras.stride_alignment) != 0;
}

/// The element's values one after the other. Null: memory is short, or the device is lost.
std::shared_ptr<Resource> copy_values(Host& host, const BoundVertexBuffer& bound, uint64_t offset, uint64_t bytes,
                                      uint64_t stride) {
    constexpr uint64_t kMostBytes = 64U << 20;
    const gpu::Buffer& from = *bound.resource->buffer;
    const uint64_t rest = offset < from.size() ? from.size() - offset : 0;
    const uint64_t count = bound.stride == 0 ? 1 : (rest + bound.stride - 1) / bound.stride;
    if (std::max<uint64_t>(count, 1) * stride > kMostBytes) return nullptr;
    auto values = std::make_shared<Resource>();
    values->buffer = gpu::Buffer::create(*host.device, host.memory, std::max<uint64_t>(count, 1) * stride);
    if (values->buffer == nullptr || !host.stream.wait(from.uses.last_batch)) return nullptr;
    std::memset(values->buffer->mapped(), 0, values->buffer->size());
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = i * bound.stride;
        if (at < rest)
            std::memcpy(values->buffer->mapped() + i * stride, from.mapped() + offset + at, std::min(bytes, rest - at));
    }
    return values;
}

}  // namespace

bool has_misaligned_vertices(const Host& host, const Bindings& context) {
    const auto& elements = context.elements->elements;
    return std::any_of(elements.begin(), elements.begin() + context.elements->count,
                       [&](const virgl::VertexElement& e) { return is_misaligned(host, context, e); });
}

std::optional<Bindings> align_vertices(Host& host, const Bindings& context) {
    Bindings copy = context;
    auto aligned = std::make_shared<virgl::CreateVertexElements>(*context.elements);
    for (uint32_t i = 0; i < aligned->count; i++) {
        virgl::VertexElement& element = aligned->elements[i];
        if (!is_misaligned(host, context, element)) continue;
        const BoundVertexBuffer& bound = *bound_buffer(context, element);
        const uint64_t unit = std::max(8U, host.device->extras().stride_alignment);
        const uint64_t bytes = vertex_format(host, element.format)->block_bytes,
                       stride = (bytes + unit - 1) / unit * unit;
        auto values = copy_values(host, bound, uint64_t{bound.offset} + element.offset, bytes, stride);
        if (values == nullptr) return std::nullopt;
        element.offset = 0;
        element.buffer = static_cast<uint8_t>(copy.vertex_buffers.size());
        copy.vertex_buffers.push_back({std::move(values), bound.stride == 0 ? 0 : static_cast<uint32_t>(stride), 0});
    }
    copy.elements = std::move(aligned);
    return copy;
}

}  // namespace tgsi2spv::host
