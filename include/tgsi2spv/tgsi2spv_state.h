/* SPDX-License-Identifier: MIT */
/* Pipeline state that changes a module: structs of tgsi2spv_options. tgsi2spv.h explains and includes them.
 *
 * State that is off costs nothing. Most of the other adds specialization constants whose defaults change nothing, so
 * that one module serves every value, and drivers fold away state that a constant disables. Constants that
 * tgsi2spv_state::data names are read from a buffer instead. State that Vulkan expresses as decorations and types is
 * fixed in the module. */
#ifndef TGSI2SPV_STATE_H
#define TGSI2SPV_STATE_H

#include <stddef.h>
#include <stdint.h>

/** The number format of a vertex buffer or a colour target. */
typedef enum tgsi2spv_numeric_type {
    TGSI2SPV_NUMERIC_FLOAT = 0,
    TGSI2SPV_NUMERIC_UINT = 1,    /**< the words as they are */
    TGSI2SPV_NUMERIC_SINT = 2,    /**< the words as they are */
    TGSI2SPV_NUMERIC_USCALED = 3, /**< attributes: integers that the text reads as floats, fetched as integers */
    TGSI2SPV_NUMERIC_SSCALED = 4,
    /** Attributes: 16.16 fixed point with four components. With fewer, the integer fetch adds 1 as w, which is
     * 2^-16. */
    TGSI2SPV_NUMERIC_FIXED = 5,
    TGSI2SPV_NUMERIC_UNORM32 = 6, /**< attributes: 32-bit integers for 0..1, fetched as R32…_UINT */
    TGSI2SPV_NUMERIC_SNORM32 = 7, /**< attributes: 32-bit integers for -1..1, fetched as R32…_SINT */
    /** Attributes: 64-bit floats, which become 32-bit ones. IN[n] takes two locations, so that the
     * location of every attribute is its number plus the number of DOUBLE entries before it, also of those that the
     * text does not read. The first one is fetched as R32G32_UINT (x) or R32G32B32A32_UINT (x, y), the second one, 16
     * bytes further, has z and w. With fewer than four doubles, name IN[n] in widened_attributes; with one or two,
     * fetch the second location from zeros. */
    TGSI2SPV_NUMERIC_DOUBLE = 8,
    TGSI2SPV_NUMERIC_TYPE_MAX = 0x7fffffff
} tgsi2spv_numeric_type;

/** Which inputs of FRAG may be point sprite coordinates. */
typedef enum tgsi2spv_sprites {
    TGSI2SPV_SPRITES_NONE = 0,
    TGSI2SPV_SPRITES_TEXCOORD = 1,
    TGSI2SPV_SPRITES_GENERIC = 2,
    TGSI2SPV_SPRITES_MAX = 0x7fffffff
} tgsi2spv_sprites;

/** Specialization constants by id: the choices that a module leaves to the pipeline. Each is one word: zero or non-zero
 * unless noted. The reflection lists the constants of a module and their defaults. */
