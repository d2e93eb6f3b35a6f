// lower::State of textures: what gallium's samplers and views have and Vulkan's lack.
#include "lower/families/texture.h"
#include "lower/state_walk.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Value;
using tgsi::File;

namespace {

constexpr uint32_t kOne = 0x3f80'0000;

/// The register of a source operand that is named by number; otherwise kNoIndex.
uint32_t named_register(const Operation& op, uint8_t source) {
    if (source == 0xff || op.options.io_buffers) return kNoIndex;
    const tgsi::Operand& o = op.program.srcs(op.instruction)[source];
    if (o.index_is_relative || (o.file != File::Sampler && o.file != File::SamplerView)) return kNoIndex;
    return o.index >= 0 && o.index < static_cast<int32_t>(spec::kStateSamplers) ? static_cast<uint32_t>(o.index)
                                                                                : kNoIndex;
}

bool has_state(uint32_t mask, uint32_t reg) {
    return reg != kNoIndex && (mask >> reg & 1) != 0;
}

uint32_t sampler_register(const Operation& op, const sampling::Message& m) {
    return named_register(op, m.separate ? m.sampler_source : m.texture_source);
}

uint32_t view_register(const TextureAccess& t) {
    return named_register(t.op, t.m.texture_source);
}

/// The letter (0 to 5) for component `c` of the view.
Value letter(TextureAccess& t, uint32_t reg, Value c) {
    ir::Builder& b = t.op.b;
    const Value swizzle = state_value(t.op.walk, ir::u32(), spec::kViewSwizzle + reg, spec::kIdentitySwizzle);
    const Value known = b.bit_and(c, b.const_u32(3));
    const Value bits = b.imul(known, b.const_u32(3));
    return b.bit_and(b.lshr(swizzle, bits), b.const_u32(7));
}

/// `components[letter]`, or a constant.
Value shown(TextureAccess& t, Value which, std::span<const Value> components) {
    ir::Builder& b = t.op.b;
    const ir::Type type = b.type_of(components[0]);
    Value value = b.zero(type);
    const Value one = b.const_splat(type, type.is_float() ? kOne : 1);
    value = b.select(b.ieq(which, b.const_u32(5)), one, value);
    for (uint32_t k = 0; k < components.size(); ++k)
        value = b.select(b.ieq(which, b.const_u32(k)), components[k], value);
    return value;
}

}  // namespace

bool is_compared_in_shader(const Operation& op, const sampling::Message& m) {
    return m.surface.shadow && has_state(op.options.state.compare_in_shader, sampler_register(op, m));
}

Value compared_texels(TextureAccess& t, Value reference, Value texels) {
    ir::Builder& b = t.op.b;
    const uint32_t reg = sampler_register(t.op, t.m);
    const Value function = state_value(t.op.walk, ir::u32(), spec::kCompareFunction + reg, 3);
    const Value one = b.const_f32(1.0f), zero = b.const_f32(0.0f);
    const int n = b.type_of(texels).components;
    ir::Component results[4];
    for (int c = 0; c < n; ++c) {
        const Value texel = n == 1 ? texels : b.extract(texels, c);
        results[c] = {b.select(compared(t.op.walk, function, reference, texel), one, zero), 0};
    }
    return n == 1 ? results[0].value : b.compose(std::span(results, static_cast<size_t>(n)));
}

bool may_be_unnormalized(const TextureAccess& t) {
    const bool flat = t.m.surface.dim == sampling::Dim::D1 || t.m.surface.dim == sampling::Dim::D2;
    return flat && !t.m.surface.rect && has_state(t.op.options.state.unnormalized, sampler_register(t.op, t.m));
}

Value normalized(TextureAccess& t, Value texels) {
    ir::Builder& b = t.op.b;
    const Value size = b.convert(Op::UToF, spatial_size(t, b.const_u32(0)), b.type_of(texels));
    const Value scaled = b.fdiv(texels, size);
    const Value wanted = state_bit(t.op.walk, spec::kUnnormalized, 0, sampler_register(t.op, t.m));
    return b.select(wanted, scaled, texels);
}

bool is_clamped(const TextureAccess& t) {
    const auto& clamped = t.op.options.state.clamped_coordinates;
    const bool has_edges = t.m.surface.dim != sampling::Dim::Cube && t.m.surface.dim != sampling::Dim::Buffer;
    return has_edges && has_state(clamped[0] | clamped[1] | clamped[2], sampler_register(t.op, t.m));
}

Value clamped_coordinate(TextureAccess& t, Value coordinate) {
    ir::Builder& b = t.op.b;
    const uint32_t reg = sampler_register(t.op, t.m);
    const int n = b.type_of(coordinate).components;
    ir::Component all[4];
    for (int c = 0; c < n; ++c) {
        const Value given = n == 1 ? coordinate : b.extract(coordinate, c);
        const bool clamps = has_state(t.op.options.state.clamped_coordinates[static_cast<size_t>(c)], reg);
        all[c] = {clamps ? b.fclamp(given, b.const_f32(0.0f), b.const_f32(1.0f)) : given, 0};
    }
    return n == 1 ? all[0].value : b.compose(std::span(all, static_cast<size_t>(n)));
}

bool is_view_swizzled(const TextureAccess& t) {
    return has_state(t.op.options.state.swizzled_views, view_register(t));
}

Value swizzled_view(TextureAccess& t, Value four) {
    if (!is_view_swizzled(t)) return four;
    ir::Builder& b = t.op.b;
    Value components[4];
    for (int c = 0; c < 4; ++c) components[c] = b.extract(four, c);
    ir::Component results[4];
    for (uint32_t c = 0; c < 4; ++c)
        results[c] = {shown(t, letter(t, view_register(t), b.const_u32(c)), components), 0};
    return b.compose(results);
}

Value swizzled_gather(TextureAccess& t, Value component, std::span<const Value> gathers) {
    return shown(t, letter(t, view_register(t), component), gathers);
}

}  // namespace tgsi2spv::lower
