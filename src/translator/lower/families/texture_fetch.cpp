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
Value integer_coordinate(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    sampling::Param params[4];
    size_t n = 0;
    for (int c = 0; c < access.m.surface.coords; c++) params[n++] = access.m.coord[c];
    if (access.m.layer.present()) params[n++] = access.m.layer;
    const Value coordinate = parameters(access, std::span(params, n), Scalar::U32);
    if (access.m.offsets == sampling::Offsets::None) return coordinate;
    const Offset offset = offset_of(access, 0);
    if (offset.is_zero()) return coordinate;
    const Value by = offset_value(access, offset), none = b.const_u32(0);
    ir::Component components[4];
    for (size_t c = 0; c < n; c++) {
        components[c] = {c < access.m.surface.offsets ? by : none,
                         static_cast<uint8_t>(c < access.m.surface.offsets ? c : 0)};
    }
    return b.iadd(coordinate, b.compose(std::span(components, n)));
}

}  // namespace

Outcome lower_fetch(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    ir::ImageOp image;
    Value coordinate = integer_coordinate(access);

    // A sample that the image lacks is undefined even with robust access, and so is a level without robustImageAccess2;
    // a coordinate outside is defined. So a missing level or sample becomes a coordinate outside, and the device
    // returns its result for that (semantics: TXF).
    Value inside = ir::kNone;
    Value selector = ir::kNone;  ///< level or sample
    const bool has_levels = access.image.dim != ir::ImageDim::Buffer && !access.image.ms;
    if (has_levels || access.image.ms) {
        const sampling::Param& param = access.image.ms ? access.m.sample_index : access.m.lod;
        selector = param.present() ? parameter(access, param, Scalar::U32) : b.const_u32(0);
        image.lod = has_levels;
        image.sample = access.image.ms;
        if (!is_zero(access.op, selector) &&
            (access.image.ms || access.m.zero_outside || !access.op.capabilities.robust_images)) {
            const Value count =
                access.image.ms ? issue(access, Op::ImageQuerySamples, ir::u32(), {}, {}) : level_count(access);
            inside = b.ult(selector, count);
            selector = first_unless(access, inside, selector);
            const Value outside = u32_like(access.op, 0xffff'ffff, coordinate);
            coordinate = b.select(inside, coordinate, outside);
        }
    }

    ImageArgs args;
    args.push(coordinate);
    if (selector != ir::kNone) args.push(selector);
    Value texel = issue(access, Op::ImageFetch, texel_type(access, 4), image, args);
    if (!access.m.zero_outside) return texel_result(access, swizzled_view(access, texel));

    // SAMPLE_I: all four components are 0 outside, even those that the format lacks.
    const Value in_size = b.all(b.ult(coordinate, image_size(access, has_levels ? selector : ir::kNone)));
    texel = swizzled_view(access, texel);
    return texel_result(access, b.select(in_size, texel, b.zero(b.type_of(texel))));
}

}  // namespace tgsi2spv::lower
