// The enumerations of TGSI text: stages, register files, semantics, targets, types.
// Their spellings are in one place, names.h; their numbering is ours and never leaves the process.
#pragma once

#include <cstdint>

namespace tgsi2spv::tgsi {

enum class Stage : uint8_t { Vertex, TessControl, TessEval, Geometry, Fragment, Compute };
inline constexpr int kStageCount = 6;

/// The meaning to use where editions of the document contradict each other. It never refuses an opcode.
enum class Dialect : uint8_t { Auto, Oldest, Middle, Newest };
/// The two earlier editions: they share most of their differences from the newest.
constexpr bool is_earlier(Dialect dialect) {
    return dialect == Dialect::Oldest || dialect == Dialect::Middle;
}

enum class File : uint8_t {
    Null,  ///< reads 0, drops writes; never declared
    Const,
    Input,
    Output,
    Temp,
    Sampler,
    Address,
    Immediate,
    SystemValue,
    Image,
    SamplerView,
    Buffer,
    Memory,
    ConstBuf,
    HwAtomic,
    Predicate,       ///< PRED, oldest edition
    Resource,        ///< RES, middle edition
    ImmediateArray,  ///< IMMX, oldest edition
    TempArray,       ///< TEMPX, oldest edition
    ResGlobal,       ///< RGLOBAL: MEMORY of that kind, by name
    ResLocal,
    ResPrivate,
    ResInput,
};
inline constexpr int kFileCount = 23;

enum class Semantic : uint8_t {
    None,  ///< nothing written
    Position,
    Color,
    BColor,
    Fog,
    PSize,
    Generic,
    Normal,
    Face,
    EdgeFlag,
    PrimId,
    InstanceId,
    VertexId,
    Stencil,
    ClipDist,
    ClipVertex,
    GridSize,
    BlockId,
    BlockSize,
    ThreadId,
    TexCoord,
    PCoord,
    ViewportIndex,
    Layer,
    CullDist,
    SampleId,
    SamplePos,
    SampleMask,
    InvocationId,
    VertexIdNoBase,
    BaseVertex,
    Patch,
    TessCoord,
    TessOuter,
    TessInner,
    VerticesIn,
    HelperInvocation,
    BaseInstance,
    DrawId,
    WorkDim,
    SubgroupSize,
    SubgroupInvocation,
    SubgroupEqMask,
    SubgroupGeMask,
    SubgroupGtMask,
    SubgroupLeMask,
    SubgroupLtMask,
    ViewportMask,
    TessDefaultOuterLevel,
    TessDefaultInnerLevel,
    ViewIndex,  ///< the number of a view (multiview): in no document, as newer Mesa prints it
};
inline constexpr int kSemanticCount = 51;

enum class Interpolation : uint8_t { Unwritten, Constant, Linear, Perspective, Color };
enum class Location : uint8_t { Center, Centroid, Sample };

/// The kind in the declaration of a MEMORY register.
enum class MemoryKind : uint8_t { Unwritten, Shared, Global, Private, Input };

enum class Target : uint8_t {
    None,  ///< the text names none
    Buffer,
    T1D,
    T2D,
    T3D,
    Cube,
    Rect,
    Shadow1D,
    Shadow2D,
    ShadowRect,
    T1DArray,
    T2DArray,
    Shadow1DArray,
    Shadow2DArray,
    ShadowCube,
    T2DMS,
    T2DArrayMS,
    CubeArray,
    ShadowCubeArray,
    Unknown,
};
inline constexpr int kTargetCount = 20;

/// The type that a sampler view returns. `Unwritten` for declarations without one (no SVIEW beside TEX): float.
enum class ReturnType : uint8_t { Unwritten, Unorm, Snorm, Sint, Uint, Float };
constexpr bool is_integer(ReturnType type) {
    return type == ReturnType::Sint || type == ReturnType::Uint;
}

enum class ImmediateType : uint8_t { Float32, Uint32, Int32, Float64, Uint64, Int64 };

enum class Property : uint8_t {
    GsInputPrimitive,
    GsOutputPrimitive,
    GsMaxOutputVertices,
    GsInvocations,
    FsCoordOrigin,       ///< 0 UPPER_LEFT, 1 LOWER_LEFT
    FsCoordPixelCenter,  ///< 0 HALF_INTEGER, 1 INTEGER
    FsColor0WritesAllCbufs,
    FsDepthLayout,  ///< 0 none, 1 any, 2 greater, 3 less, 4 unchanged
    FsEarlyDepthStencil,
    FsPostDepthCoverage,
    FsBlendEquationAdvanced,
    VsProhibitUcps,
    VsWindowSpacePosition,
    TcsVerticesOut,
    TesPrimMode,  ///< a Primitive
    TesSpacing,   ///< 0 fractional odd, 1 fractional even, 2 equal
    TesVertexOrderCw,
    TesPointMode,
    NumClipDistEnabled,
    NumCullDistEnabled,
    NextShader,  ///< a Stage
    CsFixedBlockWidth,
    CsFixedBlockHeight,
    CsFixedBlockDepth,
    LegacyMathRules,  ///< MUL_ZERO_WINS in earlier text
    LayerViewportRelative,
    SeparableProgram,
    VsBlitSgprsAmd,
    CsUserDataComponentsAmd,
    CsLocalSize,
    NumViews,  ///< the number of views (multiview), as newer Mesa prints it
};
inline constexpr int kPropertyCount = 31;

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

/// Memory qualifiers of LOAD, STORE, ATOM* (a bit set).
namespace qualifier {
inline constexpr uint8_t kCoherent = 1;
inline constexpr uint8_t kRestrict = 2;
inline constexpr uint8_t kVolatile = 4;
inline constexpr uint8_t kStreamCachePolicy = 8;
}  // namespace qualifier

}  // namespace tgsi2spv::tgsi
