/* SPDX-License-Identifier: MIT */
/* Declarations of programs and contents of modules: structs that tgsi2spv.h returns. tgsi2spv.h explains and includes
 * them. */
#ifndef TGSI2SPV_REFLECTION_H
#define TGSI2SPV_REFLECTION_H

#include <stddef.h>
#include <stdint.h>

/** VkShaderStageFlagBits: the bit of stage n is 1 << n. */
typedef enum tgsi2spv_stage {
    TGSI2SPV_STAGE_VERTEX = 0,
    TGSI2SPV_STAGE_TESS_CTRL = 1,
    TGSI2SPV_STAGE_TESS_EVAL = 2,
    TGSI2SPV_STAGE_GEOMETRY = 3,
    TGSI2SPV_STAGE_FRAGMENT = 4,
    TGSI2SPV_STAGE_COMPUTE = 5,
    TGSI2SPV_STAGE_MAX = 0x7fffffff
} tgsi2spv_stage;

/** The topology of a draw: gallium's primitives, except those that Vulkan does not have. */
typedef enum tgsi2spv_topology {
    TGSI2SPV_TOPOLOGY_POINTS = 0,
    TGSI2SPV_TOPOLOGY_LINES = 1,
    TGSI2SPV_TOPOLOGY_LINE_STRIP = 2,
    TGSI2SPV_TOPOLOGY_TRIANGLES = 3,
    TGSI2SPV_TOPOLOGY_TRIANGLE_STRIP = 4,
    TGSI2SPV_TOPOLOGY_TRIANGLE_FAN = 5,
    TGSI2SPV_TOPOLOGY_MAX = 0x7fffffff
} tgsi2spv_topology;

/** The content of a descriptor. The `index` beside it is the TGSI register's. */
typedef enum tgsi2spv_resource_kind {
    TGSI2SPV_RESOURCE_CONSTANT_BUFFER = 0, /**< CONST[index][…] */
    /** SAMP[index] of the TEX family: image and sampler in one. Fetches need no sampler, and some need another view:
     * BUFFER targets, and TXF of cubes (as a 2D array of faces), use a SAMPLED_IMAGE of the same index. */
    TGSI2SPV_RESOURCE_COMBINED_IMAGE = 1,
    /** SVIEW[index] of the SAMPLE family, and see above; 416 + n: colour n (TGSI2SPV_STATE_FETCH_IMAGE) */
    TGSI2SPV_RESOURCE_SAMPLED_IMAGE = 2,
    TGSI2SPV_RESOURCE_SAMPLER = 3,       /**< SAMP[index] of the SAMPLE family */
    TGSI2SPV_RESOURCE_STORAGE_IMAGE = 4, /**< IMAGE[index] */
    /** BUFFER[index]; HWATOMIC[n] is index 64 + n, MEMORY GLOBAL 132, INPUT 133 */
    TGSI2SPV_RESOURCE_STORAGE_BUFFER = 5,
    TGSI2SPV_RESOURCE_INPUT_ATTACHMENT = 6, /**< FBFETCH of colour `index`; blending */
    TGSI2SPV_RESOURCE_RECORDS = 7,          /**< TGSI2SPV_OPTION_RECORDS: storage buffer `index` of its four */
    TGSI2SPV_RESOURCE_KIND_MAX = 0x7fffffff
} tgsi2spv_resource_kind;

/** The dimensionality of an image: Dim of SPIR-V, and with `image_array` VkImageViewType. */
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

/** The shader's accesses to a resource. */
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
    uint32_t set;     /**< of a program: 0 */
    uint32_t binding; /**< of a program: 0 */
    uint32_t count;   /**< descriptors in the array; 1 if it is not an array */
    /** Constant buffers: the declared registers. Bind at least this much unless robustBufferAccess is enabled. */
    uint32_t bytes;
    /** Constant buffers: the length of the array in the module, and so the most that it reads. More than `bytes` if the
     * device is trusted to check indices (robust_buffer_access2). */
    uint32_t max_bytes;
    uint32_t storage; /**< constant buffers: 1 for a storage buffer, 0 for a uniform buffer */
    /* Images: */
    tgsi2spv_image_dim image_dim;
    tgsi2spv_component_type image_component;
    uint32_t image_array;
    uint32_t image_depth; /**< the sampler compares */
    uint32_t image_multisampled;
    uint32_t image_format; /**< storage images: SPIR-V's Image Format; 0: unknown */
    /** Storage buffers and images: tgsi2spv_access bits, for barriers. Atomics do both. */
    uint32_t access;
    uint32_t reserved;
} tgsi2spv_resource;

