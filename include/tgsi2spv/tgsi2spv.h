/* TGSI text to Vulkan SPIR-V: the library.
 *
 * A context holds the memory of conversions and what the last one made; a program is parsed text, which any number of
 * contexts may convert any number of times. There are no globals: contexts may be used in any number of threads at
 * once, one thread each; a program is never changed, so that threads may share it.
 *
 * Every struct begins with its size (`struct_size`), set by the caller: structs grow at their end, and a library takes
 * shorter ones than its own, and longer ones if what it does not know of them is zero (else
 * TGSI2SPV_ERROR_INVALID_ARGUMENT). In what the caller gives, zero is always the default:
 *
 *     tgsi2spv_options options = {.struct_size = sizeof options, .flip_y = 1};
 *
 * Text is not trusted: no text, however made, crashes the library, hangs it or takes more memory than the limits allow.
 * What cannot be translated is refused with a diagnostic, never translated wrongly.
 */
#ifndef TGSI2SPV_H
#define TGSI2SPV_H

#include <stddef.h>
#include <stdint.h>

#include "tgsi2spv/tgsi2spv_device.h"
#include "tgsi2spv/tgsi2spv_state.h"

#define TGSI2SPV_VERSION_MAJOR 0
#define TGSI2SPV_VERSION_MINOR 1
#define TGSI2SPV_VERSION_PATCH 0
#define TGSI2SPV_MAKE_VERSION(major, minor, patch) ((major)*1000000u + (minor)*1000u + (patch))
/** Of this header; tgsi2spv_version() is the library's. */
#define TGSI2SPV_VERSION TGSI2SPV_MAKE_VERSION(TGSI2SPV_VERSION_MAJOR, TGSI2SPV_VERSION_MINOR, TGSI2SPV_VERSION_PATCH)

#if defined(_WIN32) && defined(TGSI2SPV_SHARED)
#ifdef TGSI2SPV_BUILDING
#define TGSI2SPV_API __declspec(dllexport)
#else
#define TGSI2SPV_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TGSI2SPV_API __attribute__((visibility("default")))
#else
#define TGSI2SPV_API
#endif

