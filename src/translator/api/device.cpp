#include "api/device.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "tgsi/tables/types.h"

namespace tgsi2spv::api {
namespace {

using Caps = tgsi2spv_device_caps;

constexpr bool kSaves = true;
constexpr DeviceFeature kFeatures[] = {
    {&Caps::geometry_shader, "geometryShader"},
    {&Caps::tessellation_shader, "tessellationShader"},
    {&Caps::sample_rate_shading, "sampleRateShading"},
    {&Caps::dual_src_blend, "dualSrcBlend"},
    {&Caps::image_cube_array, "imageCubeArray"},
    {&Caps::multi_viewport, "multiViewport"},
    {&Caps::vertex_pipeline_stores_and_atomics, "vertexPipelineStoresAndAtomics"},
    {&Caps::fragment_stores_and_atomics, "fragmentStoresAndAtomics"},
    {&Caps::shader_tessellation_and_geometry_point_size, "shaderTessellationAndGeometryPointSize"},
    {&Caps::shader_image_gather_extended, "shaderImageGatherExtended"},
    {&Caps::shader_storage_image_extended_formats, "shaderStorageImageExtendedFormats"},
    {&Caps::shader_storage_image_multisample, "shaderStorageImageMultisample"},
    {&Caps::shader_storage_image_read_without_format, "shaderStorageImageReadWithoutFormat"},
    {&Caps::shader_storage_image_write_without_format, "shaderStorageImageWriteWithoutFormat"},
    {&Caps::shader_uniform_buffer_array_dynamic_indexing, "shaderUniformBufferArrayDynamicIndexing"},
    {&Caps::shader_sampled_image_array_dynamic_indexing, "shaderSampledImageArrayDynamicIndexing"},
    {&Caps::shader_storage_buffer_array_dynamic_indexing, "shaderStorageBufferArrayDynamicIndexing"},
    {&Caps::shader_storage_image_array_dynamic_indexing, "shaderStorageImageArrayDynamicIndexing"},
    {&Caps::shader_clip_distance, "shaderClipDistance"},
    {&Caps::shader_cull_distance, "shaderCullDistance"},
    {&Caps::shader_float64, "shaderFloat64"},
    {&Caps::shader_int64, "shaderInt64"},
    {&Caps::shader_resource_residency, "shaderResourceResidency"},
    {&Caps::shader_resource_min_lod, "shaderResourceMinLod"},
    {&Caps::shader_draw_parameters, "shaderDrawParameters"},
    {&Caps::multiview, "multiview"},
    {&Caps::shader_output_viewport_index, "shaderOutputViewportIndex"},
    {&Caps::shader_output_layer, "shaderOutputLayer"},
    {&Caps::subgroup_broadcast_dynamic_id, "subgroupBroadcastDynamicId"},
    {&Caps::shader_uniform_texel_buffer_array_dynamic_indexing, "shaderUniformTexelBufferArrayDynamicIndexing"},
    {&Caps::shader_storage_texel_buffer_array_dynamic_indexing, "shaderStorageTexelBufferArrayDynamicIndexing"},
    {&Caps::shader_uniform_buffer_array_non_uniform_indexing, "shaderUniformBufferArrayNonUniformIndexing", kSaves},
    {&Caps::shader_sampled_image_array_non_uniform_indexing, "shaderSampledImageArrayNonUniformIndexing", kSaves},
    {&Caps::shader_storage_buffer_array_non_uniform_indexing, "shaderStorageBufferArrayNonUniformIndexing", kSaves},
    {&Caps::shader_storage_image_array_non_uniform_indexing, "shaderStorageImageArrayNonUniformIndexing", kSaves},
    {&Caps::shader_uniform_texel_buffer_array_non_uniform_indexing, "shaderUniformTexelBufferArrayNonUniformIndexing",
     kSaves},
    {&Caps::shader_storage_texel_buffer_array_non_uniform_indexing, "shaderStorageTexelBufferArrayNonUniformIndexing",
     kSaves},
    {&Caps::shader_demote_to_helper_invocation, "shaderDemoteToHelperInvocation"},
    {&Caps::shader_subgroup_clock, "shaderSubgroupClock"},
    {&Caps::shader_buffer_float32_atomic_add, "shaderBufferFloat32AtomicAdd", kSaves},
    {&Caps::shader_image_float32_atomic_add, "shaderImageFloat32AtomicAdd", kSaves},
    {&Caps::transform_feedback, "transformFeedback"},
    {&Caps::geometry_streams, "geometryStreams"},
    {&Caps::ext_shader_stencil_export, "VK_EXT_shader_stencil_export"},
    {&Caps::ext_shader_viewport_index_layer, "VK_EXT_shader_viewport_index_layer"},
    {&Caps::ext_post_depth_coverage, "VK_EXT_post_depth_coverage"},
    {&Caps::ext_blend_operation_advanced, "VK_EXT_blend_operation_advanced"},
    {&Caps::khr_fragment_shading_rate, "VK_KHR_fragment_shading_rate"},
    {&Caps::nv_viewport_array2, "VK_NV_viewport_array2"},
    {&Caps::ext_shader_subgroup_vote, "VK_EXT_shader_subgroup_vote"},
    {&Caps::ext_shader_subgroup_ballot, "VK_EXT_shader_subgroup_ballot"},
    {&Caps::shader_signed_zero_inf_nan_preserve_float32, "shaderSignedZeroInfNanPreserveFloat32"},
    {&Caps::shader_signed_zero_inf_nan_preserve_float64, "shaderSignedZeroInfNanPreserveFloat64"},
    {&Caps::shader_rounding_mode_rte_float32, "shaderRoundingModeRTEFloat32"},
    {&Caps::standard_sample_locations, "standardSampleLocations"},
    {&Caps::quad_divergent_implicit_lod, "quadDivergentImplicitLod", kSaves},
    {&Caps::robust_buffer_access2, "robustBufferAccess2", kSaves},
    {&Caps::robust_image_access2, "robustImageAccess2", kSaves},
    {&Caps::shader_zero_initialize_workgroup_memory, "shaderZeroInitializeWorkgroupMemory", kSaves},
    {&Caps::transform_feedback_streams_lines_triangles, "transformFeedbackStreamsLinesTriangles"},
};

struct LocationLimit {
    ir::Stage stage;
    bool is_output;
    uint32_t Caps::*components;
    const char* name;
    bool patch = false;
};
constexpr LocationLimit kLocationLimits[] = {
    {ir::Stage::Vertex, true, &Caps::max_vertex_output_components, "maxVertexOutputComponents"},
    {ir::Stage::TessControl, false, &Caps::max_tessellation_control_per_vertex_input_components,
     "maxTessellationControlPerVertexInputComponents"},
    {ir::Stage::TessControl, true, &Caps::max_tessellation_control_per_vertex_output_components,
     "maxTessellationControlPerVertexOutputComponents"},
    {ir::Stage::TessControl, true, &Caps::max_tessellation_control_per_patch_output_components,
     "maxTessellationControlPerPatchOutputComponents", true},
    {ir::Stage::TessEval, false, &Caps::max_tessellation_evaluation_input_components,
     "maxTessellationEvaluationInputComponents"},
    {ir::Stage::TessEval, true, &Caps::max_tessellation_evaluation_output_components,
     "maxTessellationEvaluationOutputComponents"},
    {ir::Stage::Geometry, false, &Caps::max_geometry_input_components, "maxGeometryInputComponents"},
    {ir::Stage::Geometry, true, &Caps::max_geometry_output_components, "maxGeometryOutputComponents"},
    {ir::Stage::Fragment, false, &Caps::max_fragment_input_components, "maxFragmentInputComponents"},
};

// VkSubgroupFeatureFlagBits.
constexpr uint32_t kBasic = 1, kVote = 2, kBallot = 8, kShuffle = 16;
constexpr SubgroupOperation kSubgroupOperations[] = {
    {kBasic, "VK_SUBGROUP_FEATURE_BASIC_BIT"},     {kVote, "VK_SUBGROUP_FEATURE_VOTE_BIT"},
    {4, "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT"},     {kBallot, "VK_SUBGROUP_FEATURE_BALLOT_BIT"},
    {kShuffle, "VK_SUBGROUP_FEATURE_SHUFFLE_BIT"}, {32, "VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT"},
    {64, "VK_SUBGROUP_FEATURE_CLUSTERED_BIT"},     {128, "VK_SUBGROUP_FEATURE_QUAD_BIT"},
};

/// VK_MAKE_API_VERSION(0, 1, minor, 0)
uint32_t version_of(uint32_t minor) {
    return 1u << 22 | minor << 12;
}

bool offers(const Caps& caps, std::string_view feature) {
    for (const DeviceFeature& f : kFeatures)
        if (f.name == feature) return caps.*f.member != 0;
    for (const SubgroupOperation& o : kSubgroupOperations)
        if (o.name == feature) return (caps.subgroup_supported_operations & o.bit) != 0;
    return true;
}

}  // namespace

std::span<const DeviceFeature> device_features() {
    return kFeatures;
}

std::span<const SubgroupOperation> subgroup_operations() {
    return kSubgroupOperations;
}

namespace {

/// Abilities that the device reports as such.
constexpr std::pair<uint32_t Caps::*, bool lower::Capabilities::*> kAbilities[] = {
    {&Caps::shader_demote_to_helper_invocation, &lower::Capabilities::demote},
    {&Caps::shader_float64, &lower::Capabilities::float64},
    {&Caps::shader_int64, &lower::Capabilities::int64},
    {&Caps::shader_subgroup_clock, &lower::Capabilities::shader_clock},
    {&Caps::subgroup_broadcast_dynamic_id, &lower::Capabilities::subgroup_dynamic_broadcast},
    {&Caps::shader_image_gather_extended, &lower::Capabilities::image_gather_extended},
    {&Caps::quad_divergent_implicit_lod, &lower::Capabilities::quad_divergent_implicit_lod},
    {&Caps::image_cube_array, &lower::Capabilities::cube_array},
    {&Caps::shader_resource_residency, &lower::Capabilities::sparse_residency},
    {&Caps::khr_fragment_shading_rate, &lower::Capabilities::shading_rate},
    {&Caps::standard_sample_locations, &lower::Capabilities::standard_sample_locations},
    {&Caps::shader_clip_distance, &lower::Capabilities::clip_distance},
    {&Caps::shader_cull_distance, &lower::Capabilities::cull_distance},
    {&Caps::sample_rate_shading, &lower::Capabilities::sample_rate_shading},
    {&Caps::shader_tessellation_and_geometry_point_size, &lower::Capabilities::stage_point_size},
    {&Caps::ext_shader_stencil_export, &lower::Capabilities::stencil_export},
    {&Caps::ext_post_depth_coverage, &lower::Capabilities::post_depth_coverage},
    {&Caps::nv_viewport_array2, &lower::Capabilities::viewport_mask},
    {&Caps::ext_blend_operation_advanced, &lower::Capabilities::blend_operation_advanced},
    {&Caps::shader_draw_parameters, &lower::Capabilities::draw_parameters},
    {&Caps::multiview, &lower::Capabilities::multiview},
    {&Caps::robust_buffer_access2, &lower::Capabilities::robust_buffers},
    {&Caps::robust_image_access2, &lower::Capabilities::robust_images},
    {&Caps::fragment_stores_and_atomics, &lower::Capabilities::fragment_stores},
    {&Caps::vertex_pipeline_stores_and_atomics, &lower::Capabilities::vertex_stores},
    {&Caps::shader_storage_image_extended_formats, &lower::Capabilities::storage_image_extended_formats},
    {&Caps::shader_storage_image_read_without_format, &lower::Capabilities::storage_image_read_without_format},
    {&Caps::shader_storage_image_write_without_format, &lower::Capabilities::storage_image_write_without_format},
    {&Caps::shader_storage_image_multisample, &lower::Capabilities::storage_image_multisample},
    {&Caps::shader_buffer_float32_atomic_add, &lower::Capabilities::buffer_float32_atomic_add},
    {&Caps::shader_image_float32_atomic_add, &lower::Capabilities::image_float32_atomic_add},
    {&Caps::shader_signed_zero_inf_nan_preserve_float32, &lower::Capabilities::signed_zero_inf_nan_preserve_32},
    {&Caps::shader_signed_zero_inf_nan_preserve_float64, &lower::Capabilities::signed_zero_inf_nan_preserve_64},
    {&Caps::shader_rounding_mode_rte_float32, &lower::Capabilities::round_to_even_32},
    {&Caps::shader_zero_initialize_workgroup_memory, &lower::Capabilities::zero_shared},
    {&Caps::transform_feedback, &lower::Capabilities::transform_feedback},
};

}  // namespace

lower::Capabilities capabilities_of(const Caps& d) {
    lower::Capabilities c;
    for (const auto& [of_device, ability] : kAbilities) c.*ability = d.*of_device != 0;
    static_assert(static_cast<int>(tgsi::Stage::Vertex) == 0 && static_cast<int>(tgsi::Stage::TessControl) == 1 &&
                      static_cast<int>(tgsi::Stage::TessEval) == 2 && static_cast<int>(tgsi::Stage::Geometry) == 3 &&
                      static_cast<int>(tgsi::Stage::Fragment) == 4 && static_cast<int>(tgsi::Stage::Compute) == 5 &&
                      tgsi::kStageCount == 6,
                  "VkShaderStageFlagBits");
    c.subgroup_stages = static_cast<uint8_t>(d.subgroup_supported_stages & 0x3f);
    c.subgroup_vote = (d.subgroup_supported_operations & kVote) != 0;
    c.subgroup_ballot = (d.subgroup_supported_operations & kBallot) != 0;
    c.subgroup_shuffle = (d.subgroup_supported_operations & kShuffle) != 0;
    c.sampled_images = {d.shader_sampled_image_array_dynamic_indexing != 0,
                        d.shader_sampled_image_array_non_uniform_indexing != 0};
    c.texel_buffers = {d.shader_uniform_texel_buffer_array_dynamic_indexing != 0,
                       d.shader_uniform_texel_buffer_array_non_uniform_indexing != 0};
    c.shader_layer =
        (d.shader_output_layer != 0 && d.shader_output_viewport_index != 0) || d.ext_shader_viewport_index_layer != 0;
    c.uniform_buffers = {d.shader_uniform_buffer_array_dynamic_indexing != 0,
                         d.shader_uniform_buffer_array_non_uniform_indexing != 0};
    c.storage_buffers = {d.shader_storage_buffer_array_dynamic_indexing != 0,
                         d.shader_storage_buffer_array_non_uniform_indexing != 0};
    c.storage_images = {d.shader_storage_image_array_dynamic_indexing != 0,
                        d.shader_storage_image_array_non_uniform_indexing != 0};
    c.storage_texel_buffers = {d.shader_storage_texel_buffer_array_dynamic_indexing != 0,
                               d.shader_storage_texel_buffer_array_non_uniform_indexing != 0};
    // "Required Limits": -8 to 7, 12 buffers, 16 KiB. Gathers have offsets if the feature says so.
    const auto at_most = [](uint32_t n) { return static_cast<int32_t>(std::min(n, 0x7fff'ffffu)); };
    c.min_texel_offset = std::min(d.min_texel_offset, -8);
    c.max_texel_offset = std::max(at_most(d.max_texel_offset), 7);
    c.min_gather_offset = std::min(d.min_texel_gather_offset, -8);
    c.max_gather_offset = std::max(at_most(d.max_texel_gather_offset), 7);
    c.max_uniform_buffers = std::max(d.max_per_stage_descriptor_uniform_buffers, 12u);
    c.max_push_constants = std::max(d.max_push_constants_size, 128u);
    c.max_uniform_range = std::max(d.max_uniform_buffer_range, 16384u);
    // The last stage may be any of these: 64 components are guaranteed.
    c.max_output_locations =
        std::max(64u, std::min({d.max_vertex_output_components, d.max_tessellation_evaluation_output_components,
                                d.max_geometry_output_components})) /
        4;
    if (d.max_fragment_output_attachments != 0)
        c.max_targets = std::clamp(d.max_fragment_output_attachments, 4u, lower::kMaxTargets);
    return c;
}

tgsi2spv_device_caps least_device(uint32_t target) {
    Caps d{};
    d.struct_size = sizeof d;
    const uint32_t minor = target == TGSI2SPV_TARGET_DEFAULT ? 1 : target - TGSI2SPV_TARGET_VULKAN_1_0;
    d.api_version = version_of(minor);
    // Vulkan 1.1, VkPhysicalDeviceSubgroupProperties: these are always set.
    if (minor >= 1) d.subgroup_supported_stages = 1u << static_cast<int>(tgsi::Stage::Compute);
    if (minor >= 1) d.subgroup_supported_operations = kBasic;
    // Vulkan, "Required Limits": those for which 0 is not the default.
    d.max_vertex_output_components = 64;
    d.max_fragment_input_components = 64;
    d.max_fragment_output_attachments = 4;
    d.max_vertex_input_attributes = 16;
    d.max_compute_shared_memory_size = 16384;
    d.max_compute_work_group_invocations = 128;
    constexpr uint32_t kGroupSize[] = {128, 128, 64};
    std::ranges::copy(kGroupSize, d.max_compute_work_group_size);
    return d;
}

tgsi2spv_device_caps device_with_everything() {
    Caps d{};
    d.struct_size = sizeof d;
    d.api_version = version_of(3);
    for (const DeviceFeature& f : kFeatures) d.*f.member = f.saves ? 0 : 1;
    d.subgroup_supported_stages = (1u << tgsi::kStageCount) - 1;
    for (const SubgroupOperation& o : kSubgroupOperations) d.subgroup_supported_operations |= o.bit;
    d.max_uniform_buffer_range = 65536;
    d.min_texel_gather_offset = -32;
    d.max_texel_gather_offset = 31;
    for (const LocationLimit& l : kLocationLimits) d.*l.components = 128;  // 32 locations: the fixed table
    return d;
}

tgsi::Diagnostic lacking(std::string_view feature, std::string_view amount) {
    tgsi::Diagnostic d;
    d.code = "unsupported-by-device";
    d.message = std::string("the device lacks ").append(feature).append(amount);
    d.feature = feature;
    return d;
}

const char* missing_stage(const Caps& caps, tgsi::Stage stage) {
    const bool tessellates = stage == tgsi::Stage::TessControl || stage == tgsi::Stage::TessEval;
    if (tessellates && caps.tessellation_shader == 0) return "tessellationShader";
    if (stage == tgsi::Stage::Geometry && caps.geometry_shader == 0) return "geometryShader";
    return nullptr;
}

spirv::TargetEnv target_of(uint32_t api_version) {
    const uint32_t major = api_version >> 22 & 0x7f, minor = api_version >> 12 & 0x3ff;
    if (major != 1) return major == 0 ? spirv::TargetEnv::Vulkan10 : spirv::TargetEnv::Vulkan13;
    return static_cast<spirv::TargetEnv>(std::min(minor, 3u));
}

namespace {

/// A module's requirement on a limit, and the device's value; 0: not given, so not checked.
struct Need {
    const char* limit;
    uint64_t n;
    uint32_t has;
};

/// The first limit that is exceeded; none if it fits.
std::optional<Need> beyond(std::initializer_list<Need> needs) {
    for (const Need& need : needs)
        if (need.has != 0 && need.n > need.has) return need;
    return {};
}

/// The limit of transform feedback that an output exceeds; none if it fits.
std::optional<Need> beyond_feedback(const Caps& caps, const spirv::Reflection& module) {
    for (const spirv::InterfaceVariable& v : module.interface) {
        if (!v.is_output) continue;
        const uint32_t streams = v.stream == 0 ? 0 : v.stream + 1u;
        std::optional<Need> limit =
            beyond({{"maxTransformFeedbackStreams", streams, caps.max_transform_feedback_streams}});
        const uint32_t end = v.xfb_offset + 4u * v.type.components * std::max(v.array, 1u);
        if (!limit && v.captured)
            limit = beyond({
                {"maxTransformFeedbackBuffers", v.xfb_buffer + 1u, caps.max_transform_feedback_buffers},
                {"maxTransformFeedbackBufferDataSize", end, caps.max_transform_feedback_buffer_data_size},
                {"maxTransformFeedbackBufferDataStride", v.xfb_stride, caps.max_transform_feedback_buffer_data_stride},
            });
        if (limit) return limit;
    }
    return {};
}

/// The limit of render targets that an output exceeds; none if it fits.
std::optional<Need> beyond_targets(const Caps& caps, const spirv::Reflection& module) {
    uint32_t targets = 0;
    for (const spirv::InterfaceVariable& v : module.interface)
        if (v.is_output && v.builtin == ir::BuiltIn::None) targets = std::max(targets, v.location + 1);
    return beyond({{"maxFragmentOutputAttachments", targets, caps.max_fragment_output_attachments}});
}

/// The limit of vertex attributes that an input exceeds; none if it fits.
std::optional<Need> beyond_attributes(const Caps& caps, const spirv::Reflection& module) {
    uint32_t attributes = 0;
    for (const spirv::InterfaceVariable& v : module.interface)
        if (!v.is_output && v.builtin == ir::BuiltIn::None) attributes = std::max(attributes, v.location + 1);
    return beyond({{"maxVertexInputAttributes", attributes, caps.max_vertex_input_attributes}});
}

/// The limit of GEOM's vertices that is exceeded; none if it fits.
std::optional<Need> beyond_vertices(const Caps& caps, const spirv::Reflection& module) {
    uint64_t components = 0;
    for (const spirv::InterfaceVariable& v : module.interface)
        if (v.is_output) components += uint64_t{v.type.components} * std::max(v.array, 1u);
    const ir::EntryPoint& entry = module.entry;
    return beyond({
        {"maxGeometryShaderInvocations", entry.invocations, caps.max_geometry_shader_invocations},
        {"maxGeometryOutputVertices", entry.max_vertices, caps.max_geometry_output_vertices},
        {"maxGeometryTotalOutputComponents", components * entry.max_vertices,
         caps.max_geometry_total_output_components},
    });
}

/// The device limit that a stage's interface, a work group or transform feedback exceeds; none if it fits. The
/// caller must check sizes that are specialization constants.
std::optional<Need> beyond_limit(const Caps& caps, const spirv::Reflection& module) {
    if (module.entry.stage == ir::Stage::Fragment) return beyond_targets(caps, module);
    if (module.entry.stage != ir::Stage::Compute) {
        std::optional<Need> limit = beyond_feedback(caps, module);
        if (!limit && module.entry.stage == ir::Stage::Vertex) limit = beyond_attributes(caps, module);
        if (!limit && module.entry.stage == ir::Stage::Geometry) limit = beyond_vertices(caps, module);
        return limit;
    }
    std::optional<Need> limit =
        beyond({{"maxComputeSharedMemorySize", module.shared_bytes, caps.max_compute_shared_memory_size}});
    uint64_t invocations = 1;
    for (size_t c = 0; !limit && c < 3; ++c) {
        if (module.entry.local_size_ids[c] != ir::kNone) continue;
        const uint32_t size = module.entry.local_size[c];
        invocations *= size;
        limit = beyond({
            {"maxComputeWorkGroupSize", size, caps.max_compute_work_group_size[c]},
            {"maxComputeWorkGroupInvocations", invocations, caps.max_compute_work_group_invocations},
        });
    }
    return limit;
}

}  // namespace

bool keeps_to(const Caps& caps, spirv::TargetEnv env, const spirv::Reflection& module,
              std::vector<tgsi::Diagnostic>& diagnostics) {
    const auto lacks = [&](std::string_view feature, std::string_view amount = {}) {
        diagnostics.push_back(lacking(feature, amount));
        return false;
    };
    if (env > target_of(caps.api_version)) return lacks("Vulkan 1." + std::to_string(static_cast<int>(env)));
    for (const ir::Name& feature : module.features)
        if (!offers(caps, feature)) return lacks(feature);
    const std::optional<Need> limit = beyond_limit(caps, module);
    if (!limit) return true;
    return lacks(limit->limit, " of " + std::to_string(limit->n) + ": it has " + std::to_string(limit->has));
}

void warn_of_locations(const Caps& caps, const spirv::Reflection& module, std::vector<tgsi::Diagnostic>& diagnostics) {
    for (const spirv::InterfaceVariable& v : module.interface) {
        if (v.builtin != ir::BuiltIn::None) continue;
        const auto* limit = std::ranges::find_if(kLocationLimits, [&](const LocationLimit& l) {
            return l.stage == module.entry.stage && l.is_output == v.is_output && l.patch == v.patch;
        });
        if (limit == std::end(kLocationLimits)) continue;
        const uint32_t components = caps.*limit->components;
        if (components == 0 || v.location < components / 4) continue;
        tgsi::Diagnostic d;
        d.severity = tgsi::Severity::Warning;
        d.code = "beyond-locations";
        d.message = std::string(v.name.view()) + " is at location " + std::to_string(v.location) + ", beyond the " +
                    std::to_string(components / 4) + " locations that the device has (" + limit->name + ")";
        d.hint = "link the stages of the pipeline";
        diagnostics.push_back(std::move(d));
        return;
    }
}

bool keeps_to(const Caps& caps, Context& context, const Options& options) {
    return keeps_to(caps, options.emit.env, reflect(context, options), context.diagnostics);
}

}  // namespace tgsi2spv::api
