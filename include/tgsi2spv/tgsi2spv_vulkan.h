/* SPDX-License-Identifier: MIT */
/* Helpers for users of the library on Vulkan: capabilities of a device, descriptor types, layouts and
 * specialization. Header only: the library itself does not use Vulkan. Include volk.h or vulkan/vulkan.h (1.2.170 or
 * later) before it, or it includes the latter. */
#ifndef TGSI2SPV_VULKAN_H
#define TGSI2SPV_VULKAN_H

#ifndef VULKAN_CORE_H_
#include <vulkan/vulkan.h>
#endif

#include <string.h>

#include "tgsi2spv/tgsi2spv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices --------------------------------------------------------------------------------------------------- */

/** Whether the device is created with the extension. */
static inline uint32_t tgsi2spv_vulkan_has_extension(const VkDeviceCreateInfo* created, const char* name) {
    for (uint32_t i = 0; i < created->enabledExtensionCount; i++)
        if (strcmp(created->ppEnabledExtensionNames[i], name) == 0) return 1;
    return 0;
}

/** One struct of a chain of enabled features, for tgsi2spv_vulkan_get_caps. */
static inline void tgsi2spv_vulkan_add_features(const VkBaseInStructure* chained, tgsi2spv_device_caps* caps) {
#define TGSI2SPV_FEATURES(type) const type* f = (const type*)chained
/* Vulkan 1.2 has these in a struct of its own, too. */
#define TGSI2SPV_INDEXING_FEATURES                                                                               \
    caps->shader_uniform_texel_buffer_array_dynamic_indexing |= f->shaderUniformTexelBufferArrayDynamicIndexing; \
    caps->shader_storage_texel_buffer_array_dynamic_indexing |= f->shaderStorageTexelBufferArrayDynamicIndexing; \
    caps->shader_uniform_buffer_array_non_uniform_indexing |= f->shaderUniformBufferArrayNonUniformIndexing;     \
    caps->shader_sampled_image_array_non_uniform_indexing |= f->shaderSampledImageArrayNonUniformIndexing;       \
    caps->shader_storage_buffer_array_non_uniform_indexing |= f->shaderStorageBufferArrayNonUniformIndexing;     \
    caps->shader_storage_image_array_non_uniform_indexing |= f->shaderStorageImageArrayNonUniformIndexing;       \
    caps->shader_uniform_texel_buffer_array_non_uniform_indexing |=                                              \
        f->shaderUniformTexelBufferArrayNonUniformIndexing;                                                      \
    caps->shader_storage_texel_buffer_array_non_uniform_indexing |= f->shaderStorageTexelBufferArrayNonUniformIndexing;
    switch ((int)chained->sType) {
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceVulkan11Features);
            caps->shader_draw_parameters |= f->shaderDrawParameters;
            caps->multiview |= f->multiview;
            break;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceShaderDrawParametersFeatures);
            caps->shader_draw_parameters |= f->shaderDrawParameters;
            break;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceMultiviewFeatures);
            caps->multiview |= f->multiview;
            break;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceVulkan12Features);
            caps->shader_output_viewport_index |= f->shaderOutputViewportIndex;
            caps->shader_output_layer |= f->shaderOutputLayer;
            caps->subgroup_broadcast_dynamic_id |= f->subgroupBroadcastDynamicId;
            TGSI2SPV_INDEXING_FEATURES
            break;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceDescriptorIndexingFeatures);
            TGSI2SPV_INDEXING_FEATURES
            break;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceVulkan13Features);
            caps->shader_demote_to_helper_invocation |= f->shaderDemoteToHelperInvocation;
            caps->shader_zero_initialize_workgroup_memory |= f->shaderZeroInitializeWorkgroupMemory;
            break;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures);
            caps->shader_demote_to_helper_invocation |= f->shaderDemoteToHelperInvocation;
            break;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures);
            caps->shader_zero_initialize_workgroup_memory |= f->shaderZeroInitializeWorkgroupMemory;
            break;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceShaderClockFeaturesKHR);
            caps->shader_subgroup_clock |= f->shaderSubgroupClock;
            break;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT);
            caps->shader_buffer_float32_atomic_add |= f->shaderBufferFloat32AtomicAdd;
            caps->shader_image_float32_atomic_add |= f->shaderImageFloat32AtomicAdd;
            break;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceTransformFeedbackFeaturesEXT);
            caps->transform_feedback |= f->transformFeedback;
            caps->geometry_streams |= f->geometryStreams;
            break;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT: {
            TGSI2SPV_FEATURES(VkPhysicalDeviceRobustness2FeaturesEXT);
            caps->robust_buffer_access2 |= f->robustBufferAccess2;
            caps->robust_image_access2 |= f->robustImageAccess2;
            break;
        }
        default:
            break;
    }
