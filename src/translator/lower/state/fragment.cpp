// lower::State of FRAG: replaced inputs, changed colours, discarded fragments; and functions that the state of all
// stages shares.
#include "lower/state/state_context.h"

#include <string>

#include "lower/context/values.h"
#include "lower/registers/constant_buffers.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"
#include "lower/variables/varyings.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::Op;
using tgsi::File;
using tgsi::Semantic;

// ---- shared

ir::Value state_value(Context& context, ir::Type type, uint32_t id, uint32_t default_bits) {
    ir::Builder& b = context.b;
    const bool has_state = !context.options.io_buffers || context.options.records;
    const bool is_data = id < 64 && (context.options.state.data >> id & 1) != 0 && has_state;
    if (!is_data) return b.spec_constant(type, id, default_bits);
    const uint32_t buffer = state_buffer_variable(context);
    if (buffer == kNoIndex) return b.zero(type);
    const ir::Value element = b.const_u32(state_buffer::kValues + id / 4);
    return b.bitcast(b.load(buffer, {element, b.const_u32(id % 4)}, ir::f32()), type);
}

ir::Value state_flag(Context& context, uint32_t id, bool by_default) {
    return context.b.ine(state_value(context, ir::u32(), id, by_default ? 1 : 0), context.b.const_u32(0));
}

ir::Value state_bit(Context& context, uint32_t id, uint32_t default_bits, uint32_t n) {
    const ir::Value bits = state_value(context, ir::u32(), id, default_bits);
    return context.b.ine(context.b.bit_and(bits, context.b.const_u32(1u << n)), context.b.const_u32(0));
}

uint32_t state_buffer_variable(Context& context) {
    const uint32_t index = context.options.state_buffer;
    if (context.state.buffer != kNoIndex) return context.state.buffer;
    const auto dim = static_cast<int32_t>(index);
    if (context.registers.count(File::Const, dim) > 0 || context.registers.declared(File::ConstBuf, dim)) {
        fail(
            context, "state-buffer-taken", declared_at(context, dim),
            "CONST[" + std::to_string(index) + "] is used by the shader: choose another constant buffer for the state");
        return kNoIndex;
    }
    const uint32_t before = context.constants.num_variables++;
    const bool viewport = is_window_space(context) || context.options.state.one_layer;
    const uint32_t length = context.options.state.data != 0 ? state_buffer::kElementsWithValues
                            : viewport                      ? state_buffer::kElementsWithViewport
                                                            : state_buffer::kElements;
    return context.state.buffer = context.b.add_variable({.kind = ir::VariableKind::ConstantBuffer,
                                                          .element = ir::f32(4),
                                                          .array = {0, length},
                                                          .index = index,
                                                          .storage = before >= context.capabilities.max_uniform_buffers,
                                                          .name = "STATE"});
}

ir::Value swapped_red_and_blue(Context& context, uint32_t id, uint32_t n, ir::Value value) {
    ir::Builder& b = context.b;
    const ir::Value swapped = b.compose({{value, 2}, {value, 1}, {value, 0}, {value, 3}});
    return b.select(state_bit(context, id, 0, n), swapped, value);
}

