#include "renderer/draw/realign.h"

#include <algorithm>
#include <cstring>

#include "renderer/draw/vertices.h"
#include "renderer/emulate/arguments.h"
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

bool is_misaligned(const Host& host, const Bindings& context, const virgl::VertexElement& element) {
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

void widen(VertexRanges::Range& range, uint64_t first, uint64_t end) {
    range = {std::min(range.first, first), std::max(range.end, end)};
}

void widen(VertexRanges& ranges, const DrawArguments& a, const VertexNumbers& numbers) {
    widen(ranges.instances, a.first_instance, uint64_t{a.first_instance} + a.instances);
    if (numbers.indices == nullptr) return widen(ranges.vertices, a.first, uint64_t{a.first} + numbers.count);
    ranges.certain = false;
    for (uint32_t i = 0; i < numbers.count; i++) {
        if (numbers.is_restart(i)) continue;
        const int64_t vertex = int64_t{numbers[i]} + a.bias;
        if (vertex >= 0) widen(ranges.vertices, static_cast<uint64_t>(vertex), static_cast<uint64_t>(vertex) + 1);
    }
}

/// Those of an attribute.
VertexRanges::Range range_of(const VertexRanges& ranges, const virgl::VertexElement& element) {
    if (element.divisor == 0) return ranges.vertices;
    const auto [first, end] = ranges.instances;
    return first >= end ? ranges.instances
                        : VertexRanges::Range{first, first + (end - first - 1) / element.divisor + 1};
}

std::shared_ptr<gpu::Buffer> make_buffer(Host& host, uint64_t bytes) {
    auto buffer = gpu::Buffer::create(*host.device, host.memory, bytes);
    if (buffer == nullptr && host.stream.reclaim()) buffer = gpu::Buffer::create(*host.device, host.memory, bytes);
    return buffer;
}

/// The element's values, `stride` apart, each at its own number. Null: memory is short, or the device is lost.
std::shared_ptr<Resource> copy_values(Host& host, const BoundVertexBuffer& bound, uint64_t offset, uint64_t bytes,
                                      uint64_t stride, VertexRanges::Range range, bool certain) {
    const gpu::Buffer& from = *bound.resource->buffer;
    const uint64_t rest = offset < from.size() ? from.size() - offset : 0;
    const uint64_t count = bound.stride == 0 ? 1 : (rest + bound.stride - 1) / bound.stride;
    const uint64_t end = bound.stride == 0 ? 1 : std::clamp<uint64_t>(range.end, 1, std::max<uint64_t>(count, 1)),
                   first = bound.stride == 0 ? 0 : std::min(range.first, end);
    auto values = std::make_shared<Resource>();
    values->buffer = make_buffer(host, end * stride);
    if (values->buffer == nullptr || !host.stream.wait(from.uses.written_batch)) return nullptr;
    std::byte* const to = values->buffer->mapped();
    // Beyond the end of a buffer, robustBufferAccess alone may read any of its bytes.
    const uint64_t read = certain && host.device->report().robust_buffer_access2 ? first : 0;
    std::memset(to + read * stride, 0, (end - read) * stride);
    for (uint64_t i = first; i < end; i++) {
        const uint64_t at = i * bound.stride;
        if (at < rest) std::memcpy(to + i * stride, from.mapped() + offset + at, std::min(bytes, rest - at));
    }
    return values;
}

}  // namespace

bool has_misaligned_vertices(const Host& host, const Bindings& context) {
    const auto& elements = context.elements->elements;
    return std::any_of(elements.begin(), elements.begin() + context.elements->count,
                       [&](const virgl::VertexElement& e) { return is_misaligned(host, context, e); });
}

VertexRanges ranges_of(const DrawArguments& a, const VertexNumbers& numbers) {
    VertexRanges ranges;
    widen(ranges, a, numbers);
    return ranges;
}

VertexRanges ranges_of(Host& host, const Bindings& context, const virgl::Draw& command) {
    VertexRanges ranges;
    if (command.indirect_resource != 0 || command.count_from_streamout != 0) {
        ranges = {.vertices = {0, UINT32_MAX}, .instances = {0, UINT32_MAX}, .certain = false};
        return ranges;
    }
    const auto add = [&](const DrawArguments& a) -> Problem {
        if (const auto numbers = numbers_of(host, context, command, a)) widen(ranges, a, *numbers);
        return Problem::None;
    };
    [[maybe_unused]] const Problem none = for_each_draw(host, command, add);
    return ranges;
}

std::optional<Bindings> align_vertices(Host& host, const Bindings& context, const VertexRanges& ranges) {
    Bindings copy = context;
    auto aligned = std::make_shared<virgl::CreateVertexElements>(*context.elements);
    for (uint32_t i = 0; i < aligned->count; i++) {
        virgl::VertexElement& element = aligned->elements[i];
        if (!is_misaligned(host, context, element)) continue;
        const BoundVertexBuffer& bound = *bound_buffer(context, element);
        const uint64_t unit = std::max(8U, host.device->extras().stride_alignment);
        const uint64_t bytes = vertex_format(*host.device, element.format).bytes,
                       stride = (bytes + unit - 1) / unit * unit;
        auto values = copy_values(host, bound, uint64_t{bound.offset} + element.offset, bytes, stride,
                                  range_of(ranges, element), ranges.certain);
        if (values == nullptr) return std::nullopt;
        element.offset = 0;
        element.buffer = static_cast<uint8_t>(copy.vertex_buffers.size());
        copy.vertex_buffers.push_back({std::move(values), bound.stride == 0 ? 0 : static_cast<uint32_t>(stride), 0});
    }
    copy.elements = std::move(aligned);
    return copy;
}

}  // namespace tgsi2spv::host
