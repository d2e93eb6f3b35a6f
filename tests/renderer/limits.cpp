// Limits of other devices, which lavapipe reports in these tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "renderer/host.h"
#include "renderer/state/sampler.h"
#include "vulkan/instance.h"

namespace tgsi2spv::host {
namespace {

class Limits : public testing::Test {
  protected:
    using Change = void (*)(VkPhysicalDeviceProperties2& told);
    void open(Change change) {
        auto instance = vulkan::Instance::create({.validation = true, .judged = false});
        ASSERT_TRUE(instance) << instance.error().message;
        instance_ = std::move(*instance);
        const auto info = instance_->find("llvmpipe");
        ASSERT_TRUE(info) << info.error().message;
        change_ = change;
        ask_ = std::exchange(vkGetPhysicalDeviceProperties2, [](auto device, auto* told) {
            ask_(device, told);
            change_(*told);
        });
        auto device = vk::Device::create(*info);
        vkGetPhysicalDeviceProperties2 = ask_;
        ASSERT_TRUE(device) << device.error().message;
        host_ = std::make_unique<Host>(std::move(*device), HostOptions{});
    }
    void TearDown() override {
        host_ = nullptr;
        EXPECT_THAT(instance_->take_messages(), testing::IsEmpty());
    }
    std::unique_ptr<vulkan::Instance> instance_;
    std::unique_ptr<Host> host_;

  private:
    static inline PFN_vkGetPhysicalDeviceProperties2 ask_;
    static inline Change change_;
};

/// Counts the samplers with custom border colours that exist.
struct CustomSamplers {
    CustomSamplers() {
        samplers.clear();
        most = 0;
        create = std::exchange(vkCreateSampler, [](auto device, auto* info, auto* callbacks, auto* sampler) {
            const VkResult result = create(device, info, callbacks, sampler);
            if (info->borderColor == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT) samplers.push_back(*sampler);
            most = std::max(most, samplers.size());
            return result;
        });
        destroy = std::exchange(vkDestroySampler, [](auto device, auto sampler, auto callbacks) {
            std::erase(samplers, sampler);
            destroy(device, sampler, callbacks);
        });
    }
    ~CustomSamplers() {
        vkCreateSampler = create;
        vkDestroySampler = destroy;
    }
    CustomSamplers(const CustomSamplers&) = delete;
    CustomSamplers& operator=(const CustomSamplers&) = delete;
    static inline PFN_vkCreateSampler create;
    static inline PFN_vkDestroySampler destroy;
    static inline std::vector<VkSampler> samplers;
    static inline size_t most;
};

/// No more exist than the device has (Vulkan, VkPhysicalDeviceCustomBorderColorPropertiesEXT).
TEST_F(Limits, BorderColorsOfTheirOwn) {
    constexpr uint32_t kMost = 32;  // the least that Vulkan permits
    open([](VkPhysicalDeviceProperties2& told) {
        for (auto* next = static_cast<VkBaseOutStructure*>(told.pNext); next != nullptr; next = next->pNext)
            if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_PROPERTIES_EXT)
                reinterpret_cast<VkPhysicalDeviceCustomBorderColorPropertiesEXT*>(next)->maxCustomBorderColorSamplers =
                    kMost;
    });
    const CustomSamplers custom;
    const auto find = [&](uint32_t color) {
        virgl::CreateSamplerState state{};
        state.wrap_s = state.wrap_t = state.wrap_r = virgl::Wrap::ClampToBorder;
        state.border = {color, color, color, color};
        return find_sampler(*host_, state, {.format = VK_FORMAT_B8G8R8A8_UNORM}) != VK_NULL_HANDLE;
    };
    for (uint32_t color = 1; color <= 4 * kMost; color++) {
        EXPECT_TRUE(find(color)) << color;
        host_->stream.commands();
        host_->stream.wait(host_->stream.current());
    }
    uint32_t found = 0;  // in one batch, whose samplers stay
    for (uint32_t color = 1; color <= 2 * kMost; color++) found += find(1000 + color) ? 1 : 0;
    EXPECT_GE(found, kMost / 2);
    EXPECT_LE(custom.most, kMost);
}

}  // namespace
}  // namespace tgsi2spv::host
