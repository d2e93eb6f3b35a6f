// State that gallium drivers bake into shader keys, and that Vulkan lacks, or has on some devices only.
#pragma once

#include <array>
#include <cstdint>

namespace tgsi2spv::lower {

/// The contents of a vertex buffer or a colour target: Vulkan requires the shader's variable to have the matching type.
enum class NumericType : uint8_t {
    Float,
    UInt,     ///< the words unchanged
    SInt,     ///< the words unchanged; the variable is signed
    UScaled,  ///< attributes: integers that the text reads as floats, fetched as integers
    SScaled,
    Fixed,    ///< attributes: 16.16
    UNorm32,  ///< attributes: 32-bit integers for 0..1, fetched as integers
    SNorm32,  ///< attributes: 32-bit integers for −1..1, fetched as integers
    Double,   ///< attributes: two locations of words, x and y, then z and w
};

/// Which inputs of FRAG may be the position within a point sprite.
enum class Sprites : uint8_t { None, TexCoord, Generic };

/// The layout of the state's constant buffer (Options::state_buffer), in x4 elements.
namespace state_buffer {
inline constexpr uint32_t kClipPlanes = 0;  ///< eight planes
inline constexpr uint32_t kStipple = 8;     ///< 32 words, one per row, from the top; bit 31 is the left pixel
inline constexpr uint32_t kElements = 16;
inline constexpr uint32_t kViewport = 16;  ///< x and y: half of the viewport's width and height, in pixels
inline constexpr uint32_t kChosenLayer = 2, kChosenViewport = 3;  ///< z and w of the same, words; all ones: any
inline constexpr uint32_t kElementsWithViewport = 17;  ///< size with VS_WINDOW_SPACE_POSITION or State::one_layer
inline constexpr uint32_t kValues = 17;                ///< a word for each id of spec_constants.h, from 0 on
inline constexpr uint32_t kElementsWithValues = 29;    ///< size with State::data
}  // namespace state_buffer

/// Blending of target 0 in FRAG. Factors and operations have Vulkan's numbers.
struct Blend {
    enum class Range : uint8_t { Unbounded, UNorm, SNorm };
    static constexpr uint8_t kLastFactor = 18, kMax = 4, kLastLogic = 16, kMostBits = 16;
    struct Equation {
        uint8_t src = 0, dst = 0, op = 0;
    };
    bool enabled = false;
    bool multisampled = false;
    Range range{};
    Equation color{}, alpha{};
    uint8_t logic = 0;              ///< 1 + VkLogicOp, in place of the equations; 0: none
    std::array<uint8_t, 4> bits{};  ///< with `logic`: of the target's components
};

/// The state that the module is prepared for; disabled state adds nothing. Each switch adds specialization constants
/// (spec_constants.h). Their defaults change nothing, so that one module serves every state. flat_shade, attributes and
/// targets are fixed, because Vulkan expresses them as decorations and types. tgsi2spv_state.h explains it. Not with
/// io_buffers.
struct State {
    // VERT, TESS_EVAL and GEOM: for the last stage before rasterization.
    bool depth_range = false;         ///< set by kDepthRange; its default is Options::convert_depth_range
    bool flip_y = false;              ///< set by kFlipY; its default is Options::flip_y
    bool clip_enable = false;         ///< CLIPDIST that the text writes; kClipEnable switches each distance
    uint8_t clip_planes = 0;          ///< number of user planes, each by kClipEnable, if the text writes no CLIPDIST
    bool clamp_vertex_color = false;  ///< COLOR and BCOLOR; kClampVertexColor
    bool point_size = false;          ///< PointSize is always written: kPointSize, kPointSizePerVertex
    /// VERT and TESS_EVAL: LAYER and VIEWPORT_INDEX are flat varyings of FRAG and select nothing; vertices with others
    /// than the chosen ones (state_buffer) are outside of the picture.
    bool one_layer = false;
    /// FRAG, too, and both linked: z is a varying of which FRAG makes the depth, in kDepthNear, kDepthFar (depth.cpp).
    bool clamp_depth = false;
    // VERT
    bool bgra_attributes = false;              ///< kBgraAttributes
    std::array<NumericType, 32> attributes{};  ///< the type of each IN register
    uint32_t widened_attributes = 0;           ///< bit n: IN[n].w is 1, not the fetched value
    // FRAG
    bool alpha_test = false;            ///< tests COLOR[0].w: kAlphaFunc, kAlphaReference
    bool two_sided = false;             ///< kTwoSided; the stage before writes BCOLOR for each COLOR that is read
    bool flat_shade = false;            ///< inputs whose interpolation is COLOR are flat
    bool clamp_fragment_color = false;  ///< kClampFragmentColor
    bool alpha_to_one = false;          ///< kAlphaToOne
    bool sample_mask = false;           ///< SampleMask is always written: kSampleMask, kSampleMaskIgnored
    bool coord_origin = false;          ///< kInvertOrigin, kFramebufferHeight
    bool pixel_center = false;          ///< kOtherPixelCenter
    bool polygon_stipple = false;       ///< kPolygonStipple; rows are counted as coord_origin says
    bool bgra_targets = false;          ///< kBgraTargets
    uint8_t alpha_targets = 0;          ///< bit n: x of the target holds the alpha of COLOR[n]
    uint8_t color_targets = 0;          ///< targets of FS_COLOR0_WRITES_ALL_CBUFS; 0: all that the device has
    bool sample_shading = false;        ///< inputs that are interpolated are interpolated at each sample
    bool offset_depth = false;          ///< polygon offset, by kOffsetUnits and the ids after it; only with clamp_depth
    /// FBFETCH reads sampled image tgsi::kFirstTarget + n in place of an input attachment, of several layers or
    /// samples.
    bool fetch_image = false, fetch_layer = false, fetch_sample = false;
    uint8_t seen_samples =
        0;  ///< a power of two: SAMPLEID and SAMPLEMASK are modulo this, where there are more; 0: all
    Sprites sprites = Sprites::None;  ///< kSpriteMask, kSpriteLowerLeft
    // Textures of every stage: bit n is for register n, where an instruction names it by number
    uint32_t unnormalized = 0;  ///< SAMP[n], 1D and 2D: kUnnormalized
    uint32_t compare_in_shader =
        0;  ///< SAMP[n] of comparison targets: no depth format, kCompareFunction + n; nearest only
    uint32_t swizzled_views = 0;  ///< SAMP[n], or SVIEW[n] of the SAMPLE family: kViewSwizzle + n, gathers too
    /// SAMP[n]: OpenGL's GL_CLAMP of coordinate x, y or z, which stays inside the texture. The sampler then clamps to
    /// the edge, or to the border if it filters linearly.
    std::array<uint32_t, 3> clamped_coordinates{};
    /// SAMP[n]: coordinate x, y or z is mirrored at 0 and stays half a texel away, so that no filter reaches a border
    /// there.
    std::array<uint32_t, 3> mirrored_coordinates{};
    uint32_t mirrored_levels = 0;          ///< bit n: SAMP[n]'s texel is one of the level that is read, not of level 0
    std::array<NumericType, 32> images{};  ///< IMAGE[n] whose text has no format: Float, UInt, SInt
    std::array<uint8_t, 32> image_samples{};  ///< samples of IMAGE[n], if multisampled; 0: the device is asked
    /// SAMP[n], or SVIEW[n] of the SAMPLE family, of BUFFER: 16-bit normalised numbers that are fetched as integers.
    uint32_t unorm16_buffers = 0, snorm16_buffers = 0;
    // FRAG
    std::array<NumericType, 8> targets{};  ///< the type of each COLOR: Float, UInt, SInt
    Blend blend{};                         ///< kBlendColor
    /// Bit n: word n of state_buffer::kValues replaces specialization constant n, so that it may change from draw to
    /// draw.
    uint64_t data = 0;
};

}  // namespace tgsi2spv::lower
