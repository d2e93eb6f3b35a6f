#include "renderer/emulate/fetch.h"

#include <algorithm>
#include <optional>
#include <span>

#include "renderer/emulate/host_emulator.h"
#include "renderer/record/vertices.h"
#include "renderer/state/caps.h"

namespace tgsi2spv::host {
namespace {

using enum AttributeType;

/// Vulkan lists UNORM, SNORM, USCALED, SSCALED, UINT and SINT of a layout one after the other.
constexpr std::array<AttributeType, 6> kTypes{Unorm, Snorm, Uscaled, Sscaled, Uint, Sint};

struct Family {
    VkFormat first;  ///< UNORM
    uint32_t formats;
    AttributeLayout layout;
};
constexpr std::array<uint32_t, 4> k8{0, 8, 16, 24}, k16{0, 16, 32, 48}, k32{0, 32, 64, 96}, kBgra{16, 8, 0, 24};
constexpr Family kFamilies[] = {
    {VK_FORMAT_R8_UNORM, 6, {Unorm, {8}, k8}},
    {VK_FORMAT_R8G8_UNORM, 6, {Unorm, {8, 8}, k8}},
    {VK_FORMAT_R8G8B8_UNORM, 6, {Unorm, {8, 8, 8}, k8}},
    {VK_FORMAT_B8G8R8_UNORM, 6, {Unorm, {8, 8, 8}, kBgra}},
    {VK_FORMAT_R8G8B8A8_UNORM, 6, {Unorm, {8, 8, 8, 8}, k8}},
    {VK_FORMAT_B8G8R8A8_UNORM, 6, {Unorm, {8, 8, 8, 8}, kBgra}},
    {VK_FORMAT_A8B8G8R8_UNORM_PACK32, 6, {Unorm, {8, 8, 8, 8}, k8}},
    {VK_FORMAT_A2R10G10B10_UNORM_PACK32, 6, {Unorm, {10, 10, 10, 2}, {20, 10, 0, 30}}},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 6, {Unorm, {10, 10, 10, 2}, {0, 10, 20, 30}}},
    {VK_FORMAT_R16_UNORM, 6, {Unorm, {16}, k16}},
    {VK_FORMAT_R16G16_UNORM, 6, {Unorm, {16, 16}, k16}},
    {VK_FORMAT_R16G16B16_UNORM, 6, {Unorm, {16, 16, 16}, k16}},
    {VK_FORMAT_R16G16B16A16_UNORM, 6, {Unorm, {16, 16, 16, 16}, k16}},
    {VK_FORMAT_R16_SFLOAT, 1, {Float, {16}, k16}},
    {VK_FORMAT_R16G16_SFLOAT, 1, {Float, {16, 16}, k16}},
    {VK_FORMAT_R16G16B16_SFLOAT, 1, {Float, {16, 16, 16}, k16}},
    {VK_FORMAT_R16G16B16A16_SFLOAT, 1, {Float, {16, 16, 16, 16}, k16}},
    {VK_FORMAT_R32_UINT, 3, {Uint, {32}, k32}},
    {VK_FORMAT_R32G32_UINT, 3, {Uint, {32, 32}, k32}},
    {VK_FORMAT_R32G32B32_UINT, 3, {Uint, {32, 32, 32}, k32}},
    {VK_FORMAT_R32G32B32A32_UINT, 3, {Uint, {32, 32, 32, 32}, k32}},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 1, {Float, {11, 11, 10}, {0, 11, 22}}},
};

AttributeType type_of(const FormatInfo& format, const Family& family) {
    const auto place = static_cast<uint32_t>(format.vulkan - family.first);
    if (format.has(kUscaled)) return Uscaled;
    if (format.has(kSscaled)) return Sscaled;
    if (format.has(kFixed)) return Fixed;
    if (format.has(kUnorm32)) return Unorm;
    if (format.has(kSnorm32)) return Snorm;
    if (family.formats == 3) return place == 2 ? Float : place == 1 ? Sint : Uint;
    return family.formats == 1 ? family.layout.type : kTypes[place];
}