#undef TGSI2SPV_INDEXING_FEATURES
#undef TGSI2SPV_FEATURES
}

/** The features of Vulkan 1.0. */
static inline void tgsi2spv_vulkan_set_core_features(const VkPhysicalDeviceFeatures* f, tgsi2spv_device_caps* caps) {
    caps->geometry_shader = f->geometryShader;
    caps->tessellation_shader = f->tessellationShader;
    caps->sample_rate_shading = f->sampleRateShading;
    caps->dual_src_blend = f->dualSrcBlend;
    caps->image_cube_array = f->imageCubeArray;
    caps->multi_viewport = f->multiViewport;
    caps->vertex_pipeline_stores_and_atomics = f->vertexPipelineStoresAndAtomics;
    caps->fragment_stores_and_atomics = f->fragmentStoresAndAtomics;
    caps->shader_tessellation_and_geometry_point_size = f->shaderTessellationAndGeometryPointSize;
    caps->shader_image_gather_extended = f->shaderImageGatherExtended;
    caps->shader_storage_image_extended_formats = f->shaderStorageImageExtendedFormats;
    caps->shader_storage_image_multisample = f->shaderStorageImageMultisample;
    caps->shader_storage_image_read_without_format = f->shaderStorageImageReadWithoutFormat;
    caps->shader_storage_image_write_without_format = f->shaderStorageImageWriteWithoutFormat;
    caps->shader_uniform_buffer_array_dynamic_indexing = f->shaderUniformBufferArrayDynamicIndexing;
    caps->shader_sampled_image_array_dynamic_indexing = f->shaderSampledImageArrayDynamicIndexing;
    caps->shader_storage_buffer_array_dynamic_indexing = f->shaderStorageBufferArrayDynamicIndexing;
    caps->shader_storage_image_array_dynamic_indexing = f->shaderStorageImageArrayDynamicIndexing;
    caps->shader_clip_distance = f->shaderClipDistance;
    caps->shader_cull_distance = f->shaderCullDistance;
    caps->shader_float64 = f->shaderFloat64;
    caps->shader_int64 = f->shaderInt64;
    caps->shader_resource_residency = f->shaderResourceResidency;
    caps->shader_resource_min_lod = f->shaderResourceMinLod;
}

static inline void tgsi2spv_vulkan_set_limits(const VkPhysicalDeviceLimits* l, tgsi2spv_device_caps* caps) {
    caps->standard_sample_locations = l->standardSampleLocations;
    caps->max_per_stage_descriptor_uniform_buffers = l->maxPerStageDescriptorUniformBuffers;
    caps->max_uniform_buffer_range = l->maxUniformBufferRange;
    caps->max_push_constants_size = l->maxPushConstantsSize;
    caps->min_texel_offset = l->minTexelOffset;
    caps->max_texel_offset = l->maxTexelOffset;
    caps->min_texel_gather_offset = l->minTexelGatherOffset;
    caps->max_texel_gather_offset = l->maxTexelGatherOffset;
    caps->max_fragment_output_attachments = l->maxFragmentOutputAttachments;
    caps->max_vertex_input_attributes = l->maxVertexInputAttributes;
    caps->max_vertex_output_components = l->maxVertexOutputComponents;
    caps->max_tessellation_control_per_vertex_input_components = l->maxTessellationControlPerVertexInputComponents;
    caps->max_tessellation_control_per_vertex_output_components = l->maxTessellationControlPerVertexOutputComponents;
    caps->max_tessellation_control_per_patch_output_components = l->maxTessellationControlPerPatchOutputComponents;
    caps->max_tessellation_evaluation_input_components = l->maxTessellationEvaluationInputComponents;
    caps->max_tessellation_evaluation_output_components = l->maxTessellationEvaluationOutputComponents;
    caps->max_geometry_input_components = l->maxGeometryInputComponents;
    caps->max_geometry_output_components = l->maxGeometryOutputComponents;
    caps->max_geometry_shader_invocations = l->maxGeometryShaderInvocations;
    caps->max_geometry_output_vertices = l->maxGeometryOutputVertices;
    caps->max_geometry_total_output_components = l->maxGeometryTotalOutputComponents;
    caps->max_fragment_input_components = l->maxFragmentInputComponents;
    caps->max_compute_shared_memory_size = l->maxComputeSharedMemorySize;
    caps->max_compute_work_group_invocations = l->maxComputeWorkGroupInvocations;
    memcpy(caps->max_compute_work_group_size, l->maxComputeWorkGroupSize, sizeof caps->max_compute_work_group_size);
}

