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
#include "renderer/record/program.h"
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
        auto device = vk::Device::create(*info);
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

/// Each layer needs a view, and the budget has no room for all views at once.
TEST_F(Budgets, LayersOfADrawnBlit) {
    open();
    constexpr uint32_t kLayers = 2048, kSource = 20, kTarget = 21, kBgra = 1, k2DArray = 7;
    constexpr uint64_t kRoom = 700U << 10;
    const uint32_t bind = virgl::kBindRenderTarget | virgl::kBindSamplerView;
    const virgl::Box all{0, 0, 0, 1, 1, kLayers};
    std::vector<uint32_t> texels(kLayers, 0xffffffff);
    for (const uint32_t handle : {kSource, kTarget})
        ASSERT_EQ(create_resource(*host_, {handle, k2DArray, kBgra, bind, 1, 1, 1, kLayers, 0, 0}, nullptr),
                  Problem::None);
    ASSERT_EQ(
        write_box(*host_, *host_->resources.at(kSource), {kSource, 0, 0, 0, all}, std::as_bytes(std::span(texels))),
        Problem::None);
    virgl::Blit drawn{.mask = virgl::kBlitColor, .scissor_enable = true, .scissor = {0, 0, 1, 1}};
    drawn.src = {kSource, 0, kBgra, 0, 0, 0, 1, 1, 1};
    drawn.dst = {kTarget, 0, kBgra, 0, 0, 0, 1, 1, 1};
    ASSERT_EQ(blit(*host_, drawn), Problem::None);  // makes its program
    drawn.src.depth = drawn.dst.depth = kLayers;
    {
        const vk::Charge others(host_->budget, kLimit - host_->budget.used() - kRoom);
        EXPECT_EQ(blit(*host_, drawn), Problem::None);
    }
    auto memory = std::make_shared<virgl::SharedMemory>();
    std::ranges::fill(texels, 0);
    memory->bytes = std::as_writable_bytes(std::span(texels));
    ASSERT_EQ(read_box(*host_, *host_->resources.at(kTarget), {kTarget, 0, 0, 0, all}, memory, 0), Problem::None);
    host_->stream.wait(host_->stream.current());
    EXPECT_EQ(std::ranges::count(texels, 0xffffffff), kLayers);
}

/// A GPU allocates all sets of a pool at once, and keeps them.
TEST_F(Budgets, FreePoolsOfGpusAreReclaimed) {
    open(true);
    const uint64_t before = host_->budget.used();
    VkDescriptorSetLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateDescriptorSetLayout(host_->device->handle(), &info, nullptr, &layout), VK_SUCCESS);
    host_->stream.commands();
    for (int i = 0; i < 1000; i++) ASSERT_NE(host_->stream.descriptor_set(layout, 0), VkDescriptorSet{});
    const uint64_t with = host_->budget.used();
    ASSERT_TRUE(reclaim(*host_));
    EXPECT_LE(host_->budget.used() - before, (with - before) / 2) << "one pool is being filled";
    vkDestroyDescriptorSetLayout(host_->device->handle(), layout, nullptr);
}

PFN_vkCreateShaderModule create_module;
PFN_vkDestroyShaderModule destroy_module;
std::vector<std::pair<VkShaderModule, uint64_t>> modules;

/// Large programs are forgotten as on lavapipe, when they fill a quarter of the budget.
TEST_F(Budgets, ProgramsOfGpus) {
    open(true);
    modules.clear();
    create_module = std::exchange(vkCreateShaderModule, [](auto device, auto* info, auto* callbacks, auto* module) {
        const VkResult result = create_module(device, info, callbacks, module);
        modules.emplace_back(*module, info->codeSize);
        return result;
    });
    destroy_module = std::exchange(vkDestroyShaderModule, [](auto device, auto module, auto callbacks) {
        std::erase_if(modules, [&](const auto& m) { return m.first == module; });
        destroy_module(device, module, callbacks);
    });
    uint64_t most = 0;
    for (uint32_t i = 0; i < 40; i++) {
        std::string text =
            "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\n"
            "PROPERTY CS_FIXED_BLOCK_DEPTH 1\nDCL BUFFER[0]\nDCL TEMP[0]\n";
        text += fmt::format("IMM[0] UINT32 {{{}, 0, 4, 7}}\nLOAD TEMP[0], BUFFER[0], IMM[0].yyyy\n", i);
        for (int n = 0; n < 2000; n++) text += "UMAD TEMP[0], TEMP[0].yzwx, TEMP[0], IMM[0]\n";
        ASSERT_EQ(create_shader(1, virgl::Stage::Comp, text + "STORE BUFFER[0], IMM[0].yyyy, TEMP[0]\nEND\n"),
                  Problem::None);
        Shared<Shader> shader;
        ASSERT_EQ(host_->current->objects.find(1, shader), Problem::None);
        const auto program = find_compute_program(*host_, *shader, {});
        ASSERT_TRUE(program != nullptr && !program->failed);
        uint64_t bytes = 0;
        for (const auto& [module, size] : modules) bytes += size;
        most = std::max(most, bytes);
    }
    EXPECT_GT(most, 0U);
    EXPECT_LE(most, kLimit / 4 + (1U << 20));
    host_ = nullptr;
    vkCreateShaderModule = create_module;
    vkDestroyShaderModule = destroy_module;
}

uint32_t pools, most_pools;
PFN_vkCreateDescriptorPool create_pool;
PFN_vkDestroyDescriptorPool destroy_pool;

/// A GPU allocates the memory of a pool at once, and keeps it when the sets are free.
TEST_F(Budgets, DescriptorPoolsOfGpus) {
    open(true);
    pools = most_pools = 0;
    create_pool = std::exchange(vkCreateDescriptorPool, [](auto... p) {
        most_pools = std::max(most_pools, ++pools);
        return create_pool(p...);
    });
    destroy_pool = std::exchange(vkDestroyDescriptorPool, [](auto device, auto pool, auto callbacks) {
        pools -= pool == VK_NULL_HANDLE ? 0 : 1;
        destroy_pool(device, pool, callbacks);
    });
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr};
    const VkDescriptorSetLayoutCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateDescriptorSetLayout(host_->device->handle(), &info, nullptr, &layout), VK_SUCCESS);
    constexpr uint32_t kSets = 40'000;
    constexpr uint64_t kLeastBytes = 512 << 10;  // of a pool
    uint32_t made = 0;
    host_->stream.commands();
    while (made < kSets && host_->stream.descriptor_set(layout, 1) != VK_NULL_HANDLE) made++;
    EXPECT_LT(made, kSets);
    EXPECT_LE(most_pools * kLeastBytes, kLimit);
    host_->stream.wait(host_->stream.current());
    EXPECT_NE(host_->stream.descriptor_set(layout, 1), VK_NULL_HANDLE) << "in a pool that is free again";
    vkDestroyDescriptorSetLayout(host_->device->handle(), layout, nullptr);
    host_ = nullptr;
    EXPECT_EQ(pools, 0U);
    vkCreateDescriptorPool = create_pool;
    vkDestroyDescriptorPool = destroy_pool;
}

}  // namespace
}  // namespace tgsi2spv::host
