// A device with something hidden, and as another one that it is told to be.
#include "vulkan/mask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "vk/device.h"

namespace tgsi2spv::vk {
namespace {

using vulkan::DeviceProfile;
using vulkan::Mask;

// How many features each structure has, by its size: its type and pNext, then one word for each.
TEST(Masks, EveryFeatureHasARow) {
    std::map<std::string, size_t> rows, sizes;
#define CORE(member) rows["Features"]++;
#define STRUCTURE(type, name) sizes[#type] = (sizeof(VkPhysicalDevice##type) - sizeof(VkBaseOutStructure)) / 4;
#define FEATURE(type, member) rows[#type]++;
#include "vulkan/features.def"
    sizes["Features"] = sizeof(VkPhysicalDeviceFeatures) / 4;
    for (const auto& [type, words] : sizes) EXPECT_EQ(rows[type] + rows[type] % 2, words + words % 2) << type;
}

TEST(Masks, HideNamesAndWhatAProfileLacks) {
    VkPhysicalDeviceShaderClockFeaturesKHR clock{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, nullptr,
                                                 VK_TRUE, VK_TRUE};
    VkPhysicalDeviceFeatures2 first{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &clock, {}};
    first.features.geometryShader = first.features.logicOp = VK_TRUE;
    vulkan::hide_features({{"logicOp", "shaderDeviceClock"}, {}}, &first);
    EXPECT_TRUE(first.features.geometryShader && clock.shaderSubgroupClock);
    EXPECT_FALSE(first.features.logicOp || clock.shaderDeviceClock);

    DeviceProfile profile;
    profile.features = {"shaderSubgroupClock"};
    profile.extensions = {"VK_KHR_shader_clock"};
    const Mask mask{{}, profile};
    vulkan::hide_features(mask, &first);
    EXPECT_FALSE(first.features.geometryShader);
    EXPECT_TRUE(clock.shaderSubgroupClock);
    EXPECT_TRUE(vulkan::hides(mask, "VK_EXT_transform_feedback"));
    EXPECT_FALSE(vulkan::hides(mask, "VK_KHR_shader_clock"));
    EXPECT_EQ(vulkan::unknown_name({{"VK_anything", "logicOp", "logicop"}, {}}), "logicop");
}

TEST(Masks, HideUsesOfFormats) {
    const Mask mask{{"VK_FORMAT_R8_UNORM:COLOR_ATTACHMENT"}, {}};
    VkFormatProperties hidden{}, kept{};
    hidden.optimalTilingFeatures = kept.optimalTilingFeatures =
        VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    vulkan::hide_format(mask, VK_FORMAT_R8_UNORM, hidden);
    vulkan::hide_format(mask, VK_FORMAT_R8G8_UNORM, kept);
    EXPECT_EQ(hidden.optimalTilingFeatures, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT);
    EXPECT_EQ(kept.optimalTilingFeatures, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT);
    EXPECT_EQ(vulkan::unknown_name(mask), "");
    EXPECT_EQ(vulkan::unknown_name({{"VK_FORMAT_R8_UNORM:COLOR"}, {}}), "VK_FORMAT_R8_UNORM:COLOR");
}

TEST(Masks, OnlyLowerLimits) {
    VkPhysicalDeviceLimits limits{};
    limits.maxImageDimension2D = 16384;
    limits.maxImageDimension3D = 2048;
    limits.minTexelOffset = -32;
    limits.minUniformBufferOffsetAlignment = 16;
    limits.maxComputeWorkGroupSize[2] = 64;
    limits.framebufferColorSampleCounts = 1 | 4;
    limits.pointSizeRange[1] = 255;
    limits.subPixelPrecisionBits = 8;
    DeviceProfile profile;
    profile.limits = {{"maxImageDimension2D", {8192}},
                      {"maxImageDimension3D", {1e300}},
                      {"minTexelOffset", {-8}},
                      {"minUniformBufferOffsetAlignment", {256}},
                      {"maxComputeWorkGroupSize", {1024, 1024, 32}},
                      {"framebufferColorSampleCounts", {1 | 2 | 4 | 8}},
                      {"pointSizeRange", {0.125, 100}},
                      {"subPixelPrecisionBits", {4}}};
    vulkan::hide_limits({{}, profile}, limits);
    EXPECT_EQ(limits.maxImageDimension2D, 8192u);
    EXPECT_EQ(limits.maxImageDimension3D, 2048u);
    EXPECT_EQ(limits.minTexelOffset, -8);
    EXPECT_EQ(limits.minUniformBufferOffsetAlignment, 256u);
    EXPECT_EQ(limits.maxComputeWorkGroupSize[2], 32u);
    EXPECT_EQ(limits.framebufferColorSampleCounts, 5u);
    EXPECT_EQ(limits.pointSizeRange[0], 0);
    EXPECT_EQ(limits.pointSizeRange[1], 100);
    EXPECT_EQ(limits.subPixelPrecisionBits, 8u);
}

TEST(Masks, HideFormats) {
    const VkFormatProperties everything{~0U, ~0U, ~0U};
    const auto seen = [&](const Mask& mask, VkFormat format) {
        VkFormatProperties properties = everything;
        vulkan::hide_format(mask, format, properties);
        return properties.optimalTilingFeatures;
    };
    EXPECT_EQ(seen({}, VK_FORMAT_BC7_SRGB_BLOCK), ~0U);
    EXPECT_EQ(seen({{"textureCompressionBC"}, {}}, VK_FORMAT_BC7_SRGB_BLOCK), 0u);
    EXPECT_EQ(seen({{"textureCompressionBC"}, {}}, VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK), ~0U);
    const Mask named{{"VK_FORMAT_R8G8B8_UNORM"}, {}};
    EXPECT_EQ(vulkan::unknown_name(named), "");
    EXPECT_EQ(vulkan::unknown_name({{"VK_FORMAT_R8G8B8_UNROM"}, {}}), "VK_FORMAT_R8G8B8_UNROM");
    EXPECT_EQ(seen(named, VK_FORMAT_R8G8B8_UNORM), 0u);
    EXPECT_EQ(seen(named, VK_FORMAT_R8G8B8A8_UNORM), ~0U);
    DeviceProfile profile;
    EXPECT_EQ(seen({{}, profile}, VK_FORMAT_R8G8B8A8_UNORM), ~0U);
    profile.formats[vulkan::format_key("VK_FORMAT_R8G8B8A8_UNORM")] = {0, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, 0};
    EXPECT_EQ(seen({{}, profile}, VK_FORMAT_R8G8B8A8_UNORM), VkFormatFeatureFlags{VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT});
    EXPECT_EQ(seen({{}, profile}, VK_FORMAT_R8_UNORM), 0u);
    EXPECT_EQ(seen({{}, profile}, VK_FORMAT_G8B8G8R8_422_UNORM), ~0U) << "profiles list the formats of Vulkan 1.0";
    EXPECT_EQ(vulkan::format_key("R4G4UnormPack8"), vulkan::format_key("VK_FORMAT_R4G4_UNORM_PACK8"));
}

/// What the host uses of later versions, as extensions.
DeviceProfile least_profile(uint32_t version) {
    DeviceProfile p;
    p.api_version = version;
    p.features = {"robustBufferAccess", "hostQueryReset", "dynamicRendering", "extendedDynamicState",
                  "extendedDynamicState2"};
    p.extensions = {"VK_EXT_host_query_reset",  "VK_KHR_create_renderpass2",     "VK_KHR_depth_stencil_resolve",
                    "VK_KHR_dynamic_rendering", "VK_EXT_extended_dynamic_state", "VK_EXT_extended_dynamic_state2"};
    return p;
}

class MaskedDevices : public testing::Test {
  protected:
    Expected<std::unique_ptr<Device>> create(const DeviceProfile& profile) {
        instance_ = *vulkan::Instance::create({.validation = true, .api_version = profile.api_version});
        const auto info = instance_->find("llvmpipe");
        if (!info) return tl::unexpected(info.error());
        return Device::create(*info, {{}, profile});
    }
    std::unique_ptr<vulkan::Instance> instance_;
};

TEST_F(MaskedDevices, OfEachVersionWithTheExtensions) {
    for (const uint32_t version : {VK_API_VERSION_1_1, VK_API_VERSION_1_2, VK_API_VERSION_1_3}) {
        SCOPED_TRACE(VK_API_VERSION_MINOR(version));
        const auto device = create(least_profile(version));
        ASSERT_TRUE(device) << device.error().message;
        const vulkan::DeviceReport& report = (*device)->report();
        EXPECT_EQ(report.info.api_version, version);
        EXPECT_EQ(report.caps.api_version, version);
        EXPECT_EQ(report.caps.geometry_shader, 0u);
        EXPECT_TRUE(report.features12.hostQueryReset && report.features13.dynamicRendering);
        EXPECT_EQ(report.has(VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME), version < VK_API_VERSION_1_3);
        EXPECT_EQ(report.has(VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME), version < VK_API_VERSION_1_2);
        EXPECT_NE(vkCmdBeginRendering, nullptr);
        EXPECT_NE(vkResetQueryPool, nullptr);
        EXPECT_THAT(instance_->take_messages(), testing::IsEmpty());
    }
}

TEST_F(MaskedDevices, WithoutAllThatCanBeReplaced) {
    for (const uint32_t version : {VK_API_VERSION_1_1, VK_API_VERSION_1_2, VK_API_VERSION_1_3}) {
        SCOPED_TRACE(VK_API_VERSION_MINOR(version));
        DeviceProfile profile = least_profile(version);
        for (const char* name : {"dynamicRendering", "extendedDynamicState", "extendedDynamicState2", "hostQueryReset"})
            profile.features.erase(name);
        const auto device = create(profile);
        ASSERT_TRUE(device) << device.error().message;
        EXPECT_FALSE((*device)->report().features13.dynamicRendering);
        EXPECT_EQ((*device)->extras().has_dynamic, version == VK_API_VERSION_1_3);
        EXPECT_EQ((*device)->extras().has_dynamic2, version == VK_API_VERSION_1_3);
        EXPECT_THAT(instance_->take_messages(), testing::IsEmpty());
    }
}

TEST_F(MaskedDevices, NameWhatIsMissing) {
    DeviceProfile profile = least_profile(VK_API_VERSION_1_1);
    profile.features.erase("robustBufferAccess");
    const auto device = create(profile);
    ASSERT_FALSE(device);
    EXPECT_THAT(device.error().message, testing::HasSubstr("robustBufferAccess"));
    profile = least_profile(VK_API_VERSION_1_0);
    EXPECT_FALSE(create(profile));
}

}  // namespace
}  // namespace tgsi2spv::vk
