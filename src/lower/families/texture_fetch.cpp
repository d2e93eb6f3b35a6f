// Texels by integer coordinate: TXF, TXF_LZ, SAMPLE_I, SAMPLE_I_MS.
#include "lower/families/texture.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;

namespace {

bool is_zero(const Operation& op, Value v) {
    return is_known(op, v, [](uint32_t word) { return word == 0; });
}

/// Coordinates and layer, moved by the offset; exact for any offset.
Value integer_coordinate(TextureAccess& t) {
    ir::Builder& b = t.op.b;
    sampling::Param params[4];
    size_t n = 0;
    for (int c = 0; c < t.m.surface.coords; c++) params[n++] = t.m.coord[c];
    if (t.m.layer.present()) params[n++] = t.m.layer;
    const Value coordinate = parameters(t, std::span(params, n), Scalar::U32);
    if (t.m.offsets == sampling::Offsets::None) return coordinate;
    const Offset offset = offset_of(t, 0);
    if (offset.is_zero()) return coordinate;
    const Value by = offset_value(t, offset), none = b.const_u32(0);
    ir::Component components[4];
    for (size_t c = 0; c < n; c++) {
        components[c] = {c < t.m.surface.offsets ? by : none, static_cast<uint8_t>(c < t.m.surface.offsets ? c : 0)};
    }
    return b.iadd(coordinate, b.compose(std::span(components, n)));
}

}  // namespace

Outcome lower_fetch(TextureAccess& t) {
    ir::Builder& b = t.op.b;
    ir::ImageOp image;
    Value coordinate = integer_coordinate(t);

    // A sample that the image lacks is undefined even with robust access, and so is a level without robustImageAccess2;
    // a coordinate outside is defined. So a missing level or sample becomes a coordinate outside, and the device
    // returns its result for that (semantics: TXF).
    Value inside = ir::kNone;
    Value selector = ir::kNone;  ///< level or sample
    const bool has_levels = t.image.dim != ir::ImageDim::Buffer && !t.image.ms;
    if (has_levels || t.image.ms) {
        const sampling::Param& param = t.image.ms ? t.m.sample_index : t.m.lod;
        selector = param.present() ? parameter(t, param, Scalar::U32) : b.const_u32(0);
        image.lod = has_levels;
        image.sample = t.image.ms;
        if (!is_zero(t.op, selector) && (t.image.ms || t.m.zero_outside || !t.op.capabilities.robust_images)) {
            const Value count = t.image.ms ? issue(t, Op::ImageQuerySamples, ir::u32(), {}, {}) : level_count(t);
            inside = b.ult(selector, count);
            selector = first_unless(t, inside, selector);
            const Value outside = u32_like(t.op, 0xffff'ffff, coordinate);
            coordinate = b.select(inside, coordinate, outside);
        }
    }

    ImageArgs args;
    args.push(coordinate);
    if (selector != ir::kNone) args.push(selector);
    Value texel = issue(t, Op::ImageFetch, texel_type(t, 4), image, args);
    if (!t.m.zero_outside) return texel_result(t, swizzled_view(t, texel));

    // SAMPLE_I: all four components are 0 outside, even those that the format lacks.
    const Value in_size = b.all(b.ult(coordinate, image_size(t, has_levels ? selector : ir::kNone)));
    texel = swizzled_view(t, texel);
    return texel_result(t, b.select(in_size, texel, b.zero(texel_type(t, 4))));
}

}  // namespace tgsi2spv::lower
