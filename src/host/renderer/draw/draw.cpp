#include "renderer/draw/draw.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "renderer/draw/host_drawer.h"
#include "renderer/draw/ways.h"
#include "renderer/emulate/assemble.h"
#include "renderer/emulate/emulate.h"
#include "renderer/emulate/emulate_piece.h"
#include "renderer/emulate/lists.h"
#include "renderer/emulate/realign.h"
#include "renderer/record/condition.h"
#include "renderer/record/record.h"
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

/// Polygons whose faces have different modes: one face after the other, as if the other one was culled.
Problem draw_faces(HostRecorder& host, const DrawInputs& d) {
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

/// The draw, or a part of it. Outlines are no polygons, and have no faces.
Problem draw_part(HostRecorder& host, const DrawInputs& d, bool two_modes) {
    const bool faces = two_modes && class_of(d.topology) == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    return faces ? draw_faces(host, d) : record(host, d);
}

/// One draw as lists. Those that are drawn one by one do not fill one command buffer.
Problem draw_listed(HostEmulator& host, const DrawInputs& d, const DrawArguments& a, const ListOptions& options,
                    bool two_modes) {
    auto numbers = numbers_of(host, *d.bindings, d.command, a);
    if (!numbers) return Problem::NoMemory;
    if (numbers->count == 0) return Problem::None;
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
    size_t& waiting = host.one_by_one.vertices;
    std::vector<uint32_t> vertices;
    for (uint32_t i = 0; i < (options.one_by_one ? a.instances : 1); i++) {
        part.command.start_instance = a.first_instance + i;
        PrimitiveLists lists(options, *numbers);
        while (lists.next(vertices)) {
            part.list = vertices;
            if (const Problem p = draw_part(host, part, two_modes)) return p;
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
Problem draw_lists(HostEmulator& host, const DrawInputs& d, const ListOptions& options, bool two_modes) {
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
        return draw_listed(host, d, a, options, two_modes);
    };
    const Problem problem = for_each_draw(host, d.command, draw_one);
    if (skips)
        log_line(
            "vertices of a command beyond 2^22 (2^28 if only restarts or adjacent corners go) are skipped: the device would draw wrongly");
    return problem;
}

/// Lists of other primitives than the guest's, for which the device must not count.
Problem draw_outlined(HostEmulator& host, const DrawInputs& d, const ListOptions& options) {
    host.stream.end_scope();
    DrawInputs part = d;
    part.counts_primitives = false;
    const Problem problem = draw_lists(host, part, options, false);
    host.stream.end_scope();
    return problem;
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

/// Takes a look at the draw (ways.h). It may compile, wait, or begin to record.
bool finds(HostEmulator& host, const DrawInputs& d, Look look) {
    switch (look) {
        case Look::Program: {
            const auto program = or_reclaim(host, [&] { return choose_program(host, d); });
            return program != nullptr && program->failed;
        }
        case Look::Indices:
            return has_restarts(host, *d.bindings, d.command);
        case Look::Vertices:
            return is_misaligned(host, d);
        case Look::None:
            break;
    }
    return true;
}

/// Vertices that are not where Vulkan fetches them: from aligned copies.
Problem draw_aligned(HostRecorder& host, const DrawInputs& d, bool two_modes) {
    const auto ranges = ranges_of(host, *d.bindings, d.command);
    const auto aligned = ranges ? align_vertices(host, *d.bindings, *ranges) : std::nullopt;
    if (!aligned) return Problem::NoMemory;
    DrawInputs part = d;
    part.bindings = &*aligned;
    return draw_part(host, part, two_modes);
}

/// A draw that the device's own stages do.
Problem draw_primitives(HostDrawer& host, const DrawInputs& d, const DrawFacts& facts) {
    const WayRow& row = host.ways.of_primitives(facts, [&](Look look) { return finds(host, d, look); });
    if (host.ways.blends_out_of_order(facts))
        log_line(
            "FRAG reads its target, but the draw has too many primitives: where they overlap, they are not blended one after the other");
    count_generated(host, d, row.way == Way::Outline);
    switch (row.way) {
        case Way::Outline:
            return draw_outlined(host, d, host.ways.list_options(facts));
        case Way::List:
            return draw_lists(host, d, host.ways.list_options(facts), facts.two_modes);
        case Way::Align:
            return draw_aligned(host, d, facts.two_modes);
        case Way::Faces:
            return draw_faces(host, d);
        default:
            return record(host, d);
    }
}

Problem draw_apart(HostDrawer& host, SubContext& guest, DrawInputs& d);

/// A draw in the way of its row.
Problem draw_by_row(HostDrawer& host, SubContext& guest, DrawInputs& d) {
    DrawFacts facts = facts_of(*host.device, d);
    const WayRow* const row = host.ways.of_stages(facts, [&](Look look) { return finds(host, d, look); });
    if (row != nullptr && row->way == Way::Apart) return draw_apart(host, guest, d);
    if (d.command.count_from_streamout != 0) {
        const bool reads = row != nullptr || facts.counts_generated || host.ways.list_options(facts).is_needed() ||
                           host.device->extras().feedback.transformFeedbackDraw == 0;
        if (!find_count(host, d, reads)) return Problem::None;
        facts.count = d.command.count;
    }
    if (row != nullptr)
        return is_skipped(host, guest) ? Problem::None : emulate(host, d, host.ways.emulation_options(facts, *row));
    const Decision decision = check_condition(host, guest);
    if (decision == Decision::Skip) return Problem::None;
    if (decision == Decision::AskDevice) d.condition = &guest.condition;
    return draw_primitives(host, d, facts);
}

/// Outputs that are captured in another way than they are drawn: by a draw of their own, with rasterizer discard.
Problem draw_apart(HostDrawer& host, SubContext& guest, DrawInputs& d) {
    Bindings part = *d.bindings;
    auto discards = std::make_shared<virgl::CreateRasterizer>(*part.rasterizer);
    discards->discard = true;
    const auto rasterizer = std::exchange(part.rasterizer, std::move(discards));
    d.bindings = &part;
    if (const Problem p = draw_by_row(host, guest, d)) return p;
    part.rasterizer = rasterizer;
    part.feedback = nullptr;
    d.counts_primitives = false;
    return draw_by_row(host, guest, d);
}

}  // namespace

Problem draw(HostDrawer& host, SubContext& context, const virgl::Draw& command) {
    take_changes(host, context);
    DrawInputs d{.guest = &context, .bindings = &context, .command = command, .topology = to_vulkan(command.mode)};
    if (command.count_from_streamout != 0) d.command.count = 0;  // the device knows it
    if (const Problem p = check(host, d)) return p;
    if (!is_complete(context) || !has_fitting_stages(context, command)) return Problem::None;
    if (const Problem p = check_patches(host, d)) return p;
    return draw_by_row(host, context, d);
}

}  // namespace tgsi2spv::host
