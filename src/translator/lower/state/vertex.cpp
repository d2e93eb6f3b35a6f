// lower::State of the stages before rasterization: attributes, the position, clip planes, colours, point size.
#include "lower/state/state_context.h"

#include <algorithm>
#include <span>
#include <utility>

#include "lower/context/double_functions.h"
#include "lower/context/names.h"
#include "lower/context/values.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"

namespace tgsi2spv::lower {

using ir::Op;
using tgsi::File;
using tgsi::Property;
using tgsi::Semantic;

namespace {

NumericType attribute_type(const Context& context, uint32_t reg) {
    const auto& attributes = context.options.state.attributes;
    return reg < attributes.size() ? attributes[reg] : NumericType::Float;
}

bool is_signed(NumericType type) {
    return type == NumericType::SInt || type == NumericType::SScaled || type == NumericType::Fixed ||
           type == NumericType::SNorm32;
}

/// Two floats from the words of two doubles.
ir::Value two_floats(Context& context, ir::Value words) {
    ir::Builder& b = context.b;
    if (context.capabilities.float64) return b.convert(Op::FConvert, b.bitcast(words, ir::f64(2)), ir::f32(2));
    const ir::Value x = b.select_components(words, 2, 0b0100);
    const ir::Value first = call_double(context, DoubleFunction::ToFloat, std::span(&x, 1));
    const ir::Value y = b.select_components(words, 2, 0b1110);
    const ir::Value second = call_double(context, DoubleFunction::ToFloat, std::span(&y, 1));
    return b.bitcast(b.compose({{first, 0}, {second, 0}}), ir::f32(2));
}

}  // namespace

void add_attribute(Context& context, uint32_t reg) {
    const NumericType type = attribute_type(context, reg);
    const auto& types = context.options.state.attributes;
    const auto doubles =
        std::ranges::count(std::span(types).first(std::min<size_t>(reg, types.size())), NumericType::Double);
    ir::Variable attribute{.kind = ir::VariableKind::Input,
                           .element = type == NumericType::Float ? ir::f32(4) : ir::u32(4),
                           .location = reg + static_cast<uint32_t>(doubles),
                           .is_signed = is_signed(type),
                           .name = indexed("IN", reg)};
    context.inputs.variables[reg] = context.b.add_variable(attribute);
    if (type != NumericType::Double) return;
    attribute.location++;
    context.b.add_variable(attribute);
}

ir::Value fetched_attribute(Context& context, uint32_t reg) {
    ir::Builder& b = context.b;
    const uint32_t variable = context.inputs.variables[reg];
    ir::Value value = b.load(variable, {}, b.module().variables[variable].element);
    switch (attribute_type(context, reg)) {
        case NumericType::Float:
        case NumericType::UInt:
        case NumericType::SInt:
            break;
        case NumericType::UScaled:
            value = b.convert(Op::UToF, value, ir::f32(4));
            break;
        case NumericType::SScaled:
            value = b.convert(Op::SToF, value, ir::f32(4));
            break;
        case NumericType::Fixed: {
            value = b.convert(Op::SToF, value, ir::f32(4));
            value = b.fmul(value, b.const_splat(ir::f32(4), 0x3780'0000));  // 2^-16: exact
            break;
        }
        case NumericType::UNorm32:
            value = b.convert(Op::UToF, value, ir::f32(4));
            value = b.fmul(value, b.const_splat(ir::f32(4), 0x2f80'0000));  // 2^-32: 2^32 - 1 is 2^32 as a float
            break;
        case NumericType::SNorm32:
            value = b.convert(Op::SToF, value, ir::f32(4));
            value = b.fmul(value, b.const_splat(ir::f32(4), 0x3000'0000));  // 2^-31 in the same way; the least is -1
            break;
        case NumericType::Double: {
            const ir::Value xy = two_floats(context, value),
                            zw = two_floats(context, b.load(variable + 1, {}, ir::u32(4)));
            value = b.compose({{xy, 0}, {xy, 1}, {zw, 0}, {zw, 1}});
            break;
        }
    }
    if (reg < 32 && (context.options.state.widened_attributes >> reg & 1) != 0) {
        const ir::Type scalar = b.type_of(value).with(1);
        const ir::Value one = b.const_splat(scalar, scalar.is_float() ? 0x3f80'0000 : 1);
        value = b.compose({{value, 0}, {value, 1}, {value, 2}, {one, 0}});
    }
    if (context.options.state.bgra_attributes && reg < 32)
        return swapped_red_and_blue(context, spec::kBgraAttributes, reg, value);
    return value;
}

namespace {

bool is_window_space(const tgsi::Program& program) {
    return program.stage == tgsi::Stage::Vertex && program.property(Property::VsWindowSpacePosition) != 0;
}

}  // namespace

bool is_window_space(const Context& context) {
    return is_window_space(context.program);
}

namespace {

/// The position that the viewport transformation maps to the position of the text: x and y in pixels, z in 0..1, w as
/// 1/w. Vulkan has no vertices that skip that transformation, and clips them, too.
ir::Value position_in_window(Context& context, const Ref* refs) {
    ir::Builder& b = context.b;
    const uint32_t buffer = state_buffer_variable(context);
    if (buffer == kNoIndex) return b.zero(ir::f32(4));
    const ir::Value half = b.load(buffer, {b.const_u32(state_buffer::kViewport)}, ir::f32(4));
    ir::Value v[4];
    for (size_t c = 0; c < 4; ++c) v[c] = gather(context.b, std::span(&refs[c], 1), ir::Scalar::F32);
    const ir::Value one = b.const_f32(1.0f);
    v[3] = b.fdiv(one, v[3]);
    for (size_t c = 0; c < 2; ++c) {
        const ir::Value place = b.fdiv(v[c], b.extract(half, static_cast<int>(c)));
        v[c] = b.fmul(b.fsub(place, one), v[3]);
    }
    v[2] = b.fmul(v[2], v[3]);
    return b.compose({{v[0], 0}, {v[1], 0}, {v[2], 0}, {v[3], 0}});
}

}  // namespace

ir::Value clip_position(Context& context, const Ref* refs) {
    if (is_window_space(context)) return position_in_window(context, refs);
    ir::Builder& b = context.b;
    const State& state = context.options.state;
    const bool depth = context.options.convert_depth_range || state.depth_range;
    const bool flip = context.options.flip_y || state.flip_y;
    if (!depth && !flip) return gather(context.b, std::span(refs, 4), ir::Scalar::F32);
    ir::Value v[4];
    for (size_t c = 0; c < 4; ++c) v[c] = gather(context.b, std::span(&refs[c], 1), ir::Scalar::F32);
    if (flip) {
        const ir::Value negated = b.fneg(v[1]);
        v[1] =
            state.flip_y ? b.select(state_flag(context, spec::kFlipY, context.options.flip_y), negated, v[1]) : negated;
    }
    if (depth) {
        const ir::Value sum = b.fadd(v[2], v[3]);
        const ir::Value half = b.fmul(sum, b.const_f32(0.5f));
        v[2] = state.depth_range
                   ? b.select(state_flag(context, spec::kDepthRange, context.options.convert_depth_range), half, v[2])
                   : half;
    }
    return b.compose({{v[0], 0}, {v[1], 0}, {v[2], 0}, {v[3], 0}});
}

bool has_one_layer(const Context& context) {
    const bool has_positions =
        context.program.stage == tgsi::Stage::Vertex || context.program.stage == tgsi::Stage::TessEval;
    return context.options.state.one_layer && has_positions && !context.options.io_buffers;
}

ir::Value chosen_position(Context& context, ir::Value position) {
    if (!has_one_layer(context)) return position;
    ir::Builder& b = context.b;
    const uint32_t buffer = state_buffer_variable(context);
    if (buffer == kNoIndex) return position;
    ir::Value other = b.const_bool(false);
    for (const auto& [semantic, component] : {std::pair(Semantic::Layer, state_buffer::kChosenLayer),
                                              {Semantic::ViewportIndex, state_buffer::kChosenViewport}}) {
        ir::Value own = b.const_u32(0);
        for (const uint32_t i : context.outputs.written) {
            if (declared_as(context, File::Output, static_cast<int32_t>(i)).semantic != semantic) continue;
            Ref refs[4];
            read_output(context, i, refs);
            own = gather(context.b, std::span<const Ref>(refs, 1), ir::Scalar::U32);
        }
        const ir::Value place[] = {b.const_u32(state_buffer::kViewport), b.const_u32(component)};
        const ir::Value chosen = b.bitcast(b.load(buffer, place, ir::f32()), ir::u32());
        const ir::Value differs = b.ine(own, chosen), one = b.ine(chosen, b.const_u32(0xffff'ffff));
        other = b.lor(other, b.land(differs, one));
    }
    // So far that points do not reach the picture either.
    const ir::Value away = b.const_f32(1e9f), zero = b.const_f32(0), w = b.const_f32(1);
    return b.select(other, b.compose({{away, 0}, {away, 0}, {zero, 0}, {w, 0}}), position);
}

ir::Value written_varying(Context& context, const ir::Variable& variable, ir::Value value) {
    const auto semantic = static_cast<Semantic>(variable.semantic);
    const bool color = semantic == Semantic::Color || semantic == Semantic::BColor;
    if (!color || !context.options.state.clamp_vertex_color) return value;
    return clamped_by(context, spec::kClampVertexColor, value);
}

ir::Value point_size(Context& context, ir::Value written) {
    ir::Builder& b = context.b;
    if (!context.options.state.point_size) return written == ir::kNone ? b.const_f32(1.0f) : written;
    const ir::Value one_for_all = state_value(context, ir::f32(), spec::kPointSize, 0x3f80'0000);
    if (written == ir::kNone) return one_for_all;
    return b.select(state_flag(context, spec::kPointSizePerVertex, true), written, one_for_all);
}

uint32_t planes_of(const tgsi::Program& program, const State& state, uint32_t written_distances) {
    if (written_distances != 0 || program.property(Property::VsProhibitUcps) != 0 || is_window_space(program)) return 0;
    return std::min<uint32_t>(state.clip_planes, 8);
}

bool prepare_clip_planes(Context& context) {
    context.state.clip_source = kNoIndex;
    context.state.num_planes = planes_of(context.program, context.options.state, context.outputs.distances.num_clip);
    if (context.state.num_planes == 0) return true;
    uint32_t position = kNoIndex;
    for (const uint32_t i : context.outputs.written) {
        const Semantic semantic = declared_as(context, File::Output, static_cast<int32_t>(i)).semantic;
        if (context.outputs.joined[i] != 0) continue;  // one declared after it stores its value
        if (semantic == Semantic::ClipVertex) context.state.clip_source = i;
        if (semantic == Semantic::Position) position = i;
    }
    if (context.state.clip_source == kNoIndex) context.state.clip_source = position;
    if (context.state.clip_source == kNoIndex) context.state.num_planes = 0;
    if (context.state.num_planes == 0) return true;
    if (!context.capabilities.clip_distance && context.outputs.distances.passed[0] == kNoIndex) {
        fail_lacking(context, 0, "shaderClipDistance", "user planes");
        return false;
    }
    if (context.state.num_planes + context.outputs.distances.num_cull > 8) {
        fail(context, "unsupported-capability", 0, "more than 8 user planes and cull distances");
        return false;
    }
    return state_buffer_variable(context) != kNoIndex;
}

ir::Value enabled_distance(Context& context, uint32_t number, ir::Value value) {
    if (!context.options.state.clip_enable) return value;
    const ir::Value enabled = state_bit(context, spec::kClipEnable, 0xff, number);
    // A distance that does not clip anyway stays unchanged for FRAG, which may read it.
    return context.b.select(enabled, value, context.b.fmax(value, context.b.const_f32(0)));
}

void store_plane_distances(Context& context) {
    ir::Builder& b = context.b;
    Ref refs[4];
    read_output(context, context.state.clip_source, refs);
    const ir::Value vertex = gather(context.b, std::span<const Ref>(refs, 4), ir::Scalar::F32);
    const uint32_t buffer = state_buffer_variable(context);
    for (uint32_t k = 0; k < context.state.num_planes; ++k) {
        const ir::Value plane = b.load(buffer, {b.const_u32(state_buffer::kClipPlanes + k)}, ir::f32(4));
        const ir::Value distance = b.fdot(vertex, plane);
        const ir::Value enabled = state_bit(context, spec::kClipEnable, 0, k);
        const ir::Value value = b.select(enabled, distance, b.const_f32(0));
        store_clip_distance(context, k, value);
    }
}

}  // namespace tgsi2spv::lower
