// Specialization constants by id: the choices that a module leaves to the pipeline (tgsi2spv_state.h explains them).
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace tgsi2spv::lower::spec {

inline constexpr uint32_t kFramebufferHeight = 0;  ///< f32, pixels: FS_COORD_ORIGIN LOWER_LEFT
inline constexpr uint32_t kBaseVertex = 1;         ///< u32: if the device has no draw parameters
inline constexpr uint32_t kBaseInstance = 2;
inline constexpr uint32_t kDrawId = 3;
inline constexpr uint32_t kTessDefaultOuter = 4;  ///< f32, four of them: TESS_DEFAULT_OUTER_LEVEL
inline constexpr uint32_t kTessDefaultInner = 8;  ///< f32, two of them
inline constexpr uint32_t kBlockSize = 10;        ///< u32, three: x, y, z of a work group that the text leaves open
inline constexpr uint32_t kWorkDim = 13;          ///< u32
inline constexpr uint32_t kTargetSamples = 14;    ///< u32: samples of the render target, for SAMPLE_POS and SAMPLE_INFO

// For lower::State: u32, and either 0 or not 0 unless the comment says otherwise.
inline constexpr uint32_t kAlphaFunc = 15;         ///< 0 to 7: NEVER LESS EQUAL LEQUAL GREATER NOTEQUAL GEQUAL ALWAYS
inline constexpr uint32_t kAlphaReference = 16;    ///< f32
inline constexpr uint32_t kTwoSided = 17;          ///< BCOLOR for back faces
inline constexpr uint32_t kDepthRange = 18;        ///< −1..1 becomes 0..1
inline constexpr uint32_t kFlipY = 19;             ///< POSITION.y is negated
inline constexpr uint32_t kInvertOrigin = 20;      ///< FRAG: the other FS_COORD_ORIGIN than the text's
inline constexpr uint32_t kOtherPixelCenter = 21;  ///< FRAG: the other FS_COORD_PIXEL_CENTER than the text's
inline constexpr uint32_t kClipEnable = 22;        ///< bit n: clip distance n, or user plane n, clips
inline constexpr uint32_t kClampVertexColor = 23;
inline constexpr uint32_t kClampFragmentColor = 24;
inline constexpr uint32_t kAlphaToOne = 25;
inline constexpr uint32_t kSampleMask = 26;          ///< mask of samples that may be written
inline constexpr uint32_t kSampleMaskIgnored = 27;   ///< ignores the text's SAMPLEMASK
inline constexpr uint32_t kSpriteMask = 28;          ///< bit n: TEXCOORD[n] or GENERIC[n] is the position in the point
inline constexpr uint32_t kSpriteLowerLeft = 29;     ///< the origin of that position is at the lower left
inline constexpr uint32_t kPointSize = 30;           ///< f32, pixels
inline constexpr uint32_t kPointSizePerVertex = 31;  ///< uses PSIZE if it is written
inline constexpr uint32_t kBgraAttributes = 32;      ///< bit n: red and blue of IN[n] are swapped
inline constexpr uint32_t kBgraTargets = 33;         ///< bit n: red and blue of COLOR[n] are swapped
inline constexpr uint32_t kPolygonStipple = 34;
inline constexpr uint32_t kUnnormalized = 35;     ///< bit n: coordinates for SAMP[n] are in texels
inline constexpr uint32_t kBlendColor = 36;       ///< f32, four of them
inline constexpr uint32_t kDepthNear = 40;        ///< f32, the viewport's
inline constexpr uint32_t kDepthFar = 41;         ///< f32: 1
inline constexpr uint32_t kOffsetUnits = 42;      ///< f32, polygon offset
inline constexpr uint32_t kOffsetFactor = 43;     ///< f32
inline constexpr uint32_t kOffsetClamp = 44;      ///< f32; 0: none
inline constexpr uint32_t kOffsetUnit = 45;       ///< f32: the least difference of depths; 0: these are floats
inline constexpr uint32_t kCompareFunction = 64;  ///< + n: for SAMP[n], values as in kAlphaFunc
inline constexpr uint32_t kViewSwizzle = 96;    ///< + n: for the texture in SAMP[n] or SVIEW[n], three bits per letter
inline constexpr uint32_t kStateSamplers = 32;  ///< the limit: n is less than this
inline constexpr uint32_t kIdentitySwizzle = 03210;  ///< a digit for each letter: 0 to 3 are x y z w, 4 zero, 5 one

/// TGSI's name if it has one; empty: there is no such constant.
constexpr std::string_view name_of(uint32_t id) {
    constexpr std::string_view kNames[] = {"framebuffer height",
                                           "BASEVERTEX",
                                           "BASEINSTANCE",
                                           "DRAWID",
                                           "TESS_DEFAULT_OUTER_LEVEL.x",
                                           "TESS_DEFAULT_OUTER_LEVEL.y",
                                           "TESS_DEFAULT_OUTER_LEVEL.z",
                                           "TESS_DEFAULT_OUTER_LEVEL.w",
                                           "TESS_DEFAULT_INNER_LEVEL.x",
                                           "TESS_DEFAULT_INNER_LEVEL.y",
                                           "BLOCK_SIZE.x",
                                           "BLOCK_SIZE.y",
                                           "BLOCK_SIZE.z",
                                           "WORK_DIM",
                                           "samples of the render target",
                                           "alpha test function",
                                           "alpha test reference",
                                           "two-sided colour",
                                           "depth range -1..1",
                                           "flip y",
                                           "invert coordinate origin",
                                           "other pixel centre",
                                           "clip enable mask",
                                           "clamp vertex colours",
                                           "clamp fragment colours",
                                           "alpha to one",
                                           "sample mask",
                                           "SAMPLEMASK is ignored",
                                           "point sprite mask",
                                           "point sprite origin lower left",
                                           "point size",
                                           "point size per vertex",
                                           "BGRA attributes mask",
                                           "BGRA targets mask",
                                           "polygon stipple",
                                           "unnormalised coordinates mask",
                                           "blend colour, red",
                                           "blend colour, green",
                                           "blend colour, blue",
                                           "blend colour, alpha",
                                           "near depth",
                                           "far depth",
                                           "polygon offset, units",
                                           "polygon offset, factor",
                                           "polygon offset, clamp",
                                           "polygon offset, unit"};
    static_assert(std::size(kNames) == kOffsetUnit + 1);
    if (id >= kCompareFunction && id < kCompareFunction + kStateSamplers) return "comparison function";
    if (id >= kViewSwizzle && id < kViewSwizzle + kStateSamplers) return "view swizzle";
    return id < std::size(kNames) ? kNames[id] : std::string_view{};
}

}  // namespace tgsi2spv::lower::spec
