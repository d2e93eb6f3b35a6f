/* SPDX-License-Identifier: MIT */
/* TGSI text to Vulkan SPIR-V: the library.
 *
 * A context holds the working memory of conversions and the results of the last one. A program is parsed text; any
 * number of contexts may convert it any number of times. The only global is a counter, for seeds of hash tables. Any
 * number of threads may use contexts at the same time, one context per thread. Programs, linkages and modules never
 * change, so threads may share them. docs/library.md has the order of the calls and their costs.
 *
 * Structs that begin with `struct_size` have a size that the caller sets, and grow only at their end. The library
 * accepts structs shorter than its own. It accepts longer ones if the part that it does not know is zero, else it
 * returns TGSI2SPV_ERROR_INVALID_ARGUMENT. Elements of lists have no size and never grow. In everything that the caller
 * passes, zero is the default:
 *
 *     tgsi2spv_options options = {.struct_size = sizeof options, .flags = TGSI2SPV_OPTION_DEBUG};
 *
 * Text is not trusted: no text crashes the library, hangs it or takes more memory than the limits allow. Text that
 * cannot be translated is refused with a diagnostic, never translated wrongly.
 */
#ifndef TGSI2SPV_H
#define TGSI2SPV_H

#include <stddef.h>
#include <stdint.h>

#include "tgsi2spv/tgsi2spv_device.h"
#include "tgsi2spv/tgsi2spv_reflection.h"
#include "tgsi2spv/tgsi2spv_state.h"

#define TGSI2SPV_VERSION_MAJOR 1
#define TGSI2SPV_VERSION_MINOR 0
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
/** "1.0.0+" and 16 hexadecimal digits that identify the sources of the build. They change whenever a module may
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
    const char* feature;     /**< the missing feature, by Vulkan's name: "shaderInt64"; may be empty */
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
typedef struct tgsi2spv_module tgsi2spv_module;

/**
 * The caller's allocator. It provides all memory whose size a guest's text decides: the objects, the contents of a
 * program, the working memory of parsing, lowering, the passes, emission and linking (a context keeps that for its next
 * call), and everything that the library returns.
 *
 * These come from the C++ operator new instead:
 *
 * - diagnostics under construction. Codes, messages and hints have bounded lengths; there are at most
 *   tgsi2spv_limits::errors errors and as many warnings, with one note each;
 *
 * - copies of the lists in the caller's own options (bindings, push constants, stream outputs, the source's name), for
 *   the duration of the call.
 *
 * The C++ runtime creates std::bad_alloc, which the library uses internally, with memory of its own.
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

/** Limits of a text, for the library's users in general. Each has its own diagnostic (a code ending in "-limit"). 0 is
 * the default. */
typedef struct tgsi2spv_limits {
    size_t struct_size;
    uint32_t text_bytes;   /**< 16 MiB */
    uint32_t instructions; /**< 1,000,000 */
    uint32_t nesting;      /**< depth of control flow: 256; SPIR-V allows 1,023 */
    uint32_t registers; /**< per file and dimension: 65,536; at most 1,048,576; declarations together: 64 times that */
    uint32_t errors;    /**< per text: 20 errors, one more for the rest, and as many warnings */
    /** Operations of a conversion: the instructions of the internal form that lowering creates. The time and memory of
     * all later steps are proportional to them. 0: 16,384 plus one for every four bytes of text. That is several times
     * what real shaders need, and a conversion takes at most 192 times the text's bytes, plus
     * 4 MiB, plus 32 bytes for each register of each file up to the last one declared. */
    uint32_t operations;
} tgsi2spv_limits;

/** Sets lower limits, for texts from a hostile guest: 1 MiB, 65,536 instructions, 16,384 registers, 4 errors. Real
 * programs are far below. Only members inside `struct_size` are set. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_limits_set_guest(tgsi2spv_limits* limits) TGSI2SPV_NOEXCEPT;

typedef struct tgsi2spv_context_info {
    size_t struct_size;
    const tgsi2spv_allocator* allocator; /**< NULL: malloc. Copied */
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
TGSI2SPV_API size_t tgsi2spv_context_diagnostic_count(const tgsi2spv_context* context) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_context_get_diagnostic(const tgsi2spv_context* context, size_t index,
                                                             tgsi2spv_diagnostic* diagnostic) TGSI2SPV_NOEXCEPT;