typedef enum tgsi2spv_spec {
    TGSI2SPV_SPEC_FRAMEBUFFER_HEIGHT = 0, /**< float, pixels */
    TGSI2SPV_SPEC_BASE_VERTEX = 1,        /**< for devices without draw parameters; so are the next two */
    TGSI2SPV_SPEC_BASE_INSTANCE = 2,
    TGSI2SPV_SPEC_DRAW_ID = 3,
    TGSI2SPV_SPEC_TESS_DEFAULT_OUTER = 4,  /**< four floats, ids 4 to 7 */
    TGSI2SPV_SPEC_TESS_DEFAULT_INNER = 8,  /**< two floats, ids 8 and 9 */
    TGSI2SPV_SPEC_BLOCK_SIZE = 10,         /**< x, y, z: ids 10 to 12 */
    TGSI2SPV_SPEC_WORK_DIM = 13,           /**< dimensions of the grid */
    TGSI2SPV_SPEC_TARGET_SAMPLES = 14,     /**< of the render target */
    TGSI2SPV_SPEC_ALPHA_FUNC = 15,         /**< 0 to 7: NEVER LESS EQUAL LEQUAL GREATER NOTEQUAL GEQUAL ALWAYS */
    TGSI2SPV_SPEC_ALPHA_REFERENCE = 16,    /**< float */
    TGSI2SPV_SPEC_TWO_SIDED = 17,          /**< BCOLOR on back faces */
    TGSI2SPV_SPEC_DEPTH_RANGE = 18,        /**< depth -1..1 becomes 0..1 */
    TGSI2SPV_SPEC_FLIP_Y = 19,             /**< negate y of the position */
    TGSI2SPV_SPEC_INVERT_ORIGIN = 20,      /**< the FS_COORD_ORIGIN opposite to the text's */
    TGSI2SPV_SPEC_OTHER_PIXEL_CENTER = 21, /**< the FS_COORD_PIXEL_CENTER opposite to the text's */
    TGSI2SPV_SPEC_CLIP_ENABLE = 22,        /**< bit n: clip distance n (default: all) or user plane n (none) clips */
    TGSI2SPV_SPEC_CLAMP_VERTEX_COLOR = 23,
    TGSI2SPV_SPEC_CLAMP_FRAGMENT_COLOR = 24,
    TGSI2SPV_SPEC_ALPHA_TO_ONE = 25,
    TGSI2SPV_SPEC_SAMPLE_MASK = 26,           /**< samples that may be written */
    TGSI2SPV_SPEC_SAMPLE_MASK_IGNORED = 27,   /**< ignore SAMPLEMASK of the text: set it for targets with one sample */
    TGSI2SPV_SPEC_SPRITE_MASK = 28,           /**< bit n: TEXCOORD[n] or GENERIC[n] is the point sprite coordinate */
    TGSI2SPV_SPEC_SPRITE_LOWER_LEFT = 29,     /**< the point sprite's origin is at the lower left, in PCOORD too */
    TGSI2SPV_SPEC_POINT_SIZE = 30,            /**< float, pixels */
    TGSI2SPV_SPEC_POINT_SIZE_PER_VERTEX = 31, /**< PSIZE is used where it is written */
    TGSI2SPV_SPEC_BGRA_ATTRIBUTES = 32,       /**< bit n: swap red and blue of IN[n] */
    TGSI2SPV_SPEC_BGRA_TARGETS = 33,          /**< bit n: swap red and blue of COLOR[n] */
    TGSI2SPV_SPEC_POLYGON_STIPPLE = 34,       /**< set it only while polygons are drawn */
    TGSI2SPV_SPEC_UNNORMALIZED = 35,          /**< bit n: coordinates for SAMP[n] are texels */
    TGSI2SPV_SPEC_BLEND_COLOR = 36,           /**< four floats, ids 36 to 39 */
    TGSI2SPV_SPEC_DEPTH_NEAR = 40,            /**< float, the viewport's; so is the next one, whose default is 1 */
    TGSI2SPV_SPEC_DEPTH_FAR = 41,
    TGSI2SPV_SPEC_OFFSET_UNITS = 42, /**< float, polygon offset; so are the next two: factor, clamp (0: none) */
    TGSI2SPV_SPEC_OFFSET_FACTOR = 43,
    TGSI2SPV_SPEC_OFFSET_CLAMP = 44,
    TGSI2SPV_SPEC_OFFSET_UNIT = 45,      /**< float, the least difference of depths; 0: the depth format has floats */
    TGSI2SPV_SPEC_COMPARE_FUNCTION = 64, /**< + n: for SAMP[n], numbered as SPEC_ALPHA_FUNC */
    TGSI2SPV_SPEC_VIEW_SWIZZLE = 96, /**< + n: of the texture in SAMP[n] or SVIEW[n]; three bits per component from x
                                        on: 0 to 3 x y z w, 4 zero, 5 one */
    TGSI2SPV_SPEC_MAX = 0x7fffffff
} tgsi2spv_spec;

/** The contents of the state's constant buffer (tgsi2spv_state::constant_buffer). A module reads only what its text and
 * state need: bind at least as many bytes as its reflection says. */
typedef struct tgsi2spv_state_buffer {
    float clip_planes[8][4];
    uint32_t polygon_stipple[32]; /**< one word per row from the top; bit 31 is the left pixel */
    /** x and y: half of the viewport's width and height, in pixels, for VS_WINDOW_SPACE_POSITION. The viewport must
     * begin at (0, 0), not point upwards, and have a depth range of 0 to 1; depth clamping keeps z outside that range.
     * z and w, as words: the layer and the viewport index of STATE_ONE_LAYER; all ones: any. */
    float viewport[4];
    /** By tgsi2spv_spec, words or floats in the form of the specialization constant: those of tgsi2spv_state::data. */
    uint32_t values[48];
} tgsi2spv_state_buffer;