ir::Value clamped_by(Context& context, uint32_t id, ir::Value value) {
    ir::Builder& b = context.b;
    const ir::Value zero = b.zero(b.type_of(value));
    const ir::Value one = b.const_splat(b.type_of(value), 0x3f80'0000);
    const ir::Value clamped = b.fclamp(value, zero, one);
    return b.select(state_flag(context, id), clamped, value);
}

ir::Value compared(Context& context, ir::Value function, ir::Value x, ir::Value y) {
    ir::Builder& b = context.b;
    // The function is a set: 1 less, 2 equal, 4 greater. NaN is none of these, but it is "not equal".
    auto if_in_set = [&](uint32_t bit, ir::Value holds) {
        const ir::Value set = b.bit_and(function, b.const_u32(bit));
        return b.land(b.ine(set, b.const_u32(0)), holds);
    };
    const ir::Value less = if_in_set(1, b.folt(x, y));
    const ir::Value equal = if_in_set(2, b.foeq(x, y));
    const ir::Value greater = if_in_set(4, b.fogt(x, y));
    const ir::Value not_equal = b.fune(x, y);
    const ir::Value other = b.land(b.ieq(function, b.const_u32(5)), not_equal);
    const ir::Value always = b.ieq(function, b.const_u32(7));
    const ir::Value ordered = b.lor(less, b.lor(equal, greater));
    return b.lor(ordered, b.lor(other, always));
}

// ---- inputs

namespace {

void set_all(ir::Value value, Ref* out) {
    for (uint8_t c = 0; c < 4; ++c) out[c] = {value, c};
}

}  // namespace

bool prepare_back_color(Context& context, Locations& locations, const Declared& declared) {
    if (!context.options.state.two_sided || declared.semantic != Semantic::Color || declared.index > 1) return true;
    const Declared back{Semantic::BColor, declared.index, declared.declaration};
    context.state.back_colors[declared.index] = varying(context, locations, back, ir::VariableKind::Input);
    return context.ok;
}

void choose_facing_color(Context& context, ir::Value back, Ref* out) {
    ir::Builder& b = context.b;
    const ir::Value front_seen = load_builtin_input(context, BuiltIn::FrontFacing, ir::boolean());
    const ir::Value two_sided = state_flag(context, spec::kTwoSided);
    const ir::Value back_seen = b.land(two_sided, b.lnot(front_seen));
    const uint32_t width = b.type_of(back).components;  // the components that are read
    const ir::Value front = gather(context.b, std::span<const Ref>(out, width), ir::Scalar::F32);
    const ir::Value chosen = b.select(back_seen, back, front);
    for (uint8_t c = 0; c < width; ++c) out[c] = {chosen, c};
}

ir::Value sprite_row(Context& context, ir::Value row) {
    if (context.options.state.sprites == Sprites::None || context.options.io_buffers) return row;
    ir::Builder& b = context.b;
    const ir::Value upwards = b.fsub(b.const_f32(1.0f), row);
    return b.select(state_flag(context, spec::kSpriteLowerLeft), upwards, row);
}

void replace_by_sprite(Context& context, const Declared& declared, Ref* out) {
    const Sprites sprites = context.options.state.sprites;
    const bool texcoord = sprites == Sprites::TexCoord && declared.semantic == Semantic::TexCoord;
    const bool generic = sprites == Sprites::Generic && declared.semantic == Semantic::Generic;
    if ((!texcoord && !generic) || declared.index >= 32) return;
    ir::Builder& b = context.b;
    const ir::Value point = load_builtin_input(context, BuiltIn::PointCoord, ir::f32(2));
    const ir::Value row = sprite_row(context, b.extract(point, 1));
    const Ref place[4] = {{point, 0}, {row, 0}, constant_ref(context.b, 0), constant_ref(context.b, 0x3f80'0000)};
    const ir::Value sprite = gather(context.b, place, ir::Scalar::F32);
    const ir::Value input = gather(context.b, std::span<const Ref>(out, 4), ir::Scalar::F32);
    set_all(b.select(state_bit(context, spec::kSpriteMask, 0, declared.index), sprite, input), out);
}

ir::Value fragment_row(Context& context, ir::Value row, bool lower_left) {
    ir::Builder& b = context.b;
    const bool by_state = context.options.state.coord_origin && !context.options.io_buffers;
    if (!lower_left && !by_state) return row;
    const ir::Value height = context.options.io_buffers ? b.convert(Op::UToF, load_io_parameter(context, 3), ir::f32())
                                                        : state_value(context, ir::f32(), spec::kFramebufferHeight, 0);
    const ir::Value upwards = b.fsub(height, row);
    if (!by_state) return upwards;
    const ir::Value inverted = state_flag(context, spec::kInvertOrigin);
    return lower_left ? b.select(inverted, row, upwards) : b.select(inverted, upwards, row);
}

ir::Value pixel_place(Context& context, ir::Value place, bool integer) {
    ir::Builder& b = context.b;
    const bool by_state = context.options.state.pixel_center && !context.options.io_buffers;
    if (!integer && !by_state) return place;
    const ir::Value corner = b.fsub(place, b.const_f32(0.5f));
    if (!by_state) return corner;
    const ir::Value other = state_flag(context, spec::kOtherPixelCenter);
    return integer ? b.select(other, place, corner) : b.select(other, corner, place);
}

// ---- outputs

namespace {

bool is_integer_target(const Context& context, uint32_t index) {
    const auto& targets = context.options.state.targets;
    return index < targets.size() && targets[index] != NumericType::Float;
}

/// COLOR[index] after clamping, as the alpha test uses it.
ir::Value clamped_color(Context& context, uint32_t index, ir::Value value) {
    if (!context.options.state.clamp_fragment_color || is_integer_target(context, index)) return value;
    return clamped_by(context, spec::kClampFragmentColor, value);
}

}  // namespace

ir::Value target_color(Context& context, uint32_t index, ir::Value value) {
    ir::Builder& b = context.b;
    const State& state = context.options.state;
    value = clamped_color(context, index, value);
    if (state.alpha_to_one && !is_integer_target(context, index)) {
        const ir::Value one = b.const_f32(1.0f);
        const ir::Value written = b.extract(value, 3);
        const ir::Value alpha = b.select(state_flag(context, spec::kAlphaToOne), one, written);
        value = b.compose({{value, 0}, {value, 1}, {value, 2}, {alpha, 0}});
    }
    if (state.bgra_targets) value = swapped_red_and_blue(context, spec::kBgraTargets, index, value);
    if (index < 8 && (state.alpha_targets >> index & 1) != 0)
        value = b.compose({{value, 3}, {value, 1}, {value, 2}, {value, 3}});
    return value;
}

namespace {

ir::Value allowed_samples(Context& context, ir::Value written) {
    if (!context.options.state.sample_mask) return written;
    ir::Builder& b = context.b;
    const ir::Value allowed = state_value(context, ir::u32(), spec::kSampleMask, 0xffff'ffff);
    if (written == ir::kNone) return allowed;
    const ir::Value ignored = state_flag(context, spec::kSampleMaskIgnored);
    return b.select(ignored, allowed, b.bit_and(written, allowed));
}

}  // namespace

ir::Value sample_mask(Context& context, ir::Value written) {
    const ir::Value mask = allowed_samples(context, written);
    const uint32_t seen = context.options.state.seen_samples;
    if (seen == 0) return mask;
    // The low bits, again and again.
    const uint32_t low = (1u << seen) - 1;
    return context.b.imul(context.b.bit_and(mask, context.b.const_u32(low)), context.b.const_u32(0xffff'ffff / low));
}

ir::Value seen_sample(Context& context, ir::Value id) {
    const uint32_t seen = context.options.state.seen_samples;
    return seen == 0 ? id : context.b.bit_and(id, context.b.const_u32(seen - 1));
}

ir::Value seen_samples(Context& context, ir::Value mask) {
    ir::Builder& b = context.b;
    const uint32_t seen = context.options.state.seen_samples;
    if (seen == 0) return mask;
    for (uint32_t n = 16; n >= seen; n /= 2) mask = b.bit_or(mask, b.lshr(mask, b.const_u32(n)));
    return b.bit_and(mask, b.const_u32((1u << seen) - 1));
}

namespace {

/// A bool: COLOR[0].w fails the test; kNone if there is no test.
ir::Value fails_alpha_test(Context& context) {
    ir::Builder& b = context.b;
    if (!context.options.state.alpha_test || is_integer_target(context, 0)) return ir::kNone;
    uint32_t color = kNoIndex;
    for (const uint32_t i : context.outputs.written) {
        const uint32_t variable = context.outputs.variables[i];
        if (variable == kNoIndex) continue;
        const ir::Variable& v = b.module().variables[variable];
        if (v.builtin == BuiltIn::None && v.location == 0 && v.dual_source == 0) color = i;
    }
    if (color == kNoIndex) return ir::kNone;
    Ref refs[4];
    read_output(context, color, refs);
    const ir::Value written = gather(context.b, std::span<const Ref>(refs, 4), ir::Scalar::F32);
    const ir::Value alpha = b.extract(clamped_color(context, 0, written), 3);
    const ir::Value reference = state_value(context, ir::f32(), spec::kAlphaReference, 0);
    const ir::Value function = state_value(context, ir::u32(), spec::kAlphaFunc, 7);
    return b.lnot(compared(context, function, alpha, reference));
}

/// A bool: the pattern's bit at the fragment's position is 0.
ir::Value fails_stipple(Context& context) {
    if (!context.options.state.polygon_stipple) return ir::kNone;
    ir::Builder& b = context.b;
    const uint32_t buffer = state_buffer_variable(context);
    if (buffer == kNoIndex) return ir::kNone;
    const ir::Value at = load_builtin_input(context, BuiltIn::FragCoord, ir::f32(4));
    const ir::Value column = b.convert(Op::FToU, b.extract(at, 0), ir::u32());
    const ir::Value line = b.convert(Op::FToU, fragment_row(context, b.extract(at, 1), false), ir::u32());
    const ir::Value row = b.bit_and(line, b.const_u32(31));
    const ir::Value quarter = b.lshr(row, b.const_u32(2));
    const ir::Value element = b.iadd(quarter, b.const_u32(state_buffer::kStipple));
    const ir::Value component = b.bit_and(row, b.const_u32(3));
    const ir::Value word = b.bitcast(b.load(buffer, {element, component}, ir::f32()), ir::u32());
    // Bit 31 is the left pixel: shifting left by the pixel's column moves its bit to the sign.
    const ir::Value shifted = b.shl(word, b.bit_and(column, b.const_u32(31)));
    const ir::Value empty = b.sge(shifted, b.const_u32(0));
    return b.land(state_flag(context, spec::kPolygonStipple), empty);
}

}  // namespace

void discard_by_state(Context& context) {
    ir::Builder& b = context.b;
    ir::Value fails = ir::kNone;
    const auto add = [&](ir::Value condition) {
        if (condition != ir::kNone) fails = fails == ir::kNone ? condition : b.lor(fails, condition);
    };
    add(fails_alpha_test(context));
    add(fails_stipple(context));
    if (fails == ir::kNone) return;
    const ir::BlockId then = b.create_block(), merge = b.create_block();
    b.set_selection_merge(merge);
    b.branch_if(fails, then, merge);
    b.start_block(then);
    b.kill();
    b.start_block(merge);
}

}  // namespace tgsi2spv::lower
