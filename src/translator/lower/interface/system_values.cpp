// The device's system values in the form that TGSI defines. Semantics: System values, inputs, outputs, properties.
#include "lower/interface/system_values.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>

#include "lower/context/names.h"
#include "lower/context/values.h"
#include "lower/interface/record_loads.h"
#include "lower/state/state_context.h"
#include "lower/variables/inputs.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::Scalar;
using tgsi::Semantic;

ir::Value load_builtin(Context& context, BuiltIn builtin, ir::Type type) {
    if (const ir::Value value = record_builtin(context, builtin); value != ir::kNone) return value;
    return load_builtin_input(context, builtin, type);
}

namespace {

void fill(Context& context, Ref* out, uint32_t last = 0) {
    for (int c = 0; c < 3; ++c) out[c] = constant_ref(context.b, 0);
    out[3] = constant_ref(context.b, last);
}

constexpr uint32_t kOne = 0x3f80'0000;

/// A draw parameter: a builtin if the device has it, otherwise a specialization constant.
ir::Value draw_parameter(Context& context, BuiltIn builtin, uint32_t spec_id) {
    return context.capabilities.draw_parameters || context.options.records
               ? load_builtin(context, builtin, ir::u32())
               : state_value(context, ir::u32(), spec_id, 0);
}

/// FragCoord has its origin at the upper left and pixel centres at one half.
void frag_coord(Context& context, Ref* out) {
    ir::Builder& b = context.b;
    const ir::Value v = load_builtin(context, BuiltIn::FragCoord, ir::f32(4));
    for (uint8_t c = 0; c < 4; ++c) out[c] = {v, c};
    if (context.inputs.depth != kNoIndex) out[2] = {own_depth(context), 0};
    const bool lower_left = context.program.property(tgsi::Property::FsCoordOrigin) == 1;
    const bool integer = context.program.property(tgsi::Property::FsCoordPixelCenter) == 1;
    const State& state = context.options.state;
    if (lower_left || state.coord_origin) out[1] = {fragment_row(context, b.extract(v, 1), lower_left), 0};
    if (integer || state.pixel_center)
        for (int c = 0; c < 2; ++c) {
            const ir::Value place = gather(context.b, std::span<const Ref>(&out[c], 1), Scalar::F32);
            out[c] = {pixel_place(context, place, integer), 0};
        }
}

/// Whether the invocation started as a helper. Only main reads the builtin, before anything is demoted, because Vulkan
/// leaves its later value undefined (HelperInvocation). Subroutines read the value that main has saved.
ir::Value helper_at_start(Context& context) {
    ir::Builder& b = context.b;
    const bool has_subroutines = context.plan.functions.size() > 1;
    if (has_subroutines && context.inputs.helper == kNoIndex)
        context.inputs.helper =
            b.add_variable({.kind = ir::VariableKind::Private, .element = ir::u32(), .name = "helper"});
    if (!context.in_main) return b.load(context.inputs.helper, {}, ir::u32());
    const ir::Value helper = load_builtin(context, BuiltIn::HelperInvocation, ir::boolean());
    const ir::Value value = b.select(helper, b.const_u32(~0u), b.const_u32(0));
    if (has_subroutines) b.store(context.inputs.helper, {}, value);
    return value;
}

}  // namespace

ir::Value block_size(Context& context, int c) {
    const ir::EntryPoint& e = context.b.module().entry;
    const auto i = static_cast<size_t>(c);
    if (e.local_size_ids[i] != ir::kNone)
        return context.b.spec_constant(ir::u32(), e.local_size_ids[i], e.local_size[i]);
    return context.b.const_u32(e.local_size[i]);
}

void set_block_size(Context& context) {
    using tgsi::Property;
    static constexpr Property kSizes[3] = {Property::CsFixedBlockWidth, Property::CsFixedBlockHeight,
                                           Property::CsFixedBlockDepth};
    ir::EntryPoint& e = context.b.module().entry;
    for (size_t c = 0; c < 3; ++c) {
        const uint32_t fixed = context.program.property(kSizes[c]);
        e.local_size[c] = fixed != 0 ? fixed : 1;
        e.local_size_ids[c] = fixed != 0 ? ir::kNone : static_cast<uint32_t>(spec::kBlockSize + c);
    }
}