/** The capabilities that a device offers to modules: the limits of the physical device, and the features that the
 * VkDevice is created with (in pEnabledFeatures, in VkPhysicalDeviceFeatures2 of the chain, or in other structs of it).
 * A feature that the device has but the application did not enable must not be used, so it does not count.
 * `api_version` is the least of those of the instance's VkApplicationInfo and of the device. `get_properties` is
 * vkGetPhysicalDeviceProperties2, or its KHR form on Vulkan 1.0.
 */
static inline void tgsi2spv_vulkan_get_caps(VkPhysicalDevice device, PFN_vkGetPhysicalDeviceProperties2 get_properties,
                                            uint32_t api_version, const VkDeviceCreateInfo* created,
                                            tgsi2spv_device_caps* caps) {
    VkPhysicalDeviceProperties2 properties;
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDeviceFloatControlsProperties floats;
    VkPhysicalDeviceDescriptorIndexingProperties indexing;
    VkPhysicalDeviceTransformFeedbackPropertiesEXT feedback;
    const uint32_t is11 = api_version >= VK_API_VERSION_1_1, is12 = api_version >= VK_API_VERSION_1_2;
    void* first = NULL;
    void** next = &first;
#define TGSI2SPV_ADD(condition, properties_struct, type)        \
    memset(&(properties_struct), 0, sizeof(properties_struct)); \
    (properties_struct).sType = type;                           \
    if (condition) {                                            \
        *next = &(properties_struct);                           \
        next = &(properties_struct).pNext;                      \
    }
    TGSI2SPV_ADD(1, properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2)
    TGSI2SPV_ADD(is11, subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
    TGSI2SPV_ADD(is12 || tgsi2spv_vulkan_has_extension(created, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME), floats,
                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES)
    TGSI2SPV_ADD(is12 || tgsi2spv_vulkan_has_extension(created, VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME), indexing,
                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES)
    TGSI2SPV_ADD(tgsi2spv_vulkan_has_extension(created, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME), feedback,
                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT)
#undef TGSI2SPV_ADD
    get_properties(device, &properties);

    memset(caps, 0, sizeof *caps);
    caps->struct_size = sizeof *caps;
    caps->api_version = api_version;
    tgsi2spv_vulkan_set_limits(&properties.properties.limits, caps);
    if (created->pEnabledFeatures != NULL) tgsi2spv_vulkan_set_core_features(created->pEnabledFeatures, caps);
    for (const VkBaseInStructure* s = (const VkBaseInStructure*)created->pNext; s != NULL; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
            tgsi2spv_vulkan_set_core_features(&((const VkPhysicalDeviceFeatures2*)s)->features, caps);
        else
            tgsi2spv_vulkan_add_features(s, caps);
    /* Extensions without a feature, and those whose feature Vulkan 1.2 introduced later. */
    caps->shader_draw_parameters |=
        tgsi2spv_vulkan_has_extension(created, VK_KHR_SHADER_DRAW_PARAMETERS_EXTENSION_NAME);
    caps->ext_shader_stencil_export =
        tgsi2spv_vulkan_has_extension(created, VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME);
    caps->ext_shader_viewport_index_layer =
        tgsi2spv_vulkan_has_extension(created, VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME);
    caps->ext_post_depth_coverage = tgsi2spv_vulkan_has_extension(created, VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME);
    caps->ext_blend_operation_advanced =
        tgsi2spv_vulkan_has_extension(created, VK_EXT_BLEND_OPERATION_ADVANCED_EXTENSION_NAME);
    caps->khr_fragment_shading_rate =
        tgsi2spv_vulkan_has_extension(created, VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME);
    caps->nv_viewport_array2 = tgsi2spv_vulkan_has_extension(created, VK_NV_VIEWPORT_ARRAY_2_EXTENSION_NAME);
    caps->ext_shader_subgroup_vote = tgsi2spv_vulkan_has_extension(created, VK_EXT_SHADER_SUBGROUP_VOTE_EXTENSION_NAME);
    caps->ext_shader_subgroup_ballot =
        tgsi2spv_vulkan_has_extension(created, VK_EXT_SHADER_SUBGROUP_BALLOT_EXTENSION_NAME);
    caps->subgroup_supported_stages = subgroup.supportedStages;
    caps->subgroup_supported_operations = subgroup.supportedOperations;
    caps->shader_signed_zero_inf_nan_preserve_float32 = floats.shaderSignedZeroInfNanPreserveFloat32;
    caps->shader_signed_zero_inf_nan_preserve_float64 = floats.shaderSignedZeroInfNanPreserveFloat64;
    caps->shader_rounding_mode_rte_float32 = floats.shaderRoundingModeRTEFloat32;
    caps->quad_divergent_implicit_lod = indexing.quadDivergentImplicitLod;
    caps->transform_feedback_streams_lines_triangles = feedback.transformFeedbackStreamsLinesTriangles;
    caps->max_transform_feedback_streams = feedback.maxTransformFeedbackStreams;
    caps->max_transform_feedback_buffers = feedback.maxTransformFeedbackBuffers;
    caps->max_transform_feedback_buffer_data_size = feedback.maxTransformFeedbackBufferDataSize;
    caps->max_transform_feedback_buffer_data_stride = feedback.maxTransformFeedbackBufferDataStride;
}

/* ---- What to bind ---------------------------------------------------------------------------------------------- */

static inline VkShaderStageFlagBits tgsi2spv_vulkan_stage(tgsi2spv_stage stage) {
    return (VkShaderStageFlagBits)(1 << stage);
}

static inline VkDescriptorType tgsi2spv_vulkan_descriptor_type(const tgsi2spv_resource* resource) {
    const int texels = resource->image_dim == TGSI2SPV_IMAGE_BUFFER;
    switch (resource->kind) {
        case TGSI2SPV_RESOURCE_CONSTANT_BUFFER:
            return resource->storage != 0 ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        case TGSI2SPV_RESOURCE_COMBINED_IMAGE:
            return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        case TGSI2SPV_RESOURCE_SAMPLED_IMAGE:
            return texels ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
        case TGSI2SPV_RESOURCE_SAMPLER:
            return VK_DESCRIPTOR_TYPE_SAMPLER;
        case TGSI2SPV_RESOURCE_STORAGE_IMAGE:
            return texels ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        case TGSI2SPV_RESOURCE_STORAGE_BUFFER:
        case TGSI2SPV_RESOURCE_RECORDS:
            return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        case TGSI2SPV_RESOURCE_INPUT_ATTACHMENT:
        case TGSI2SPV_RESOURCE_KIND_MAX:
            break;
    }
    return VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
}

/** Of an image that is not a texel buffer. */
static inline VkImageViewType tgsi2spv_vulkan_view_type(const tgsi2spv_resource* resource) {
    const int array = resource->image_array != 0;
    switch (resource->image_dim) {
        case TGSI2SPV_IMAGE_1D:
            return array ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
        case TGSI2SPV_IMAGE_3D:
            return VK_IMAGE_VIEW_TYPE_3D;
        case TGSI2SPV_IMAGE_CUBE:
            return array ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
        default:
            return array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
    }
}

/** The format of a storage image by tgsi2spv_resource::image_format (SPIR-V, "Image Format"). Undefined: any, or not
 * one of Vulkan's. */
static inline VkFormat tgsi2spv_vulkan_storage_format(uint32_t image_format) {
    static const VkFormat formats[] = {VK_FORMAT_UNDEFINED,
                                       VK_FORMAT_R32G32B32A32_SFLOAT,
                                       VK_FORMAT_R16G16B16A16_SFLOAT,
                                       VK_FORMAT_R32_SFLOAT,
                                       VK_FORMAT_R8G8B8A8_UNORM,
                                       VK_FORMAT_R8G8B8A8_SNORM,
                                       VK_FORMAT_R32G32_SFLOAT,
                                       VK_FORMAT_R16G16_SFLOAT,
                                       VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                       VK_FORMAT_R16_SFLOAT,
                                       VK_FORMAT_R16G16B16A16_UNORM,
                                       VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                       VK_FORMAT_R16G16_UNORM,
                                       VK_FORMAT_R8G8_UNORM,
                                       VK_FORMAT_R16_UNORM,
                                       VK_FORMAT_R8_UNORM,
                                       VK_FORMAT_R16G16B16A16_SNORM,
                                       VK_FORMAT_R16G16_SNORM,
                                       VK_FORMAT_R8G8_SNORM,
                                       VK_FORMAT_R16_SNORM,
                                       VK_FORMAT_R8_SNORM,
                                       VK_FORMAT_R32G32B32A32_SINT,
                                       VK_FORMAT_R16G16B16A16_SINT,
                                       VK_FORMAT_R8G8B8A8_SINT,
                                       VK_FORMAT_R32_SINT,
                                       VK_FORMAT_R32G32_SINT,
                                       VK_FORMAT_R16G16_SINT,
                                       VK_FORMAT_R8G8_SINT,
                                       VK_FORMAT_R16_SINT,
                                       VK_FORMAT_R8_SINT,
                                       VK_FORMAT_R32G32B32A32_UINT,
                                       VK_FORMAT_R16G16B16A16_UINT,
                                       VK_FORMAT_R8G8B8A8_UINT,
                                       VK_FORMAT_R32_UINT,
                                       VK_FORMAT_A2B10G10R10_UINT_PACK32,
                                       VK_FORMAT_R32G32_UINT,
                                       VK_FORMAT_R16G16_UINT,
                                       VK_FORMAT_R8G8_UINT,
                                       VK_FORMAT_R16_UINT,
                                       VK_FORMAT_R8_UINT,
                                       VK_FORMAT_R64_UINT,
                                       VK_FORMAT_R64_SINT};
    return image_format < sizeof formats / sizeof *formats ? formats[image_format] : VK_FORMAT_UNDEFINED;
}

/** A format that fits an input of VERT, with 32 bits a component: the text reads the buffer's words unchanged. */
static inline VkFormat tgsi2spv_vulkan_attribute_format(const tgsi2spv_variable* input) {
    static const VkFormat formats[3][4] = {
        {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT},
        {VK_FORMAT_R32_SINT, VK_FORMAT_R32G32_SINT, VK_FORMAT_R32G32B32_SINT, VK_FORMAT_R32G32B32A32_SINT},
        {VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32_UINT, VK_FORMAT_R32G32B32A32_UINT}};
    if (input->type > TGSI2SPV_COMPONENT_UINT || input->components - 1 > 3) return VK_FORMAT_UNDEFINED;
    return formats[input->type][input->components - 1];
}

/** Adds a module's descriptors of one set to the bindings of a layout: those of another stage at the same binding get
 * this stage, too. `bindings` has `count` elements and room for `capacity`. Returns the new count, or `capacity + 1` if
 * there is no room. */
static inline uint32_t tgsi2spv_vulkan_add_bindings(const tgsi2spv_module* module, uint32_t set,
                                                    VkDescriptorSetLayoutBinding* bindings, uint32_t count,
                                                    uint32_t capacity) {
    tgsi2spv_module_info info;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    if (tgsi2spv_module_get_info(module, &info) != TGSI2SPV_SUCCESS) return count;
    for (uint32_t i = 0; i < info.resource_count; i++) {
        tgsi2spv_resource r;
        memset(&r, 0, sizeof r);
        r.struct_size = sizeof r;
        tgsi2spv_module_get_resource(module, i, &r);
        if (r.set != set) continue;
        uint32_t at = 0;
        while (at < count && bindings[at].binding != r.binding) at++;
        if (at == count) {
            if (count == capacity) return capacity + 1;
            bindings[count].binding = r.binding;
            bindings[count].descriptorType = tgsi2spv_vulkan_descriptor_type(&r);
            bindings[count].descriptorCount = r.count;
            bindings[count].stageFlags = 0;
            bindings[count++].pImmutableSamplers = NULL;
        }
        bindings[at].stageFlags |= (VkShaderStageFlags)tgsi2spv_vulkan_stage(info.stage);
    }
    return count;
}

/** A value of a specialization constant. */
typedef struct tgsi2spv_vulkan_spec_value {
    uint32_t id;    /**< tgsi2spv_spec */
    uint32_t value; /**< as a word */
} tgsi2spv_vulkan_spec_value;

/** `entries` has room for `count`. The result points to both arrays. A module may lack some of the constants: Vulkan
 * ignores their values. */
static inline VkSpecializationInfo tgsi2spv_vulkan_specialization(const tgsi2spv_vulkan_spec_value* values,
                                                                  uint32_t count, VkSpecializationMapEntry* entries) {
    VkSpecializationInfo info;
    for (uint32_t i = 0; i < count; i++) {
        entries[i].constantID = values[i].id;
        entries[i].offset = (uint32_t)(i * sizeof *values + offsetof(tgsi2spv_vulkan_spec_value, value));
        entries[i].size = sizeof values->value;
    }
    info.mapEntryCount = count;
    info.pMapEntries = entries;
    info.dataSize = count * sizeof *values;
    info.pData = values;
    return info;
}

#ifdef __cplusplus
}
#endif
#endif
