// Turns a Program into an SSA module, in one walk.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "ir/module.h"
#include "lower/bounds.h"
#include "lower/state.h"
#include "lower/workarounds.h"
#include "sampling/message.h"
#include "tgsi/diagnostic.h"
#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::lower {

struct Linkage;
struct StreamOutputs;

/// CONST[buffer] is in the push constants, starting at byte `offset`, a multiple of 16.
struct PushConstants {
    uint32_t buffer = 0;
    uint32_t offset = 0;
};

/// The meaning of a module, as the caller wants it.
struct Options {
    // ---- the meaning of the text
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    /// The number of words in each MEMORY register of a kind, which no text gives. Reads outside give 0. Vulkan
    /// promises 4,096 words of shared memory, and says nothing of private memory (4,096 words are too many for NVIDIA).
    uint32_t shared_words = 4096, private_words = 2048;
    /// MEMORY, and outputs of TESS_CTRL, start as zeros (own_memory.h).
    bool zero_memory = false;
    /// By IMAGE register: its PIPE_FORMAT (tgsi/formats.h), where the text names none, or another one of the same type.
    /// 0: unknown; texels are then treated as floats.
    std::vector<uint16_t> image_formats{};
    /// Bindless: the length of each descriptor array that handles select from.
    uint32_t handles = 32;

    // ---- where things are bound
    /// The TEX family uses separate texture and sampler descriptors, as the SAMPLE family does. Handles still select
    /// among combined descriptors.
    bool separate_samplers = false;
    /// Constant buffers that are push constants instead, each starting at its own byte of the range.
    std::vector<PushConstants> push_constants{};
    /// The varyings of this stage's neighbours in its pipeline (link.h). Null: the fixed table of locations.h.
    const Linkage* linkage = nullptr;
    /// Transform feedback of the last stage before rasterization (stream_output.h). Not with io_buffers.
    const StreamOutputs* stream_outputs = nullptr;
    /// Stage inputs and outputs are storage-buffer accesses indexed by vertex, invocation or pixel (io_buffers.h).
    bool io_buffers = false;
    /// All stages before the rasterizer; implies io_buffers: compute shaders, whose outputs are records for whoever
    /// draws without the device's own stages (records.h).
    bool records = false;
    /// io_buffers only: bit n of word n/32 set: the system value with tgsi::Semantic n comes from the input buffer.
    uint32_t buffered_system_values[2] = {};
    bool buffers(tgsi::Semantic semantic) const {
        const auto n = static_cast<uint32_t>(semantic);
        return io_buffers && (buffered_system_values[n / 32] >> n % 32 & 1) != 0;
    }

    // ---- the state of the pipeline around the module
    /// VERT, TESS_EVAL: no other stage comes between this one and the rasterizer. If linkage is set,
    /// Linkage::before_rasterizer is used instead. Only the last such stage converts positions, and only it has the
    /// state of `state` that is for the last stage.
    bool before_rasterizer = true;
    /// TGSI's −1..1 depth becomes Vulkan's 0..1. Not with io_buffers.
    bool convert_depth_range = true;
    bool flip_y = false;
    /// FRAG: COLOR[1] is the second source of blending for target 0.
    bool dual_source = false;
    /// VERT, TESS_EVAL: points will be drawn, so a shader without PSIZE must write PointSize = 1. A stage that makes
    /// points itself (TES_POINT_MODE, GS_OUTPUT_PRIMITIVE POINTS) always does so.
    bool draws_points = false;
    /// State that the module has to emulate; specialization constants then choose it.
    State state{};
    /// The constant buffer for values of `state` that a specialization constant cannot hold: state_buffer.
    uint32_t state_buffer = 31;

    // ---- promises of the caller
    /// NoContraction on all float arithmetic; SignedZeroInfNanPreserve and RTE where the device has them. For judged
    /// modules.
    bool exact = false;
    /// Position outputs are Invariant.
    bool invariant_position = true;
    Bounds bounds{};
    /// Every class of `bounds` is Trust.
    bool trust_indices = false;
    Conversions conversions = Conversions::Saturate;
    /// An instruction may have an offset that no Vulkan operand can express (from a register, or beyond the device's
    /// range). This promises that the samplers of such instructions read one level: they do not blend two levels, and
    /// have no bias, no anisotropy and no level limits. Without the promise these offsets are refused unless level 0 is
    /// read, because the second level would need an offset of its own.
    bool offsets_read_one_level = false;
    /// All loops and calls of an invocation end after this many iterations and calls together (turns.h); 0: no guard.
    uint32_t max_iterations = 0;
    /// The most instructions that may be made: the later steps take time and memory in proportion.
    uint32_t max_operations = 1u << 24;

    // ---- how the module is made
    Workarounds workarounds{};
    /// Fold and number instructions as they are made (ir/builder.h); otherwise the module is as the families wrote it.
    bool simplify = true;
    /// Skip unused values that loops compute (plan/needed.cpp), before they cost phis.
    bool drop_unneeded = true;
};

/// FS_COLOR0_WRITES_ALL_CBUFS writes so many COLOR, if the device has them. Gallium has no more.
inline constexpr uint32_t kMaxTargets = 8;

/// How a shader may index descriptors of one kind (shader…ArrayDynamicIndexing, shader…ArrayNonUniformIndexing). Where
/// it may not, there is one instruction for each descriptor, and a selection.
struct Indexing {
    bool dynamic = true;
    bool non_uniform = false;  ///< the index may differ between lanes

    bool allows(bool non_uniform_index) const { return dynamic && (non_uniform || !non_uniform_index); }
};

