/* TGSI text to Vulkan SPIR-V: the library.
 *
 * A context holds the working memory of conversions and the results of the last one. A program is parsed text; any
 * number of contexts may convert it any number of times. The only global is a counter, for seeds of hash tables. Any
 * number of threads may use contexts at the same time, one context per thread. A program never changes, so threads may
 * share it.
 *
 * Every struct begins with its size (`struct_size`), which the caller sets, and grows only at its end. The library
 * accepts structs shorter than its own. It accepts longer ones if the part that it does not know is zero, else it
 * returns TGSI2SPV_ERROR_INVALID_ARGUMENT. In everything that the caller passes, zero is the default:
 *
 *     tgsi2spv_options options = {.struct_size = sizeof options, .flip_y = 1};
 *
 * Text is not trusted: no text crashes the library, hangs it or takes more memory than the limits allow. Text that
 * cannot be translated is refused with a diagnostic, never translated wrongly.
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
/** The version of this header; tgsi2spv_version() returns the library's. */
#define TGSI2SPV_VERSION TGSI2SPV_MAKE_VERSION(TGSI2SPV_VERSION_MAJOR, TGSI2SPV_VERSION_MINOR, TGSI2SPV_VERSION_PATCH)

#if defined(_WIN32)
#ifdef TGSI2SPV_EXPORTS /* only where the library itself is built */
#define TGSI2SPV_API __declspec(dllexport)
#else
#define TGSI2SPV_API
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

/** The version of the linked library, in the form of TGSI2SPV_VERSION. */
TGSI2SPV_API uint32_t tgsi2spv_version(void) TGSI2SPV_NOEXCEPT;
/** "0.1.0+" and 16 hexadecimal digits that identify the sources of the build. They change whenever a module may
 * change. */
TGSI2SPV_API const char* tgsi2spv_version_string(void) TGSI2SPV_NOEXCEPT;

/* ---- Status and diagnostics ----------------------------------------------------------------------------------- */

