// Output variables of VERT, TESS_EVAL, GEOM and FRAG, and the stores to them: at each exit, and in GEOM before each
// EMIT. (TESS_CTRL has no values to store: vertices.cpp.)
#include "lower/outputs.h"

#include <algorithm>
#include <array>
#include <string>

#include "lower/registers.h"
#include "lower/state_walk.h"
#include "lower/values.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::VariableKind;
using tgsi::File;
using tgsi::Property;
using tgsi::Semantic;
using tgsi::Stage;

uint8_t stream_of_component(const Declared& d, uint32_t component) {
    return d.declaration->has_stream ? d.declaration->streams[component] & 3 : 0;
}

void read_output(Walk& w, uint32_t i, Ref* refs) {
    read_slot(w, w.plan.slots.output + i, all_components(), refs);
    uint8_t mask = w.plan.output_masks[i];
    for (uint32_t before = w.outputs.earlier[i]; before != kNoIndex; before = w.outputs.earlier[before]) {
        Ref others[4];
        read_slot(w, w.plan.slots.output + before, all_components(), others);
        for (int c = 0; c < 4; ++c)
            if ((w.plan.output_masks[before] & ~mask) >> c & 1) refs[c] = others[c];
        mask |= w.plan.output_masks[before];
    }
}

namespace {

/// The stream of the first written component.
uint8_t first_stream(const Declared& d, uint8_t mask) {
    for (uint32_t c = 0; c < 4; ++c)
        if (mask >> c & 1) return stream_of_component(d, c);
    return 0;
}

uint32_t builtin_output(Walk& w, const Declared& d, BuiltIn builtin, ir::Type type, uint8_t stream = 0) {
    ir::Variable v = builtin_variable(w, d, VariableKind::Output, builtin, type);
    v.stream = stream;
    return w.b.add_variable(v);
}

uint32_t target_output(Walk& w, const Declared& d, uint32_t location) {
    const NumericType held = w.options.state.targets[location];
    return w.b.add_variable(
        {.kind = VariableKind::Output,
         .element = held == NumericType::UInt || held == NumericType::SInt ? ir::u32(4) : ir::f32(4),
         .location = location,
         .is_signed = held == NumericType::SInt,
         .name = display_name(d),
         .semantic = static_cast<uint16_t>(d.semantic),
         .semantic_index = static_cast<uint16_t>(d.index)});
}

// ---- variables

/// The stream of a GEOM varying: 0, the only one that is drawn, if it takes any component. FRAG's input matches only a
/// variable that has all of its components (Vulkan, "Interface Matching"), so the varying is never split. Components of
/// other streams are seen only by transform feedback, which has variables of its own for them (stream_output.cpp).
uint8_t drawn_stream(const Declared& d, uint8_t mask) {
    for (uint32_t c = 0; c < 4; ++c)
        if ((mask >> c & 1) && stream_of_component(d, c) == 0) return 0;
    return first_stream(d, mask);
}

bool prepare_varying(Walk& w, Locations& locations, uint32_t reg, const Declared& d, uint32_t& variable) {
    const auto before = static_cast<uint32_t>(w.b.module().variables.size());
    variable = varying(w, locations, d, VariableKind::Output);
    if (!w.ok) return false;
    if (w.program.stage != Stage::Geometry || variable == kNoIndex) return true;
    const uint8_t stream = drawn_stream(d, w.plan.output_masks[reg]);
    if (variable >= before || stream == 0) w.b.module().variables[variable].stream = stream;
    return true;
}

/// Outputs of the stages before rasterization.
bool prepare_vertex_output(Walk& w, Locations& locations, uint32_t reg, const Declared& d, uint32_t& variable) {
    const uint8_t stream = first_stream(d, w.plan.output_masks[reg]);
    const bool geometry = w.program.stage == Stage::Geometry;
    switch (d.semantic) {
        case Semantic::Position:
            variable = builtin_output(w, d, BuiltIn::Position, ir::f32(4), stream);
            return true;
        case Semantic::PSize:
            if (w.program.stage != Stage::Vertex && !w.capabilities.stage_point_size) {
                fail_lacking(w, position_of(d), "shaderTessellationAndGeometryPointSize", "PSIZE");
                return false;
            }
            variable = builtin_output(w, d, BuiltIn::PointSize, ir::f32(), stream);
            return true;
        case Semantic::Layer:
        case Semantic::ViewportIndex:
            if (!geometry && !w.capabilities.shader_layer) {
                fail_lacking(w, position_of(d), "VK_EXT_shader_viewport_index_layer", display_name(d));
                return false;
            }
            variable = builtin_output(w, d, d.semantic == Semantic::Layer ? BuiltIn::Layer : BuiltIn::ViewportIndex,
                                      ir::u32(), stream);
            w.b.module().variables[variable].viewport_relative =
                d.semantic == Semantic::Layer && w.program.property(Property::LayerViewportRelative) != 0;
            return true;
        case Semantic::ViewportMask:
            if (!w.capabilities.viewport_mask) {
                fail_lacking(w, position_of(d), "VK_NV_viewport_array2", display_name(d));
                return false;
            }
            variable = builtin_output(w, d, BuiltIn::ViewportMask, ir::u32(), stream);
            return true;
        case Semantic::PrimId:
            if (!geometry) return refuse_semantic(w, d, "an output of this stage");
            variable = builtin_output(w, d, BuiltIn::PrimitiveId, ir::u32(), stream);
            return true;
        case Semantic::ClipDist:
        case Semantic::CullDist:
            if (d.index > 1) return refuse_semantic(w, d, "an output");
            return true;
        case Semantic::EdgeFlag:
        case Semantic::ClipVertex:
            return !is_passed_on(w, locations, d) || prepare_varying(w, locations, reg, d, variable);
        default:
            return prepare_varying(w, locations, reg, d, variable);
    }
}

bool prepare_fragment_output(Walk& w, const Declared& d, uint32_t& variable) {
    switch (d.semantic) {
        case Semantic::Color: {
            if (d.index >= kMaxTargets) return refuse_semantic(w, d, "an output");
            const bool second_source = w.options.dual_source && d.index == 1;
            variable = target_output(w, d, second_source ? 0 : d.index);
            w.b.module().variables[variable].dual_source = second_source;
            return true;
        }
        case Semantic::Position:
            variable = builtin_output(w, d, BuiltIn::FragDepth, ir::f32());
            w.b.module().entry.depth_replacing = true;
            return true;
        case Semantic::Stencil:
            if (!w.capabilities.stencil_export) {
                fail_lacking(w, position_of(d), "VK_EXT_shader_stencil_export", "STENCIL");
                return false;
            }
            variable = builtin_output(w, d, BuiltIn::FragStencilRef, ir::u32());
            w.b.module().entry.stencil_export = true;
            return true;
        case Semantic::SampleMask:
            variable = builtin_output(w, d, BuiltIn::SampleMask, ir::u32());
            return true;
        default:
            return refuse_semantic(w, d, "a fragment output");
    }
}

/// True for points without a PSIZE: Vulkan requires PointSize to be written if the device can (VUID …-Geometry-07725).
bool needs_point_size(const Walk& w) {
    const ir::EntryPoint& e = w.b.module().entry;
    switch (w.program.stage) {
        case Stage::Vertex:
            return w.options.draws_points || w.options.state.point_size;
        case Stage::TessEval:
            return (w.options.draws_points || w.options.state.point_size || e.tess_points) &&
                   w.capabilities.stage_point_size;
        case Stage::Geometry:
            return e.output_primitive == ir::OutputPrimitive::Points && w.capabilities.stage_point_size;
        default:
            return false;
    }
}

}  // namespace