#ifdef __cplusplus
#define TGSI2SPV_NOEXCEPT noexcept
extern "C" {
#else
#define TGSI2SPV_NOEXCEPT
#endif

/* ---- Version -------------------------------------------------------------------------------------------------- */

/** As TGSI2SPV_VERSION, of the library that is linked. */
TGSI2SPV_API uint32_t tgsi2spv_version(void) TGSI2SPV_NOEXCEPT;
/** "0.1.0+" and 16 hexadecimal digits that name the sources it was built from: it changes whenever a module may. */
TGSI2SPV_API const char* tgsi2spv_version_string(void) TGSI2SPV_NOEXCEPT;

/* ---- Status and diagnostics ----------------------------------------------------------------------------------- */

typedef enum tgsi2spv_status {
    TGSI2SPV_SUCCESS = 0,
    /** The call is wrong: a null pointer, an enumerant out of range, a struct from a newer header, one thing in a list
     * twice. Where a struct is at fault, the context's one diagnostic (code "invalid-argument") names the member. */
    TGSI2SPV_ERROR_INVALID_ARGUMENT = 1,
    TGSI2SPV_ERROR_OUT_OF_MEMORY = 2,
    /** The text is no TGSI program. */
    TGSI2SPV_ERROR_INVALID_TEXT = 3,
    /** A program that Vulkan, the target or the device cannot run; a diagnostic names the missing feature. */
    TGSI2SPV_ERROR_UNSUPPORTED = 4,
    /** A limit (tgsi2spv_limits, or one of SPIR-V's own). */
    TGSI2SPV_ERROR_LIMIT = 5,
    /** A mistake of the library's, noticed in time. */
    TGSI2SPV_ERROR_INTERNAL = 6,
    /** A file or folder could not be made, read or written. */
    TGSI2SPV_ERROR_IO = 7,
    TGSI2SPV_STATUS_MAX = 0x7fffffff
} tgsi2spv_status;

/** One lower-case sentence, static. */
TGSI2SPV_API const char* tgsi2spv_status_string(tgsi2spv_status status) TGSI2SPV_NOEXCEPT;

typedef enum tgsi2spv_severity {
    TGSI2SPV_SEVERITY_ERROR = 0,
    TGSI2SPV_SEVERITY_WARNING = 1,
    TGSI2SPV_SEVERITY_NOTE = 2,
    TGSI2SPV_SEVERITY_MAX = 0x7fffffff
} tgsi2spv_severity;

/** What a text is refused or warned of. Strings end with a zero and live as the context's diagnostics do. */
typedef struct tgsi2spv_diagnostic {
    size_t struct_size;
    const char* code;        /**< stable kebab-case name: "unknown-opcode" */
    const char* message;     /**< one sentence, lower case, without a final stop */
    const char* hint;        /**< may be empty */
    const char* source_line; /**< the line, or of a long one the part around the place; its bytes as they are */
    size_t source_line_bytes;
    tgsi2spv_severity severity;
    uint32_t offset;        /**< bytes from the start of the text */
    uint32_t line;          /**< from 1 */
    uint32_t column;        /**< from 1, in bytes */
    uint32_t length;        /**< bytes meant, from there; at least 1 */
    uint32_t source_column; /**< of the place in `source_line`, from 1 */
} tgsi2spv_diagnostic;

/* ---- Contexts and programs ------------------------------------------------------------------------------------ */

typedef struct tgsi2spv_context tgsi2spv_context;
typedef struct tgsi2spv_program tgsi2spv_program;
typedef struct tgsi2spv_linkage tgsi2spv_linkage;
typedef struct tgsi2spv_cache tgsi2spv_cache;

/**
 * The caller's allocator. It provides all memory whose size a guest's text decides: the objects, what a program keeps,
 * the working memory of parsing, lowering, the passes, emission, linking and the cache (a context keeps that for its
 * next call), and everything that the library hands out.
 *
 * These come from the C++ operator new instead:
 *
 * - diagnostics under construction. Codes, messages and hints have bounded lengths; there are at most
 *   tgsi2spv_limits::errors errors and as many warnings, with one note each;
 *
 * - copies of the lists in the caller's own options (bindings, push constants, stream outputs, the source's name), for
 *   the duration of the call.
 *
 * The C library opens a cache's folder with memory of its own, and the C++ runtime makes std::bad_alloc, which the
 * library uses inside, with memory of its own.
 *
 * A call that runs out of memory returns TGSI2SPV_ERROR_OUT_OF_MEMORY and leaves the context usable. The functions are
 * called in whatever thread calls the library, in several at once where these share an allocator. They must not unwind.
 */
typedef struct tgsi2spv_allocator {
    size_t struct_size;
    void* user;
    /** `bytes` and `alignment` (a power of two) are above 0. NULL if there is no memory. */
    void* (*allocate)(void* user, size_t bytes, size_t alignment);
    /** With the size and alignment that it was allocated with; never NULL. */
    void (*release)(void* user, void* memory, size_t bytes, size_t alignment);
} tgsi2spv_allocator;

/** What a text may ask for. Each has its own diagnostic (a code ending in "-limit"). 0: the default. */
typedef struct tgsi2spv_limits {
    size_t struct_size;
    uint32_t text_bytes;   /**< 16 MiB */
    uint32_t instructions; /**< 1,000,000 */
    uint32_t nesting;      /**< of flow: 256 */
    uint32_t registers;    /**< of one file and dimension: 65,536; at most 1,048,576 */
    uint32_t errors;       /**< diagnostics of one text: 20, and as many warnings */
    /** Operations of a conversion: instructions of the internal form that lowering makes; time and memory of all that
     * follows are in proportion to them. 0: 16,384 and one for every four bytes of the text, several times what real
     * shaders make, so that a conversion takes less than 64 times the text's bytes and 4 MiB. */
    uint32_t operations;
} tgsi2spv_limits;

typedef struct tgsi2spv_context_info {
    size_t struct_size;
    const tgsi2spv_allocator* allocator; /**< NULL: malloc's. Copied */
    const tgsi2spv_limits* limits;       /**< NULL: the defaults. Copied */
} tgsi2spv_context_info;

/** `info` may be NULL. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_context_create(const tgsi2spv_context_info* info,
                                                     tgsi2spv_context** context) TGSI2SPV_NOEXCEPT;
/** NULL is allowed. Programs live on. */
TGSI2SPV_API void tgsi2spv_context_destroy(tgsi2spv_context* context) TGSI2SPV_NOEXCEPT;

/** Diagnostics of the last call that took this context, errors and warnings, in the order of the text. */
TGSI2SPV_API size_t tgsi2spv_diagnostic_count(const tgsi2spv_context* context) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_get_diagnostic(const tgsi2spv_context* context, size_t index,
                                                     tgsi2spv_diagnostic* diagnostic) TGSI2SPV_NOEXCEPT;

typedef enum tgsi2spv_stage {
    TGSI2SPV_STAGE_VERTEX = 0,
    TGSI2SPV_STAGE_TESS_CTRL = 1,
    TGSI2SPV_STAGE_TESS_EVAL = 2,
    TGSI2SPV_STAGE_GEOMETRY = 3,
    TGSI2SPV_STAGE_FRAGMENT = 4,
    TGSI2SPV_STAGE_COMPUTE = 5,
    TGSI2SPV_STAGE_MAX = 0x7fffffff
} tgsi2spv_stage;

typedef struct tgsi2spv_parse_info {
    size_t struct_size;
    /** COMP: the number of the instruction where main begins; old texts hold several pieces, and nothing in them says
     * which one runs. */
    uint32_t entry;
    uint32_t reserved;
} tgsi2spv_parse_info;

/** Parses and checks one shader. The text is copied. `info` may be NULL. The program is the caller's to destroy; NULL
 * is stored on failure. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_parse(tgsi2spv_context* context, const char* text, size_t bytes,
                                            const tgsi2spv_parse_info* info,
                                            tgsi2spv_program** program) TGSI2SPV_NOEXCEPT;
/** NULL is allowed. It needs no context, but the allocator of the one that parsed. */
TGSI2SPV_API void tgsi2spv_program_destroy(tgsi2spv_program* program) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_stage tgsi2spv_program_stage(const tgsi2spv_program* program) TGSI2SPV_NOEXCEPT;

/** The text of the TESS_CTRL shader that Vulkan wants in front of a TESS_EVAL program where the application has none,
 * for patches of `vertices` (1 to 32). It lives until the next call that takes the context. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_passthrough_tess_ctrl(tgsi2spv_context* context, const tgsi2spv_program* program,
                                                            uint32_t vertices, const char** text,
                                                            size_t* bytes) TGSI2SPV_NOEXCEPT;

/** What is drawn: gallium's primitives, but those that Vulkan has not. */
typedef enum tgsi2spv_topology {
    TGSI2SPV_TOPOLOGY_POINTS = 0,
    TGSI2SPV_TOPOLOGY_LINES = 1,
    TGSI2SPV_TOPOLOGY_LINE_STRIP = 2,
    TGSI2SPV_TOPOLOGY_TRIANGLES = 3,
    TGSI2SPV_TOPOLOGY_TRIANGLE_STRIP = 4,
    TGSI2SPV_TOPOLOGY_TRIANGLE_FAN = 5,
    TGSI2SPV_TOPOLOGY_MAX = 0x7fffffff
} tgsi2spv_topology;

typedef enum tgsi2spv_polygon_mode {
    TGSI2SPV_POLYGON_FILL = 0,
    TGSI2SPV_POLYGON_LINE = 1,
    TGSI2SPV_POLYGON_POINT = 2,
    TGSI2SPV_POLYGON_MODE_MAX = 0x7fffffff
} tgsi2spv_polygon_mode;

/** State of primitives that Vulkan 1.1 has not, for tgsi2spv_passthrough_geometry. */
typedef struct tgsi2spv_geometry_info {
    size_t struct_size;
    /** FRAG: what it does not interpolate is the provoking vertex's. NULL: all goes through as it is. */
    const tgsi2spv_program* fragment;
    uint32_t topology; /**< tgsi2spv_topology: of the draw, or what TESS_EVAL makes */
    /** The last vertex is the provoking one, not the first (of a fan the second). Strips of triangles are told apart by
     * the parity of PRIM_ID, which does not begin anew behind a primitive restart: such draws are lists for this. */
    uint32_t provoking_last;
    uint32_t flat_shade;   /**< as tgsi2spv_state has it for `fragment` */
    uint32_t polygon_mode; /**< tgsi2spv_polygon_mode: edges or corners, those of TRIANGLES by EDGEFLAG */
    /** Lines and edges tell how far along a fragment is: tgsi2spv_state::line_stipple. OpenGL's counter runs on along
     * the segments of a strip; here it begins anew at each, as where a segment begins is the length of all before it:
     * invocations of GEOM see their own vertices alone, in no order. Who needs it draws the lengths first (VERT with
     * transform feedback, a prefix sum) or has VK_EXT_line_rasterization, whose stippled lines run on. */
    uint32_t line_stipple;
    uint32_t reserved;
} tgsi2spv_geometry_info;

/** The text of a GEOM shader that hands on what `program`, VERT or TESS_EVAL, writes, and does to its primitives what
 * `info` says. The stages have to be linked (tgsi2spv_link). Each line or edge begins a pattern of its own. It lives
 * until the next call that takes the context. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_passthrough_geometry(tgsi2spv_context* context, const tgsi2spv_program* program,
                                                           const tgsi2spv_geometry_info* info, const char** text,
                                                           size_t* bytes) TGSI2SPV_NOEXCEPT;

/* ---- Conversion ----------------------------------------------------------------------------------------------- */

/** The module's environment. The default is what the device's api_version offers; without a device Vulkan 1.2. */
typedef enum tgsi2spv_target {
    TGSI2SPV_TARGET_DEFAULT = 0,
    TGSI2SPV_TARGET_VULKAN_1_0 = 1,
    TGSI2SPV_TARGET_VULKAN_1_1 = 2,
    TGSI2SPV_TARGET_VULKAN_1_2 = 3,
    TGSI2SPV_TARGET_VULKAN_1_3 = 4,
    TGSI2SPV_TARGET_MAX = 0x7fffffff
} tgsi2spv_target;

/** Whose meaning holds where the editions of the TGSI document differ. */
typedef enum tgsi2spv_dialect {
    TGSI2SPV_DIALECT_AUTO = 0,
    TGSI2SPV_DIALECT_OLDEST = 1,
    TGSI2SPV_DIALECT_MIDDLE = 2,
    TGSI2SPV_DIALECT_NEWEST = 3,
    TGSI2SPV_DIALECT_MAX = 0x7fffffff
} tgsi2spv_dialect;

/** What stands in a descriptor. `index` beside it is the TGSI register's. */
typedef enum tgsi2spv_resource_kind {
    TGSI2SPV_RESOURCE_CONSTANT_BUFFER = 0, /**< CONST[index][…] */
    /** SAMP[index] of the TEX family: image and sampler in one. What fetches needs no sampler and may be seen
     * otherwise: BUFFER, and TXF of cubes (as a 2D array of faces), are a SAMPLED_IMAGE of the index. */
    TGSI2SPV_RESOURCE_COMBINED_IMAGE = 1,
    TGSI2SPV_RESOURCE_SAMPLED_IMAGE = 2, /**< SVIEW[index] of the SAMPLE family, and see above */
    TGSI2SPV_RESOURCE_SAMPLER = 3,       /**< SAMP[index] of the SAMPLE family */
    TGSI2SPV_RESOURCE_STORAGE_IMAGE = 4, /**< IMAGE[index] */
    /** BUFFER[index]; HWATOMIC[n] is index 64 + n, MEMORY GLOBAL 132, INPUT 133 */
    TGSI2SPV_RESOURCE_STORAGE_BUFFER = 5,
    TGSI2SPV_RESOURCE_INPUT_ATTACHMENT = 6, /**< FBFETCH of colour `index` */
    TGSI2SPV_RESOURCE_KIND_MAX = 0x7fffffff
} tgsi2spv_resource_kind;

/** Where a resource stands. An array (of registers that are indexed by what is no constant) is one descriptor array,
 * and stands where its first register does. */
typedef struct tgsi2spv_binding {
    uint32_t kind; /**< tgsi2spv_resource_kind */
    uint32_t index;
    uint32_t set;
    uint32_t binding;
} tgsi2spv_binding;

/** CONST[buffer] stands in the push constants from byte `offset` on. */
typedef struct tgsi2spv_push_constants {
    uint32_t buffer;
    uint32_t offset; /**< a multiple of 16 */
} tgsi2spv_push_constants;

typedef struct tgsi2spv_options {
    size_t struct_size;
    const tgsi2spv_device_caps* device;            /**< NULL: see there */
    const tgsi2spv_state* state;                   /**< NULL: none */
    const tgsi2spv_workarounds* workarounds;       /**< NULL: the default of each */
    const tgsi2spv_linkage* linkage;               /**< tgsi2spv_link; NULL: locations by a fixed table */
    const tgsi2spv_stream_outputs* stream_outputs; /**< NULL: none */
    /** Resources that do not stand where the default table has them (README.md). */
    const tgsi2spv_binding* bindings; /**< each kind and index at most once */
    size_t binding_count;
    /** Constant buffers that are push constants instead, each at most once. Several may overlap: each reads what stands
     * at its own place. */
    const tgsi2spv_push_constants* push_constants;
    size_t push_constant_count;
    const char* source_name; /**< the text's file in debug information; NULL: none */
    uint32_t target;         /**< tgsi2spv_target */
    uint32_t dialect;        /**< tgsi2spv_dialect */
    uint32_t debug;          /**< names, and lines that point into the text */
    uint32_t no_optimise;    /**< leave the passes out */
    /** No contraction of float operations; signed zeros, infinities and NaN kept and rounding to even where offered. */
    uint32_t exact;
    uint32_t max_iterations;        /**< every loop leaves after so many turns; 0: no guard */
    uint32_t bounds_registers;      /**< tgsi2spv_out_of_range: temporaries, arrays of inputs and outputs, vertices */
    uint32_t bounds_constants;      /**< CONST through an index */
    uint32_t bounds_buffers;        /**< words of BUFFER, MEMORY, HWATOMIC, CONSTBUF */
    uint32_t bounds_images;         /**< texels of IMAGE and RES */
    uint32_t bounds_descriptors;    /**< which buffer, image, texture or sampler an index or a handle selects */
    uint32_t unguarded_conversions; /**< floats fit the integers that they become: no guard */
    uint32_t keep_depth_range;      /**< depth is 0..1 already; else -1..1 becomes 0..1 */
    uint32_t flip_y;                /**< of the position */
    uint32_t variant_position;      /**< positions need not be Invariant */
    uint32_t draws_points;          /**< VERT, TESS_EVAL: PointSize is 1 where the shader writes no PSIZE */
    uint32_t dual_source;           /**< FRAG: COLOR[1] is the second source of blending */
    /** Samplers used with offsets from registers read one level, without bias; else such offsets may be refused. */
    uint32_t one_level_offsets;
    uint32_t handles;           /**< bindless: descriptors of each array that handles select from; 0: 32 */
    uint32_t separate_samplers; /**< SAMP of the TEX family: SAMPLED_IMAGE and SAMPLER of its index, apart */
    uint32_t reserved;
    uint32_t shared_words; /**< COMP: words of each MEMORY SHARED or PRIVATE; 0: 4,096 */
} tgsi2spv_options;

/** What a conversion made. Pointers live until the next call that takes the context. */
typedef struct tgsi2spv_module {
    size_t struct_size;
    const uint32_t* words; /**< SPIR-V in the machine's byte order; entry point "main" */
    size_t word_count;
    /* What the module requires of the device: */
    const char* const* capabilities; /**< SPIR-V's names */
    const char* const* extensions;   /**< SPIR-V's names */
    const char* const* features;     /**< Vulkan's names of features and of extensions without one: "shaderInt64" */
    uint32_t capability_count;
    uint32_t extension_count;
    uint32_t feature_count;
    tgsi2spv_stage stage;
    /* How to bind it (tgsi2spv_get_…): */
    uint32_t resource_count;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t spec_constant_count;
    uint32_t push_constant_bytes;
    uint32_t local_size[3];  /**< COMP; 0: a specialization constant */
    uint32_t patch_vertices; /**< TESS_CTRL: vertices of an output patch */
    uint32_t from_cache;     /**< it was not converted but read (tgsi2spv_translate) */
    uint32_t shared_bytes;   /**< COMP: of shared memory */
    uint32_t reserved;
} tgsi2spv_module;

/** Converts a program. `options` may be NULL, `module` too; it is filled on success. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_convert(tgsi2spv_context* context, const tgsi2spv_program* program,
                                              const tgsi2spv_options* options,
                                              tgsi2spv_module* module) TGSI2SPV_NOEXCEPT;

/** Links the programs of a pipeline, in its order: VERT [TESS_CTRL TESS_EVAL] [GEOM] [FRAG]. Each gets a linkage for
 * its own tgsi2spv_options::linkage: what one writes and the next reads gets a location, outputs that nobody reads are
 * dropped, inputs that nobody writes read (0, 0, 0, 1), so does PRIMID of FRAG behind a GEOM that does not write it
 * (other built-in inputs that nobody writes are what Vulkan makes of them: undefined), and several share a location
 * where the device has too few. It is the caller's to destroy. `options`: those that each program will be converted
 * with (their linkage does not count); NULL, or NULL for one of them: the defaults. On failure every linkage is NULL.
 * What is converted with the linkage of another stage is INVALID_ARGUMENT; that it is the same program is the caller's
 * to see to. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_link(tgsi2spv_context* context, const tgsi2spv_program* const* programs,
                                           size_t program_count, const tgsi2spv_options* const* options,
                                           tgsi2spv_linkage** linkages) TGSI2SPV_NOEXCEPT;
/** NULL is allowed. Not before the last conversion with it. */
TGSI2SPV_API void tgsi2spv_linkage_destroy(tgsi2spv_linkage* linkage) TGSI2SPV_NOEXCEPT;

/** Text to module in one call. With a cache: read from there if it holds the same question, without parsing; else
 * converted and kept there (a cache that cannot be written changes no answer). What is read from a cache comes without
 * the warnings of its conversion. `info`, `options`, `cache` and `module` may be NULL. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_translate(tgsi2spv_context* context, const char* text, size_t bytes,
                                                const tgsi2spv_parse_info* info, const tgsi2spv_options* options,
                                                tgsi2spv_cache* cache, tgsi2spv_module* module) TGSI2SPV_NOEXCEPT;

/* ---- Reflection of the context's last module ------------------------------------------------------------------- */

typedef enum tgsi2spv_image_dim {
    TGSI2SPV_IMAGE_1D = 0,
    TGSI2SPV_IMAGE_2D = 1,
    TGSI2SPV_IMAGE_3D = 2,
    TGSI2SPV_IMAGE_CUBE = 3,
    TGSI2SPV_IMAGE_BUFFER = 4, /**< a texel buffer */
    TGSI2SPV_IMAGE_SUBPASS = 5,
    TGSI2SPV_IMAGE_DIM_MAX = 0x7fffffff
} tgsi2spv_image_dim;

typedef enum tgsi2spv_component_type {
    TGSI2SPV_COMPONENT_FLOAT = 0,
    TGSI2SPV_COMPONENT_INT = 1,
    TGSI2SPV_COMPONENT_UINT = 2,
    TGSI2SPV_COMPONENT_BOOL = 3,
    TGSI2SPV_COMPONENT_TYPE_MAX = 0x7fffffff
} tgsi2spv_component_type;

/** A register that the text uses as images of several types has a row for each, of one set and binding. */
typedef struct tgsi2spv_resource {
    size_t struct_size;
    const char* name; /**< "CONST[0]" */
    tgsi2spv_resource_kind kind;
    uint32_t index;
    uint32_t set;
    uint32_t binding;
    uint32_t count;   /**< descriptors of the array; 1 if it is none */
    uint32_t bytes;   /**< constant buffers: declared size */
    uint32_t storage; /**< constant buffers: a storage buffer, not a uniform one */
    /* Images: */
    tgsi2spv_image_dim image_dim;
    tgsi2spv_component_type image_component;
    uint32_t image_array;
    uint32_t image_depth;
    uint32_t image_multisampled;
    uint32_t image_format; /**< storage images: SPIR-V's Image Format; 0: unknown */
} tgsi2spv_resource;

typedef enum tgsi2spv_interpolation {
    TGSI2SPV_INTERPOLATION_SMOOTH = 0,
    TGSI2SPV_INTERPOLATION_FLAT = 1,
    TGSI2SPV_INTERPOLATION_LINEAR = 2, /**< NoPerspective */
    TGSI2SPV_INTERPOLATION_MAX = 0x7fffffff
} tgsi2spv_interpolation;

typedef struct tgsi2spv_variable {
    size_t struct_size;
    const char* name;     /**< by which debug information has it too: "IN[0]"; of a built-in one, its word */
    const char* semantic; /**< TGSI's word: "GENERIC"; empty: none */
    const char* builtin;  /**< SPIR-V's word: "Position"; empty: it has a location */
    uint32_t semantic_index;
    uint32_t location;
    uint32_t component;   /**< the first one */
    uint32_t components;  /**< 1 to 4 */
    uint32_t dual_source; /**< FRAG outputs: the Index decoration */
    uint32_t array_size;  /**< 0: no array; of arrays over vertices their number */
    uint32_t patch;
    tgsi2spv_component_type type;
    tgsi2spv_interpolation interpolation;
    uint32_t sample_location; /**< 0 centre, 1 centroid, 2 sample */
    uint32_t stream;          /**< GEOM outputs */
    uint32_t captured;        /**< outputs: transform feedback takes it, to: */
    uint32_t xfb_buffer;
    uint32_t xfb_offset; /**< bytes */
    uint32_t xfb_stride; /**< bytes */
} tgsi2spv_variable;

typedef struct tgsi2spv_spec_constant {
    size_t struct_size;
    const char* name; /**< "framebuffer height"; empty: none */
    uint32_t id;
    uint32_t default_value; /**< the word */
} tgsi2spv_spec_constant;

TGSI2SPV_API tgsi2spv_status tgsi2spv_get_resource(const tgsi2spv_context* context, uint32_t index,
                                                   tgsi2spv_resource* resource) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_get_input(const tgsi2spv_context* context, uint32_t index,
                                                tgsi2spv_variable* variable) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_get_output(const tgsi2spv_context* context, uint32_t index,
                                                 tgsi2spv_variable* variable) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_get_spec_constant(const tgsi2spv_context* context, uint32_t index,
                                                        tgsi2spv_spec_constant* constant) TGSI2SPV_NOEXCEPT;
/**
 * The whole reflection as JSON, as `tgsi2spv --emit=reflect` writes it. It lives until the next call that takes the
 * context. The JSON is an object with these members:
 *
 * - "stage": TGSI's word;
 *
 * - by stage, "local_size" and "shared_bytes", "patch_vertices", or "blend_equations";
 *
 * - "resources", sorted by set and binding: "kind" (ConstantBuffer, CombinedImage, SampledImage, Sampler, StorageImage,
 *   StorageBuffer, InputAttachment), "index", "name", "set", "binding", "count"; constant buffers also have "bytes" and
 *   "storage", images "image", with the meanings of tgsi2spv_resource;
 *
 * - "inputs" and "outputs", sorted by location: the members of tgsi2spv_variable, with words for enumerants. There is
 *   either "builtin" or "location", "component" and "dual_source". Where "captured" is true, "xfb_buffer", "xfb_offset"
 *   and "xfb_stride" follow;
 *
 * - "spec_constants", sorted by "id", with "default" (the word) and "name";
 *
 * - "push_constant_bytes", "capabilities", "extensions" and "features", as in tgsi2spv_module;
 *
 * - "io_buffers": zeros and empty lists, except in the interface that the project's own tests use.
 *
 * Members may be added. None changes or goes within a major version.
 */
TGSI2SPV_API tgsi2spv_status tgsi2spv_reflection_json(tgsi2spv_context* context, const char** json,
                                                      size_t* bytes) TGSI2SPV_NOEXCEPT;

/* ---- Hash and cache ------------------------------------------------------------------------------------------- */

typedef struct tgsi2spv_hash {
    uint8_t bytes[16];
} tgsi2spv_hash;

/** The question as 128 bits: text, options and version; equal questions have equal hashes on every machine. Unequal
 * ones differ but for chance (XXH3; not made against who seeks a collision: a guest that may must have a cache of its
 * own). Limits and the allocator do not count. `info` and `options` may be NULL. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_hash_of(const char* text, size_t bytes, const tgsi2spv_parse_info* info,
                                              const tgsi2spv_options* options, tgsi2spv_hash* hash) TGSI2SPV_NOEXCEPT;

/** A folder of modules; made if it is absent. Several caches, of several processes, may stand in one folder; a cache
 * may be used in several threads. What a killed process leaves half written is never read; damaged entries and those of
 * other versions are as good as none. Entries are never removed: the folder is the caller's to bound or empty, at any
 * time. `allocator` may be NULL. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_cache_open(const char* folder, const tgsi2spv_allocator* allocator,
                                                 tgsi2spv_cache** cache) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API void tgsi2spv_cache_close(tgsi2spv_cache* cache) TGSI2SPV_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
