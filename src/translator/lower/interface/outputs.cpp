// Output variables of VERT, TESS_EVAL, GEOM and FRAG, and the stores to them: at each exit, and in GEOM before each
// EMIT. (TESS_CTRL has no values to store: vertices.cpp.)
#include "lower/interface/outputs.h"

#include <algorithm>
#include <array>
#include <string>

#include "lower/registers/cells.h"
#include "lower/state/state_walk.h"
#include "lower/variables/inputs.h"
#include "lower/variables/varyings.h"
#include "lower/walk/components.h"
#include "lower/walk/values.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::VariableKind;
using tgsi::File;
using tgsi::Property;
using tgsi::Semantic;
using tgsi::Stage;

namespace {

/// The stream of the first written component.
uint8_t first_stream(const Declared& declared, uint8_t mask) {
    for (uint32_t c = 0; c < 4; ++c)
        if (mask >> c & 1) return stream_of_component(declared, c);
    return 0;
}

uint32_t builtin_output(Walk& walk, const Declared& declared, BuiltIn builtin, ir::Type type, uint8_t stream = 0) {
    ir::Variable v = builtin_variable(walk, declared, VariableKind::Output, builtin, type);
    v.stream = stream;
    return walk.b.add_variable(v);
}

uint32_t target_output(Walk& walk, const Declared& declared, uint32_t location) {
    const NumericType held = walk.options.state.targets[location];
    return walk.b.add_variable(
        {.kind = VariableKind::Output,
         .element = held == NumericType::UInt || held == NumericType::SInt ? ir::u32(4) : ir::f32(4),
         .location = location,
         .is_signed = held == NumericType::SInt,
         .name = display_name(declared),
         .semantic = static_cast<uint16_t>(declared.semantic),
         .semantic_index = static_cast<uint16_t>(declared.index)});
}

// ---- variables

/// The stream of a GEOM varying: 0, the only one that is drawn, if it takes any component. FRAG's input matches only a
/// variable that has all of its components (Vulkan, "Interface Matching"), so the varying is never split. Components of
/// other streams are seen only by transform feedback, which has variables of its own for them (stream_output.cpp).
uint8_t drawn_stream(const Declared& declared, uint8_t mask) {
    for (uint32_t c = 0; c < 4; ++c)
        if ((mask >> c & 1) && stream_of_component(declared, c) == 0) return 0;
    return first_stream(declared, mask);
}

bool prepare_varying(Walk& walk, Locations& locations, uint32_t reg, const Declared& declared, uint32_t& variable) {
    const auto before = static_cast<uint32_t>(walk.b.module().variables.size());
    variable = varying(walk, locations, declared, VariableKind::Output);
    if (!walk.ok) return false;
    if (walk.program.stage != Stage::Geometry || variable == kNoIndex) return true;
    const uint8_t stream = drawn_stream(declared, walk.plan.output_masks[reg]);
    if (variable >= before || stream == 0) walk.b.module().variables[variable].stream = stream;
    return true;
}

/// PRIMID, LAYER or VIEWPORT_INDEX as a varying: it is linked as number 0, whatever number the text gives it.
Declared as_passed(const Declared& declared) {
    return {declared.semantic, 0, declared.declaration};
}

/// Outputs of the stages before rasterization.
bool prepare_vertex_output(Walk& walk, Locations& locations, uint32_t reg, const Declared& declared,
                           uint32_t& variable) {
    const uint8_t stream = first_stream(declared, walk.plan.output_masks[reg]);
    const bool geometry = walk.program.stage == Stage::Geometry;
    switch (declared.semantic) {
        case Semantic::Position:
            variable = builtin_output(walk, declared, BuiltIn::Position, ir::f32(4), stream);
            return true;
        case Semantic::PSize:
            if (walk.program.stage != Stage::Vertex && !walk.capabilities.stage_point_size) {
                fail_lacking(walk, position_of(declared), "shaderTessellationAndGeometryPointSize", "PSIZE");
                return false;
            }
            variable = builtin_output(walk, declared, BuiltIn::PointSize, ir::f32(), stream);
            return true;
        case Semantic::Layer:
        case Semantic::ViewportIndex:
            if (has_one_layer(walk))
                return walk.options.linkage == nullptr ||
                       prepare_varying(walk, locations, reg, as_passed(declared), variable);
            if (!geometry && !walk.capabilities.shader_layer) {
                fail_lacking(walk, position_of(declared), "VK_EXT_shader_viewport_index_layer", display_name(declared));
                return false;
            }
            variable = builtin_output(walk, declared,
                                      declared.semantic == Semantic::Layer ? BuiltIn::Layer : BuiltIn::ViewportIndex,
                                      ir::u32(), stream);
            walk.b.module().variables[variable].viewport_relative =
                declared.semantic == Semantic::Layer && walk.program.property(Property::LayerViewportRelative) != 0;
            return true;
        case Semantic::ViewportMask:
            if (!walk.capabilities.viewport_mask) {
                fail_lacking(walk, position_of(declared), "VK_NV_viewport_array2", display_name(declared));
                return false;
            }
            variable = builtin_output(walk, declared, BuiltIn::ViewportMask, ir::u32(), stream);
            return true;
        case Semantic::PrimId:
            if (!geometry)
                return !is_passed_on(walk, locations, as_passed(declared)) ||
                       prepare_varying(walk, locations, reg, as_passed(declared), variable);
            variable = builtin_output(walk, declared, BuiltIn::PrimitiveId, ir::u32(), stream);
            return true;
        case Semantic::ClipDist:
        case Semantic::CullDist:
            if (declared.index > 1) return refuse_semantic(walk, declared, "an output");
            return !are_varyings(walk, declared.semantic, File::Output) ||
                   prepare_varying(walk, locations, reg, declared, variable);
        case Semantic::EdgeFlag:
        case Semantic::ClipVertex:
            return !is_passed_on(walk, locations, declared) ||
                   prepare_varying(walk, locations, reg, declared, variable);
        default:
            return prepare_varying(walk, locations, reg, declared, variable);
    }
}

/// Whether FRAG blends target 0 itself.
bool blends(const Walk& walk) {
    const State& state = walk.options.state;
    return state.blend.enabled && !walk.options.io_buffers && state.targets[0] == NumericType::Float;
}

bool prepare_fragment_output(Walk& walk, const Declared& declared, uint32_t& variable) {
    switch (declared.semantic) {
        case Semantic::Color: {
            if (declared.index >= kMaxTargets) return refuse_semantic(walk, declared, "an output");
            const bool second_source = walk.options.dual_source && declared.index == 1;
            if (second_source && blends(walk)) return true;
            variable = target_output(walk, declared, second_source ? 0 : declared.index);
            walk.b.module().variables[variable].dual_source = second_source;
            return true;
        }
        case Semantic::Position:
            variable = builtin_output(walk, declared, BuiltIn::FragDepth, ir::f32());
            walk.b.module().entry.depth_replacing = true;
            return true;
        case Semantic::Stencil:
            if (!walk.capabilities.stencil_export) {
                fail_lacking(walk, position_of(declared), "VK_EXT_shader_stencil_export", "STENCIL");
                return false;
            }
            variable = builtin_output(walk, declared, BuiltIn::FragStencilRef, ir::u32());
            walk.b.module().entry.stencil_export = true;
            return true;
        case Semantic::SampleMask:
            variable = builtin_output(walk, declared, BuiltIn::SampleMask, ir::u32());
            return true;
        default:
            return refuse_semantic(walk, declared, "a fragment output");
    }
}

/// True for points without a PSIZE: Vulkan requires PointSize to be written if the device can (VUID …-Geometry-07725).
bool needs_point_size(const Walk& walk) {
    const ir::EntryPoint& e = walk.b.module().entry;
    switch (walk.program.stage) {
        case Stage::Vertex:
            return walk.options.draws_points || walk.options.state.point_size;
        case Stage::TessEval:
            return (walk.options.draws_points || walk.options.state.point_size || e.tess_points) &&
                   walk.capabilities.stage_point_size;
        case Stage::Geometry:
            return e.output_primitive == ir::OutputPrimitive::Points && walk.capabilities.stage_point_size;
        default:
            return false;
    }
}

}  // namespace

