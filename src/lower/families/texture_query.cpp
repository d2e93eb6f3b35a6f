// Sizes, levels, samples and levels of detail: TXQ, TXQS, SVIEWINFO, LODQ, LOD.
#include "lower/families/texture.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;

namespace {

/// Width, height or layers, depth or layers; 0 for what the target lacks; zeros for a level that does not exist.
/// BUFFER and MSAA have level 0 alone. OpImageQuerySizeLod counts the cubes of a cube array, not their faces.
Value size_at_level(TextureAccess& t, bool has_levels) {
    ir::Builder& b = t.op.b;
    const ir::Type type = ir::u32(size_components(t.image));
    Value inside = ir::kNone, level = parameter(t, t.m.lod, Scalar::U32);
    if (!is_known(t.op, level, [](uint32_t word) { return word == 0; })) {
        inside = b.ult(level, has_levels ? level_count(t) : b.const_u32(1));
        if (has_levels) level = first_unless(t, inside, level);
    }
    const Value size = image_size(t, has_levels ? level : ir::kNone);
    return inside == ir::kNone ? size : b.select(inside, size, b.zero(type));
}

Outcome query_size(TextureAccess& t) {
    ir::Builder& b = t.op.b;
    const bool has_levels = t.image.dim != ir::ImageDim::Buffer && !t.image.ms;
    const int n = size_components(t.image);
    const Value size = (t.op.mask & 7) != 0 ? size_at_level(t, has_levels) : ir::kNone;
    return done(per_component(t.op, [&](int c) {
        if (c < 3) return c < n ? b.extract(size, c) : b.const_u32(0);
        return has_levels ? level_count(t) : b.const_u32(1);
    }));
}

Outcome query_samples(TextureAccess& t) {
    ir::Builder& b = t.op.b;
    return done(per_component(t.op, [&](int c) {
        if (c > 0) return b.const_u32(0);
        return t.image.ms ? issue(t, Op::ImageQuerySamples, ir::u32(), {}, {}) : b.const_u32(1);
    }));
}

}  // namespace

Outcome lower_query(TextureAccess& t) {
    switch (t.m.query) {
        case sampling::QueryOp::Samples:
            return query_samples(t);
        case sampling::QueryOp::SamplePosition:
            return lower_sample_position(t);
        case sampling::QueryOp::SampleInfo:
            return lower_sample_info(t);
        case sampling::QueryOp::Size:
        case sampling::QueryOp::ViewInfo:
            break;
    }
    return query_size(t);
}

/// x is the level read, y the level computed, zw 0. Outside FRAG both are 0, the implicit level there (semantics,
/// Textures): no instruction gives a shader what the sampler's bias and clamp would make of it.
Outcome lower_lod_query(TextureAccess& t) {
    ir::Builder& b = t.op.b;
    const bool coarse = t.m.cps_compensation && !t.m.lod_is_zero && t.op.program.stage == tgsi::Stage::Fragment;
    if (coarse && t.m.surface.dim == sampling::Dim::Cube)
        return refuse(t.op, "unsupported-texture", "the level query of a cube cannot have CPS LOD compensation");
    const Value zero = b.const_f32(0.0f);
    Value levels = b.zero(ir::f32(2));
    if (!t.m.lod_is_zero) {
        ImageArgs args;
        Value coordinate = float_coordinate(t, false, nullptr);
        // The level depends only on derivatives, so the compensation is a factor; a query takes no bias.
        if (coarse)
            coordinate = b.fmul(coordinate, b.splat(b.op(Op::FExp2, coarse_bias(t)), b.type_of(coordinate).components));
        args.push(coordinate);
        levels = issue(t, Op::ImageQueryLod, ir::f32(2), {}, args);
    }
    return texel_result(t, b.compose({{levels, 0}, {levels, 1}, {zero, 0}, {zero, 0}}));
}

}  // namespace tgsi2spv::lower
