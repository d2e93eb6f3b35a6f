// State::clamp_depth, for devices without depthClamp. The last stage before the rasterizer hands z to FRAG as a varying
// and gives the rasterizer a depth that is never clipped. FRAG divides by w, which leaves what the device would have
// interpolated, and does what the device would have done with it: the viewport's range, polygon offset, the clamp.
#include "lower/options/linkage.h"
#include "lower/state/state_context.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::Op;
using ir::Value;
using tgsi::Semantic;

void prepare_depth(Context& context) {
    const Linkage* const linkage = context.options.linkage;
    if (linkage == nullptr) return;
    const bool fragment = context.program.stage == tgsi::Stage::Fragment;
    for (const LinkedVarying& v : fragment ? linkage->inputs : linkage->outputs) {
        if (v.semantic != Semantic::Position) continue;
        const bool by_sample = fragment && context.options.state.sample_shading;
        const uint32_t variable = context.b.add_variable(
            {.kind = fragment ? ir::VariableKind::Input : ir::VariableKind::Output,
             .element = ir::f32(),
             .location = v.location,
             .component = v.component,
             .sample_location = by_sample ? ir::SampleLocation::Sample : ir::SampleLocation::Center,
             .name = "POSITION.z",
             .semantic = static_cast<uint16_t>(v.semantic)});
        (fragment ? context.inputs.depth : context.outputs.depth) = variable;
    }
    if (context.inputs.depth == kNoIndex) return;
    context.inputs.own_depth =
        context.b.add_variable({.kind = ir::VariableKind::Private, .element = ir::f32(), .name = "depth"});
    ir::EntryPoint& entry = context.b.module().entry;
    entry.early_fragment_tests = entry.post_depth_coverage = false;
    entry.depth_replacing = true;
    entry.depth_layout = ir::DepthLayout::None;
}

Value unclipped_position(Context& context, Value position) {
    if (context.outputs.depth == kNoIndex) return position;
    ir::Builder& b = context.b;
    b.store(context.outputs.depth, {}, b.extract(position, 2));
    const Value middle = b.fmul(b.extract(position, 3), b.const_f32(0.5f));
    return b.compose({{position, 0}, {position, 1}, {middle, 0}, {position, 3}});
}

namespace {

struct DepthRange {
    Value near = ir::kNone, far = ir::kNone;
};

DepthRange depth_range(Context& context) {
    const Value near = state_value(context, ir::f32(), spec::kDepthNear, 0);
    return {near, state_value(context, ir::f32(), spec::kDepthFar, 0x3f80'0000)};
}

Value clamped(Context& context, const DepthRange& range, Value depth) {
    ir::Builder& b = context.b;
    const Value least = b.fmin(range.near, range.far);
    const Value most = b.fmax(range.near, range.far);
    return b.fclamp(depth, least, most);
}

/// The least difference between floats like this one: 2^(its exponent - 23).
Value float_unit(Context& context, Value depth) {
    ir::Builder& b = context.b;
    const Value bits = b.bitcast(depth, ir::u32());
    const Value exponent = b.bit_and(bits, b.const_u32(0x7f80'0000));
    const Value least = b.const_u32(23u << 23);
    const Value normal = b.umax(exponent, least);
    return b.bitcast(b.isub(normal, least), ir::f32());
}

/// Vulkan, "Depth Bias".
Value offset_depth(Context& context, Value depth) {
    ir::Builder& b = context.b;
    const Value dx = b.fabs(b.op(Op::DPdx, depth));
    const Value dy = b.fabs(b.op(Op::DPdy, depth));
    const Value slope = b.fmul(b.fmax(dx, dy), state_value(context, ir::f32(), spec::kOffsetFactor, 0));
    const Value unit = state_value(context, ir::f32(), spec::kOffsetUnit, 0);
    const Value of_format = b.select(b.foeq(unit, b.const_f32(0)), float_unit(context, depth), unit);
    const Value constant = b.fmul(of_format, state_value(context, ir::f32(), spec::kOffsetUnits, 0));
    const Value offset = b.fadd(slope, constant);
    const Value limit = state_value(context, ir::f32(), spec::kOffsetClamp, 0);
    const Value zero = b.const_f32(0);
    const Value at_most = b.select(b.fogt(limit, zero), b.fmin(offset, limit), offset);
    return b.fadd(depth, b.select(b.folt(limit, zero), b.fmax(offset, limit), at_most));
}

}  // namespace

void start_depth(Context& context) {
    if (context.inputs.depth == kNoIndex) return;
    ir::Builder& b = context.b;
    const Value z = b.load(context.inputs.depth, {}, ir::f32());
    const Value place = load_builtin_input(context, BuiltIn::FragCoord, ir::f32(4));
    const DepthRange range = depth_range(context);
    const Value normalised = b.fmul(z, b.extract(place, 3));
    const Value above = b.fmul(normalised, b.fsub(range.far, range.near));
    Value depth = b.fadd(range.near, above);
    if (context.options.state.offset_depth) depth = offset_depth(context, depth);
    b.store(context.inputs.own_depth, {}, clamped(context, range, depth));
}

Value own_depth(Context& context) {
    return context.b.load(context.inputs.own_depth, {}, ir::f32());
}

Value written_depth(Context& context, Value depth) {
    return context.inputs.depth == kNoIndex ? depth : clamped(context, depth_range(context), depth);
}

}  // namespace tgsi2spv::lower
