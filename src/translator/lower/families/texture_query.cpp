// Sizes, levels, samples and levels of detail: TXQ, TXQS, SVIEWINFO, LODQ, LOD.
#include "lower/families/texture.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;

namespace {

/// Width, height or layers, depth or layers; 0 for dimensions that the target lacks; zeros for a level that does not
/// exist. BUFFER and MSAA have level 0 alone. OpImageQuerySizeLod counts the cubes of a cube array, not their faces.
Value size_at_level(TextureAccess& access, bool has_levels) {
    ir::Builder& b = access.op.b;
    const ir::Type type = ir::u32(size_components(access.image));
    Value inside = ir::kNone, level = parameter(access, access.m.lod, Scalar::U32);
    if (!is_known(access.op, level, [](uint32_t word) { return word == 0; })) {
        inside = b.ult(level, has_levels ? level_count(access) : b.const_u32(1));
        if (has_levels) level = first_unless(access, inside, level);
    }
    const Value size = image_size(access, has_levels ? level : ir::kNone);
    return inside == ir::kNone ? size : b.select(inside, size, b.zero(type));
}

Outcome query_size(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    const bool has_levels = access.image.dim != ir::ImageDim::Buffer && !access.image.ms;
    const int n = size_components(access.image);
    const Value size = (access.op.mask & 7) != 0 ? size_at_level(access, has_levels) : ir::kNone;
    return done(per_component(access.op, [&](int c) {
        if (c < 3) return c < n ? b.extract(size, c) : b.const_u32(0);
        return has_levels ? level_count(access) : b.const_u32(1);
    }));
}

Outcome query_samples(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    return done(per_component(access.op, [&](int c) {
        if (c > 0) return b.const_u32(0);
        return access.image.ms ? issue(access, Op::ImageQuerySamples, ir::u32(), {}, {}) : b.const_u32(1);
    }));
}

}  // namespace

Outcome lower_query(TextureAccess& access) {
    switch (access.m.query) {
        case sampling::QueryOp::Samples:
            return query_samples(access);
        case sampling::QueryOp::SamplePosition:
            return lower_sample_position(access);
        case sampling::QueryOp::SampleInfo:
            return lower_sample_info(access);
        case sampling::QueryOp::Size:
        case sampling::QueryOp::ViewInfo:
            break;
    }
    return query_size(access);
}

/// x is the level read, y the level computed, zw 0. Outside FRAG both are 0, the implicit level there (semantics,
/// Textures): no instruction tells a shader how the sampler's bias and clamp would change it.
Outcome lower_lod_query(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    const bool coarse =
        access.m.cps_compensation && !access.m.lod_is_zero && access.op.program.stage == tgsi::Stage::Fragment;
    if (coarse && access.m.surface.dim == sampling::Dim::Cube)
        return refuse(access.op, "unsupported-texture", "the level query of a cube cannot have CPS LOD compensation");
    const Value zero = b.const_f32(0.0f);
    Value levels = b.zero(ir::f32(2));
    if (!access.m.lod_is_zero) {
        ImageArgs args;
        Value coordinate = float_coordinate(access, false, nullptr);
        // The level depends only on derivatives, so the compensation is a factor; a query takes no bias.
        if (coarse)
            coordinate =
                b.fmul(coordinate, b.splat(b.op(Op::FExp2, coarse_bias(access)), b.type_of(coordinate).components));
        args.push(coordinate);
        levels = issue(access, Op::ImageQueryLod, ir::f32(2), {}, args);
    }
    return texel_result(access, b.compose({{levels, 0}, {levels, 1}, {zero, 0}, {zero, 0}}));
}

}  // namespace tgsi2spv::lower
