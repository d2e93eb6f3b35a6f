// Clip and cull distances: how many there are, and what stands for the builtins on devices without shaderClipDistance.
// There the stages before the last one pass CLIPDIST and CULLDIST on as varyings; the last one passes its clip
// distances to FRAG, up to four in a location, and FRAG discards where one of them is below 0.
#include <algorithm>
#include <bit>

#include "lower/options/linkage.h"
#include "lower/variables/distances.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using tgsi::File;
using tgsi::Property;
using tgsi::Semantic;
using tgsi::Stage;

bool are_varyings(const Context& context, Semantic semantic, File file) {
    if (semantic != Semantic::ClipDist && semantic != Semantic::CullDist) return false;
    const Linkage* const linkage = context.options.linkage;
    if (linkage == nullptr || context.capabilities.clip_distance) return false;
    return file == File::Input ? context.program.stage != Stage::Fragment : !linkage->before_rasterizer;
}

DistanceCount count_distances(const tgsi::Program& program, const tgsi::Registers& registers, File file,
                              std::span<const uint8_t> masks, bool by_property) {
    DistanceCount all;
    if (by_property) {
        all.clip = program.property(Property::NumClipDistEnabled);
        all.cull = program.property(Property::NumCullDistEnabled);
    }
    const auto is_distance = [](Semantic s) { return s == Semantic::ClipDist || s == Semantic::CullDist; };
    if (std::ranges::none_of(program.declarations, is_distance, &tgsi::Declaration::semantic)) return all;
    uint32_t clip = 0, cull = 0;  // in use
    for (uint32_t i = 0; i < masks.size(); ++i) {
        if (masks[i] == 0) continue;
        const Declared d = declared_as(program, registers, file, static_cast<int32_t>(i));
        if (!is_distance(d.semantic)) continue;
        all.last = d;
        if (d.index > 1) return all;
        uint32_t& end = d.semantic == Semantic::ClipDist ? clip : cull;
        end = std::max(end, 4 * d.index + static_cast<uint32_t>(std::bit_width(masks[i])));
    }
    if (all.clip == 0 && all.cull == 0) {
        all.clip = clip;
        all.cull = cull;
    }
    return all;
}

bool count_distances(Context& context, File file, std::span<const uint8_t> masks, bool by_property,
                     Distances& distances) {
    const DistanceCount own = count_distances(context.program, context.registers, file, masks, by_property);
    if (own.last.declaration == nullptr) return true;
    if (own.last.index > 1) return refuse_semantic(context, own.last, "a clip distance");
    if (are_varyings(context, own.last.semantic, file)) return true;
    uint32_t clip = own.clip, cull = own.cull;
    const Linkage* const linkage = file == File::Input ? context.options.linkage : nullptr;
    if (linkage != nullptr && linkage->num_clip + linkage->num_cull != 0) {
        clip = linkage->num_clip;
        cull = linkage->num_cull;
    } else if (linkage != nullptr &&
               (context.program.stage != Stage::Fragment || !context.capabilities.clip_distance)) {
        return true;  // they would have no match: see Linkage::has_no_position
    }
    if (clip > 8 || cull > 8 || clip + cull > 8) {
        fail(context, "unsupported-property", position_of(own.last), "more than 8 clip and cull distances");
        return false;
    }
    const bool no_clip = clip != 0 && !context.capabilities.clip_distance && distances.passed[0] == kNoIndex;
    if (no_clip || (cull != 0 && !context.capabilities.cull_distance)) {
        fail_lacking(context, position_of(own.last), no_clip ? "shaderClipDistance" : "shaderCullDistance");
        return false;
    }
    distances.num_clip = clip;
    distances.num_cull = cull;
    return true;
}

void prepare_passed_distances(Context& context, File file, Distances& distances) {
    const Linkage* const linkage = context.options.linkage;
    const bool input = file == File::Input;
    if (linkage == nullptr || are_varyings(context, Semantic::ClipDist, file)) return;
    for (const LinkedVarying& v : input ? linkage->inputs : linkage->outputs) {
        if (v.semantic != Semantic::ClipDist || v.index >= distances.passed.size()) continue;
        distances.passed[v.index] = context.b.add_variable(
            {.kind = input ? ir::VariableKind::Input : ir::VariableKind::Output,
             .element = ir::f32(v.components),
             .location = v.location,
             .component = v.component,
             .sample_location = !input                                 ? ir::SampleLocation::Center
                                : context.options.state.sample_shading ? ir::SampleLocation::Sample
                                                                       : ir::SampleLocation::Centroid,
             .name = "CLIPDIST",
             .semantic = static_cast<uint16_t>(v.semantic),
             .semantic_index = static_cast<uint16_t>(v.index)});
    }
}

namespace {

/// Where a clip distance is.
struct DistancePlace {
    uint32_t variable = kNoIndex;
    ir::Value index = ir::kNone;  ///< kNone: it is the whole variable
    std::span<const ir::Value> indices() const { return {&index, index == ir::kNone ? 0U : 1U}; }
};

DistancePlace clip_place(Context& context, const Distances& all, uint32_t number) {
    const uint32_t passed = all.passed[number / 4];
    if (all.passed[0] == kNoIndex) return {all.clip, context.b.const_u32(number)};
    if (passed == kNoIndex || context.b.module().variables[passed].element.components == 1) return {passed};
    return {passed, context.b.const_u32(number % 4)};
}

}  // namespace

ir::Value load_distance(Context& context, uint32_t number) {
    Distances& d = context.inputs.distances;
    const bool clip = number < d.num_clip;
    uint32_t& variable = clip ? d.clip : d.cull;
    if (variable == kNoIndex && (!clip || d.passed[0] == kNoIndex))
        variable = context.b.add_variable({.kind = ir::VariableKind::Input,
                                           .element = ir::f32(),
                                           .array = {clip ? d.num_clip : d.num_cull, 0},
                                           .builtin = clip ? BuiltIn::ClipDistance : BuiltIn::CullDistance});
    const DistancePlace place =
        clip ? clip_place(context, d, number) : DistancePlace{d.cull, context.b.const_u32(number - d.num_clip)};
    return context.b.load(place.variable, place.indices(), ir::f32());
}

void store_clip_distance(Context& context, uint32_t number, ir::Value value) {
    const DistancePlace place = clip_place(context, context.outputs.distances, number);
    context.b.store(place.variable, place.indices(), value);
}

}  // namespace tgsi2spv::lower
