// Abilities of the target device.
#pragma once

#include <cstdint>

#include "tgsi/tables/types.h"

namespace tgsi2spv::lower {

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
    bool shader_clock = true;  ///< a clock of subgroup scope
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
    uint32_t max_output_locations = 32;  ///< limit of the stage that transform feedback captures
    bool fragment_stores = true;         ///< stores and atomics in FRAG
    bool vertex_stores = true;           ///< stores and atomics in VERT, TESS_*, GEOM
    Indexing storage_buffers{}, storage_images{}, storage_texel_buffers{};
    Indexing uniform_buffers{false};
    bool storage_image_extended_formats = true;
    bool storage_image_read_without_format = true;
    bool storage_image_write_without_format = true;
    bool storage_image_multisample = true;
    bool buffer_float32_atomic_add = false;  ///< shaderBufferFloat32AtomicAdd; otherwise a compare loop
    bool image_float32_atomic_add = false;   ///< shaderImageFloat32AtomicAdd; otherwise such a loop
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
    bool robust_images = false;          ///< robustImageAccess2: the same of texels, and of levels of TXF
    bool zero_shared = false;            ///< shaderZeroInitializeWorkgroupMemory; otherwise stores and a barrier
    uint32_t max_uniform_buffers = 12;   ///< uniform buffers of a stage
    uint32_t max_uniform_range = 65536;  ///< bytes
    uint32_t max_push_constants = 128;   ///< bytes
};

/// Whether the stage has subgroup operations and system values.
inline bool has_subgroups(const Capabilities& capabilities, tgsi::Stage stage) {
    return (capabilities.subgroup_stages >> static_cast<uint32_t>(stage) & 1) != 0;
}

}  // namespace tgsi2spv::lower
