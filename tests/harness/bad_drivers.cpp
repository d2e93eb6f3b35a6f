// The harness on drivers that break Vulkan's promises: errors where none are expected, impossible limits, results that
// are none.
#include <gmock/gmock.h>

#include <cfenv>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <functional>

#include "harness/other_devices.h"

namespace tgsi2spv::harness {
namespace {

using test::Pretend;

class BadDrivers : public OtherDevices {};

/// Only VK_ERROR_FORMAT_NOT_SUPPORTED says that a device lacks something: cases that need it are skipped.
TEST_F(BadDrivers, OtherErrorsOfQueriesAreFailures) {
    Pretend pretend;
    const auto made = device();
    ASSERT_TRUE(made);
    Job job = squares();
    job.images.resize(1);
    job.images[0].format = VK_FORMAT_R8G8B8A8_UNORM;
    job.images[0].width = job.images[0].height = 4;
    job.images[0].texel_bytes = 4;
    EXPECT_EQ(missing(*made, job), "ran");
    pretend.image_format = [] { return VK_ERROR_FORMAT_NOT_SUPPORTED; };
    EXPECT_THAT(missing(*made, job), testing::StartsWith("images of format R8G8B8A8Unorm"));
    pretend.image_format = [] { return VK_ERROR_INITIALIZATION_FAILED; };
    const auto out = run(*made, job);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().failure, Failure::Device);
    EXPECT_EQ(out.error().message, "vkGetPhysicalDeviceImageFormatProperties failed: VK_ERROR_INITIALIZATION_FAILED");
}

TEST_F(BadDrivers, ExtensionsOfADeviceAreReported) {
    Pretend pretend;
    pretend.extensions = [] { return VK_ERROR_TOO_MANY_OBJECTS; };
    const auto made = Device::create(*instance_, info_);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, "vkEnumerateDeviceExtensionProperties failed: VK_ERROR_TOO_MANY_OBJECTS");
}

/// Places in memory and the bounds of filtered answers would be wrong with these.
TEST_F(BadDrivers, LimitsThatVulkanDoesNotPermitAreRefused) {
    const auto told = [&](std::function<void(VkPhysicalDeviceLimits&)> change) {
        Pretend pretend;
        pretend.limits = std::move(change);
        const auto made = Device::create(*instance_, info_);
        return made ? "made" : made.error().message.substr(info_.name.size());
    };
    EXPECT_EQ(told([](auto& l) { l.minStorageBufferOffsetAlignment = 256; }), "made");
    EXPECT_EQ(told([](auto& l) { l.minStorageBufferOffsetAlignment = 0; }),
              " has a minStorageBufferOffsetAlignment of 0, which Vulkan does not permit");
    EXPECT_EQ(told([](auto& l) { l.minUniformBufferOffsetAlignment = 48; }),
              " has a minUniformBufferOffsetAlignment of 48, which Vulkan does not permit");
    EXPECT_EQ(told([](auto& l) { l.minTexelBufferOffsetAlignment = ~VkDeviceSize{0}; }),
              " has a minTexelBufferOffsetAlignment of 18446744073709551615, which Vulkan does not permit");
    EXPECT_EQ(told([](auto& l) { l.subTexelPrecisionBits = 3; }),
              " has a subTexelPrecisionBits of 3, which Vulkan does not permit");
    EXPECT_EQ(told([](auto& l) { l.subTexelPrecisionBits = 4; }), "made");
    EXPECT_EQ(told([](auto& l) { l.mipmapPrecisionBits = ~0u; }),
              " has a mipmapPrecisionBits of 4294967295, which Vulkan does not permit");
}

TEST_F(BadDrivers, SuccessIsAPipeline) {
    Pretend pretend;
    pretend.null_pipelines = true;
    for (const Use use : {Use::Run, Use::CompileOnly}) {
        const auto made = Device::create(*instance_, info_, use);
        ASSERT_TRUE(made);
        const auto out = run(**made, squares());
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().failure, Failure::Device);
        EXPECT_EQ(out.error().message, "vkCreateComputePipelines made no pipeline: VK_SUCCESS");
    }
}

TEST_F(BadDrivers, MemoryThatTheHostSeesIsNeeded) {
    Pretend pretend;
    pretend.memory = [](VkPhysicalDeviceMemoryProperties& m) {
        for (auto& type : m.memoryTypes) type.propertyFlags &= ~VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    };
    const auto made = device();
    ASSERT_TRUE(made);
    EXPECT_THAT(missing(*made, squares()), testing::StartsWith("host-visible and coherent memory for buffers"));
}

/// The work was submitted, so the case was run: it is not skipped for lack of memory.
TEST_F(BadDrivers, AFailedWaitIsALostDevice) {
    Pretend pretend;
    pretend.wait = [] { return VK_ERROR_OUT_OF_DEVICE_MEMORY; };
    const auto made = device();
    const auto out = run(*made, squares());
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().failure, Failure::Lost);
    EXPECT_EQ(out.error().message, "vkWaitForFences failed: VK_ERROR_OUT_OF_DEVICE_MEMORY");
    EXPECT_TRUE(made->lost && made->hung);
}

/// The reference computes in the thread that calls the driver.
TEST_F(BadDrivers, TheFloatingPointEnvironmentIsRestored) {
    volatile float least = 1e-38f;  // half of it is a denormal
    Pretend pretend;
    const auto made = device();
    ASSERT_TRUE(run(*made, squares()));
    EXPECT_FALSE(made->changed_floats);
    pretend.wait = [] {
        std::fesetround(FE_UPWARD);
        return VK_SUCCESS;
    };
    ASSERT_TRUE(run(*made, squares()));
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_TRUE(made->changed_floats);
#ifdef __SSE2__
    made->changed_floats = false;
    pretend.wait = [] {
        _mm_setcsr(_mm_getcsr() | 0x8040);  // flush results to zero; denormals are zeros
        return VK_ERROR_DEVICE_LOST;
    };
    EXPECT_FALSE(run(*made, squares()));
    EXPECT_NE(least / 2, 0.0f);
    EXPECT_TRUE(made->changed_floats);
#endif
    pretend.create_device = [](auto&) {
        std::fesetround(FE_DOWNWARD);
        return VK_SUCCESS;
    };
    EXPECT_TRUE(device()->changed_floats);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

}  // namespace
}  // namespace tgsi2spv::harness