typedef enum tgsi2spv_status {
    TGSI2SPV_SUCCESS = 0,
    /** The call is wrong: a null pointer, an enumerant out of range, a struct from a newer header, a list that names
     * one thing twice, or a program of a stage that the call is not for. If a struct is at fault, the context's only
     * diagnostic (code "invalid-argument") names the member. */
    TGSI2SPV_ERROR_INVALID_ARGUMENT = 1,
    TGSI2SPV_ERROR_OUT_OF_MEMORY = 2,
    /** The text is not a TGSI program. */
    TGSI2SPV_ERROR_INVALID_TEXT = 3,
    /** Vulkan, the target or the device cannot run the program; a diagnostic names the missing feature. */
    TGSI2SPV_ERROR_UNSUPPORTED = 4,
    /** A limit was exceeded (tgsi2spv_limits, or one of SPIR-V's own). */
    TGSI2SPV_ERROR_LIMIT = 5,
    /** A bug in the library, detected in time. */
    TGSI2SPV_ERROR_INTERNAL = 6,
    /** A file or folder could not be created, read or written. */
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

/** Why a text is refused, or a warning about it. Strings are zero-terminated and live as long as the context's
 * diagnostics. */
typedef struct tgsi2spv_diagnostic {
    size_t struct_size;
    const char* code;        /**< stable kebab-case name: "unknown-opcode" */
    const char* message;     /**< one sentence, lower case, without a full stop */
    const char* hint;        /**< may be empty */
    const char* source_line; /**< the line as it is; if it is long, only the part around the error */
    size_t source_line_bytes;
    tgsi2spv_severity severity;
    uint32_t offset;        /**< bytes from the start of the text */
    uint32_t line;          /**< from 1 */
    uint32_t column;        /**< from 1, in bytes */
    uint32_t length;        /**< bytes marked, from `offset`; at least 1 */
    uint32_t source_column; /**< column of the error in `source_line`, from 1 */
} tgsi2spv_diagnostic;

/* ---- Contexts and programs ------------------------------------------------------------------------------------ */

typedef struct tgsi2spv_context tgsi2spv_context;
typedef struct tgsi2spv_program tgsi2spv_program;
typedef struct tgsi2spv_linkage tgsi2spv_linkage;
typedef struct tgsi2spv_cache tgsi2spv_cache;

/**
 * The caller's allocator. It provides all memory whose size a guest's text decides: the objects, the contents of a
 * program, the working memory of parsing, lowering, the passes, emission, linking and the cache (a context keeps that
 * for its next call), and everything that the library returns.
 *
 * These come from the C++ operator new instead:
 *
 * - diagnostics under construction. Codes, messages and hints have bounded lengths; there are at most
 *   tgsi2spv_limits::errors errors and as many warnings, with one note each;
 *
 * - copies of the lists in the caller's own options (bindings, push constants, stream outputs, the source's name), for
 *   the duration of the call.
 *
 * The C library opens a cache's folder with memory of its own. The C++ runtime creates std::bad_alloc, which the
 * library uses internally, with memory of its own.
 *
 * A call that runs out of memory returns TGSI2SPV_ERROR_OUT_OF_MEMORY and leaves the context usable. The functions are
 * called in the thread that calls the library, and in several threads at once if these share an allocator. They must
 * not unwind.
 */
typedef struct tgsi2spv_allocator {
    size_t struct_size;
    void* user;
    /** `bytes` and `alignment` (a power of two) are above 0. Returns NULL if there is no memory. */
    void* (*allocate)(void* user, size_t bytes, size_t alignment);
    /** `bytes` and `alignment` are those of the allocation; `memory` is never NULL. */
    void (*release)(void* user, void* memory, size_t bytes, size_t alignment);
} tgsi2spv_allocator;

/** Limits of a text. Each has its own diagnostic (a code ending in "-limit"). 0 is the default. */
typedef struct tgsi2spv_limits {
    size_t struct_size;
    uint32_t text_bytes;   /**< 16 MiB */
    uint32_t instructions; /**< 1,000,000 */
    uint32_t nesting;      /**< depth of control flow: 256; SPIR-V allows 1,023 */
    uint32_t registers;    /**< per register file and dimension: 65,536; at most 1,048,576 */
    uint32_t errors;       /**< per text: 20 errors, one more for the rest, and as many warnings */
    /** Operations of a conversion: the instructions of the internal form that lowering creates. The time and memory of
     * all later steps are proportional to them. 0: 16,384 plus one for every four bytes of text. That is several times
     * what real shaders need, and a conversion takes at most 192 times the text's bytes, plus
     * 4 MiB, plus 32 bytes for each register of each file up to the last one declared. */
    uint32_t operations;
} tgsi2spv_limits;

typedef struct tgsi2spv_context_info {
    size_t struct_size;
    const tgsi2spv_allocator* allocator; /**< NULL: malloc, which asks for large pages for long texts. Copied */
    const tgsi2spv_limits* limits;       /**< NULL: the defaults. Copied */
} tgsi2spv_context_info;

/** `info` may be NULL. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_context_create(const tgsi2spv_context_info* info,
                                                     tgsi2spv_context** context) TGSI2SPV_NOEXCEPT;
/** Frees the memory that the context keeps for the next call, such as after an unusually long text, and the results of
 * the last call. The context and its programs stay valid. NULL is allowed. */
TGSI2SPV_API void tgsi2spv_context_trim(tgsi2spv_context* context) TGSI2SPV_NOEXCEPT;
/** NULL is allowed. The context's programs stay valid. */
TGSI2SPV_API void tgsi2spv_context_destroy(tgsi2spv_context* context) TGSI2SPV_NOEXCEPT;

/** Diagnostics of the last call that took this context: errors and warnings, in text order. */
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
    /** COMP: the number of the instruction where main starts. Old texts may contain several kernels and do not say
     * which one runs. */
    uint32_t entry;
    uint32_t reserved;
} tgsi2spv_parse_info;