/** Depth of the text's positions is -1..1 (OpenGL); Vulkan's is 0..1. */
typedef enum tgsi2spv_depth_range {
    TGSI2SPV_DEPTH_RANGE_CONVERT = 0, /**< -1..1 becomes 0..1 */
    TGSI2SPV_DEPTH_RANGE_KEEP = 1,    /**< it is 0..1 already, or VK_EXT_depth_clip_control converts it */
    TGSI2SPV_DEPTH_RANGE_CHOOSE = 2,  /**< by SPEC_DEPTH_RANGE, whose default is to convert */
    TGSI2SPV_DEPTH_RANGE_MAX = 0x7fffffff
} tgsi2spv_depth_range;

/** Whether y of the position is negated. That turns faces around: the pipeline must swap the front face. */
typedef enum tgsi2spv_flip_y {
    TGSI2SPV_FLIP_Y_NEVER = 0,
    TGSI2SPV_FLIP_Y_ALWAYS = 1,
    TGSI2SPV_FLIP_Y_CHOOSE = 2, /**< by SPEC_FLIP_Y, whose default is not to */
    TGSI2SPV_FLIP_Y_MAX = 0x7fffffff
} tgsi2spv_flip_y;

/** State that is on or off (tgsi2spv_state::flags). "Last" is the last stage before the rasterizer. */
typedef enum tgsi2spv_state_flags {
    TGSI2SPV_STATE_CLIP_ENABLE = 1 << 0,        /**< last: SPEC_CLIP_ENABLE for CLIPDIST that the text writes */
    TGSI2SPV_STATE_CLAMP_VERTEX_COLOR = 1 << 1, /**< last: SPEC_CLAMP_VERTEX_COLOR */
    TGSI2SPV_STATE_DRAWS_POINTS = 1 << 2,       /**< last: PointSize is 1 where the text writes no PSIZE */
    TGSI2SPV_STATE_POINT_SIZE = 1 << 3,         /**< last: SPEC_POINT_SIZE, SPEC_POINT_SIZE_PER_VERTEX */
    TGSI2SPV_STATE_BGRA_ATTRIBUTES = 1 << 4,    /**< VERT: SPEC_BGRA_ATTRIBUTES */
    /** FRAG: tests COLOR[0].w, after SPEC_CLAMP_FRAGMENT_COLOR, by SPEC_ALPHA_FUNC and SPEC_ALPHA_REFERENCE. */
    TGSI2SPV_STATE_ALPHA_TEST = 1 << 5,
    TGSI2SPV_STATE_TWO_SIDED = 1 << 6,  /**< FRAG: SPEC_TWO_SIDED; the stage before writes a BCOLOR per COLOR */
    TGSI2SPV_STATE_FLAT_SHADE = 1 << 7, /**< FRAG: inputs with COLOR interpolation are flat */
    TGSI2SPV_STATE_CLAMP_FRAGMENT_COLOR = 1 << 8, /**< FRAG: SPEC_CLAMP_FRAGMENT_COLOR, not of integer targets */
    TGSI2SPV_STATE_ALPHA_TO_ONE = 1 << 9,         /**< FRAG: SPEC_ALPHA_TO_ONE, after the alpha test */
    TGSI2SPV_STATE_SAMPLE_MASK = 1 << 10,         /**< FRAG: SPEC_SAMPLE_MASK, SPEC_SAMPLE_MASK_IGNORED */
    TGSI2SPV_STATE_SAMPLE_SHADING = 1 << 11,      /**< FRAG: smooth inputs are interpolated at each sample */
    TGSI2SPV_STATE_COORD_ORIGIN = 1 << 12,        /**< FRAG: SPEC_INVERT_ORIGIN, SPEC_FRAMEBUFFER_HEIGHT */
    TGSI2SPV_STATE_PIXEL_CENTER = 1 << 13,        /**< FRAG: SPEC_OTHER_PIXEL_CENTER */
    TGSI2SPV_STATE_POLYGON_STIPPLE = 1 << 14,     /**< FRAG: SPEC_POLYGON_STIPPLE; rows as COORD_ORIGIN says */
    TGSI2SPV_STATE_BGRA_TARGETS = 1 << 15,        /**< FRAG: SPEC_BGRA_TARGETS */
    TGSI2SPV_STATE_DUAL_SOURCE = 1 << 16,         /**< FRAG: COLOR[1] is the second source of blending (Index 1) */
    /** FRAG: FBFETCH of COLOR[n] reads SAMPLED_IMAGE 416 + n at the pixel, which holds what the target did before the
     * draw, in place of an input attachment. The next two count only with it. */
    TGSI2SPV_STATE_FETCH_IMAGE = 1 << 17,
    TGSI2SPV_STATE_FETCH_LAYER = 1 << 18,  /**< FRAG: these are arrays, read at the fragment's layer */
    TGSI2SPV_STATE_FETCH_SAMPLE = 1 << 19, /**< FRAG: these are multisampled, read at the invocation's sample */
    /** VERT and TESS_EVAL, last: LAYER and VIEWPORT_INDEX select nothing, for devices where they cannot. Vertices with
     * others than those of tgsi2spv_state_buffer::viewport are outside of the picture, so that each layer can be drawn
     * by itself; the vertices of a primitive agree. A linked FRAG reads both as flat varyings. */
    TGSI2SPV_STATE_ONE_LAYER = 1 << 20,
    /** Last and FRAG, linked with each other: primitives are not clipped by depth, and FRAG writes the depth, clamped
     * to SPEC_DEPTH_NEAR and SPEC_DEPTH_FAR, for devices without depthClamp. Tests are not early then, FS_DEPTH_LAYOUT
     * does not count, and a depth is that of a sample only with STATE_SAMPLE_SHADING. */
    TGSI2SPV_STATE_CLAMP_DEPTH = 1 << 21,
    TGSI2SPV_STATE_OFFSET_DEPTH = 1 << 22, /**< FRAG, with CLAMP_DEPTH: polygon offset by SPEC_OFFSET_UNITS, ... */
    TGSI2SPV_STATE_FLAGS = (1 << 23) - 1,  /**< all of them */
    TGSI2SPV_STATE_FLAGS_MAX = 0x7fffffff
} tgsi2spv_state_flags;

