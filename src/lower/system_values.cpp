// The device's system values in the form that TGSI defines. Semantics: System values, inputs, outputs, properties.
#include "lower/system_values.h"

#include "lower/interface.h"
#include "lower/state_walk.h"
#include "lower/values.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::Scalar;
using tgsi::Semantic;

namespace {

uint32_t builtin_input(Walk& w, BuiltIn builtin, ir::Type type, uint32_t length) {
    uint32_t& variable = w.inputs.builtins[static_cast<size_t>(builtin)];
    if (variable == 0)
        variable = 1 + w.b.add_variable({.kind = ir::VariableKind::Input,
                                         .element = type,
                                         .array = {length, 0},
                                         .builtin = builtin,
                                         .interpolation = w.program.stage == tgsi::Stage::Fragment && type.is_int()
                                                              ? ir::Interpolation::Flat
                                                              : ir::Interpolation::Smooth});
    return variable - 1;
}

/// A builtin that is an array of floats.
uint32_t builtin_array(Walk& w, BuiltIn builtin, uint32_t length) {
    return builtin_input(w, builtin, ir::f32(), length);
}

}  // namespace

ir::Value load_builtin(Walk& w, BuiltIn builtin, ir::Type type) {
    return w.b.load(builtin_input(w, builtin, type, 0), {}, type);
}

namespace {

void fill(Walk& w, Ref* out, uint32_t last = 0) {
    for (int c = 0; c < 3; ++c) out[c] = constant_ref(w, 0);
    out[3] = constant_ref(w, last);
}

constexpr uint32_t kOne = 0x3f80'0000;

/// A draw parameter: a builtin if the device has it, otherwise a specialization constant.
ir::Value draw_parameter(Walk& w, BuiltIn builtin, uint32_t spec_id) {
    return w.capabilities.draw_parameters ? load_builtin(w, builtin, ir::u32())
                                          : w.b.spec_constant(ir::u32(), spec_id, 0);
}

/// A dimension of the work group: fixed by the text, otherwise a specialization constant.
ir::Value block_size(Walk& w, int c) {
    const ir::EntryPoint& e = w.b.module().entry;
    const auto i = static_cast<size_t>(c);
    if (e.local_size_ids[i] != ir::kNone) return w.b.spec_constant(ir::u32(), e.local_size_ids[i], e.local_size[i]);
    return w.b.const_u32(e.local_size[i]);
}

/// FragCoord has its origin at the upper left and pixel centres at one half.
void frag_coord(Walk& w, Ref* out) {
    ir::Builder& b = w.b;
    const ir::Value v = load_builtin(w, BuiltIn::FragCoord, ir::f32(4));
    for (uint8_t c = 0; c < 4; ++c) out[c] = {v, c};
    const bool lower_left = w.program.property(tgsi::Property::FsCoordOrigin) == 1;
    const bool integer = w.program.property(tgsi::Property::FsCoordPixelCenter) == 1;
    const State& state = w.options.state;
    if (lower_left || state.coord_origin) out[1] = {fragment_row(w, b.extract(v, 1), lower_left), 0};
    if (integer || state.pixel_center)
        for (int c = 0; c < 2; ++c) {
            const ir::Value place = gather(w, std::span<const Ref>(&out[c], 1), Scalar::F32);
            out[c] = {pixel_place(w, place, integer), 0};
        }
}

/// Whether the invocation started as a helper. Only main reads the builtin, before anything is demoted, because Vulkan
/// leaves its later value undefined (HelperInvocation). Subroutines read the value that main has saved.
ir::Value helper_at_start(Walk& w) {
    ir::Builder& b = w.b;
    const bool has_subroutines = w.plan.functions.size() > 1;
    if (has_subroutines && w.inputs.helper == kNoIndex)
        w.inputs.helper = b.add_variable({.kind = ir::VariableKind::Private, .element = ir::u32(), .name = "helper"});
    if (!w.in_main) return b.load(w.inputs.helper, {}, ir::u32());
    const ir::Value helper = load_builtin(w, BuiltIn::HelperInvocation, ir::boolean());
    const ir::Value value = b.select(helper, b.const_u32(~0u), b.const_u32(0));
    if (has_subroutines) b.store(w.inputs.helper, {}, value);
    return value;
}

}  // namespace

