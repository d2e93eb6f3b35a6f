#include "renderer/draw/draw.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>

#include "renderer/draw/condition.h"
#include "renderer/draw/descriptors.h"
#include "renderer/draw/dynamic_state.h"
#include "renderer/draw/fetched.h"
#include "renderer/draw/indirect.h"
#include "renderer/draw/pipeline.h"
#include "renderer/draw/query.h"
#include "renderer/draw/realign.h"
#include "renderer/draw/shader_depth.h"
#include "renderer/draw/stream_out.h"
#include "renderer/draw/vertices.h"
#include "renderer/emulate/emulate_piece.h"
#include "renderer/emulate/lists.h"
#include "renderer/emulate/rotate.h"
#include "renderer/host.h"
#include "renderer/state/convert.h"
#include "renderer/state/framebuffer.h"

namespace tgsi2spv::host {
namespace {

/// Whether all state that a draw needs is bound, as gallium's state trackers do; otherwise it draws nothing.
bool is_complete(const SubContext& context) {
    return context.blend != nullptr && context.rasterizer != nullptr && context.depth_stencil != nullptr &&
           context.elements != nullptr && context.stage(virgl::Stage::Vert).shader != nullptr &&
           (context.stage(virgl::Stage::Frag).shader != nullptr || context.rasterizer->discard) &&
           context.framebuffer.width != 0 && context.framebuffer.height != 0;
}

/// Patches and evaluation shaders come together, and so do both kinds of tessellation shaders.
bool has_fitting_stages(const SubContext& context, const virgl::Draw& command) {
    const bool patches = command.mode == virgl::Primitive::Patches;
    const bool evaluates = context.stage(virgl::Stage::TessEval).shader != nullptr;
    return patches == evaluates && (evaluates || context.stage(virgl::Stage::TessCtrl).shader == nullptr);
}

/// The stage whose outputs are captured.
const Shader& last_vertex_stage(const SubContext& context) {
    for (const virgl::Stage stage : {virgl::Stage::Geom, virgl::Stage::TessEval})
        if (const Shader* shader = context.stage(stage).shader.get(); shader != nullptr) return *shader;
    return *context.stage(virgl::Stage::Vert).shader;
}

ModuleState module_state(const gpu::Device& device, const SubContext& context, VkPrimitiveTopology topology,
                         uint32_t patch_vertices) {
    ModuleState s;
    for (size_t i = 0; i < kGraphicsStages.size(); i++)
        if (const StageBindings& stage = context.stage(kGraphicsStages[i]); stage.shader != nullptr) {
            s.shaders[i] = stage.shader->id;
            s.resources[i] = resources_in_shader(stage);
        }
    add_attributes(device, context, s);
    if (s.shaders[1] == 0 && topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST)
        s.patch_vertices = static_cast<uint8_t>(patch_vertices);
    s.captured = captured_buffers(context, last_vertex_stage(context));
    const auto& colors = context.framebuffer.colors;
    for (size_t i = 0; i < colors.size(); i++)
        if (colors[i] != nullptr) {
            s.targets[i] = static_cast<uint8_t>(numeric_type(*colors[i]->format));
            if (is_alpha_only(*colors[i]->format)) s.alpha_targets |= 1u << i;
        }
    const virgl::CreateRasterizer& r = *context.rasterizer;
    const bool integer = !colors.empty() && s.targets[0] != TGSI2SPV_NUMERIC_FLOAT;
    s.flat_shade = r.flatshade;
    s.two_sided = r.two_sided;
    s.alpha_test = context.depth_stencil->alpha_enable && !integer;
    s.stipple = r.poly_stipple && class_of(topology) == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    s.clip = r.clip_planes != 0;
    const bool draws_points = topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    s.one_layer = context.chosen.has_value();
    s.points = draws_points || fill_mode(r) == virgl::FillMode::Point;  // the corners of polygons have a size, too
    s.sprites = draws_points && r.point_quads && (r.sprite_mask != 0 || r.sprite_origin_lower_left);
    s.blend = shader_blend(device, context);
    s.dual_source = s.blend.is_on() || device_blends_two_sources(device, context);
    const Framebuffer& f = context.framebuffer;
    if (f.seen_samples < f.samples) s.seen_samples = static_cast<uint8_t>(f.seen_samples);
    const bool multisampled = f.samples > 1 && r.multisample;
    s.sample_shading = r.force_persample && multisampled && device.report().features.sampleRateShading != 0;
    s.alpha_to_one = multisampled && replaces_alpha(device, *context.blend);
    add_shader_depth(device, context, topology, s);
    const Shader* const frag = context.stage(virgl::Stage::Frag).shader.get();
    s.fetch_layer = frag != nullptr && frag->fetches_color && f.layers > 1;
    s.fetch_sample = frag != nullptr && frag->fetches_color && f.samples > 1;
    s.ignores_sample_mask = frag != nullptr && frag->writes_sample_mask && !multisampled;
    return s;
}

/// A new command buffer knows nothing, and another sub-context has other bindings.
void begin_recording(Host& host, SubContext& context) {
    if (host.recorded.batch == host.stream.current() && host.recorded.context == &context && !host.options.no_cache)
        return;
    host.recorded = {};
    host.recorded.batch = host.stream.current();
    host.recorded.context = &context;
    context.dirty.set();
}

/// A draw, as decoded so far.
struct Drawing {
    const virgl::Draw& command;
    VkPrimitiveTopology topology{};
    uint32_t patch_vertices = 0;
    Decision decision{};
    std::shared_ptr<LinkedProgram> program{};
    std::optional<IndirectDraws> indirect{};
    std::optional<Indices> indices{};
    std::optional<CapturedCount> captured_count{};  ///< of vertices, by stream output
    std::span<const uint32_t> list{};               ///< the indices, if the CPU makes them (lists.h)
    uint32_t one_by_one = 0;                        ///< corners of a primitive, if each is a draw; 0: it is one draw
    // Of an emulation.
    std::span<const gpu::Use> uses{};

