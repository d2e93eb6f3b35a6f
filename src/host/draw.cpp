#include "host/draw.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "host/condition.h"
#include "host/convert.h"
#include "host/descriptors.h"
#include "host/dynamic_state.h"
#include "host/framebuffer.h"
#include "host/indirect.h"
#include "host/pipeline.h"
#include "host/query.h"
#include "host/stream_out.h"
#include "host/vertices.h"

namespace tgsi2spv::host {
namespace {

/// What a draw needs, or it draws nothing: gallium's state trackers bind all of it.
bool is_complete(const SubContext& c) {
    return c.blend != nullptr && c.rasterizer != nullptr && c.depth_stencil != nullptr && c.elements != nullptr &&
           c.stage(virgl::Stage::Vert).shader != nullptr &&
           (c.stage(virgl::Stage::Frag).shader != nullptr || c.rasterizer->discard) && c.framebuffer.width != 0 &&
           c.framebuffer.height != 0;
}

/// Patches and evaluation shaders come together, and so do both kinds of tessellation shaders.
bool has_fitting_stages(const SubContext& c, const virgl::Draw& command) {
    const bool patches = command.mode == virgl::Primitive::Patches;
    const bool evaluates = c.stage(virgl::Stage::TessEval).shader != nullptr;
    return patches == evaluates && (evaluates || c.stage(virgl::Stage::TessCtrl).shader == nullptr);
}

/// The stage whose outputs are captured.
const Shader& last_vertex_stage(const SubContext& c) {
    for (const virgl::Stage stage : {virgl::Stage::Geom, virgl::Stage::TessEval})
        if (const Shader* shader = c.stage(stage).shader.get(); shader != nullptr) return *shader;
    return *c.stage(virgl::Stage::Vert).shader;
}

ModuleState module_state(const SubContext& c, VkPrimitiveTopology topology, uint32_t patch_vertices) {
    ModuleState s;
    for (size_t i = 0; i < kGraphicsStages.size(); i++)
        if (const StageBindings& stage = c.stage(kGraphicsStages[i]); stage.shader != nullptr) {
            s.shaders[i] = stage.shader->id;
            s.textures[i] = stage.in_shader;
        }
    s.attributes = attribute_types(c);
    if (s.shaders[1] == 0 && topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST)
        s.patch_vertices = static_cast<uint8_t>(patch_vertices);
    s.captured = captured_buffers(c, last_vertex_stage(c));
    const auto& colors = c.framebuffer.colors;
    for (size_t i = 0; i < colors.size(); i++)
        if (colors[i] != nullptr)
            s.targets[i] = static_cast<uint8_t>(colors[i]->format->has(kUint)   ? TGSI2SPV_NUMERIC_UINT
                                                : colors[i]->format->has(kSint) ? TGSI2SPV_NUMERIC_SINT
                                                                                : TGSI2SPV_NUMERIC_FLOAT);
    const virgl::CreateRasterizer& r = *c.rasterizer;
    const bool integer = !colors.empty() && s.targets[0] != TGSI2SPV_NUMERIC_FLOAT;
    s.flat_shade = r.flatshade;
    s.two_sided = r.two_sided;
    s.alpha_test = c.depth_stencil->alpha_enable && !integer;
    s.stipple = r.poly_stipple && class_of(topology) == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    s.clip = r.clip_planes != 0;
    s.points = topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    s.sprites = s.points && r.point_quads && r.sprite_mask != 0;
    const virgl::BlendTarget& t = c.blend->targets[0];
    s.dual_source = t.enable && reads_second_source(t);
    return s;
}

/// A new command buffer knows nothing, and another sub-context has other bindings.
void begin_recording(Host& host, SubContext& c) {
    if (host.recorded.batch == host.stream.current() && host.recorded.context == &c) return;
    host.recorded = {};
    host.recorded.batch = host.stream.current();
    host.recorded.context = &c;
    c.dirty.set();
}

/// A draw, as far as it is understood.
struct Drawing {
    const virgl::Draw& command;
    VkPrimitiveTopology topology{};
    uint32_t patch_vertices = 0;
    Verdict verdict{};
    LinkedProgram* program = nullptr;
    std::optional<IndirectDraws> indirect{};
    std::optional<Indices> indices{};
    std::optional<CapturedCount> captured_count{};  ///< of vertices, by stream output

