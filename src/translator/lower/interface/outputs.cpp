// Output variables of VERT, TESS_EVAL, GEOM and FRAG, and the stores to them: at each exit, and in GEOM before each
// EMIT. (TESS_CTRL has no values to store: vertices.cpp.)
#include "lower/interface/outputs.h"

#include <algorithm>
#include <array>
#include <string>

#include "lower/context/components.h"
#include "lower/context/values.h"
#include "lower/registers/cells.h"
#include "lower/state/state_context.h"
#include "lower/variables/inputs.h"
#include "lower/variables/varyings.h"

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

uint32_t builtin_output(Context& context, const Declared& declared, BuiltIn builtin, ir::Type type,
                        uint8_t stream = 0) {
    ir::Variable v = builtin_variable(context, declared, VariableKind::Output, builtin, type);
    v.stream = stream;
    return context.b.add_variable(v);
}

uint32_t target_output(Context& context, const Declared& declared, uint32_t location) {
    const NumericType held = context.options.state.targets[location];
    return context.b.add_variable(
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

bool prepare_varying(Context& context, Locations& locations, uint32_t reg, const Declared& declared,
                     uint32_t& variable) {
    const auto before = static_cast<uint32_t>(context.b.module().variables.size());
    variable = varying(context, locations, declared, VariableKind::Output);
    if (!context.ok) return false;
    if (context.program.stage != Stage::Geometry || variable == kNoIndex) return true;
    const uint8_t stream = drawn_stream(declared, context.plan.output_masks[reg]);
    if (variable >= before || stream == 0) context.b.module().variables[variable].stream = stream;
    return true;
}

/// PRIMID, LAYER or VIEWPORT_INDEX as a varying: it is linked as number 0, whatever number the text gives it.
Declared as_passed(const Declared& declared) {
    return {declared.semantic, 0, declared.declaration};
}

/// Outputs of the stages before rasterization.
bool prepare_vertex_output(Context& context, Locations& locations, uint32_t reg, const Declared& declared,
                           uint32_t& variable) {
    const uint8_t stream = first_stream(declared, context.plan.output_masks[reg]);
    const bool geometry = context.program.stage == Stage::Geometry;
    switch (declared.semantic) {
        case Semantic::Position:
            variable = builtin_output(context, declared, BuiltIn::Position, ir::f32(4), stream);
            return true;
        case Semantic::PSize:
            if (context.program.stage != Stage::Vertex && !context.capabilities.stage_point_size) {
                fail_lacking(context, position_of(declared), "shaderTessellationAndGeometryPointSize", "PSIZE");
                return false;
            }
            variable = builtin_output(context, declared, BuiltIn::PointSize, ir::f32(), stream);
            return true;
        case Semantic::Layer:
        case Semantic::ViewportIndex:
            if (has_one_layer(context))
                return context.options.linkage == nullptr ||
                       prepare_varying(context, locations, reg, as_passed(declared), variable);
            if (!geometry && !context.capabilities.shader_layer) {
                fail_lacking(context, position_of(declared), "VK_EXT_shader_viewport_index_layer",
                             display_name(declared));
                return false;
            }
            variable = builtin_output(context, declared,
                                      declared.semantic == Semantic::Layer ? BuiltIn::Layer : BuiltIn::ViewportIndex,
                                      ir::u32(), stream);
            context.b.module().variables[variable].viewport_relative =
                declared.semantic == Semantic::Layer && context.program.property(Property::LayerViewportRelative) != 0;
            return true;
        case Semantic::ViewportMask:
            if (!context.capabilities.viewport_mask) {
                fail_lacking(context, position_of(declared), "VK_NV_viewport_array2", display_name(declared));
                return false;
            }
            variable = builtin_output(context, declared, BuiltIn::ViewportMask, ir::u32(), stream);
            return true;
        case Semantic::PrimId:
            if (!geometry)
                return !is_passed_on(context, locations, as_passed(declared)) ||
                       prepare_varying(context, locations, reg, as_passed(declared), variable);
            variable = builtin_output(context, declared, BuiltIn::PrimitiveId, ir::u32(), stream);
            return true;
        case Semantic::ClipDist:
        case Semantic::CullDist:
            if (declared.index > 1) return refuse_semantic(context, declared, "an output");
            return !are_varyings(context, declared.semantic, File::Output) ||
                   prepare_varying(context, locations, reg, declared, variable);
        case Semantic::EdgeFlag:
        case Semantic::ClipVertex:
            return !is_passed_on(context, locations, declared) ||
                   prepare_varying(context, locations, reg, declared, variable);
        default:
            return prepare_varying(context, locations, reg, declared, variable);
    }
}

/// Whether FRAG blends target 0 itself.
bool blends(const Context& context) {
    const State& state = context.options.state;
    return state.blend.enabled && !context.options.io_buffers && state.targets[0] == NumericType::Float;
}

bool prepare_fragment_output(Context& context, const Declared& declared, uint32_t& variable) {
    switch (declared.semantic) {
        case Semantic::Color: {
            if (declared.index >= kMaxTargets) return refuse_semantic(context, declared, "an output");
            const bool second_source = context.options.dual_source && declared.index == 1;
            if (second_source && blends(context)) return true;
            variable = target_output(context, declared, second_source ? 0 : declared.index);
            context.b.module().variables[variable].dual_source = second_source;
            return true;
        }
        case Semantic::Position:
            variable = builtin_output(context, declared, BuiltIn::FragDepth, ir::f32());
            context.b.module().entry.depth_replacing = true;
            return true;
        case Semantic::Stencil:
            if (!context.capabilities.stencil_export) {
                fail_lacking(context, position_of(declared), "VK_EXT_shader_stencil_export", "STENCIL");
                return false;
            }
            variable = builtin_output(context, declared, BuiltIn::FragStencilRef, ir::u32());
            context.b.module().entry.stencil_export = true;
            return true;
        case Semantic::SampleMask:
            variable = builtin_output(context, declared, BuiltIn::SampleMask, ir::u32());
            return true;
        default:
            return refuse_semantic(context, declared, "a fragment output");
    }
}

/// True for points without a PSIZE: Vulkan requires PointSize to be written if the device can (VUID …-Geometry-07725).
bool needs_point_size(const Context& context) {
    const ir::EntryPoint& e = context.b.module().entry;
    switch (context.program.stage) {
        case Stage::Vertex:
            return context.options.draws_points || context.options.state.point_size;
        case Stage::TessEval:
            return (context.options.draws_points || context.options.state.point_size || e.tess_points) &&
                   context.capabilities.stage_point_size;
        case Stage::Geometry:
            return e.output_primitive == ir::OutputPrimitive::Points && context.capabilities.stage_point_size;
        default:
            return false;
    }
}

}  // namespace

void join_outputs(Context& context, std::span<const uint8_t> masks) {
    Outputs& out = context.outputs;
    out.earlier.assign(masks.size(), kNoIndex);
    out.hidden.assign(masks.size(), 0);
    out.joined.assign(masks.size(), 0);
    const auto place = [&context](uint32_t reg) {
        return context.registers.find(File::Output, static_cast<int32_t>(reg))->declaration;
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

uint32_t distance_output(Context& context, BuiltIn builtin, uint32_t count) {
    if (count == 0) return kNoIndex;
    return context.b.add_variable(
        {.kind = VariableKind::Output, .element = ir::f32(), .array = {count, 0}, .builtin = builtin});
}

/// The outputs that Vulkan or the state needs, before rasterization.
bool add_vertex_outputs(Context& context, bool writes_point_size) {
    Distances& d = context.outputs.distances;
    prepare_passed_distances(context, File::Output, d);  // those that pass need no feature when counted
    if (!count_distances(context, File::Output, context.plan.output_masks, true, d)) return false;
    if (!writes_point_size && needs_point_size(context))
        context.outputs.point_size =
            builtin_output(context, {Semantic::PSize, 0, nullptr}, BuiltIn::PointSize, ir::f32());
    if (!prepare_clip_planes(context)) return false;  // planes count only if the text writes no distances
    if (has_one_layer(context) && state_buffer_variable(context) == kNoIndex) return false;
    if (d.passed[0] == kNoIndex)
        d.clip = distance_output(context, BuiltIn::ClipDistance, d.num_clip + context.state.num_planes);
    d.cull = distance_output(context, BuiltIn::CullDistance, d.num_cull);
    return prepare_stream_outputs(context);  // captures the variables made above
}

/// The same in FRAG.
bool add_fragment_outputs(Context& context, bool writes_sample_mask, bool writes_depth) {
    if (context.options.state.sample_mask && !writes_sample_mask)
        context.outputs.sample_mask =
            builtin_output(context, {Semantic::SampleMask, 0, nullptr}, BuiltIn::SampleMask, ir::u32());
    if (context.inputs.depth != kNoIndex && !writes_depth)
        context.outputs.depth =
            builtin_output(context, {Semantic::Position, 0, nullptr}, BuiltIn::FragDepth, ir::f32());
    return !context.options.state.polygon_stipple || state_buffer_variable(context) != kNoIndex;
}

/// FS_COLOR0_WRITES_ALL_CBUFS. With dual-source blending there is one target (maxFragmentDualSrcAttachments is 1 nearly
/// everywhere).
void copy_to_all_targets(Context& context, uint32_t color0, std::span<const uint32_t> targets) {
    if (color0 == kNoIndex || context.options.dual_source ||
        context.program.property(Property::FsColor0WritesAllCbufs) == 0)
        return;
    const Declared d = declared_as(context, File::Output, static_cast<int32_t>(color0));
    const uint32_t wanted =
        context.options.state.color_targets == 0 ? kMaxTargets : context.options.state.color_targets;
    for (uint32_t t = 1; t < std::min(wanted, context.capabilities.max_targets); ++t)
        if (targets[t] == kNoIndex)
            context.outputs.all_targets[t] = target_output(context, {d.semantic, t, d.declaration}, t);
}

}  // namespace

bool prepare_outputs(Context& context) {
    const bool fragment = context.program.stage == Stage::Fragment;
    Locations locations(context.memory);
    uint32_t color0 = kNoIndex;
    std::array<uint32_t, kMaxTargets> targets;
    targets.fill(kNoIndex);
    std::array<uint32_t, tgsi::kSemanticCount> builtins;
    builtins.fill(kNoIndex);
    context.outputs.parts.clear();
    context.outputs.second_color = kNoIndex;
    for (const uint32_t i : context.outputs.written) {
        const Declared d = declared_as(context, File::Output, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        if (d.semantic == Semantic::None) return refuse_semantic(context, d, "an output");
        uint32_t& variable = context.outputs.variables[i];
        // Two registers with the same meaning share the variable. If both write a component, the one declared last wins
        // (semantics: System values).
        const bool color = fragment && d.semantic == Semantic::Color && d.index < kMaxTargets;
        uint32_t& shared = color ? targets[d.index] : builtins[static_cast<size_t>(d.semantic)];
        const bool varies = !fragment && is_varying(context, d, File::Output);
        if (!varies && shared != kNoIndex) {
            variable = shared;
            continue;
        }
        if (!(fragment ? prepare_fragment_output(context, d, variable)
                       : prepare_vertex_output(context, locations, i, d, variable)))
            return false;
        if (!varies) shared = variable;
        if (color && d.index == 0) color0 = i;
        if (color && d.index == 1 && variable == kNoIndex) context.outputs.second_color = i;
    }
    join_outputs(context, context.plan.output_masks);
    const auto writes = [&](Semantic semantic) { return builtins[static_cast<size_t>(semantic)] != kNoIndex; };
    if (!fragment) return add_vertex_outputs(context, writes(Semantic::PSize));
    if (!add_fragment_outputs(context, writes(Semantic::SampleMask), writes(Semantic::Position))) return false;
    copy_to_all_targets(context, color0, targets);
    return true;
}

// ---- values

namespace {

ir::Value component(Context& context, const Ref* refs, int c, ir::Scalar scalar) {
    return gather(context.b, std::span<const Ref>(&refs[c], 1), scalar);
}

void store_distances(Context& context) {
    const Distances& all = context.outputs.distances;
    Ref values[8];
    uint32_t owners[8];  // the declarations that they come from
    for (Ref& v : values) v = constant_ref(context.b, 0);
    std::ranges::fill(owners, kNoIndex);
    for (const uint32_t i : context.outputs.written) {
        const Declared d = declared_as(context, File::Output, static_cast<int32_t>(i));
        if (d.semantic != Semantic::ClipDist && d.semantic != Semantic::CullDist) continue;
        const uint32_t first = first_distance(d, all.num_clip);
        Ref refs[4];
        read_slot(context, context.plan.slots.output + i, all_components(), refs);
        for (uint32_t c = 0; c < 4; ++c) {
            if ((context.plan.output_masks[i] >> c & 1) == 0 || first + c >= 8) continue;
            uint32_t& owner = owners[first + c];
            const uint32_t place = context.registers.find(File::Output, static_cast<int32_t>(i))->declaration;
            if (owner != kNoIndex && owner > place) continue;
            owner = place;
            values[first + c] = refs[c];
        }
    }
    for (uint32_t k = 0; k < all.num_clip + all.num_cull; ++k) {
        const ir::Value value = component(context, values, static_cast<int>(k), ir::Scalar::F32);
        if (k < all.num_clip)
            store_clip_distance(context, k, enabled_distance(context, k, value));
        else
            context.b.store(all.cull, {context.b.const_u32(k - all.num_clip)}, value);
    }
}

/// The second source of State::blend; kNone: there is none.
ir::Value second_source(Context& context) {
    const uint32_t reg = context.outputs.second_color;
    if (reg == kNoIndex) return ir::kNone;
    Ref refs[4];
    read_output(context, reg, refs);
    return target_color(context, 0, gather(context.b, std::span<const Ref>(refs, 4), ir::Scalar::F32));
}

void store_color(Context& context, uint32_t variable, ir::Value value) {
    const ir::Variable& v = context.b.module().variables[variable];
    const ir::Scalar scalar = v.element.scalar;
    const bool blended = v.location == 0 && blends(context);
    ir::Value color = target_color(context, v.location, context.b.bitcast(value, scalar));
    if (blended) color = blended_color(context, color, second_source(context));
    context.b.store(variable, {}, color);
}

void store_output(Context& context, uint32_t i, uint32_t variable) {
    ir::Builder& b = context.b;
    Ref refs[4];
    read_output(context, i, refs);
    switch (b.module().variables[variable].builtin) {
        case BuiltIn::Position:
            return b.store(variable, {},
                           chosen_position(context, unclipped_position(context, clip_position(context, refs))));
        case BuiltIn::PointSize:
            return b.store(variable, {}, point_size(context, component(context, refs, 0, ir::Scalar::F32)));
        case BuiltIn::SampleMask:
            return b.store(variable, {}, sample_mask(context, component(context, refs, 0, ir::Scalar::U32)));
        case BuiltIn::Layer:
        case BuiltIn::ViewportIndex:
        case BuiltIn::ViewportMask:
        case BuiltIn::PrimitiveId:
            return b.store(variable, {}, component(context, refs, 0, ir::Scalar::U32));
        case BuiltIn::FragDepth:
            return b.store(variable, {}, written_depth(context, component(context, refs, 2, ir::Scalar::F32)));
        case BuiltIn::FragStencilRef:
            return b.store(variable, {}, component(context, refs, 1, ir::Scalar::U32));
        default:
            break;
    }
    const ir::Type element = b.module().variables[variable].element;
    const ir::Value value = gather(context.b, std::span<const Ref>(refs, element.components), element.scalar);
    if (context.program.stage != Stage::Fragment)
        return b.store(variable, {}, written_varying(context, b.module().variables[variable], value));
    store_color(context, variable, value);
    const ir::Variable& v = b.module().variables[variable];
    if (v.location != 0 || v.dual_source != 0) return;
    for (const uint32_t other : context.outputs.all_targets)
        if (other != kNoIndex) store_color(context, other, value);
}

}  // namespace

void store_registers(Context& context, uint32_t stream) {
    const auto& variables = context.b.module().variables;
    for (const uint32_t i : context.outputs.written) {
        const uint32_t variable = context.outputs.variables[i];
        if (variable == kNoIndex || context.outputs.joined[i] != 0 || variables[variable].stream != stream) continue;
        store_output(context, i, variable);
    }
    for (const StreamPart& part : context.outputs.parts) {
        if (variables[part.variable].stream != stream) continue;
        Ref refs[4];
        read_slot(context, context.plan.slots.output + part.reg, all_components().subspan(part.first, part.count),
                  refs);
        const ir::Value value = gather(context.b, std::span<const Ref>(refs, part.count), ir::Scalar::F32);
        context.b.store(part.variable, {}, written_varying(context, variables[part.variable], value));
    }
    if (context.outputs.point_size != kNoIndex && stream == 0)
        context.b.store(context.outputs.point_size, {}, point_size(context, ir::kNone));
    if (context.outputs.sample_mask != kNoIndex)
        context.b.store(context.outputs.sample_mask, {}, sample_mask(context, ir::kNone));
    if (context.outputs.depth != kNoIndex && context.program.stage == Stage::Fragment)
        context.b.store(context.outputs.depth, {}, own_depth(context));
    if (stream != 0 || context.program.stage == Stage::Fragment) return;
    if (context.outputs.distances.num_clip + context.outputs.distances.num_cull != 0) store_distances(context);
    if (context.state.num_planes != 0) store_plane_distances(context);
}

}  // namespace tgsi2spv::lower