typedef enum tgsi2spv_interpolation {
    TGSI2SPV_INTERPOLATION_SMOOTH = 0,
    TGSI2SPV_INTERPOLATION_FLAT = 1,
    TGSI2SPV_INTERPOLATION_LINEAR = 2, /**< NoPerspective */
    TGSI2SPV_INTERPOLATION_MAX = 0x7fffffff
} tgsi2spv_interpolation;

/** TGSI's semantics; tgsi2spv_semantic_name() has the words. */
typedef enum tgsi2spv_semantic {
    TGSI2SPV_SEMANTIC_NONE = 0, /**< none is written */
    TGSI2SPV_SEMANTIC_POSITION = 1,
    TGSI2SPV_SEMANTIC_COLOR = 2,
    TGSI2SPV_SEMANTIC_BCOLOR = 3,
    TGSI2SPV_SEMANTIC_FOG = 4,
    TGSI2SPV_SEMANTIC_PSIZE = 5,
    TGSI2SPV_SEMANTIC_GENERIC = 6,
    TGSI2SPV_SEMANTIC_NORMAL = 7,
    TGSI2SPV_SEMANTIC_FACE = 8,
    TGSI2SPV_SEMANTIC_EDGE_FLAG = 9,
    TGSI2SPV_SEMANTIC_PRIM_ID = 10,
    TGSI2SPV_SEMANTIC_INSTANCE_ID = 11,
    TGSI2SPV_SEMANTIC_VERTEX_ID = 12,
    TGSI2SPV_SEMANTIC_STENCIL = 13,
    TGSI2SPV_SEMANTIC_CLIP_DIST = 14,
    TGSI2SPV_SEMANTIC_CLIP_VERTEX = 15,
    TGSI2SPV_SEMANTIC_GRID_SIZE = 16,
    TGSI2SPV_SEMANTIC_BLOCK_ID = 17,
    TGSI2SPV_SEMANTIC_BLOCK_SIZE = 18,
    TGSI2SPV_SEMANTIC_THREAD_ID = 19,
    TGSI2SPV_SEMANTIC_TEX_COORD = 20,
    TGSI2SPV_SEMANTIC_PCOORD = 21,
    TGSI2SPV_SEMANTIC_VIEWPORT_INDEX = 22,
    TGSI2SPV_SEMANTIC_LAYER = 23,
    TGSI2SPV_SEMANTIC_CULL_DIST = 24,
    TGSI2SPV_SEMANTIC_SAMPLE_ID = 25,
    TGSI2SPV_SEMANTIC_SAMPLE_POS = 26,
    TGSI2SPV_SEMANTIC_SAMPLE_MASK = 27,
    TGSI2SPV_SEMANTIC_INVOCATION_ID = 28,
    TGSI2SPV_SEMANTIC_VERTEX_ID_NO_BASE = 29,
    TGSI2SPV_SEMANTIC_BASE_VERTEX = 30,
    TGSI2SPV_SEMANTIC_PATCH = 31,
    TGSI2SPV_SEMANTIC_TESS_COORD = 32,
    TGSI2SPV_SEMANTIC_TESS_OUTER = 33,
    TGSI2SPV_SEMANTIC_TESS_INNER = 34,
    TGSI2SPV_SEMANTIC_VERTICES_IN = 35,
    TGSI2SPV_SEMANTIC_HELPER_INVOCATION = 36,
    TGSI2SPV_SEMANTIC_BASE_INSTANCE = 37,
    TGSI2SPV_SEMANTIC_DRAW_ID = 38,
    TGSI2SPV_SEMANTIC_WORK_DIM = 39,
    TGSI2SPV_SEMANTIC_SUBGROUP_SIZE = 40,
    TGSI2SPV_SEMANTIC_SUBGROUP_INVOCATION = 41,
    TGSI2SPV_SEMANTIC_SUBGROUP_EQ_MASK = 42,
    TGSI2SPV_SEMANTIC_SUBGROUP_GE_MASK = 43,
    TGSI2SPV_SEMANTIC_SUBGROUP_GT_MASK = 44,
    TGSI2SPV_SEMANTIC_SUBGROUP_LE_MASK = 45,
    TGSI2SPV_SEMANTIC_SUBGROUP_LT_MASK = 46,
    TGSI2SPV_SEMANTIC_VIEWPORT_MASK = 47,
    TGSI2SPV_SEMANTIC_TESS_DEFAULT_OUTER_LEVEL = 48,
    TGSI2SPV_SEMANTIC_TESS_DEFAULT_INNER_LEVEL = 49,
    TGSI2SPV_SEMANTIC_VIEW_INDEX = 50, /**< of multiview */
    TGSI2SPV_SEMANTIC_MAX = 0x7fffffff
} tgsi2spv_semantic;