namespace {

/// A semantic that is a builtin, component by component.
struct Plain {
    Semantic semantic;
    BuiltIn builtin;
    ir::Type type;
    uint8_t components;  ///< components of the type that TGSI has
};
constexpr Plain kPlain[] = {
    {Semantic::ThreadId, BuiltIn::LocalInvocationId, ir::u32(3), 3},
    {Semantic::BlockId, BuiltIn::WorkgroupId, ir::u32(3), 3},
    {Semantic::GridSize, BuiltIn::NumWorkgroups, ir::u32(3), 3},
    {Semantic::VertexId, BuiltIn::VertexIndex, ir::u32(), 1},  // both include the base vertex
    {Semantic::PrimId, BuiltIn::PrimitiveId, ir::u32(), 1},
    {Semantic::Layer, BuiltIn::Layer, ir::u32(), 1},
    {Semantic::ViewportIndex, BuiltIn::ViewportIndex, ir::u32(), 1},
    {Semantic::SampleId, BuiltIn::SampleId, ir::u32(), 1},
    {Semantic::SamplePos, BuiltIn::SamplePosition, ir::f32(2), 2},
    {Semantic::SampleMask, BuiltIn::SampleMask, ir::u32(), 1},
    {Semantic::InvocationId, BuiltIn::InvocationId, ir::u32(), 1},
    {Semantic::VerticesIn, BuiltIn::PatchVertices, ir::u32(), 1},
    {Semantic::TessCoord, BuiltIn::TessCoord, ir::f32(3), 3},
    {Semantic::SubgroupSize, BuiltIn::SubgroupSize, ir::u32(), 1},
    {Semantic::SubgroupInvocation, BuiltIn::SubgroupLocalInvocationId, ir::u32(), 1},
    {Semantic::SubgroupEqMask, BuiltIn::SubgroupEqMask, ir::u32(4), 2},  // 64 bits, in x and y
    {Semantic::SubgroupGeMask, BuiltIn::SubgroupGeMask, ir::u32(4), 2},
    {Semantic::SubgroupGtMask, BuiltIn::SubgroupGtMask, ir::u32(4), 2},
    {Semantic::SubgroupLeMask, BuiltIn::SubgroupLeMask, ir::u32(4), 2},
    {Semantic::SubgroupLtMask, BuiltIn::SubgroupLtMask, ir::u32(4), 2},
};

bool load_plain(Context& context, Semantic semantic, Ref* out) {
    const Plain* const plain = std::ranges::find(kPlain, semantic, &Plain::semantic);
    if (plain == std::end(kPlain)) return false;
    ir::Value v = load_builtin(context, plain->builtin, plain->type);
    if (semantic == Semantic::SampleId) v = seen_sample(context, v);
    if (semantic == Semantic::SampleMask) v = seen_samples(context, v);
    for (uint8_t c = 0; c < plain->components; ++c) out[c] = {v, c};
    if (semantic == Semantic::GridSize) out[3] = constant_ref(context.b, 1);  // semantics, System values
    return true;
}

/// A builtin that is an array of floats.
void load_array(Context& context, BuiltIn builtin, uint32_t length, Ref* out) {
    for (uint32_t c = 0; c < length; ++c)
        out[c] = {
            context.b.load(builtin_input(context, builtin, ir::f32(), length), {context.b.const_u32(c)}, ir::f32()), 0};
}

void load_levels(Context& context, Semantic semantic, Ref* out) {
    const bool outer = semantic == Semantic::TessOuter;
    const uint32_t count = outer ? 4 : 2;
    if (context.options.records) return load_record_levels(context, semantic, {out, count});
    load_array(context, outer ? BuiltIn::TessLevelOuter : BuiltIn::TessLevelInner, count, out);
}

/// Default levels come from the caller (semantics).
void default_levels(Context& context, uint32_t spec_id, uint32_t count, Ref* out) {
    for (uint32_t c = 0; c < count; ++c) out[c] = {state_value(context, ir::f32(), spec_id + c, kOne), 0};
}

/// ±1 as an input, ~0 or 0 as a system value (semantics: System values).
void face(Context& context, bool as_input, Ref* out) {
    ir::Builder& b = context.b;
    const ir::Value front = load_builtin(context, BuiltIn::FrontFacing, ir::boolean());
    const ir::Value yes = as_input ? b.const_f32(1.0f) : b.const_u32(~0u);
    out[0] = {b.select(front, yes, as_input ? b.const_f32(-1.0f) : b.const_u32(0)), 0};
    out[3] = constant_ref(context.b, as_input ? kOne : 1);
}

void point_coord(Context& context, Ref* out) {
    const ir::Value v = load_builtin(context, BuiltIn::PointCoord, ir::f32(2));
    for (uint8_t c = 0; c < 2; ++c) out[c] = {v, c};
    if (context.options.state.sprites != Sprites::None) out[1] = {sprite_row(context, context.b.extract(v, 1)), 0};
    out[3] = constant_ref(context.b, kOne);
}

}  // namespace