typedef enum tgsi2spv_parse_flags {
    /** Also finds the program's resources, for tgsi2spv_program_get_resource: about half of the time of a
     * conversion. A program that no device can run is then refused at once (TGSI2SPV_ERROR_UNSUPPORTED). */
    TGSI2SPV_PARSE_RESOURCES = 1 << 0,
    TGSI2SPV_PARSE_FLAGS = (1 << 1) - 1, /**< all of them */
    TGSI2SPV_PARSE_FLAGS_MAX = 0x7fffffff
} tgsi2spv_parse_flags;

typedef struct tgsi2spv_parse_info {
    size_t struct_size;
    /** COMP: the number of the instruction where main starts. Old texts may contain several kernels and do not say
     * which one runs. */
    uint32_t entry;
    uint32_t flags; /**< tgsi2spv_parse_flags; ignored by tgsi2spv_translate */
} tgsi2spv_parse_info;

/** Parses and checks one shader. The text is copied. `info` may be NULL. The caller destroys the program; on failure,
 * NULL is stored. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_program_parse(tgsi2spv_context* context, const char* text, size_t bytes,
                                                    const tgsi2spv_parse_info* info,
                                                    tgsi2spv_program** program) TGSI2SPV_NOEXCEPT;
/** NULL is allowed. No context is needed, but the allocator of the context that parsed must still exist. */
TGSI2SPV_API void tgsi2spv_program_destroy(tgsi2spv_program* program) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_stage tgsi2spv_program_stage(const tgsi2spv_program* program) TGSI2SPV_NOEXCEPT;

/** The declarations and resources of the text, before any conversion: enough to choose bindings and layouts, and to
 * find a mismatch with the bound resources before a draw. A module has the same resources with the same shapes, except
 * those that the conversion finds unused (with TGSI2SPV_OPTION_SEPARATE_SAMPLERS, a COMBINED_IMAGE is a SAMPLED_IMAGE
 * and a SAMPLER). Pointers live as long as the program. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_program_get_info(const tgsi2spv_program* program,
                                                       tgsi2spv_program_info* info) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_program_get_input(const tgsi2spv_program* program, uint32_t index,
                                                        tgsi2spv_register* input) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_program_get_output(const tgsi2spv_program* program, uint32_t index,
                                                         tgsi2spv_register* output) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_program_get_system_value(const tgsi2spv_program* program, uint32_t index,
                                                               tgsi2spv_register* value) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_program_get_resource(const tgsi2spv_program* program, uint32_t index,
                                                           tgsi2spv_resource* resource) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_program_get_property(const tgsi2spv_program* program, uint32_t index,
                                                           tgsi2spv_property* property) TGSI2SPV_NOEXCEPT;
/** TGSI's word, static: "GENERIC"; empty for NONE and for invalid numbers. */
TGSI2SPV_API const char* tgsi2spv_semantic_name(uint32_t semantic) TGSI2SPV_NOEXCEPT;

/** Writes the text of the TESS_CTRL shader that Vulkan requires before a TESS_EVAL program if the application has none,
 * for patches of `vertices` vertices (1 to 32). The text lives until the next call that takes the context. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_program_passthrough_tess_ctrl(tgsi2spv_context* context,
                                                                    const tgsi2spv_program* program, uint32_t vertices,
                                                                    const char** text, size_t* bytes) TGSI2SPV_NOEXCEPT;

/** Writes the text of a VERT shader that draws what a program wrote with TGSI2SPV_OPTION_RECORDS: vertex n reads record
 * n of BUFFER[0]; after VERT and TESS_EVAL, record r of BUFFER[0] and the number of its primitive, which are words 2n
 * and 2n + 1 of BUFFER[1]. A FRAG that is linked with it reads the primitive's number (or what GEOM wrote) as PRIMID.
 * The text lives until the next call that takes the context. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_program_passthrough_records(tgsi2spv_context* context,
                                                                  const tgsi2spv_program* program, const char** text,
                                                                  size_t* bytes) TGSI2SPV_NOEXCEPT;

/* ---- Conversion ----------------------------------------------------------------------------------------------- */