void join_outputs(Walk& walk, std::span<const uint8_t> masks) {
    Outputs& out = walk.outputs;
    out.earlier.assign(masks.size(), kNoIndex);
    out.hidden.assign(masks.size(), 0);
    out.joined.assign(masks.size(), 0);
    const auto place = [&walk](uint32_t reg) {
        return walk.registers.find(File::Output, static_cast<int32_t>(reg))->declaration;
    };
    auto& order = out.order;
    order.clear();
    bool shared = false;  // a new variable has a greater number than all others
    for (const uint32_t i : out.written) {
        if (out.variables[i] == kNoIndex) continue;
        shared |= !order.empty() && out.variables[i] <= out.variables[order.back()];
        order.push_back(i);
    }
    if (!shared) return;
    std::ranges::sort(order, {}, [&](uint32_t reg) { return std::pair(out.variables[reg], place(reg)); });
    for (size_t k = order.size(); k-- > 1;) {
        const uint32_t reg = order[k], before = order[k - 1];
        if (out.variables[reg] != out.variables[before]) continue;
        out.earlier[reg] = before;
        out.joined[before] = 1;
        out.hidden[before] = out.hidden[reg] | masks[reg];
    }
}

namespace {

uint32_t distance_output(Walk& walk, BuiltIn builtin, uint32_t count) {
    if (count == 0) return kNoIndex;
    return walk.b.add_variable(
        {.kind = VariableKind::Output, .element = ir::f32(), .array = {count, 0}, .builtin = builtin});
}

/// The outputs that Vulkan or the state needs, before rasterization.
bool add_vertex_outputs(Walk& walk, bool writes_point_size) {
    Distances& d = walk.outputs.distances;
    prepare_passed_distances(walk, File::Output, d);  // those that pass need no feature when counted
    if (!count_distances(walk, File::Output, walk.plan.output_masks, true, d)) return false;
    if (!writes_point_size && needs_point_size(walk))
        walk.outputs.point_size = builtin_output(walk, {Semantic::PSize, 0, nullptr}, BuiltIn::PointSize, ir::f32());
    if (!prepare_clip_planes(walk)) return false;  // planes count only if the text writes no distances
    if (has_one_layer(walk) && state_buffer_variable(walk) == kNoIndex) return false;
    if (d.passed[0] == kNoIndex)
        d.clip = distance_output(walk, BuiltIn::ClipDistance, d.num_clip + walk.state.num_planes);
    d.cull = distance_output(walk, BuiltIn::CullDistance, d.num_cull);
    return prepare_stream_outputs(walk);  // captures the variables made above
}

/// The same in FRAG.
bool add_fragment_outputs(Walk& walk, bool writes_sample_mask, bool writes_depth) {
    if (walk.options.state.sample_mask && !writes_sample_mask)
        walk.outputs.sample_mask =
            builtin_output(walk, {Semantic::SampleMask, 0, nullptr}, BuiltIn::SampleMask, ir::u32());
    if (walk.inputs.depth != kNoIndex && !writes_depth)
        walk.outputs.depth = builtin_output(walk, {Semantic::Position, 0, nullptr}, BuiltIn::FragDepth, ir::f32());
    return !walk.options.state.polygon_stipple || state_buffer_variable(walk) != kNoIndex;
}

/// FS_COLOR0_WRITES_ALL_CBUFS. With dual-source blending there is one target (maxFragmentDualSrcAttachments is 1 nearly
/// everywhere).
void copy_to_all_targets(Walk& walk, uint32_t color0, std::span<const uint32_t> targets) {
    if (color0 == kNoIndex || walk.options.dual_source || walk.program.property(Property::FsColor0WritesAllCbufs) == 0)
        return;
    const Declared d = declared_as(walk, File::Output, static_cast<int32_t>(color0));
    const uint32_t wanted = walk.options.state.color_targets == 0 ? kMaxTargets : walk.options.state.color_targets;
    for (uint32_t t = 1; t < std::min(wanted, walk.capabilities.max_targets); ++t)
        if (targets[t] == kNoIndex)
            walk.outputs.all_targets[t] = target_output(walk, {d.semantic, t, d.declaration}, t);
}

}  // namespace

