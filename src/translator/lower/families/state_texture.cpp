// lower::State of textures: features of gallium's samplers and views that Vulkan's lack.
#include <bit>

#include "lower/families/texture.h"
#include "lower/state/state_context.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Value;
using tgsi::File;

namespace {

constexpr uint32_t kOne = 0x3f80'0000;

/// The register of a source operand that is named by number; otherwise kNoIndex.
uint32_t named_register(const Operation& op, uint8_t source) {
    if (source == 0xff || (op.options.io_buffers && !op.options.records)) return kNoIndex;
    const tgsi::Operand& o = op.program.srcs(op.instruction)[source];
    if (o.index_is_relative || (o.file != File::Sampler && o.file != File::SamplerView)) return kNoIndex;
    return o.index >= 0 && o.index < static_cast<int32_t>(spec::kStateSamplers) ? static_cast<uint32_t>(o.index)
                                                                                : kNoIndex;
}

bool has_state(uint32_t mask, uint32_t reg) {
    return reg != kNoIndex && (mask >> reg & 1) != 0;
}

uint32_t sampler_register(const Operation& op, const sampling::Message& message) {
    return named_register(op, message.separate ? message.sampler_source : message.texture_source);
}

uint32_t view_register(const TextureAccess& access) {
    return named_register(access.op, access.m.texture_source);
}

/// The letter (0 to 5) for component `c` of the view.
Value letter(TextureAccess& access, uint32_t reg, Value c) {
    ir::Builder& b = access.op.b;
    const Value swizzle = state_value(access.op.context, ir::u32(), spec::kViewSwizzle + reg, spec::kIdentitySwizzle);
    const Value known = b.bit_and(c, b.const_u32(3));
    const Value bits = b.imul(known, b.const_u32(3));
    return b.bit_and(b.lshr(swizzle, bits), b.const_u32(7));
}

/// `components[letter]`, or a constant.
Value shown(TextureAccess& access, Value which, std::span<const Value> components) {
    ir::Builder& b = access.op.b;
    const ir::Type type = b.type_of(components[0]);
    Value value = b.zero(type);
    const Value one = b.const_splat(type, type.is_float() ? kOne : 1);
    value = b.select(b.ieq(which, b.const_u32(5)), one, value);
    for (uint32_t k = 0; k < components.size(); ++k)
        value = b.select(b.ieq(which, b.const_u32(k)), components[k], value);
    return value;
}

/// Half a texel of the level that is read, in normalised coordinates; a little more, so that no rounding makes it the
/// border's.
Value half_a_texel(TextureAccess& access, Value coordinate, bool has_levels) {
    ir::Builder& b = access.op.b;
    const Value level = has_levels ? coarsest_level(access, coordinate) : b.const_u32(0);
    const ir::Type type = b.type_of(coordinate);
    return b.fdiv(b.const_splat(type, std::bit_cast<uint32_t>(0.5f * (1 + 0x1p-22f))),
                  b.convert(Op::UToF, spatial_size(access, level), type));
}

}  // namespace

bool is_compared_in_shader(const Operation& op, const sampling::Message& message) {
    return message.surface.shadow && has_state(op.options.state.compare_in_shader, sampler_register(op, message));
}

Value compared_texels(TextureAccess& access, Value reference, Value texels) {
    ir::Builder& b = access.op.b;
    const uint32_t reg = sampler_register(access.op, access.m);
    const Value function = state_value(access.op.context, ir::u32(), spec::kCompareFunction + reg, 3);
    const Value one = b.const_f32(1.0f), zero = b.const_f32(0.0f);
    const int n = b.type_of(texels).components;
    ir::Component results[4];
    for (int c = 0; c < n; ++c) {
        const Value texel = n == 1 ? texels : b.extract(texels, c);
        results[c] = {b.select(compared(access.op.context, function, reference, texel), one, zero), 0};
    }
    return n == 1 ? results[0].value : b.compose(std::span(results, static_cast<size_t>(n)));
}

