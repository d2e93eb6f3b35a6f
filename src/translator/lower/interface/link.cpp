#include "lower/interface/link.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "lower/options/facts.h"
#include "lower/options/linkage.h"
#include "lower/plan/plan.h"
#include "lower/state/state_context.h"
#include "lower/variables/locations.h"
#include "lower/variables/outputs.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Semantic;
using tgsi::Stage;

namespace {

/// A varying as one stage declares it.
struct Varying {
    Semantic semantic = Semantic::None;
    uint32_t index = 0;
    uint8_t mask = 0;    ///< components that are written, or read
    uint32_t kind = 0;   ///< FRAG inputs: differs between varyings that cannot share a location
    uint32_t order = 0;  ///< the original place, for sorting

    bool names(const Varying& other) const { return semantic == other.semantic && index == other.index; }
    bool operator<(const Varying& other) const {
        return semantic != other.semantic ? semantic < other.semantic : index < other.index;
    }
};
using Varyings = std::pmr::vector<Varying>;

void refuse(std::vector<tgsi::Diagnostic>& diagnostics, tgsi::Code code, std::string message) {
    diagnostics.push_back({.code = code, .offset = 0, .message = std::move(message), .hint = {}});
}

void warn(std::vector<tgsi::Diagnostic>& diagnostics, tgsi::Code code, std::string message) {
    constexpr size_t kMostWarnings = 20;  // as of a text: an index reads every register of a declaration
    if (diagnostics.size() >= kMostWarnings) return;
    refuse(diagnostics, code, std::move(message));
    diagnostics.back().severity = tgsi::Severity::Warning;
}

void number(Varyings& all) {
    for (size_t i = 0; i < all.size(); ++i) all[i].order = static_cast<uint32_t>(i);
}

/// Sorts by semantic and index, and merges duplicates.
void normalise(Varyings& all) {
    number(all);
    std::sort(all.begin(), all.end(), [](const Varying& a, const Varying& b) {
        return std::tie(a.semantic, a.index, a.order) < std::tie(b.semantic, b.index, b.order);
    });
    size_t n = 0;
    for (const Varying& v : all) {
        if (n != 0 && all[n - 1].names(v))
            all[n - 1].mask |= v.mask;
        else
            all[n++] = v;
    }
    all.resize(n);
}

/// The components of a register that the next stage may read: of GEOM's streams only 0 is rasterized.
uint8_t rasterized(const Declared& declared, uint8_t mask) {
    for (uint32_t c = 0; c < 4; ++c)
        if (stream_of_component(declared, c) != 0) mask = static_cast<uint8_t>(mask & ~(1u << c));
    return mask;
}

bool is_distance(Semantic semantic) {
    return semantic == Semantic::ClipDist || semantic == Semantic::CullDist;
}

/// The registers of IN or OUT that have components in `masks`. `distances`: also CLIPDIST and CULLDIST.
void gather_varyings(const LinkStage& stage, File file, std::span<const uint8_t> masks, bool distances,
                     Varyings& varyings) {
    for (uint32_t i = 0; i < masks.size(); ++i) {
        if (masks[i] == 0) continue;
        const Declared d = declared_as(*stage.program, *stage.registers, file, static_cast<int32_t>(i));
        if (!is_linked(d.semantic) && !(distances && is_distance(d.semantic))) continue;
        const uint8_t mask = rasterized(d, masks[i]);
        if (mask == 0) continue;
        const bool interpolated = file == File::Input && stage.program->stage == Stage::Fragment;
        const uint32_t kind = interpolated ? 1 + 8 * static_cast<uint32_t>(d.declaration->interpolation) +
                                                 static_cast<uint32_t>(d.declaration->location)
                                           : 0;
        varyings.push_back({d.semantic, d.index, mask, kind});
    }
    normalise(varyings);
}

/// The outputs that TESS_CTRL itself reads.
void gather_own_reads(const LinkStage& stage, std::span<const uint8_t> written, bool distances, Varyings& varyings) {
    std::pmr::vector<uint8_t> masks(written.size(), 0, varyings.get_allocator());
    bool any = false;
    for (const tgsi::Instruction& i : stage.program->instructions)
        for (const tgsi::Operand& o : stage.program->srcs(i)) {
            if (o.file != File::Output) continue;
            const auto index = static_cast<size_t>(o.index);
            any |= o.index_is_relative;
            if (!o.index_is_relative && o.index >= 0 && index < masks.size()) masks[index] = 0xf;
        }
    for (const tgsi::Relative& r : stage.program->relatives)
        if (r.file == File::Output && static_cast<size_t>(r.index) < masks.size())
            masks[static_cast<size_t>(r.index)] = 0xf;
    gather_varyings(stage, File::Output, any ? written : masks, distances, varyings);
}

/// The outputs and inputs of a stage.
struct Interface {
    explicit Interface(std::pmr::memory_resource* memory) : outputs(memory), inputs(memory), own_reads(memory) {}