/// Abilities of the target device. Lowering emulates a missing one, or refuses the text with its name.
struct Capabilities {
    bool demote = true;  ///< OpDemoteToHelperInvocation
    bool float64 = true;
    bool int64 = true;
    bool shader_clock = true;  ///< of subgroup scope
    /// From VkPhysicalDeviceSubgroupProperties: the stages (bit 1 << tgsi::Stage), and some of the operations.
    uint8_t subgroup_stages = 0x3f;
    bool subgroup_vote = true;
    bool subgroup_ballot = true;
    bool subgroup_shuffle = true;
    bool subgroup_dynamic_broadcast = true;  ///< subgroupBroadcastDynamicId
    bool image_gather_extended = true;       ///< dynamic offsets, and four offsets
    Indexing sampled_images{}, texel_buffers{};
    /// quadDivergentImplicitLod: without it, derivatives and implicit levels are undefined where a quad's descriptors
    /// differ (Vulkan, "Derivative Image Operations").
    bool quad_divergent_implicit_lod = false;
    bool cube_array = true;
    bool sparse_residency = true;           ///< shaderResourceResidency
    bool shading_rate = true;               ///< fragment shading rate as a builtin: CPS LOD compensation
    bool standard_sample_locations = true;  ///< the only ones SAMPLE_POS knows
    bool clip_distance = true;
    bool cull_distance = true;
    bool sample_rate_shading = true;
    bool stage_point_size = true;  ///< shaderTessellationAndGeometryPointSize
    bool shader_layer = true;      ///< layer and viewport index outside GEOM
    bool stencil_export = true;
    bool post_depth_coverage = true;       ///< VK_EXT_post_depth_coverage
    bool viewport_mask = true;             ///< VK_NV_viewport_array2: VIEWPORT_MASK, LAYER_VIEWPORT_RELATIVE
    bool blend_operation_advanced = true;  ///< VK_EXT_blend_operation_advanced
    bool draw_parameters = true;
    bool multiview = true;
    bool transform_feedback = true;      ///< VK_EXT_transform_feedback
    uint32_t max_output_locations = 32;  ///< for the stage that transform feedback captures
    bool fragment_stores = true;         ///< stores and atomics in FRAG
    bool vertex_stores = true;           ///< in VERT, TESS_*, GEOM
    Indexing storage_buffers{}, storage_images{}, storage_texel_buffers{};
    bool uniform_buffer_indexing = false;  ///< shaderUniformBufferArrayDynamicIndexing: otherwise a selection
    bool storage_image_extended_formats = true;
    bool storage_image_read_without_format = true;
    bool storage_image_write_without_format = true;
    bool storage_image_multisample = true;
    bool buffer_float32_atomic_add = false;  ///< shaderBufferFloat32AtomicAdd; otherwise a compare loop
    bool image_float32_atomic_add = false;   ///< shaderImageFloat32AtomicAdd, likewise
    /// VkPhysicalDeviceFloatControlsProperties; `exact` sets EntryPoint::float_controls and round_to_even by them.
    bool signed_zero_inf_nan_preserve_32 = true;
    bool signed_zero_inf_nan_preserve_64 = true;
    bool round_to_even_32 = true;
    int32_t min_texel_offset = -8, max_texel_offset = 7;
    int32_t min_gather_offset = -32, max_gather_offset = 31;
    uint32_t max_targets = kMaxTargets;  ///< maxFragmentOutputAttachments, but at most kMaxTargets
    /// robustBufferAccess2: the device checks words of buffers against the bound range, so lowering does not. Atomics
    /// are still checked: Vulkan does not define their result out of bounds.
    bool robust_buffers = false;
    bool robust_images = false;          ///< robustImageAccess2: likewise texels, and levels of TXF
    bool zero_shared = false;            ///< shaderZeroInitializeWorkgroupMemory; otherwise stores and a barrier
    uint32_t max_uniform_buffers = 12;   ///< per stage
    uint32_t max_uniform_range = 65536;  ///< bytes
    uint32_t max_push_constants = 128;   ///< bytes
};

/// The walk's working memory, reused between conversions; opaque.
struct Workspace;
struct WorkspaceDeleter {
    void operator()(Workspace*) const;
};
using WorkspacePtr = std::unique_ptr<Workspace, WorkspaceDeleter>;
WorkspacePtr make_workspace(std::pmr::memory_resource* memory = std::pmr::get_default_resource());

/// io_buffers: the slots that registers take (io_buffers.h says which is where).
struct IoSlots {
    uint32_t input = 0;   ///< of a lane, without those of SV registers, which follow
    uint32_t output = 0;  ///< of a record
};
IoSlots io_slots(const tgsi::Program& program, const tgsi::Registers& registers);

/// The input of lowering, its settings, and the place of the result.
struct Conversion {
    const tgsi::Program& program;  ///< checked
    const tgsi::Registers& registers;
    /// Those of a program that carries messages without instructions (sampling/carrier.h); otherwise empty.
    std::span<const sampling::Message> messages;
    const Options& options;
    const Capabilities& capabilities;
    Workspace& workspace;
    ir::Module& module;  ///< overwritten, its memory reused
    std::vector<tgsi::Diagnostic>& diagnostics;
};

/// If something is not supported, returns false with diagnostics that name the opcode, stage or feature; it never
/// translates wrongly.
bool lower(const Conversion& conversion);

/// How FRAG's inputs with this declaration are interpolated; COLOR without flat shading.
ir::Interpolation interpolation_of(tgsi::Interpolation interpolation);

/// SPIR-V's number of a format (tgsi/formats.h) for storage images; 0: it has none.
uint16_t storage_format(uint16_t pipe_format);
/// The other way round; 0: there is none.
uint16_t format_of_storage(uint32_t image_format);

}  // namespace tgsi2spv::lower