/** For compilers without a device, whose users read the module's `features`: sets a device of Vulkan 1.3 that lacks no
 * feature, no extension and no location, so that it refuses no text that any device can run. Features that only make
 * modules shorter are left out, so that no module requires them: non-uniform indexing of descriptors, atomic addition
 * of floats, robust access, quad_divergent_implicit_lod. Only members inside `struct_size` are set. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_device_caps_set_everything(tgsi2spv_device_caps* caps) TGSI2SPV_NOEXCEPT;

/** The module's environment. The default follows from the device's api_version; without a device it is Vulkan 1.1. */
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

/** The place of a resource. An array (registers that are indexed by a non-constant) is one descriptor array, at the
 * place of its first register. */
typedef struct tgsi2spv_binding {
    uint32_t kind; /**< tgsi2spv_resource_kind */
    uint32_t index;
    uint32_t set;
    uint32_t binding;
} tgsi2spv_binding;

/** The places of all resources of a kind, which need no reading of the text: `index` is at binding `first` + index of
 * `set`. */
typedef struct tgsi2spv_kind_place {
    uint32_t is_set; /**< 1; 0: the default table */
    uint32_t set;
    uint32_t first;
} tgsi2spv_kind_place;

/** CONST[buffer] is in the push constants, starting at byte `offset`. */
typedef struct tgsi2spv_push_constants {
    uint32_t buffer;
    uint32_t offset; /**< a multiple of 16 */
} tgsi2spv_push_constants;

typedef enum tgsi2spv_option_flags {
    TGSI2SPV_OPTION_DEBUG = 1 << 0,       /**< names, lines that point into the text, and the text itself */
    TGSI2SPV_OPTION_UNOPTIMISED = 1 << 1, /**< no passes: for the library's own authors */
    /** No contraction of float operations; keep signed zeros, infinities and NaN, and round to even, where the device
     * offers it. */
    TGSI2SPV_OPTION_EXACT = 1 << 2,
    TGSI2SPV_OPTION_VARIANT_POSITION = 1 << 3, /**< positions lose the decoration Invariant */
    /** SAMP of the TEX family: a separate SAMPLED_IMAGE and SAMPLER of its index. */
    TGSI2SPV_OPTION_SEPARATE_SAMPLERS = 1 << 4,
    /** Samplers that are used with offsets from registers read one level, without bias. Otherwise such offsets may be
     * refused. */
    TGSI2SPV_OPTION_ONE_LEVEL_OFFSETS = 1 << 5,
    /** Stages before FRAG: compute shaders, whose outputs go to storage buffers, for devices without
     * geometry shaders, tessellation or transform feedback (docs/library.md, Without geometry shaders). */
    TGSI2SPV_OPTION_RECORDS = 1 << 6,
    /** MEMORY and the outputs of TESS_CTRL start as zeros. Otherwise their first contents are undefined: on many
     * devices they are what another program left there, of another process, too. */
    TGSI2SPV_OPTION_ZERO_MEMORY = 1 << 7,
    TGSI2SPV_OPTION_FLAGS = (1 << 8) - 1, /**< all of them */
    TGSI2SPV_OPTION_FLAGS_MAX = 0x7fffffff
} tgsi2spv_option_flags;

