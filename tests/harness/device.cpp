#include "harness/device.h"

#include <gtest/gtest.h>

#include "harness/devices.h"

namespace tgsi2spv::harness {
namespace {

template <class T>
T structure(VkStructureType type) {
    T s{};
    s.sType = type;
    return s;
}

/// The members of the report that judges read match the device's answers when each is queried on its own.
TEST(Device, TheReportListsSamplingLimits) {
    test::Devices all;
    bool some_swizzle = false;
    for (auto& device : all.devices) {
        const auto& report = device->report();
        SCOPED_TRACE(report.info.name);
        auto indexing = structure<VkPhysicalDeviceDescriptorIndexingProperties>(
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES);
        auto properties = structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
        properties.pNext = &indexing;
        vkGetPhysicalDeviceProperties2(report.info.handle, &properties);
        EXPECT_EQ(report.quad_divergent_implicit_lod, indexing.quadDivergentImplicitLod != VK_FALSE);
        EXPECT_EQ(report.limits.maxSamplerLodBias, properties.properties.limits.maxSamplerLodBias);
        EXPECT_GE(report.limits.maxSamplerLodBias, 2);  // the minimum that Vulkan requires

        auto swizzle = structure<VkPhysicalDeviceBorderColorSwizzleFeaturesEXT>(
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT);
        auto features = structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
        features.pNext = &swizzle;
        vkGetPhysicalDeviceFeatures2(report.info.handle, &features);
        EXPECT_EQ(report.border_swizzle_from_image, swizzle.borderColorSwizzleFromImage != VK_FALSE);
        some_swizzle |= report.border_swizzle_from_image;
    }
    EXPECT_TRUE(some_swizzle || !test::named_devices().empty())
        << "no device here swizzles border colours: the test tells nothing of it";
}

}  // namespace
}  // namespace tgsi2spv::harness
