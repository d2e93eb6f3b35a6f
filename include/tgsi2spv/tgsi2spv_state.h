/* Pipeline state that changes a module: structs of tgsi2spv_options. tgsi2spv.h explains and includes them. */
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
    TGSI2SPV_NUMERIC_TYPE_MAX = 0x7fffffff
} tgsi2spv_numeric_type;

/** Which inputs of FRAG may be point sprite coordinates. */
typedef enum tgsi2spv_sprites {
    TGSI2SPV_SPRITES_NONE = 0,
    TGSI2SPV_SPRITES_TEXCOORD = 1,
    TGSI2SPV_SPRITES_GENERIC = 2,
    TGSI2SPV_SPRITES_MAX = 0x7fffffff
} tgsi2spv_sprites;

/** Specialization constants by id: what a pipeline can still choose in a module. Each is one word: zero or non-zero
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
    TGSI2SPV_SPEC_CLIP_ENABLE = 22,        /**< bit n: clip distance n or user plane n clips */
    TGSI2SPV_SPEC_CLAMP_VERTEX_COLOR = 23,
    TGSI2SPV_SPEC_CLAMP_FRAGMENT_COLOR = 24,
    TGSI2SPV_SPEC_ALPHA_TO_ONE = 25,
    TGSI2SPV_SPEC_SAMPLE_MASK = 26,           /**< samples that may be written */
    TGSI2SPV_SPEC_SAMPLE_MASK_IGNORED = 27,   /**< SAMPLEMASK that the text writes is ignored */
    TGSI2SPV_SPEC_SPRITE_MASK = 28,           /**< bit n: TEXCOORD[n] or GENERIC[n] is the point sprite coordinate */
    TGSI2SPV_SPEC_SPRITE_LOWER_LEFT = 29,     /**< the origin of the point sprite is at the lower left */
    TGSI2SPV_SPEC_POINT_SIZE = 30,            /**< float, pixels */
    TGSI2SPV_SPEC_POINT_SIZE_PER_VERTEX = 31, /**< PSIZE is used where it is written */
    TGSI2SPV_SPEC_BGRA_ATTRIBUTES = 32,       /**< bit n: swap red and blue of IN[n] */
    TGSI2SPV_SPEC_BGRA_TARGETS = 33,          /**< bit n: swap red and blue of COLOR[n] */
    TGSI2SPV_SPEC_POLYGON_STIPPLE = 34,
    TGSI2SPV_SPEC_UNNORMALIZED = 35,         /**< bit n: coordinates for SAMP[n] are texels */
    TGSI2SPV_SPEC_LINE_STIPPLE_PATTERN = 36, /**< 16 bits from bit 0 on; the default has all bits set */
    TGSI2SPV_SPEC_LINE_STIPPLE_FACTOR = 37,  /**< each bit is repeated this many times: 0 to 255 */
    TGSI2SPV_SPEC_COMPARE_FUNCTION = 64,     /**< + n: for SAMP[n], numbered as SPEC_ALPHA_FUNC */
    TGSI2SPV_SPEC_VIEW_SWIZZLE = 96, /**< + n: of the texture in SAMP[n] or SVIEW[n]; three bits per component from x
                                        on: 0 to 3 x y z w, 4 zero, 5 one */
    TGSI2SPV_SPEC_MAX = 0x7fffffff
} tgsi2spv_spec;

/** The layout of tgsi2spv_state::constant_buffer: first vectors (16 bytes each), and how many there are. */
typedef enum tgsi2spv_state_vector {
    TGSI2SPV_STATE_VECTOR_CLIP_PLANES = 0,     /**< eight planes */
    TGSI2SPV_STATE_VECTOR_POLYGON_STIPPLE = 8, /**< 32 words, one per row from the top; bit 31 is the left pixel */
    TGSI2SPV_STATE_VECTORS = 16,
    TGSI2SPV_STATE_VECTOR_VIEWPORT = 16,  /**< x and y: half of the viewport's width and height, in pixels */
    TGSI2SPV_STATE_VECTORS_OF_LINES = 17, /**< with line_stipple, or VS_WINDOW_SPACE_POSITION */
    TGSI2SPV_STATE_VECTOR_MAX = 0x7fffffff
} tgsi2spv_state_vector;

/** Gallium state that Vulkan does not have, or does not have everywhere. A member that is 0 adds nothing. Each switch
 * adds specialization constants whose defaults change nothing, so that one module serves every state. flat_shade,
 * attributes and targets are fixed in the module, because Vulkan expresses them as decorations and types. */