void set_block_size(Walk& w) {
    using tgsi::Property;
    static constexpr Property kSizes[3] = {Property::CsFixedBlockWidth, Property::CsFixedBlockHeight,
                                           Property::CsFixedBlockDepth};
    ir::EntryPoint& e = w.b.module().entry;
    for (size_t c = 0; c < 3; ++c) {
        const uint32_t fixed = w.program.property(kSizes[c]);
        e.local_size[c] = fixed != 0 ? fixed : 1;
        e.local_size_ids[c] = fixed != 0 ? ir::kNone : static_cast<uint32_t>(spec::kBlockSize + c);
    }
}

bool load_system_value(Walk& w, Semantic semantic, bool as_input, Ref* out) {
    ir::Builder& b = w.b;
    fill(w, out);
    auto word = [&](ir::Value v) { out[0] = {v, 0}; };
    if (!is_system_value(w.program.stage, semantic)) return false;
    auto floats = [&](BuiltIn builtin, int n) {  // an array of floats
        for (int c = 0; c < n; ++c) {
            const ir::Value index = b.const_u32(static_cast<uint32_t>(c));
            out[c] = {b.load(builtin_array(w, builtin, static_cast<uint32_t>(n)), {index}, ir::f32()), 0};
        }
    };
    auto defaults = [&](uint32_t spec_id, int n) {  // semantics: they come from the caller
        for (int c = 0; c < n; ++c) out[c] = {b.spec_constant(ir::f32(), spec_id + static_cast<uint32_t>(c), kOne), 0};
    };
    auto three = [&](BuiltIn builtin) {
        const ir::Value v = load_builtin(w, builtin, ir::u32(3));
        for (uint8_t c = 0; c < 3; ++c) out[c] = {v, c};
    };
    switch (semantic) {
        case Semantic::ThreadId:
            three(BuiltIn::LocalInvocationId);
            return true;
        case Semantic::BlockId:
            three(BuiltIn::WorkgroupId);
            return true;
        case Semantic::GridSize:
            three(BuiltIn::NumWorkgroups);
            return true;
        case Semantic::BlockSize:
            for (int c = 0; c < 3; ++c) out[c] = {block_size(w, c), 0};
            return true;
        case Semantic::WorkDim:
            word(b.spec_constant(ir::u32(), spec::kWorkDim, 0));
            return true;
        case Semantic::VertexId:  // includes the base vertex, as VertexIndex does
            word(load_builtin(w, BuiltIn::VertexIndex, ir::u32()));
            return true;
        case Semantic::VertexIdNoBase:
            word(load_builtin(w, BuiltIn::VertexIndex, ir::u32()));
            word(b.isub(out[0].value, draw_parameter(w, BuiltIn::BaseVertex, spec::kBaseVertex)));
            return true;
        case Semantic::InstanceId:  // excludes the base instance, InstanceIndex includes it
            word(load_builtin(w, BuiltIn::InstanceIndex, ir::u32()));
            word(b.isub(out[0].value, draw_parameter(w, BuiltIn::BaseInstance, spec::kBaseInstance)));
            return true;
        case Semantic::BaseVertex:
            word(draw_parameter(w, BuiltIn::BaseVertex, spec::kBaseVertex));
            return true;
        case Semantic::BaseInstance:
            word(draw_parameter(w, BuiltIn::BaseInstance, spec::kBaseInstance));
            return true;
        case Semantic::DrawId:
            word(draw_parameter(w, BuiltIn::DrawIndex, spec::kDrawId));
            return true;
        case Semantic::Position:
            frag_coord(w, out);
            return true;
        case Semantic::Face: {
            const ir::Value front = load_builtin(w, BuiltIn::FrontFacing, ir::boolean());
            const ir::Value yes = as_input ? b.const_f32(1.0f) : b.const_u32(~0u);
            word(b.select(front, yes, as_input ? b.const_f32(-1.0f) : b.const_u32(0)));
            out[3] = constant_ref(w, as_input ? kOne : 1);
            return true;
        }
        case Semantic::PCoord: {
            const ir::Value v = load_builtin(w, BuiltIn::PointCoord, ir::f32(2));
            out[0] = {v, 0};
            out[1] = {v, 1};
            if (w.options.state.sprites != Sprites::None) out[1] = {sprite_row(w, b.extract(v, 1)), 0};
            out[3] = constant_ref(w, kOne);
            return true;
        }
        case Semantic::HelperInvocation:
            word(helper_at_start(w));
            return true;
        case Semantic::PrimId:
            word(load_builtin(w, BuiltIn::PrimitiveId, ir::u32()));
            return true;
        case Semantic::Layer:
            word(load_builtin(w, BuiltIn::Layer, ir::u32()));
            return true;
        case Semantic::ViewportIndex:
            word(load_builtin(w, BuiltIn::ViewportIndex, ir::u32()));
            return true;
        case Semantic::SampleId:
            word(load_builtin(w, BuiltIn::SampleId, ir::u32()));
            return true;
        case Semantic::SamplePos: {
            const ir::Value v = load_builtin(w, BuiltIn::SamplePosition, ir::f32(2));
            out[0] = {v, 0};
            out[1] = {v, 1};
            return true;
        }
        case Semantic::SampleMask:
            word(load_builtin(w, BuiltIn::SampleMask, ir::u32()));
            return true;
        case Semantic::InvocationId:
            word(load_builtin(w, BuiltIn::InvocationId, ir::u32()));
            return true;
        case Semantic::VerticesIn:
            word(load_builtin(w, BuiltIn::PatchVertices, ir::u32()));
            return true;
        case Semantic::TessCoord: {
            const ir::Value v = load_builtin(w, BuiltIn::TessCoord, ir::f32(3));
            for (uint8_t c = 0; c < 3; ++c) out[c] = {v, c};
            return true;
        }
        case Semantic::TessOuter:
            floats(BuiltIn::TessLevelOuter, 4);
            return true;
        case Semantic::TessInner:
            floats(BuiltIn::TessLevelInner, 2);
            return true;
        case Semantic::TessDefaultOuterLevel:
            defaults(spec::kTessDefaultOuter, 4);
            return true;
        case Semantic::TessDefaultInnerLevel:
            defaults(spec::kTessDefaultInner, 2);
            return true;
        case Semantic::SubgroupSize:
            word(load_builtin(w, BuiltIn::SubgroupSize, ir::u32()));
            return true;
        case Semantic::SubgroupInvocation:
            word(load_builtin(w, BuiltIn::SubgroupLocalInvocationId, ir::u32()));
            return true;
        case Semantic::SubgroupEqMask:
        case Semantic::SubgroupGeMask:
        case Semantic::SubgroupGtMask:
        case Semantic::SubgroupLeMask:
        case Semantic::SubgroupLtMask: {
            const auto mask =
                static_cast<BuiltIn>(static_cast<int>(BuiltIn::SubgroupEqMask) + static_cast<int>(semantic) -
                                     static_cast<int>(Semantic::SubgroupEqMask));
            const ir::Value v = load_builtin(w, mask, ir::u32(4));  // 64 bits, in x and y
            out[0] = {v, 0};
            out[1] = {v, 1};
            return true;
        }
        default:
            return false;
    }
}

