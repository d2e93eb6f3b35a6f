#include "renderer/record/record.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "renderer/record/based_views.h"
#include "renderer/record/condition.h"
#include "renderer/record/descriptors.h"
#include "renderer/record/dynamic_state.h"
#include "renderer/record/fetched.h"
#include "renderer/record/framebuffer.h"
#include "renderer/record/host_recorder.h"
#include "renderer/record/module_state.h"
#include "renderer/record/pipeline.h"
#include "renderer/record/program.h"
#include "renderer/record/query.h"
#include "renderer/record/sampled_targets.h"
#include "renderer/record/vertices.h"

namespace tgsi2spv::host {
namespace {

[[gnu::noinline]] void forget_recorded(HostRecorder& host) {
    host.recorded = {};
    host.recorded.batch = host.stream.current();
}

/// A new command buffer knows nothing, and of other bindings than the last draw's, all may differ. Copies may follow
/// each other at one address: of them, nothing is known.
void begin_recording(HostRecorder& host, const DrawInputs& d) {
    auto& recorded = host.recorded;
    if (recorded.batch != host.stream.current() || host.options.no_cache) forget_recorded(host);
    OptionalState& state = recorded.optional;
    state.topology = d.topology;
    state.patch_vertices = d.patch_vertices;
    state.restarts = d.restarts();
    const auto differs = [&](const OptionalState& b) {
        return b.topology != state.topology || b.patch_vertices != state.patch_vertices || b.restarts != state.restarts;
    };
    if (!recorded.before || differs(*recorded.before)) recorded.changes.mark(Dirty::Assembly);
    if (recorded.bindings != d.bindings) recorded.changes.mark_all();
    recorded.bindings = d.bindings == d.guest ? d.bindings : nullptr;
}

/// Empty: there are none. May wait, which ends the batch.
Problem make_indices(HostState& host, const DrawInputs& d, std::optional<Indices>& indices) {
    if (d.list.empty()) return prepare_indices(host, *d.bindings, d.command, indices);
    const vk::Staging staging = stage_words(host, d.list);
    if (staging.data == nullptr) return Problem::NoMemory;
    indices = Indices{staging.buffer, staging.offset, VK_INDEX_TYPE_UINT32, static_cast<uint32_t>(d.list.size())};
    return Problem::None;
}

/// What is found for a draw.
struct Found {
    std::shared_ptr<LinkedProgram> program{};
    std::optional<Indices> indices{};
    vk::Staging numbered{};  ///< for record_numbered(); no data: the draw has no number
    bool captures = false;
};

/// True if the last draw's rendering scope is still open, and this draw adds no resources. A draw that writes has to
/// wait for the one before.
bool is_ordered(const HostRecorder& host, const DrawInputs& d, const Found& found) {
    const auto& last = host.recorded.ordered;
    if (!host.stream.in_scope() || host.stream.color_reads() != found.program->color_reads) return false;
    if (last.scope != host.stream.counters().scopes || last.writes || host.options.sync) return false;
    if (d.captured_count || d.indirect || found.captures || d.condition != nullptr || !d.uses.empty()) return false;
    if (found.indices && found.indices->buffer != last.indices) return false;
    const Changes& changes = host.recorded.changes;
    return !changes.has(Dirty::Shaders, Dirty::VertexBuffers) &&
           !changes.has_new(bits_of(Bound::Uniforms, Bound::Views, Bound::Buffers, Bound::Images));
}

void add_uses(const HostRecorder& host, const DrawInputs& d, const Found& found, std::vector<vk::Use>& uses) {
    uses.assign(d.uses.begin(), d.uses.end());
    add_resources(*d.bindings, *found.program, uses);
    add_fetched(host, *found.program, uses);
    add_vertices(host, *d.bindings, uses);
    if (d.captured_count) uses.push_back(vk::reads(d.captured_count->counters));
    if (found.indices) uses.push_back(vk::reads(found.indices->buffer));
    if (found.captures) add_captures(*d.bindings, uses);
    if (d.condition != nullptr) uses.push_back(use_of_condition(*d.condition));
    if (d.indirect) {
        uses.push_back(vk::reads(d.indirect->arguments->buffer));
        if (d.indirect->counts != nullptr) uses.push_back(vk::reads(d.indirect->counts->buffer));
    }
}

/// Orders the draw after the work that it depends on, in the scope of its attachments. False: memory is short.
bool enter(HostRecorder& host, const DrawInputs& d, const Found& found) {
    if (is_ordered(host, d, found)) return true;
    std::vector<vk::Use>& uses = host.uses_of_draw;
    add_uses(host, d, found, uses);
    if (host.pending.bits != 0 && uses_attachments(*d.bindings, uses) && !flush_clears(host)) return false;
    const bool writes = std::ranges::any_of(uses, &vk::Use::writes);
    const vk::ColorReads color_reads = found.program->color_reads;
    if (host.stream.color_reads() != color_reads) host.stream.end_scope();
    if (!host.stream.in_scope() || host.stream.needs_barrier(uses)) add_attachments(*d.bindings, uses);
    host.stream.order(uses);
    if (!enter_scope(host, *d.bindings, color_reads)) return false;
    host.recorded.ordered = {.scope = host.stream.counters().scopes,
                             .indices = found.indices ? found.indices->buffer : nullptr,
                             .writes = writes};
    uses.clear();
    return true;
}

/// Pipelines that discard have no state of tests and targets, and lavapipe 22.3 forgets what is dynamic of it as it
/// binds one (docs/driver-bugs.md).
void record_all_after_discard(HostRecorder& host) {
    auto& recorded = host.recorded;
    if (host.device->extras().has_dynamic2 || !recorded.before || recorded.before->discard == 0) return;
    recorded.before.reset();
    recorded.changes.mark_all();
}

/// Unsupported: the driver refuses the pipeline.
Problem choose_pipeline(HostRecorder& host, const DrawInputs& d, const std::shared_ptr<LinkedProgram>& program) {
    auto& recorded = host.recorded;
    update_state(host, *d.bindings, *program);
    if (!has_new_key(host)) return Problem::None;
    std::vector<uint32_t>& key = recorded.next_key;
    make_key(host, *d.bindings, *program, d.topology, d.patch_vertices, key);
    if (recorded.pipeline != nullptr && key == recorded.key) {
        host.stats.counts.pipelines_found++;
        return Problem::None;
    }
    auto pipeline = find_pipeline(host, *d.bindings, *program, key);
    if (pipeline == nullptr) return Problem::NoMemory;
    if (pipeline->handle == VK_NULL_HANDLE) return Problem::Unsupported;
    std::swap(key, recorded.key);
    record_all_after_discard(host);
    bind_pipeline(host, VK_PIPELINE_BIND_POINT_GRAPHICS, program, pipeline);
    recorded.pipeline = std::move(pipeline);
    recorded.changes.mark(Dirty::Shaders);
    return Problem::None;
}

/// Records the state that has changed since the last draw. False: memory is short.
bool record_changes(HostRecorder& host, const DrawInputs& d, const std::shared_ptr<LinkedProgram>& program) {
    auto& recorded = host.recorded;
    const auto any = [&](auto... parts) { return recorded.changes.has(parts...); };
    using D = Dirty;
    record_pieces(host.stream.commands_in_scope(), host.dynamic, recorded.changes, recorded.optional, recorded.before);
    if (any(D::Elements, D::VertexBuffers, D::Shaders)) record_vertices(host, *d.bindings, *program);
    if (program->reads_state &&
        any(D::Rasterizer, D::DepthStencil, D::Framebuffer, D::Tessellation, D::BlendColor, D::Viewports, D::Shaders))
        if (const StateValues values = state_values(*d.bindings); values != recorded.state_values) {
            recorded.state_values = values;
            recorded.changes.mark(Dirty::StateBuffer);
        }
    if (!bind_resources(host, *d.bindings, program, VK_PIPELINE_BIND_POINT_GRAPHICS, recorded.sets)) return false;
    recorded.changes = {};
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

bool is_numbered(const HostState& host, const DrawInputs& d) {
    return !d.indirect && has_number(host, d.command.draw_id) &&
           d.bindings->stage(virgl::Stage::Vert).shader->reads_draw_id;
}

template <class Arguments>
void draw_one(HostState& host, const DrawInputs& d, const vk::Staging& numbered, const Arguments& arguments) {
    if (numbered.data != nullptr)
        record_numbered(host, numbered, d.command.draw_id, arguments);
    else
        draw_directly(host.stream.commands_in_scope(), arguments);
}

/// Direct draws have the offset in the first index, as lavapipe 22.3 forgets it where record_numbered() is indirect.
/// Returns the first index.
uint32_t bind_indices(HostRecorder& host, const Indices& indices, bool indirect) {
    const VkDeviceSize offset = indirect ? indices.offset : 0;
    const BoundIndices wanted{indices.buffer->handle(), offset, indices.type};
    if (std::exchange(host.recorded.indices, wanted) != wanted)
        vkCmdBindIndexBuffer(host.stream.commands_in_scope(), wanted.buffer, offset, wanted.type);
    return indirect ? 0 : static_cast<uint32_t>(indices.offset / index_bytes(indices.type));
}

/// FRAG of each primitive reads what those before have written.
void draw_one_by_one(HostState& host, const DrawInputs& d, const std::optional<Indices>& indices,
                     uint32_t first_index) {
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const virgl::Draw& c = d.command;
    const uint32_t corners = d.one_by_one, count = indices ? indices->count : c.count;
    for (uint32_t at = 0; count - at >= corners; at += corners) {
        host.stream.order_color_reads();
        if (indices)
            draw_directly(commands,
                          VkDrawIndexedIndirectCommand{corners, 1, first_index + at, c.index_bias, c.start_instance});
        else
            draw_directly(commands, VkDrawIndirectCommand{corners, 1, c.start + at, c.start_instance});
    }
}

void record_command(HostRecorder& host, const DrawInputs& d, const Found& found) {
    const std::optional<Indices>& indices = found.indices;
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const virgl::Draw& c = d.command;
    const uint32_t first_index = indices ? bind_indices(host, *indices, d.indirect.has_value()) : 0;
    const uint32_t instances = std::max(c.instance_count, 1u);
    if (d.one_by_one != 0)
        draw_one_by_one(host, d, indices, first_index);
    else if (d.captured_count)
        vkCmdDrawIndirectByteCountEXT(commands, instances, c.start_instance, d.captured_count->counters->handle(),
                                      d.captured_count->offset, 0, d.captured_count->stride);
    else if (d.indirect)
        record_indirect(commands, *d.indirect, c.indexed);
    else if (indices)
        draw_one(host, d, found.numbered,
                 VkDrawIndexedIndirectCommand{indices->count, instances, first_index, c.index_bias, c.start_instance});
    else
        draw_one(host, d, found.numbered, VkDrawIndirectCommand{c.count, instances, c.start, c.start_instance});
}

void record_draw(HostRecorder& host, const DrawInputs& d, const Found& found) {
    count_draws(host, *d.guest, d.counts_primitives);
    host.stats.counts.draws++;
    if (found.program->color_reads == vk::ColorReads::AfterBarriers) host.stream.order_color_reads();
    if (found.captures) begin_captures(host, *d.bindings);
    if (d.condition != nullptr) begin_condition(host, *d.condition);
    record_command(host, d, found);
    if (d.condition != nullptr) end_condition(host);
    if (found.captures) end_captures(host, *d.bindings, last_vertex_stage(*d.bindings).strides);
}

/// Whether the program reads a resource that the draw may write.
bool reads_targets(HostRecorder& host, const DrawInputs& d, const LinkedProgram& program) {
    auto& recorded = host.recorded;
    if (recorded.changes.has(Dirty::Shaders, Dirty::Framebuffer) ||
        recorded.changes.has_new(bits_of(Bound::Views, Bound::Images)))
        recorded.samples_targets = samples_targets(*d.bindings, program);
    return recorded.samples_targets;
}

/// The draw with these bindings in place of the guest's.
DrawInputs with(HostRecorder& host, const DrawInputs& d, const Bindings& bindings) {
    DrawInputs part = d;
    part.bindings = &bindings;
    begin_recording(host, part);
    return part;
}

/// A draw whose program and indices were found.
Problem record_found(HostRecorder& host, const DrawInputs& d, Found& found) {
    if (found.program->fetched != 0 && !copy_fetched(host, *d.bindings, *found.program)) return Problem::NoMemory;
    if (!enter(host, d, found)) return Problem::NoMemory;
    if (const Problem p = choose_pipeline(host, d, found.program)) return p == Problem::Unsupported ? Problem::None : p;
    if (!record_changes(host, d, found.program)) return Problem::NoMemory;
    if (is_numbered(host, d) && (found.numbered = stage_numbered(host, d.command.draw_id)).data == nullptr)
        return Problem::NoMemory;
    record_draw(host, d, found);
    return Problem::None;
}

/// Draws from copies of the targets that the program reads.
Problem record_beside_targets(HostRecorder& host, const DrawInputs& d, Found& found) {
    if (!reads_targets(host, d, *found.program)) return record_found(host, d, found);
    const auto apart = copy_sampled_targets(host, *d.bindings, *found.program);
    return apart ? record_found(host, with(host, d, *apart), found) : Problem::NoMemory;
}

Problem record_once(HostRecorder& host, const DrawInputs& d) {
    Found found;
    // Rewritten indices wait for their buffer: before anything is recorded.
    if (d.command.indexed && !d.captured_count) {
        if (const Problem p = make_indices(host, d, found.indices)) return p;
        if (!found.indices || found.indices->count == 0) return Problem::None;
    }
    found.program = choose_program(host, d);
    if (found.program == nullptr) return Problem::NoMemory;
    if (found.program->failed) return Problem::None;
    found.captures = host.recorded.module_state.captured != 0;
    if (!misreads_levels(host, *d.bindings, *found.program)) return record_beside_targets(host, d, found);
    const auto based = copy_based_views(host, *d.bindings, *found.program);
    return based ? record_beside_targets(host, with(host, d, *based), found) : Problem::NoMemory;
}

}  // namespace

void take_changes(HostRecorder& host, SubContext& guest) {
    host.recorded.changes.add(std::exchange(guest.changes, {}));
}

bool is_misaligned(HostRecorder& host, const DrawInputs& d) {
    begin_recording(host, d);
    auto& recorded = host.recorded;
    if (recorded.changes.has(Dirty::Elements, Dirty::VertexBuffers))
        recorded.misaligned_vertices = has_misaligned_vertices(host, *d.bindings);
    return recorded.misaligned_vertices;
}

std::shared_ptr<LinkedProgram> choose_program(HostRecorder& host, const DrawInputs& d) {
    begin_recording(host, d);
    auto& recorded = host.recorded;
    using D = Dirty;
    const bool changed =
        recorded.program == nullptr || recorded.changes.has(D::Shaders, D::Rasterizer, D::DepthStencil, D::Blend,
                                                            D::Elements, D::Framebuffer, D::Assembly);
    if (changed) {
        const ModuleState state = module_state(*host.device, *d.bindings, d.topology, d.patch_vertices);
        if (recorded.program == nullptr || state != recorded.module_state) {
            recorded.module_state = state;
            recorded.program = find_program(host, *d.bindings, state);
            recorded.pipeline = nullptr;  // of another program
            recorded.changes.mark(Dirty::Shaders);
        }
    }
    return recorded.program;
}

Problem record(HostRecorder& host, const DrawInputs& d) {
    return or_reclaim(host, [&] { return record_once(host, d); });
}

}  // namespace tgsi2spv::host
