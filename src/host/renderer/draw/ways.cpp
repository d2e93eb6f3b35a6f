#include "renderer/draw/ways.h"

#include <algorithm>
#include <iterator>

#include "renderer/emulate/assemble.h"
#include "renderer/record/dynamic_state.h"
#include "renderer/state/caps.h"

namespace tgsi2spv::host {
namespace {

using Draw = const DrawFacts&;
using Device = const DeviceFacts&;

// Features that a device lacks: a function for each column `lacks` of the table.
bool nothing(Device) {
    return true;  // a draw may ask for more than any device has
}
bool geometry(Device d) {
    return d.report.features.geometryShader == 0;
}
bool tessellation(Device d) {
    return d.report.features.tessellationShader == 0;
}
bool tessellation_modes(Device d) {
    return d.extras.portability.tessellationPointMode == 0 || d.extras.portability.tessellationIsolines == 0;
}
bool stores(Device d) {
    return d.report.features.vertexPipelineStoresAndAtomics == 0;
}
bool transform_feedback(Device d) {
    return !d.report.transform_feedback;
}
bool polygon_modes(Device d) {
    return d.report.features.fillModeNonSolid == 0;
}
bool last_vertices(Device d) {
    return d.extras.provoking.provokingVertexLast == 0;
}
bool base_instances(Device d) {
    return d.report.features11.shaderDrawParameters == 0;
}
bool list_restarts(Device d) {
    const auto& restart = d.extras.list_restart;
    return restart.primitiveTopologyListRestart == 0 || restart.primitiveTopologyPatchListRestart == 0;
}
bool ordered_blending(Device d) {
    const VkPhysicalDeviceFeatures& f = d.report.features;
    return color_reads_of(d.extras) == vk::ColorReads::AfterBarriers && (f.dualSrcBlend == 0 || f.logicOp == 0);
}
bool capturing_apart(Device d) {
    return transform_feedback(d) || polygon_modes(d) || last_vertices(d) || ordered_blending(d);
}

// Needs of draws: the functions of the column `needs`, and parts of them.
bool always(Draw, Device) {
    return true;
}
bool has_stages(Draw draw) {
    return draw.geom || draw.tessellates;
}
/// FRAG has to see all of a primitive before it blends the next one.
bool blends_one_by_one(Draw draw, Device d) {
    const VkPhysicalDeviceFeatures& f = d.report.features;
    const bool lacks = (draw.target_reads == TargetReads::TwoSources && f.dualSrcBlend == 0) ||
                       (draw.target_reads == TargetReads::LogicOp && f.logicOp == 0);
    return lacks && ordered_blending(d);
}
/// A shader depends on the whole draw (numbers of instances, draws or primitives) or makes primitives: parts of the
/// draw would look otherwise.
bool knows_its_draw(Draw draw) {
    return has_stages(draw) || draw.reads_primitive || (draw.reads_draw_id && (draw.indirect || draw.draw_id != 0)) ||
           (draw.has_instances() && (draw.reads_instance || draw.divisor > 1));
}
/// Too many primitives to list otherwise than whole.
bool is_too_large(Draw draw) {
    return !draw.indirect && uint64_t{draw.count} * std::max(draw.instances, 1U) > kMostListed;
}
bool reads_last_vertices(Draw draw) {
    return draw.reads_flat && draw.last_provokes && !draw.discards;
}
bool is_outlined(Draw draw, Device d) {
    return polygon_modes(d) && draw.fill != virgl::FillMode::Fill;
}
/// The draw is listed with the last corner first. Stippled strips are not: their pattern goes on from line to line.
bool rotates(Draw draw, Device) {
    const uint32_t corners = own_corners_of(draw.topology);
    const bool large = !draw.indirect && draw.count > kMostListed;
    const bool strip = draw.topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP && draw.stippled;
    return reads_last_vertices(draw) && (corners == 2 || corners == 3) && !strip && !large && !draw.geom;
}
bool captures_of_vert(Draw draw) {
    return draw.captures && !has_stages(draw);
}

bool reads_base_instance(Draw draw, Device) {
    return draw.reads_instance && (draw.indirect || draw.first_instance != 0);
}
bool divides_far(Draw draw, Device d) {
    return draw.divisor > largest_divisor(d.extras);
}
bool has_geom(Draw draw, Device) {
    return draw.geom;
}
bool has_tessellation(Draw draw, Device) {
    return draw.tessellates;
}
bool has_other_tessellation(Draw draw, Device d) {
    return (draw.tessellates_points && d.extras.portability.tessellationPointMode == 0) ||
           (draw.tessellates_lines && d.extras.portability.tessellationIsolines == 0);
}
bool reads_primitive(Draw draw, Device) {
    return draw.reads_primitive && !draw.geom;
}
bool outlines_patches(Draw draw, Device d) {
    return draw.tessellates && is_outlined(draw, d);
}
bool reads_last_of_stages(Draw draw, Device) {
    return has_stages(draw) && reads_last_vertices(draw);
}
bool counts_stages(Draw draw, Device) {
    return has_stages(draw) && draw.counts_generated;
}
bool blends_whole(Draw draw, Device d) {
    return blends_one_by_one(draw, d) && (knows_its_draw(draw) || (draw.captures && transform_feedback(d)));
}
bool captures_and_may_store(Draw draw, Device d) {
    return captures_of_vert(draw) && transform_feedback(d);
}
bool captures_apart(Draw draw, Device d) {
    if (!captures_of_vert(draw) || draw.discards) return false;
    const bool is_listed = !is_too_large(draw) && (blends_one_by_one(draw, d) || is_outlined(draw, d));
    return transform_feedback(d) || is_listed || (last_vertices(d) && rotates(draw, d));
}
bool captures(Draw draw, Device) {
    return draw.captures;
}
bool may_be_refused(Draw draw, Device d) {
    return draw.geom || stores(d) || d.report.features.multiViewport == 0;
}
bool outlines(Draw draw, Device d) {
    return is_outlined(draw, d) && !is_too_large(draw);
}
bool blends_listed(Draw draw, Device d) {
    return blends_one_by_one(draw, d) && !is_too_large(draw);
}
bool has_adjacent(Draw draw, Device) {
    return corners_of(draw.topology) > 3;
}
bool may_have_restarts(Draw draw, Device d) {
    return draw.restarts && !may_restart(d.extras, draw.topology);
}
bool has_two_modes(Draw draw, Device) {
    return draw.two_modes;
}

constexpr const char *kStages = "GEOM, tessellation",
                     *kStores = "buffers and images that VERT, TESS_CTRL, TESS_EVAL or GEOM writes",
                     *kOutlines = "polygons as lines and points", *kFlat = "flat values of last vertices",
                     *kTwoSources = "dual-source blending", *kCaptures = "stream output";

// Whole draws come first: one that lacks a stage leaves nothing to list. Of these, the rows that draw from records come
// before those for which VERT runs twice, and those that compile come late.
constexpr WayRow kRows[] = {
    // VERT itself would read wrong numbers, so it may run only as a compute shader, whatever else the draw needs.
    {"INSTANCEID with a base instance", "INSTANCEID of draws with a base instance, and of indirect ones", Way::Emulate,
     base_instances, reads_base_instance, Look::None, true},
    {"attributes that advance every few instances", "attributes that advance every few instances", Way::Emulate,
     nothing, divides_far, Look::None, true},
    // These stages do not exist, so the library need not be asked about their shaders.
    {"GEOM", kStages, Way::Emulate, geometry, has_geom},
    {"tessellation", kStages, Way::Emulate, tessellation, has_tessellation},
    {"tessellation to points or lines", kStages, Way::Emulate, tessellation_modes, has_other_tessellation},
    // The stages exist, but their primitives cannot be listed before they run.
    {"PRIMID in FRAG", "PRIMID in FRAG", Way::Emulate, geometry, reads_primitive, Look::None, true},
    {"patches as lines or points", kOutlines, Way::Emulate, polygon_modes, outlines_patches},
    {"flat values of last vertices, after other stages", kFlat, Way::Emulate, last_vertices, reads_last_of_stages},
    {"generated primitives, counted after other stages", "queries", Way::Emulate, nothing, counts_stages},
    // Before captures are drawn apart: VERT would number the vertices of the parts anew. Without transform feedback,
    // one emulation captures and lists.
    {"blending by FRAG, of draws that know their whole", kTwoSources, Way::Emulate, ordered_blending, blends_whole,
     Look::None, true},
    // Before captures are drawn apart or emulated: VERT would run, and store, a second time. It does so where the
    // library has no reason to refuse it.
    {"captures of VERT that stores", kStores, Way::Emulate, [](Device d) { return transform_feedback(d) && stores(d); },
     captures_and_may_store, Look::Program, true},
    // Before captures are emulated, which would draw nothing but records. The draw that captures comes back to this
    // table with rasterizer discard, for the next row or the device.
    {"captures of VERT", kCaptures, Way::Apart, capturing_apart, captures_apart},
    {"captures", kCaptures, Way::Emulate, transform_feedback, captures},
    // The last of the whole draws, since it compiles the device's program, which those before do not use.
    {"stages that the library refuses", kStores, Way::Emulate, nothing, may_be_refused, Look::Program, true},

    // From here on, the device's own stages draw, if a render condition lets them. Lists come before aligned vertices
    // and faces, which draw parts of lists, too. Outlines are the first of them: the device must not count these.
    {"polygons as lines or points", kOutlines, Way::Outline, polygon_modes, outlines},
    {"blending by FRAG", kTwoSources, Way::List, ordered_blending, blends_listed, Look::None, false,
     &ListOptions::one_by_one},
    {"flat values of last vertices", kFlat, Way::List, last_vertices, rotates, Look::None, false,
     &ListOptions::rotates},
    {"adjacent corners without GEOM", kStages, Way::List, geometry, has_adjacent, Look::None, false,
     &ListOptions::drops_adjacent},
    // The last of the lists, since it reads the indices, for which it may wait. Any list is without restarts.
    {"restarts in lists", "restarts in lists and patches", Way::List, list_restarts, may_have_restarts, Look::Indices},
    {"vertices off their alignment", "vertices off their alignment", Way::Align, nothing, always, Look::Vertices},
    {"two polygon modes", "polygons whose faces have different modes", Way::Faces, nothing, has_two_modes},
    {"all others", "", Way::Device, nothing, always},
};

bool is_of_stages(const WayRow& row) {
    return row.way <= Way::Apart;
}

}  // namespace

std::span<const WayRow> way_rows() {
    return kRows;
}

Ways::Ways(const DeviceFacts& device) : device_(device) {
    static_assert(std::size(kRows) < std::tuple_size_v<Rows>);
    const WayRow **stage = stages_.data(), **primitive = primitives_.data();
    for (const WayRow& row : kRows)
        if (row.lacks(device)) *(is_of_stages(row) ? stage : primitive)++ = &row;
}

ListOptions Ways::list_options(const DrawFacts& draw) const {
    ListOptions options{.topology = draw.topology, .last_provokes = draw.last_provokes};
    for (const WayRow* const* at = primitives_.data(); *at != nullptr; at++) {
        const WayRow& row = **at;
        if (row.way == Way::Outline && row.needs(draw, device_)) options.fill = draw.fill;
        if (row.option != nullptr && row.needs(draw, device_)) options.*row.option = true;
    }
    // Else the corner that comes first, or one of an outline, would be an adjacent one. Without GEOM, nothing reads
    // these.
    const bool is_rearranged = options.rotates || options.fill != virgl::FillMode::Fill;
    options.drops_adjacent |= is_rearranged && has_adjacent(draw, device_);
    return options;
}

EmulationOptions Ways::emulation_options(const DrawFacts& draw, const WayRow& row) const {
    return {.from_records = row.from_records,
            .rotates = last_vertices(device_) && reads_last_vertices(draw),
            .one_by_one = blends_one_by_one(draw, device_),
            .fill = is_outlined(draw, device_) ? draw.fill : virgl::FillMode::Fill};
}

bool Ways::blends_out_of_order(const DrawFacts& draw) const {
    return blends_one_by_one(draw, device_) && is_too_large(draw);
}

}  // namespace tgsi2spv::host
