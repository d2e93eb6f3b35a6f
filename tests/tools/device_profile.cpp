#include "tgsi-host/device_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tgsi2spv::vulkan::format_key;

constexpr std::string_view kProfile = R"({"capabilities": {"device": {
  "extensions": {"VK_KHR_dynamic_rendering": 1},
  "features": {"VkPhysicalDeviceFeatures": {"logicOp": true, "wideLines": false},
               "VkPhysicalDeviceVulkan12Features": {"timelineSemaphore": "VK_TRUE"}},
  "properties": {"VkPhysicalDeviceProperties": {"apiVersion": 4198400, "deviceName": "a", "limits": {
                    "maxSamplerLodBias": 15.5, "pointSizeRange": [1, 511], "bufferImageGranularity": "256",
                    "framebufferColorSampleCounts": ["VK_SAMPLE_COUNT_1_BIT", "VK_SAMPLE_COUNT_4_BIT"]}},
                 "VkPhysicalDeviceVulkan11Properties": {"subgroupSupportedStages": ["VK_SHADER_STAGE_COMPUTE_BIT"]}},
  "formats": {"VK_FORMAT_R8_UNORM": {"VkFormatProperties": {
                "optimalTilingFeatures": ["VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT", "VK_FORMAT_FEATURE_NEW_BIT"],
                "bufferFeatures": []}}}}}})";

TEST(DeviceProfiles, HaveEverythingByName) {
    const auto profile = read_device_profile(kProfile);
    ASSERT_TRUE(profile) << profile.error();
    EXPECT_EQ(profile->api_version, VK_API_VERSION_1_1);
    EXPECT_THAT(profile->extensions, ElementsAre("VK_KHR_dynamic_rendering"));
    EXPECT_THAT(profile->features, ElementsAre("logicOp", "timelineSemaphore"));
    const auto& limits = profile->limits;
    EXPECT_THAT(limits.at("maxSamplerLodBias"), ElementsAre(15.5));
    EXPECT_THAT(limits.at("pointSizeRange"), ElementsAre(1, 511));
    EXPECT_THAT(limits.at("bufferImageGranularity"), ElementsAre(256));
    EXPECT_THAT(limits.at("framebufferColorSampleCounts"), ElementsAre(5));
    EXPECT_THAT(limits.at("subgroupSupportedStages"), ElementsAre(32));
    EXPECT_EQ(profile->formats.at(format_key("R8Unorm")).optimalTilingFeatures,
              VkFormatFeatureFlags{VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT});
}

TEST(DeviceProfiles, OfTheOlderSchema) {
    const auto profile = read_device_profile(R"({
        "ArrayOfVkExtensionProperties": [{"extensionName": "VK_KHR_synchronization2"}, 3],
        "VkPhysicalDeviceProperties": {"apiVersion": "1.2.131", "limits": {"maxViewports": 16}},
        "VkPhysicalDeviceFeatures": {"geometryShader": 1},
        "ArrayOfVkFormatProperties": [{"formatID": 9, "optimalTilingFeatures": 3, "bufferFeatures": 0}]})");
    ASSERT_TRUE(profile) << profile.error();
    EXPECT_EQ(profile->api_version, VK_API_VERSION_1_2);
    EXPECT_THAT(profile->extensions, ElementsAre("VK_KHR_synchronization2"));
    EXPECT_THAT(profile->features, ElementsAre("geometryShader"));
    EXPECT_EQ(profile->formats.at(format_key("VK_FORMAT_R8_UNORM")).optimalTilingFeatures, 3u);
}

TEST(DeviceProfiles, NameErrorsOfInvalidFiles) {
    const auto error = [](std::string_view text) {
        const auto profile = read_device_profile(text);
        return profile ? std::string() : profile.error();
    };
    EXPECT_THAT(error("{"), HasSubstr("not valid JSON"));
    for (const char* text : {"3", "{}", "[[]]", R"({"capabilities": [3]})"})
        EXPECT_THAT(error(text), HasSubstr("not a file that 'vulkaninfo --json' wrote")) << text;
    EXPECT_EQ(error(R"({"VkPhysicalDeviceFeatures": 3})"), "what stands in VkPhysicalDeviceFeatures is not a struct");
    EXPECT_EQ(error(R"({"VkPhysicalDeviceFeatures": {"logicOp": "maybe"}})"),
              "line 1: logicOp in VkPhysicalDeviceFeatures is not true or false");
    EXPECT_EQ(error("{\"VkPhysicalDeviceFeatures\": {\n\"logicOp\": 1,\n\"wideLine\": 1}}"),
              "line 3: wideLine in VkPhysicalDeviceFeatures is not a feature");
    EXPECT_EQ(error(R"({"VkPhysicalDeviceProperties": {"limits": {"maxViewports": [["a"]]}}})"),
              "line 1: maxViewports in limits is not a number, a list of numbers or of flags");
    EXPECT_EQ(error(R"({"VkPhysicalDeviceProperties": {"apiVersion": "new"}})"),
              "line 1: apiVersion in VkPhysicalDeviceProperties is not a version such as 1.3.230");
    EXPECT_THAT(error(R"({"VkPhysicalDeviceFeatures": {}, "capabilities": {"a": {"formats": {"VK_FORMAT_R8_UNORM":
                         {"VkFormatProperties": {"bufferFeatures": {}}}}}}})"),
                HasSubstr("is not a list of flags or a number"));
}

}  // namespace
}  // namespace tools
