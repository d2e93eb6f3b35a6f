// The plain interface: how registers are declared, the input variables, and the loads at the start of each function.
// Outputs are in outputs.cpp, arrays over vertices in vertices.cpp.
#include "lower/interface/interface.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "lower/context/names.h"
#include "lower/context/values.h"
#include "lower/interface/io_buffers.h"
#include "lower/interface/io_lane.h"
#include "lower/interface/outputs.h"
#include "lower/interface/record_loads.h"
#include "lower/interface/records.h"
#include "lower/interface/system_values.h"
#include "lower/interface/vertices.h"
#include "lower/operands/family.h"
#include "lower/options/linkage.h"
#include "lower/registers/cells.h"
#include "lower/state/state_context.h"
#include "lower/variables/inputs.h"
#include "lower/variables/varyings.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::VariableKind;
using tgsi::File;
using tgsi::Property;
using tgsi::Semantic;
using tgsi::Stage;

namespace {

bool prepare_inputs(Context& context) {
    Locations locations(context.memory);
    const Stage stage = context.program.stage;
    if (has_vertices(stage, File::Input) && !prepare_vertex_inputs(context, locations)) return false;
    for (uint32_t i = 0; i < context.plan.input_masks.size(); ++i) {
        if (context.plan.input_masks[i] == 0) continue;
        const Declared d = declared_as(context, File::Input, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        uint32_t& variable = context.inputs.variables[i];
        if (stage == Stage::Vertex) {
            add_attribute(context, i);
            continue;
        }
        if (is_per_vertex(context.program, context.registers, File::Input, static_cast<int32_t>(i))) continue;
        if (is_system_value(stage, d.semantic)) continue;
        if (stage == Stage::Fragment) {
            if (d.semantic == Semantic::ClipDist || d.semantic == Semantic::CullDist) continue;
            if (d.semantic == Semantic::None) return refuse_semantic(context, d, "a fragment input");
        } else if (stage != Stage::TessEval || d.semantic != Semantic::Patch) {
            return refuse_semantic(context, d, "an input of this stage that is not per vertex");
        }
        variable = varying(context, locations, d, VariableKind::Input);
        if (!context.ok || !prepare_back_color(context, locations, d)) return false;
    }
    return true;
}

void load_fog(Context& context, Ref* out) {
    if (!fog_is_scalar(context)) return;
    out[1] = out[2] = constant_ref(context.b, 0);
    out[3] = constant_ref(context.b, 0x3f80'0000);
}

/// PRIMID of a FRAG after others. After a GEOM the only one is what that writes
/// (VUID-VkGraphicsPipelineCreateInfo-pStages-00740); a VERT that passes one on draws what was computed before. The
/// same holds for LAYER and VIEWPORT_INDEX, with State::one_layer. False: it is Vulkan's own.
bool load_passed_flat(Context& context, Semantic semantic, Ref* out) {
    const Linkage* const linkage = context.options.linkage;
    if (linkage == nullptr) return false;
    const auto place = std::ranges::find(linkage->inputs, semantic, &LinkedVarying::semantic);
    const bool unwritten = semantic == Semantic::PrimId ? linkage->has_no_primitive : linkage->has_one_layer;
    if (place == linkage->inputs.end() && !unwritten) return false;
    read_unwritten(context, out);
    if (place == linkage->inputs.end()) return true;
    uint32_t& variable = context.inputs.passed_flat[semantic == Semantic::PrimId  ? 0
                                                    : semantic == Semantic::Layer ? 1
                                                                                  : 2];
    const ir::Type type = ir::f32(place->components);
    if (variable == kNoIndex)
        variable = context.b.add_variable({.kind = VariableKind::Input,
                                           .element = type,
                                           .location = place->location,
                                           .component = place->component,
                                           .interpolation = ir::Interpolation::Flat,
                                           .semantic = static_cast<uint16_t>(semantic)});
    out[0] = {context.b.load(variable, {}, type), 0};
    return true;
}

/// Loads inputs that are not varyings.
void load_semantic(Context& context, Semantic semantic, bool as_input, Ref* out) {
    if (!is_passed_flat(semantic) || !load_passed_flat(context, semantic, out))
        load_system_value(context, semantic, as_input, out);
}

void load_input(Context& context, uint32_t i, uint8_t mask) {
    Ref* out = &context.cells.inputs[size_t{4} * i];
    if (is_per_vertex(context.program, context.registers, File::Input, static_cast<int32_t>(i))) return;
    const Stage stage = context.program.stage;
    const Declared d = declared_as(context, File::Input, static_cast<int32_t>(i));
    if (context.options.io_buffers) {
        const bool of_primitive = context.options.records && stage != Stage::Vertex;
        if (of_primitive && d.semantic == Semantic::Patch) return load_patch_data(context, i, out);
        if (of_primitive) return void(load_system_value(context, d.semantic, true, out));  // PRIMID
        for (uint8_t c = 0; c < 4; ++c)
            if (mask >> c & 1) out[c] = {load_io_word(context, context.b.const_u32(i), c), 0};
        if (d.declaration != nullptr && d.semantic == Semantic::Fog) load_fog(context, out);
        return;
    }
    const uint32_t variable = context.inputs.variables[i];
    if (variable != kNoIndex) {
        const ir::Value value = stage == Stage::Vertex
                                    ? fetched_attribute(context, i)
                                    : context.b.load(variable, {}, context.b.module().variables[variable].element);
        for (uint8_t c = 0; c < context.b.type_of(value).components; ++c) out[c] = {value, c};
    } else if (context.options.linkage != nullptr && d.declaration != nullptr && is_linked(d.semantic)) {
        read_unwritten(context, out);
    }
    if (stage == Stage::Vertex || d.declaration == nullptr) return;
    if (d.semantic == Semantic::Fog) {
        load_fog(context, out);
    } else if (d.semantic == Semantic::ClipDist || d.semantic == Semantic::CullDist) {
        const Distances& all = context.inputs.distances;
        const uint32_t first = first_distance(d, all.num_clip);
        for (uint32_t c = 0; c < 4; ++c)
            if (mask >> c & 1 && first + c < all.num_clip + all.num_cull)
                out[c] = {load_distance(context, first + c), 0};
    } else if (variable == kNoIndex) {
        if (!is_varying(context, d, File::Input)) load_semantic(context, d.semantic, true, out);
    }
    if (stage != Stage::Fragment) return;
    if (d.semantic == Semantic::Color && d.index < 2 && context.state.back_colors[d.index] != kNoIndex) {
        const uint32_t back = context.state.back_colors[d.index];
        choose_facing_color(context, context.b.load(back, {}, context.b.module().variables[back].element), out);
    }
    replace_by_sprite(context, d, out);
}

void load_system(Context& context, uint32_t i) {
    Ref* out = &context.cells.systems[size_t{4} * i];
    const Declared d = declared_as(context, File::SystemValue, static_cast<int32_t>(i));
    if (d.declaration == nullptr) return;
    if (context.options.buffers(d.semantic)) {
        for (uint8_t c = 0; c < 4; ++c)
            out[c] = {load_io_word(context, context.b.const_u32(context.inputs.system_slots[i]), c), 0};
        return;
    }
    load_semantic(context, d.semantic, false, out);
}

/// Checks that the stage has the SV registers, and (io=buffers) assigns slots to those that come from the buffer.
bool prepare_systems(Context& context) {
    const auto count = static_cast<uint32_t>(context.registers.count(File::SystemValue));
    context.inputs.system_slots.assign(count, 0);
    for (uint32_t i = 0; i < count; ++i) {
        const Declared d = declared_as(context, File::SystemValue, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        if (context.options.buffers(d.semantic)) {
            context.inputs.system_slots[i] = context.io.input_slots++;
            continue;
        }
        if (context.plan.system_masks[i] == 0) continue;
        if (!is_system_value(context.program.stage, d.semantic))
            return refuse_semantic(context, d, "a system value of this stage");
        if (d.semantic >= Semantic::SubgroupSize && d.semantic <= Semantic::SubgroupLtMask &&
            !has_subgroups(context.capabilities, context.program.stage)) {
            fail_lacking(context, position_of(d), "subgroupSupportedStages",
                         std::string(display_name(d)) + " in " + std::string(tgsi::name(context.program.stage)));
            return false;
        }
        if ((d.semantic == Semantic::SampleId || d.semantic == Semantic::SamplePos) &&
            !context.capabilities.sample_rate_shading) {
            fail_lacking(context, position_of(d), "sampleRateShading");
            return false;
        }
    }
    return true;
}

}  // namespace

bool prepare_interface(Context& context) {
    context.cells.inputs.resize(4 * context.plan.input_masks.size());
    context.cells.systems.resize(4 * context.plan.system_masks.size());
    Inputs& in = context.inputs;
    in.variables.assign(context.plan.input_masks.size(), kNoIndex);
    in.builtins.fill(0);
    in.distances = {};
    in.helper = in.depth = in.own_depth = kNoIndex;
    in.passed_flat.fill(kNoIndex);
    in.attachments.fill(kNoIndex);
    Outputs& out = context.outputs;
    out.written.clear();
    for (uint32_t i = 0; i < context.plan.output_masks.size(); ++i)
        if (context.plan.output_masks[i] != 0) out.written.push_back(i);
    out.variables.assign(context.plan.output_masks.size(), kNoIndex);
    out.distances = {};
    out.point_size = out.sample_mask = out.depth = kNoIndex;
    out.all_targets.fill(kNoIndex);
    if (context.options.io_buffers) {
        prepare_io_buffers(context);  // counts the slots to which prepare_systems adds
        return prepare_systems(context);
    }
    const Stage stage = context.program.stage;
    if (stage == Stage::Compute) return prepare_systems(context);
    prepare_depth(context);  // before the outputs: if FRAG has z, it needs FragDepth
    if (stage == Stage::Fragment) {
        prepare_passed_distances(context, File::Input, in.distances);  // those that pass need no feature when counted
        if (!count_distances(context, File::Input, context.plan.input_masks, true, in.distances)) return false;
    }
    // First the one that may refuse but makes no variables. Outputs of FRAG depend on its inputs.
    return prepare_systems(context) && prepare_inputs(context) &&
           (stage == Stage::TessControl ? prepare_patch_outputs(context) : prepare_outputs(context));
}

void load_interface(Context& context, const FunctionPlan& plan) {
    if (context.options.io_buffers) enter_io_buffers(context);
    const Ref zero = constant_ref(context.b, 0);
    if (context.in_main) {
        std::fill(context.cells.inputs.begin(), context.cells.inputs.end(), zero);
        std::fill(context.cells.systems.begin(), context.cells.systems.end(), zero);
        start_depth(context);
    }
    for (uint32_t k = 0; k < plan.num_uses; ++k) {
        const Use& use = context.plan.uses[plan.uses + k];
        // A subroutine clears only the registers that it reads: many subroutines times many registers would not be
        // linear.
        if (!context.in_main)
            std::fill_n(
                (use.file == File::Input ? context.cells.inputs : context.cells.systems).begin() + 4 * use.index, 4,
                zero);
        if (use.file == File::Input)
            load_input(context, use.index, use.mask);
        else
            load_system(context, use.index);
    }
    if (!context.in_main) return;
    auto all = [&](File file, auto&& load) {
        if (!context.plan.indirect[static_cast<size_t>(file)].some) return;
        context.registers.for_each_run(file, 0, [&](int32_t first, int32_t last) {
            for (int32_t i = first; i <= last; ++i) load(static_cast<uint32_t>(i));
        });
    };
    if (!context.options.io_buffers) all(File::Input, [&](uint32_t i) { load_input(context, i, 0xf); });
    all(File::SystemValue, [&](uint32_t i) { load_system(context, i); });
    // HELPER_INVOCATION is read here also for the subroutines (helper_at_start).
    if (context.plan.functions.size() == 1) return;
    for (uint32_t i = 0; i < context.plan.system_masks.size(); ++i)
        if (context.plan.system_masks[i] != 0 &&
            declared_as(context, File::SystemValue, static_cast<int32_t>(i)).semantic ==
                tgsi::Semantic::HelperInvocation)
            load_system(context, i);
}

void store_outputs(Context& context) {
    // GEOM stores at each EMIT, TESS_CTRL at once; COMP has none.
    const Stage stage = context.program.stage;
    if (context.options.records) return store_records(context);
    if (stage == Stage::Geometry || stage == Stage::TessControl || stage == Stage::Compute) return;
    if (context.options.io_buffers) return store_io_outputs(context);
    store_registers(context, 0);
}

}  // namespace tgsi2spv::lower