/** Parses and checks one shader. The text is copied. `info` may be NULL. The caller destroys the program; on failure,
 * NULL is stored. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_parse(tgsi2spv_context* context, const char* text, size_t bytes,
                                            const tgsi2spv_parse_info* info,
                                            tgsi2spv_program** program) TGSI2SPV_NOEXCEPT;
/** NULL is allowed. No context is needed, but the allocator of the context that parsed must still exist. */
TGSI2SPV_API void tgsi2spv_program_destroy(tgsi2spv_program* program) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_stage tgsi2spv_program_stage(const tgsi2spv_program* program) TGSI2SPV_NOEXCEPT;

/** Writes the text of the TESS_CTRL shader that Vulkan requires before a TESS_EVAL program if the application has none,
 * for patches of `vertices` vertices (1 to 32). The text lives until the next call that takes the context. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_passthrough_tess_ctrl(tgsi2spv_context* context, const tgsi2spv_program* program,
                                                            uint32_t vertices, const char** text,
                                                            size_t* bytes) TGSI2SPV_NOEXCEPT;

/** What is drawn: gallium's primitives, except those that Vulkan does not have. */
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

/** Primitive state that Vulkan 1.1 does not have, for tgsi2spv_passthrough_geometry. */
typedef struct tgsi2spv_geometry_info {
    size_t struct_size;
    /** FRAG: inputs that it does not interpolate get the provoking vertex's value. NULL: all outputs pass unchanged. */
    const tgsi2spv_program* fragment;
    uint32_t topology; /**< tgsi2spv_topology: of the draw, or of TESS_EVAL's output */
    /** The last vertex is the provoking one, not the first (of a fan, the second). The parity of PRIM_ID distinguishes
     * the triangles of a strip, and PRIM_ID does not restart after a primitive restart: convert such draws to
     * lists. */
    uint32_t provoking_last;
    uint32_t flat_shade;   /**< as in tgsi2spv_state, for `fragment` */
    uint32_t polygon_mode; /**< tgsi2spv_polygon_mode: draws edges or corners; EDGEFLAG selects those of TRIANGLES */
    /** Lines and edges carry the distance of a fragment along them: tgsi2spv_state::line_stipple. OpenGL's counter
     * continues along the segments of a strip. Here it restarts at each segment, because the start of a segment is the
     * length of all segments before it, and invocations of GEOM see only their own vertices, in no order. If you need a
     * continuing counter, draw the lengths first (VERT with transform feedback, then a prefix sum), or use
     * VK_EXT_line_rasterization, whose stippled lines continue. */
    uint32_t line_stipple;
    uint32_t reserved;
} tgsi2spv_geometry_info;

/** Writes the text of a GEOM shader that passes on the outputs of `program` (VERT or TESS_EVAL) and applies `info` to
 * its primitives. The stages must be linked (tgsi2spv_link). Each line or edge starts its own pattern. The text lives
 * until the next call that takes the context. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_passthrough_geometry(tgsi2spv_context* context, const tgsi2spv_program* program,
                                                           const tgsi2spv_geometry_info* info, const char** text,
                                                           size_t* bytes) TGSI2SPV_NOEXCEPT;

/* ---- Conversion ----------------------------------------------------------------------------------------------- */

/** The module's environment. The default follows from the device's api_version; without a device it is Vulkan 1.2. */
typedef enum tgsi2spv_target {
    TGSI2SPV_TARGET_DEFAULT = 0,
    TGSI2SPV_TARGET_VULKAN_1_0 = 1,
    TGSI2SPV_TARGET_VULKAN_1_1 = 2,
    TGSI2SPV_TARGET_VULKAN_1_2 = 3,
    TGSI2SPV_TARGET_VULKAN_1_3 = 4,
    TGSI2SPV_TARGET_MAX = 0x7fffffff
} tgsi2spv_target;

