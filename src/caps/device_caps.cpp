#include "caps/device_caps.h"

#include <algorithm>

namespace tgsi2spv {

tgsi2spv_device_caps caps_of(const vulkan::DeviceReport& r) {
    const VkPhysicalDeviceFeatures& f = r.features;
    const VkPhysicalDeviceVulkan12Features& f12 = r.features12;
    const VkPhysicalDeviceLimits& l = r.limits;
    tgsi2spv_device_caps c{};
    c.struct_size = sizeof c;
    c.api_version = r.info.api_version;
    c.geometry_shader = f.geometryShader;
    c.tessellation_shader = f.tessellationShader;
    c.sample_rate_shading = f.sampleRateShading;
    c.dual_src_blend = f.dualSrcBlend;
    c.image_cube_array = f.imageCubeArray;
    c.multi_viewport = f.multiViewport;
    c.vertex_pipeline_stores_and_atomics = f.vertexPipelineStoresAndAtomics;
    c.fragment_stores_and_atomics = f.fragmentStoresAndAtomics;
    c.shader_tessellation_and_geometry_point_size = f.shaderTessellationAndGeometryPointSize;
    c.shader_image_gather_extended = f.shaderImageGatherExtended;
    c.shader_storage_image_extended_formats = f.shaderStorageImageExtendedFormats;
    c.shader_storage_image_multisample = f.shaderStorageImageMultisample;
    c.shader_storage_image_read_without_format = f.shaderStorageImageReadWithoutFormat;
    c.shader_storage_image_write_without_format = f.shaderStorageImageWriteWithoutFormat;
    c.shader_uniform_buffer_array_dynamic_indexing = f.shaderUniformBufferArrayDynamicIndexing;
    c.shader_sampled_image_array_dynamic_indexing = f.shaderSampledImageArrayDynamicIndexing;
    c.shader_storage_buffer_array_dynamic_indexing = f.shaderStorageBufferArrayDynamicIndexing;
    c.shader_storage_image_array_dynamic_indexing = f.shaderStorageImageArrayDynamicIndexing;
    c.shader_clip_distance = f.shaderClipDistance;
    c.shader_cull_distance = f.shaderCullDistance;
    c.shader_float64 = f.shaderFloat64;
    c.shader_int64 = f.shaderInt64;
    c.shader_resource_residency = f.shaderResourceResidency;
    c.shader_resource_min_lod = f.shaderResourceMinLod;
    c.shader_draw_parameters = r.features11.shaderDrawParameters;
    c.multiview = r.features11.multiview;
    c.robust_buffer_access2 = r.robust_buffer_access2;
    c.robust_image_access2 = r.robust_image_access2;
    c.shader_output_viewport_index = f12.shaderOutputViewportIndex;
    c.shader_output_layer = f12.shaderOutputLayer;
    c.subgroup_broadcast_dynamic_id = f12.subgroupBroadcastDynamicId;
    c.shader_uniform_texel_buffer_array_dynamic_indexing = f12.shaderUniformTexelBufferArrayDynamicIndexing;
    c.shader_storage_texel_buffer_array_dynamic_indexing = f12.shaderStorageTexelBufferArrayDynamicIndexing;
    c.shader_uniform_buffer_array_non_uniform_indexing = f12.shaderUniformBufferArrayNonUniformIndexing;
    c.shader_sampled_image_array_non_uniform_indexing = f12.shaderSampledImageArrayNonUniformIndexing;
    c.shader_storage_buffer_array_non_uniform_indexing = f12.shaderStorageBufferArrayNonUniformIndexing;
    c.shader_storage_image_array_non_uniform_indexing = f12.shaderStorageImageArrayNonUniformIndexing;
    c.shader_uniform_texel_buffer_array_non_uniform_indexing = f12.shaderUniformTexelBufferArrayNonUniformIndexing;
    c.shader_storage_texel_buffer_array_non_uniform_indexing = f12.shaderStorageTexelBufferArrayNonUniformIndexing;
    c.shader_demote_to_helper_invocation = r.demote;
    c.shader_subgroup_clock = r.shader_clock;
    c.shader_buffer_float32_atomic_add = r.buffer_float32_atomic_add;
    c.shader_image_float32_atomic_add = r.image_float32_atomic_add;
    c.transform_feedback = r.transform_feedback;
    c.geometry_streams = r.geometry_streams;
    c.transform_feedback_streams_lines_triangles = r.streams_of_lines_and_triangles;
    c.max_transform_feedback_buffers = r.max_transform_feedback_buffers;
    c.quad_divergent_implicit_lod = r.quad_divergent_implicit_lod;
    c.ext_shader_stencil_export = r.stencil_export;
    c.ext_shader_viewport_index_layer = r.has(VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME);
    c.ext_post_depth_coverage = r.has(VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME);
    c.ext_blend_operation_advanced = r.has(VK_EXT_BLEND_OPERATION_ADVANCED_EXTENSION_NAME);
    c.khr_fragment_shading_rate = r.has(VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME);
    c.nv_viewport_array2 = r.has(VK_NV_VIEWPORT_ARRAY_2_EXTENSION_NAME);
    c.subgroup_supported_stages = r.subgroup.supportedStages;
    c.subgroup_supported_operations = r.subgroup.supportedOperations;
    c.shader_signed_zero_inf_nan_preserve_float32 = r.float_controls.shaderSignedZeroInfNanPreserveFloat32;
    c.shader_signed_zero_inf_nan_preserve_float64 = r.float_controls.shaderSignedZeroInfNanPreserveFloat64;
    c.shader_rounding_mode_rte_float32 = r.float_controls.shaderRoundingModeRTEFloat32;
    c.standard_sample_locations = l.standardSampleLocations;
    c.max_per_stage_descriptor_uniform_buffers = l.maxPerStageDescriptorUniformBuffers;
    c.max_uniform_buffer_range = l.maxUniformBufferRange;
    c.max_push_constants_size = l.maxPushConstantsSize;
    c.min_texel_offset = l.minTexelOffset;
    c.max_texel_offset = l.maxTexelOffset;
    c.min_texel_gather_offset = l.minTexelGatherOffset;
    c.max_texel_gather_offset = l.maxTexelGatherOffset;
    c.max_fragment_output_attachments = l.maxFragmentOutputAttachments;
    c.max_vertex_output_components = l.maxVertexOutputComponents;
    c.max_tessellation_control_per_vertex_input_components = l.maxTessellationControlPerVertexInputComponents;
    c.max_tessellation_control_per_vertex_output_components = l.maxTessellationControlPerVertexOutputComponents;
    c.max_tessellation_control_per_patch_output_components = l.maxTessellationControlPerPatchOutputComponents;
    c.max_tessellation_evaluation_input_components = l.maxTessellationEvaluationInputComponents;
    c.max_tessellation_evaluation_output_components = l.maxTessellationEvaluationOutputComponents;
    c.max_geometry_input_components = l.maxGeometryInputComponents;
    c.max_geometry_output_components = l.maxGeometryOutputComponents;
    c.max_fragment_input_components = l.maxFragmentInputComponents;
    c.max_compute_shared_memory_size = l.maxComputeSharedMemorySize;
    c.max_compute_work_group_invocations = l.maxComputeWorkGroupInvocations;
    std::copy_n(l.maxComputeWorkGroupSize, 3, c.max_compute_work_group_size);
    return c;
}

}  // namespace tgsi2spv