/// The range of a buffer with the elements of an attribute, from which `push` counts. Empty: there are none.
std::optional<VkDescriptorBufferInfo> find_elements(const HostState& host, const Bindings& context,
                                                    const virgl::VertexElement& element, uint32_t bytes,
                                                    FetchPush& push) {
    const BoundVertexBuffer* const bound = bound_buffer(context, element);
    if (bound == nullptr) return std::nullopt;
    const VkPhysicalDeviceLimits& limits = host.device->report().limits;
    const VkDeviceSize size = bound->resource->buffer->size();
    VkDeviceSize begin = uint64_t{bound->offset} + element.offset;
    // Bytes before the first element are left out where the device does not reach all.
    if (size > limits.maxStorageBufferRange && static_cast<int32_t>(push.first) >= 0) {
        const uint32_t skipped = push.first + (push.divisor == 0 ? 0 : push.first_instance / push.divisor);
        begin += uint64_t{skipped} * bound->stride;
        push.first -= skipped;
    }
    if (begin >= size || size - begin < bytes) return std::nullopt;
    const VkDeviceSize offset = begin / limits.minStorageBufferOffsetAlignment * limits.minStorageBufferOffsetAlignment;
    const VkDeviceSize range = std::min<VkDeviceSize>(size - offset, limits.maxStorageBufferRange);
    push.start = static_cast<uint32_t>(begin - offset);
    push.stride = bound->stride;
    if (range - push.start >= bytes)
        push.most = push.stride == 0 ? ~0U
                                     : static_cast<uint32_t>(std::min<VkDeviceSize>(
                                           (range - push.start - bytes) / push.stride + 1, UINT32_MAX));
    // The last element may end inside a word, which the buffer has as a whole.
    return VkDescriptorBufferInfo{bound->resource->buffer->handle(), offset,
                                  std::min<VkDeviceSize>(vk::whole_words(range), limits.maxStorageBufferRange)};
}

}  // namespace

AttributeLayout attribute_layout(const FormatInfo& format) {
    if (format.has(kDouble)) {
        AttributeLayout layout{.type = Double, .shifts = {0, 64, 128, 192}};
        for (uint32_t c = 0; c < format.block_bytes / 8U; c++) layout.bits[c] = 64;
        return layout;
    }
    const auto family = std::ranges::find_if(kFamilies, [&](const Family& f) {
        return format.vulkan >= f.first && static_cast<uint32_t>(format.vulkan - f.first) < f.formats;
    });
    if (family == std::end(kFamilies)) return {};
    AttributeLayout layout = family->layout;
    layout.type = type_of(format, *family);
    return layout;
}