/** The edition of the TGSI document to follow where the editions differ. */
typedef enum tgsi2spv_dialect {
    TGSI2SPV_DIALECT_AUTO = 0,
    TGSI2SPV_DIALECT_OLDEST = 1,
    TGSI2SPV_DIALECT_MIDDLE = 2,
    TGSI2SPV_DIALECT_NEWEST = 3,
    TGSI2SPV_DIALECT_MAX = 0x7fffffff
} tgsi2spv_dialect;

/** The content of a descriptor. The `index` beside it is the TGSI register's. */
typedef enum tgsi2spv_resource_kind {
    TGSI2SPV_RESOURCE_CONSTANT_BUFFER = 0, /**< CONST[index][…] */
    /** SAMP[index] of the TEX family: image and sampler in one. Fetches need no sampler, and some need another view:
     * BUFFER targets, and TXF of cubes (as a 2D array of faces), use a SAMPLED_IMAGE of the same index. */
    TGSI2SPV_RESOURCE_COMBINED_IMAGE = 1,
    TGSI2SPV_RESOURCE_SAMPLED_IMAGE = 2, /**< SVIEW[index] of the SAMPLE family, and see above */
    TGSI2SPV_RESOURCE_SAMPLER = 3,       /**< SAMP[index] of the SAMPLE family */
    TGSI2SPV_RESOURCE_STORAGE_IMAGE = 4, /**< IMAGE[index] */
    /** BUFFER[index]; HWATOMIC[n] is index 64 + n, MEMORY GLOBAL 132, INPUT 133 */
    TGSI2SPV_RESOURCE_STORAGE_BUFFER = 5,
    TGSI2SPV_RESOURCE_INPUT_ATTACHMENT = 6, /**< FBFETCH of colour `index` */
    TGSI2SPV_RESOURCE_KIND_MAX = 0x7fffffff
} tgsi2spv_resource_kind;

/** The place of a resource. An array (registers that are indexed by a non-constant) is one descriptor array, at the
 * place of its first register. */
typedef struct tgsi2spv_binding {
    uint32_t kind; /**< tgsi2spv_resource_kind */
    uint32_t index;
    uint32_t set;
    uint32_t binding;
} tgsi2spv_binding;

/** CONST[buffer] is in the push constants, starting at byte `offset`. */
typedef struct tgsi2spv_push_constants {
    uint32_t buffer;
    uint32_t offset; /**< a multiple of 16 */
} tgsi2spv_push_constants;

typedef struct tgsi2spv_options {
    size_t struct_size;
    const tgsi2spv_device_caps* device;            /**< NULL: see tgsi2spv_device_caps */
    const tgsi2spv_state* state;                   /**< NULL: none */
    const tgsi2spv_workarounds* workarounds;       /**< NULL: the default of each */
    const tgsi2spv_linkage* linkage;               /**< tgsi2spv_link; NULL: locations by a fixed table */
    const tgsi2spv_stream_outputs* stream_outputs; /**< NULL: none */
    /** Resources that differ from the default table (README.md). */
    const tgsi2spv_binding* bindings; /**< each kind and index at most once */
    size_t binding_count;
    /** Constant buffers that become push constants, each at most once. They may overlap; each reads the data at its own
     * offset. */
    const tgsi2spv_push_constants* push_constants;
    size_t push_constant_count;
    const char* source_name; /**< name of the text's file in debug information; NULL: none */
    uint32_t target;         /**< tgsi2spv_target */
    uint32_t dialect;        /**< tgsi2spv_dialect */
    uint32_t debug;          /**< emit names, and lines that point into the text */
    uint32_t no_optimise;    /**< skip the passes */
    /** No contraction of float operations; keep signed zeros, infinities and NaN, and round to even, where the device
     * offers it. */
    uint32_t exact;
    /** The budget of each invocation: after this many iterations of loops and calls of subroutines, all together, loops
     * end and calls do nothing; 0: no guard. */
    uint32_t max_iterations;
    uint32_t bounds_registers;   /**< tgsi2spv_out_of_range: temporaries, arrays of inputs and outputs, vertices */
    uint32_t bounds_constants;   /**< CONST through an index */
    uint32_t bounds_buffers;     /**< words of BUFFER, MEMORY, HWATOMIC, CONSTBUF */
    uint32_t bounds_images;      /**< texels of IMAGE and RES */
    uint32_t bounds_descriptors; /**< the index or handle that selects a buffer, image, texture or sampler */
    uint32_t conversions;        /**< tgsi2spv_conversions */
    uint32_t keep_depth_range;   /**< depth is already 0..1; otherwise -1..1 becomes 0..1 */
    uint32_t flip_y;             /**< negate y of the position */
    uint32_t variant_position;   /**< positions need not be Invariant */
    uint32_t draws_points;       /**< VERT, TESS_EVAL: PointSize is 1 where the shader writes no PSIZE */
    uint32_t dual_source;        /**< FRAG: COLOR[1] is the second source of blending */
    /** Samplers that are used with offsets from registers read one level, without bias. Otherwise such offsets may be
     * refused. */
    uint32_t one_level_offsets;
    uint32_t handles;           /**< bindless: descriptors in each array that handles select from; 0: 32 */
    uint32_t separate_samplers; /**< SAMP of the TEX family: a separate SAMPLED_IMAGE and SAMPLER of its index */
    uint32_t private_words;     /**< words of each MEMORY PRIVATE; 0: 2,048 (drivers refuse modules with too many) */
    uint32_t shared_words;      /**< COMP: words of each MEMORY SHARED; 0: 4,096 */
} tgsi2spv_options;