/** tgsi2spv_variable::builtin of a variable that has a location. */
#define TGSI2SPV_NO_BUILTIN 0xffffffffu

/** An input or output of a module. */
typedef struct tgsi2spv_variable {
    size_t struct_size;
    const char* name; /**< also its name in debug information: "GENERIC[3]"; may be empty for a built-in variable */
    tgsi2spv_semantic semantic; /**< NONE: it is not one of the text's registers */
    uint32_t semantic_index;
    uint32_t builtin;     /**< SPIR-V's number of the BuiltIn, or TGSI2SPV_NO_BUILTIN */
    uint32_t location;    /**< of a variable that is not built in */
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
    uint32_t reserved;
} tgsi2spv_variable;

/** An input, output or system value that a program declares: one register, or an array of them. */
typedef struct tgsi2spv_register {
    size_t struct_size;
    uint32_t index; /**< of the first: IN[index] */
    uint32_t count;
    tgsi2spv_semantic semantic;           /**< of attributes of VERT: NONE */
    uint32_t semantic_index;              /**< of the first */
    uint32_t components;                  /**< bit n: component n is declared */
    tgsi2spv_interpolation interpolation; /**< FRAG inputs; COLOR without a written one: SMOOTH */
    uint32_t sample_location;             /**< FRAG inputs: 0 centre, 1 centroid, 2 sample */
    uint32_t reserved;
} tgsi2spv_register;

typedef struct tgsi2spv_spec_constant {
    size_t struct_size;
    const char* name;       /**< "framebuffer height", static; empty: none */
    uint32_t id;            /**< tgsi2spv_spec, VkSpecializationMapEntry::constantID */
    uint32_t default_value; /**< as a word */
} tgsi2spv_spec_constant;

/** A program's stage and counts of declarations, for any target of conversion. */
typedef struct tgsi2spv_program_info {
    size_t struct_size;
    tgsi2spv_stage stage;
    uint32_t instruction_count;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t system_value_count;
    uint32_t resource_count; /**< 0 without TGSI2SPV_PARSE_RESOURCES */
    uint32_t property_count;
    uint32_t reserved;
} tgsi2spv_program_info;

/** A PROPERTY of a program. */
typedef struct tgsi2spv_property {
    size_t struct_size;
    const char* name; /**< TGSI's word, static: "FS_COORD_ORIGIN" */
    uint32_t value;
    uint32_t reserved;
} tgsi2spv_property;

/** A module's code, requirements and interface. Pointers live as long as the module. */
typedef struct tgsi2spv_module_info {
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
    /* Interface (tgsi2spv_module_get_…): */
    uint32_t resource_count;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t spec_constant_count;
    uint32_t push_constant_bytes;
    uint32_t local_size[3];  /**< COMP; 0: a specialization constant */
    uint32_t patch_vertices; /**< TESS_CTRL: vertices of an output patch */
    uint32_t shared_bytes;   /**< COMP: bytes of shared memory */
    /** TESS_EVAL, GEOM: the primitives that the stage makes, as in tgsi2spv_geometry_info; 0 in other stages */
    tgsi2spv_topology output_topology;
    uint32_t reserved;
} tgsi2spv_module_info;

#endif
