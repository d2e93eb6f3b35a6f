#include "shared/device_caps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/device.h"
#include "shared/device_json.h"

namespace tools {
namespace {

// An excerpt of vulkaninfo 1.3.239's output.
constexpr std::string_view kProfile = R"({
  "$schema": "https://schema.khronos.org/vulkan/profiles-0.8-latest.json",
  "capabilities": {"device": {
    "extensions": {"VK_EXT_shader_stencil_export": 1, "VK_EXT_4444_formats": 1},
    "features": {
      "VkPhysicalDeviceFeatures": {"geometryShader": true, "shaderInt64": false},
      "VkPhysicalDeviceShaderClockFeaturesKHR": {"shaderSubgroupClock": true, "shaderDeviceClock": true},
      "VkPhysicalDeviceVulkan11Features": {"shaderDrawParameters": true, "multiview": true}},
    "properties": {
      "VkPhysicalDeviceProperties": {"apiVersion": 4206822,
        "limits": {"maxUniformBufferRange": 65536, "minTexelOffset": -32, "maxTexelOffset": 31,
                   "maxFragmentOutputAttachments": 7,
                   "maxComputeWorkGroupSize": [1024, 512, 64], "standardSampleLocations": true}},
      "VkPhysicalDeviceVulkan12Properties": {"quadDivergentImplicitLod": true},
      "VkPhysicalDeviceTransformFeedbackPropertiesEXT": {"maxTransformFeedbackBufferDataStride": 512,
        "transformFeedbackStreamsLinesTriangles": true},
      "VkPhysicalDeviceVulkan11Properties": {
        "subgroupSupportedStages": ["VK_SHADER_STAGE_FRAGMENT_BIT", "VK_SHADER_STAGE_COMPUTE_BIT"],
        "subgroupSupportedOperations": ["VK_SUBGROUP_FEATURE_BASIC_BIT", "VK_SUBGROUP_FEATURE_BALLOT_BIT"]}},
    "formats": {}}},
  "profiles": {}})";

// The format of vulkaninfo up to 1.2, which device databases still use.
constexpr std::string_view kOlder = R"({
  "$schema": "https://schema.khronos.org/vulkan/devsim_1_0_0.json",
  "ArrayOfVkExtensionProperties": [{"extensionName": "VK_EXT_shader_stencil_export", "specVersion": 1}],
  "VkPhysicalDeviceFeatures": {"geometryShader": 1, "shaderInt64": 0},
  "VkPhysicalDeviceShaderClockFeaturesKHR": {"shaderSubgroupClock": 1},
  "VkPhysicalDeviceShaderDrawParametersFeatures": {"shaderDrawParameters": 1},
  "VkPhysicalDeviceMultiviewFeatures": {"multiview": 1},
  "VkPhysicalDeviceProperties": {"apiVersion": "1.3.230",
    "limits": {"maxUniformBufferRange": 65536, "minTexelOffset": -32, "maxTexelOffset": 31,
               "maxFragmentOutputAttachments": 7,
               "maxComputeWorkGroupSize": [1024, 512, 64], "standardSampleLocations": 1}},
  "VkPhysicalDeviceDescriptorIndexingProperties": {"quadDivergentImplicitLod": 1},
  "VkPhysicalDeviceTransformFeedbackPropertiesEXT": {"maxTransformFeedbackBufferDataStride": 512,
    "transformFeedbackStreamsLinesTriangles": 1},
  "VkPhysicalDeviceSubgroupProperties": {"supportedStages": 48, "supportedOperations": 9}})";

TEST(DeviceCaps, AreReadFromBothSchemas) {
    for (const std::string_view text : {kProfile, kOlder}) {
        const auto caps = read_device_caps(text);
        ASSERT_TRUE(caps) << caps.error();
        EXPECT_EQ(caps->api_version >> 12, 1u << 10 | 3);
        EXPECT_EQ(caps->geometry_shader, 1u);
        EXPECT_EQ(caps->shader_int64, 0u);
        EXPECT_EQ(caps->tessellation_shader, 0u);
        EXPECT_EQ(caps->shader_subgroup_clock, 1u);
        EXPECT_EQ(caps->shader_draw_parameters, 1u);
        EXPECT_EQ(caps->multiview, 1u);
        EXPECT_EQ(caps->ext_shader_stencil_export, 1u);
        EXPECT_EQ(caps->nv_viewport_array2, 0u);
        EXPECT_EQ(caps->standard_sample_locations, 1u);
        EXPECT_EQ(caps->quad_divergent_implicit_lod, 1u);
        EXPECT_EQ(caps->transform_feedback_streams_lines_triangles, 1u);
        EXPECT_EQ(caps->max_transform_feedback_buffer_data_stride, 512u);
        EXPECT_EQ(caps->max_uniform_buffer_range, 65536u);
        EXPECT_EQ(caps->min_texel_offset, -32);
        EXPECT_EQ(caps->max_texel_offset, 31u);
        EXPECT_EQ(caps->max_fragment_output_attachments, 7u);
        EXPECT_THAT(caps->max_compute_work_group_size, testing::ElementsAre(1024u, 512u, 64u));
        EXPECT_EQ(caps->subgroup_supported_stages, 48u);
        EXPECT_EQ(caps->subgroup_supported_operations, 9u);
    }
}

