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

/// Whether the last vertex's own bytes are in the buffer, and those that the device fetches are not.
bool ends_early(const BoundVertexBuffer& bound, uint64_t offset, const FormatInfo& own, const FetchedFormat& fetched) {
    const gpu::Buffer& buffer = *bound.resource->buffer;
    if (fetched.bytes <= own.block_bytes || offset + own.block_bytes > buffer.size()) return false;
    const uint64_t room = buffer.size() - offset - own.block_bytes;
    const uint64_t last = bound.stride == 0 ? offset : offset + room / bound.stride * bound.stride;
    return last + fetched.bytes > buffer.padded_size();
}

bool is_misaligned(const Host& host, const SubContext& context, const virgl::VertexElement& element) {
    const FetchedFormat format = vertex_format(*host.device, element.format);
    const BoundVertexBuffer* const bound = bound_buffer(context, element);
    if (format.vulkan == VK_FORMAT_UNDEFINED || bound == nullptr) return false;
    const gpu::Extras& extras = host.device->extras();
    const uint32_t alignment = alignment_of(format.vulkan);
    if (bound->stride != 0 && format.bytes > bound->stride && extras.portability.vertexAttributeAccessBeyondStride == 0)
        return true;
    const uint64_t offset = uint64_t{bound->offset} + element.offset;
    return offset % alignment != 0 || ends_early(*bound, offset, *format_info(element.format), format) ||
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

bool has_misaligned_vertices(const Host& host, const SubContext& context) {
    const auto& elements = context.elements->elements;
    return std::any_of(elements.begin(), elements.begin() + context.elements->count,
                       [&](const virgl::VertexElement& e) { return is_misaligned(host, context, e); });
}

AlignedVertices::AlignedVertices(Host& host, SubContext& context)
    : context_(context), elements_(context.elements), buffers_(context.vertex_buffers) {
    auto aligned = std::make_shared<virgl::CreateVertexElements>(*elements_);
    for (uint32_t i = 0; i < aligned->count; i++) {
        virgl::VertexElement& element = aligned->elements[i];
        if (!is_misaligned(host, context, element)) continue;
        const BoundVertexBuffer bound = *bound_buffer(context, element);
        const uint64_t unit = std::max(8U, host.device->extras().stride_alignment);
        const uint64_t bytes = vertex_format(*host.device, element.format).bytes,
                       stride = (bytes + unit - 1) / unit * unit;
        auto values = copy_values(host, bound, uint64_t{bound.offset} + element.offset, bytes, stride);
        if (values == nullptr) {
            complete_ = false;
            continue;
        }
        element.offset = 0;
        element.buffer = static_cast<uint8_t>(context.vertex_buffers.size());
        context.vertex_buffers.push_back({std::move(values), bound.stride == 0 ? 0 : static_cast<uint32_t>(stride), 0});
    }
    context.elements = std::move(aligned);
    context.mark_dirty(Dirty::Elements);
    context.mark_dirty(Dirty::VertexBuffers);
}

AlignedVertices::~AlignedVertices() {
    context_.elements = std::move(elements_);
    context_.vertex_buffers = std::move(buffers_);
    context_.mark_dirty(Dirty::Elements);
    context_.mark_dirty(Dirty::VertexBuffers);
}

}  // namespace tgsi2spv::host