/** The result of a conversion. Pointers live until the next call that takes the context. */
typedef struct tgsi2spv_module {
    size_t struct_size;
    const uint32_t* words; /**< SPIR-V in the machine's byte order; entry point "main" */
    size_t word_count;
    /* Requirements on the device: */
    const char* const* capabilities; /**< SPIR-V's names */
    const char* const* extensions;   /**< SPIR-V's names */
    const char* const* features; /**< Vulkan's names of features, and of extensions without a feature: "shaderInt64" */
    uint32_t capability_count;
    uint32_t extension_count;
    uint32_t feature_count;
    tgsi2spv_stage stage;
    /* Interface (tgsi2spv_get_…): */
    uint32_t resource_count;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t spec_constant_count;
    uint32_t push_constant_bytes;
    uint32_t local_size[3];  /**< COMP; 0: a specialization constant */
    uint32_t patch_vertices; /**< TESS_CTRL: vertices of an output patch */
    uint32_t from_cache;     /**< 1 if the module was read from the cache, not converted (tgsi2spv_translate) */
    uint32_t shared_bytes;   /**< COMP: bytes of shared memory */
    /** TESS_EVAL, GEOM: what the stage makes, as in tgsi2spv_geometry_info; 0 in other stages */
    tgsi2spv_topology output_topology;
} tgsi2spv_module;

/** Converts a program. `options` and `module` may be NULL. On success `module` is filled. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_convert(tgsi2spv_context* context, const tgsi2spv_program* program,
                                              const tgsi2spv_options* options,
                                              tgsi2spv_module* module) TGSI2SPV_NOEXCEPT;

/** Links the programs of a pipeline, in pipeline order: VERT [TESS_CTRL TESS_EVAL] [GEOM] [FRAG]. Each gets a linkage
 * for its own tgsi2spv_options::linkage. An output that the next stage reads gets a location; several share one if the
 * device has too few. Outputs that no stage reads are dropped. Inputs that no stage writes read (0, 0, 0, 1); so does
 * PRIMID of FRAG after a GEOM that does not write it. Other built-in inputs that no stage writes are undefined, as
 * Vulkan says. `linkages` has room for as many as there are programs; the caller destroys them. A linkage does not
 * refer to its program, and any number of threads may convert with it. `options` are those that each program will be
 * converted with (their linkage is ignored); NULL, or NULL for one of them, means the defaults. On failure every
 * linkage is NULL. Converting with the linkage of another stage is INVALID_ARGUMENT; the caller must make sure that the
 * program is the one that was linked. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_link(tgsi2spv_context* context, const tgsi2spv_program* const* programs,
                                           size_t program_count, const tgsi2spv_options* const* options,
                                           tgsi2spv_linkage** linkages) TGSI2SPV_NOEXCEPT;
/** NULL is allowed. Call it only after the last conversion that uses the linkage. */
TGSI2SPV_API void tgsi2spv_linkage_destroy(tgsi2spv_linkage* linkage) TGSI2SPV_NOEXCEPT;

