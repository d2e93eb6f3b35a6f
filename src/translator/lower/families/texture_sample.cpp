// Filtered sampling: TEX, TXP, TXB, TXL, TXD and related opcodes, the 3D_SAMPLE class.
#include <iterator>

#include "lower/families/texture.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using sampling::SampleOp;

namespace {

/// Each of two blended levels would need an offset of its own.
constexpr const char* kMayBlendLevels =
    "Vulkan has no operand for this offset (if samplers read one level: TGSI2SPV_OPTION_ONE_LEVEL_OFFSETS, --one-level-offsets)";

/// The operands that choose the level: exactly one kind, or none if the level is implicit.
struct Level {
    Value bias = ir::kNone;
    Value lod = ir::kNone;
    Value ddx = ir::kNone, ddy = ir::kNone;
};

/// Vulkan only guarantees a bias range of +-2, so the range +-16 (3D_SAMPLE: Bias) has to be enforced here.
Value clamped_bias(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    const Value bias = parameter(access, access.m.bias, Scalar::F32);
    const auto fits = [](uint32_t word) { return (word & 0x7fff'ffff) <= std::bit_cast<uint32_t>(16.0f); };
    if (is_known(access.op, bias, fits)) return bias;
    const Value low = b.const_f32(-16.0f), high = b.const_f32(16.0f);
    return b.fclamp(bias, low, high);
}

/// Derivatives of a RECT's coordinates are in texels, like the coordinates.
Value gradient(TextureAccess& access, const sampling::Param* params) {
    ir::Builder& b = access.op.b;
    const auto n = static_cast<size_t>(access.m.surface.gradients);
    const Value g = parameters(access, std::span(params, n), Scalar::F32);
    if (may_be_unnormalized(access)) return normalized(access, g);
    if (!access.m.surface.rect) return g;
    const Value size = spatial_size(access, b.const_u32(0));
    return b.fdiv(g, b.convert(Op::UToF, size, b.type_of(g)));
}

Level level_of(TextureAccess& access) {
    Level level;
    switch (access.m.sample) {
        case SampleOp::sample_b:
        case SampleOp::sample_b_c:
            level.bias = clamped_bias(access);
            if (access.m.cps_compensation) level.bias = access.op.b.fadd(level.bias, coarse_bias(access));
            break;
        case SampleOp::sample_l:
        case SampleOp::sample_l_c:
            level.lod = parameter(access, access.m.lod, Scalar::F32);
            break;
        case SampleOp::sample_d:
        case SampleOp::sample_d_c:
            level.ddx = gradient(access, access.m.ddx);
            level.ddy = gradient(access, access.m.ddy);
            break;
        case SampleOp::sample_lz:
        case SampleOp::sample_c_lz:
            level.lod = access.op.b.const_f32(0.0f);
            break;
        case SampleOp::sample:
        case SampleOp::sample_c:
            if (access.m.cps_compensation) level.bias = coarse_bias(access);
            break;
        case SampleOp::LOD:
            break;
    }
    return level;
}

/// The spatial components of a coordinate that may have a layer.
Value without_layer(TextureAccess& access, Value coordinate) {
    const int n = access.m.surface.coords;
    if (access.op.b.type_of(coordinate).components == n) return coordinate;
    ir::Component components[3];
    for (int c = 0; c < n; c++) components[c] = {coordinate, static_cast<uint8_t>(c)};
    return access.op.b.compose(std::span(components, static_cast<size_t>(n)));
}

/// log2 of the longer derivative, in texels of level 0.
Value level_of_gradients(TextureAccess& access, const Level& level) {
    ir::Builder& b = access.op.b;
    const Value size = b.convert(Op::UToF, spatial_size(access, b.const_u32(0)), b.type_of(level.ddx));
    const Value x = b.fmul(level.ddx, size), y = b.fmul(level.ddy, size);
    const Value x_squared = dot(access.op, x, x);
    const Value longer = b.fmax(x_squared, dot(access.op, y, y));
    const Value half = b.const_f32(0.5f);
    return b.fmul(half, log2_of(access.op, longer));
}

/// log2 of the longer derivative if the device would compute it, otherwise the given level; kNone: level 0.
Value level_computed(TextureAccess& access, Value coordinate, Level& level) {
    ir::Builder& b = access.op.b;
    if (is_known(access.op, level.lod, [](uint32_t word) { return word == 0; })) return ir::kNone;
    if (level.lod != ir::kNone) return level.lod;
    if (level.ddx == ir::kNone) {
        const Value spatial = without_layer(access, coordinate);
        level.ddx = b.op(Op::DPdx, spatial);
        level.ddy = b.op(Op::DPdy, spatial);
    }
    const Value computed = level_of_gradients(access, level);
    return level.bias == ir::kNone ? computed : b.fadd(computed, level.bias);
}

/// The computed level, rounded by `round` and clamped to those that exist.
Value existing_level(TextureAccess& access, Op round, Value computed) {
    ir::Builder& b = access.op.b;
    const Value low = b.const_f32(0.0f), high = b.const_f32(31.0f);
    const Value rounded = b.op(round, b.fclamp(computed, low, high));
    const Value levels = level_count(access);
    const Value one = b.const_u32(1);
    const Value last = b.isub(b.umax(levels, one), one);
    return b.umin(b.convert(Op::FToU, rounded, ir::u32()), last);
}

/// For an offset that no Vulkan operand can express: from a register, or beyond the device's range. The coordinate
/// moves by texels of the level that is read, and that level is given explicitly. The given level is at most a quarter
/// of a level away from a whole one, so that no device reads another, and it is on the side that distinguishes
/// minification from magnification.
void move_coordinate(TextureAccess& access, Value& coordinate, Level& level, const Offset& offset) {
    ir::Builder& b = access.op.b;
    const Value computed = level_computed(access, coordinate, level);
    if (computed == ir::kNone) {
        coordinate = moved(access, coordinate, offset, b.const_u32(0));
        return;
    }
    const Value nearest = existing_level(access, Op::FRoundEven, computed);
    const Value whole = b.convert(Op::UToF, nearest, ir::f32());
    const Value beside = b.fsub(computed, whole);
    const Value below = b.const_f32(-0.25f), above = b.const_f32(0.25f);
    level = {.lod = b.fadd(whole, b.fclamp(beside, below, above))};
    coordinate = moved(access, coordinate, offset, nearest);
}

}  // namespace

Value coarsest_level(TextureAccess& access, Value coordinate) {
    const bool has_level = access.m.cls == sampling::Class::Sample3D && access.m.sample != SampleOp::LOD;
    if (!has_level) return access.op.b.const_u32(0);
    Level level = level_of(access);
    const Value computed = level_computed(access, coordinate, level);
    return computed == ir::kNone ? access.op.b.const_u32(0) : existing_level(access, Op::FCeil, computed);
}

Outcome lower_sample(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    ir::ImageOp image;
    Offset offset;
    const bool has_offset = access.m.offsets == sampling::Offsets::Aoffi;
    if (has_offset) offset = offset_of(access, 0);
    const bool const_offset =
        has_offset && !offset.is_zero() &&
        offset.within(access.op.capabilities.min_texel_offset, access.op.capabilities.max_texel_offset);
    const bool must_move = has_offset && !offset.is_zero() && !const_offset;

    Value coordinate = float_coordinate(access, true, must_move ? &offset : nullptr);
    const bool compares = is_compared_in_shader(access.op, access.m);
    image.dref = access.m.surface.shadow && !compares;
    const Value dref = access.m.surface.shadow ? reference(access) : ir::kNone;
    Level level = level_of(access);
    if (must_move && !access.m.surface.rect) {
        const bool level_0 = is_known(access.op, level.lod, [](uint32_t word) { return word == 0; });
        if (!level_0 && !access.op.options.offsets_read_one_level)
            return refuse(access.op, "unsupported-texture", kMayBlendLevels);
        move_coordinate(access, coordinate, level, offset);
    }

    ImageArgs args;
    args.push(coordinate);
    if (image.dref) args.push(dref);
    if (level.bias != ir::kNone) {
        image.bias = true;
        args.push(level.bias);
    }
    if (level.lod != ir::kNone) {
        image.lod = true;
        args.push(level.lod);
    }
    if (level.ddx != ir::kNone) {
        image.grad = true;
        args.push(level.ddx);
        args.push(level.ddy);
    }
    if (const_offset) {
        image.const_offset = true;
        args.push(offset_value(access, offset));
    }
    const Op o = image.lod || image.grad ? Op::ImageSampleLod : Op::ImageSample;
    Value texel = issue(access, o, texel_type(access, image.dref ? 1 : 4), image, args);
    if (compares) texel = compared_texels(access, dref, b.extract(texel, 0));
    if (!access.m.surface.shadow) return texel_result(access, swizzled_view(access, texel));
    // A comparison returns one number: replicated to xyz, w = 1 (semantics: Textures).
    const Value one = b.const_f32(1.0f);
    return texel_result(access, swizzled_view(access, b.compose({{texel, 0}, {texel, 0}, {texel, 0}, {one, 0}})));
}

}  // namespace tgsi2spv::lower