bool is_system_value(tgsi::Stage stage, Semantic semantic) {
    const bool vertex = stage == tgsi::Stage::Vertex, fragment = stage == tgsi::Stage::Fragment;
    const bool control = stage == tgsi::Stage::TessControl, evaluation = stage == tgsi::Stage::TessEval;
    const bool geometry = stage == tgsi::Stage::Geometry;
    switch (semantic) {
        case Semantic::ThreadId:
        case Semantic::BlockId:
        case Semantic::GridSize:
        case Semantic::BlockSize:
        case Semantic::WorkDim:
            return stage == tgsi::Stage::Compute;
        case Semantic::VertexId:
        case Semantic::VertexIdNoBase:
        case Semantic::InstanceId:
        case Semantic::BaseVertex:
        case Semantic::BaseInstance:
        case Semantic::DrawId:
            return vertex;
        case Semantic::Position:
        case Semantic::Face:
        case Semantic::PCoord:
        case Semantic::HelperInvocation:
        case Semantic::Layer:
        case Semantic::ViewportIndex:
        case Semantic::SampleId:
        case Semantic::SamplePos:
        case Semantic::SampleMask:
            return fragment;
        case Semantic::PrimId:
            return fragment || geometry || control || evaluation;
        case Semantic::InvocationId:  // semantics: also in TESS_CTRL
            return geometry || control;
        case Semantic::VerticesIn:
            return control || evaluation;
        case Semantic::TessCoord:
        case Semantic::TessOuter:
        case Semantic::TessInner:
            return evaluation;
        case Semantic::TessDefaultOuterLevel:
        case Semantic::TessDefaultInnerLevel:
            return control;
        case Semantic::SubgroupSize:
        case Semantic::SubgroupInvocation:
        case Semantic::SubgroupEqMask:
        case Semantic::SubgroupGeMask:
        case Semantic::SubgroupGtMask:
        case Semantic::SubgroupLeMask:
        case Semantic::SubgroupLtMask:
            return true;
        default:
            return false;
    }
}

}  // namespace tgsi2spv::lower