TEST(DeviceCaps, EveryMemberIsReadByItsName) {
    for (const auto& f : tgsi2spv::api::device_features()) {
        const std::string name(f.name);
        const auto caps = read_device_caps(
            name.starts_with("VK_") ? R"({"capabilities": {"a": {"features": {"VkPhysicalDeviceFeatures": {}},
                                                     "extensions": {")" +
                                          name + R"(": 1}}}})"
                                    : R"({"VkPhysicalDeviceFeatures": {")" + name + R"(": true}})");
        ASSERT_TRUE(caps);
        for (const auto& other : tgsi2spv::api::device_features())
            EXPECT_EQ(*caps.*other.member, other.member == f.member ? 1u : 0u) << name << ", " << other.name;
    }
}

TEST(DeviceCaps, BooleansHaveSeveralSpellings) {
    const auto has = [](const std::string& value) {
        const auto caps = read_device_caps(R"({"VkPhysicalDeviceFeatures": {"shaderInt64": )" + value + "}}");
        EXPECT_TRUE(caps) << value << ": " << caps.error();
        return caps ? caps->shader_int64 : 2;
    };
    for (const char* yes : {"true", "1", "\"true\"", "\"VK_TRUE\"", "\"1\"", "\"0x1\""}) EXPECT_EQ(has(yes), 1u) << yes;
    for (const char* no : {"false", "0", "\"false\"", "\"VK_FALSE\"", "\"0\"", "\"0x0\""}) EXPECT_EQ(has(no), 0u) << no;
}

/// Each by itself: its neighbours stay at 0, which means that nothing is known.
TEST(DeviceCaps, EveryLimitIsReadByItsName) {
    using Caps = tgsi2spv_device_caps;
    const std::pair<const char*, uint32_t Caps::*> limits[] = {
        {"maxPerStageDescriptorUniformBuffers", &Caps::max_per_stage_descriptor_uniform_buffers},
        {"maxUniformBufferRange", &Caps::max_uniform_buffer_range},
        {"maxPushConstantsSize", &Caps::max_push_constants_size},
        {"maxTexelOffset", &Caps::max_texel_offset},
        {"maxTexelGatherOffset", &Caps::max_texel_gather_offset},
        {"maxVertexOutputComponents", &Caps::max_vertex_output_components},
        {"maxTessellationControlPerVertexInputComponents", &Caps::max_tessellation_control_per_vertex_input_components},
        {"maxTessellationControlPerVertexOutputComponents",
         &Caps::max_tessellation_control_per_vertex_output_components},
        {"maxTessellationControlPerPatchOutputComponents", &Caps::max_tessellation_control_per_patch_output_components},
        {"maxTessellationEvaluationInputComponents", &Caps::max_tessellation_evaluation_input_components},
        {"maxTessellationEvaluationOutputComponents", &Caps::max_tessellation_evaluation_output_components},
        {"maxGeometryInputComponents", &Caps::max_geometry_input_components},
        {"maxGeometryOutputComponents", &Caps::max_geometry_output_components},
        {"maxVertexInputAttributes", &Caps::max_vertex_input_attributes},
        {"maxGeometryShaderInvocations", &Caps::max_geometry_shader_invocations},
        {"maxGeometryOutputVertices", &Caps::max_geometry_output_vertices},
        {"maxGeometryTotalOutputComponents", &Caps::max_geometry_total_output_components},
        {"maxFragmentInputComponents", &Caps::max_fragment_input_components},
        {"maxFragmentOutputAttachments", &Caps::max_fragment_output_attachments},
        {"maxComputeSharedMemorySize", &Caps::max_compute_shared_memory_size},
        {"maxComputeWorkGroupInvocations", &Caps::max_compute_work_group_invocations},
    };
    const auto read = [](const std::string& name, int value) {
        const auto caps = read_device_caps(R"({"VkPhysicalDeviceProperties": {"limits": {")" + name +
                                           "\": " + std::to_string(value) + "}}}");
        EXPECT_TRUE(caps) << name;
        return caps.value_or(Caps{});
    };
    for (const auto& [name, member] : limits) {
        const Caps caps = read(name, 77);
        for (const auto& [other, its] : limits) EXPECT_EQ(caps.*its, its == member ? 77u : 0u) << name << ' ' << other;
        EXPECT_EQ(caps.min_texel_offset, 0);
        EXPECT_EQ(caps.min_texel_gather_offset, 0);
    }
    EXPECT_EQ(read("minTexelOffset", -16).min_texel_offset, -16);
    EXPECT_EQ(read("minTexelOffset", -16).min_texel_gather_offset, 0);
    EXPECT_EQ(read("minTexelGatherOffset", -32).min_texel_gather_offset, -32);
    EXPECT_EQ(read("minTexelGatherOffset", -32).min_texel_offset, 0);
}

