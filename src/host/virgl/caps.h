// The capabilities that a host reports to its guests, as the bytes of GET_CAPS' replies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tgsi2spv::virgl {

/// Bit n: format n.
struct FormatMask {
    std::array<uint32_t, 16> words;
};

inline void set(FormatMask& mask, uint32_t format) {
    mask.words[format / 32] |= 1u << (format % 32);
}
inline bool has(const FormatMask& mask, uint32_t format) {
    return mask.words[format / 32] >> (format % 32) & 1;
}

/// Bits of CapsV1::flags.
enum CapsFlag : uint32_t {
    kCapIndepBlendEnable = 1u << 0,
    kCapIndepBlendFunc = 1u << 1,
    kCapCubeMapArray = 1u << 2,
    kCapShaderStencilExport = 1u << 3,
    kCapConditionalRender = 1u << 4,
    kCapStartInstance = 1u << 5,
    kCapPrimitiveRestart = 1u << 6,
    kCapBlendEqSep = 1u << 7,
    kCapInstanceId = 1u << 8,
    kCapVertexElementInstanceDivisor = 1u << 9,
    kCapSeamlessCubeMap = 1u << 10,
    kCapOcclusionQuery = 1u << 11,
    kCapTimerQuery = 1u << 12,
    kCapStreamoutPauseResume = 1u << 13,
    kCapTextureMultisample = 1u << 14,
    kCapFragmentCoordConventions = 1u << 15,
    kCapDepthClipDisable = 1u << 16,
    kCapSeamlessCubeMapPerTexture = 1u << 17,
    kCapUbo = 1u << 18,
    kCapColorClamping = 1u << 19,
    kCapPolyStipple = 1u << 20,
    kCapMirrorClamp = 1u << 21,
    kCapTextureQueryLod = 1u << 22,
    kCapHasFp64 = 1u << 23,
    kCapHasTessellationShaders = 1u << 24,
    kCapHasIndirectDraw = 1u << 25,
    kCapHasSampleShading = 1u << 26,
    kCapHasCull = 1u << 27,
    kCapConditionalRenderInverted = 1u << 28,
    kCapDerivativeControl = 1u << 29,
    kCapPolygonOffsetClamp = 1u << 30,
    kCapTransformFeedbackOverflowQuery = 1u << 31,
};

struct CapsV1 {
    uint32_t max_version;
    FormatMask sampler, render, depth_stencil, vertex_buffer;
    uint32_t flags;
    uint32_t glsl_level;
    uint32_t max_texture_array_layers;
    uint32_t max_streamout_buffers;
    uint32_t max_dual_source_render_targets;
    uint32_t max_render_targets;
    uint32_t max_samples;
    uint32_t prim_mask;
    uint32_t max_tbo_size;
    uint32_t max_uniform_blocks;
    uint32_t max_viewports;
    uint32_t max_texture_gather_components;
};
static_assert(sizeof(CapsV1) == 308);

struct VideoCaps {
    std::array<uint32_t, 4> words;
};

