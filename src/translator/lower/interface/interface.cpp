// The plain interface: how registers are declared, the input variables, and the loads at the start of each function.
// Outputs are in outputs.cpp, arrays over vertices in vertices.cpp.
#include "lower/interface/interface.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "lower/interface/io_buffers.h"
#include "lower/interface/link.h"
#include "lower/interface/outputs.h"
#include "lower/interface/records.h"
#include "lower/interface/system_values.h"
#include "lower/interface/vertices.h"
#include "lower/registers/registers.h"
#include "lower/state/state_walk.h"
#include "lower/walk/family.h"
#include "lower/walk/names.h"
#include "lower/walk/values.h"
#include "tgsi/names.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::VariableKind;
using tgsi::File;
using tgsi::Property;
using tgsi::Semantic;
using tgsi::Stage;

bool fog_is_scalar(const Walk& walk) {
    return walk.program.stage == Stage::Fragment && tgsi::is_earlier(walk.options.dialect);
}

Declared declared_as(const tgsi::Program& program, const tgsi::Registers& registers, File file, int32_t index) {
    const tgsi::Range* range = registers.find(file, index);
    if (range == nullptr) return {};
    const tgsi::Declaration& d = program.declarations[range->declaration];
    if (!d.has_semantic) return {Semantic::None, 0, &d};
    return {d.semantic, d.semantic_index + static_cast<uint32_t>(index - d.first), &d};
}

Declared declared_as(const Walk& walk, File file, int32_t index) {
    return declared_as(walk.program, walk.registers, file, index);
}

ir::Name display_name(const Declared& declared) {
    const std::string_view word = tgsi::name(declared.semantic);
    return declared.index != 0 ? indexed(word, declared.index) : ir::Name(word);
}

uint32_t position_of(const Declared& declared) {
    return declared.declaration != nullptr ? declared.declaration->position : 0;
}

bool refuse_semantic(Walk& walk, const Declared& declared, std::string_view use) {
    fail(walk, "unsupported-semantic", position_of(declared),
         declared.semantic == Semantic::None
             ? std::string(use) + " without a semantic"
             : std::string(display_name(declared)) + " is not supported as " + std::string(use));
    return false;
}

ir::Interpolation interpolation_of(tgsi::Interpolation interpolation) {
    switch (interpolation) {
        case tgsi::Interpolation::Unwritten:
        case tgsi::Interpolation::Constant:
            return ir::Interpolation::Flat;
        case tgsi::Interpolation::Linear:
            return ir::Interpolation::Linear;
        case tgsi::Interpolation::Perspective:
        case tgsi::Interpolation::Color:
            break;
    }
    return ir::Interpolation::Smooth;
}

namespace {

ir::Interpolation interpolation_of(const Walk& walk, const tgsi::Declaration& declaration) {
    const bool flat = declaration.interpolation == tgsi::Interpolation::Color && walk.options.state.flat_shade;
    return flat ? ir::Interpolation::Flat : lower::interpolation_of(declaration.interpolation);
}

}  // namespace

bool is_varying(const Walk& walk, const Declared& declared, File file) {
    if (walk.options.linkage != nullptr)
        return is_linked(declared.semantic) || are_varyings(walk, declared.semantic, file);
    return varying_location(declared.semantic, declared.index).has_value() || declared.semantic == Semantic::Patch;
}

bool is_passed_on(Walk& walk, Locations& locations, const Declared& declared) {
    if (walk.options.linkage != nullptr) return true;
    if (declared.semantic == Semantic::EdgeFlag) {
        warn(walk, "no-effect", position_of(declared), "EDGEFLAG has no effect, except on a linked GEOM that reads it");
        return false;
    }
    if (declared.semantic == Semantic::PrimId) {
        warn(walk, "no-effect", position_of(declared), "PRIMID has no effect, except on a linked FRAG that reads it");
        return false;
    }
    const auto location = varying_location(declared.semantic, declared.index);
    if (!location) return false;
    if (!locations.passes_clip_vertex) {
        const auto takes_it = [&](uint32_t reg) {
            const Declared other = declared_as(walk, File::Output, static_cast<int32_t>(reg));
            return other.semantic == Semantic::Generic && varying_location(other.semantic, other.index) == location;
        };
        locations.passes_clip_vertex = std::ranges::none_of(walk.outputs.written, takes_it);
        if (!*locations.passes_clip_vertex)
            warn(walk, "link-the-stages", position_of(declared),
                 "CLIPVERTEX is dropped: a GENERIC uses its location; link the stages (tgsi2spv_linkage_create)");
    }
    return *locations.passes_clip_vertex;
}

