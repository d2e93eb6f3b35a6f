/* SPDX-License-Identifier: MIT */
/* The device's capabilities: a struct of tgsi2spv_options. tgsi2spv.h explains and includes it. */
#ifndef TGSI2SPV_DEVICE_H
#define TGSI2SPV_DEVICE_H

#include <stddef.h>
#include <stdint.h>

/** Features and limits by their Vulkan names; 0 means absent. Set what the VkDevice was created with: a feature that
 * the device offers but the application did not enable must not be used. If the device lacks a feature, the translator
 * emulates it where it can, else it refuses the text and names the feature. tgsi2spv_vulkan_get_caps
 * (tgsi2spv_vulkan.h) fills the struct from a VkDeviceCreateInfo, `tgsi2spv --caps` from vulkaninfo's JSON.
 *
 * Without this struct, the translator assumes a VkDevice of Vulkan 1.1, or of tgsi2spv_options::target, that was
 * created without any feature or extension: the limits are those that Vulkan guarantees ("Required Limits"), and
 * subgroups have the features that every device has (VK_SUBGROUP_FEATURE_BASIC_BIT in COMP). Not even multiview is
 * assumed, which every device of Vulkan 1.1 offers, but only if it is enabled. Such a module runs on every device, and
 * its `features` name no others. tgsi2spv_device_caps_set_everything is the opposite. */
