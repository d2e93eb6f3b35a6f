#include "renderer/state/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>

#include "renderer/state/caps.h"
#include "renderer/state/convert.h"
#include "renderer/state/host_state.h"
#include "renderer/state/reflected.h"
#include "renderer/state/resource.h"
#include "renderer/state/sampler.h"
#include "tgsi2spv/tgsi2spv_vulkan.h"

namespace tgsi2spv::host {
namespace {

Problem texture_view(SamplerView& view, const virgl::CreateSamplerView& command) {
    const vk::ImageInfo& info = view.resource->image->info();
    if (!view.resource->has_views_of(*view.format)) return {Problem::BadFormat, command.format};
    view.first_level = command.last_or_levels & 0xff;
    const uint32_t last_level = command.last_or_levels >> 8 & 0xff;
    if (const Problem p = check_range(view.first_level, last_level, info.levels)) return p;
    view.levels = last_level - view.first_level + 1;
    view.first_layer = command.first_or_layers & 0xffff;
    const uint32_t last_layer = command.first_or_layers >> 16;
    view.layers = 1;
    if (info.type == VK_IMAGE_TYPE_3D) {
        view.first_layer = 0;
    } else {
        if (const Problem p = check_range(view.first_layer, last_layer, info.layers)) return p;
        view.layers = last_layer - view.first_layer + 1;
    }
    return Problem::None;
}

Problem check_offset(uint64_t offset, uint64_t alignment, uint64_t size) {
    if (offset % alignment != 0) return {Problem::Misaligned, offset, alignment};
    return check_bytes(offset, 0, size);
}

const FormatInfo* format_of(const HostState& host, const Resource& resource, uint32_t number) {
    return resource.buffer != nullptr ? format_info(number) : format_info(number, host.depth24);
}

Problem buffer_view(const HostState& host, SamplerView& view, const virgl::CreateSamplerView& command) {
    const auto& limits = host.device->report().limits;
    const uint64_t texel = view.format->block_bytes, first = command.first_or_layers;
    const uint64_t last = command.last_or_levels;
    if (last < first || (last + 1) * texel > view.resource->buffer->size())
        return {Problem::BadRange, (std::max(first, last) + 1) * texel, view.resource->buffer->size()};
    // Vulkan requires no texel buffers of 16-bit normalised numbers.
    const VkFormat format = view.format->vulkan;
    if (format >= VK_FORMAT_R16_UNORM && format <= VK_FORMAT_R16G16B16A16_SFLOAT &&
        (host.device->format(format).bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT) == 0) {
        view.unorm16 = (format - VK_FORMAT_R16_UNORM) % 7 == 0;
        view.snorm16 = (format - VK_FORMAT_R16_UNORM) % 7 == 1;
    }
    view.offset = first * texel;
    view.bytes = std::min<uint64_t>(last + 1 - first, limits.maxTexelBufferElements) * texel;
    return check_offset(view.offset, limits.minTexelBufferOffsetAlignment, view.resource->buffer->size());
}

/// Wraps that are partly the shader's.
void add_wraps(ResourcesInShader& resources, const virgl::CreateSamplerState& s, uint32_t bit) {
    using W = virgl::Wrap;
    const bool linear = is_linear(s);
    const W wraps[] = {s.wrap_s, s.wrap_t, s.wrap_r};
    for (size_t axis = 0; axis < 3; axis++) {
        const W wrap = wraps[axis];
        const bool clamps = linear && (wrap == W::Clamp || wrap == W::MirrorClamp);
        const bool mirrors = wrap == W::MirrorClampToBorder || (linear && wrap == W::MirrorClamp);
        if (clamps) resources.clamped_coordinates[axis] |= bit;
        if (mirrors) resources.mirrored_coordinates[axis] |= bit;
        if (mirrors && s.mip_filter != virgl::MipFilter::None) resources.mirrored_levels |= bit;
    }
}

}  // namespace

Problem create(HostState& host, SubContext& context, const virgl::CreateVertexElements& command) {
    for (uint32_t i = 0; i < command.count; i++) {
        if (vertex_format(*host.device, command.elements[i].format).vulkan == VK_FORMAT_UNDEFINED)
            log_line(fmt::format("vertices of format {} are not supported; they read 0", command.elements[i].format));
    }
    return context.objects.add(command.handle, std::make_shared<const virgl::CreateVertexElements>(command));
}

/// Guests that find host_feature_check_version 16 or more number the first BUFFER by its binding in OpenGL, and the
/// others by their distance from it. Mesa 22.3 does not do so yet, and declares all of them from 0 on.
uint32_t first_buffer(std::string_view text) {
    constexpr std::string_view kDeclaration = "DCL BUFFER[";
    uint32_t first = virgl::kMaxShaderBuffers;
    for (size_t at = 0; (at = text.find(kDeclaration, at)) != std::string_view::npos;) {
        at += kDeclaration.size();
        uint32_t index = 0;
        if (std::from_chars(text.data() + at, text.data() + text.size(), index).ec == std::errc())
            first = std::min(first, index);
    }
    return first;
}

/// SPIR-V's number of the format; 0: it has none.
uint8_t storage_format_of(VkFormat format) {
    constexpr uint8_t kEnd = 42;
    uint8_t number = 1;
    while (number < kEnd && tgsi2spv_vulkan_storage_format(number) != format) number++;
    return number < kEnd ? number : 0;
}

/// The formats that the text names for its images, by SPIR-V's numbers.
std::array<uint8_t, virgl::kMaxShaderImages> named_formats(std::string_view text) {
    constexpr std::string_view kDeclaration = "DCL IMAGE[", kName = "PIPE_FORMAT_";
    std::array<uint8_t, virgl::kMaxShaderImages> formats{};
    for (size_t at = 0; (at = text.find(kDeclaration, at)) != std::string_view::npos;) {
        at += kDeclaration.size();
        const std::string_view line = text.substr(at, text.find('\n', at) - at);
        at += line.size();  // a line declares once, and may be as long as the text
        const size_t name = line.find(kName);
        uint32_t index = 0;
        if (std::from_chars(line.data(), line.data() + line.size(), index).ec != std::errc() ||
            index >= formats.size() || name == std::string_view::npos)
            continue;
        const std::string_view rest = line.substr(name + kName.size());
        if (const FormatInfo* format = format_info(rest.substr(0, rest.find_first_of(", "))); format != nullptr)
            formats[index] = storage_format_of(format->vulkan);
    }
    return formats;
}

/// Whether FRAG has a flat varying; built-in inputs are the same for all vertices.
bool has_flat_input(const Registers& inputs) {
    return std::ranges::any_of(inputs, [](const tgsi2spv_register& r) {
        return r.interpolation == TGSI2SPV_INTERPOLATION_FLAT && r.semantic != TGSI2SPV_SEMANTIC_FACE &&
               r.semantic != TGSI2SPV_SEMANTIC_PRIM_ID && r.semantic != TGSI2SPV_SEMANTIC_LAYER &&
               r.semantic != TGSI2SPV_SEMANTIC_VIEWPORT_INDEX;
    });
}

/// Whether the shader's outputs are within the device's limits: strides, bytes of a vertex, streams.
bool can_capture(const vk::Device& device, const Shader& shader) {
    const auto& limits = device.extras().feedback;
    if (!device.report().transform_feedback) return true;  // emulated
    std::array<uint32_t, virgl::kMaxStreamoutTargets> ends{}, of_streams{};
    for (const tgsi2spv_stream_output& o : shader.outputs) {
        ends[o.buffer] = std::max(ends[o.buffer], 4 * (o.offset + o.component_count));
        of_streams[o.stream] += 4 * o.component_count;
        if (o.stream >= limits.maxTransformFeedbackStreams ||
            ends[o.buffer] > limits.maxTransformFeedbackBufferDataSize ||
            of_streams[o.stream] > limits.maxTransformFeedbackStreamDataSize ||
            shader.strides[o.buffer] > limits.maxTransformFeedbackBufferDataStride / 4)
            return false;
    }
    return true;
}

/// Programs create equal shaders many times, and pipelines are compiled anew for each id: so equal texts share one. Of
/// one client, where a program has images that stand for missing ones: what one client stores there, another may read.
uint64_t shader_id(HostState& host, const virgl::ShaderText& text) {
    const size_t most_bytes = std::min<size_t>(size_t{16} << 20, host.budget.limit() / 16);
    constexpr size_t kNodeBytes = 128;  // a node of the map, and the string's block
    if (!text.so_outputs.empty()) return host.shader_ids.next++;
    const void* const owner = host.device->report().null_descriptor ? nullptr : host.client;
    std::string key = fmt::format("{} {} {} {}", owner, static_cast<int>(text.stage), text.shared_bytes, text.text());
    if (host.shader_ids.bytes + kNodeBytes + key.size() > most_bytes) {
        host.shader_ids.by_text.clear();
        host.shader_ids.bytes = 0;
    }
    const auto [at, is_new] = host.shader_ids.by_text.try_emplace(std::move(key), host.shader_ids.next);
    if (!is_new) return at->second;
    host.shader_ids.bytes += kNodeBytes + at->first.size();
    return host.shader_ids.next++;
}

/// Signed samplers of unsigned integers: the values are those of the components, whatever their size.
void add_unsigned_program(HostState& host, std::string_view text, Shader& shader) {
    constexpr std::string_view kDeclaration = "DCL SVIEW[";
    std::string changed(text);
    for (size_t at = 0; (at = changed.find(kDeclaration, at)) != std::string::npos;) {
        at += kDeclaration.size();
        const size_t end = std::min(changed.find('\n', at), changed.size());
        uint32_t number = 32;
        std::from_chars(changed.data() + at, changed.data() + end, number);
        for (size_t type = changed.find("SINT", at); type < end; type = changed.find("SINT", type)) {
            changed[type] = 'U';
            shader.signed_views |= number < 32 ? 1U << number : ~0U;
        }
    }
    if (shader.signed_views != 0) shader.unsigned_program = host.translator.parse(changed);
}

/// Parses the text, and the one for packed unsigned integers. False: memory is short. Programs are kept by id, so a
/// shader without one would be refused for good.
bool parse(HostState& host, std::string_view text, Shader& shader) {
    shader.program = host.translator.parse(text);
    if (shader.program) add_unsigned_program(host, text, shader);
    const bool complete = shader.program && (shader.signed_views == 0 || shader.unsigned_program);
    return complete || host.translator.status() != TGSI2SPV_ERROR_OUT_OF_MEMORY;
}

Problem create(HostState& host, SubContext& context, const virgl::CreateShader& command) {
    const auto has_room = [&](uint64_t bytes) { return or_reclaim(host, [&] { return host.budget.has_room(bytes); }); };
    if (!has_room(command.text.size_bytes())) return {Problem::Budget, host.budget.used(), host.budget.limit()};
    if (virgl::add_packet(context.text, command) != virgl::TextProblem::None) return {Problem::Text, command.handle};
    context.text_charge = vk::Charge(host.budget, context.text.bytes.capacity());
    if (!context.text.complete()) return Problem::None;
    auto shader = std::make_shared<Shader>();
    shader->id = shader_id(host, context.text);
    shader->stage = context.text.stage;
    shader->shared_bytes = context.text.shared_bytes;
    shader->first_buffer = first_buffer(context.text.text());
    const uint64_t bytes_of_outputs = context.text.so_outputs.size() * sizeof(tgsi2spv_stream_output);
    if (!has_room(bytes_of_outputs)) return {Problem::Budget, host.budget.used(), host.budget.limit()};
    shader->charge = vk::Charge(host.budget, bytes_of_outputs);
    shader->outputs.reserve(context.text.so_outputs.size());
    for (const virgl::StreamOutput& o : context.text.so_outputs) {
        shader->outputs.push_back(
            {o.register_index, o.first_component, o.component_count, o.buffer, o.offset, o.stream});
        shader->strides[o.buffer] = context.text.so_strides[o.buffer];
    }
    if (!or_reclaim(host, [&] { return parse(host, context.text.text(), *shader); }))
        return {Problem::Budget, host.budget.used(), host.budget.limit()};
    const std::string_view text = context.text.text();
    const auto names = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
    shader->queries_lod = names("LODQ");
    shader->fetches_texels = names("TXF");
    shader->has_multisampled = names("MSAA");
    shader->has_untyped_images = names("PIPE_FORMAT_NONE");
    shader->has_images = names("IMAGE[");
    shader->image_formats = named_formats(text);
    shader->fetches_color = names("FBFETCH");
    const Registers inputs = inputs_of(shader->program), outputs = outputs_of(shader->program),
                    values = system_values_of(shader->program);
    const bool frag = shader->stage == virgl::Stage::Frag;
    shader->reads_draw_id = have(values, TGSI2SPV_SEMANTIC_DRAW_ID);
    shader->reads_instance =
        have(values, TGSI2SPV_SEMANTIC_INSTANCE_ID) || have(values, TGSI2SPV_SEMANTIC_BASE_INSTANCE);
    shader->reads_primitive = have(inputs, TGSI2SPV_SEMANTIC_PRIM_ID) || have(values, TGSI2SPV_SEMANTIC_PRIM_ID);
    shader->reads_flat = frag && has_flat_input(inputs);
    shader->reads_color = frag && (have(inputs, TGSI2SPV_SEMANTIC_COLOR) || have(inputs, TGSI2SPV_SEMANTIC_COLOR, 1));
    if (shader->stage == virgl::Stage::TessEval) {
        const auto domain = static_cast<virgl::Primitive>(property_of(shader->program, "TES_PRIM_MODE", 0));
        shader->makes_points = property_of(shader->program, "TES_POINT_MODE", 0) != 0;
        shader->makes_lines = domain == virgl::Primitive::Lines;
    }
    if (shader->stage == virgl::Stage::Geom) {
        const auto strip = static_cast<uint32_t>(virgl::Primitive::TriangleStrip);
        const auto made = static_cast<virgl::Primitive>(property_of(shader->program, "GS_OUTPUT_PRIMITIVE", strip));
        shader->makes_points = made == virgl::Primitive::Points;
        shader->makes_lines = made == virgl::Primitive::LineStrip;
    }
    shader->writes_sample_mask = have(outputs, TGSI2SPV_SEMANTIC_SAMPLE_MASK);
    shader->writes_second_color = have(outputs, TGSI2SPV_SEMANTIC_COLOR, 1);
    if (!shader->program)
        for (size_t i = 0; i < host.translator.diagnostic_count(); i++) {
            const tgsi2spv_diagnostic d = host.translator.diagnostic(i);
            log_line(fmt::format("shader {}, line {}: {} [{}]", shader->id, d.line, d.message, d.code));
        }
    if (!can_capture(*host.device, *shader)) {
        log_line(fmt::format("shader {}: the device does not capture so many stream outputs", shader->id));
        shader->program = {};
    }
    dump_shader(host, shader->id, text);
    const uint32_t handle = context.text.handle;
    context.text = {};
    context.text_charge = {};
    const Problem added = context.objects.add(handle, Shared<Shader>(shader));
    return added == Problem::Budget && reclaim(host) ? context.objects.add(handle, Shared<Shader>(shader)) : added;
}

Problem create(HostState& host, SubContext& context, const virgl::CreateSamplerView& command) {
    auto view = std::make_shared<SamplerView>();
    view->resource = host.find_resource(command.resource);
    if (view->resource == nullptr) return {Problem::NoResource, command.resource};
    view->format = format_of(host, *view->resource, command.format);
    if (view->format == nullptr || view->format->has(kVertexOnly)) return {Problem::BadFormat, command.format};
    view->target = command.target;
    if (view->resource->image == nullptr && view->resource->buffer == nullptr)
        return {Problem::Incompatible, command.resource};
    const Problem problem =
        view->resource->image != nullptr ? texture_view(*view, command) : buffer_view(host, *view, command);
    if (problem != Problem::None) return problem;
    auto swizzle = compose(*view->format, command.swizzle);
    // An integer 1 is no 1 of these.
    if ((view->unorm16 || view->snorm16) && view->format->vulkan < VK_FORMAT_R16G16B16A16_UNORM)
        std::ranges::replace(swizzle, virgl::Swizzle::W, virgl::Swizzle::One);
    if (view->format->has(kDepth) || view->resource->buffer != nullptr ||
        host.device->extras().portability.imageViewFormatSwizzle == 0) {
        uint32_t packed = 0;
        for (size_t i = 0; i < 4; i++) packed |= static_cast<uint32_t>(swizzle[i]) << 3 * i;
        if (packed != kIdentitySwizzle) view->packed_swizzle = packed;
    } else {
        view->swizzle = to_vulkan(swizzle);
    }
    return context.objects.add(command.handle, Shared<SamplerView>(std::move(view)));
}

Problem create(HostState& host, SubContext& context, const virgl::CreateSurface& command) {
    auto surface = std::make_shared<Surface>();
    if (const Problem p = make_surface(host, command, *surface)) return p;
    return context.objects.add(command.handle, Shared<Surface>(std::move(surface)));
}

Problem create(HostState& host, SubContext& context, const virgl::CreateQuery& command) {
    auto query = std::make_shared<Query>();
    query->info = command;
    query->result = host.find_resource(command.resource);
    if (query->result == nullptr) return {Problem::NoResource, command.resource};
    return context.objects.add(command.handle, std::move(query));
}

Problem create(HostState& host, SubContext& context, const virgl::CreateStreamoutTarget& command) {
    auto target = std::make_shared<StreamoutTarget>();
    if (const Problem p = find_buffer(host, command.resource, target->resource)) return p;
    if (command.offset % 4 != 0) return {Problem::Misaligned, command.offset, 4};
    if (const Problem p = check_bytes(command.offset, command.size, target->resource->buffer->size())) return p;
    target->offset = command.offset;
    target->size = command.size;
    return context.objects.add(command.handle, std::move(target));
}

Problem bind(HostState&, SubContext& context, const virgl::BindObject& command) {
    switch (command.type) {
        case virgl::ObjectType::Blend:
            context.mark_dirty(Dirty::Blend);
            return context.objects.find(command.handle, context.blend);
        case virgl::ObjectType::Rasterizer:
            context.mark_dirty(Dirty::Rasterizer);
            return context.objects.find(command.handle, context.rasterizer);
        case virgl::ObjectType::DepthStencilAlpha:
            context.mark_dirty(Dirty::DepthStencil);
            return context.objects.find(command.handle, context.depth_stencil);
        case virgl::ObjectType::VertexElements:
            context.mark_dirty(Dirty::Elements);
            return context.objects.find(command.handle, context.elements);
        default:
            return {Problem::WrongObject, command.handle};
    }
}

Problem bind(HostState&, SubContext& context, const virgl::BindShader& command) {
    Shared<Shader> shader;
    if (const Problem p = context.objects.find(command.handle, shader)) return p;
    if (shader != nullptr && shader->stage != command.stage) return {Problem::WrongObject, command.handle};
    context.stage(command.stage).shader = std::move(shader);
    context.mark_dirty(Dirty::Shaders);
    return Problem::None;
}

Problem bind(HostState&, SubContext& context, const virgl::SetSamplerViews& command) {
    StageBindings& stage = context.stage(command.stage);
    context.changes.mark(command.stage, Bound::Views);
    uint32_t slot = command.start;
    for (const uint32_t handle : command.views)
        if (const Problem p = context.objects.find(handle, stage.views[slot++])) return p;
    for (; slot < stage.views.size(); slot++) stage.views[slot] = nullptr;
    const ResourcesInShader before = stage.in_shader;
    ResourcesInShader& now = stage.in_shader;
    now.swizzled_views = now.unorm16_buffers = now.snorm16_buffers = now.unsigned_views = 0;
    for (size_t i = 0; i < 32; i++)  // each names a sampler, of which there are at most 32
        if (const SamplerView* view = stage.views[i].get(); view != nullptr) {
            now.swizzled_views |= uint32_t{view->packed_swizzle.has_value()} << i;
            now.unorm16_buffers |= uint32_t{view->unorm16} << i;
            now.snorm16_buffers |= uint32_t{view->snorm16} << i;
            now.unsigned_views |= uint32_t{view->format->has(kUint)} << i;
        }
    // Packed swizzles are values of the pipeline.
    if (now.swizzled_views != 0 || now != before) context.mark_dirty(Dirty::Shaders);
    return Problem::None;
}

Problem bind(HostState&, SubContext& context, const virgl::BindSamplerStates& command) {
    StageBindings& stage = context.stage(command.stage);
    context.changes.mark(command.stage, Bound::Samplers);
    uint32_t slot = command.start;
    for (const uint32_t handle : command.samplers)
        if (const Problem p = context.objects.find(handle, stage.samplers[slot++])) return p;
    const ResourcesInShader before = stage.in_shader;
    stage.in_shader.clamped_coordinates = stage.in_shader.mirrored_coordinates = {};
    stage.in_shader.mirrored_levels = 0;
    for (size_t i = 0; i < stage.samplers.size(); i++)
        if (stage.samplers[i] != nullptr) add_wraps(stage.in_shader, *stage.samplers[i], 1u << i);
    if (stage.in_shader != before) context.mark_dirty(Dirty::Shaders);
    return Problem::None;
}

Problem bind(HostState& host, SubContext& context, const virgl::SetVertexBuffers& command) {
    context.vertex_buffers.assign(command.count, {});
    for (uint32_t i = 0; i < command.count; i++) {
        const virgl::VertexBuffer& b = command.buffers[i];
        if (b.resource == 0) continue;
        BoundVertexBuffer& bound = context.vertex_buffers[i];
        if (const Problem p = find_buffer(host, b.resource, bound.resource)) return p;
        const uint32_t longest = host.device->report().limits.maxVertexInputBindingStride;
        if (b.stride > longest) return {Problem::BadSize, b.stride, longest};
        bound.stride = b.stride;
        bound.offset = b.offset;
    }
    context.mark_dirty(Dirty::VertexBuffers);
    return Problem::None;
}

Problem bind(HostState& host, SubContext& context, const virgl::SetIndexBuffer& command) {
    context.index_buffer = nullptr;
    if (command.resource == 0) return Problem::None;
    if (const Problem p = find_buffer(host, command.resource, context.index_buffer)) return p;
    context.index_size = command.index_size;
    context.index_offset = command.offset;
    return Problem::None;
}

namespace {

Problem bind_range(const HostState& host, BoundRange& bound, uint32_t handle, uint64_t offset, uint64_t length,
                   VkDeviceSize alignment, VkDeviceSize most) {
    bound = {};
    if (handle == 0) return Problem::None;
    std::shared_ptr<Resource> resource;
    if (const Problem p = find_buffer(host, handle, resource)) return p;
    const VkDeviceSize size = resource->buffer->size();
    if (const Problem p = check_offset(offset, alignment, size)) return p;
    bound = {std::move(resource), offset, std::min<VkDeviceSize>({length, size - offset, most})};
    return Problem::None;
}

}  // namespace

Problem bind(HostState& host, SubContext& context, const virgl::SetUniformBuffer& command) {
    const auto& limits = host.device->report().limits;
    context.changes.mark(command.stage, Bound::Uniforms);
    return bind_range(host, context.stage(command.stage).uniforms[command.index], command.resource, command.offset,
                      command.length, limits.minUniformBufferOffsetAlignment, limits.maxUniformBufferRange);
}

Problem bind(HostState& host, SubContext& context, const virgl::SetShaderBuffers& command) {
    const auto& limits = host.device->report().limits;
    context.changes.mark(command.stage, Bound::Buffers);
    BoundRange* bound = &context.stage(command.stage).buffers[command.start];
    for (const virgl::BufferRange& range : std::span(command.buffers).first(command.count))
        if (const Problem p = bind_range(host, *bound++, range.resource, range.offset, range.length,
                                         limits.minStorageBufferOffsetAlignment, limits.maxStorageBufferRange))
            return p;
    return Problem::None;
}

namespace {

Problem bind_texels(const HostState& host, StorageImage& bound, const virgl::ShaderImage& command) {
    const auto& limits = host.device->report().limits;
    const VkDeviceSize size = bound.resource->buffer->size(), texel = bound.format->block_bytes;
    if (const Problem p = check_offset(command.layers_or_offset, limits.minTexelBufferOffsetAlignment, size)) return p;
    bound.offset = command.layers_or_offset;
    bound.bytes =
        std::min<VkDeviceSize>({command.level_or_size, size - bound.offset, limits.maxTexelBufferElements * texel}) /
        texel * texel;
    return Problem::None;
}

Problem bind_texture(StorageImage& bound, const virgl::ShaderImage& command) {
    const vk::ImageInfo& info = bound.resource->image->info();
    if (!bound.resource->has_views_of(*bound.format)) return {Problem::BadFormat, command.format};
    bound.level = command.level_or_size & 0xff;
    bound.first_layer = command.layers_or_offset & 0xffff;
    const uint32_t last = command.layers_or_offset >> 16;
    if (bound.level >= info.levels) return {Problem::BadLevel, bound.level, info.levels};
    if (const Problem p = check_range(bound.first_layer, last, bound.resource->slices(bound.level))) return p;
    bound.layers = last - bound.first_layer + 1;
    return Problem::None;
}

}  // namespace

Problem bind(HostState& host, SubContext& context, const virgl::SetShaderImages& command) {
    StageBindings& stage = context.stage(command.stage);
    context.changes.mark(command.stage, Bound::Images);
    const ResourcesInShader before = stage.in_shader;
    for (uint32_t i = 0; i < command.count; i++) {
        const virgl::ShaderImage& image = command.images[i];
        StorageImage next;
        stage.images[command.start + i] = {};
        stage.in_shader.images[command.start + i] = TGSI2SPV_NUMERIC_FLOAT;
        stage.in_shader.image_formats[command.start + i] = stage.in_shader.image_samples[command.start + i] = 0;
        if (image.resource == 0) continue;
        next.resource = host.find_resource(image.resource);
        if (next.resource == nullptr) return {Problem::NoResource, image.resource};
        next.format = format_of(host, *next.resource, image.format);
        if (next.format == nullptr || next.format->has(kDepthStencil | kCompressed | kVertexOnly))
            return {Problem::BadFormat, image.format};
        if (next.resource->image == nullptr && next.resource->buffer == nullptr)
            return {Problem::Incompatible, image.resource};
        const Problem p = next.resource->image != nullptr ? bind_texture(next, image) : bind_texels(host, next, image);
        if (p != Problem::None) return p;
        stage.in_shader.images[command.start + i] = static_cast<uint8_t>(numeric_type(*next.format));
        stage.in_shader.image_formats[command.start + i] = storage_format_of(next.format->vulkan);
        // A view that does not fit is a null descriptor, which has no samples to miss.
        if (host.device->report().null_descriptor && next.resource->image != nullptr)
            stage.in_shader.image_samples[command.start + i] =
                static_cast<uint8_t>(next.resource->image->info().samples);
        stage.images[command.start + i] = std::move(next);
    }
    if (stage.in_shader != before) context.mark_dirty(Dirty::Shaders);
    return Problem::None;
}

}  // namespace tgsi2spv::host