bool load_system_value(Context& context, Semantic semantic, bool as_input, Ref* out) {
    ir::Builder& b = context.b;
    fill(context, out);
    if (!is_system_value(context.program.stage, semantic)) return false;
    if (load_plain(context, semantic, out)) return true;
    const auto is = [&](ir::Value word) {
        out[0] = {word, 0};
        return true;
    };
    // Without the base of the draw, which Vulkan's numbers include.
    const auto above = [&](BuiltIn number, BuiltIn base, uint32_t spec_id) {
        const ir::Value all = load_builtin(context, number, ir::u32());
        return is(b.isub(all, draw_parameter(context, base, spec_id)));
    };
    switch (semantic) {
        case Semantic::BlockSize:
            for (int c = 0; c < 3; ++c) out[c] = {block_size(context, c), 0};
            out[3] = constant_ref(context.b, 1);
            return true;
        case Semantic::WorkDim:
            return is(state_value(context, ir::u32(), spec::kWorkDim, 0));
        case Semantic::VertexIdNoBase:
            return above(BuiltIn::VertexIndex, BuiltIn::BaseVertex, spec::kBaseVertex);
        case Semantic::InstanceId:
            return above(BuiltIn::InstanceIndex, BuiltIn::BaseInstance, spec::kBaseInstance);
        case Semantic::BaseVertex:
            return is(draw_parameter(context, BuiltIn::BaseVertex, spec::kBaseVertex));
        case Semantic::BaseInstance:
            return is(draw_parameter(context, BuiltIn::BaseInstance, spec::kBaseInstance));
        case Semantic::DrawId:
            return is(draw_parameter(context, BuiltIn::DrawIndex, spec::kDrawId));
        case Semantic::ViewIndex:  // without the feature, there is one view
            return is(context.capabilities.multiview ? load_builtin(context, BuiltIn::ViewIndex, ir::u32())
                                                     : b.const_u32(0));
        case Semantic::Position:
            frag_coord(context, out);
            return true;
        case Semantic::Face:
            face(context, as_input, out);
            return true;
        case Semantic::PCoord:
            point_coord(context, out);
            return true;
        case Semantic::HelperInvocation:
            return is(helper_at_start(context));
        case Semantic::TessOuter:
        case Semantic::TessInner:
            load_levels(context, semantic, out);
            return true;
        case Semantic::TessDefaultOuterLevel:
            default_levels(context, spec::kTessDefaultOuter, 4, out);
            return true;
        case Semantic::TessDefaultInnerLevel:
            default_levels(context, spec::kTessDefaultInner, 2, out);
            return true;
        default:
            return false;
    }
}

namespace {

/// The stages that have each semantic, bit 1 << tgsi::Stage.
constexpr auto kStages = [] {
    using enum Semantic;
    constexpr uint8_t kVert = 1, kControl = 2, kEval = 4, kGeom = 8, kFrag = 16, kComp = 32, kAll = 63;
    std::array<uint8_t, tgsi::kSemanticCount> stages{};
    const auto have = [&](uint8_t mask, std::initializer_list<Semantic> all) {
        for (const Semantic semantic : all) stages[static_cast<size_t>(semantic)] = mask;
    };
    have(kComp, {ThreadId, BlockId, GridSize, BlockSize, WorkDim});
    have(kVert, {VertexId, VertexIdNoBase, InstanceId, BaseVertex, BaseInstance, DrawId});
    have(kFrag, {Position, Face, PCoord, HelperInvocation, Layer, ViewportIndex, SampleId, SamplePos, SampleMask});
    have(kVert | kFrag, {ViewIndex});  // others need further features; GL_OVR_multiview has it in VERT
    have(kFrag | kGeom | kControl | kEval, {PrimId});
    have(kGeom | kControl, {InvocationId});  // semantics: also in TESS_CTRL
    have(kControl | kEval, {VerticesIn});
    have(kEval, {TessCoord, TessOuter, TessInner});
    have(kControl, {TessDefaultOuterLevel, TessDefaultInnerLevel});
    have(kAll, {SubgroupSize, SubgroupInvocation, SubgroupEqMask, SubgroupGeMask, SubgroupGtMask, SubgroupLeMask,
                SubgroupLtMask});
    return stages;
}();

}  // namespace

bool is_system_value(tgsi::Stage stage, Semantic semantic) {
    return (kStages[static_cast<size_t>(semantic)] >> static_cast<uint32_t>(stage) & 1) != 0;
}

}  // namespace tgsi2spv::lower
