// The unmodified interface of VERT and FRAG: variables for attributes, varyings, targets and builtins.
#include <array>

#include "lower/locations.h"
#include "lower/walk.h"
#include "tgsi/names.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::VariableKind;
using tgsi::File;
using tgsi::Property;
using tgsi::Semantic;

namespace {

constexpr uint32_t kTargets = 8;  ///< of FS_COLOR0_WRITES_ALL_CBUFS

/// What a register is declared as.
struct Declared {
    Semantic semantic = Semantic::None;
    uint32_t index = 0;
    const tgsi::Declaration* declaration = nullptr;
};

Declared declared_as(Walk& w, File file, int32_t index) {
    const tgsi::Range* range = w.registers.find(file, index);
    if (range == nullptr) return {};
    const tgsi::Declaration& d = w.program.declarations[range->declaration];
    if (!d.has_semantic) return {Semantic::None, 0, &d};
    return {d.semantic, d.semantic_index + static_cast<uint32_t>(index - d.first), &d};
}

std::string display_name(const Declared& d) {
    std::string out(tgsi::name(d.semantic));
    if (d.index != 0) out += "[" + std::to_string(d.index) + "]";
    return out;
}

uint32_t position_of(const Declared& d) {
    return d.declaration != nullptr ? d.declaration->position : 0;
}

bool refuse_semantic(Walk& w, const Declared& d, std::string_view use) {
    fail(w, "unsupported-semantic", position_of(d),
         d.semantic == Semantic::None ? std::string(use) + " without a semantic"
                                      : display_name(d) + " is not supported as " + std::string(use));
    return false;
}

/// The varyings of one shader and who took which location.
struct Locations {
    struct Taken {
        Semantic semantic = Semantic::None;
        uint32_t index = 0;
        uint32_t variable = kNoIndex;
    };
    std::array<Taken, kLocations> taken{};
};

ir::Interpolation interpolation_of(const tgsi::Declaration& d) {
    switch (d.interpolation) {
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

/// The variable of a varying; kNoIndex after a refusal.
uint32_t varying(Walk& w, Locations& locations, const Declared& d, VariableKind kind) {
    const auto location = varying_location(d.semantic, d.index);
    if (!location) {
        refuse_semantic(w, d, kind == VariableKind::Input ? "an input of this stage" : "an output of this stage");
        return kNoIndex;
    }
    Locations::Taken& taken = locations.taken[*location];
    if (taken.variable != kNoIndex) {
        if (taken.semantic == d.semantic && taken.index == d.index) return taken.variable;
        fail(w, "link-the-stages", position_of(d),
             display_name(d) + " and " + display_name({taken.semantic, taken.index, nullptr}) +
                 " have the same location " + std::to_string(*location) +
                 " where stages are converted apart: link the stages");
        return kNoIndex;
    }
    ir::Variable v{.kind = kind,
                   .element = ir::f32(4),
                   .location = *location,
                   .invariant = kind == VariableKind::Output && d.declaration->invariant,
                   .name = display_name(d),
                   .semantic = static_cast<uint16_t>(d.semantic),
                   .semantic_index = static_cast<uint16_t>(d.index)};
    if (kind == VariableKind::Input) {
        v.interpolation = interpolation_of(*d.declaration);
        v.sample_location = static_cast<ir::SampleLocation>(d.declaration->location);
    }
    taken = {d.semantic, d.index, w.b.add_variable(v)};
    return taken.variable;
}

uint32_t builtin_output(Walk& w, const Declared& d, BuiltIn builtin, ir::Type type) {
    return w.b.add_variable({.kind = VariableKind::Output,
                             .element = type,
                             .builtin = builtin,
                             .invariant = builtin == BuiltIn::Position && w.options.invariant_position,
                             .semantic = static_cast<uint16_t>(d.semantic),
                             .semantic_index = static_cast<uint16_t>(d.index)});
}

uint32_t target_output(Walk& w, const Declared& d, uint32_t location) {
    return w.b.add_variable({.kind = VariableKind::Output,
                             .element = ir::f32(4),
                             .location = location,
                             .name = display_name(d),
                             .semantic = static_cast<uint16_t>(d.semantic),
                             .semantic_index = static_cast<uint16_t>(d.index)});
}

// ---- inputs

bool prepare_inputs(Walk& w) {
    Locations locations;
    for (uint32_t i = 0; i < w.plan.input_masks.size(); ++i) {
        if (w.plan.input_masks[i] == 0) continue;
        const Declared d = declared_as(w, File::Input, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        uint32_t& variable = w.m.input_variables[i];
        if (w.program.stage == tgsi::Stage::Vertex) {
            variable = w.b.add_variable({.kind = VariableKind::Input,
                                         .element = ir::f32(4),
                                         .location = i,
                                         .name = "IN[" + std::to_string(i) + "]"});
            continue;
        }
        if (is_system_value(w.program.stage, d.semantic) || d.semantic == Semantic::ClipDist) continue;
        if (d.semantic == Semantic::None) return refuse_semantic(w, d, "a fragment input");
        variable = varying(w, locations, d, VariableKind::Input);
        if (variable == kNoIndex) return false;
    }
    return true;
}

/// FRAG reads clip distances: the array is as long as its registers tell.
ir::Value load_clip_distance(Walk& w, uint32_t index) {
    if (w.clip_variable == kNoIndex)
        w.clip_variable = w.b.add_variable({.kind = VariableKind::Input,
                                            .element = ir::f32(),
                                            .array = {w.num_clip, 0},
                                            .builtin = BuiltIn::ClipDistance});
    return w.b.load(w.clip_variable, {w.b.const_u32(index)}, ir::f32());
}

void load_input(Walk& w, uint32_t i, uint8_t mask) {
    Ref* out = &w.m.inputs[size_t{4} * i];
    if (w.options.io_buffers) {
        for (uint8_t c = 0; c < 4; ++c)
            if (mask >> c & 1) out[c] = {load_io_word(w, w.b.const_u32(i), c), 0};
        return;
    }
    const uint32_t variable = w.m.input_variables[i];
    if (variable != kNoIndex) {
        const ir::Value value = w.b.load(variable, {}, ir::f32(4));
        for (uint8_t c = 0; c < 4; ++c) out[c] = {value, c};
    }
    if (w.program.stage != tgsi::Stage::Fragment) return;
    const Declared d = declared_as(w, File::Input, static_cast<int32_t>(i));
    if (d.declaration == nullptr) return;
    if (d.semantic == Semantic::Fog) {
        // Semantics: an ordinary vec4; in the older dialects (F, 0, 0, 1).
        if (w.options.dialect != tgsi::Dialect::Oldest && w.options.dialect != tgsi::Dialect::Middle) return;
        out[1] = out[2] = constant_ref(w, 0);
        out[3] = constant_ref(w, 0x3f80'0000);
    } else if (d.semantic == Semantic::ClipDist) {
        for (uint32_t c = 0; c < 4; ++c)
            if (mask >> c & 1 && 4 * d.index + c < w.num_clip) out[c] = {load_clip_distance(w, 4 * d.index + c), 0};
    } else if (variable == kNoIndex) {
        load_system_value(w, d.semantic, true, out);
    }
}

void load_system(Walk& w, uint32_t i) {
    Ref* out = &w.m.systems[size_t{4} * i];
    const Declared d = declared_as(w, File::SystemValue, static_cast<int32_t>(i));
    if (d.declaration == nullptr) return;
    const auto semantic = static_cast<uint32_t>(d.semantic);
    if (w.options.io_buffers && (w.options.buffered_system_values[semantic / 32] >> semantic % 32 & 1)) {
        for (uint8_t c = 0; c < 4; ++c) out[c] = {load_io_word(w, w.b.const_u32(w.m.system_slots[i]), c), 0};
        return;
    }
    load_system_value(w, d.semantic, false, out);
}

/// SV registers: known to the stage, and (io=buffers) which slot holds those that come from the buffer.
bool prepare_systems(Walk& w) {
    const auto count = static_cast<uint32_t>(w.registers.count(File::SystemValue));
    w.m.system_slots.assign(count, 0);
    for (uint32_t i = 0; i < count; ++i) {
        const Declared d = declared_as(w, File::SystemValue, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        const auto semantic = static_cast<uint32_t>(d.semantic);
        if (w.options.io_buffers && (w.options.buffered_system_values[semantic / 32] >> semantic % 32 & 1)) {
            w.m.system_slots[i] = w.io_input_slots++;
            continue;
        }
        if (w.plan.system_masks[i] == 0) continue;
        if (!is_system_value(w.program.stage, d.semantic)) return refuse_semantic(w, d, "a system value of this stage");
        if ((d.semantic == Semantic::SampleId || d.semantic == Semantic::SamplePos) &&
            !w.capabilities.sample_rate_shading) {
            fail(w, "unsupported-capability", position_of(d), "the device has no sample rate shading");
            return false;
        }
    }
    return true;
}

// ---- outputs

bool prepare_vertex_output(Walk& w, Locations& locations, const Declared& d, uint32_t& variable) {
    switch (d.semantic) {
        case Semantic::Position:
            variable = builtin_output(w, d, BuiltIn::Position, ir::f32(4));
            return true;
        case Semantic::PSize:
            variable = builtin_output(w, d, BuiltIn::PointSize, ir::f32());
            return true;
        case Semantic::Layer:
        case Semantic::ViewportIndex:
            if (!w.capabilities.shader_layer) {
                fail(w, "unsupported-capability", position_of(d),
                     display_name(d) + ": the device takes it only from geometry shaders");
                return false;
            }
            variable = builtin_output(w, d, d.semantic == Semantic::Layer ? BuiltIn::Layer : BuiltIn::ViewportIndex,
                                      ir::u32());
            return true;
        case Semantic::ClipDist:
        case Semantic::CullDist:
            if (d.index > 1) return refuse_semantic(w, d, "an output");
            return true;
        case Semantic::EdgeFlag:    // semantics: accepted, no effect
        case Semantic::ClipVertex:  // semantics: clip distances by option
            return true;
        default:
            variable = varying(w, locations, d, VariableKind::Output);
            return variable != kNoIndex;
    }
}

bool prepare_fragment_output(Walk& w, const Declared& d, uint32_t& variable) {
    switch (d.semantic) {
        case Semantic::Color: {
            if (d.index >= kTargets) return refuse_semantic(w, d, "an output");
            variable = target_output(w, d, d.index);
            return true;
        }
        case Semantic::Position:
            variable = builtin_output(w, d, BuiltIn::FragDepth, ir::f32());
            w.b.module().entry.depth_replacing = true;
            return true;
        case Semantic::Stencil:
            if (!w.capabilities.stencil_export) {
                fail(w, "unsupported-capability", position_of(d), "STENCIL: the device has no stencil export");
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

/// Which clip and cull distances there are: by the properties, else all that the registers hold.
bool count_distances(Walk& w, File file, const std::vector<uint8_t>& masks) {
    uint32_t clip = 0, cull = 0, first = kNoIndex;
    for (uint32_t i = 0; i < masks.size(); ++i) {
        if (masks[i] == 0) continue;
        const Declared d = declared_as(w, file, static_cast<int32_t>(i));
        if (d.semantic != Semantic::ClipDist && d.semantic != Semantic::CullDist) continue;
        if (d.index > 1) return refuse_semantic(w, d, "a clip distance");
        first = position_of(d);
        uint32_t& end = d.semantic == Semantic::ClipDist ? clip : cull;
        for (uint32_t c = 0; c < 4; ++c)
            if (masks[i] >> c & 1) end = std::max(end, 4 * d.index + c + 1);
    }
    if (first == kNoIndex) return true;
    w.num_clip = w.program.property(Property::NumClipDistEnabled);
    w.num_cull = w.program.property(Property::NumCullDistEnabled);
    if (w.num_clip == 0 && w.num_cull == 0) {
        w.num_clip = clip;
        w.num_cull = cull;
    }
    if (w.num_clip > 8 || w.num_cull > 8 || w.num_clip + w.num_cull > 8) {
        fail(w, "unsupported-property", first, "more than 8 clip and cull distances");
        return false;
    }
    if ((w.num_clip != 0 && !w.capabilities.clip_distance) || (w.num_cull != 0 && !w.capabilities.cull_distance)) {
        fail(w, "unsupported-capability", first, "the device has no clip or cull distances");
        return false;
    }
    return true;
}

bool prepare_outputs(Walk& w) {
    const bool vertex = w.program.stage == tgsi::Stage::Vertex;
    Locations locations;
    uint32_t color0 = kNoIndex;
    std::array<uint32_t, kTargets> targets;
    targets.fill(kNoIndex);
    std::array<uint32_t, tgsi::kSemanticCount> builtins;
    builtins.fill(kNoIndex);
    for (uint32_t i = 0; i < w.plan.output_masks.size(); ++i) {
        if (w.plan.output_masks[i] == 0) continue;
        const Declared d = declared_as(w, File::Output, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        if (d.semantic == Semantic::None) return refuse_semantic(w, d, "an output");
        uint32_t& variable = w.m.output_variables[i];
        // Two registers with one meaning share the variable; the later one's values stay.
        const bool color = !vertex && d.semantic == Semantic::Color && d.index < kTargets;
        uint32_t& shared = color ? targets[d.index] : builtins[static_cast<size_t>(d.semantic)];
        const bool varies = vertex && varying_location(d.semantic, d.index).has_value();
        if (!varies && shared != kNoIndex) {
            variable = shared;
            continue;
        }
        if (!(vertex ? prepare_vertex_output(w, locations, d, variable) : prepare_fragment_output(w, d, variable)))
            return false;
        if (!varies) shared = variable;
        if (color && d.index == 0) color0 = i;
    }
    if (vertex) {
        if (!count_distances(w, File::Output, w.plan.output_masks)) return false;
        auto distances = [&](BuiltIn builtin, uint32_t count) {
            return count == 0 ? kNoIndex
                              : w.b.add_variable({.kind = VariableKind::Output,
                                                  .element = ir::f32(),
                                                  .array = {count, 0},
                                                  .builtin = builtin});
        };
        w.clip_variable = distances(BuiltIn::ClipDistance, w.num_clip);
        w.cull_variable = distances(BuiltIn::CullDistance, w.num_cull);
    } else if (color0 != kNoIndex && w.program.property(Property::FsColor0WritesAllCbufs) != 0) {
        const Declared d = declared_as(w, File::Output, static_cast<int32_t>(color0));
        for (uint32_t t = 1; t < kTargets; ++t)
            if (targets[t] == kNoIndex) w.all_targets[t] = target_output(w, d, t);
    }
    return true;
}

ir::Value component(Walk& w, const Ref* refs, int c, ir::Scalar scalar) {
    return gather(w, std::span<const Ref>(&refs[c], 1), scalar);
}

ir::Value halved(Walk& w, ir::Value value) {
    return w.b.fmul(value, w.b.const_f32(0.5f));
}

/// Clip coordinates: TGSI's −1..1 depth becomes Vulkan's 0..1, y downwards by option.
ir::Value clip_position(Walk& w, const Ref* refs) {
    ir::Builder& b = w.b;
    if (!w.options.convert_depth_range && !w.options.flip_y) return gather(w, std::span(refs, 4), ir::Scalar::F32);
    ir::Value v[4];
    for (int c = 0; c < 4; ++c) v[c] = component(w, refs, c, ir::Scalar::F32);
    if (w.options.flip_y) v[1] = b.fneg(v[1]);
    if (w.options.convert_depth_range) v[2] = halved(w, b.fadd(v[2], v[3]));
    return b.compose({{v[0], 0}, {v[1], 0}, {v[2], 0}, {v[3], 0}});
}

void store_distances(Walk& w) {
    Ref values[8];
    for (Ref& v : values) v = constant_ref(w, 0);
    for (uint32_t i = 0; i < w.plan.output_masks.size(); ++i) {
        if (w.plan.output_masks[i] == 0) continue;
        const Declared d = declared_as(w, File::Output, static_cast<int32_t>(i));
        const uint32_t first = 4 * d.index + (d.semantic == Semantic::CullDist ? w.num_clip : 0);
        if (d.semantic != Semantic::ClipDist && d.semantic != Semantic::CullDist) continue;
        static constexpr uint8_t kAll[4] = {0, 1, 2, 3};
        Ref refs[4];
        read_slot(w, w.plan.slots.output + i, kAll, refs);
        for (uint32_t c = 0; c < 4; ++c)
            if (w.plan.output_masks[i] >> c & 1 && first + c < 8) values[first + c] = refs[c];
    }
    for (uint32_t k = 0; k < w.num_clip + w.num_cull; ++k) {
        const ir::Value value = component(w, values, static_cast<int>(k), ir::Scalar::F32);
        if (k < w.num_clip)
            w.b.store(w.clip_variable, {w.b.const_u32(k)}, value);
        else
            w.b.store(w.cull_variable, {w.b.const_u32(k - w.num_clip)}, value);
    }
}

void store_output(Walk& w, uint32_t i, uint32_t variable) {
    static constexpr uint8_t kAll[4] = {0, 1, 2, 3};
    ir::Builder& b = w.b;
    Ref refs[4];
    read_slot(w, w.plan.slots.output + i, kAll, refs);
    switch (b.module().variables[variable].builtin) {
        case BuiltIn::Position:
            return b.store(variable, {}, clip_position(w, refs));
        case BuiltIn::PointSize:
            return b.store(variable, {}, component(w, refs, 0, ir::Scalar::F32));
        case BuiltIn::Layer:
        case BuiltIn::ViewportIndex:
        case BuiltIn::SampleMask:
            return b.store(variable, {}, component(w, refs, 0, ir::Scalar::U32));
        case BuiltIn::FragDepth:
            return b.store(variable, {}, component(w, refs, 2, ir::Scalar::F32));
        case BuiltIn::FragStencilRef:
            return b.store(variable, {}, component(w, refs, 1, ir::Scalar::U32));
        default:
            break;
    }
    const ir::Value value = gather(w, std::span<const Ref>(refs, 4), ir::Scalar::F32);
    b.store(variable, {}, value);
    const ir::Variable& v = b.module().variables[variable];
    if (w.program.stage == tgsi::Stage::Fragment && v.location == 0)
        for (const uint32_t other : w.all_targets)
            if (other != kNoIndex) b.store(other, {}, value);
}

}  // namespace

bool prepare_interface(Walk& w) {
    w.m.input_variables.assign(w.plan.input_masks.size(), kNoIndex);
    w.m.output_variables.assign(w.plan.output_masks.size(), kNoIndex);
    w.m.inputs.resize(4 * w.plan.input_masks.size());
    w.m.systems.resize(4 * w.plan.system_masks.size());
    std::fill(std::begin(w.all_targets), std::end(w.all_targets), kNoIndex);
    if (w.options.io_buffers) {
        prepare_io_buffers(w);
        return prepare_systems(w);
    }
    if (w.program.stage == tgsi::Stage::Fragment && !count_distances(w, File::Input, w.plan.input_masks)) return false;
    return prepare_systems(w) && prepare_inputs(w) && prepare_outputs(w);
}

void load_interface(Walk& w, const FunctionPlan& f) {
    if (w.options.io_buffers) enter_io_buffers(w);
    const Ref zero = constant_ref(w, 0);
    std::fill(w.m.inputs.begin(), w.m.inputs.end(), zero);
    std::fill(w.m.systems.begin(), w.m.systems.end(), zero);
    for (uint32_t k = 0; k < f.num_uses; ++k) {
        const Use& use = w.plan.uses[f.uses + k];
        if (use.file == File::Input)
            load_input(w, use.index, use.mask);
        else
            load_system(w, use.index);
    }
    if (!w.in_main) return;
    auto all = [&](File file, auto&& load) {
        if (!w.plan.indirect[static_cast<size_t>(file)].some) return;
        w.registers.for_each_run(file, 0, [&](int32_t first, int32_t last) {
            for (int32_t i = first; i <= last; ++i) load(static_cast<uint32_t>(i));
        });
    };
    if (!w.options.io_buffers) all(File::Input, [&](uint32_t i) { load_input(w, i, 0xf); });
    all(File::SystemValue, [&](uint32_t i) { load_system(w, i); });
}

void store_outputs(Walk& w) {
    if (w.options.io_buffers) return store_io_outputs(w);
    for (uint32_t i = 0; i < w.m.output_variables.size(); ++i)
        if (w.m.output_variables[i] != kNoIndex) store_output(w, i, w.m.output_variables[i]);
    if (w.num_clip + w.num_cull != 0 && w.program.stage == tgsi::Stage::Vertex) store_distances(w);
}

}  // namespace tgsi2spv::lower