/** What a module that blends reads. */
typedef enum tgsi2spv_blend_target {
    TGSI2SPV_BLEND_TARGET_NONE = 0, /**< it does not blend */
    TGSI2SPV_BLEND_TARGET_PIXEL = 1,
    TGSI2SPV_BLEND_TARGET_SAMPLE = 2, /**< of a multisampled target: FRAG runs for each sample */
    TGSI2SPV_BLEND_TARGET_MAX = 0x7fffffff
} tgsi2spv_blend_target;

/** Values to which fixed-point targets clamp what is blended. */
typedef enum tgsi2spv_blend_range {
    TGSI2SPV_BLEND_UNBOUNDED = 0, /**< floats */
    TGSI2SPV_BLEND_UNORM = 1,     /**< 0..1 */
    TGSI2SPV_BLEND_SNORM = 2,     /**< -1..1 */
    TGSI2SPV_BLEND_RANGE_MAX = 0x7fffffff
} tgsi2spv_blend_range;

/** Blending by the module, for devices without dualSrcBlend. Factors and operations have Vulkan's numbers
 * (VkBlendFactor, VkBlendOp up to MAX); constant factors read SPEC_BLEND_COLOR. */
typedef struct tgsi2spv_blend {
    uint32_t target; /**< tgsi2spv_blend_target */
    uint32_t range;  /**< tgsi2spv_blend_range of the target */
    uint32_t color_src;
    uint32_t color_dst;
    uint32_t color_op;
    uint32_t alpha_src;
    uint32_t alpha_dst;
    uint32_t alpha_op;
} tgsi2spv_blend;

/** A logic operation by the module, for devices without logicOp: blend.target says what it reads; the rest of the blend
 * does not count. Of fixed-point targets. */
typedef struct tgsi2spv_logic {
    uint32_t op;   /**< 1 + VkLogicOp; 0: none */
    uint32_t bits; /**< of the target's components, up to 16: byte n is that of component n; 0: it has none */
} tgsi2spv_logic;

