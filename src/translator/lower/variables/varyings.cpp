#include "lower/variables/varyings.h"

#include <algorithm>
#include <string>

#include "lower/context/names.h"
#include "lower/context/values.h"
#include "lower/options/facts.h"
#include "lower/options/linkage.h"
#include "lower/variables/distances.h"
#include "lower/variables/outputs.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::VariableKind;
using tgsi::File;
using tgsi::Semantic;
using tgsi::Stage;

namespace {

ir::Interpolation interpolation_of(const Context& context, const tgsi::Declaration& declaration) {
    const bool flat = declaration.interpolation == tgsi::Interpolation::Color && context.options.state.flat_shade;
    return flat ? ir::Interpolation::Flat : lower::interpolation_of(declaration.interpolation);
}

}  // namespace

bool is_varying(const Context& context, const Declared& declared, File file) {
    if (context.options.linkage != nullptr)
        return is_linked(declared.semantic) || are_varyings(context, declared.semantic, file);
    return varying_location(declared.semantic, declared.index).has_value() || declared.semantic == Semantic::Patch;
}

bool is_passed_on(Context& context, Locations& locations, const Declared& declared) {
    if (context.options.linkage != nullptr) return true;
    if (declared.semantic == Semantic::EdgeFlag) {
        warn(context, "no-effect", position_of(declared),
             "EDGEFLAG has no effect, except on a linked GEOM that reads it");
        return false;
    }
    if (declared.semantic == Semantic::PrimId) {
        warn(context, "no-effect", position_of(declared),
             "PRIMID has no effect, except on a linked FRAG that reads it");
        return false;
    }
    const auto location = varying_location(declared.semantic, declared.index);
    if (!location) return false;
    if (!locations.passes_clip_vertex) {
        const auto takes_it = [&](uint32_t reg) {
            const Declared other = declared_as(context, File::Output, static_cast<int32_t>(reg));
            return other.semantic == Semantic::Generic && varying_location(other.semantic, other.index) == location;
        };
        locations.passes_clip_vertex = std::ranges::none_of(context.outputs.written, takes_it);
        if (!*locations.passes_clip_vertex)
            warn(context, "link-the-stages", position_of(declared),
                 "CLIPVERTEX is dropped: a GENERIC uses its location; link the stages (tgsi2spv_linkage_create)");
    }
    return *locations.passes_clip_vertex;
}

void read_unwritten(Context& context, Ref* out) {
    for (int c = 0; c < 4; ++c) out[c] = constant_ref(context.b, c == 3 ? 0x3f80'0000 : 0);
}

namespace {

ir::SampleLocation sample_location_of(const Context& context, const tgsi::Declaration& declaration) {
    return context.options.state.sample_shading ? ir::SampleLocation::Sample
                                                : static_cast<ir::SampleLocation>(declaration.location);
}

ir::Variable varying_variable(const Context& context, const Declared& declared, VariableKind kind, uint32_t location,
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
    if (kind == VariableKind::Input && context.program.stage == Stage::Fragment) {
        v.interpolation = interpolation_of(context, *declared.declaration);
        v.sample_location = sample_location_of(context, *declared.declaration);
    }
    return v;
}

/// A second register with the same semantic uses the variable of the first. In FRAG it may ask for another
/// interpolation, but a location has only one.
uint32_t again(Context& context, const Declared& declared, VariableKind kind, uint32_t variable) {
    if (kind != VariableKind::Input || context.program.stage != Stage::Fragment) return variable;
    const ir::Variable& v = context.b.module().variables[variable];
    if (v.interpolation == interpolation_of(context, *declared.declaration) &&
        (v.interpolation == ir::Interpolation::Flat ||
         v.sample_location == sample_location_of(context, *declared.declaration)))
        return variable;
    fail(
        context, "two-interpolations", position_of(declared),
        std::string(display_name(declared)) + " is declared with two interpolations, but a location can have only one");
    return kNoIndex;
}

/// Uses the location from the linkage; kNoIndex if the neighbour does not have the varying.
uint32_t linked_varying(Context& context, Locations& locations, const Declared& declared, VariableKind kind,
                        uint32_t vertices) {
    for (const Locations::Taken& t : locations.linked)
        if (t.semantic == declared.semantic && t.index == declared.index)
            return again(context, declared, kind, t.variable());
    const Linkage& linkage = *context.options.linkage;
    const bool patch = declared.semantic == Semantic::Patch, input = kind == VariableKind::Input;
    const auto& inputs = patch ? linkage.patch_inputs : linkage.inputs;
    const auto& outputs = patch ? linkage.patch_outputs : linkage.outputs;
    for (const LinkedVarying& place : input ? inputs : outputs) {
        if (place.semantic != declared.semantic || place.index != declared.index) continue;
        ir::Variable v = varying_variable(context, declared, kind, place.location, vertices);
        v.element = ir::f32(place.components);
        v.component = place.component;
        locations.linked.push_back({declared.semantic, declared.index, context.b.add_variable(v) + 1});
        return locations.linked.back().variable();
    }
    return kNoIndex;
}

}  // namespace

uint32_t varying(Context& context, Locations& locations, const Declared& declared, VariableKind kind,
                 uint32_t vertices) {
    const bool patch = declared.semantic == Semantic::Patch, input = kind == VariableKind::Input;
    // PATCH data exists only as outputs of TESS_CTRL and inputs of TESS_EVAL.
    const bool known = !patch || context.program.stage == (input ? tgsi::Stage::TessEval : tgsi::Stage::TessControl);
    if (known && context.options.linkage != nullptr &&
        (is_varying(context, declared, input ? File::Input : File::Output) || is_passed_flat(declared.semantic)))
        return linked_varying(context, locations, declared, kind, vertices);
    const auto location = patch ? patch_location(declared.index) : varying_location(declared.semantic, declared.index);
    if (!known || !location) {
        refuse_semantic(context, declared, input ? "an input of this stage" : "an output of this stage");
        return kNoIndex;
    }
    Locations::Taken& taken = (patch ? locations.patch : locations.taken)[*location];
    if (taken.behind != 0) {
        if (taken.semantic == declared.semantic && taken.index == declared.index)
            return again(context, declared, kind, taken.variable());
        fail(context, "link-the-stages", position_of(declared),
             std::string(indexed(tgsi::name(declared.semantic), declared.index)) + " and " +
                 std::string(indexed(tgsi::name(taken.semantic), taken.index)) + " both need location " +
                 std::to_string(*location) + "; link the stages (tgsi2spv_linkage_create) to get separate ones");
        return kNoIndex;
    }
    taken = {declared.semantic, declared.index,
             context.b.add_variable(varying_variable(context, declared, kind, *location, vertices)) + 1};
    return taken.variable();
}

ir::Variable builtin_variable(const Context& context, const Declared& declared, VariableKind kind, BuiltIn builtin,
                              ir::Type type) {
    return {
        .kind = kind,
        .element = type,
        .builtin = builtin,
        .invariant = kind == VariableKind::Output && builtin == BuiltIn::Position && context.options.invariant_position,
        .semantic = static_cast<uint16_t>(declared.semantic),
        .semantic_index = static_cast<uint16_t>(declared.index)};
}

}  // namespace tgsi2spv::lower
