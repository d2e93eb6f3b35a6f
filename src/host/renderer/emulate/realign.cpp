#include "renderer/emulate/realign.h"

#include <algorithm>
#include <cstring>

#include "renderer/emulate/arguments.h"
#include "renderer/record/host_recorder.h"
#include "renderer/record/vertices.h"
#include "renderer/state/caps.h"

namespace tgsi2spv::host {
namespace {

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

/// The range of an attribute.
VertexRanges::Range range_of(const VertexRanges& ranges, const virgl::VertexElement& element) {
    if (element.divisor == 0) return ranges.vertices;
    const auto [first, end] = ranges.instances;
    return first >= end ? ranges.instances
                        : VertexRanges::Range{first, first + (end - first - 1) / element.divisor + 1};
}

/// Null: memory is short.
std::shared_ptr<vk::Buffer> make_buffer(HostState& host, uint64_t bytes) {
    constexpr uint64_t kObjectBytes = 1024;  // on the CPU
    struct Counted {
        vk::Charge charge;
        std::shared_ptr<vk::Buffer> buffer;
    };
    const auto make = [&]() -> std::shared_ptr<vk::Buffer> {
        if (!host.budget.has_room(kObjectBytes)) return nullptr;
        auto buffer = vk::Buffer::create(*host.device, host.memory, bytes);
        if (buffer == nullptr) return buffer;
        const auto counted = std::make_shared<Counted>(Counted{vk::Charge(host.budget, kObjectBytes), buffer});
        return {counted, buffer.get()};
    };
    auto buffer = make();
    if (buffer == nullptr && host.stream.reclaim()) buffer = make();
    return buffer;
}

/// The element's values, `stride` apart, each at its own number. Null: memory is short, or the device is lost.
std::shared_ptr<Resource> copy_values(HostState& host, const BoundVertexBuffer& bound, uint64_t offset, uint64_t bytes,
                                      uint64_t stride, VertexRanges::Range range, bool certain) {
    const vk::Buffer& from = *bound.resource->buffer;
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

VertexRanges ranges_of(const DrawArguments& a, const VertexNumbers& numbers) {
    VertexRanges ranges;
    widen(ranges, a, numbers);
    return ranges;
}

std::optional<VertexRanges> ranges_of(HostState& host, const Bindings& context, const virgl::Draw& command) {
    VertexRanges ranges;
    if (command.indirect_resource != 0 || command.count_from_streamout != 0) {
        ranges = {.vertices = {0, UINT32_MAX}, .instances = {0, UINT32_MAX}, .certain = false};
        return ranges;
    }
    const auto add = [&](const DrawArguments& a) -> Problem {
        const auto numbers = numbers_of(host, context, command, a);
        if (!numbers) return Problem::NoMemory;
        if (numbers->count == 0) return Problem::None;
        widen(ranges, a, *numbers);
        return Problem::None;
    };
    return for_each_draw(host, command, add) == Problem::None ? std::optional(ranges) : std::nullopt;
}

std::optional<Bindings> align_vertices(HostRecorder& host, const Bindings& context, const VertexRanges& ranges) {
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