typedef struct tgsi2spv_options {
    size_t struct_size;
    const tgsi2spv_device_caps* device;            /**< NULL: one without features (tgsi2spv_device_caps) */
    const tgsi2spv_state* state;                   /**< NULL: none */
    const tgsi2spv_linkage* linkage;               /**< tgsi2spv_linkage_create; NULL: locations by a fixed table */
    const tgsi2spv_stream_outputs* stream_outputs; /**< NULL: none */
    /** Resources that differ from `kinds` and the default table (docs/library.md). With
     * TGSI2SPV_OPTION_SEPARATE_SAMPLERS, none is a COMBINED_IMAGE. */
    const tgsi2spv_binding* bindings; /**< each kind and index at most once */
    size_t binding_count;
    /** Constant buffers that become push constants, each at most once. They may overlap; each reads the data at its own
     * offset. */
    const tgsi2spv_push_constants* push_constants;
    size_t push_constant_count;
    const char* source_name; /**< name of the text's file in debug information; NULL: none */
    uint32_t target;         /**< tgsi2spv_target */
    uint32_t dialect;        /**< tgsi2spv_dialect */
    uint32_t flags;          /**< tgsi2spv_option_flags */
    /** VERT, TESS_EVAL without a linkage: the stage that reads the outputs, TGSI2SPV_STAGE_TESS_CTRL or _GEOMETRY. 0:
     * the rasterizer. Only the stage before the rasterizer converts positions, so a pipeline with several such stages
     * must say which is last. A linkage knows. */
    uint32_t next_stage;
    /** The budget of each invocation: after this many iterations of loops and calls of subroutines, all together, loops
     * end and calls do nothing; 0: no guard. */
    uint32_t max_iterations;
    uint32_t bounds_registers;   /**< tgsi2spv_out_of_range: temporaries, arrays of inputs and outputs, vertices */
    uint32_t bounds_constants;   /**< CONST through an index */
    uint32_t bounds_buffers;     /**< words of BUFFER, MEMORY, HWATOMIC, CONSTBUF */
    uint32_t bounds_images;      /**< texels of IMAGE and RES */
    uint32_t bounds_descriptors; /**< the index or handle that selects a buffer, image, texture or sampler */
    uint32_t conversions;        /**< tgsi2spv_conversions */
    uint32_t workarounds_on;     /**< tgsi2spv_workaround: in addition to those that are on by default */
    uint32_t workarounds_off;    /**< tgsi2spv_workaround: of those that are on by default */
    /** bindless: descriptors in each array that handles select from; 0: 32; at most 8,388,608 */
    uint32_t handles;
    uint32_t private_words;       /**< words of each MEMORY PRIVATE; 0: 2,048 (drivers refuse modules with too many) */
    uint32_t shared_words;        /**< COMP: words of each MEMORY SHARED; 0: 4,096 */
    tgsi2spv_kind_place kinds[8]; /**< by tgsi2spv_resource_kind */
    const char* entry_point;      /**< name of the module's entry point; NULL: "main" */
} tgsi2spv_options;

/** Converts a program. The module lives until the next call that takes the context; tgsi2spv_context_take_module makes
 * it the caller's. `options` and `module` may be NULL; on failure, NULL is stored. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_program_convert(tgsi2spv_context* context, const tgsi2spv_program* program,
                                                      const tgsi2spv_options* options,
                                                      const tgsi2spv_module** module) TGSI2SPV_NOEXCEPT;
/** Converts a program with each of `count` sets of options. `options`, or any of them, may be NULL: the defaults. The
 * caller owns the modules and destroys them. The first failure ends the call: the modules before it exist, and NULL is
 * stored for the others. Status and diagnostics are those of the last conversion. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_program_convert_each(tgsi2spv_context* context, const tgsi2spv_program* program,
                                                           const tgsi2spv_options* const* options, size_t count,
                                                           tgsi2spv_module** modules) TGSI2SPV_NOEXCEPT;

/** Links the programs of a pipeline, in pipeline order: VERT [TESS_CTRL TESS_EVAL] [GEOM] [FRAG]. Each gets a linkage
 * for its own tgsi2spv_options::linkage. An output that the next stage reads gets a location; several share one if the
 * device has too few. Outputs that no stage reads are dropped. Inputs that no stage writes read (0, 0, 0, 1); so does
 * PRIMID of FRAG after a GEOM that does not write it. Other built-in inputs that no stage writes are undefined, as
 * Vulkan says. Only the last stage before the rasterizer converts positions. `linkages` has room for as many as there
 * are programs; the caller destroys them. A linkage does not refer to its program, and any number of threads may
 * convert with it. `options` are those that each program will be converted with (their linkage is ignored); NULL, or
 * NULL for one of them, means the defaults. On failure every linkage is NULL. Converting with the linkage of another
 * stage is INVALID_ARGUMENT; the caller must make sure that the program is the one that was linked. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_linkage_create(tgsi2spv_context* context, const tgsi2spv_program* const* programs,
                                                     size_t program_count, const tgsi2spv_options* const* options,
                                                     tgsi2spv_linkage** linkages) TGSI2SPV_NOEXCEPT;
/** NULL is allowed. Call it only after the last conversion that uses the linkage. */
TGSI2SPV_API void tgsi2spv_linkage_destroy(tgsi2spv_linkage* linkage) TGSI2SPV_NOEXCEPT;