namespace {

/// The bytes of an attribute that the device fetches, in whatever format. Null: it reads 0, emulated or not.
const FormatInfo* guest_format(const HostState& host, uint32_t number) {
    return vertex_format(*host.device, number).vulkan == VK_FORMAT_UNDEFINED ? nullptr : format_info(number);
}

/// A parameter of VERT: the first word of an attribute, and how many components are there.
constexpr uint64_t kMostWords = 1U << 24;
uint32_t place_of(uint64_t word, uint32_t components) {
    return static_cast<uint32_t>(word | uint64_t{components} << 24);
}

/// An attribute of all vertices, in bytes of a buffer.
struct InPlace {
    std::shared_ptr<vk::Buffer> buffer;
    uint64_t begin = 0, end = 0;
    uint32_t stride = 0, components = 0;
};

/// Empty: VERT cannot read it there.
std::optional<InPlace> find_attribute(const HostState& host, const Bindings& context, uint32_t first, uint32_t records,
                                      uint32_t slot) {
    if (slot >= context.elements->count) return std::nullopt;
    const virgl::VertexElement& element = context.elements->elements[slot];
    const FormatInfo* const format = guest_format(host, element.format);
    const BoundVertexBuffer* const bound = bound_buffer(context, element);
    if (format == nullptr || element.divisor != 0 || bound == nullptr) return std::nullopt;
    const AttributeLayout layout = attribute_layout(*format);
    // Attributes without w have 1.0 there.
    if (!layout.is_words() || (layout.bits[3] == 0 && layout.type != Float)) return std::nullopt;
    const uint64_t size = bound->resource->buffer->size(), stride = bound->stride, last = uint64_t{first} + records - 1;
    if (stride != 0 && last > size / stride) return std::nullopt;
    const uint64_t offset = uint64_t{bound->offset} + element.offset, begin = offset + uint64_t{first} * stride,
                   end = offset + last * stride + format->block_bytes;
    if (begin % 4 != 0 || stride % 4 != 0 || end > size) return std::nullopt;
    return InPlace{bound->resource->buffer, begin, end, bound->stride, format->block_bytes / 4U};
}

/// An attribute that VERT reads. Without a format: zeros.
bool fetch_attribute(HostEmulator& host, const Bindings& context, const FetchedVertices& vertices, uint32_t slot,
                     uint32_t slots) {
    const bool is_bound = slot < context.elements->count;
    const virgl::VertexElement element = is_bound ? context.elements->elements[slot] : virgl::VertexElement{};
    const FormatInfo* const format = is_bound ? guest_format(host, element.format) : nullptr;
    FetchPush push{.invocations = vertices.invocations,
                   .listed = vertices.listed,
                   .slot = slot,
                   .slots = slots,
                   .first = element.divisor == 0 ? vertices.first : vertices.base_instance,
                   .first_instance = vertices.first_instance,
                   .divisor = element.divisor};
    const VkDescriptorBufferInfo inputs = whole(host.emulation.inputs);
    VkDescriptorBufferInfo elements = vertices.list;  // none is read
    const AttributeLayout layout = format == nullptr ? AttributeLayout{} : attribute_layout(*format);
    if (layout.bits[0] != 0) {
        push.one = layout.type == Uint || layout.type == Sint ? 1 : 0x3f80'0000;
        push.bits = layout.bits;
        push.shifts = layout.shifts;
        elements = find_elements(host, context, element, format->block_bytes, push).value_or(elements);
    }
    const bool is_aligned = push.start % 4 == 0 && push.stride % 4 == 0;
    const AttributeType type = layout.is_words() && is_aligned ? Words : layout.type;
    return bind_buffers(host, {{elements, inputs, vertices.list, inputs, inputs, inputs, inputs}}) &&
           run_kernel(host, Kernel::Fetch, {.pass = static_cast<uint32_t>(type)}, std::as_bytes(std::span(&push, 1)),
                      vertices.invocations);
}

}  // namespace

std::optional<Attributes> find_in_place(const HostState& host, const Bindings& context, uint32_t first,
                                        uint32_t records, uint32_t slots) {
    const VkPhysicalDeviceLimits& limits = host.device->report().limits;
    std::vector<InPlace> all;
    uint64_t begin = UINT64_MAX, end = 0;
    for (uint32_t slot = 0; slot < slots; slot++) {
        const auto found = find_attribute(host, context, first, records, slot);
        if (!found || (slot != 0 && (found->buffer != all[0].buffer || found->stride != all[0].stride)))
            return std::nullopt;
        begin = std::min(begin, found->begin);
        end = std::max(end, found->end);
        all.push_back(*found);
    }
    if (all.empty()) return std::nullopt;
    begin = begin / limits.minStorageBufferOffsetAlignment * limits.minStorageBufferOffsetAlignment;
    if (end - begin > limits.maxStorageBufferRange) return std::nullopt;
    Attributes a{.buffer = all[0].buffer,
                 .range = {all[0].buffer->handle(), begin, end - begin},
                 .words_of_vertex = all[0].stride / 4};
    for (const InPlace& i : all) {
        if (i.begin - begin >= 4 * kMostWords) return std::nullopt;
        a.places.push_back(place_of((i.begin - begin) / 4, i.components));
    }
    return a;
}

std::optional<Attributes> fetch_attributes(HostEmulator& host, const Bindings& context, const FetchedVertices& vertices,
                                           uint32_t slots) {
    Emulation& e = host.emulation;
    if (!grow(host, e.inputs, uint64_t{16} * vertices.invocations * slots)) return std::nullopt;
    std::vector<vk::Use> uses{vk::writes(e.inputs)};
    add_vertices(host, context, uses);
    host.stream.end_scope();
    host.stream.order(uses);
    for (uint32_t slot = 0; slot < slots; slot++)
        if (!fetch_attribute(host, context, vertices, slot, slots)) return std::nullopt;
    Attributes fetched{.buffer = e.inputs, .range = whole(e.inputs), .words_of_invocation = 4 * slots};
    for (uint32_t slot = 0; slot < slots; slot++) fetched.places.push_back(place_of(4 * slot, 4));
    return fetched;
}

}  // namespace tgsi2spv::host