bool prepare_outputs(Walk& walk) {
    const bool fragment = walk.program.stage == Stage::Fragment;
    Locations locations(walk.memory);
    uint32_t color0 = kNoIndex;
    std::array<uint32_t, kMaxTargets> targets;
    targets.fill(kNoIndex);
    std::array<uint32_t, tgsi::kSemanticCount> builtins;
    builtins.fill(kNoIndex);
    walk.outputs.parts.clear();
    walk.outputs.second_color = kNoIndex;
    for (const uint32_t i : walk.outputs.written) {
        const Declared d = declared_as(walk, File::Output, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        if (d.semantic == Semantic::None) return refuse_semantic(walk, d, "an output");
        uint32_t& variable = walk.outputs.variables[i];
        // Two registers with the same meaning share the variable. If both write a component, the one declared last wins
        // (semantics: System values).
        const bool color = fragment && d.semantic == Semantic::Color && d.index < kMaxTargets;
        uint32_t& shared = color ? targets[d.index] : builtins[static_cast<size_t>(d.semantic)];
        const bool varies = !fragment && is_varying(walk, d, File::Output);
        if (!varies && shared != kNoIndex) {
            variable = shared;
            continue;
        }
        if (!(fragment ? prepare_fragment_output(walk, d, variable)
                       : prepare_vertex_output(walk, locations, i, d, variable)))
            return false;
        if (!varies) shared = variable;
        if (color && d.index == 0) color0 = i;
        if (color && d.index == 1 && variable == kNoIndex) walk.outputs.second_color = i;
    }
    join_outputs(walk, walk.plan.output_masks);
    const auto writes = [&](Semantic semantic) { return builtins[static_cast<size_t>(semantic)] != kNoIndex; };
    if (!fragment) return add_vertex_outputs(walk, writes(Semantic::PSize));
    if (!add_fragment_outputs(walk, writes(Semantic::SampleMask), writes(Semantic::Position))) return false;
    copy_to_all_targets(walk, color0, targets);
    return true;
}

// ---- values

namespace {

ir::Value component(Walk& walk, const Ref* refs, int c, ir::Scalar scalar) {
    return gather(walk.b, std::span<const Ref>(&refs[c], 1), scalar);
}

void store_distances(Walk& walk) {
    const Distances& all = walk.outputs.distances;
    Ref values[8];
    uint32_t owners[8];  // the declarations that they come from
    for (Ref& v : values) v = constant_ref(walk.b, 0);
    std::ranges::fill(owners, kNoIndex);
    for (const uint32_t i : walk.outputs.written) {
        const Declared d = declared_as(walk, File::Output, static_cast<int32_t>(i));
        if (d.semantic != Semantic::ClipDist && d.semantic != Semantic::CullDist) continue;
        const uint32_t first = first_distance(d, all.num_clip);
        Ref refs[4];
        read_slot(walk, walk.plan.slots.output + i, all_components(), refs);
        for (uint32_t c = 0; c < 4; ++c) {
            if ((walk.plan.output_masks[i] >> c & 1) == 0 || first + c >= 8) continue;
            uint32_t& owner = owners[first + c];
            const uint32_t place = walk.registers.find(File::Output, static_cast<int32_t>(i))->declaration;
            if (owner != kNoIndex && owner > place) continue;
            owner = place;
            values[first + c] = refs[c];
        }
    }
    for (uint32_t k = 0; k < all.num_clip + all.num_cull; ++k) {
        const ir::Value value = component(walk, values, static_cast<int>(k), ir::Scalar::F32);
        if (k < all.num_clip)
            store_clip_distance(walk, k, enabled_distance(walk, k, value));
        else
            walk.b.store(all.cull, {walk.b.const_u32(k - all.num_clip)}, value);
    }
}

/// The second source of State::blend; kNone: there is none.
ir::Value second_source(Walk& walk) {
    const uint32_t reg = walk.outputs.second_color;
    if (reg == kNoIndex) return ir::kNone;
    Ref refs[4];
    read_output(walk, reg, refs);
    return target_color(walk, 0, gather(walk.b, std::span<const Ref>(refs, 4), ir::Scalar::F32));
}

void store_color(Walk& walk, uint32_t variable, ir::Value value) {
    const ir::Variable& v = walk.b.module().variables[variable];
    const ir::Scalar scalar = v.element.scalar;
    const bool blended = v.location == 0 && blends(walk);
    ir::Value color = target_color(walk, v.location, walk.b.bitcast(value, scalar));
    if (blended) color = blended_color(walk, color, second_source(walk));
    walk.b.store(variable, {}, color);
}

void store_output(Walk& walk, uint32_t i, uint32_t variable) {
    ir::Builder& b = walk.b;
    Ref refs[4];
    read_output(walk, i, refs);
    switch (b.module().variables[variable].builtin) {
        case BuiltIn::Position:
            return b.store(variable, {}, chosen_position(walk, unclipped_position(walk, clip_position(walk, refs))));
        case BuiltIn::PointSize:
            return b.store(variable, {}, point_size(walk, component(walk, refs, 0, ir::Scalar::F32)));
        case BuiltIn::SampleMask:
            return b.store(variable, {}, sample_mask(walk, component(walk, refs, 0, ir::Scalar::U32)));
        case BuiltIn::Layer:
        case BuiltIn::ViewportIndex:
        case BuiltIn::ViewportMask:
        case BuiltIn::PrimitiveId:
            return b.store(variable, {}, component(walk, refs, 0, ir::Scalar::U32));
        case BuiltIn::FragDepth:
            return b.store(variable, {}, written_depth(walk, component(walk, refs, 2, ir::Scalar::F32)));
        case BuiltIn::FragStencilRef:
            return b.store(variable, {}, component(walk, refs, 1, ir::Scalar::U32));
        default:
            break;
    }
    const ir::Type element = b.module().variables[variable].element;
    const ir::Value value = gather(walk.b, std::span<const Ref>(refs, element.components), element.scalar);
    if (walk.program.stage != Stage::Fragment)
        return b.store(variable, {}, written_varying(walk, b.module().variables[variable], value));
    store_color(walk, variable, value);
    const ir::Variable& v = b.module().variables[variable];
    if (v.location != 0 || v.dual_source != 0) return;
    for (const uint32_t other : walk.outputs.all_targets)
        if (other != kNoIndex) store_color(walk, other, value);
}

}  // namespace

void store_registers(Walk& walk, uint32_t stream) {
    const auto& variables = walk.b.module().variables;
    for (const uint32_t i : walk.outputs.written) {
        const uint32_t variable = walk.outputs.variables[i];
        if (variable == kNoIndex || walk.outputs.joined[i] != 0 || variables[variable].stream != stream) continue;
        store_output(walk, i, variable);
    }
    for (const StreamPart& part : walk.outputs.parts) {
        if (variables[part.variable].stream != stream) continue;
        Ref refs[4];
        read_slot(walk, walk.plan.slots.output + part.reg, all_components().subspan(part.first, part.count), refs);
        const ir::Value value = gather(walk.b, std::span<const Ref>(refs, part.count), ir::Scalar::F32);
        walk.b.store(part.variable, {}, written_varying(walk, variables[part.variable], value));
    }
    if (walk.outputs.point_size != kNoIndex && stream == 0)
        walk.b.store(walk.outputs.point_size, {}, point_size(walk, ir::kNone));
    if (walk.outputs.sample_mask != kNoIndex) walk.b.store(walk.outputs.sample_mask, {}, sample_mask(walk, ir::kNone));
    if (walk.outputs.depth != kNoIndex && walk.program.stage == Stage::Fragment)
        walk.b.store(walk.outputs.depth, {}, own_depth(walk));
    if (stream != 0 || walk.program.stage == Stage::Fragment) return;
    if (walk.outputs.distances.num_clip + walk.outputs.distances.num_cull != 0) store_distances(walk);
    if (walk.state.num_planes != 0) store_plane_distances(walk);
}

}  // namespace tgsi2spv::lower