typedef struct tgsi2spv_device_caps {
    size_t struct_size;
    /** The least of VkPhysicalDeviceProperties::apiVersion and VkApplicationInfo::apiVersion; 0: Vulkan 1.0. */
    uint32_t api_version;
    /* VkPhysicalDeviceFeatures */
    uint32_t geometry_shader;
    uint32_t tessellation_shader;
    uint32_t sample_rate_shading;
    uint32_t dual_src_blend;
    uint32_t image_cube_array;
    uint32_t multi_viewport;
    uint32_t vertex_pipeline_stores_and_atomics;
    uint32_t fragment_stores_and_atomics;
    uint32_t shader_tessellation_and_geometry_point_size;
    uint32_t shader_image_gather_extended;
    uint32_t shader_storage_image_extended_formats;
    uint32_t shader_storage_image_multisample;
    uint32_t shader_storage_image_read_without_format;
    uint32_t shader_storage_image_write_without_format;
    uint32_t shader_uniform_buffer_array_dynamic_indexing;
    uint32_t shader_sampled_image_array_dynamic_indexing;
    uint32_t shader_storage_buffer_array_dynamic_indexing;
    uint32_t shader_storage_image_array_dynamic_indexing;
    uint32_t shader_clip_distance;
    uint32_t shader_cull_distance;
    uint32_t shader_float64;
    uint32_t shader_int64;
    uint32_t shader_resource_residency;
    uint32_t shader_resource_min_lod;
    /* VkPhysicalDeviceVulkan11Features, -12Features, -13Features, or the extensions that they come from */
    uint32_t shader_draw_parameters;       /**< VK_KHR_shader_draw_parameters */
    uint32_t shader_output_viewport_index; /**< with the next: VK_EXT_shader_viewport_index_layer has its own member */
    uint32_t shader_output_layer;
    uint32_t subgroup_broadcast_dynamic_id;
    /* VK_EXT_descriptor_indexing */
    uint32_t shader_uniform_texel_buffer_array_dynamic_indexing;
    uint32_t shader_storage_texel_buffer_array_dynamic_indexing;
    uint32_t shader_uniform_buffer_array_non_uniform_indexing;
    uint32_t shader_sampled_image_array_non_uniform_indexing;
    uint32_t shader_storage_buffer_array_non_uniform_indexing;
    uint32_t shader_storage_image_array_non_uniform_indexing;
    uint32_t shader_uniform_texel_buffer_array_non_uniform_indexing;
    uint32_t shader_storage_texel_buffer_array_non_uniform_indexing;
    uint32_t shader_demote_to_helper_invocation; /**< VK_EXT_shader_demote_to_helper_invocation */
    /* Features of extensions */
    uint32_t shader_subgroup_clock;            /**< VK_KHR_shader_clock */
    uint32_t shader_buffer_float32_atomic_add; /**< VK_EXT_shader_atomic_float, so is the next */
    uint32_t shader_image_float32_atomic_add;
    uint32_t transform_feedback; /**< VK_EXT_transform_feedback, so is the next */
    uint32_t geometry_streams;
    /* Extensions: 1 if the device has the extension */
    uint32_t ext_shader_stencil_export;
    uint32_t ext_shader_viewport_index_layer;
    uint32_t ext_post_depth_coverage;
    uint32_t ext_blend_operation_advanced;
    uint32_t khr_fragment_shading_rate;
    uint32_t nv_viewport_array2;
    /* VkPhysicalDeviceSubgroupProperties */
    uint32_t subgroup_supported_stages;     /**< VkShaderStageFlags */
    uint32_t subgroup_supported_operations; /**< VkSubgroupFeatureFlags */
    /* VkPhysicalDeviceFloatControlsProperties */
    uint32_t shader_signed_zero_inf_nan_preserve_float32;
    uint32_t shader_signed_zero_inf_nan_preserve_float64;
    uint32_t shader_rounding_mode_rte_float32;
    /* VkPhysicalDeviceLimits; 0: the minimum that Vulkan guarantees */
    uint32_t standard_sample_locations;
    uint32_t max_per_stage_descriptor_uniform_buffers;
    uint32_t max_uniform_buffer_range;
    uint32_t max_push_constants_size;
    /* tgsi2spv_linkage_create respects these. A stage that is converted without linkage uses a fixed table of 32
     * locations; it gets a warning if one of these says that the device has fewer. */
    uint32_t max_vertex_output_components;
    uint32_t max_tessellation_control_per_vertex_input_components;
    uint32_t max_tessellation_control_per_vertex_output_components;
    uint32_t max_tessellation_control_per_patch_output_components;
    uint32_t max_tessellation_evaluation_input_components;
    uint32_t max_tessellation_evaluation_output_components;
    uint32_t max_geometry_input_components;
    uint32_t max_geometry_output_components;
    uint32_t max_fragment_input_components;
    uint32_t max_compute_shared_memory_size; /**< 0: modules are not checked against it */
    int32_t min_texel_offset;
    uint32_t max_texel_offset;
    int32_t min_texel_gather_offset;
    uint32_t max_texel_gather_offset;
    /* 0: modules are not checked against these */
    uint32_t max_compute_work_group_invocations;
    uint32_t max_compute_work_group_size[3];
    /* VkPhysicalDeviceDescriptorIndexingProperties. Without it, an instruction with an implicit level samples, one by
     * one, all textures that lanes may select. */
    uint32_t quad_divergent_implicit_lod;
    /* VkPhysicalDeviceTransformFeedbackPropertiesEXT: GEOM may emit lines and triangles to several streams */
    uint32_t transform_feedback_streams_lines_triangles;
    /* The same struct; 0: modules are not checked against it */
    uint32_t max_transform_feedback_streams;
    uint32_t max_transform_feedback_buffers;
    uint32_t max_transform_feedback_buffer_data_size;
    uint32_t max_transform_feedback_buffer_data_stride;
    /** VkPhysicalDeviceLimits: how many COLOR a FRAG may write, and FS_COLOR0_WRITES_ALL_CBUFS writes. 0: eight */
    uint32_t max_fragment_output_attachments;
    /** VkPhysicalDeviceVulkan11Features. Without it, VIEW_INDEX is 0. */
    uint32_t multiview;
    /* Extensions that only the target Vulkan 1.0 needs, for VOTE_… and for BALLOT, READ_FIRST and READ_INVOC */
    uint32_t ext_shader_subgroup_vote;
    uint32_t ext_shader_subgroup_ballot;
    /* VkPhysicalDeviceLimits; 0: modules are not checked against it */
    uint32_t max_vertex_input_attributes;
    uint32_t max_geometry_shader_invocations;
    uint32_t max_geometry_output_vertices;
    uint32_t max_geometry_total_output_components;
    /* VkPhysicalDeviceRobustness2FeaturesEXT, if the VkDevice was created with them (with robustBufferAccess). The
     * device then checks indices for free, and modules do not: of words of buffers (give these sizes that are multiples
     * of four bytes; CONST by an index then reads what is bound beyond the declared registers), and of texels and
     * levels. Atomics and samples are still checked. */
    uint32_t robust_buffer_access2;
    uint32_t robust_image_access2;
    /** VK_KHR_zero_initialize_workgroup_memory. Without it, TGSI2SPV_OPTION_ZERO_MEMORY takes stores and a barrier. */
    uint32_t shader_zero_initialize_workgroup_memory;
    uint32_t reserved; /**< 0; without it the struct would end in padding */
} tgsi2spv_device_caps;

#endif
