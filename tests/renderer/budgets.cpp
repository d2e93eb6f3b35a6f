// All memory that a guest can use counts in its budget, also the driver's: many small objects, and objects that are
// larger on GPUs than on lavapipe.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../virgl/encode.h"
#include "renderer/host.h"
#include "renderer/move/copy.h"
#include "renderer/move/transfer.h"
#include "renderer/record/pipeline.h"
#include "renderer/state/bind.h"
#include "renderer/state/resource.h"
#include "vulkan/instance.h"

namespace tgsi2spv::host {
namespace {

using virgl::test::Buffer;

constexpr uint64_t kLimit = 16U << 20;

class Budgets : public testing::Test {
  protected:
    void open(bool is_gpu = false) {
        auto instance = vulkan::Instance::create({.validation = true, .judged = false});
        ASSERT_TRUE(instance) << instance.error().message;
        instance_ = std::move(*instance);
        auto info = instance_->find("llvmpipe");
        ASSERT_TRUE(info) << info.error().message;
        info->is_gpu = is_gpu;
        auto device = gpu::Device::create(*info);
        ASSERT_TRUE(device) << device.error().message;
        host_ = std::make_unique<Host>(std::move(*device), HostOptions{.memory_limit = kLimit});
    }
    void TearDown() override {
        host_ = nullptr;
        EXPECT_THAT(instance_->take_messages(), testing::IsEmpty());
    }
    /// `outputs`: two words each.
    Problem create_shader(uint32_t handle, virgl::Stage stage, const std::string& text, const Buffer& outputs = {}) {
        const Buffer words = virgl::test::text_words(std::string(text.c_str(), text.size() + 1));
        return create(*host_, *host_->current,
                      virgl::CreateShader{.handle = handle,
                                          .stage = stage,
                                          .first = true,
                                          .length_or_offset = static_cast<uint32_t>(text.size() + 1),
                                          .so_outputs = outputs,
                                          .text = words});
    }
    std::unique_ptr<vulkan::Instance> instance_;
    std::unique_ptr<Host> host_;
};

TEST_F(Budgets, OutputsOfShaders) {
    open();
    constexpr size_t kOutputs = 64;
    const std::string text = "VERT\nDCL OUT[0], POSITION\nEND\n";
    const auto bytes_of = [&](uint32_t handle, const Buffer& outputs) {
        const uint64_t before = host_->budget.used();
        EXPECT_EQ(create_shader(handle, virgl::Stage::Vert, text, outputs), Problem::None);
        return host_->budget.used() - before;
    };
    bytes_of(1, {});  // makes what all texts share
    const uint64_t without = bytes_of(2, {});
    Buffer outputs;
    for (size_t i = 0; i < kOutputs; i++) outputs.insert(outputs.end(), {1U << 10, 0});
    EXPECT_GE(bytes_of(3, outputs), without + kOutputs * sizeof(tgsi2spv_stream_output));
}

/// A short text costs a node of the map, which is larger than the text.
TEST_F(Budgets, NumbersOfShortTexts) {
    open();
    constexpr uint32_t kTexts = 20'000;
    for (uint32_t i = 0; i < kTexts; i++)
        ASSERT_EQ(create_shader(1, virgl::Stage::Vert, fmt::format("VERT\nIMM[0] UINT32 {{{}, 0, 0, 0}}\nEND\n", i)),
                  Problem::None);
    constexpr size_t kLeastNode = 100;
    EXPECT_LE(host_->shader_ids.by_text.size() * kLeastNode, kLimit / 16);
}



}  // namespace
}  // namespace tgsi2spv::host
