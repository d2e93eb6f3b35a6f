#include "renderer/record/vertices.h"

#include <algorithm>
#include <cstring>

#include "renderer/record/host_recorder.h"
#include "renderer/state/caps.h"

namespace tgsi2spv::host {
namespace {

uint32_t read_index(const std::byte* at, uint32_t size) {
    uint32_t value = 0;
    std::memcpy(&value, at, size);  // little endian, as the protocol
    return value;
}

/// Indices of 32 bits, with the guest's restart index replaced. The device must be done with the buffer's writers.
Problem rewrite(HostState& host, const std::shared_ptr<vk::Buffer>& source, VkDeviceSize offset, uint32_t size,
                uint32_t count, const virgl::Draw& command, std::optional<Indices>& indices) {
    if (!host.stream.wait(source->uses.last_batch)) return Problem::None;
    const VkDeviceSize bytes = VkDeviceSize{count} * 4;
    vk::Staging staging;
    if (command.indirect_resource == 0) {
        staging = host.stream.stage(bytes, 4);
    } else if (auto own = host.stream.make_buffer(std::max<VkDeviceSize>(bytes, 4))) {
        // Its draws may name any index of the buffer.
        std::memset(own->mapped(), 0, own->size());
        host.stream.keep(own);
        staging = {own, 0, own->mapped()};
    }
    if (staging.data == nullptr) return Problem::NoMemory;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = read_index(source->mapped() + offset + VkDeviceSize{i} * size, size);
        if (command.primitive_restart && index == command.restart_index) index = ~0U;
        std::memcpy(staging.data + VkDeviceSize{i} * 4, &index, 4);
    }
    indices = Indices{staging.buffer, staging.offset, VK_INDEX_TYPE_UINT32, count};
    return Problem::None;
}

constexpr virgl::VertexElement kNoElement{};  // of format 0, which does not exist

/// Where an attribute's values are. Draws for which a divisor is too large have one instance, or are emulated.
struct Fetch {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    uint32_t stride = 0, divisor = 0;
};

/// `skipped`: bytes of the element before the fetched ones.
Fetch fetch_of(const HostRecorder& host, const Bindings& context, const virgl::VertexElement& element, VkFormat format,
               uint32_t skipped) {
    const Fetch zeros{host.dummies.vertices(), 0, format, 0, element.divisor};
    const BoundVertexBuffer* const bound = bound_buffer(context, element);
    if (bound == nullptr) return zeros;
    const uint64_t offset = uint64_t{bound->offset} + element.offset + skipped;
    if (offset >= bound->resource->buffer->size()) return zeros;
    return {bound->resource->buffer->handle(), offset, format, bound->stride, element.divisor};
}

/// The second location of doubles: z and w, or zeros.
Fetch fetch_of_rest(const HostRecorder& host, const Bindings& context, const virgl::VertexElement& element,
                    uint32_t bytes) {
    if (bytes <= 16) return {host.dummies.vertices(), 0, VK_FORMAT_R32G32B32A32_UINT, 0, element.divisor};
    return fetch_of(host, context, element, bytes == 24 ? VK_FORMAT_R32G32_UINT : VK_FORMAT_R32G32B32A32_UINT, 16);
}

void add_fetch(VertexInput& in, const LinkedProgram& program, uint32_t location, uint32_t most, const Fetch& fetch) {
    if (location >= kMaxAttributes || (program.inputs >> location & 1) == 0) return;
    in.buffers[in.count] = fetch.buffer;
    in.offsets[in.count] = fetch.offset;
    in.bindings[in.count] = {
        .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
        .binding = in.count,
        .stride = fetch.stride,
        .inputRate = fetch.divisor == 0 ? VK_VERTEX_INPUT_RATE_VERTEX : VK_VERTEX_INPUT_RATE_INSTANCE,
        .divisor = std::clamp(fetch.divisor, 1U, most)};
    in.attributes[in.count] = {.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                               .location = location,
                               .binding = in.count,
                               .format = fetch.format};
    in.count++;
}

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
    const vk::Buffer& buffer = *bound.resource->buffer;
    if (fetched.bytes <= own.block_bytes || offset + own.block_bytes > buffer.size()) return false;
    const uint64_t room = buffer.size() - offset - own.block_bytes;
    const uint64_t last = bound.stride == 0 ? offset : offset + room / bound.stride * bound.stride;
    return last + fetched.bytes > buffer.padded_size();
}

}  // namespace

const BoundVertexBuffer* bound_buffer(const Bindings& context, const virgl::VertexElement& element) {
    if (element.buffer >= context.vertex_buffers.size()) return nullptr;
    const BoundVertexBuffer& bound = context.vertex_buffers[element.buffer];
    return bound.resource == nullptr ? nullptr : &bound;
}

bool is_misaligned(const HostRecorder& host, const Bindings& context, const virgl::VertexElement& element) {
    const FetchedFormat format = vertex_format(*host.device, element.format);
    const BoundVertexBuffer* const bound = bound_buffer(context, element);
    if (format.vulkan == VK_FORMAT_UNDEFINED || bound == nullptr) return false;
    const vk::Extras& extras = host.device->extras();
    const uint32_t alignment = alignment_of(format.vulkan);
    if (bound->stride != 0 && format.bytes > bound->stride && extras.portability.vertexAttributeAccessBeyondStride == 0)
        return true;
    const uint64_t offset = uint64_t{bound->offset} + element.offset;
    return offset % alignment != 0 || ends_early(*bound, offset, *format_info(element.format), format) ||
           bound->stride % std::max(alignment, extras.stride_alignment) != 0;
}