    bool restarts() const { return command.indexed && command.primitive_restart; }
    bool captures(const Host& host) const { return host.recorded.module_state.captured != 0; }
};

ModuleState state_of(const Host& host, const SubContext& context, const Drawing& drawing) {
    return module_state(*host.device, context, drawing.topology, drawing.patch_vertices);
}

/// Null: memory is short.
void choose_program(Host& host, SubContext& context, Drawing& drawing) {
    const auto any = [&](auto... bits) { return (context.is_dirty(bits) || ...); };
    using D = Dirty;
    const bool changed = any(D::Shaders, D::Rasterizer, D::DepthStencil, D::Blend, D::Elements, D::Framebuffer) ||
                         drawing.topology != host.recorded.topology ||
                         drawing.patch_vertices != host.recorded.patch_vertices || host.recorded.program == nullptr;
    if (changed) {
        const ModuleState state = state_of(host, context, drawing);
        if (host.recorded.program == nullptr || state != host.recorded.module_state) {
            host.recorded.module_state = state;
            host.recorded.program = find_program(host, context, state);
            context.mark_dirty(Dirty::Shaders);
        }
    }
    drawing.program = host.recorded.program;
}

/// Empty: no memory.
std::optional<Indices> stage_indices(Host& host, std::span<const uint32_t> list) {
    const gpu::Staging staging = stage_words(host, list);
    if (staging.data == nullptr) return std::nullopt;
    return Indices{staging.buffer, staging.offset, VK_INDEX_TYPE_UINT32, static_cast<uint32_t>(list.size())};
}

/// False: the draw is empty.
bool prepare_inputs(Host& host, SubContext& context, Drawing& drawing) {
    if (drawing.command.count_from_streamout != 0) {
        drawing.captured_count = find_captured_count(context, drawing.command.count_from_streamout);
        return drawing.captured_count.has_value();  // captured vertices have no indices
    }
    if (!drawing.command.indexed) return true;
    drawing.indices =
        drawing.list.empty() ? prepare_indices(host, context, drawing.command) : stage_indices(host, drawing.list);
    if (!drawing.indices || drawing.indices->count == 0) return false;
    begin_recording(host, context);  // rewriting indices may have submitted
    if (host.recorded.program == nullptr) {
        host.recorded.module_state = state_of(host, context, drawing);
        host.recorded.program = drawing.program;
    }
    return true;
}

/// Whether the scope is open into which the last draw went, and that one used all that this draw uses. A draw that
/// writes has to wait for the one before.
bool is_ordered(const Host& host, const SubContext& context, const Drawing& drawing) {
    const auto& last = host.recorded.ordered;
    if (!host.stream.in_scope() || host.stream.color_reads() != drawing.program->color_reads) return false;
    if (last.scope != host.stream.counters().scopes || last.writes || host.options.sync) return false;
    if (drawing.captured_count || drawing.indirect || drawing.captures(host) || drawing.decision == Decision::AskDevice)
        return false;
    if (drawing.indices && drawing.indices->buffer != last.indices) return false;
    constexpr BoundBits kUsed = bits_of(Bound::Uniforms, Bound::Views, Bound::Buffers, Bound::Images);
    const auto has_new = [&](const StageBindings& stage) { return (stage.changed & kUsed).any(); };
    return !context.is_dirty(Dirty::Shaders) && !context.is_dirty(Dirty::VertexBuffers) &&
           std::ranges::none_of(context.stages, has_new);
}

/// Orders the draw after the work that it depends on, in the scope of its attachments. False: memory is short.
bool enter(Host& host, SubContext& context, const Drawing& drawing) {
    if (is_ordered(host, context, drawing)) return true;
    std::vector<gpu::Use>& uses = host.uses_of_draw;
    uses.assign(drawing.uses.begin(), drawing.uses.end());
    add_resources(context, *drawing.program, uses);
    add_fetched(host, *drawing.program, uses);
    add_vertices(host, context, uses);
    if (drawing.captured_count) uses.push_back(gpu::reads(drawing.captured_count->counters));
    if (drawing.indices) uses.push_back(gpu::reads(drawing.indices->buffer));
    if (drawing.captures(host)) add_captures(context, uses);
    if (drawing.decision == Decision::AskDevice) uses.push_back(use_of_condition(context));
    if (drawing.indirect) {
        uses.push_back(gpu::reads(drawing.indirect->arguments->buffer));
        if (drawing.indirect->counts != nullptr) uses.push_back(gpu::reads(drawing.indirect->counts->buffer));
    }
    if (host.pending.bits != 0 && uses_attachments(context, uses)) flush_clears(host);
    const bool writes = std::ranges::any_of(uses, &gpu::Use::writes);
    if (host.stream.color_reads() != drawing.program->color_reads) host.stream.end_scope();
    if (!host.stream.in_scope() || host.stream.needs_barrier(uses)) add_attachments(context, uses);
    host.stream.order(uses);
    if (!enter_scope(host, context, drawing.program->color_reads)) return false;
    host.recorded.ordered = {.scope = host.stream.counters().scopes,
                             .indices = drawing.indices ? drawing.indices->buffer : nullptr,
                             .writes = writes};
    uses.clear();
    return true;
}

/// False: the driver refuses the pipeline, or memory is short.
bool choose_pipeline(Host& host, SubContext& context, const Drawing& drawing) {
    if (!has_new_key(host, context, drawing.topology, drawing.patch_vertices, drawing.restarts())) return true;
    update_optional_state(host, context, *drawing.program, drawing.topology, drawing.restarts());
    const std::vector<uint32_t> key =
        make_key(host, context, *drawing.program, drawing.topology, drawing.patch_vertices);
    auto pipeline = find_pipeline(host, context, *drawing.program, key);
    if (pipeline == nullptr) return false;
    if (pipeline == host.recorded.pipeline) return true;
    bind_pipeline(host, VK_PIPELINE_BIND_POINT_GRAPHICS, drawing.program, pipeline);
    host.recorded.pipeline = std::move(pipeline);
    context.mark_dirty(Dirty::Shaders);
    return true;
}

/// Records the state that has changed since the last draw. False: memory is short.
bool record_changes(Host& host, SubContext& context, const Drawing& drawing) {
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const auto any = [&](auto... bits) { return (context.is_dirty(bits) || ...); };
    using D = Dirty;
    record_state(host, context, drawing.topology);
    if (drawing.patch_vertices != host.recorded.patch_vertices && drawing.patch_vertices != 0 &&
        host.dynamic.has(Piece::PatchVertices))
        vkCmdSetPatchControlPointsEXT(commands, drawing.patch_vertices);
    host.recorded.patch_vertices = drawing.patch_vertices;
    const bool restarts = drawing.restarts();
    if (std::exchange(host.recorded.restarts, restarts) != restarts && host.dynamic.has(Piece::Restart))
        vkCmdSetPrimitiveRestartEnable(commands, restarts);
    if (any(D::Elements, D::VertexBuffers, D::Shaders)) record_vertices(host, context, *drawing.program);
    if (drawing.program->reads_state &&
        any(D::Rasterizer, D::DepthStencil, D::Framebuffer, D::Tessellation, D::BlendColor, D::Viewports, D::Shaders))
        if (const StateValues values = state_values(context); values != host.recorded.state_values) {
            host.recorded.state_values = values;
            context.mark_dirty(Dirty::StateBuffer);
        }
    if (!bind_changed_resources(host, context, drawing.program)) return false;
    context.clear_dirty();
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
void draw_one(Host& host, const SubContext& context, const virgl::Draw& command, const Arguments& arguments) {
    const bool numbered = command.draw_id != 0 && context.stage(virgl::Stage::Vert).shader->reads_draw_id;
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

/// FRAG of each primitive reads what those before have written.
void draw_one_by_one(Host& host, const Drawing& d, uint32_t first_index) {
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const virgl::Draw& c = d.command;
    const uint32_t corners = d.one_by_one, count = d.indices ? d.indices->count : c.count;
    for (uint32_t at = 0; count - at >= corners; at += corners) {
        host.stream.order_color_reads();
        if (d.indices)
            draw_directly(commands,
                          VkDrawIndexedIndirectCommand{corners, 1, first_index + at, c.index_bias, c.start_instance});
        else
            draw_directly(commands, VkDrawIndirectCommand{corners, 1, c.start + at, c.start_instance});
    }
}

void record_draw(Host& host, SubContext& context, const Drawing& drawing) {
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const virgl::Draw& command = drawing.command;
    count_draws(host, context);
    host.stats.counts.draws++;
    const uint32_t first_index =
        drawing.indices ? bind_indices(host, *drawing.indices, drawing.indirect.has_value()) : 0;
    const uint32_t instances = std::max(command.instance_count, 1u);
    if (drawing.program->color_reads == gpu::ColorReads::AfterBarriers) host.stream.order_color_reads();
    if (drawing.captures(host)) begin_captures(host, context);
    if (drawing.decision == Decision::AskDevice) begin_condition(host, context);
    if (drawing.one_by_one != 0)
        draw_one_by_one(host, drawing, first_index);
    else if (drawing.captured_count)
        vkCmdDrawIndirectByteCountEXT(commands, instances, command.start_instance,
                                      drawing.captured_count->counters->handle(), drawing.captured_count->offset, 0,
                                      drawing.captured_count->stride);
    else if (drawing.indirect)
        record_indirect(commands, *drawing.indirect, command.indexed);
    else if (drawing.indices)
        draw_one(host, context, command,
                 VkDrawIndexedIndirectCommand{drawing.indices->count, instances, first_index, command.index_bias,
                                              command.start_instance});
    else
        draw_one(host, context, command,
                 VkDrawIndirectCommand{command.count, instances, command.start, command.start_instance});
    if (drawing.decision == Decision::AskDevice) end_condition(host);
    if (drawing.captures(host)) end_captures(host, context, last_vertex_stage(context).strides);
}

/// The guest draws as many vertices as were captured, and the device cannot: reads the number here. False: there is
/// none.
bool read_captured_count(Host& host, const SubContext& context, virgl::Draw& command) {
    const auto found = find_captured_count(context, command.count_from_streamout);
    if (!found || !host.stream.wait(found->counters->uses.last_batch)) return false;
    uint32_t bytes = 0;
    std::memcpy(&bytes, found->counters->mapped() + found->offset, sizeof bytes);
    command.count = bytes / found->stride;
    command.count_from_streamout = 0;
    return true;
}

Problem draw_aligned(Host& host, SubContext& context, Drawing& d) {
    begin_recording(host, context);
    choose_program(host, context, d);
    if (d.program == nullptr || d.program->failed || !prepare_inputs(host, context, d)) return Problem::None;
    if (d.program->fetched != 0 && !copy_fetched(host, context, *d.program)) return Problem::NoMemory;
    if (!enter(host, context, d)) return Problem::NoMemory;
    if (!choose_pipeline(host, context, d)) return Problem::None;
    if (!record_changes(host, context, d)) return Problem::NoMemory;
    record_draw(host, context, d);
    return Problem::None;
}

Problem draw_understood(Host& host, SubContext& context, Drawing& d) {
    if (context.is_dirty(Dirty::Elements) || context.is_dirty(Dirty::VertexBuffers))
        context.misaligned_vertices = has_misaligned_vertices(host, context);
    if (!context.misaligned_vertices) return draw_aligned(host, context, d);
    const AlignedVertices aligned(host, context, ranges_of(host, context, d.command));
    return aligned.complete() ? draw_aligned(host, context, d) : Problem::NoMemory;
}

/// Whether the faces of the draw's polygons have different modes: Vulkan has one for both.
bool has_two_modes(const SubContext& context, VkPrimitiveTopology topology) {
    const virgl::CreateRasterizer& r = *context.rasterizer;
    return r.fill_front != r.fill_back && r.cull == 0 && class_of(topology) == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST &&
           context.stage(virgl::Stage::Geom).shader == nullptr &&
           captured_buffers(context, last_vertex_stage(context)) == 0;
}

constexpr uint8_t kCullFront = 1, kCullBack = 2;

/// One face after the other, as if the other one was culled.
Problem draw_faces(Host& host, SubContext& context, Drawing& d) {
    const Shared<virgl::CreateRasterizer> both = context.rasterizer;
    Problem problem = Problem::None;
    for (const uint8_t culled : {kCullBack, kCullFront}) {
        auto one = std::make_shared<virgl::CreateRasterizer>(*both);
        one->cull = culled;
        context.rasterizer = std::move(one);
        context.mark_dirty(Dirty::Rasterizer);
        if (problem = draw_understood(host, context, d); problem != Problem::None) break;
    }
    context.rasterizer = both;
    context.mark_dirty(Dirty::Rasterizer);
    return problem;
}

Problem draw_modes(Host& host, SubContext& context, Drawing& d) {
    return has_two_modes(context, d.topology) ? draw_faces(host, context, d) : draw_understood(host, context, d);
}

/// One draw as lists. Those that are drawn one by one do not fill one command buffer.
Problem draw_listed(Host& host, SubContext& context, const virgl::Draw& command, const DrawArguments& a,
                    const Listing& listing, Decision decision) {
    auto numbers = numbers_of(host, context, command, a);
    if (!numbers) return Problem::None;
    if (!a.indexed) numbers->first = 0;
    if (listing.topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST) numbers->of_patch = command.vertices_per_patch;
    virgl::Draw list = draw_of_list(command, a, listing);
    if (listing.one_by_one) list.instance_count = 1;
    constexpr size_t kMany = 4096;  // vertices in a batch
    std::optional<AlignedVertices> aligned;
    if (has_misaligned_vertices(host, context)) aligned.emplace(host, context, ranges_of(a, *numbers));
    if (aligned && !aligned->complete()) return Problem::NoMemory;
    size_t& waiting = host.emulation.one_by_one.vertices;
    std::vector<uint32_t> vertices;
    for (uint32_t i = 0; i < (listing.one_by_one ? a.instances : 1); i++) {
        list.start_instance = a.first_instance + i;
        PrimitiveLists lists(listing, *numbers);
        while (lists.next(vertices)) {
            Drawing d{.command = list,
                      .topology = to_vulkan(list.mode),
                      .patch_vertices = numbers->of_patch,
                      .decision = decision,
                      .list = vertices};
            if (listing.one_by_one) d.one_by_one = listing.corners();
            if (const Problem p = draw_modes(host, context, d); p != Problem::None) return p;
            if (!listing.one_by_one || (waiting += vertices.size()) < kMany) continue;
            waiting = 0;
            if (!submit_one_by_one(host)) return Problem::NoMemory;
        }
    }
    return Problem::None;
}

/// Each draw of the command as lists.
Problem draw_lists(Host& host, SubContext& context, const virgl::Draw& command, const Listing& listing,
                   Decision decision) {
    uint64_t left = kMostListed;
    bool skips = false;
    const auto draw_one = [&](const DrawArguments& a) -> Problem {
        const uint64_t vertices = listing.one_by_one ? uint64_t{a.count} * a.instances : a.count;
        const bool only_restarts = !listing.rotates && !listing.one_by_one && listing.fill == virgl::FillMode::Fill;
        skips |= vertices > left && !only_restarts;
        if (skips) return Problem::None;
        left -= std::min(left, vertices);
        return draw_listed(host, context, command, a, listing, decision);
    };
    const Problem problem = for_each_draw(host, command, draw_one);
    if (skips)
        log_line("what indirect draws have beyond 2^22 vertices, which the device would draw wrongly, is skipped");
    return problem;
}

/// Whether the device has no such primitives. Those with GEOM are emulated.
bool drops_adjacent(const gpu::Device& device, VkPrimitiveTopology topology) {
    return corners_of(topology) > 3 && device.report().features.geometryShader == 0;
}

/// Lists of other primitives than the guest's, for which the device must not count.
Problem draw_outlined(Host& host, SubContext& context, const virgl::Draw& command, const Listing& listing,
                      Decision decision) {
    host.stream.end_scope();
    const Uncounted before = std::exchange(host.emulation.uncounted, Uncounted::Primitives);
    const Problem problem = draw_lists(host, context, command, listing, decision);
    host.emulation.uncounted = before;
    host.stream.end_scope();
    return problem;
}

/// How the draw's primitives are listed, if they have to be. `one_by_one`: they should not be one draw.
Listing listing_of(Host& host, const SubContext& context, const virgl::Draw& command, VkPrimitiveTopology topology,
                   bool one_by_one) {
    Listing listing{.topology = topology, .last_provokes = !context.rasterizer->flatshade_first};
    listing.rotates = rotates_primitives(host, context, command, topology);
    listing.drops_adjacent = drops_adjacent(*host.device, topology);
    listing.restarts = has_list_restarts(host, context, command, topology);
    const bool large =
        command.indirect_resource == 0 && uint64_t{command.count} * std::max(command.instance_count, 1U) > kMostListed;
    if (!large) listing.fill = listed_fill(host, context, topology);
    if (!one_by_one) return listing;
    listing.one_by_one = !large;
    if (!listing.one_by_one)
        log_line(
            "FRAG of a draw reads its target, and the primitives are too many: where they overlap, they are not "
            "blended "
            "one after the other");
    return listing;
}

/// The draw without its capture, after that.
Problem draw_captured(Host& host, SubContext& context, const virgl::Draw& command) {
    const Shared<virgl::CreateRasterizer> whole = context.rasterizer;
    auto discards = std::make_shared<virgl::CreateRasterizer>(*whole);
    discards->discard = true;
    context.rasterizer = std::move(discards);
    context.mark_dirty(Dirty::Rasterizer);
    const Problem problem = draw(host, context, command);
    context.rasterizer = whole;
    context.mark_dirty(Dirty::Rasterizer);
    return problem == Problem::None ? draw_uncaptured(host, context, command) : problem;
}

/// Whether the device lacks what the library needs for the stages before FRAG, but not for their records: stores,
/// streams, viewports, or room for GEOM's varyings.
bool is_refused(Host& host, SubContext& context, Drawing& d) {
    const VkPhysicalDeviceFeatures& f = host.device->report().features;
    const bool has_all = f.vertexPipelineStoresAndAtomics != 0 && f.multiViewport != 0;
    if (has_all && context.stage(virgl::Stage::Geom).shader == nullptr) return false;
    begin_recording(host, context);
    choose_program(host, context, d);
    return d.program != nullptr && d.program->failed;
}

/// Whether VERT may store, and the device's own stage cannot: what is captured is then drawn from VERT's records, too.
bool stores_once(const Host& host, const SubContext& context) {
    return host.device->report().features.vertexPipelineStoresAndAtomics == 0 &&
           context.stage(virgl::Stage::Geom).shader == nullptr &&
           context.stage(virgl::Stage::TessEval).shader == nullptr;
}

}  // namespace

Problem draw(Host& host, SubContext& context, const virgl::Draw& asked) {
    virgl::Draw command = asked;
    Drawing d{.command = command, .topology = to_vulkan(command.mode)};
    if (d.topology == VK_PRIMITIVE_TOPOLOGY_MAX_ENUM ||
        (d.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN && host.device->extras().portability.triangleFans == 0))
        return Problem::Unsupported;
    if (command.indirect_resource != 0)
        if (const Problem p = prepare_indirect(host, command, d.indirect.emplace()); p != Problem::None) return p;
    if (!is_complete(context) || !has_fitting_stages(context, command)) return Problem::None;
    const bool patches = command.mode == virgl::Primitive::Patches;
    d.patch_vertices = patches ? command.vertices_per_patch : 0;
    const uint32_t largest = largest_patch(host.device->report());
    if (d.patch_vertices > largest || (patches && d.patch_vertices == 0))
        return {Problem::BadSize, d.patch_vertices, largest};
    const bool one_by_one = blends_one_by_one(*host.device, context);
    const bool miscounts = miscounts_instances(host, context, command);
    const bool emulated = is_emulated(host, context) || (one_by_one && knows_its_draw(context, command)) || miscounts;
    const bool refused = miscounts || ((!emulated || stores_once(host, context)) && is_refused(host, context, d));
    if (command.count_from_streamout != 0 &&
        (emulated || refused || one_by_one || drops_adjacent(*host.device, d.topology) ||
         host.device->extras().feedback.transformFeedbackDraw == 0 || has_wrong_flat_values(host, context) ||
         counts_generated(context) || listed_fill(host, context, d.topology) != virgl::FillMode::Fill) &&
        !read_captured_count(host, context, command))
        return Problem::None;
    if (emulated || refused) return draw_emulated(host, context, command, d.topology, refused);
    const Listing listing = listing_of(host, context, command, d.topology, one_by_one);
    if ((listing.one_by_one || listing.fill != virgl::FillMode::Fill) &&
        captured_buffers(context, last_vertex_stage(context)) != 0)
        return draw_captured(host, context, command);
    d.decision = check_condition(host, context);
    if (d.decision == Decision::Skip) return Problem::None;
    const bool outlined = listing.fill != virgl::FillMode::Fill;
    count_generated(host, context, command, d.topology, outlined);
    if (outlined) return draw_outlined(host, context, command, listing, d.decision);
    if (listing.is_needed()) return draw_lists(host, context, command, listing, d.decision);
    return draw_modes(host, context, d);
}

namespace {

/// Waits for the arguments of a draw, which is a direct one then. False: the device is lost.
bool read_arguments(Host& host, SubContext& context, const IndirectDraws& indirect, virgl::Draw& command) {
    gpu::Buffer& buffer = *indirect.arguments->buffer;
    if (!host.stream.wait(buffer.uses.last_batch)) return false;
    VkDrawIndexedIndirectCommand arguments{};
    std::memcpy(&arguments, buffer.mapped() + indirect.offset, sizeof arguments);
    command.count = arguments.indexCount;
    context.index_offset += arguments.firstIndex * context.index_size;
    return true;
}

}  // namespace

bool draw_own(Host& host, SubContext& context, const OwnDraw& own) {
    virgl::Draw command = own.command;
    Drawing d{.command = command, .topology = to_vulkan(command.mode)};
    d.indirect = own.indirect;
    if (blends_one_by_one(*host.device, context)) {
        d.one_by_one = corners_of(d.topology);
        if (d.indirect && !read_arguments(host, context, *d.indirect, command)) return false;
        d.indirect.reset();
    }
    d.uses = own.uses;
    return draw_understood(host, context, d) == Problem::None;
}

}  // namespace tgsi2spv::host
