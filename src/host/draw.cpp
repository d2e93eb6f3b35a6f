#include "host/draw.h"

#include <algorithm>

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

}  // namespace

Problem draw(Host& host, SubContext& c, const virgl::Draw& command) {
    const VkPrimitiveTopology topology = to_vulkan(command.mode);
    if (topology == VK_PRIMITIVE_TOPOLOGY_MAX_ENUM) return Problem::Unsupported;
    std::optional<IndirectDraws> indirect;
    if (command.indirect_resource != 0)
        if (const Problem p = prepare_indirect(host, command, indirect.emplace()); p != Problem::None) return p;
    if (!is_complete(c) || !has_fitting_stages(c, command)) return Problem::None;
    const uint32_t patch_vertices = command.mode == virgl::Primitive::Patches ? command.vertices_per_patch : 0;
    if (patch_vertices > host.device->report().limits.maxTessellationPatchSize ||
        (command.mode == virgl::Primitive::Patches && patch_vertices == 0))
        return Problem::BadRange;
    const Verdict verdict = judge(host, c);
    if (verdict == Verdict::Skip) return Problem::None;
    begin_recording(host, c);
    if (c.is_dirty(Dirty::Shaders) || c.is_dirty(Dirty::Rasterizer) || c.is_dirty(Dirty::DepthStencil) ||
        c.is_dirty(Dirty::Blend) || c.is_dirty(Dirty::Elements) || c.is_dirty(Dirty::Framebuffer) ||
        topology != host.recorded.topology || patch_vertices != host.recorded.patch_vertices ||
        host.recorded.program == nullptr) {
        const ModuleState state = module_state(c, topology, patch_vertices);
        if (host.recorded.program == nullptr || state != host.recorded.module_state) {
            host.recorded.module_state = state;
            host.recorded.program = &find_program(host, c, state);
            c.touch(Dirty::Shaders);
        }
    }
    LinkedProgram& program = *host.recorded.program;
    if (program.failed) return Problem::None;
    std::optional<CapturedCount> captured_count;
    if (command.count_from_streamout != 0) {
        captured_count = find_captured_count(host, c, command.count_from_streamout);
        if (!captured_count) return Problem::None;
        host.stream.read(captured_count->counters);
    }

    std::optional<Indices> indices;
    if (command.indexed) {
        indices = prepare_indices(host, c, command);
        if (!indices || indices->count == 0) return Problem::None;
        begin_recording(host, c);  // rewriting indices may have submitted
        if (host.recorded.program == nullptr) {
            host.recorded.module_state = module_state(c, topology, patch_vertices);
            host.recorded.program = &program;
        }
        host.stream.read(indices->buffer);
    }
    declare_resources(host, c, program);
    declare_vertices(host, c);
    const bool captures = host.recorded.module_state.captured != 0;
    if (captures) declare_captures(host, c);
    if (verdict == Verdict::AskDevice) declare_condition(host, c);
    if (indirect) {
        host.stream.read(indirect->arguments->buffer);
        if (indirect->counts != nullptr) host.stream.read(indirect->counts->buffer);
    }
    if (!host.stream.in_scope() || host.stream.needs_barrier()) declare_attachments(host, c);
    host.stream.order();
    enter_scope(host, c);

    const VkCommandBuffer commands = host.stream.commands_in_scope();
    update_optional_state(host, c, program, topology);
    const std::vector<uint32_t> key = make_key(host, c, program, topology, patch_vertices);
    const VkPipeline pipeline = find_pipeline(host, c, program, key);
    if (pipeline == VK_NULL_HANDLE) return Problem::None;
    if (pipeline != host.recorded.pipeline) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        host.recorded.pipeline = pipeline;
        c.touch(Dirty::Shaders);
    }
    record_state(host, c, topology);
    if (patch_vertices != host.recorded.patch_vertices && patch_vertices != 0 && host.dynamic.has(Piece::PatchVertices))
        vkCmdSetPatchControlPointsEXT(commands, patch_vertices);
    host.recorded.patch_vertices = patch_vertices;
    vkCmdSetPrimitiveRestartEnable(commands, command.indexed && command.primitive_restart);
    if (c.is_dirty(Dirty::Elements) || c.is_dirty(Dirty::VertexBuffers) || c.is_dirty(Dirty::Shaders))
        record_vertices(host, c, program);
    if (program.reads_state)
        if (const StateValues values = state_values(c); values != host.recorded.state_values) {
            host.recorded.state_values = values;
            c.touch(Dirty::Constants);
        }
    if (c.is_dirty(Dirty::Resources) || c.is_dirty(Dirty::Constants) || c.is_dirty(Dirty::Shaders) ||
        c.is_dirty(Dirty::ClipPlanes) || c.is_dirty(Dirty::Stipple))
        if (!bind_resources(host, c, program, VK_PIPELINE_BIND_POINT_GRAPHICS)) return Problem::NoMemory;
    c.dirty.reset();

    count_draws(host, c);
    // Direct draws have the offset in the first index, as lavapipe 22.3 forgets it where record_numbered() is indirect.
    uint32_t first_index = 0;
    if (indices) {
        if (!indirect) first_index = static_cast<uint32_t>(indices->offset / index_bytes(indices->type));
        const VkDeviceSize offset = indirect ? indices->offset : 0;
        vkCmdBindIndexBuffer(commands, indices->buffer->handle(), offset, indices->type);
    }
    const uint32_t instances = std::max(command.instance_count, 1u);
    if (captures) begin_captures(host, c);
    if (verdict == Verdict::AskDevice) begin_condition(host, c);
    if (captured_count)
        vkCmdDrawIndirectByteCountEXT(commands, instances, command.start_instance, captured_count->counters->handle(),
                                      captured_count->offset, 0, captured_count->stride);
    else if (indirect)
        record_indirect(commands, *indirect, command.indexed);
    else if (indices)
        draw_one(host, c, command,
                 VkDrawIndexedIndirectCommand{indices->count, instances, first_index, command.index_bias,
                                              command.start_instance});
    else
        draw_one(host, c, command,
                 VkDrawIndirectCommand{command.count, instances, command.start, command.start_instance});
    if (verdict == Verdict::AskDevice) end_condition(host);
    if (captures) end_captures(host, c, last_vertex_stage(c).strides);
    return Problem::None;
}

}  // namespace tgsi2spv::host