bool may_be_unnormalized(const TextureAccess& access) {
    const bool flat = access.m.surface.dim == sampling::Dim::D1 || access.m.surface.dim == sampling::Dim::D2;
    return flat && !access.m.surface.rect &&
           has_state(access.op.options.state.unnormalized, sampler_register(access.op, access.m));
}

Value normalized(TextureAccess& access, Value texels) {
    ir::Builder& b = access.op.b;
    const Value size = b.convert(Op::UToF, spatial_size(access, b.const_u32(0)), b.type_of(texels));
    const Value scaled = b.fdiv(texels, size);
    const Value wanted = state_bit(access.op.context, spec::kUnnormalized, 0, sampler_register(access.op, access.m));
    return b.select(wanted, scaled, texels);
}

bool is_clamped(const TextureAccess& access) {
    const lower::State& state = access.op.options.state;
    const bool has_edges = access.m.surface.dim != sampling::Dim::Cube && access.m.surface.dim != sampling::Dim::Buffer;
    uint32_t any = 0;
    for (size_t c = 0; c < 3; ++c) any |= state.clamped_coordinates[c] | state.mirrored_coordinates[c];
    return has_edges && has_state(any, sampler_register(access.op, access.m));
}

Value clamped_coordinate(TextureAccess& access, Value coordinate) {
    ir::Builder& b = access.op.b;
    const lower::State& state = access.op.options.state;
    const uint32_t reg = sampler_register(access.op, access.m);
    const int n = b.type_of(coordinate).components;
    Value texel = ir::kNone;  // half of one, in every direction
    ir::Component all[4];
    for (int c = 0; c < n; ++c) {
        const auto axis = static_cast<size_t>(c);
        Value given = n == 1 ? coordinate : b.extract(coordinate, c);
        if (has_state(state.mirrored_coordinates[axis], reg)) {
            if (texel == ir::kNone) texel = half_a_texel(access, coordinate, has_state(state.mirrored_levels, reg));
            given = b.fmax(b.fabs(given), n == 1 ? texel : b.extract(texel, c));
        }
        if (has_state(state.clamped_coordinates[axis], reg))
            given = b.fclamp(given, b.const_f32(0.0f), b.const_f32(1.0f));
        all[c] = {given, 0};
    }
    return n == 1 ? all[0].value : b.compose(std::span(all, static_cast<size_t>(n)));
}

bool is_view_swizzled(const TextureAccess& access) {
    return has_state(access.op.options.state.swizzled_views, view_register(access));
}

uint32_t normalized_bits(const Operation& op, const sampling::Message& message) {
    if (message.surface.dim != sampling::Dim::Buffer) return 0;
    const uint32_t reg = named_register(op, message.texture_source);
    return has_state(op.options.state.unorm16_buffers, reg)   ? 16
           : has_state(op.options.state.snorm16_buffers, reg) ? 15
                                                              : 0;
}

Value swizzled_view(TextureAccess& access, Value four) {
    ir::Builder& b = access.op.b;
    if (const uint32_t bits = normalized_bits(access.op, access.m); bits != 0) {
        const auto splat = [&](float f) { return b.const_splat(ir::f32(4), std::bit_cast<uint32_t>(f)); };
        four = b.convert(bits == 16 ? Op::UToF : Op::SToF, four, ir::f32(4));
        four = b.fdiv(four, splat(static_cast<float>((1u << bits) - 1)));
        if (bits == 15) four = b.fmax(four, splat(-1));
    }
    if (!is_view_swizzled(access)) return four;
    Value components[4];
    for (int c = 0; c < 4; ++c) components[c] = b.extract(four, c);
    ir::Component results[4];
    for (uint32_t c = 0; c < 4; ++c)
        results[c] = {shown(access, letter(access, view_register(access), b.const_u32(c)), components), 0};
    return b.compose(results);
}

Value swizzled_gather(TextureAccess& access, Value component, std::span<const Value> gathers) {
    return shown(access, letter(access, view_register(access), component), gathers);
}

}  // namespace tgsi2spv::lower