bool has_misaligned_vertices(const HostRecorder& host, const Bindings& context) {
    const auto& elements = context.elements->elements;
    return std::any_of(elements.begin(), elements.begin() + context.elements->count,
                       [&](const virgl::VertexElement& e) { return is_misaligned(host, context, e); });
}

void add_attributes(const vk::Device& device, const Bindings& context, ModuleState& state) {
    for (uint32_t i = 0; i < context.elements->count; i++) {
        const FetchedFormat format = vertex_format(device, context.elements->elements[i].format);
        state.attributes[i] = static_cast<uint8_t>(format.type);
        if (format.lacks_w) state.widened |= 1u << i;
    }
}

void add_vertices(const HostRecorder& host, const Bindings& context, std::vector<vk::Use>& uses) {
    if (host.dummies.zeros != nullptr) uses.push_back(vk::reads(host.dummies.zeros));
    for (const BoundVertexBuffer& b : context.vertex_buffers)
        if (b.resource != nullptr) uses.push_back(vk::reads(b.resource->buffer));
}

VertexInput describe_vertices(const HostRecorder& host, const Bindings& context, const LinkedProgram& program) {
    VertexInput in;
    const uint32_t most = largest_divisor(host.device->extras());
    uint32_t location = 0;
    for (uint32_t n = 0; location < kMaxAttributes && program.inputs >> location != 0; n++) {
        const virgl::VertexElement element = n < context.elements->count ? context.elements->elements[n] : kNoElement;
        const FetchedFormat format = vertex_format(*host.device, element.format);
        if (format.vulkan == VK_FORMAT_UNDEFINED) {
            add_fetch(in, program, location++, most, {.buffer = host.dummies.vertices()});
            continue;
        }
        add_fetch(in, program, location++, most, fetch_of(host, context, element, format.vulkan, 0));
        if (format.type == TGSI2SPV_NUMERIC_DOUBLE)
            add_fetch(in, program, location++, most, fetch_of_rest(host, context, element, format.bytes));
    }
    return in;
}

void record_vertices(HostRecorder& host, const Bindings& context, const LinkedProgram& program) {
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const VertexInput in = describe_vertices(host, context, program);
    if (host.device->extras().vertex_input.vertexInputDynamicState != 0) {
        std::vector<uint32_t> words{program.inputs};
        append_fixed(in, words);
        if (words != host.recorded.vertex_input)
            vkCmdSetVertexInputEXT(commands, in.count, in.bindings.data(), in.count, in.attributes.data());
        host.recorded.vertex_input = std::move(words);
    }
    if (in.count != 0) vkCmdBindVertexBuffers(commands, 0, in.count, in.buffers.data(), in.offsets.data());
}

void append_fixed(const VertexInput& in, std::vector<uint32_t>& key) {
    for (uint32_t i = 0; i < in.count; i++)
        key.insert(key.end(), {static_cast<uint32_t>(in.attributes[i].format), in.bindings[i].stride,
                               static_cast<uint32_t>(in.bindings[i].inputRate), in.bindings[i].divisor});
}

FixedVertices::FixedVertices(const VertexInput& in) {
    for (uint32_t i = 0; i < in.count; i++) {
        attributes.push_back({in.attributes[i].location, i, in.attributes[i].format, 0});
        bindings.push_back({i, in.bindings[i].stride, in.bindings[i].inputRate});
        if (in.bindings[i].divisor != 1) divisors.push_back({i, in.bindings[i].divisor});
    }
    info.vertexAttributeDescriptionCount = info.vertexBindingDescriptionCount = in.count;
    info.pVertexAttributeDescriptions = attributes.data();
    info.pVertexBindingDescriptions = bindings.data();
    divisor_info.vertexBindingDivisorCount = static_cast<uint32_t>(divisors.size());
    divisor_info.pVertexBindingDivisors = divisors.data();
    if (!divisors.empty()) info.pNext = &divisor_info;
}

vk::Staging stage_words(HostState& host, std::span<const uint32_t> words) {
    vk::Staging staging =
        host.stream.stage(words.size_bytes(), host.device->report().limits.minStorageBufferOffsetAlignment);
    if (staging.data != nullptr) std::memcpy(staging.data, words.data(), words.size_bytes());
    return staging;
}

Problem prepare_indices(HostState& host, const Bindings& context, const virgl::Draw& command,
                        std::optional<Indices>& indices) {
    if (context.index_buffer == nullptr) return Problem::None;
    const auto& buffer = context.index_buffer->buffer;
    const VkDeviceSize size = context.index_size, start = std::min<VkDeviceSize>(context.index_offset, buffer->size());
    // An indirect draw may name any index of the buffer.
    const VkDeviceSize wanted = command.indirect_resource != 0 ? UINT32_MAX : command.count;
    const auto count = static_cast<uint32_t>(std::min(wanted, (buffer->size() - start) / size));
    const uint32_t all_ones = ~0U >> (32 - 8 * context.index_size);  // Vulkan's restart index
    const bool other_restart = command.primitive_restart && command.restart_index != all_ones;
    const bool narrow = context.index_size == 1 && host.device->extras().index8.indexTypeUint8 == 0;
    if (other_restart || narrow || start % size != 0)
        return rewrite(host, buffer, start, context.index_size, count, command, indices);
    const VkIndexType type = size == 4   ? VK_INDEX_TYPE_UINT32
                             : size == 2 ? VK_INDEX_TYPE_UINT16
                                         : VK_INDEX_TYPE_UINT8_EXT;
    indices = Indices{buffer, start, type, count};
    return Problem::None;
}

}  // namespace tgsi2spv::host