void read_unwritten(Walk& walk, Ref* out) {
    for (int c = 0; c < 4; ++c) out[c] = constant_ref(walk.b, c == 3 ? 0x3f80'0000 : 0);
}

namespace {

ir::SampleLocation sample_location_of(const Walk& walk, const tgsi::Declaration& declaration) {
    return walk.options.state.sample_shading ? ir::SampleLocation::Sample
                                             : static_cast<ir::SampleLocation>(declaration.location);
}

ir::Variable varying_variable(const Walk& walk, const Declared& declared, VariableKind kind, uint32_t location,
                              uint32_t vertices) {
    ir::Variable v{.kind = kind,
                   .element = ir::f32(4),
                   .array = {vertices, 0},
                   .location = location,
                   .invariant = kind == VariableKind::Output && declared.declaration->invariant,
                   .patch = declared.semantic == Semantic::Patch,
                   .name = display_name(declared),
                   .semantic = static_cast<uint16_t>(declared.semantic),
                   .semantic_index = static_cast<uint16_t>(declared.index)};
    if (kind == VariableKind::Input && walk.program.stage == Stage::Fragment) {
        v.interpolation = interpolation_of(walk, *declared.declaration);
        v.sample_location = sample_location_of(walk, *declared.declaration);
    }
    return v;
}

/// A second register with the same semantic uses the variable of the first. In FRAG it may ask for another
/// interpolation, but a location has only one.
uint32_t again(Walk& walk, const Declared& declared, VariableKind kind, uint32_t variable) {
    if (kind != VariableKind::Input || walk.program.stage != Stage::Fragment) return variable;
    const ir::Variable& v = walk.b.module().variables[variable];
    if (v.interpolation == interpolation_of(walk, *declared.declaration) &&
        (v.interpolation == ir::Interpolation::Flat ||
         v.sample_location == sample_location_of(walk, *declared.declaration)))
        return variable;
    fail(
        walk, "two-interpolations", position_of(declared),
        std::string(display_name(declared)) + " is declared with two interpolations, but a location can have only one");
    return kNoIndex;
}

/// Uses the location from the linkage; kNoIndex if the neighbour does not have the varying.
uint32_t linked_varying(Walk& walk, Locations& locations, const Declared& declared, VariableKind kind,
                        uint32_t vertices) {
    for (const Locations::Taken& t : locations.linked)
        if (t.semantic == declared.semantic && t.index == declared.index)
            return again(walk, declared, kind, t.variable());
    const Linkage& linkage = *walk.options.linkage;
    const bool patch = declared.semantic == Semantic::Patch, input = kind == VariableKind::Input;
    const auto& inputs = patch ? linkage.patch_inputs : linkage.inputs;
    const auto& outputs = patch ? linkage.patch_outputs : linkage.outputs;
    for (const LinkedVarying& place : input ? inputs : outputs) {
        if (place.semantic != declared.semantic || place.index != declared.index) continue;
        ir::Variable v = varying_variable(walk, declared, kind, place.location, vertices);
        v.element = ir::f32(place.components);
        v.component = place.component;
        locations.linked.push_back({declared.semantic, declared.index, walk.b.add_variable(v) + 1});
        return locations.linked.back().variable();
    }
    return kNoIndex;
}

}  // namespace

uint32_t varying(Walk& walk, Locations& locations, const Declared& declared, VariableKind kind, uint32_t vertices) {
    const bool patch = declared.semantic == Semantic::Patch, input = kind == VariableKind::Input;
    // PATCH data exists only as outputs of TESS_CTRL and inputs of TESS_EVAL.
    const bool known = !patch || walk.program.stage == (input ? tgsi::Stage::TessEval : tgsi::Stage::TessControl);
    if (known && walk.options.linkage != nullptr &&
        (is_varying(walk, declared, input ? File::Input : File::Output) || is_passed_flat(declared.semantic)))
        return linked_varying(walk, locations, declared, kind, vertices);
    const auto location = patch ? patch_location(declared.index) : varying_location(declared.semantic, declared.index);
    if (!known || !location) {
        refuse_semantic(walk, declared, input ? "an input of this stage" : "an output of this stage");
        return kNoIndex;
    }
    Locations::Taken& taken = (patch ? locations.patch : locations.taken)[*location];
    if (taken.behind != 0) {
        if (taken.semantic == declared.semantic && taken.index == declared.index)
            return again(walk, declared, kind, taken.variable());
        fail(walk, "link-the-stages", position_of(declared),
             std::string(indexed(tgsi::name(declared.semantic), declared.index)) + " and " +
                 std::string(indexed(tgsi::name(taken.semantic), taken.index)) + " both need location " +
                 std::to_string(*location) + "; link the stages (tgsi2spv_linkage_create) to get separate ones");
        return kNoIndex;
    }
    taken = {declared.semantic, declared.index,
             walk.b.add_variable(varying_variable(walk, declared, kind, *location, vertices)) + 1};
    return taken.variable();
}

ir::Variable builtin_variable(const Walk& walk, const Declared& declared, VariableKind kind, BuiltIn builtin,
                              ir::Type type) {
    return {
        .kind = kind,
        .element = type,
        .builtin = builtin,
        .invariant = kind == VariableKind::Output && builtin == BuiltIn::Position && walk.options.invariant_position,
        .semantic = static_cast<uint16_t>(declared.semantic),
        .semantic_index = static_cast<uint16_t>(declared.index)};
}

namespace {

// ---- inputs

bool prepare_inputs(Walk& walk) {
    Locations locations(walk.memory);
    const Stage stage = walk.program.stage;
    if (has_vertices(stage, File::Input) && !prepare_vertex_inputs(walk, locations)) return false;
    for (uint32_t i = 0; i < walk.plan.input_masks.size(); ++i) {
        if (walk.plan.input_masks[i] == 0) continue;
        const Declared d = declared_as(walk, File::Input, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        uint32_t& variable = walk.inputs.variables[i];
        if (stage == Stage::Vertex) {
            add_attribute(walk, i);
            continue;
        }
        if (is_per_vertex(walk.program, walk.registers, File::Input, static_cast<int32_t>(i))) continue;
        if (is_system_value(stage, d.semantic)) continue;
        if (stage == Stage::Fragment) {
            if (d.semantic == Semantic::ClipDist || d.semantic == Semantic::CullDist) continue;
            if (d.semantic == Semantic::None) return refuse_semantic(walk, d, "a fragment input");
        } else if (stage != Stage::TessEval || d.semantic != Semantic::Patch) {
            return refuse_semantic(walk, d, "an input of this stage that is not per vertex");
        }
        variable = varying(walk, locations, d, VariableKind::Input);
        if (!walk.ok || !prepare_back_color(walk, locations, d)) return false;
    }
    return true;
}

void load_fog(Walk& walk, Ref* out) {
    if (!fog_is_scalar(walk)) return;
    out[1] = out[2] = constant_ref(walk.b, 0);
    out[3] = constant_ref(walk.b, 0x3f80'0000);
}

/// PRIMID of a FRAG after others. After a GEOM the only one is what that writes
/// (VUID-VkGraphicsPipelineCreateInfo-pStages-00740); a VERT that passes one on draws what was computed before. LAYER
/// and VIEWPORT_INDEX likewise, with State::one_layer. False: it is Vulkan's own.
bool load_passed_flat(Walk& walk, Semantic semantic, Ref* out) {
    const Linkage* const linkage = walk.options.linkage;
    if (linkage == nullptr) return false;
    const auto place = std::ranges::find(linkage->inputs, semantic, &LinkedVarying::semantic);
    const bool unwritten = semantic == Semantic::PrimId ? linkage->has_no_primitive : linkage->has_one_layer;
    if (place == linkage->inputs.end() && !unwritten) return false;
    read_unwritten(walk, out);
    if (place == linkage->inputs.end()) return true;
    uint32_t& variable = walk.inputs.passed_flat[semantic == Semantic::PrimId  ? 0
                                                 : semantic == Semantic::Layer ? 1
                                                                               : 2];
    const ir::Type type = ir::f32(place->components);
    if (variable == kNoIndex)
        variable = walk.b.add_variable({.kind = VariableKind::Input,
                                        .element = type,
                                        .location = place->location,
                                        .component = place->component,
                                        .interpolation = ir::Interpolation::Flat,
                                        .semantic = static_cast<uint16_t>(semantic)});
    out[0] = {walk.b.load(variable, {}, type), 0};
    return true;
}

/// Loads inputs that are not varyings.
void load_semantic(Walk& walk, Semantic semantic, bool as_input, Ref* out) {
    if (!is_passed_flat(semantic) || !load_passed_flat(walk, semantic, out))
        load_system_value(walk, semantic, as_input, out);
}

void load_input(Walk& walk, uint32_t i, uint8_t mask) {
    Ref* out = &walk.cells.inputs[size_t{4} * i];
    if (is_per_vertex(walk.program, walk.registers, File::Input, static_cast<int32_t>(i))) return;
    const Stage stage = walk.program.stage;
    const Declared d = declared_as(walk, File::Input, static_cast<int32_t>(i));
    if (walk.options.io_buffers) {
        const bool of_primitive = walk.options.records && stage != Stage::Vertex;
        if (of_primitive && d.semantic == Semantic::Patch) return load_patch_data(walk, i, out);
        if (of_primitive) return void(load_system_value(walk, d.semantic, true, out));  // PRIMID
        for (uint8_t c = 0; c < 4; ++c)
            if (mask >> c & 1) out[c] = {load_io_word(walk, walk.b.const_u32(i), c), 0};
        if (d.declaration != nullptr && d.semantic == Semantic::Fog) load_fog(walk, out);
        return;
    }
    const uint32_t variable = walk.inputs.variables[i];
    if (variable != kNoIndex) {
        const ir::Value value = stage == Stage::Vertex
                                    ? fetched_attribute(walk, i)
                                    : walk.b.load(variable, {}, walk.b.module().variables[variable].element);
        for (uint8_t c = 0; c < walk.b.type_of(value).components; ++c) out[c] = {value, c};
    } else if (walk.options.linkage != nullptr && d.declaration != nullptr && is_linked(d.semantic)) {
        read_unwritten(walk, out);
    }
    if (stage == Stage::Vertex || d.declaration == nullptr) return;
    if (d.semantic == Semantic::Fog) {
        load_fog(walk, out);
    } else if (d.semantic == Semantic::ClipDist || d.semantic == Semantic::CullDist) {
        const Distances& all = walk.inputs.distances;
        const uint32_t first = first_distance(d, all.num_clip);
        for (uint32_t c = 0; c < 4; ++c)
            if (mask >> c & 1 && first + c < all.num_clip + all.num_cull) out[c] = {load_distance(walk, first + c), 0};
    } else if (variable == kNoIndex) {
        if (!is_varying(walk, d, File::Input)) load_semantic(walk, d.semantic, true, out);
    }
    if (stage != Stage::Fragment) return;
    if (d.semantic == Semantic::Color && d.index < 2 && walk.state.back_colors[d.index] != kNoIndex) {
        const uint32_t back = walk.state.back_colors[d.index];
        choose_facing_color(walk, walk.b.load(back, {}, walk.b.module().variables[back].element), out);
    }
    replace_by_sprite(walk, d, out);
}

void load_system(Walk& walk, uint32_t i) {
    Ref* out = &walk.cells.systems[size_t{4} * i];
    const Declared d = declared_as(walk, File::SystemValue, static_cast<int32_t>(i));
    if (d.declaration == nullptr) return;
    if (walk.options.buffers(d.semantic)) {
        for (uint8_t c = 0; c < 4; ++c)
            out[c] = {load_io_word(walk, walk.b.const_u32(walk.inputs.system_slots[i]), c), 0};
        return;
    }
    load_semantic(walk, d.semantic, false, out);
}

/// Checks that the stage has the SV registers, and (io=buffers) assigns slots to those that come from the buffer.
bool prepare_systems(Walk& walk) {
    const auto count = static_cast<uint32_t>(walk.registers.count(File::SystemValue));
    walk.inputs.system_slots.assign(count, 0);
    for (uint32_t i = 0; i < count; ++i) {
        const Declared d = declared_as(walk, File::SystemValue, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        if (walk.options.buffers(d.semantic)) {
            walk.inputs.system_slots[i] = walk.io.input_slots++;
            continue;
        }
        if (walk.plan.system_masks[i] == 0) continue;
        if (!is_system_value(walk.program.stage, d.semantic))
            return refuse_semantic(walk, d, "a system value of this stage");
        if (d.semantic >= Semantic::SubgroupSize && d.semantic <= Semantic::SubgroupLtMask &&
            !has_subgroups(walk.capabilities, walk.program.stage)) {
            fail_lacking(walk, position_of(d), "subgroupSupportedStages",
                         std::string(display_name(d)) + " in " + std::string(tgsi::name(walk.program.stage)));
            return false;
        }
        if ((d.semantic == Semantic::SampleId || d.semantic == Semantic::SamplePos) &&
            !walk.capabilities.sample_rate_shading) {
            fail_lacking(walk, position_of(d), "sampleRateShading");
            return false;
        }
    }
    return true;
}

}  // namespace

bool prepare_interface(Walk& walk) {
    walk.cells.inputs.resize(4 * walk.plan.input_masks.size());
    walk.cells.systems.resize(4 * walk.plan.system_masks.size());
    Inputs& in = walk.inputs;
    in.variables.assign(walk.plan.input_masks.size(), kNoIndex);
    in.builtins.fill(0);
    in.distances = {};
    in.helper = in.depth = in.own_depth = kNoIndex;
    in.passed_flat.fill(kNoIndex);
    in.attachments.fill(kNoIndex);
    Outputs& out = walk.outputs;
    out.written.clear();
    for (uint32_t i = 0; i < walk.plan.output_masks.size(); ++i)
        if (walk.plan.output_masks[i] != 0) out.written.push_back(i);
    out.variables.assign(walk.plan.output_masks.size(), kNoIndex);
    out.distances = {};
    out.point_size = out.sample_mask = out.depth = kNoIndex;
    out.all_targets.fill(kNoIndex);
    if (walk.options.io_buffers) {
        prepare_io_buffers(walk);
        return prepare_systems(walk);
    }
    const Stage stage = walk.program.stage;
    if (stage == Stage::Compute) return prepare_systems(walk);
    prepare_depth(walk);
    if (stage == Stage::Fragment) {
        prepare_passed_distances(walk, File::Input, in.distances);
        if (!count_distances(walk, File::Input, walk.plan.input_masks, true, in.distances)) return false;
    }
    return prepare_systems(walk) && prepare_inputs(walk) &&
           (stage == Stage::TessControl ? prepare_patch_outputs(walk) : prepare_outputs(walk));
}

void load_interface(Walk& walk, const FunctionPlan& plan) {
    if (walk.options.io_buffers) enter_io_buffers(walk);
    const Ref zero = constant_ref(walk.b, 0);
    if (walk.in_main) {
        std::fill(walk.cells.inputs.begin(), walk.cells.inputs.end(), zero);
        std::fill(walk.cells.systems.begin(), walk.cells.systems.end(), zero);
        start_depth(walk);
    }
    for (uint32_t k = 0; k < plan.num_uses; ++k) {
        const Use& use = walk.plan.uses[plan.uses + k];
        // A subroutine clears only the registers that it reads: many subroutines times many registers would not be
        // linear.
        if (!walk.in_main)
            std::fill_n((use.file == File::Input ? walk.cells.inputs : walk.cells.systems).begin() + 4 * use.index, 4,
                        zero);
        if (use.file == File::Input)
            load_input(walk, use.index, use.mask);
        else
            load_system(walk, use.index);
    }
    if (!walk.in_main) return;
    auto all = [&](File file, auto&& load) {
        if (!walk.plan.indirect[static_cast<size_t>(file)].some) return;
        walk.registers.for_each_run(file, 0, [&](int32_t first, int32_t last) {
            for (int32_t i = first; i <= last; ++i) load(static_cast<uint32_t>(i));
        });
    };
    if (!walk.options.io_buffers) all(File::Input, [&](uint32_t i) { load_input(walk, i, 0xf); });
    all(File::SystemValue, [&](uint32_t i) { load_system(walk, i); });
    // HELPER_INVOCATION is read here also for the subroutines (helper_at_start).
    if (walk.plan.functions.size() == 1) return;
    for (uint32_t i = 0; i < walk.plan.system_masks.size(); ++i)
        if (walk.plan.system_masks[i] != 0 &&
            declared_as(walk, File::SystemValue, static_cast<int32_t>(i)).semantic == tgsi::Semantic::HelperInvocation)
            load_system(walk, i);
}

void store_outputs(Walk& walk) {
    // GEOM stores at each EMIT, TESS_CTRL at once; COMP has none.
    const Stage stage = walk.program.stage;
    if (walk.options.records) return store_records(walk);
    if (stage == Stage::Geometry || stage == Stage::TessControl || stage == Stage::Compute) return;
    if (walk.options.io_buffers) return store_io_outputs(walk);
    store_registers(walk, 0);
}

}  // namespace tgsi2spv::lower