/** Text to module in one call, as tgsi2spv_program_parse and tgsi2spv_program_convert. `info`, `options` and `module`
 * may be NULL. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_translate(tgsi2spv_context* context, const char* text, size_t bytes,
                                                const tgsi2spv_parse_info* info, const tgsi2spv_options* options,
                                                const tgsi2spv_module** module) TGSI2SPV_NOEXCEPT;

/** One shader of a pipeline. */
typedef struct tgsi2spv_shader {
    const char* text;
    size_t bytes;
    const tgsi2spv_options* options; /**< NULL: the defaults; its linkage is ignored */
} tgsi2spv_shader;

/** Texts to linked modules in one call, as tgsi2spv_program_parse, tgsi2spv_linkage_create and
 * tgsi2spv_program_convert: the shaders are those of a pipeline in its order. `modules` has room for as many; the
 * caller owns them and destroys them. On failure every module is NULL, and the diagnostics are of the shader with the
 * number that is stored in `refused`, or of none of them if that is `count`: they do not link. `refused` may be NULL.
 */
TGSI2SPV_API tgsi2spv_status tgsi2spv_translate_pipeline(tgsi2spv_context* context, const tgsi2spv_shader* shaders,
                                                         size_t count, tgsi2spv_module** modules,
                                                         size_t* refused) TGSI2SPV_NOEXCEPT;

/* ---- Modules --------------------------------------------------------------------------------------------------- */

/** Hands the context's last module over, without a copy: it lives until the caller destroys it. The pointer is the one
 * that the conversion gave. INVALID_ARGUMENT if the context has none. The context's allocator must live as long. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_context_take_module(tgsi2spv_context* context,
                                                          tgsi2spv_module** module) TGSI2SPV_NOEXCEPT;
/** Only for modules that were taken. NULL is allowed. */
TGSI2SPV_API void tgsi2spv_module_destroy(tgsi2spv_module* module) TGSI2SPV_NOEXCEPT;

/** Words, requirements and reflection. Pointers live as long as the module. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_module_get_info(const tgsi2spv_module* module,
                                                      tgsi2spv_module_info* info) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_module_get_resource(const tgsi2spv_module* module, uint32_t index,
                                                          tgsi2spv_resource* resource) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_module_get_input(const tgsi2spv_module* module, uint32_t index,
                                                       tgsi2spv_variable* variable) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_module_get_output(const tgsi2spv_module* module, uint32_t index,
                                                        tgsi2spv_variable* variable) TGSI2SPV_NOEXCEPT;
TGSI2SPV_API tgsi2spv_status tgsi2spv_module_get_spec_constant(const tgsi2spv_module* module, uint32_t index,
                                                               tgsi2spv_spec_constant* constant) TGSI2SPV_NOEXCEPT;
/** The whole reflection as JSON (docs/reflection.md), as `tgsi2spv --emit=reflect` writes it, with a zero after it. It
 * lives until the next call that takes the context, which may be any. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_module_write_json(const tgsi2spv_module* module, tgsi2spv_context* context,
                                                        const char** json, size_t* bytes) TGSI2SPV_NOEXCEPT;

/* ---- Hash ------------------------------------------------------------------------------------------------------ */

typedef struct tgsi2spv_hash {
    uint8_t bytes[16];
} tgsi2spv_hash;

/** A 128-bit hash of text, options and version. Equal inputs have equal hashes on every machine. Different inputs have
 * different hashes, except by chance. The hash (XXH3) is not an identity: anybody can make a text that has the hash of
 * another one. A cache of your own must compare text and options. Limits and the allocator are not part of the hash.
 * `info` and `options` may be NULL. */
TGSI2SPV_API tgsi2spv_status tgsi2spv_text_hash(const char* text, size_t bytes, const tgsi2spv_parse_info* info,
                                                const tgsi2spv_options* options, tgsi2spv_hash* hash) TGSI2SPV_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
