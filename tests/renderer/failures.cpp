// A device that fails: each call of Vulkan that may fail does so once, at its first, second, … use. The client ends, or
// continues without the refused object; nothing crashes, no rule of Vulkan is broken, and the next client draws.
#include <volk.h>

#include "queries.h"

namespace tgsi2spv::host {
namespace {

/// While it lives, the call of one function that is `at` calls away returns `result`, and does nothing.
template <auto kPlace, class Function = std::remove_pointer_t<std::remove_pointer_t<decltype(kPlace)>>>
class FailAt;
template <auto kPlace, class... Parameters>
class FailAt<kPlace, VkResult(Parameters...)> {
  public:
    FailAt(VkResult result, uint32_t at) {
        left = at;
        result_ = result;
        real = std::exchange(*kPlace, [](Parameters... p) -> VkResult { return left-- == 1 ? result_ : real(p...); });
    }
    FailAt(const FailAt&) = delete;
    FailAt& operator=(const FailAt&) = delete;
    ~FailAt() { *kPlace = real; }
    /// Whether there were as many calls.
    static bool failed() { return left <= 0; }

  private:
    static inline VkResult (*VKAPI_PTR real)(Parameters...);
    static inline int64_t left;
    static inline VkResult result_;
};

class Failures : public Queries {
  protected:
    void start() override {}
    /// Draws and reads the picture back, with a function that fails at each of its calls in turn.
    template <auto kPlace>
    void fail_each_call(VkResult result) {
        uint32_t calls = 0;
        for (bool failed = true; failed && !HasFatalFailure(); calls += failed) {
            SCOPED_TRACE(testing::Message() << "call " << calls + 1);
            renderer_ = nullptr;
            open();
            const FailAt<kPlace> fails(result, calls + 1);
            draw_all();
            failed = fails.failed();
        }
        EXPECT_GT(calls, 0u) << "nothing calls it";
        renderer_ = nullptr;
        Queries::start();
        EXPECT_EQ(first_pixel(scene() + triangle()), kDrawn);
    }

  private:
    void draw_all() {
        std::array<uint32_t, kSize * kSize> bytes{};
        const auto target = [](uint32_t handle, uint32_t bind) {
            return ResourceRequest{handle, 2, kBgra, bind, kSize, kSize, 1, 1, 0, 0};
        };
        renderer_->create_resource(target(kTarget, kBindRenderTarget), nullptr);
        renderer_->create_resource({kVertices, 0, 64, kBindVertexBuffer, 96, 1, 1, 1, 0, 0}, nullptr);
        renderer_->write({kVertices, 0, 0, 0, {0, 0, 0, 96, 1, 1}}, std::as_bytes(std::span(bytes).first(24)));
        memory_ = std::make_shared<Bytes>(64);
        renderer_->create_resource({kResult, 0, 64, kBindCustom, 64, 1, 1, 1, 0, 0}, memory_);
        renderer_->submit(scene() + query(QueryType::OcclusionCounter) + begin() + triangle() + end() + get());
        renderer_->read({kTarget, 0, 0, 0, {0, 0, 0, kSize, kSize, 1}}, std::as_writable_bytes(std::span(bytes)));
        renderer_->busy(kTarget, true);
    }
};

/// The draw tries again, and finds memory then.
TEST_F(Failures, OfMemoryAreNotRemembered) {
    const auto draws_again = [&]<auto kPlace>() {
        renderer_ = nullptr;
        Queries::start();
        {
            const FailAt<kPlace> fails(VK_ERROR_OUT_OF_DEVICE_MEMORY, 1);
            run(scene() + triangle());
            ASSERT_TRUE(fails.failed());
        }
        EXPECT_EQ(pixels()[0], kDrawn);
    };
    draws_again.operator()<&vkCreateGraphicsPipelines>();
    draws_again.operator()<&vkCreateShaderModule>();
    draws_again.operator()<&vkCreateDescriptorSetLayout>();
    draws_again.operator()<&vkCreatePipelineLayout>();
    draws_again.operator()<&vkCreateDescriptorPool>();
}
/// The query's number is too small then.
TEST_F(Failures, OfQueriesAreTold) {
    static std::string told;
    told.clear();
    Queries::start();
    set_log([](const std::string& line) { told += line; });
    {
        const FailAt<&vkCreateQueryPool> fails(VK_ERROR_OUT_OF_HOST_MEMORY, 1);
        run(scene() + query(QueryType::OcclusionCounter) + begin() + triangle() + end() + get());
    }
    set_log(nullptr);
    EXPECT_EQ(result(), 0U);
    EXPECT_THAT(told, testing::HasSubstr("no memory for a query"));
}
TEST_F(Failures, NoMemory) {
    fail_each_call<&vkAllocateMemory>(VK_ERROR_OUT_OF_DEVICE_MEMORY);
}
TEST_F(Failures, NoObjects) {
    fail_each_call<&vkCreateBuffer>(VK_ERROR_OUT_OF_DEVICE_MEMORY);
    fail_each_call<&vkCreateImage>(VK_ERROR_OUT_OF_DEVICE_MEMORY);
    fail_each_call<&vkCreateImageView>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkMapMemory>(VK_ERROR_MEMORY_MAP_FAILED);
    fail_each_call<&vkCreateQueryPool>(VK_ERROR_OUT_OF_HOST_MEMORY);
}
TEST_F(Failures, NoPipelines) {
    fail_each_call<&vkCreateShaderModule>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkCreateGraphicsPipelines>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkCreateDescriptorSetLayout>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkCreatePipelineLayout>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkCreateDescriptorPool>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkAllocateDescriptorSets>(VK_ERROR_OUT_OF_HOST_MEMORY);
}
TEST_F(Failures, NoRenderPasses) {
    options_.without = {"dynamicRendering"};
    fail_each_call<&vkCreateRenderPass>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkCreateFramebuffer>(VK_ERROR_OUT_OF_DEVICE_MEMORY);
}
TEST_F(Failures, NoCommandsThatResetQueries) {
    options_.without = {"hostQueryReset"};
    fail_each_call<&vkCreateCommandPool>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkAllocateCommandBuffers>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkEndCommandBuffer>(VK_ERROR_OUT_OF_HOST_MEMORY);
}
TEST_F(Failures, NoCommands) {
    fail_each_call<&vkCreateCommandPool>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkAllocateCommandBuffers>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkBeginCommandBuffer>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkEndCommandBuffer>(VK_ERROR_OUT_OF_HOST_MEMORY);
    fail_each_call<&vkCreateFence>(VK_ERROR_OUT_OF_DEVICE_MEMORY);
}
TEST_F(Failures, LostDevice) {
    fail_each_call<&vkQueueSubmit>(VK_ERROR_DEVICE_LOST);
    fail_each_call<&vkWaitForFences>(VK_ERROR_DEVICE_LOST);
    fail_each_call<&vkGetFenceStatus>(VK_ERROR_DEVICE_LOST);
}
/// Nothing that the device may still use is given back before it has ended.
TEST_F(Failures, DeviceThatHangs) {
    fail_each_call<&vkWaitForFences>(VK_TIMEOUT);
}

}  // namespace
}  // namespace tgsi2spv::host