    Varyings outputs, inputs, own_reads;
    /// is_passed_flat(): bit n for tgsi::Semantic n.
    uint64_t writes_flat = 0, reads_flat = 0;
    bool writes(Semantic semantic) const { return (writes_flat & bit(semantic)) != 0; }
    static uint64_t bit(Semantic semantic) {
        return is_passed_flat(semantic) ? uint64_t{1} << static_cast<uint32_t>(semantic) : 0;
    }
    bool writes_position = false, writes_clip_vertex = false, writes_point_size = false;
    DistanceCount distances;        ///< written by the stage
    uint32_t passed_distances = 0;  ///< clip distances that FRAG takes in place of the rasterizer
    uint32_t max_vertices = 0;      ///< GEOM
    uint32_t built_in_count = 0;    ///< number of built-in variables among its outputs
};

/// The clip distances of a last stage, which it writes itself or has by user planes.
uint32_t passed_distances(const LinkStage& s, const Interface& interface) {
    const uint32_t written = interface.distances.last.declaration == nullptr ? 0 : interface.distances.clip;
    const bool has_vertex = interface.writes_position || interface.writes_clip_vertex;
    return written != 0 || !has_vertex ? written : planes_of(*s.program, s.options->state, 0);
}

bool read_interface(const LinkStage& s, bool before_rasterizer, const Capabilities& capabilities, Plan& plan,
                    Interface& interface, std::vector<tgsi::Diagnostic>& diagnostics) {
    if (!make_plan(*s.program, *s.registers, *s.options, capabilities, plan, diagnostics)) return false;
    const Stage stage = s.program->stage;
    const bool no_builtin = !capabilities.clip_distance;
    if (stage != Stage::Fragment)
        gather_varyings(s, File::Output, plan.output_masks, no_builtin && !before_rasterizer, interface.outputs);
    if (stage != Stage::Vertex)
        gather_varyings(s, File::Input, plan.input_masks, no_builtin && stage != Stage::Fragment, interface.inputs);
    if (stage == Stage::Geometry) interface.max_vertices = tgsi::most_emitted_vertices(*s.program);
    for (uint32_t i = 0; i < plan.output_masks.size(); ++i) {
        if (plan.output_masks[i] == 0) continue;
        const Declared d = declared_as(*s.program, *s.registers, File::Output, static_cast<int32_t>(i));
        interface.built_in_count += is_linked(d.semantic) ? 0 : 1;
        interface.writes_flat |= Interface::bit(d.semantic);
        interface.writes_position |= d.semantic == Semantic::Position;
        interface.writes_clip_vertex |= d.semantic == Semantic::ClipVertex;
        interface.writes_point_size |= d.semantic == Semantic::PSize;
    }
    // Then the stage may write it although the text does not.
    interface.writes_point_size |= before_rasterizer && (s.options->draws_points || s.options->state.point_size);
    const auto read_flat = [&](File file, std::span<const uint8_t> masks) {
        for (uint32_t i = 0; i < masks.size(); ++i)
            if (masks[i] != 0)
                interface.reads_flat |=
                    Interface::bit(declared_as(*s.program, *s.registers, file, static_cast<int32_t>(i)).semantic);
    };
    read_flat(File::Input, plan.input_masks);
    read_flat(File::SystemValue, plan.system_masks);
    interface.distances = count_distances(*s.program, *s.registers, File::Output, plan.output_masks, true);
    if (before_rasterizer && no_builtin) interface.passed_distances = passed_distances(s, interface);
    if (stage == Stage::TessControl) gather_own_reads(s, plan.output_masks, no_builtin, interface.own_reads);
    if (stage == Stage::Fragment && s.options->state.two_sided) {
        for (size_t i = 0, n = interface.inputs.size(); i < n; ++i) {
            Varying v = interface.inputs[i];
            if (v.semantic != Semantic::Color || v.index >= 2) continue;
            v.semantic = Semantic::BColor;
            interface.inputs.push_back(v);
        }
        normalise(interface.inputs);
    }
    return true;
}

/// One location for each, starting at `first`.
void place_in_order(const Varyings& varyings, uint32_t first, std::pmr::vector<LinkedVarying>& places) {
    for (const Varying& v : varyings)
        places.push_back({v.semantic, v.index, static_cast<uint8_t>(first + places.size()), 0, 4});
}

uint8_t width_of(const Varying& varying) {
    uint8_t width = 1;
    for (uint8_t c = 0; c < 4; ++c)
        if (varying.mask >> c & 1) width = static_cast<uint8_t>(c + 1);
    return width;
}

/// First fit, the widest first. Returns the number of locations used.
uint32_t place_packed(Varyings& varyings, std::pmr::vector<LinkedVarying>& places) {
    number(varyings);
    std::sort(varyings.begin(), varyings.end(), [](const Varying& a, const Varying& b) {
        return std::pair(width_of(b), a.order) < std::pair(width_of(a), b.order);
    });
    struct Slot {
        uint32_t kind = 0;
        uint8_t used = 0;
    };
    std::pmr::vector<Slot> locations(places.get_allocator());
    for (const Varying& v : varyings) {
        const uint8_t width = width_of(v);
        size_t at = 0;
        while (at < locations.size() && (locations[at].kind != v.kind || locations[at].used + width > 4)) ++at;
        if (at == locations.size()) locations.push_back({v.kind, 0});
        places.push_back({v.semantic, v.index, static_cast<uint8_t>(at), locations[at].used, width});
        locations[at].used = static_cast<uint8_t>(locations[at].used + width);
        if (locations.size() > kLocations * 4) break;  // too many for any device
    }
    return static_cast<uint32_t>(locations.size());
}

struct Limits {
    uint32_t output = 0, input = 0;
};

/// How many components may go from one stage to the next.
Limits limits_of(const LinkLimits& l, Stage from, Stage to) {
    Limits limits;
    switch (from) {
        case Stage::TessControl:
            limits.output = l.tess_control_output;
            break;
        case Stage::TessEval:
            limits.output = l.tess_eval_output;
            break;
        case Stage::Geometry:
            limits.output = l.geometry_output;
            break;
        default:
            limits.output = l.vertex_output;
            break;
    }
    switch (to) {
        case Stage::TessControl:
            limits.input = l.tess_control_input;
            break;
        case Stage::TessEval:
            limits.input = l.tess_eval_input;
            break;
        case Stage::Geometry:
            limits.input = l.geometry_input;
            break;
        default:
            limits.input = l.fragment_input;
            break;
    }
    return limits;
}

const Varying* find(const Varyings& all, const Varying& varying) {
    const auto at = std::lower_bound(all.begin(), all.end(), varying);
    return at != all.end() && at->names(varying) ? &*at : nullptr;
}

/// Takes PATCH data out of `all`.
Varyings split_patch(Varyings& all) {
    Varyings patch(all.get_allocator());
    std::copy_if(all.begin(), all.end(), std::back_inserter(patch),
                 [](const Varying& v) { return v.semantic == Semantic::Patch; });
    std::erase_if(all, [](const Varying& v) { return v.semantic == Semantic::Patch; });
    return patch;
}

/// Whether GEOM may have whole locations: what is built in has no more than four components, either.
bool has_room_for_vertices(const Interface& from, uint32_t locations, const LinkLimits& limits) {
    return uint64_t{4} * (locations + from.built_in_count) * from.max_vertices <= limits.geometry_total;
}

bool join(const Interface& from, const Interface& to, Stage a, Stage b, const LinkLimits& limits, Linkage& out,
          Linkage& in, std::vector<tgsi::Diagnostic>& diagnostics, std::pmr::memory_resource* memory) {
    Varyings shared(memory);
    for (const Varying& v : from.outputs) {
        const Varying* read = find(to.inputs, v);
        const Varying* own = find(from.own_reads, v);
        if ((read == nullptr || (read->mask & v.mask) == 0) && own == nullptr) continue;
        // An output that the stage itself reads uses its whole location.
        const auto mask = static_cast<uint8_t>(own != nullptr ? 0xf : read->mask);
        shared.push_back({v.semantic, v.index, mask, read != nullptr ? read->kind : 0});
    }
    for (const Varying& v : to.inputs)
        if (find(from.outputs, v) == nullptr)
            warn(diagnostics, "unwritten-input",
                 std::string(tgsi::name(b)) + " reads " + std::string(tgsi::name(v.semantic)) + "[" +
                     std::to_string(v.index) + "], which " + std::string(tgsi::name(a)) +
                     " does not write: it is (0, 0, 0, 1)");
    const Varyings patch = split_patch(shared);
    const Limits components = limits_of(limits, a, b);
    const uint32_t most = std::min({components.output / 4, components.input / 4, kLocations});
    std::pmr::vector<LinkedVarying> places(memory);
    uint32_t locations = static_cast<uint32_t>(shared.size());
    if (locations + kBuiltInLocations <= most && has_room_for_vertices(from, locations, limits))
        place_in_order(shared, 0, places);
    else
        locations = place_packed(shared, places);
    const uint32_t most_patch = std::min(limits.tess_control_patch_output / 4, kLocations);
    if (locations > most || patch.size() > most_patch) {
        const bool too_many_patches = locations <= most;
        refuse(diagnostics, "too-many-varyings",
               std::string(tgsi::name(a)) + " passes more " + (too_many_patches ? "PATCH data" : "varyings") + " to " +
                   std::string(tgsi::name(b)) +
                   " than the device has locations: " + std::to_string(too_many_patches ? patch.size() : locations) +
                   " of " + std::to_string(too_many_patches ? most_patch : most));
        return false;
    }
    if (locations == most)
        warn(diagnostics, "built-in-locations",
             std::string(tgsi::name(a)) + " passes varyings to " + std::string(tgsi::name(b)) + " in all " +
                 std::to_string(most) +
                 " locations of the device: by the letter of Vulkan, POSITION counts against them, too");
    // Patch data has separate locations, but validators before 2024 did not know that: see locations.h.
    const bool apart = locations + patch.size() <= most_patch;
    std::pmr::vector<LinkedVarying> patch_places(memory);
    place_in_order(patch, apart ? locations : 0, patch_places);
    for (const LinkedVarying& p : places) {
        out.outputs.push_back(p);
        if (find(to.inputs, {p.semantic, p.index}) != nullptr) in.inputs.push_back(p);
    }
    for (const LinkedVarying& p : patch_places) {
        out.patch_outputs.push_back(p);
        if (find(to.inputs, {p.semantic, p.index}) != nullptr) in.patch_inputs.push_back(p);
    }
    return true;
}

/// A VERT or TESS_EVAL has PRIMID only to draw what others have computed (passthrough_records()): it is a flat varying.
/// So are LAYER and VIEWPORT_INDEX with State::one_layer.
void pass_flat(Interface& from, Interface& to, bool one_layer) {
    constexpr uint32_t kFlat = 1 + 8 * static_cast<uint32_t>(tgsi::Interpolation::Constant);
    for (const Semantic semantic : {Semantic::PrimId, Semantic::Layer, Semantic::ViewportIndex}) {
        if ((from.writes_flat & to.reads_flat & Interface::bit(semantic)) == 0) continue;
        if (semantic != Semantic::PrimId && !one_layer) continue;
        for (Varyings* const all : {&from.outputs, &to.inputs}) {
            all->push_back({semantic, 0, 1, kFlat});
            normalise(*all);
        }
    }
}

void pass_distances(Interface& from, Interface& to) {
    constexpr uint32_t kSmooth = 1 + 8 * static_cast<uint32_t>(tgsi::Interpolation::Perspective) +
                                 static_cast<uint32_t>(ir::SampleLocation::Centroid);
    const uint32_t count = std::min(from.passed_distances, 8U);  // more are refused
    for (Varyings* const all : {&from.outputs, &to.inputs}) {
        for (uint32_t first = 0; first < count; first += 4) {
            const uint32_t width = std::min(count - first, 4U);
            all->push_back({Semantic::ClipDist, first / 4, static_cast<uint8_t>((1U << width) - 1), kSmooth});
        }
        normalise(*all);
    }
}

/// State::clamp_depth: z goes to FRAG as a varying.
void pass_depth(Interface& from, Interface& to) {
    constexpr uint32_t kSmooth =
        1 + 8 * static_cast<uint32_t>(tgsi::Interpolation::Perspective) + static_cast<uint32_t>(tgsi::Location::Center);
    if (!from.writes_position) return;
    for (Varyings* const all : {&from.outputs, &to.inputs}) {
        all->push_back({Semantic::Position, 0, 1, kSmooth});
        normalise(*all);
    }
}

bool clamps_depth(const LinkStage& stage) {
    return stage.options != nullptr && stage.options->state.clamp_depth && !stage.options->io_buffers;
}

bool passes_records(const LinkStage& from, const LinkStage& to) {
    const auto has = [](const LinkStage& s) { return s.options != nullptr && s.options->records; };
    return has(from) && has(to);
}

/// Lists the contents of a stage's IN or OUT registers; a register that is not declared is empty.
void list_record(const LinkStage& stage, File file, std::pmr::vector<RecordSlot>& record) {
    record.resize(static_cast<size_t>(stage.registers->count(file)));
    for (uint32_t i = 0; i < record.size(); ++i) {
        const Declared d = declared_as(*stage.program, *stage.registers, file, static_cast<int32_t>(i));
        if (d.declaration != nullptr) record[i] = {d.semantic, d.index};
    }
}

/// A stage writes what the next one reads; but TESS_CTRL, which reads its own outputs, has them in its own order. Each
/// slot is searched for among the registers of the other stage.
bool link_records(const LinkStage& from, const LinkStage& to, Linkage& out, Linkage& in,
                  std::vector<tgsi::Diagnostic>& diagnostics) {
    if (std::max(from.registers->count(File::Output), to.registers->count(File::Input)) > kMostRecordSlots) {
        refuse(diagnostics, "too-many-varyings",
               std::string(tgsi::name(from.program->stage)) + " or " + std::string(tgsi::name(to.program->stage)) +
                   " has more than " + std::to_string(kMostRecordSlots) + " registers for a record");
        return false;
    }
    if (from.program->stage == Stage::TessControl)
        list_record(from, File::Output, in.record_before);
    else
        list_record(to, File::Input, out.record);
    return true;
}

/// Whether the stages are in an order that a pipeline allows.
bool is_pipeline(std::span<const LinkStage> stages) {
    if (stages.empty() || stages[0].program->stage != Stage::Vertex) return false;
    static constexpr Stage kOrder[] = {Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Geometry,
                                       Stage::Fragment};
    size_t next = 0;
    bool control = false, evaluation = false;
    for (const LinkStage& s : stages) {
        while (next < std::size(kOrder) && kOrder[next] != s.program->stage) ++next;
        if (next++ >= std::size(kOrder)) return false;
        control |= s.program->stage == Stage::TessControl;
        evaluation |= s.program->stage == Stage::TessEval;
    }
    return control == evaluation;
}

}  // namespace

