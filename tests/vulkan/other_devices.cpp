// What the harness does on devices that are not here: less than the software devices have, or other features.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness_shaders/square_comp.h"
#include "vulkan/device.h"
#include "vulkan/instance.h"
#include "vulkan/job.h"
#include "vulkan/pretend.h"

namespace tgsi2spv::vulkan {
namespace {

using test::Pretend;
using testing::ElementsAre;

class OtherDevices : public testing::Test {
  protected:
    std::unique_ptr<Instance> instance_ = std::move(*Instance::create({}));
    DeviceInfo info_ = *instance_->default_device();

    std::unique_ptr<Device> device() const {
        auto made = Device::create(*instance_, info_);
        EXPECT_TRUE(made) << made.error().message;
        return made ? std::move(*made) : nullptr;
    }
    static Job squares() {
        Job job;
        job.compute.words = square_comp;
        job.buffers = {{{1, 2, 3, 4}, true}};
        job.descriptors = {{0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}}};
        return job;
    }
    /// What the device lacks for the job; a failure of the test where it runs.
    static std::string missing(Device& device, const Job& job) {
        const auto out = run(device, job);
        if (out) return "ran";
        EXPECT_EQ(out.error().failure, Failure::Missing) << out.error().message;
        return out.error().message;
    }
};

/// VUID-VkDeviceCreateInfo-robustBufferAccess-10247: not beside robustBufferAccess on most devices.
TEST_F(OtherDevices, NothingIsUpdatedAfterBinding) {
    Pretend pretend;
    pretend.features = [](VkPhysicalDeviceFeatures2& f) {
        for (auto* s = static_cast<VkBaseOutStructure*>(f.pNext); s != nullptr; s = s->pNext)
            if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
                auto& f12 = *static_cast<VkPhysicalDeviceVulkan12Features*>(static_cast<void*>(s));
                f12.descriptorBindingUniformBufferUpdateAfterBind = VK_TRUE;
                f12.descriptorBindingSampledImageUpdateAfterBind = VK_TRUE;
                f12.descriptorBindingStorageImageUpdateAfterBind = VK_TRUE;
                f12.descriptorBindingStorageBufferUpdateAfterBind = VK_TRUE;
                f12.descriptorBindingUniformTexelBufferUpdateAfterBind = VK_TRUE;
                f12.descriptorBindingStorageTexelBufferUpdateAfterBind = VK_TRUE;
            }
    };
    uint32_t enabled = 99;
    pretend.create_device = [&](const VkDeviceCreateInfo& info) {
        const auto* f = test::find_structure<VkPhysicalDeviceVulkan12Features>(
            info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
        enabled = f->descriptorBindingUniformBufferUpdateAfterBind + f->descriptorBindingSampledImageUpdateAfterBind +
                  f->descriptorBindingStorageImageUpdateAfterBind + f->descriptorBindingStorageBufferUpdateAfterBind +
                  f->descriptorBindingUniformTexelBufferUpdateAfterBind +
                  f->descriptorBindingStorageTexelBufferUpdateAfterBind;
        return VK_ERROR_INITIALIZATION_FAILED;
    };
    EXPECT_FALSE(Device::create(*instance_, info_));
    EXPECT_EQ(enabled, 0u);
}

/// Features of extensions are enabled where they are offered, and those that Vulkan 1.3 took over once.
TEST_F(OtherDevices, ShadingRatesAndRobustImagesAreEnabled) {
    Pretend pretend;
    pretend.more_extensions = {VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME, VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME};
    bool rate = false, robust = false;
    pretend.create_device = [&](const VkDeviceCreateInfo& info) {
        rate = test::find_structure<VkPhysicalDeviceFragmentShadingRateFeaturesKHR>(
                   info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR) != nullptr;
        robust = test::find_structure<VkPhysicalDeviceImageRobustnessFeatures>(
                     info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES) != nullptr;
        const std::vector<std::string> names(info.ppEnabledExtensionNames,
                                             info.ppEnabledExtensionNames + info.enabledExtensionCount);
        EXPECT_THAT(names, testing::IsSupersetOf(
                               {VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME, VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME}));
        return VK_ERROR_INITIALIZATION_FAILED;
    };
    info_.api_version = VK_API_VERSION_1_2;
    EXPECT_FALSE(Device::create(*instance_, info_));
    EXPECT_TRUE(rate);
    EXPECT_TRUE(robust);
    info_.api_version = VK_API_VERSION_1_3;
    EXPECT_FALSE(Device::create(*instance_, info_));
    EXPECT_TRUE(rate);
    EXPECT_FALSE(robust);  // Vulkan13Features has it
}

TEST_F(OtherDevices, MemoryThatIsShortIsAskedForTwice) {
    Pretend pretend;
    uint32_t calls = 0, fail_from = 1, fail_to = 1;
    pretend.allocate = [&] {
        calls++;
        return calls >= fail_from && calls <= fail_to ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
    };
    const auto made = device();
    auto out = run(*made, squares());
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_THAT(out->buffers[0], ElementsAre(1, 4, 9, 16));
    EXPECT_EQ(calls, 2u);
    fail_from = 0;
    fail_to = ~0u;
    auto job = squares();
    job.buffers[0].words.resize(size_t{4} << 20);
    out = run(*made, job);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().failure, Failure::Memory);
    EXPECT_EQ(calls, 4u);
    EXPECT_FALSE(made->lost);
    fail_to = 0;  // and it goes on
    out = run(*made, squares());
    ASSERT_TRUE(out) << out.error().message;
}

TEST_F(OtherDevices, ADeviceIsLostByAnyCall) {
    Pretend pretend;
    const auto made = device();
    pretend.allocate = [] { return VK_ERROR_DEVICE_LOST; };
    const auto out = run(*made, squares());
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().failure, Failure::Lost);
    EXPECT_TRUE(made->lost);
    EXPECT_FALSE(run(*made, squares()));
}

/// Vulkan, "Lost Device": its objects may be destroyed as always, and must be before the instance.
TEST_F(OtherDevices, ALostDeviceIsDestroyedBeforeItsInstance) {
    Pretend pretend;
    pretend.wait = [] { return VK_ERROR_DEVICE_LOST; };
    {
        const auto made = device();
        EXPECT_FALSE(run(*made, squares()));
        EXPECT_TRUE(made->lost);
    }
    instance_.reset();
    EXPECT_EQ(pretend.destroyed_devices, 1u);
    EXPECT_EQ(pretend.destroyed_instances, 1u);
}

TEST_F(OtherDevices, ADeviceThatIsStillAtWorkIsLeftWithItsInstance) {
    Pretend pretend;
    pretend.wait = [] { return VK_TIMEOUT; };
    {
        const auto made = device();
        const auto out = run(*made, squares());
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().failure, Failure::Timeout);
    }
    instance_.reset();
    EXPECT_EQ(pretend.destroyed_devices, 0u);
    EXPECT_EQ(pretend.destroyed_instances, 0u);
}

}  // namespace
}  // namespace tgsi2spv::vulkan
