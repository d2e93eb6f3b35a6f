// The plain interface: how registers are declared, the input variables, and the loads at the start of each function.
// Outputs are in outputs.cpp, arrays over vertices in vertices.cpp.
#include "lower/interface/interface.h"

#include <algorithm>
#include <bit>
#include <utility>

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
#include "lower/state/state_walk.h"
#include "lower/variables/inputs.h"
#include "lower/variables/varyings.h"
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

namespace {

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
/// (VUID-VkGraphicsPipelineCreateInfo-pStages-00740); a VERT that passes one on draws what was computed before. The
/// same holds for LAYER and VIEWPORT_INDEX, with State::one_layer. False: it is Vulkan's own.
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
        prepare_io_buffers(walk);  // counts the slots to which prepare_systems adds
        return prepare_systems(walk);
    }
    const Stage stage = walk.program.stage;
    if (stage == Stage::Compute) return prepare_systems(walk);
    prepare_depth(walk);  // before the outputs: if FRAG has z, it needs FragDepth
    if (stage == Stage::Fragment) {
        prepare_passed_distances(walk, File::Input, in.distances);  // those that pass need no feature when counted
        if (!count_distances(walk, File::Input, walk.plan.input_masks, true, in.distances)) return false;
    }
    // First the one that may refuse but makes no variables. Outputs of FRAG depend on its inputs.
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