    bool captures(const Host& host) const { return host.recorded.module_state.captured != 0; }
};

void choose_program(Host& host, SubContext& c, Drawing& d) {
    const auto any = [&](auto... bits) { return (c.is_dirty(bits) || ...); };
    using D = Dirty;
    const bool changed = any(D::Shaders, D::Rasterizer, D::DepthStencil, D::Blend, D::Elements, D::Framebuffer) ||
                         d.topology != host.recorded.topology || d.patch_vertices != host.recorded.patch_vertices ||
                         host.recorded.program == nullptr;
    if (changed) {
        const ModuleState state = module_state(c, d.topology, d.patch_vertices);
        if (host.recorded.program == nullptr || state != host.recorded.module_state) {
            host.recorded.module_state = state;
            host.recorded.program = &find_program(host, c, state);
            c.touch(Dirty::Shaders);
        }
    }
    d.program = host.recorded.program;
}

/// False: there is nothing to draw.
bool prepare_inputs(Host& host, SubContext& c, Drawing& d) {
    if (d.command.count_from_streamout != 0) {
        d.captured_count = find_captured_count(host, c, d.command.count_from_streamout);
        if (!d.captured_count) return false;
        host.stream.read(d.captured_count->counters);
    }
    if (!d.command.indexed) return true;
    d.indices = prepare_indices(host, c, d.command);
    if (!d.indices || d.indices->count == 0) return false;
    begin_recording(host, c);  // rewriting indices may have submitted
    if (host.recorded.program == nullptr) {
        host.recorded.module_state = module_state(c, d.topology, d.patch_vertices);
        host.recorded.program = d.program;
    }
    host.stream.read(d.indices->buffer);
    return true;
}

/// Orders the draw after what it needs, in the scope of its attachments.
void enter(Host& host, SubContext& c, const Drawing& d) {
    declare_resources(host, c, *d.program);
    declare_vertices(host, c);
    if (d.captures(host)) declare_captures(host, c);
    if (d.verdict == Verdict::AskDevice) declare_condition(host, c);
    if (d.indirect) {
        host.stream.read(d.indirect->arguments->buffer);
        if (d.indirect->counts != nullptr) host.stream.read(d.indirect->counts->buffer);
    }
    if (!host.stream.in_scope() || host.stream.needs_barrier()) declare_attachments(host, c);
    host.stream.order();
    enter_scope(host, c);
}

/// False: the driver refuses the pipeline.
bool bind_pipeline(Host& host, SubContext& c, const Drawing& d) {
    update_optional_state(host, c, *d.program, d.topology);
    const std::vector<uint32_t> key = make_key(host, c, *d.program, d.topology, d.patch_vertices);
    const VkPipeline pipeline = find_pipeline(host, c, *d.program, key);
    if (pipeline == VK_NULL_HANDLE) return false;
    if (pipeline == host.recorded.pipeline) return true;
    vkCmdBindPipeline(host.stream.commands_in_scope(), VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    host.recorded.pipeline = pipeline;
    c.touch(Dirty::Shaders);
    return true;
}

/// Records what has changed since the last draw. False: no memory.
bool record_changes(Host& host, SubContext& c, const Drawing& d) {
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const auto any = [&](auto... bits) { return (c.is_dirty(bits) || ...); };
    using D = Dirty;
    record_state(host, c, d.topology);
    if (d.patch_vertices != host.recorded.patch_vertices && d.patch_vertices != 0 &&
        host.dynamic.has(Piece::PatchVertices))
        vkCmdSetPatchControlPointsEXT(commands, d.patch_vertices);
    host.recorded.patch_vertices = d.patch_vertices;
    const bool restarts = d.command.indexed && d.command.primitive_restart;
    if (std::exchange(host.recorded.restarts, restarts) != restarts) vkCmdSetPrimitiveRestartEnable(commands, restarts);
    if (any(D::Elements, D::VertexBuffers, D::Shaders)) record_vertices(host, c, *d.program);
    if (d.program->reads_state)
        if (const StateValues values = state_values(c); values != host.recorded.state_values) {
            host.recorded.state_values = values;
            c.touch(Dirty::StateBuffer);
        }
    if (!bind_changed_resources(host, c, *d.program)) return false;
    c.settle();
    return true;
}

VkDeviceSize index_bytes(VkIndexType type) {
    return type == VK_INDEX_TYPE_UINT32 ? 4 : type == VK_INDEX_TYPE_UINT16 ? 2 : 1;
}

void draw_directly(VkCommandBuffer commands, const VkDrawIndirectCommand& d) {
    vkCmdDraw(commands, d.vertexCount, d.instanceCount, d.firstVertex, d.firstInstance);
}
void draw_directly(VkCommandBuffer commands, const VkDrawIndexedIndirectCommand& d) {
    vkCmdDrawIndexed(commands, d.indexCount, d.instanceCount, d.firstIndex, d.vertexOffset, d.firstInstance);
}

template <class Arguments>
void draw_one(Host& host, const SubContext& c, const virgl::Draw& command, const Arguments& arguments) {
    const bool numbered = command.draw_id != 0 && c.stage(virgl::Stage::Vert).shader->reads_draw_id;
    if (!numbered || !record_numbered(host, command.draw_id, arguments))
        draw_directly(host.stream.commands_in_scope(), arguments);
}

/// Direct draws have the offset in the first index, as lavapipe 22.3 forgets it where record_numbered() is indirect.
/// Returns the first index.
uint32_t bind_indices(Host& host, const Indices& indices, bool indirect) {
    const VkDeviceSize offset = indirect ? indices.offset : 0;
    auto bound = std::tie(host.recorded.indices, host.recorded.index_offset, host.recorded.index_type);
    if (const auto wanted = std::tuple(indices.buffer->handle(), offset, indices.type); bound != wanted) {
        bound = wanted;
        vkCmdBindIndexBuffer(host.stream.commands_in_scope(), indices.buffer->handle(), offset, indices.type);
    }
    return indirect ? 0 : static_cast<uint32_t>(indices.offset / index_bytes(indices.type));
}

void record_draw(Host& host, SubContext& c, const Drawing& d) {
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const virgl::Draw& command = d.command;
    count_draws(host, c);
    const uint32_t first_index = d.indices ? bind_indices(host, *d.indices, d.indirect.has_value()) : 0;
    const uint32_t instances = std::max(command.instance_count, 1u);
    if (d.captures(host)) begin_captures(host, c);
    if (d.verdict == Verdict::AskDevice) begin_condition(host, c);
    if (d.captured_count)
        vkCmdDrawIndirectByteCountEXT(commands, instances, command.start_instance, d.captured_count->counters->handle(),
                                      d.captured_count->offset, 0, d.captured_count->stride);
    else if (d.indirect)
        record_indirect(commands, *d.indirect, command.indexed);
    else if (d.indices)
        draw_one(host, c, command,
                 VkDrawIndexedIndirectCommand{d.indices->count, instances, first_index, command.index_bias,
                                              command.start_instance});
    else
        draw_one(host, c, command,
                 VkDrawIndirectCommand{command.count, instances, command.start, command.start_instance});
    if (d.verdict == Verdict::AskDevice) end_condition(host);
    if (d.captures(host)) end_captures(host, c, last_vertex_stage(c).strides);
}

}  // namespace

Problem draw(Host& host, SubContext& c, const virgl::Draw& command) {
    Drawing d{.command = command, .topology = to_vulkan(command.mode)};
    if (d.topology == VK_PRIMITIVE_TOPOLOGY_MAX_ENUM) return Problem::Unsupported;
    if (command.indirect_resource != 0)
        if (const Problem p = prepare_indirect(host, command, d.indirect.emplace()); p != Problem::None) return p;
    if (!is_complete(c) || !has_fitting_stages(c, command)) return Problem::None;
    const bool patches = command.mode == virgl::Primitive::Patches;
    d.patch_vertices = patches ? command.vertices_per_patch : 0;
    if (d.patch_vertices > host.device->report().limits.maxTessellationPatchSize || (patches && d.patch_vertices == 0))
        return Problem::BadRange;
    d.verdict = judge(host, c);
    if (d.verdict == Verdict::Skip) return Problem::None;
    begin_recording(host, c);
    choose_program(host, c, d);
    if (d.program->failed || !prepare_inputs(host, c, d)) return Problem::None;
    enter(host, c, d);
    if (!bind_pipeline(host, c, d)) return Problem::None;
    if (!record_changes(host, c, d)) return Problem::NoMemory;
    record_draw(host, c, d);
    return Problem::None;
}

}  // namespace tgsi2spv::host