TEST(DeviceCaps, NameErrorsOfInvalidFiles) {
    using testing::HasSubstr;
    const auto error = [](std::string_view text) { return read_device_caps(text).error(); };
    for (const char* text : {"", "{", "[1, 2", "{\"capabilities\": }", "\xff\xfe", "nul", "[1e999]"})
        EXPECT_THAT(error(text), HasSubstr("not valid JSON")) << text;
    for (const char* text : {"1", "[]", "{}", "null", "{\"capabilities\": 1}", "{\"capabilities\": {\"a\": [3]}}"})
        EXPECT_THAT(error(text), HasSubstr("vulkaninfo")) << text;
    EXPECT_THAT(error("{\n[1]}"), HasSubstr("line 2, column 1"));
    EXPECT_THAT(error(std::string(kMaxCapsBytes + 1, ' ')), HasSubstr("larger"));
}

TEST(DeviceCaps, AKnownMemberWithABadValueIsAnError) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({"VkPhysicalDeviceFeatures": 3})", "the value in VkPhysicalDeviceFeatures is not a struct"},
        {R"({"VkPhysicalDeviceFeatures": {"geometryShader": [[[]]]}})",
         "geometryShader in VkPhysicalDeviceFeatures is not a number, true or false"},
        {R"({"VkPhysicalDeviceFeatures": {"shaderFloat64": "yes"}})", "shaderFloat64 in VkPhysicalDeviceFeatures"},
        {R"({"VkPhysicalDeviceFeatures": {"shaderFloat64": ""}})", "shaderFloat64 in VkPhysicalDeviceFeatures"},
        {R"({"VkPhysicalDevice\u001b[2J": {"shaderFloat64": null}})", "shaderFloat64 in VkPhysicalDevice is not"},
        {R"({"VkPhysicalDeviceProperties": {"apiVersion": {}, "limits": 1e300}})", "apiVersion in"},
        {R"({"VkPhysicalDeviceProperties": {"apiVersion": "1."}})", "is not a version such as 1.3.230"},
        {R"({"VkPhysicalDeviceProperties": {"apiVersion": "1.3x"}})", "is not a version such as 1.3.230"},
        {R"({"VkPhysicalDeviceProperties": {"limits": 1e300}})",
         "limits in VkPhysicalDeviceProperties is not a struct"},
        {R"({"VkPhysicalDeviceProperties": {"limits": {"minTexelOffset": -1e300}}})", "minTexelOffset in"},
        {R"({"VkPhysicalDeviceProperties": {"limits": {"maxPushConstantsSize": "128 bytes"}}})",
         "maxPushConstantsSize in"},
        {R"({"VkPhysicalDeviceProperties": {"limits": {"maxComputeWorkGroupSize": [1, 2]}}})",
         "a list of three numbers"},
        {R"({"VkPhysicalDeviceSubgroupProperties": {"supportedStages": [1, "x", {}]}})",
         "supportedStages in VkPhysicalDeviceSubgroupProperties is not a list of flags or a number"},
    };
    for (const auto& [text, message] : cases) {
        const auto caps = read_device_caps(text);
        ASSERT_FALSE(caps) << text;
        EXPECT_THAT(caps.error(), testing::HasSubstr(message)) << text;
    }
    for (const char* version : {"\"1.3.230\"", "\"1.3\"", "4206592", "\"4206592\""}) {
        const auto caps =
            read_device_caps(std::string(R"({"VkPhysicalDeviceProperties": {"apiVersion": )") + version + "}}");
        ASSERT_TRUE(caps) << version;
        EXPECT_EQ(caps->api_version, 4206592u) << version;
    }
}

TEST(DeviceCaps, SurviveHostileText) {
    for (const char* text :
         {R"({"VkPhysicalDeviceProperties": {"limits": {"maxTexelOffset": 18446744073709551615}}})",
          R"({"VkPhysicalDeviceProperties": {"limits": {"minTexelOffset": -9223372036854775808}}})",
          R"({"VkPhysicalDeviceProperties": {"apiVersion": 4206816, "deviceName": [[]], "limits": {"unknown": {}}}})",
          R"({"VkPhysicalDeviceSubgroupProperties": {"supportedStages": ["VK_SHADER_STAGE_NEW_BIT"]}})"})
        EXPECT_TRUE(read_device_caps(text)) << text;
    const std::string opening(1 << 20, '['), closing(1 << 20, ']');
    EXPECT_FALSE(read_device_caps(opening));
    const auto deep = read_device_caps("{\"VkPhysicalDeviceFeatures\": {\"x\": " + opening + closing + "}}");
    ASSERT_FALSE(deep);
    EXPECT_EQ(deep.error(), "not valid JSON: arrays and objects are nested deeper than 1000");
    std::string wide = "{\"VkPhysicalDeviceFeatures\": {\"a\": 0";
    for (int i = 0; i < 4096; i++) wide += ", \"a" + std::to_string(i) + "\": {}";
    const auto huge = read_device_caps(wide + "}}");
    ASSERT_FALSE(huge);
    EXPECT_EQ(huge.error(), "not valid JSON: an object has more than 4096 members");
}

}  // namespace
}  // namespace tools