/** Gallium state that Vulkan does not have, or does not have everywhere. Members that are 0 add nothing. */
typedef struct tgsi2spv_state {
    size_t struct_size;
    /** Bit n: the value of specialization constant n (tgsi2spv_spec up to SPEC_OFFSET_UNIT; not BLOCK_SIZE) is read
     * from tgsi2spv_state_buffer::values[n] instead, so that another value needs no other pipeline. Word 0 has bits 0
     * to 31. */
    uint32_t data[2];
    uint32_t flags; /**< tgsi2spv_state_flags */
    /* VERT, TESS_EVAL, GEOM: the last stage before the rasterizer (tgsi2spv_options::next_stage, or its linkage) */
    uint32_t depth_range; /**< tgsi2spv_depth_range */
    uint32_t flip_y;      /**< tgsi2spv_flip_y */
    /** 0 to 8 user planes, by SPEC_CLIP_ENABLE: distance n is CLIPVERTEX · plane n, or POSITION · plane n without
     * CLIPVERTEX. None if the text writes CLIPDIST or has VS_PROHIBIT_UCPS. */
    uint32_t clip_planes;
    /* VERT */
    uint32_t attributes[32];     /**< tgsi2spv_numeric_type by IN register */
    uint32_t widened_attributes; /**< bit n: w of IN[n] is 1, not the fetched value */
    /* FRAG */
    /** tgsi2spv_sprites, while points are drawn: the input is (x, y, 0, 1) in the point. SPEC_SPRITE_MASK,
     * SPEC_SPRITE_LOWER_LEFT. */
    uint32_t sprites;
    uint32_t targets[8];    /**< tgsi2spv_numeric_type by COLOR: FLOAT, UINT, SINT */
    uint32_t alpha_targets; /**< bit n: x of the target gets the alpha of COLOR[n], as in A8 formats */
    uint32_t color_targets; /**< how many targets FS_COLOR0_WRITES_ALL_CBUFS writes; 0: as many as the device has */
    /* Textures of every stage: bit n means register n, below 32, where an instruction names it by number */
    uint32_t unnormalized; /**< SAMP[n], 1D and 2D: SPEC_UNNORMALIZED */
    /** SAMP[n] of comparison targets without a depth format: SPEC_COMPARE_FUNCTION + n compares the reference, which is
     * not clamped, with x of the texel; results are not blended. Gathers too. */
    uint32_t compare_in_shader;
    uint32_t swizzled_views; /**< SAMP[n], in the SAMPLE family SVIEW[n]: SPEC_VIEW_SWIZZLE + n; gathers too */
    /** SAMP[n], not of cubes: GL_CLAMP of coordinate x, y, z, which is clamped to 0..1, after the division of TXP and
     * the scaling of RECT. The VkSampler has CLAMP_TO_EDGE, or with a linear filter CLAMP_TO_BORDER. */
    uint32_t clamped_coordinates[3];
    /** tgsi2spv_numeric_type of the texels of IMAGE[n]: FLOAT, UINT, SINT. Counts where the text names no format. */
    uint32_t images[32];
    /** The constant buffer of tgsi2spv_state_buffer; 0: CONST[31]. */
    uint32_t constant_buffer;
    /** FRAG: 1, 2, 4, 8 or 16 samples that SAMPLEID and SAMPLEMASK know, where the target has more: sample n of it is
     * n % seen_samples of the text. 0: all. */
    uint32_t seen_samples;
    /** FRAG: target 0 gets COLOR[0], blended with what the target has, which is read as FBFETCH reads it: an input
     * attachment. With STATE_DUAL_SOURCE, COLOR[1] is the second source. Fragments must come in order:
     * VK_EXT_rasterization_order_attachment_access, or no two of a draw at one place. */
    tgsi2spv_blend blend;
    /** SAMP[n]: mirror clamp to border of coordinate x, y, z, which becomes its absolute value, but no less than half a
     * texel; with clamped_coordinates too, mirror clamp. The VkSampler has CLAMP_TO_BORDER. */
    uint32_t mirrored_coordinates[3];
    /** Bit n: SAMP[n] of these reads other levels than the first, whose texels are larger. */
    uint32_t mirrored_levels;
    /** The format of IMAGE[n], by SPIR-V's "Image Format"; 0: not known. Counts where the text names none and the
     * device lacks shaderStorageImageReadWithoutFormat or shaderStorageImageWriteWithoutFormat, whichever is needed;
     * and in place of another one of the same type (float, signed, unsigned), unless the text has atomics on the image,
     * or names an IMAGE by an index. */
    uint32_t image_formats[32];
    /** How many samples the multisampled image that IMAGE[n] is has; 0: not known, the device is asked. */
    uint32_t image_samples[32];
    /** SAMP[n], in the SAMPLE family SVIEW[n], of BUFFER: normalised numbers of 16 bits, whose texels are fetched as
     * R16…_UINT or R16…_SINT. w is such a number, too: with fewer than four components, let SPEC_VIEW_SWIZZLE + n make
     * it 1. */
    uint32_t unorm16_buffers, snorm16_buffers;
    /** FRAG, with a blend.target: target 0 gets this operation of COLOR[0] and what the target has. */
    tgsi2spv_logic logic;
} tgsi2spv_state;