/** Text to module in one call. If the cache has an entry for the same text, options and version, the module is read
 * from it without parsing. Otherwise the text is converted and the module is stored (a failure to write the cache
 * changes no result). A module from the cache comes without the warnings of its conversion, and of the limits only
 * tgsi2spv_limits::text_bytes holds for it. `info`, `options`, `cache` and `module` may be NULL. */
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

/** What the shader may do with a resource. */
typedef enum tgsi2spv_access {
    TGSI2SPV_ACCESS_READ = 1,
    TGSI2SPV_ACCESS_WRITE = 2,
    TGSI2SPV_ACCESS_MAX = 0x7fffffff
} tgsi2spv_access;

/** A register that the text uses as images of several types has one row for each type, with the same set and
 * binding. */
typedef struct tgsi2spv_resource {
    size_t struct_size;
    const char* name; /**< "CONST[0]" */
    tgsi2spv_resource_kind kind;
    uint32_t index;
    uint32_t set;
    uint32_t binding;
    uint32_t count;   /**< descriptors in the array; 1 if it is not an array */
    uint32_t bytes;   /**< constant buffers: the declared size */
    uint32_t storage; /**< constant buffers: 1 for a storage buffer, 0 for a uniform buffer */
    /* Images: */
    tgsi2spv_image_dim image_dim;
    tgsi2spv_component_type image_component;
    uint32_t image_array;
    uint32_t image_depth;
    uint32_t image_multisampled;
    uint32_t image_format; /**< storage images: SPIR-V's Image Format; 0: unknown */
    /** Storage buffers and images: tgsi2spv_access bits, for barriers. Atomics do both. */
    uint32_t access;
} tgsi2spv_resource;

typedef enum tgsi2spv_interpolation {
    TGSI2SPV_INTERPOLATION_SMOOTH = 0,
    TGSI2SPV_INTERPOLATION_FLAT = 1,
    TGSI2SPV_INTERPOLATION_LINEAR = 2, /**< NoPerspective */
    TGSI2SPV_INTERPOLATION_MAX = 0x7fffffff
} tgsi2spv_interpolation;

typedef struct tgsi2spv_variable {
    size_t struct_size;
    const char* name;     /**< also its name in debug information: "GENERIC[3]"; may be empty for a built-in variable */
    const char* semantic; /**< TGSI's word: "GENERIC"; empty: none */
    const char* builtin;  /**< SPIR-V's word: "Position"; empty: it has a location */
    uint32_t semantic_index;
    uint32_t location;
    uint32_t component;   /**< the first component */
    uint32_t components;  /**< 1 to 4 */
    uint32_t dual_source; /**< FRAG outputs: the Index decoration */
    uint32_t array_size;  /**< 0: not an array; for arrays over vertices, their number */
    uint32_t patch;
    tgsi2spv_component_type type;
    tgsi2spv_interpolation interpolation;
    uint32_t sample_location; /**< 0 centre, 1 centroid, 2 sample */
    uint32_t stream;          /**< GEOM outputs */
    uint32_t captured;        /**< outputs: 1 if transform feedback captures it, with: */
    uint32_t xfb_buffer;
    uint32_t xfb_offset; /**< bytes */
    uint32_t xfb_stride; /**< bytes */
} tgsi2spv_variable;