struct CapsV2 {
    CapsV1 v1;
    float min_aliased_point_size, max_aliased_point_size, min_smooth_point_size, max_smooth_point_size;
    float min_aliased_line_width, max_aliased_line_width, min_smooth_line_width, max_smooth_line_width;
    float max_texture_lod_bias;
    uint32_t max_geom_output_vertices, max_geom_total_output_components;
    uint32_t max_vertex_outputs, max_vertex_attribs, max_shader_patch_varyings;
    int32_t min_texel_offset, max_texel_offset, min_texture_gather_offset, max_texture_gather_offset;
    uint32_t texture_buffer_offset_alignment, uniform_buffer_offset_alignment, shader_buffer_offset_alignment;
    uint32_t capability_bits;
    std::array<uint32_t, 8> sample_locations;
    uint32_t max_vertex_attrib_stride;
    uint32_t max_shader_buffer_frag_compute, max_shader_buffer_other_stages;
    uint32_t max_shader_image_frag_compute, max_shader_image_other_stages, max_image_samples;
    uint32_t max_compute_work_group_invocations, max_compute_shared_memory_size;
    std::array<uint32_t, 3> max_compute_grid_size, max_compute_block_size;
    uint32_t max_texture_2d_size, max_texture_3d_size, max_texture_cube_size;
    uint32_t max_combined_shader_buffers;
    std::array<uint32_t, 6> max_atomic_counters, max_atomic_counter_buffers;
    uint32_t max_combined_atomic_counters, max_combined_atomic_counter_buffers;
    uint32_t host_feature_check_version;
    FormatMask supported_readback_formats, scanout;
    uint32_t capability_bits_v2;
    uint32_t max_video_memory;  ///< MiB
    std::array<char, 64> renderer;
    float max_anisotropy;
    uint32_t max_texture_samplers;
    FormatMask supported_multisample_formats;
    std::array<uint32_t, 6> max_const_buffer_size;  ///< bytes, by stage
    uint32_t num_video_caps;
    std::array<VideoCaps, 32> video_caps;
    uint32_t max_uniform_block_size;
    uint32_t max_tcs_outputs, max_tes_outputs;
    std::array<uint32_t, 6> max_shader_storage_blocks;
};
// The struct only grows: 1,376 bytes in Mesa 22.3, 1,384 in virglrenderer 1.0, 1,408 in Mesa 26. Guests read the part
// that they know.
static_assert(offsetof(CapsV2, max_tcs_outputs) == 1376 && offsetof(CapsV2, max_shader_storage_blocks) == 1384);
static_assert(sizeof(CapsV2) == 1408);

/// Bits of CapsV2::capability_bits.
enum CapabilityBit : uint32_t {
    kCapTgsiInvariant = 1u << 0,
    kCapTextureView = 1u << 1,
    kCapSetMinSamples = 1u << 2,
    kCapCopyImage = 1u << 3,
    kCapTgsiPrecise = 1u << 4,
    kCapTxqs = 1u << 5,
    kCapMemoryBarrier = 1u << 6,
    kCapComputeShader = 1u << 7,
    kCapFbNoAttach = 1u << 8,
    kCapRobustBufferAccess = 1u << 9,
    kCapTgsiFbfetch = 1u << 10,
    kCapShaderClock = 1u << 11,
    kCapTextureBarrier = 1u << 12,
    kCapTgsiComponents = 1u << 13,
    kCapGuestMayInitLog = 1u << 14,
    kCapSrgbWriteControl = 1u << 15,
    kCapQbo = 1u << 16,
    kCapTransfer = 1u << 17,
    kCapFboMixedColorFormats = 1u << 18,
    kCapHostIsGles = 1u << 19,
    kCapBindCommandArgs = 1u << 20,
    kCapMultiDrawIndirect = 1u << 21,
    kCapIndirectParams = 1u << 22,
    kCapTransformFeedback3 = 1u << 23,
    kCap3dAstc = 1u << 24,
    kCapIndirectInputAddr = 1u << 25,
    kCapCopyTransfer = 1u << 26,
    kCapClipHalfz = 1u << 27,
    kCapAppTweakSupport = 1u << 28,
    kCapBgraSrgbIsEmulated = 1u << 29,
    kCapClearTexture = 1u << 30,
    kCapArbBufferStorage = 1u << 31,
};

/// Bits of CapsV2::capability_bits_v2.
enum CapabilityBitV2 : uint32_t {
    kCapBlendEquation = 1u << 0,
    kCapUntypedResource = 1u << 1,
    kCapVideoMemory = 1u << 2,
    kCapStringMarker = 1u << 4,
    kCapDifferentGpu = 1u << 5,
    kCapImplicitMsaa = 1u << 6,
    kCapCopyTransferBothDirections = 1u << 7,
    kCapScanoutUsesGbm = 1u << 8,
    kCapSso = 1u << 9,
    kCapTextureShadowLod = 1u << 10,
    kCapVsVertexLayer = 1u << 11,
    kCapVsViewportIndex = 1u << 12,
    kCapPipelineStatisticsQuery = 1u << 13,
    kCapDrawParameters = 1u << 14,
    kCapGroupVote = 1u << 15,
    kCapMirrorClampToEdge = 1u << 16,
    kCapMirrorClampV2 = 1u << 17,
    kCapResourceLayout = 1u << 18,
};

}  // namespace tgsi2spv::virgl