/** The behaviour of an access out of range. */
typedef enum tgsi2spv_out_of_range {
    TGSI2SPV_OUT_OF_RANGE_ZERO = 0,  /**< reads return 0; writes and atomics do nothing */
    TGSI2SPV_OUT_OF_RANGE_CLAMP = 1, /**< the access goes to the nearest valid place: cheaper, and as safe */
    TGSI2SPV_OUT_OF_RANGE_TRUST = 2, /**< the caller promises that there is none; otherwise behaviour is undefined */
    TGSI2SPV_OUT_OF_RANGE_MAX = 0x7fffffff
} tgsi2spv_out_of_range;

/** The result of converting a float to an integer that it does not fit (F2I, ARL, …). */
typedef enum tgsi2spv_conversions {
    TGSI2SPV_CONVERSIONS_SATURATE = 0, /**< the nearest integer; NaN becomes 0 */
    TGSI2SPV_CONVERSIONS_CLAMP = 1,    /**< some integer, as OpenGL allows: cheaper, and as safe */
    TGSI2SPV_CONVERSIONS_TRUST = 2,    /**< the caller promises that there is none; otherwise behaviour is undefined */
    TGSI2SPV_CONVERSIONS_MAX = 0x7fffffff
} tgsi2spv_conversions;

/** Workarounds for driver bugs. None changes the meaning of a module. */
typedef enum tgsi2spv_workaround {
    /** On by default: the depth of PUSHA's stack is an array of one register, because SwiftShader reads 0 from a scalar
     * variable that a loop writes. */
    TGSI2SPV_WORKAROUND_SCALARS_IN_ARRAYS = 1 << 0,
    /** On by default: if the level differs between lanes, its size is computed by halving the size of level 0, because
     * drivers err where lanes ask for the sizes of different levels. */
    TGSI2SPV_WORKAROUND_SIZES_OF_LEVEL_0 = 1 << 1,
    /** Off by default: registers that loops write are in memory, because lavapipe keeps the values of the first
     * iteration in some loops. */
    TGSI2SPV_WORKAROUND_LOOP_REGISTERS_IN_MEMORY = 1 << 2,
    /** Off by default: branches on constants, in VERT and FRAG, also test a condition of the lane that is always true.
     * lavapipe of Mesa 22 compiles a shader anew for each value of the constants that decide its branches. */
    TGSI2SPV_WORKAROUND_BRANCHES_BY_LANE = 1 << 3,
    /** Off by default: float to integer conversions, with TGSI2SPV_CONVERSIONS_CLAMP, are not clamped. SPIR-V leaves
     * those that do not fit undefined, but the instructions of AMD's and NVIDIA's GPUs saturate. */
    TGSI2SPV_WORKAROUND_DEVICE_SATURATES = 1 << 4,
    /** Off by default: SIN and COS leave whole turns in their argument. Vulkan promises nothing beyond one turn, but
     * AMD's GPUs drop whole turns exactly. */
    TGSI2SPV_WORKAROUND_DEVICE_REDUCES_ANGLES = 1 << 5,
    /** Off by default: LG2 and POW take the device's logarithm of 0 as it is: -inf on AMD's and NVIDIA's GPUs. Vulkan
     * leaves it undefined. */
    TGSI2SPV_WORKAROUND_DEVICE_LOGS_ZERO = 1 << 6,
    TGSI2SPV_WORKAROUNDS = (1 << 7) - 1,            /**< all of them */
    TGSI2SPV_WORKAROUNDS_BY_DEFAULT = (1 << 2) - 1, /**< those that cost almost nothing */
    TGSI2SPV_WORKAROUND_MAX = 0x7fffffff
} tgsi2spv_workaround;

/** Components first_component .. first_component + component_count - 1 of OUT[output] go to word `offset` of each
 * vertex in `buffer`: gallium's pipe_stream_output. */
typedef struct tgsi2spv_stream_output {
    uint32_t output;
    uint32_t first_component; /**< 0 to 3 */
    uint32_t component_count; /**< 1 to 4 */
    uint32_t buffer;          /**< 0 to 3 */
    uint32_t offset;          /**< words */
    uint32_t stream;          /**< GEOM: 0 to 3 */
} tgsi2spv_stream_output;

/** Transform feedback of the last stage before the rasterizer. It captures the values that the text writes, before
 * depth range, y and clamps are converted to Vulkan's. */
typedef struct tgsi2spv_stream_outputs {
    size_t struct_size;
    const tgsi2spv_stream_output* outputs;
    size_t output_count;
    uint32_t strides[4]; /**< words of a vertex, by buffer */
} tgsi2spv_stream_outputs;

#endif