bool link(std::span<const LinkStage> stages, const Capabilities& capabilities, const LinkLimits& limits,
          std::span<Linkage> linkages, std::vector<tgsi::Diagnostic>& diagnostics, std::pmr::memory_resource* memory,
          size_t* refused) {
    if (!is_pipeline(stages)) {
        refuse(
            diagnostics, "not-a-pipeline",
            "not a pipeline: expected VERT, optionally TESS_CTRL and TESS_EVAL, optionally GEOM, and optionally FRAG");
        return false;
    }
    std::pmr::vector<Interface> interfaces(memory);
    Plan plan(memory);
    for (size_t i = 0; i < stages.size(); ++i) {
        const bool last = i + 1 == stages.size() || stages[i + 1].program->stage == Stage::Fragment;
        linkages[i].before_rasterizer = last;
        if (read_interface(stages[i], last, capabilities, plan, interfaces.emplace_back(memory), diagnostics)) continue;
        if (refused != nullptr) *refused = i;
        diagnostics.back().message.insert(0, std::string(tgsi::name(stages[i].program->stage)) + ": ");
        return false;
    }
    for (size_t i = 0; i + 1 < stages.size(); ++i) {
        if (stages[i].program->stage != Stage::Geometry && stages[i + 1].program->stage == Stage::Fragment)
            pass_flat(interfaces[i], interfaces[i + 1], stages[i].options->state.one_layer);
        if (stages[i + 1].program->stage == Stage::Fragment) pass_distances(interfaces[i], interfaces[i + 1]);
        if (stages[i + 1].program->stage == Stage::Fragment && clamps_depth(stages[i]) && clamps_depth(stages[i + 1]))
            pass_depth(interfaces[i], interfaces[i + 1]);
        if (passes_records(stages[i], stages[i + 1])) {
            if (!link_records(stages[i], stages[i + 1], linkages[i], linkages[i + 1], diagnostics)) return false;
            continue;
        }
        if (!join(interfaces[i], interfaces[i + 1], stages[i].program->stage, stages[i + 1].program->stage, limits,
                  linkages[i], linkages[i + 1], diagnostics, memory))
            return false;
    }
    for (size_t i = 1; i < stages.size(); ++i) {
        const DistanceCount& written = interfaces[i - 1].distances;  // by properties alone if it has no declaration
        const bool writes = written.last.declaration != nullptr;
        linkages[i].num_clip = !capabilities.clip_distance ? interfaces[i - 1].passed_distances
                               : writes                    ? written.clip
                                                           : 0;
        linkages[i].num_cull = writes ? written.cull : 0;
        linkages[i].has_no_primitive = stages[i].program->stage == Stage::Fragment &&
                                       stages[i - 1].program->stage == Stage::Geometry &&
                                       !interfaces[i - 1].writes(Semantic::PrimId);
        linkages[i].has_one_layer = stages[i].program->stage == Stage::Fragment &&
                                    stages[i - 1].program->stage != Stage::Geometry &&
                                    stages[i - 1].options->state.one_layer;
        if (stages[i].program->stage == Stage::Fragment) continue;
        linkages[i].has_no_position = !interfaces[i - 1].writes_position;
        linkages[i].has_no_point_size = !interfaces[i - 1].writes_point_size;
    }
    return true;
}

}  // namespace tgsi2spv::lower
