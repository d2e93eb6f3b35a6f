#include "renderer/draw/draw.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "renderer/emulate/assemble.h"
#include "renderer/emulate/emulate.h"
#include "renderer/emulate/emulate_piece.h"
#include "renderer/emulate/host_emulator.h"
#include "renderer/emulate/lists.h"
#include "renderer/emulate/realign.h"
#include "renderer/record/condition.h"
#include "renderer/record/module_state.h"
#include "renderer/record/record.h"
#include "renderer/record/shader_blend.h"
#include "renderer/record/vertices.h"
#include "renderer/state/convert.h"

namespace tgsi2spv::host {
namespace {

/// True if all required state is bound. State trackers always bind it; other draws are dropped.
bool is_complete(const Bindings& context) {
    return context.blend != nullptr && context.rasterizer != nullptr && context.depth_stencil != nullptr &&
           context.elements != nullptr && context.stage(virgl::Stage::Vert).shader != nullptr &&
           (context.stage(virgl::Stage::Frag).shader != nullptr || context.rasterizer->discard) &&
           context.framebuffer.width != 0 && context.framebuffer.height != 0;
}

/// Patches and evaluation shaders come together, and so do both kinds of tessellation shaders. GEOM takes the
/// primitives of the stage before it, or those of the draw (VUID-VkGraphicsPipelineCreateInfo-pStages-00738 and 00739).
bool has_fitting_stages(const Bindings& context, const virgl::Draw& command) {
    const bool patches = command.mode == virgl::Primitive::Patches;
    const Shader* const evaluation = context.stage(virgl::Stage::TessEval).shader.get();
    const bool evaluates = evaluation != nullptr;
    if (patches != evaluates || (!evaluates && context.stage(virgl::Stage::TessCtrl).shader != nullptr)) return false;
    const Shader* const geom = context.stage(virgl::Stage::Geom).shader.get();
    if (geom == nullptr || !geom->program || (evaluates && !evaluation->program)) return true;
    return corners_before(geom->program) ==
           (evaluates ? mode_of(evaluation->program).corners() : corners_of(to_vulkan(command.mode)));
}

/// Whether the faces of the draw's polygons have different modes: Vulkan has one for both.
bool has_two_modes(const Bindings& context, VkPrimitiveTopology topology) {
    const virgl::CreateRasterizer& r = *context.rasterizer;
    return r.fill_front != r.fill_back && r.cull == 0 && class_of(topology) == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST &&
           context.stage(virgl::Stage::Geom).shader == nullptr &&
           captured_buffers(context, last_vertex_stage(context)) == 0;
}

/// Polygons whose faces have different modes: one face after the other, as if the other one was culled.
Problem draw_faces(HostEmulator& host, const DrawInputs& d) {
    if (!has_two_modes(*d.bindings, d.topology)) return record(host, d);
    Bindings face = *d.bindings;
    DrawInputs part = d;
    part.bindings = &face;
    for (const uint8_t culled : {virgl::kCullBack, virgl::kCullFront}) {
        auto one = std::make_shared<virgl::CreateRasterizer>(*d.bindings->rasterizer);
        one->cull = culled;
        face.rasterizer = std::move(one);
        if (const Problem p = record(host, part)) return p;
        host.stream.end_scope();  // the second face is not counted once more
        part.counts_primitives = false;
    }
    return Problem::None;
}

/// One draw as lists. Those that are drawn one by one do not fill one command buffer.
Problem draw_listed(HostEmulator& host, const DrawInputs& d, const DrawArguments& a, const ListOptions& options) {
    if (count_of(*d.bindings, a) == 0) return Problem::None;
    auto numbers = numbers_of(host, *d.bindings, d.command, a);
    if (!numbers) return Problem::NoMemory;
    if (!a.indexed) numbers->first = 0;
    if (options.topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST) numbers->of_patch = d.command.vertices_per_patch;
    DrawInputs part = d;
    part.indirect.reset();
    part.command = draw_of_list(d.command, a, options);
    part.topology = to_vulkan(part.command.mode);
    part.patch_vertices = numbers->of_patch;
    if (options.one_by_one) {
        part.command.instance_count = 1;
        part.one_by_one = corners_of(part.topology);
    }
    std::optional<Bindings> aligned;
    if (has_misaligned_vertices(host, *d.bindings)) {
        aligned = align_vertices(host, *d.bindings, ranges_of(a, *numbers));
        if (!aligned) return Problem::NoMemory;
        part.bindings = &*aligned;
    }
    constexpr size_t kMany = 4096;  // vertices in a batch
    size_t& waiting = host.emulation.one_by_one.vertices;
    std::vector<uint32_t> vertices;
    for (uint32_t i = 0; i < (options.one_by_one ? a.instances : 1); i++) {
        part.command.start_instance = a.first_instance + i;
        PrimitiveLists lists(options, *numbers);
        while (lists.next(vertices)) {
            part.list = vertices;
            if (const Problem p = draw_faces(host, part)) return p;
            if (host.stream.is_long() || (!options.one_by_one && vertices.size() >= kMostListed / 2))
                host.stream.submit();  // its memory is free then
            if (!options.one_by_one || (waiting += vertices.size()) < kMany) continue;
            waiting = 0;
            if (!submit_one_by_one(host)) return Problem::NoMemory;
        }
    }
    return Problem::None;
}

/// Each draw of the command as lists.
Problem draw_lists(HostEmulator& host, const DrawInputs& d, const ListOptions& options) {
    // Lists whose primitives are the guest's own are the device's work, but a command has an end.
    constexpr uint64_t kMostOwn = 1U << 28;
    const bool own = !options.rotates && !options.one_by_one && options.fill == virgl::FillMode::Fill;
    uint64_t left = own ? kMostOwn : kMostListed;
    bool skips = false;
    const auto draw_one = [&](const DrawArguments& a) -> Problem {
        const uint64_t vertices = options.one_by_one ? uint64_t{a.count} * a.instances : a.count;
        skips |= vertices > left;
        if (skips) return Problem::None;
        left -= vertices;
        return draw_listed(host, d, a, options);
    };
    const Problem problem = for_each_draw(host, d.command, draw_one);
    if (skips)
        log_line(
            "vertices of a command beyond 2^22 (2^28 if only restarts or adjacent corners go) are skipped: the device would draw wrongly");
    return problem;
}

/// Whether the device has no such primitives. Those with GEOM are emulated.
bool drops_adjacent(const gpu::Device& device, VkPrimitiveTopology topology) {
    return corners_of(topology) > 3 && device.report().features.geometryShader == 0;
}

/// Lists of other primitives than the guest's, for which the device must not count.
Problem draw_outlined(HostEmulator& host, const DrawInputs& d, const ListOptions& options) {
    host.stream.end_scope();
    DrawInputs part = d;
    part.counts_primitives = false;
    const Problem problem = draw_lists(host, part, options);
    host.stream.end_scope();
    return problem;
}

/// Whether a draw has too many primitives to list otherwise than whole.
bool is_too_large(const virgl::Draw& command) {
    return command.indirect_resource == 0 &&
           uint64_t{command.count} * std::max(command.instance_count, 1U) > kMostListed;
}

/// How the draw's primitives are listed, if they have to be. `one_by_one`: they should not be one draw.
ListOptions list_options(HostState& host, const DrawInputs& d, bool one_by_one) {
    ListOptions options{.topology = d.topology, .last_provokes = !d.bindings->rasterizer->flatshade_first};
    options.rotates = rotates_primitives(host, *d.bindings, d.command, d.topology);
    options.drops_adjacent = drops_adjacent(*host.device, d.topology);
    options.restarts = has_list_restarts(host, *d.bindings, d.command, d.topology);
    const bool large = is_too_large(d.command);
    if (!large) options.fill = listed_fill(host, *d.bindings, d.topology);
    options.one_by_one = one_by_one && !large;
    if (one_by_one && large)
        log_line(
            "FRAG reads its target, but the draw has too many primitives: where they overlap, they are not blended one after the other");
    return options;
}

/// Whether the device lacks what the library needs for the stages before FRAG, but not for their records: stores,
/// streams, viewports, or room for GEOM's varyings.
bool is_refused(HostRecorder& host, const DrawInputs& d) {
    const VkPhysicalDeviceFeatures& f = host.device->report().features;
    const bool has_all = f.vertexPipelineStoresAndAtomics != 0 && f.multiViewport != 0;
    if (has_all && d.bindings->stage(virgl::Stage::Geom).shader == nullptr) return false;
    const auto program = choose_program(host, d);
    return program != nullptr && program->failed;
}

/// Whether VERT may store, and the device's own stage cannot: what is captured is then drawn from VERT's records, too.
bool stores_once(const HostState& host, const Bindings& context) {
    return host.device->report().features.vertexPipelineStoresAndAtomics == 0 &&
           context.stage(virgl::Stage::Geom).shader == nullptr &&
           context.stage(virgl::Stage::TessEval).shader == nullptr;
}

/// Finds the number of vertices that stream output has captured; `reads`: here. False: there is none.
bool find_count(HostState& host, DrawInputs& d, bool reads) {
    if (d.command.count_from_streamout == 0) return true;
    d.captured_count = find_captured_count(*d.guest, d.command.count_from_streamout);
    if (!d.captured_count || !reads) return d.captured_count.has_value();
    const CapturedCount found = *d.captured_count;
    d.captured_count.reset();
    if (!host.stream.wait(found.counters->uses.last_batch)) return false;
    uint32_t bytes = 0;
    std::memcpy(&bytes, found.counters->mapped() + found.offset, sizeof bytes);
    d.command.count = bytes / found.stride;
    d.command.count_from_streamout = 0;
    return true;
}

/// Refuses draws that Vulkan does not have, and prepares indirect ones.
Problem check(HostState& host, DrawInputs& d) {
    if (d.topology == VK_PRIMITIVE_TOPOLOGY_MAX_ENUM ||
        (d.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN && host.device->extras().portability.triangleFans == 0))
        return Problem::Unsupported;
    if (d.command.indirect_resource != 0)
        if (const Problem p = prepare_indirect(host, d.command, d.indirect.emplace())) return p;
    return Problem::None;
}

Problem check_patches(const HostState& host, DrawInputs& d) {
    if (d.command.mode != virgl::Primitive::Patches) return Problem::None;
    d.patch_vertices = d.command.vertices_per_patch;
    const uint32_t largest = largest_patch(host.device->report());
    if (d.patch_vertices == 0 || d.patch_vertices > largest) return {Problem::BadSize, d.patch_vertices, largest};
    return Problem::None;
}

/// Chooses the way of a draw. Each is for draws that the next one cannot do.
Problem choose_way(HostEmulator& host, SubContext& guest, DrawInputs& d) {
    const Bindings& context = *d.bindings;
    // FRAG that blends has to see the primitive before; but stages that know of the draw's others need it whole.
    const bool one_by_one = blends_one_by_one(*host.device, context);
    const bool miscounts = miscounts_instances(host, d);
    const bool emulated = is_emulated(host, d) || (one_by_one && knows_its_draw(context, d.command)) || miscounts;
    const bool refused = miscounts || ((!emulated || stores_once(host, context)) && is_refused(host, d));
    const bool reads_count =
        d.command.count_from_streamout != 0 &&
        (emulated || refused || one_by_one || drops_adjacent(*host.device, d.topology) ||
         host.device->extras().feedback.transformFeedbackDraw == 0 || has_wrong_flat_values(host, context) ||
         counts_generated(d) || listed_fill(host, context, d.topology) != virgl::FillMode::Fill);
    if (!find_count(host, d, reads_count)) return Problem::None;
    // The device's stages do not exist, or cannot have these shaders: compute shaders leave records, which are drawn.
    if (emulated || refused) return is_skipped(host, guest) ? Problem::None : emulate(host, d, refused);
    const Decision decision = check_condition(host, guest);
    if (decision == Decision::Skip) return Problem::None;
    if (decision == Decision::AskDevice) d.condition = &guest.condition;
    // Primitives that the device would draw otherwise: the CPU lists them.
    const ListOptions options = list_options(host, d, one_by_one);
    const bool outlined = options.fill != virgl::FillMode::Fill;
    count_generated(host, d, outlined);
    if (outlined) return draw_outlined(host, d, options);
    if (options.is_needed()) return draw_lists(host, d, options);
    if (!is_misaligned(host, d)) return draw_faces(host, d);
    // Vertices that are not where Vulkan fetches them: from aligned copies.
    const auto ranges = ranges_of(host, context, d.command);
    const auto aligned = ranges ? align_vertices(host, context, *ranges) : std::nullopt;
    if (!aligned) return Problem::NoMemory;
    d.bindings = &*aligned;
    return draw_faces(host, d);
}

/// Whether VERT's outputs are captured and drawn in different ways: emulation draws only its own records, and
/// primitives that are drawn one by one would be captured so.
bool captures_apart(HostRecorder& host, const DrawInputs& d) {
    const Bindings& context = *d.bindings;
    if (context.feedback == nullptr || context.rasterizer->discard) return false;
    const Shader& last = last_vertex_stage(context);
    if (last.stage != virgl::Stage::Vert || captured_buffers(context, last) == 0) return false;
    const bool one_by_one = blends_one_by_one(*host.device, context);
    if (miscounts_instances(host, d)) return false;
    if (host.device->report().transform_feedback)
        return !numbers_primitives(host, context) && !is_too_large(d.command) &&
               (one_by_one ? !knows_its_draw(context, d.command)
                           : listed_fill(host, context, d.topology) != virgl::FillMode::Fill);
    return !one_by_one && !numbers_primitives(host, context) && !(stores_once(host, context) && is_refused(host, d));
}

}  // namespace

Problem draw(HostEmulator& host, SubContext& context, const virgl::Draw& command) {
    take_changes(host, context);
    DrawInputs d{.guest = &context, .bindings = &context, .command = command, .topology = to_vulkan(command.mode)};
    if (const Problem p = check(host, d)) return p;
    if (!is_complete(context) || !has_fitting_stages(context, command)) return Problem::None;
    if (const Problem p = check_patches(host, d)) return p;
    if (!captures_apart(host, d)) return choose_way(host, context, d);
    Bindings part = context;
    auto discards = std::make_shared<virgl::CreateRasterizer>(*context.rasterizer);
    discards->discard = true;
    part.rasterizer = std::move(discards);
    d.bindings = &part;
    if (const Problem p = choose_way(host, context, d)) return p;
    part.rasterizer = context.rasterizer;
    part.feedback = nullptr;
    d.bindings = &part;
    d.counts_primitives = false;
    return choose_way(host, context, d);
}

}  // namespace tgsi2spv::host