typedef struct tgsi2spv_spec_constant {
    size_t struct_size;
    const char* name; /**< "framebuffer height"; empty: none */
    uint32_t id;
    uint32_t default_value; /**< as a word */
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
 * The whole reflection as JSON, as `tgsi2spv --emit=reflect` writes it, with a zero after it. It lives until the next
 * call that takes the context. The JSON is an object with these members:
 *
 * - "stage": TGSI's word;
 *
 * - COMP: "local_size" and "shared_bytes"; FRAG: "blend_equations"; TESS_CTRL: "patch_vertices";
 *   TESS_EVAL: "domain" (triangles, quads, isolines), "spacing" (fractional_odd, fractional_even, equal), "clockwise",
 *   "point_mode"; GEOM: "input_primitive" (points, lines, triangles, lines_adjacency, triangles_adjacency),
 *   "output_primitive" (points, line_strip, triangle_strip), "max_vertices", "invocations";
 *
 * - "resources", sorted by set and binding: "kind" (ConstantBuffer, CombinedImage, SampledImage, Sampler, StorageImage,
 *   StorageBuffer, InputAttachment), "index", "name", "set", "binding", "count"; constant buffers also have "bytes" and
 *   "storage", storage buffers and storage images "reads" and "writes", and images "image": "dim" (1D, 2D, 3D, Cube,
 *   Buffer, SubpassData), "array", "depth", "multisampled", "sampled" (float, int, uint) and "format", with the
 *   meanings of tgsi2spv_resource;
 *
 * - "inputs" and "outputs", sorted by location: "name", "semantic" and "semantic_index" as in tgsi2spv_variable;
 *   "type": f32, i32, u32 or bool, and for vectors the number of components, as in f32x4; "array": array_size;
 *   either "builtin" or "location", "component" and "dual_source"; "interpolation" (Smooth, Flat, Linear);
 *   "sample_location" (Center, Centroid, Sample); "patch". Outputs also have "stream" and "captured"; if that is
 *   true, "xfb_buffer", "xfb_offset" and "xfb_stride" follow;
 *
 * - "spec_constants", sorted by "id", with "default" (the word) and "name";
 *
 * - "push_constant_bytes", "capabilities", "extensions" and "features", as in tgsi2spv_module;
 *
 * - "io_buffers": zeros and empty lists, except in the interface that the project's own tests use.
 *
 * Members may be added. None changes or disappears within a major version.
 */
TGSI2SPV_API tgsi2spv_status tgsi2spv_reflection_json(tgsi2spv_context* context, const char** json,
                                                      size_t* bytes) TGSI2SPV_NOEXCEPT;

/* ---- Hash and cache ------------------------------------------------------------------------------------------- */

typedef struct tgsi2spv_hash {
    uint8_t bytes[16];
} tgsi2spv_hash;

/** A 128-bit hash of text, options and version. Equal inputs have equal hashes on every machine. Different inputs have
 * different hashes, except by chance. The hash (XXH3) is not an identity: anybody can make a text that has the hash of
 * another one. A cache of your own must compare text and options, as tgsi2spv_cache does. Limits and the allocator are
 * not part of the hash. `info` and `options` may be NULL. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_hash_of(const char* text, size_t bytes, const tgsi2spv_parse_info* info,
                                              const tgsi2spv_options* options, tgsi2spv_hash* hash) TGSI2SPV_NOEXCEPT;

/** A folder of modules (a path in UTF-8 on Windows), which is created if it does not exist. Several caches, also in
 * several processes, may use one folder, and several threads may use one cache. Files that a killed process left half
 * written are never read. An entry holds its text and options, which are compared: it answers for no other request.
 * Damaged entries and entries of other versions count as absent. The oldest entries are removed beyond 1 GiB in all;
 * the caller may empty the folder at any time. A folder that belongs to another user, or that another user can write
 * to, is refused (TGSI2SPV_ERROR_IO). `allocator` may be NULL. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_cache_open(const char* folder, const tgsi2spv_allocator* allocator,
                                                 tgsi2spv_cache** cache) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API void tgsi2spv_cache_close(tgsi2spv_cache* cache) TGSI2SPV_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