typedef struct tgsi2spv_state {
    size_t struct_size;
    /* VERT, TESS_EVAL, GEOM: the last stage before rasterization */
    uint32_t depth_range;        /**< SPEC_DEPTH_RANGE; its default follows tgsi2spv_options::keep_depth_range */
    uint32_t flip_y;             /**< SPEC_FLIP_Y; its default is tgsi2spv_options::flip_y */
    uint32_t clip_enable;        /**< SPEC_CLIP_ENABLE: for CLIPDIST that the text writes */
    uint32_t clip_planes;        /**< 0 to 8 user planes, if the text writes no CLIPDIST; SPEC_CLIP_ENABLE */
    uint32_t clamp_vertex_color; /**< SPEC_CLAMP_VERTEX_COLOR */
    uint32_t point_size;         /**< PointSize is always written: SPEC_POINT_SIZE, SPEC_POINT_SIZE_PER_VERTEX */
    /* VERT */
    uint32_t bgra_attributes; /**< SPEC_BGRA_ATTRIBUTES */
    /* FRAG */
    uint32_t alpha_test;           /**< tests COLOR[0].w: SPEC_ALPHA_FUNC, SPEC_ALPHA_REFERENCE */
    uint32_t two_sided;            /**< SPEC_TWO_SIDED; the previous stage writes BCOLOR for each COLOR that is read */
    uint32_t flat_shade;           /**< inputs with COLOR interpolation are flat */
    uint32_t clamp_fragment_color; /**< SPEC_CLAMP_FRAGMENT_COLOR */
    uint32_t alpha_to_one;         /**< SPEC_ALPHA_TO_ONE */
    uint32_t sample_mask;          /**< SPEC_SAMPLE_MASK, SPEC_SAMPLE_MASK_IGNORED */
    uint32_t coord_origin;         /**< SPEC_INVERT_ORIGIN, SPEC_FRAMEBUFFER_HEIGHT */
    uint32_t pixel_center;         /**< SPEC_OTHER_PIXEL_CENTER */
    uint32_t polygon_stipple;      /**< SPEC_POLYGON_STIPPLE; coord_origin sets the direction of the rows */
    uint32_t bgra_targets;         /**< SPEC_BGRA_TARGETS */
    uint32_t sprites;              /**< tgsi2spv_sprites; SPEC_SPRITE_MASK, SPEC_SPRITE_LOWER_LEFT */
    /** The constant buffer of clip_planes, polygon_stipple and line_stipple: tgsi2spv_state_vector. 0: CONST[31]. */
    uint32_t constant_buffer;
    /* Textures of every stage: bit n stands for register n, below 32, where an instruction names it by number */
    uint32_t unnormalized;      /**< SAMP[n], 1D and 2D: SPEC_UNNORMALIZED */
    uint32_t compare_in_shader; /**< SAMP[n] of comparison targets without a depth format: SPEC_COMPARE_FUNCTION + n */
    uint32_t swizzled_views;    /**< SAMP[n], in the SAMPLE family SVIEW[n]: SPEC_VIEW_SWIZZLE + n; gathers too */
    uint32_t attributes[32];    /**< tgsi2spv_numeric_type by IN register of VERT */
    /** FRAG: SPEC_LINE_STIPPLE_PATTERN, SPEC_LINE_STIPPLE_FACTOR, for lines from a GEOM that
     * tgsi2spv_passthrough_geometry wrote */
    uint32_t line_stipple;
    uint32_t reserved;
    uint32_t targets[8]; /**< tgsi2spv_numeric_type by COLOR of FRAG: FLOAT, UINT, SINT */
} tgsi2spv_state;

/** What an access out of range does. */
typedef enum tgsi2spv_out_of_range {
    TGSI2SPV_OUT_OF_RANGE_ZERO = 0,  /**< reads return 0; writes and atomics do nothing */
    TGSI2SPV_OUT_OF_RANGE_CLAMP = 1, /**< the access goes to the nearest valid place: cheaper, and as safe */
    TGSI2SPV_OUT_OF_RANGE_TRUST = 2, /**< the caller promises that there is none; otherwise behaviour is undefined */
    TGSI2SPV_OUT_OF_RANGE_MAX = 0x7fffffff
} tgsi2spv_out_of_range;

/** What a float becomes that does not fit the integer that it is converted to (F2I, ARL, …). */
typedef enum tgsi2spv_conversions {
    TGSI2SPV_CONVERSIONS_SATURATE = 0, /**< the nearest integer; NaN becomes 0 */
    TGSI2SPV_CONVERSIONS_CLAMP = 1,    /**< some integer, as OpenGL allows: cheaper, and as safe */
    TGSI2SPV_CONVERSIONS_TRUST = 2,    /**< the caller promises that there is none; otherwise behaviour is undefined */
    TGSI2SPV_CONVERSIONS_MAX = 0x7fffffff
} tgsi2spv_conversions;

/** Workarounds for driver bugs. None changes the meaning of a module. Those that cost almost nothing are on, and have a
 * flag that turns them off. */
typedef struct tgsi2spv_workarounds {
    size_t struct_size;
    /** 0 (workaround on): the depth of PUSHA's stack is an array of one register, because SwiftShader reads 0 from a
     * scalar variable that a loop writes. */
    uint32_t no_scalars_in_arrays;
    /** 0 (workaround on): if the level differs between lanes, its size is computed by halving the size of level 0,
     * because drivers err where lanes ask for the sizes of different levels. */
    uint32_t no_sizes_of_level_0;
    /** 1 (workaround on): registers that loops write are in memory, because lavapipe keeps the values of the first
     * iteration in some loops. */
    uint32_t loop_registers_in_memory;
    uint32_t reserved;
} tgsi2spv_workarounds;

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

/** Transform feedback of the last stage before rasterization. It captures the values that the text writes, before depth
 * range, y and clamps are converted to Vulkan's. */
typedef struct tgsi2spv_stream_outputs {
    size_t struct_size;
    const tgsi2spv_stream_output* outputs;
    size_t output_count;
    uint32_t strides[4]; /**< words of a vertex, by buffer */
} tgsi2spv_stream_outputs;

#endif
