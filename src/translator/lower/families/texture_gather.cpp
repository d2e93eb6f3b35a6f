// Gathers: TG4 and GATHER4, the TLD4 class. Vulkan's order of the four texels is the same as TLD4's.
#include "lower/families/texture.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using sampling::Offsets;

namespace {

/// TLD4's offsets are six bits wide: the range of offsets from a register, which `offset_of` keeps.
constexpr int32_t kLowestOffset = -32, kHighestOffset = 31;

struct Gather {
    TextureAccess& t;
    Value coordinate = ir::kNone;
    Value dref = ir::kNone;  ///< kNone: no comparison
};

ir::ImageOp image_op(const Gather& gather, uint8_t component) {
    return {.dref = gather.dref != ir::kNone, .component = component};
}

ImageArgs arguments(const Gather& gather, Value coordinate) {
    ImageArgs args;
    args.push(coordinate);
    if (gather.dref != ir::kNone) args.push(gather.dref);
    return args;
}

Value gather_at(const Gather& gather, uint8_t component, const Offset& offset) {
    TextureAccess& t = gather.t;
    const Capabilities& device = t.op.capabilities;
    ir::ImageOp image = image_op(gather, component);
    if (offset.is_zero())
        return issue(t, Op::ImageGather, texel_type(t, 4), image, arguments(gather, gather.coordinate));
    const bool all_fit = device.min_gather_offset <= kLowestOffset && device.max_gather_offset >= kHighestOffset;
    image.const_offset = offset.within(device.min_gather_offset, device.max_gather_offset);
    image.offset = !offset.known && device.image_gather_extended && all_fit;
    // If there is no operand for it: a gather reads only level 0, so the coordinate can move by that level's size.
    const bool has_operand = image.const_offset || image.offset;
    const Value coordinate = has_operand ? gather.coordinate : moved(t, gather.coordinate, offset, t.op.b.const_u32(0));
    ImageArgs args = arguments(gather, coordinate);
    if (has_operand) args.push(offset_value(t, offset));
    return issue(t, Op::ImageGather, texel_type(t, 4), image, args);
}

struct FourOffsets {
    Offset offsets[4] = {};
    bool native = false;  ///< one gather takes them: Vulkan accepts four only as constants
};
FourOffsets four_offsets_of(TextureAccess& access) {
    const Capabilities& device = access.op.capabilities;
    FourOffsets four;
    four.native = device.image_gather_extended;
    for (int i = 0; i < 4; i++) {
        four.offsets[i] = offset_of(access, i);
        four.native = four.native && four.offsets[i].within(device.min_gather_offset, device.max_gather_offset);
    }
    return four;
}

/// Result i is texel (i0, j0) of the footprint at offset i; a gather returns that texel in w.
Value gather_four_offsets(const Gather& gather, uint8_t component) {
    TextureAccess& t = gather.t;
    const FourOffsets four = four_offsets_of(t);
    if (four.native) {
        ir::ImageOp image = image_op(gather, component);
        image.const_offsets = true;
        ImageArgs args = arguments(gather, gather.coordinate);
        for (const Offset& offset : four.offsets) args.push(offset_value(t, offset));
        return issue(t, Op::ImageGather, texel_type(t, 4), image, args);
    }
    ir::Component texels[4];
    for (int i = 0; i < 4; i++) texels[i] = {gather_at(gather, component, four.offsets[i]), 3};
    return t.op.b.compose(texels);
}

Value gather_component(const Gather& gather, uint8_t component) {
    TextureAccess& t = gather.t;
    if (t.m.offsets == Offsets::Ptp) return gather_four_offsets(gather, component);
    Offset offset{.known = true};
    if (t.m.offsets == Offsets::Aoffi) offset = offset_of(t, 0);
    return gather_at(gather, component, offset);
}

/// Only the pipeline knows which component of the view is gathered: gathers all components and selects one.
Value gather_swizzled(const Gather& gather) {
    TextureAccess& t = gather.t;
    ir::Builder& b = t.op.b;
    Value gathers[4];
    for (uint8_t c = 0; c < 4; c++) gathers[c] = gather_component(gather, c);
    if (t.m.immediate_component < 0) return swizzled_gather(t, parameter(t, t.m.component, Scalar::U32), gathers);
    auto component = static_cast<uint32_t>(t.m.immediate_component);
    if (t.m.swizzle_before_component) component = t.m.result_swizzle >> (2 * component) & 3;
    return swizzled_gather(t, b.const_u32(component), gathers);
}

}  // namespace

Outcome lower_gather(TextureAccess& access) {
    ir::Builder& b = access.op.b;
    // Each of the four gathers that replace one would report the pages of texels that it does not return.
    if (access.m.sparse && access.m.offsets == Offsets::Ptp && !four_offsets_of(access).native)
        return refuse(
            access.op, "unsupported-texture",
            "residency with four offsets needs constant offsets, and a device with shaderImageGatherExtended");
    Gather g{.t = access};
    g.coordinate = float_coordinate(access, true, nullptr);
    const bool compares = is_compared_in_shader(access.op, access.m);
    const Value compared_with = access.m.surface.shadow ? reference(access) : ir::kNone;
    if (!compares) g.dref = compared_with;

    Value four = ir::kNone;
    if (access.m.surface.shadow) {
        four = gather_component(g, 0);
        if (compares) four = compared_texels(access, compared_with, four);
    } else if (is_view_swizzled(access)) {
        four = gather_swizzled(g);
    } else if (access.m.immediate_component >= 0) {
        auto component = static_cast<uint8_t>(access.m.immediate_component);
        if (access.m.swizzle_before_component) component = access.m.result_swizzle >> (2 * component) & 3;
        four = gather_component(g, component);
    } else {
        const Value which = parameter(access, access.m.component, Scalar::U32);
        if (is_known(access.op, which, [](uint32_t word) { return word < 4; })) {
            four = gather_component(g, static_cast<uint8_t>(b.constant(which).words[0]));
        } else {  // SPIR-V's component is a constant
            for (uint8_t component = 0; component < 4; component++) {
                const Value one = gather_component(g, component);
                four = component == 0 ? one : b.select(b.ieq(which, b.const_u32(component)), one, four);
            }
        }
    }
    return done(masked(access.op, four));
}

}  // namespace tgsi2spv::lower
