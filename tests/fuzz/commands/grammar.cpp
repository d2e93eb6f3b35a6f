#include "grammar.h"

#include <algorithm>

namespace tgsi2spv::fuzz {
namespace {

using Id = virgl::CommandId;
using O = virgl::ObjectType;
using enum Kind;

constexpr uint32_t create(O object) {
    return command_op(Id::CreateObject, object);
}

// clang-format off
constexpr Row kRows[] = {
    // Calls of the front end.
    {"create-resource", kCreateResource, 6, {NewResource, Target, Format, Bind, Width, Height, Depth, Layers, LastLevel,
                                             Samples, MemoryBytes}},
    {"create-mapped", kCreateMapped, 0, {NewResource, Target, Format, Bind, Width, Height, Depth, Layers, LastLevel, Samples,
                                         MemoryBytes}},
    {"destroy-resource", kDestroyResource, 3, {OldResource}},
    {"set-memory", kSetMemory, 1, {OldResource, MemoryBytes}},
    {"create-context", kCreateContext, 0, {Is1}},
    {"destroy-context", kDestroyContext, 0, {Is1}},
    {"attach", kAttach, 0, {Is1, OldResource}},
    {"detach", kDetach, 0, {Is1, OldResource}},
    {"submit", kSubmit, 0, {Is1}},
    {"write", kWrite, 8, {Anything, BoxLevel, RowStride, LayerStride, X, Y, Z, BoxWidth, BoxHeight, BoxDepth, DataBytes, Seed}},
    {"read", kRead, 4, {Anything, BoxLevel, RowStride, LayerStride, X, Y, Z, BoxWidth, BoxHeight, BoxDepth, DataBytes}},
    {"write-from-memory", kWriteFromMemory, 4, {WithMemory, BoxLevel, RowStride, LayerStride, X, Y, Z, BoxWidth, BoxHeight,
                                                BoxDepth, MemoryOffset}},
    {"read-to-memory", kReadToMemory, 4, {WithMemory, BoxLevel, RowStride, LayerStride, X, Y, Z, BoxWidth, BoxHeight,
                                          BoxDepth, MemoryOffset}},
    {"busy", kBusy, 2, {OldResource, Flag}},
    {"fence", kFence, 1, {}},

    // Objects.
    {"blend", create(O::Blend), 4, {New, BlendFlags, LogicOp, BlendTarget, BlendTarget, BlendTarget, BlendTarget,
                                    BlendTarget, BlendTarget, BlendTarget, BlendTarget}},
    {"rasterizer", create(O::Rasterizer), 4, {New, RasterizerFlags, PointSize, SpriteMask, LineStipple, LineWidth,
                                              DepthBias, DepthBias, DepthBias}},
    {"depth-stencil-alpha", create(O::DepthStencilAlpha), 4, {New, DepthFlags, StencilFace, StencilFace, Unit}},
    {"vertex-elements", create(O::VertexElements), 4, {New}, {ElementOffset, Divisor, ElementBuffer, VertexFormat}, 0, 6},
    {"sampler-view", create(O::SamplerView), 16, {New, ViewOf, ViewFormat, ViewLayers, ViewLevels, Swizzle}},
    {"sampler-state", create(O::SamplerState), 4, {New, SamplerFlags, Lod, Lod, Lod, Border, Border, Border, Border}},
    {"surface", create(O::Surface), 12, {New, SurfaceOf, SurfaceFormat, SurfaceLevel, SurfaceLayers}},
    {"msaa-surface", create(O::MsaaSurface), 1, {New, SurfaceOf, SurfaceFormat, SurfaceLevel, SurfaceLayers, SurfaceSamples}},
    {"query", create(O::Query), 4, {New, QueryType, QueryOffset, QueryBytes}},
    {"streamout-target", create(O::StreamoutTarget), 3, {New, CaptureBuffer, CaptureOffset, CaptureSize}},
    {"shader", create(O::Shader), 2, {New, Stage, TextLength, Tokens, SharedBytes}, {}, 0, 0, Tail::Text},
    {"capturing-shader", create(O::Shader), 1, {New, Is0, TextLength, Tokens, OutputCount, CaptureStride, CaptureStride,
                                                CaptureStride, CaptureStride}, {OutputWord, OutputStream}, 1, 2, Tail::Text},
    {"bind-blend", command_op(Id::BindObject, O::Blend), 3, {Blend}, {}, 0, 0, Tail::None, Needs::Nothing, Needs::DrawState},
    {"bind-rasterizer", command_op(Id::BindObject, O::Rasterizer), 3, {Rasterizer}, {}, 0, 0, Tail::None, Needs::Nothing,
     Needs::DrawState},
    {"bind-depth-stencil-alpha", command_op(Id::BindObject, O::DepthStencilAlpha), 3, {DepthStencilAlpha}, {}, 0, 0,
     Tail::None, Needs::Nothing, Needs::DrawState},
    {"bind-vertex-elements", command_op(Id::BindObject, O::VertexElements), 3, {Elements}, {}, 0, 0, Tail::None,
     Needs::Nothing, Needs::DrawState},
    {"destroy-blend", command_op(Id::DestroyObject, O::Blend), 1, {Destroyed}},
    {"destroy-rasterizer", command_op(Id::DestroyObject, O::Rasterizer), 1, {Destroyed}},
    {"destroy-depth-stencil-alpha", command_op(Id::DestroyObject, O::DepthStencilAlpha), 1, {Destroyed}},
    {"destroy-vertex-elements", command_op(Id::DestroyObject, O::VertexElements), 1, {Destroyed}},
    {"destroy-shader", command_op(Id::DestroyObject, O::Shader), 1, {Destroyed}},
    {"destroy-sampler-view", command_op(Id::DestroyObject, O::SamplerView), 2, {Destroyed}},
    {"destroy-sampler-state", command_op(Id::DestroyObject, O::SamplerState), 1, {Destroyed}},
    {"destroy-surface", command_op(Id::DestroyObject, O::Surface), 2, {Destroyed}},
    {"destroy-query", command_op(Id::DestroyObject, O::Query), 1, {Destroyed}},
    {"destroy-streamout-target", command_op(Id::DestroyObject, O::StreamoutTarget), 1, {Destroyed}},

    // Shaders in use; handle 0 unbinds. (Each stage has a row of its own: they are needed apart.)
    {"bind-vert", command_op(Id::BindShader), 3, {Vert, Is0}, {}, 0, 0, Tail::None, Needs::Nothing, Needs::DrawState},
    {"bind-frag", command_op(Id::BindShader), 4, {Frag, Is1}, {}, 0, 0, Tail::None, Needs::Nothing, Needs::DrawState},
    {"bind-geom", command_op(Id::BindShader), 1, {Geom, Is2}},
    {"bind-tess-ctrl", command_op(Id::BindShader), 1, {TessCtrl, Is3}},
    {"bind-tess-eval", command_op(Id::BindShader), 1, {TessEval, Is4}},
    {"bind-comp", command_op(Id::BindShader), 1, {Comp, Is5}, {}, 0, 0, Tail::None, Needs::Nothing, Needs::GridState},

    // State.
    {"viewports", command_op(Id::SetViewportState), 3, {ViewportSlot},
     {ViewportScale, ViewportScale, Unit, ViewportOffset, ViewportOffset, Unit}, 1, 2, Tail::None, Needs::Nothing,
     Needs::DrawState},
    {"scissors", command_op(Id::SetScissorState), 2, {ViewportSlot}, {Corner, Corner}, 1, 2},
    {"framebuffer", command_op(Id::SetFramebufferState), 10, {Count, DepthSurface}, {ColorSurface}, 0, 4, Tail::None,
     Needs::Nothing, Needs::DrawState},
    {"framebuffer-no-attach", command_op(Id::SetFramebufferStateNoAttach), 2, {Sizes, LayersSamples}},
    {"vertex-buffers", command_op(Id::SetVertexBuffers), 4, {}, {VertexStride, VertexOffset, VertexBuffer}, 1, 4,
     Tail::None, Needs::Nothing, Needs::DrawState},
    {"index-buffer", command_op(Id::SetIndexBuffer), 3, {IndexBuffer, IndexSize, IndexOffset}, {}, 0, 0, Tail::None,
     Needs::Nothing, Needs::DrawState},
    {"constant-buffer", command_op(Id::SetConstantBuffer), 3, {Stage, Is0}, {ColorWord, ColorWord, ColorWord, ColorWord}, 0, 4},
    {"uniform-buffer", command_op(Id::SetUniformBuffer), 4, {Stage, ConstantSlot, UniformOffset, UniformLength, UniformBuffer}},
    {"sampler-views", command_op(Id::SetSamplerViews), 12, {Stage, Slot}, {View}, 0, 4},
    {"sampler-states", command_op(Id::BindSamplerStates), 6, {Stage, Slot}, {Sampler}, 0, 4},
    {"stencil-ref", command_op(Id::SetStencilRef), 1, {StencilRef}},
    {"blend-color", command_op(Id::SetBlendColor), 1, {ColorWord, ColorWord, ColorWord, ColorWord}},
    {"polygon-stipple", command_op(Id::SetPolygonStipple), 1, {}, {Bitmask}, 32, 32},
    {"clip-state", command_op(Id::SetClipState), 1, {}, {Plane, Plane, Plane, Plane}, 8, 8},
    {"sample-mask", command_op(Id::SetSampleMask), 1, {Bitmask}},
    {"min-samples", command_op(Id::SetMinSamples), 1, {Few}},
    {"tess-state", command_op(Id::SetTessState), 1, {TessLevel, TessLevel, TessLevel, TessLevel, TessLevel, TessLevel}},
    {"streamout-targets", command_op(Id::SetStreamoutTargets), 4, {Few}, {StreamTarget}, 0, 4},
    {"render-condition", command_op(Id::SetRenderCondition), 3, {Condition, Flag, ConditionMode}},
    {"shader-buffers", command_op(Id::SetShaderBuffers), 6, {Stage, Slot}, {StorageOffset, StorageLength, StorageBuffer}, 1, 3},
    {"shader-images", command_op(Id::SetShaderImages), 10, {Stage, Slot},
     {ImageFormat, ImageAccess, ImageLayers, ImageLevel, ImageOf}, 1, 3},
    {"memory-barrier", command_op(Id::MemoryBarrier), 1, {Bitmask}},
    {"texture-barrier", command_op(Id::TextureBarrier), 1, {Flag}},
    {"create-sub-context", command_op(Id::CreateSubCtx), 1, {SubContext}},
    {"set-sub-context", command_op(Id::SetSubCtx), 2, {OldSubContext}},
    {"destroy-sub-context", command_op(Id::DestroySubCtx), 1, {OldSubContext}},
    {"tweaks", command_op(Id::SetTweaks), 1, {Few, Few}},
    {"link-shader", command_op(Id::LinkShader), 1, {Vert, Frag, Geom, TessCtrl, TessEval, Comp}},
    {"string-marker", command_op(Id::SendStringMarker), 1, {Few}, {Bitmask}, 1, 4},
    {"describe-buffer", command_op(Id::PipeResourceCreate), 1, {Is0, VertexFormat, Bitmask, BoxWidth, Is1, Is1, Is1, Is0, Is0,
                                                                Is0, Few}},

    // Work.
    {"clear", command_op(Id::Clear), 8, {ClearBits, ColorWord, ColorWord, ColorWord, ColorWord, DoubleLow, DoubleHigh, StencilRef}},
    {"clear-surface", command_op(Id::ClearSurface), 8, {ClearBits, AnySurface, ColorWord, ColorWord, ColorWord, ColorWord,
                                                        X, Y, BoxWidth, BoxHeight}},
    {"clear-texture", command_op(Id::ClearTexture), 10, {PlainTexture, BoxLevel, X, Y, Z, BoxWidth, BoxHeight, BoxDepth,
                                                         ColorWord, ColorWord, ColorWord, ColorWord}},
    {"draw", command_op(Id::DrawVbo), 60, {First, Vertices, Primitive, Flag, Instances, Bias, First, Flag, RestartIndex, Is0,
                                           Bitmask, CapturedSize}, {}, 0, 0, Tail::None, Needs::DrawState},
    {"draw-patches", command_op(Id::DrawVbo), 20, {First, Vertices, Primitive, Flag, Instances, Bias, First, Flag, RestartIndex, Is0,
                                                  Bitmask, CapturedSize, PatchVertices, Few}, {}, 0, 0, Tail::None, Needs::DrawState},
    {"draw-indirect", command_op(Id::DrawVbo), 16, {First, Vertices, Primitive, Flag, Instances, Bias, First, Flag, RestartIndex, Is0,
                                                   Bitmask, Is0, PatchVertices, Few, Arguments, ArgumentsOffset, ArgumentsStride,
                                                   ArgumentsCount, Is0, Is0}, {}, 0, 0, Tail::None, Needs::DrawState},
    {"draw-counted", command_op(Id::DrawVbo), 8, {First, Vertices, Primitive, Flag, Instances, Bias, First, Flag, RestartIndex, Is0,
                                                  Bitmask, Is0, PatchVertices, Few, Arguments, ArgumentsOffset, ArgumentsStride,
                                                  ArgumentsCount, ArgumentsOffset, Arguments}, {}, 0, 0, Tail::None, Needs::DrawState},
    {"launch-grid", command_op(Id::LaunchGrid), 16, {Block, Block, Block, Grid, Grid, Grid, Is0, Is0}, {}, 0, 0, Tail::None,
     Needs::GridState},
    {"launch-indirect-grid", command_op(Id::LaunchGrid), 3, {Block, Block, Block, Is0, Is0, Is0, Arguments, ArgumentsOffset}, {},
     0, 0, Tail::None, Needs::GridState},
    {"blit", command_op(Id::Blit), 20, {BlitMask, Corner, Corner, Texture, BoxLevel, BlitFormat, X, Y, Z, BlitWidth, BlitHeight,
                                        BlitDepth, LikeTexture, BoxLevel, BlitFormat, X, Y, Z, BlitWidth, BlitHeight, BlitDepth}},
    {"copy-region", command_op(Id::ResourceCopyRegion), 20, {Anything, BoxLevel, X, Y, Z, LikeTexture, BoxLevel, X, Y, Z, BoxWidth,
                                                             BoxHeight, BoxDepth}},
    {"inline-write", command_op(Id::ResourceInlineWrite), 6, {Anything, BoxLevel, Is0, RowStride, LayerStride, X, Y, Z, BoxWidth,
                                                              BoxHeight, BoxDepth}, {}, 0, 0, Tail::BoxData},
    {"transfer", command_op(Id::Transfer3d), 10, {WithMemory, BoxLevel, Is0, RowStride, LayerStride, X, Y, Z, BoxWidth, BoxHeight,
                                                  BoxDepth, MemoryOffset, Direction}},
    {"copy-transfer", command_op(Id::CopyTransfer3d), 10, {Anything, BoxLevel, Is0, RowStride, LayerStride, X, Y, Z, BoxWidth,
                                                           BoxHeight, BoxDepth, StagingBytes, MemoryOffset, Few}},
    {"begin-query", command_op(Id::BeginQuery), 6, {Query}},
    {"end-query", command_op(Id::EndQuery), 6, {Query}},
    {"query-result", command_op(Id::GetQueryResult), 4, {Query, Flag}},
    {"query-result-to-buffer", command_op(Id::GetQueryResultQbo), 3, {Query, QboBuffer, Flag, QboType, QboOffset, QboIndex}},
};
// clang-format on

constexpr Wrong kWrong[] = {
#define KIND(name, wrong, ...) Wrong::wrong,
#include "kinds.def"
#undef KIND
};

}  // namespace

std::span<const Row> rows() {
    return kRows;
}

const Row* row_of(uint32_t op) {
    const auto* const at = std::ranges::find(kRows, op, &Row::op);
    return at == std::end(kRows) ? nullptr : at;
}

Wrong wrong_of(Kind kind) {
    return kWrong[static_cast<size_t>(kind)];
}

}  // namespace tgsi2spv::fuzz
