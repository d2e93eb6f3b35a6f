// The device's capabilities as lowering sees them. Reading a wrong member gives a module that the device cannot run, or
// one that is needlessly slow.
#include "api/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "api/library_texts.h"

namespace tgsi2spv::api {
namespace {

using Caps = tgsi2spv_device_caps;
using lower::Capabilities;
using Fields = std::map<std::string, int64_t>;

/// Every field but those that the struct has no member for: by the feature that it is read of, or by its own name.
Fields fields_of(const Capabilities& c) {
    return {{"shaderDemoteToHelperInvocation", c.demote},
            {"shaderFloat64", c.float64},
            {"shaderInt64", c.int64},
            {"shaderSubgroupClock", c.shader_clock},
            {"subgroup_stages", c.subgroup_stages},
            {"subgroup_vote", c.subgroup_vote},
            {"subgroup_ballot", c.subgroup_ballot},
            {"subgroup_shuffle", c.subgroup_shuffle},
            {"subgroupBroadcastDynamicId", c.subgroup_dynamic_broadcast},
            {"shaderImageGatherExtended", c.image_gather_extended},
            {"shaderSampledImageArrayDynamicIndexing", c.sampled_images.dynamic},
            {"shaderSampledImageArrayNonUniformIndexing", c.sampled_images.non_uniform},
            {"shaderUniformTexelBufferArrayDynamicIndexing", c.texel_buffers.dynamic},
            {"shaderUniformTexelBufferArrayNonUniformIndexing", c.texel_buffers.non_uniform},
            {"quadDivergentImplicitLod", c.quad_divergent_implicit_lod},
            {"imageCubeArray", c.cube_array},
            {"shaderResourceResidency", c.sparse_residency},
            {"VK_KHR_fragment_shading_rate", c.shading_rate},
            {"standardSampleLocations", c.standard_sample_locations},
            {"shaderClipDistance", c.clip_distance},
            {"shaderCullDistance", c.cull_distance},
            {"sampleRateShading", c.sample_rate_shading},
            {"shaderTessellationAndGeometryPointSize", c.stage_point_size},
            {"VK_EXT_shader_viewport_index_layer", c.shader_layer},
            {"VK_EXT_shader_stencil_export", c.stencil_export},
            {"VK_EXT_post_depth_coverage", c.post_depth_coverage},
            {"VK_NV_viewport_array2", c.viewport_mask},
            {"VK_EXT_blend_operation_advanced", c.blend_operation_advanced},
            {"shaderDrawParameters", c.draw_parameters},
            {"multiview", c.multiview},
            {"robustBufferAccess2", c.robust_buffers},
            {"robustImageAccess2", c.robust_images},
            {"transformFeedback", c.transform_feedback},
            {"max_output_locations", c.max_output_locations},
            {"fragmentStoresAndAtomics", c.fragment_stores},
            {"vertexPipelineStoresAndAtomics", c.vertex_stores},
            {"shaderStorageBufferArrayDynamicIndexing", c.storage_buffers.dynamic},
            {"shaderStorageBufferArrayNonUniformIndexing", c.storage_buffers.non_uniform},
            {"shaderStorageImageArrayDynamicIndexing", c.storage_images.dynamic},
            {"shaderStorageImageArrayNonUniformIndexing", c.storage_images.non_uniform},
            {"shaderStorageTexelBufferArrayDynamicIndexing", c.storage_texel_buffers.dynamic},
            {"shaderStorageTexelBufferArrayNonUniformIndexing", c.storage_texel_buffers.non_uniform},
            {"shaderStorageImageExtendedFormats", c.storage_image_extended_formats},
            {"shaderStorageImageReadWithoutFormat", c.storage_image_read_without_format},
            {"shaderStorageImageWriteWithoutFormat", c.storage_image_write_without_format},
            {"shaderStorageImageMultisample", c.storage_image_multisample},
            {"shaderBufferFloat32AtomicAdd", c.buffer_float32_atomic_add},
            {"shaderImageFloat32AtomicAdd", c.image_float32_atomic_add},
            {"shaderSignedZeroInfNanPreserveFloat32", c.signed_zero_inf_nan_preserve_32},
            {"shaderSignedZeroInfNanPreserveFloat64", c.signed_zero_inf_nan_preserve_64},
            {"shaderRoundingModeRTEFloat32", c.round_to_even_32},
            {"shaderZeroInitializeWorkgroupMemory", c.zero_shared},
            {"min_texel_offset", c.min_texel_offset},
            {"max_texel_offset", c.max_texel_offset},
            {"min_gather_offset", c.min_gather_offset},
            {"max_gather_offset", c.max_gather_offset},
            {"max_targets", c.max_targets},
            {"max_uniform_buffers", c.max_uniform_buffers},
            {"max_uniform_range", c.max_uniform_range},
            {"max_push_constants", c.max_push_constants}};
}

/// The fields that differ from those of a device that has nothing.
Fields changed(const Caps& caps) {
    const Fields plain = fields_of(capabilities_of(make<Caps>()));
    Fields changes;
    for (const auto& [name, value] : fields_of(capabilities_of(caps)))
        if (plain.at(name) != value) changes[name] = value;
    return changes;
}

/// Vulkan, "Required Limits". Features are not required, nor are there more than the eight targets of gallium.
TEST(DeviceCapabilities, AreMinimalForADeviceWithoutFeatures) {
    const std::map<std::string, int64_t> numbers = {
        {"max_output_locations", 16}, {"min_texel_offset", -8},     {"max_texel_offset", 7},
        {"min_gather_offset", -8},    {"max_gather_offset", 7},     {"max_targets", 8},
        {"max_uniform_buffers", 12},  {"max_uniform_range", 16384}, {"max_push_constants", 128},
    };
    for (const auto& [name, value] : fields_of(capabilities_of(make<Caps>()))) {
        const auto number = numbers.find(name);
        EXPECT_EQ(value, number == numbers.end() ? 0 : number->second) << name;
    }
}

/// The translator's own default, with which its other tests convert.
TEST(DeviceCapabilities, OfADeviceWithEverythingAreTheTranslatorsOwn) {
    EXPECT_EQ(fields_of(capabilities_of(device_with_everything())), fields_of(Capabilities{}));
}

TEST(DeviceCapabilities, EachFeatureIsReadOfItsMember) {
    const Fields known = fields_of(Capabilities{});
    size_t found = 0;
    for (const DeviceFeature& f : device_features()) {
        auto caps = make<Caps>();
        caps.*f.member = 1;
        const std::string name(f.name);
        found += known.count(name);
        EXPECT_EQ(changed(caps), known.contains(name) ? (Fields{{name, 1}}) : Fields{}) << name;
    }
    EXPECT_EQ(found, 47u);
}

TEST(DeviceCapabilities, TheLayerOutsideGeomNeedsBothOfItsFeatures) {
    auto caps = make<Caps>();
    caps.shader_output_layer = 1;
    EXPECT_EQ(changed(caps), Fields{});
    caps.shader_output_viewport_index = 1;
    EXPECT_EQ(changed(caps), (Fields{{"VK_EXT_shader_viewport_index_layer", 1}}));
}

TEST(DeviceCapabilities, OfSubgroupsAreBits) {
    const std::map<uint32_t, std::string> operations = {// VkSubgroupFeatureFlagBits
                                                        {2, "subgroup_vote"},
                                                        {8, "subgroup_ballot"},
                                                        {16, "subgroup_shuffle"}};
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
        auto caps = make<Caps>();
        caps.subgroup_supported_operations = bit;
        const auto field = operations.find(bit);
        EXPECT_EQ(changed(caps), field == operations.end() ? Fields{} : (Fields{{field->second, 1}})) << bit;
        caps = make<Caps>();
        caps.subgroup_supported_stages = bit;  // VkShaderStageFlagBits: from 0x40 on, stages that TGSI does not have
        EXPECT_EQ(changed(caps), bit > 0x20 ? Fields{} : (Fields{{"subgroup_stages", bit}})) << bit;
    }
}

TEST(DeviceCapabilities, EachLimitIsReadOfItsMember) {
    struct Row {
        uint32_t Caps::*member;
        uint32_t value;
        const char* field;
        int64_t expected;  ///< 0: nothing changes
    };
    const Row rows[] = {
        {&Caps::max_texel_offset, 31, "max_texel_offset", 31},
        {&Caps::max_texel_offset, 3, "max_texel_offset", 0},
        {&Caps::max_texel_offset, 0xffff'ffff, "max_texel_offset", 0x7fff'ffff},
        {&Caps::max_texel_gather_offset, 31, "max_gather_offset", 31},
        {&Caps::max_texel_gather_offset, 3, "max_gather_offset", 0},
        {&Caps::max_texel_gather_offset, 0xffff'ffff, "max_gather_offset", 0x7fff'ffff},
        {&Caps::max_per_stage_descriptor_uniform_buffers, 15, "max_uniform_buffers", 15},
        {&Caps::max_per_stage_descriptor_uniform_buffers, 4, "max_uniform_buffers", 0},
        {&Caps::max_push_constants_size, 256, "max_push_constants", 256},
        {&Caps::max_push_constants_size, 64, "max_push_constants", 0},
        {&Caps::max_uniform_buffer_range, 65536, "max_uniform_range", 65536},
        {&Caps::max_uniform_buffer_range, 4096, "max_uniform_range", 0},
        {&Caps::max_fragment_output_attachments, 5, "max_targets", 5},
        {&Caps::max_fragment_output_attachments, 1, "max_targets", 4},
        {&Caps::max_fragment_output_attachments, 32, "max_targets", 0},
        // Any of these stages may be the last one: all of them have to have the locations.
        {&Caps::max_vertex_output_components, 128, "max_output_locations", 0},
        {&Caps::max_tessellation_evaluation_output_components, 128, "max_output_locations", 0},
        {&Caps::max_geometry_output_components, 128, "max_output_locations", 0},
    };
    for (const Row& row : rows) {
        auto caps = make<Caps>();
        caps.*row.member = row.value;
        EXPECT_EQ(changed(caps), row.expected == 0 ? Fields{} : (Fields{{row.field, row.expected}}))
            << row.field << " of " << row.value;
    }
    auto caps = make<Caps>();
    caps.min_texel_offset = -32;
    EXPECT_EQ(changed(caps), (Fields{{"min_texel_offset", -32}}));
    caps.min_texel_offset = -4;
    EXPECT_EQ(changed(caps), Fields{});
    caps.min_texel_gather_offset = -32;
    EXPECT_EQ(changed(caps), (Fields{{"min_gather_offset", -32}}));
    caps.min_texel_gather_offset = -4;
    EXPECT_EQ(changed(caps), Fields{});

    const auto locations = [](uint32_t vertex, uint32_t evaluation, uint32_t geometry) {
        auto c = make<Caps>();
        c.max_vertex_output_components = vertex;
        c.max_tessellation_evaluation_output_components = evaluation;
        c.max_geometry_output_components = geometry;
        return capabilities_of(c).max_output_locations;
    };
    EXPECT_EQ(locations(128, 124, 120), 30u);
    EXPECT_EQ(locations(124, 120, 128), 30u);
    EXPECT_EQ(locations(120, 128, 124), 30u);
}

/// VK_MAKE_API_VERSION: the variant in the top three bits, then seven of the major and ten of the minor version.
TEST(DeviceCapabilities, TheVersionIsThatOfTheApi) {
    const auto version = [](uint32_t variant, uint32_t major, uint32_t minor, uint32_t patch) {
        return target_of(variant << 29 | major << 22 | minor << 12 | patch);
    };
    using spirv::TargetEnv;
    EXPECT_EQ(target_of(0), TargetEnv::Vulkan10);  // not given
    EXPECT_EQ(version(0, 1, 0, 0xfff), TargetEnv::Vulkan10);
    EXPECT_EQ(version(0, 1, 1, 0), TargetEnv::Vulkan11);
    EXPECT_EQ(version(0, 1, 2, 230), TargetEnv::Vulkan12);
    EXPECT_EQ(version(1, 1, 2, 0), TargetEnv::Vulkan12);
    EXPECT_EQ(version(0, 1, 3, 0), TargetEnv::Vulkan13);
    EXPECT_EQ(version(0, 1, 4, 0), TargetEnv::Vulkan13);
    EXPECT_EQ(version(0, 2, 0, 0), TargetEnv::Vulkan13);
}

/// Each requirement of a module by itself, on a device that has it alone and on one that has all others.
TEST(DeviceCapabilities, EachFeatureOfAModuleIsChecked) {
    const auto keeps = [](const Caps& caps, std::string_view feature) {
        spirv::Reflection module;
        module.features.emplace_back(feature);
        std::vector<tgsi::Diagnostic> diagnostics;
        const bool kept = keeps_to(caps, spirv::TargetEnv::Vulkan10, module, diagnostics);
        EXPECT_EQ(diagnostics.empty(), kept);
        EXPECT_EQ(kept ? "" : diagnostics.at(0).message, kept ? "" : "the device lacks " + std::string(feature));
        return kept;
    };
    for (const DeviceFeature& f : device_features()) {
        auto alone = make<Caps>(), others = make<Caps>();
        for (const DeviceFeature& other : device_features()) others.*other.member = 1;
        alone.*f.member = 1;
        others.*f.member = 0;
        EXPECT_TRUE(keeps(alone, f.name)) << f.name;
        EXPECT_FALSE(keeps(others, f.name)) << f.name;
    }
    for (const SubgroupOperation& o : subgroup_operations()) {
        auto alone = make<Caps>(), others = make<Caps>();
        alone.subgroup_supported_operations = o.bit;
        others.subgroup_supported_operations = ~o.bit;
        EXPECT_TRUE(keeps(alone, o.name)) << o.name;
        EXPECT_FALSE(keeps(others, o.name)) << o.name;
    }
    EXPECT_TRUE(keeps(make<Caps>(), "shaderOfTheFuture"));  // not checked
}

}  // namespace
}  // namespace tgsi2spv::api
