// Numbers of the virgl command stream, as guests write them: commands, object types, gallium's enumerations, limits.
#pragma once

#include <cstdint>

namespace tgsi2spv::virgl {

/// Bits 0 to 7 of a command's header.
enum class CommandId : uint8_t {
    Nop = 0,
    CreateObject = 1,
    BindObject = 2,
    DestroyObject = 3,
    SetViewportState = 4,
    SetFramebufferState = 5,
    SetVertexBuffers = 6,
    Clear = 7,
    DrawVbo = 8,
    ResourceInlineWrite = 9,
    SetSamplerViews = 10,
    SetIndexBuffer = 11,
    SetConstantBuffer = 12,
    SetStencilRef = 13,
    SetBlendColor = 14,
    SetScissorState = 15,
    Blit = 16,
    ResourceCopyRegion = 17,
    BindSamplerStates = 18,
    BeginQuery = 19,
    EndQuery = 20,
    GetQueryResult = 21,
    SetPolygonStipple = 22,
    SetClipState = 23,
    SetSampleMask = 24,
    SetStreamoutTargets = 25,
    SetRenderCondition = 26,
    SetUniformBuffer = 27,
    SetSubCtx = 28,
    CreateSubCtx = 29,
    DestroySubCtx = 30,
    BindShader = 31,
    SetTessState = 32,
    SetMinSamples = 33,
    SetShaderBuffers = 34,
    SetShaderImages = 35,
    MemoryBarrier = 36,
    LaunchGrid = 37,
    SetFramebufferStateNoAttach = 38,
    TextureBarrier = 39,
    SetAtomicBuffers = 40,
    SetDebugFlags = 41,
    GetQueryResultQbo = 42,
    Transfer3d = 43,
    EndTransfers = 44,
    CopyTransfer3d = 45,
    SetTweaks = 46,
    ClearTexture = 47,
    PipeResourceCreate = 48,
    PipeResourceSetType = 49,
    GetMemoryInfo = 50,
    SendStringMarker = 51,
    LinkShader = 52,
    // 53 to 61: video
    ClearSurface = 62,
    GetPipeResourceLayout = 63,
};

/// Bits 8 to 15 of the header of CREATE_OBJECT, BIND_OBJECT and DESTROY_OBJECT.
enum class ObjectType : uint8_t {
    Blend = 1,
    Rasterizer = 2,
    DepthStencilAlpha = 3,
    Shader = 4,
    VertexElements = 5,
    SamplerView = 6,
    SamplerState = 7,
    Surface = 8,
    Query = 9,
    StreamoutTarget = 10,
    MsaaSurface = 11,
};

enum class Stage : uint8_t { Vert, Frag, Geom, TessCtrl, TessEval, Comp };
enum class Target : uint8_t { Buffer, Tex1d, Tex2d, Tex3d, Cube, Rect, Tex1dArray, Tex2dArray, CubeArray };
enum class Primitive : uint8_t {
    Points,
    Lines,
    LineLoop,
    LineStrip,
    Triangles,
    TriangleStrip,
    TriangleFan,
    Quads,
    QuadStrip,
    Polygon,
    LinesAdjacency,
    LineStripAdjacency,
    TrianglesAdjacency,
    TriangleStripAdjacency,
    Patches,
};
enum class CompareOp : uint8_t { Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always };
enum class StencilOp : uint8_t {
    Keep,
    Zero,
    Replace,
    IncrementClamp,
    DecrementClamp,
    IncrementWrap,
    DecrementWrap,
    Invert
};
enum class LogicOp : uint8_t {
    Clear,
    Nor,
    AndInverted,
    CopyInverted,
    AndReverse,
    Invert,
    Xor,
    Nand,
    And,
    Equivalent,
    Noop,
    OrInverted,
    Copy,
    OrReverse,
    Or,
    Set,
};
enum class BlendOp : uint8_t { Add, Subtract, ReverseSubtract, Min, Max };
enum class BlendFactor : uint8_t {
    One = 0x01,
    SrcColor = 0x02,
    SrcAlpha = 0x03,
    DstAlpha = 0x04,
    DstColor = 0x05,
    SrcAlphaSaturate = 0x06,
    ConstColor = 0x07,
    ConstAlpha = 0x08,
    Src1Color = 0x09,
    Src1Alpha = 0x0a,
    Zero = 0x11,
    InvSrcColor = 0x12,
    InvSrcAlpha = 0x13,
    InvDstAlpha = 0x14,
    InvDstColor = 0x15,
    InvConstColor = 0x17,
    InvConstAlpha = 0x18,
    InvSrc1Color = 0x19,
    InvSrc1Alpha = 0x1a,
};
enum class FillMode : uint8_t { Fill, Line, Point };
enum class Wrap : uint8_t {
    Repeat,
    Clamp,  ///< GL_CLAMP: half edge, half border
    ClampToEdge,
    ClampToBorder,
    MirrorRepeat,
    MirrorClamp,
    MirrorClampToEdge,
    MirrorClampToBorder,
};
enum class Filter : uint8_t { Nearest, Linear };
enum class MipFilter : uint8_t { Nearest, Linear, None };
enum class QueryType : uint8_t {
    OcclusionCounter,
    OcclusionPredicate,
    Timestamp,
    TimestampDisjoint,
    TimeElapsed,
    PrimitivesGenerated,
    PrimitivesEmitted,
    StreamoutStatistics,
    StreamoutOverflow,
    GpuFinished,
    PipelineStatistics,
    OcclusionPredicateConservative,
    AnyStreamoutOverflow,
};
enum class ConditionMode : uint8_t { Wait, NoWait, ByRegionWait, ByRegionNoWait };
enum class QboType : uint8_t { I32, U32, I64, U64 };
enum class Swizzle : uint8_t { X, Y, Z, W, Zero, One };

/// CLEAR's bits; colour i is kClearColor0 << i.
inline constexpr uint32_t kClearDepth = 1, kClearStencil = 2, kClearColor0 = 4;
/// CreateRasterizer::cull.
inline constexpr uint8_t kCullFront = 1, kCullBack = 2;
/// BLIT's mask.
inline constexpr uint32_t kBlitColor = 0x0f, kBlitDepth = 0x10, kBlitStencil = 0x20;
/// SET_SHADER_IMAGES' access.
inline constexpr uint32_t kImageRead = 1, kImageWrite = 2;

/// A resource's bind flags.
enum Bind : uint32_t {
    kBindDepthStencil = 1u << 0,
    kBindRenderTarget = 1u << 1,
    kBindSamplerView = 1u << 3,
    kBindVertexBuffer = 1u << 4,
    kBindIndexBuffer = 1u << 5,
    kBindConstantBuffer = 1u << 6,
    kBindDisplayTarget = 1u << 7,
    kBindCommandArgs = 1u << 8,
    kBindStreamOutput = 1u << 11,
    kBindShaderBuffer = 1u << 14,
    kBindQueryBuffer = 1u << 15,
    kBindCustom = 1u << 17,
    kBindScanout = 1u << 18,
    kBindStaging = 1u << 19,
};

inline constexpr uint32_t kMaxVertexElements = 32, kMaxVertexBuffers = 32, kMaxColorBuffers = 8, kMaxViewports = 16;
inline constexpr uint32_t kMaxSamplerViews = 128, kMaxSamplerStates = 32, kMaxConstantBuffers = 32;
inline constexpr uint32_t kMaxShaderBuffers = 32, kMaxShaderImages = 32;
/// Guests may name 16 targets; only the first four are written to.
inline constexpr uint32_t kMaxStreamoutTargets = 4, kMaxStreamoutTargetsNamed = 16, kMaxStreamOutputs = 64;
inline constexpr uint32_t kMaxClipPlanes = 8;
/// The limit of one SUBMIT_CMD. Mesa's buffers have 66,560.
inline constexpr uint32_t kMaxBufferWords = 1u << 20;
inline constexpr uint32_t kMaxShaderText = 16u << 20;  // bytes

}  // namespace tgsi2spv::virgl
