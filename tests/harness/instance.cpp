#include "vulkan/instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/device.h"

namespace tgsi2spv::harness {
namespace {

using testing::HasSubstr;

TEST(Instance, DevicesAreFoundByIndexUuidAndPartOfTheName) {
    const auto instance = vulkan::Instance::create({});
    ASSERT_TRUE(instance) << instance.error().message;
    ASSERT_FALSE((*instance)->devices().empty()) << "no Vulkan device is installed (tools/install-deps)";
    for (const auto& d : (*instance)->devices()) {
        EXPECT_FALSE(d.name.empty());
        EXPECT_EQ(d.uuid.size(), 32u);
        EXPECT_EQ((*instance)->find(std::to_string(d.index))->name, d.name);
        EXPECT_EQ((*instance)->find(d.uuid)->name, d.name);
        auto part = d.name.substr(0, 6);
        for (auto& c : part) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        EXPECT_TRUE((*instance)->find(part)) << part;
    }
    EXPECT_TRUE((*instance)->default_device());
}

TEST(Instance, AnUnknownNameIsAnErrorThatListsTheDevices) {
    const auto instance = vulkan::Instance::create({});
    ASSERT_TRUE(instance) << instance.error().message;
    const auto none = (*instance)->find("no such device");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().failure, Failure::Usage);
    EXPECT_THAT(none.error().message, HasSubstr("no device matches 'no such device'"));
    EXPECT_THAT(none.error().message, HasSubstr((*instance)->devices().at(0).name));
    EXPECT_FALSE((*instance)->find(""));
}

TEST(Instance, AGpuIsChosenFirstThenLavapipe) {
    const auto device = [](const char* name, bool is_gpu) {
        vulkan::DeviceInfo info;
        info.name = name;
        info.is_gpu = is_gpu;
        return info;
    };
    const auto chosen = [](std::vector<vulkan::DeviceInfo> devices) {
        const vulkan::DeviceInfo* const found = vulkan::default_of(devices);
        return found == nullptr ? std::string() : found->name;
    };
    const vulkan::DeviceInfo swiftshader = device("SwiftShader", false), lavapipe = device("llvmpipe", false),
                             gpu = device("GPU", true), other = device("other GPU", true);
    EXPECT_EQ(chosen({swiftshader, lavapipe, gpu, other}), "GPU");
    EXPECT_EQ(chosen({swiftshader, lavapipe}), "llvmpipe");
    EXPECT_EQ(chosen({swiftshader}), "SwiftShader");
    EXPECT_EQ(chosen({}), "");
}

TEST(Instance, WithoutTheLayerThereIsAnInstance) {
    setenv("VK_LAYER_PATH", "/nowhere", 1);
    const auto instance = vulkan::Instance::create({.validation = true});
    unsetenv("VK_LAYER_PATH");
    ASSERT_TRUE(instance) << instance.error().message;
    EXPECT_FALSE((*instance)->validates());
    EXPECT_FALSE((*instance)->devices().empty());
}

TEST(Instance, MistakesReachTheMessages) {
    const auto instance = vulkan::Instance::create({.validation = true});
    ASSERT_TRUE(instance) << instance.error().message;
    if (!(*instance)->validates()) GTEST_SKIP() << vulkan::kNoValidation;
    const auto info = (*instance)->default_device();
    ASSERT_TRUE(info);
    const auto device = Device::create(**instance, *info);
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_THAT((*instance)->take_messages(), testing::IsEmpty());
    VkFenceCreateInfo wrong{};
    wrong.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    VkFence fence{};
    vkCreateFence((*device)->handle(), &wrong, nullptr, &fence);
    vkDestroyFence((*device)->handle(), fence, nullptr);
    EXPECT_THAT((*instance)->take_messages(), testing::Contains(HasSubstr("sType")));
}

}  // namespace
}  // namespace tgsi2spv::harness