void join_outputs(Walk& w, std::span<const uint8_t> masks) {
    Outputs& out = w.outputs;
    out.earlier.assign(masks.size(), kNoIndex);
    out.hidden.assign(masks.size(), 0);
    out.joined.assign(masks.size(), 0);
    const auto place = [&w](uint32_t reg) {
        return w.registers.find(File::Output, static_cast<int32_t>(reg))->declaration;
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

bool prepare_outputs(Walk& w) {
    const bool fragment = w.program.stage == Stage::Fragment;
    Locations locations(w.memory);
    uint32_t color0 = kNoIndex;
    std::array<uint32_t, kMaxTargets> targets;
    targets.fill(kNoIndex);
    std::array<uint32_t, tgsi::kSemanticCount> builtins;
    builtins.fill(kNoIndex);
    w.outputs.parts.clear();
    for (const uint32_t i : w.outputs.written) {
        const Declared d = declared_as(w, File::Output, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        if (d.semantic == Semantic::None) return refuse_semantic(w, d, "an output");
        uint32_t& variable = w.outputs.variables[i];
        // Two registers with the same meaning share the variable. Of those that write a component, the last declared
        // one wins (semantics: System values).
        const bool color = fragment && d.semantic == Semantic::Color && d.index < kMaxTargets;
        uint32_t& shared = color ? targets[d.index] : builtins[static_cast<size_t>(d.semantic)];
        const bool varies = !fragment && is_varying(w, d);
        if (!varies && shared != kNoIndex) {
            variable = shared;
            continue;
        }
        if (!(fragment ? prepare_fragment_output(w, d, variable) : prepare_vertex_output(w, locations, i, d, variable)))
            return false;
        if (!varies) shared = variable;
        if (color && d.index == 0) color0 = i;
    }
    join_outputs(w, w.plan.output_masks);
    if (!fragment) {
        Distances& d = w.outputs.distances;
        if (!count_distances(w, File::Output, w.plan.output_masks, true, d)) return false;
        auto distances = [&](BuiltIn builtin, uint32_t count) {
            return count == 0 ? kNoIndex
                              : w.b.add_variable({.kind = VariableKind::Output,
                                                  .element = ir::f32(),
                                                  .array = {count, 0},
                                                  .builtin = builtin});
        };
        if (builtins[static_cast<size_t>(Semantic::PSize)] == kNoIndex && needs_point_size(w))
            w.outputs.point_size = builtin_output(w, {Semantic::PSize, 0, nullptr}, BuiltIn::PointSize, ir::f32());
        if (!prepare_clip_planes(w)) return false;
        d.clip = distances(BuiltIn::ClipDistance, d.num_clip + w.state.num_planes);
        d.cull = distances(BuiltIn::CullDistance, d.num_cull);
        return prepare_stream_outputs(w);
    }
    if (w.options.state.sample_mask && builtins[static_cast<size_t>(Semantic::SampleMask)] == kNoIndex)
        w.outputs.sample_mask = builtin_output(w, {Semantic::SampleMask, 0, nullptr}, BuiltIn::SampleMask, ir::u32());
    if (w.options.state.polygon_stipple && state_buffer_variable(w) == kNoIndex) return false;
    // With dual-source blending there is one target (maxFragmentDualSrcAttachments is 1 nearly everywhere).
    if (color0 != kNoIndex && !w.options.dual_source && w.program.property(Property::FsColor0WritesAllCbufs) != 0) {
        const Declared d = declared_as(w, File::Output, static_cast<int32_t>(color0));
        const uint32_t wanted = w.options.state.color_targets == 0 ? kMaxTargets : w.options.state.color_targets;
        for (uint32_t t = 1; t < std::min(wanted, w.capabilities.max_targets); ++t)
            if (targets[t] == kNoIndex) w.outputs.all_targets[t] = target_output(w, {d.semantic, t, d.declaration}, t);
    }
    return true;
}

// ---- values

namespace {

ir::Value component(Walk& w, const Ref* refs, int c, ir::Scalar scalar) {
    return gather(w, std::span<const Ref>(&refs[c], 1), scalar);
}

void store_distances(Walk& w) {
    const Distances& all = w.outputs.distances;
    Ref values[8];
    uint32_t owners[8];  // the declarations that they come from
    for (Ref& v : values) v = constant_ref(w, 0);
    std::ranges::fill(owners, kNoIndex);
    for (const uint32_t i : w.outputs.written) {
        const Declared d = declared_as(w, File::Output, static_cast<int32_t>(i));
        if (d.semantic != Semantic::ClipDist && d.semantic != Semantic::CullDist) continue;
        const uint32_t first = first_distance(d, all.num_clip);
        Ref refs[4];
        read_slot(w, w.plan.slots.output + i, all_components(), refs);
        for (uint32_t c = 0; c < 4; ++c) {
            if ((w.plan.output_masks[i] >> c & 1) == 0 || first + c >= 8) continue;
            uint32_t& owner = owners[first + c];
            const uint32_t place = w.registers.find(File::Output, static_cast<int32_t>(i))->declaration;
            if (owner != kNoIndex && owner > place) continue;
            owner = place;
            values[first + c] = refs[c];
        }
    }
    for (uint32_t k = 0; k < all.num_clip + all.num_cull; ++k) {
        const ir::Value value = component(w, values, static_cast<int>(k), ir::Scalar::F32);
        if (k < all.num_clip)
            w.b.store(all.clip, {w.b.const_u32(k)}, enabled_distance(w, k, value));
        else
            w.b.store(all.cull, {w.b.const_u32(k - all.num_clip)}, value);
    }
}

void store_color(Walk& w, uint32_t variable, ir::Value value) {
    const ir::Variable& v = w.b.module().variables[variable];
    const ir::Scalar scalar = v.element.scalar;
    const ir::Value color = target_color(w, v.location, w.b.bitcast(value, scalar));
    w.b.store(variable, {}, color);
}

void store_output(Walk& w, uint32_t i, uint32_t variable) {
    ir::Builder& b = w.b;
    Ref refs[4];
    read_output(w, i, refs);
    switch (b.module().variables[variable].builtin) {
        case BuiltIn::Position:
            return b.store(variable, {}, clip_position(w, refs));
        case BuiltIn::PointSize:
            return b.store(variable, {}, point_size(w, component(w, refs, 0, ir::Scalar::F32)));
        case BuiltIn::SampleMask:
            return b.store(variable, {}, sample_mask(w, component(w, refs, 0, ir::Scalar::U32)));
        case BuiltIn::Layer:
        case BuiltIn::ViewportIndex:
        case BuiltIn::ViewportMask:
        case BuiltIn::PrimitiveId:
            return b.store(variable, {}, component(w, refs, 0, ir::Scalar::U32));
        case BuiltIn::FragDepth:
            return b.store(variable, {}, component(w, refs, 2, ir::Scalar::F32));
        case BuiltIn::FragStencilRef:
            return b.store(variable, {}, component(w, refs, 1, ir::Scalar::U32));
        default:
            break;
    }
    const ir::Type element = b.module().variables[variable].element;
    const ir::Value value = gather(w, std::span<const Ref>(refs, element.components), element.scalar);
    if (w.program.stage != Stage::Fragment)
        return b.store(variable, {}, written_varying(w, b.module().variables[variable], value));
    store_color(w, variable, value);
    const ir::Variable& v = b.module().variables[variable];
    if (v.location != 0 || v.dual_source != 0) return;
    for (const uint32_t other : w.outputs.all_targets)
        if (other != kNoIndex) store_color(w, other, value);
}

}  // namespace

void store_registers(Walk& w, uint32_t stream) {
    const auto& variables = w.b.module().variables;
    for (const uint32_t i : w.outputs.written) {
        const uint32_t variable = w.outputs.variables[i];
        if (variable == kNoIndex || w.outputs.joined[i] != 0 || variables[variable].stream != stream) continue;
        store_output(w, i, variable);
    }
    for (const StreamPart& part : w.outputs.parts) {
        if (variables[part.variable].stream != stream) continue;
        Ref refs[4];
        read_slot(w, w.plan.slots.output + part.reg, all_components().subspan(part.first, part.count), refs);
        const ir::Value value = gather(w, std::span<const Ref>(refs, part.count), ir::Scalar::F32);
        w.b.store(part.variable, {}, written_varying(w, variables[part.variable], value));
    }
    if (w.outputs.point_size != kNoIndex && stream == 0) w.b.store(w.outputs.point_size, {}, point_size(w, ir::kNone));
    if (w.outputs.sample_mask != kNoIndex) w.b.store(w.outputs.sample_mask, {}, sample_mask(w, ir::kNone));
    if (stream != 0 || w.program.stage == Stage::Fragment) return;
    if (w.outputs.distances.num_clip + w.outputs.distances.num_cull != 0) store_distances(w);
    if (w.state.num_planes != 0) store_plane_distances(w);
}

}  // namespace tgsi2spv::lower
