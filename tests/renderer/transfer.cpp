// Texels into images of a device and back.
#include "renderer/move/transfer.h"
#include "renderer/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "queries.h"
#include "renderer/state/caps.h"
#include "renderer/state/resource.h"

namespace tgsi2spv::host {
namespace {

/// lavapipe, which draws all that there is here.
class Transfers : public testing::Test {
  protected:
    void SetUp() override {
        auto made = vulkan::Instance::create({});
        ASSERT_TRUE(made) << made.error().message;
        instance_ = std::move(*made);
        const auto info = instance_->find("llvmpipe");
        ASSERT_TRUE(info) << info.error().message;
        auto device = vk::Device::create(*info);
        ASSERT_TRUE(device) << device.error().message;
        host_ = std::make_unique<Host>(std::move(*device), HostOptions{});
    }
    void TearDown() override {
        host_.reset();
        instance_.reset();
    }

    std::shared_ptr<Resource> create(uint32_t format, uint32_t width, uint32_t height) {
        const virgl::ResourceRequest request{.handle = next_++,
                                             .target = static_cast<uint32_t>(virgl::Target::Tex2d),
                                             .format = format,
                                             .width = width,
                                             .height = height,
                                             .depth = 1,
                                             .array_size = 1};
        EXPECT_EQ(create_resource(*host_, request, nullptr), Problem::None) << format;
        return host_->find_resource(request.handle);
    }

    Buffer there_and_back(uint32_t format, uint32_t width, uint32_t height, const Buffer& words) {
        const auto resource = create(format, width, height);
        if (resource == nullptr) return {};
        const virgl::TransferRequest all{.box = {0, 0, 0, width, height, 1}};
        EXPECT_EQ(write_box(*host_, *resource, all, std::as_bytes(std::span(words))), Problem::None);
        Buffer read(words.size(), 0xdddddddd);
        const auto memory = std::make_shared<virgl::SharedMemory>();
        memory->bytes = std::as_writable_bytes(std::span(read));
        EXPECT_EQ(read_box(*host_, *resource, all, memory, 0), Problem::None);
        EXPECT_TRUE(host_->stream.wait(host_->stream.current()));
        return read;
    }

    std::unique_ptr<vulkan::Instance> instance_;
    std::unique_ptr<Host> host_;
    uint32_t next_ = 1;
};

/// Words whose depth and stencil all differ; `kept`: the bits that the format has.
Buffer different_words(uint32_t count, uint32_t kept) {
    Buffer words(count);
    for (uint32_t i = 0; i < count; i++) words[i] = (i * 0x9e3779b1u) & kept;
    return words;
}

constexpr uint32_t kWidth = 37, kHeight = 11;
constexpr std::pair<uint32_t, uint32_t> kPacked[] = {
    {19, 0xffffffff}, {20, 0xffffffff}, {21, 0x00ffffff}, {22, 0xffffff00}};

TEST_F(Transfers, PackedDepthAndStencil) {
    for (const auto& [format, kept] : kPacked) {
        const auto words = different_words(kWidth * kHeight, kept);
        EXPECT_EQ(there_and_back(format, kWidth, kHeight, words), words) << format;
    }
}

TEST_F(Transfers, PackedDepthAndStencilWithout24Bits) {
    host_->depth24 = {false, false};
    for (const auto& [format, kept] : kPacked) {
        const auto words = different_words(kWidth * kHeight, kept);
        EXPECT_EQ(there_and_back(format, kWidth, kHeight, words), words) << format;
        const VkFormat stored = host_->find_resource(next_ - 1)->image->info().format;
        EXPECT_TRUE(stored == VK_FORMAT_D32_SFLOAT || stored == VK_FORMAT_D32_SFLOAT_S8_UINT);
    }
}

TEST_F(Transfers, FloatDepthAndStencil) {
    Buffer words;
    for (uint32_t i = 0; i < kWidth * kHeight; i++) {
        words.push_back(std::bit_cast<uint32_t>(static_cast<float>(i) / (kWidth * kHeight)));
        words.push_back(i & 0xff);
    }
    EXPECT_EQ(there_and_back(126, kWidth, kHeight, words), words);
}

// The guest's layout of each format is Vulkan's, but for those that are converted: bytes come back as they were.
TEST_F(Transfers, TexelsOfEveryColourFormat) {
    const DeviceOffers offers = offers_of(*host_->device);
    int seen = 0;
    for (uint32_t number = 0; number < 512; number++) {
        const FormatInfo* const f = format_info(number, {});
        if (f == nullptr || f->has(kDepthStencil | kVertexOnly | kBufferOnly)) continue;
        if ((offers.format(f->vulkan).image & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) == 0) continue;
        const uint32_t blocks =
            (kWidth + f->block_width - 1) / f->block_width * ((kHeight + f->block_height - 1) / f->block_height);
        // Whole words, of which the texels are the first bytes.
        auto words = different_words((blocks * f->block_bytes + 3) / 4, 0xffffffff);
        if (blocks * f->block_bytes % 4 != 0) words.back() &= (1u << 8 * (blocks * f->block_bytes % 4)) - 1;
        auto read = there_and_back(number, kWidth, kHeight, words);
        ASSERT_EQ(read.size(), words.size());
        if (blocks * f->block_bytes % 4 != 0) read.back() &= (1u << 8 * (blocks * f->block_bytes % 4)) - 1;
        EXPECT_EQ(read, words) << f->name;
        seen++;
    }
    EXPECT_GT(seen, 150);
}

// After the device has drawn for a while.
TEST_F(Draws, WhatIsReadIsThereWhenTheGuestHasWaited) {
    constexpr uint32_t kStaging = 20, kSize4 = kSize * kSize * 4;
    const auto memory = std::make_shared<Bytes>(kSize4);
    pixels();  // what comes before the staging resource is done
    ASSERT_EQ(renderer_->create_resource({kStaging, 0, 64, kBindStaging, kSize4, 1, 1, 1, 0, 0}, memory),
              Outcome::Done);
    Buffer draws = scene();
    for (int i = 0; i < 1000; i++) draws = draws + triangle();
    const Buffer read = command(Id::CopyTransfer3d, {kTarget, 0, 0, 0, 0, 0, 0, 0, kSize, kSize, 1, kStaging, 0, 2});
    for (const uint32_t waits_for : {kStaging, kTarget}) {
        std::ranges::fill(memory->storage, std::byte{0});
        run(draws + read);
        EXPECT_FALSE(renderer_->busy(waits_for, true));
        EXPECT_EQ(memory->storage[0], std::byte{0xff});
    }
}

TEST_F(Draws, ReadsOfBuffersDoNotWaitForTheDevice) {
    constexpr uint32_t kWords = 20, kBytes = 64 * 4;
    const char* takes_long =
        "COMP; PROPERTY CS_FIXED_BLOCK_WIDTH 64; PROPERTY CS_FIXED_BLOCK_HEIGHT 1; PROPERTY CS_FIXED_BLOCK_DEPTH 1; "
        "DCL SV[0], THREAD_ID; DCL BUFFER[0]; DCL TEMP[0..2]; IMM[0] UINT32 {0, 1, 1000000, 1664525}; "
        "IMM[1] UINT32 {2, 0, 0, 0}; MOV TEMP[0], IMM[0].xxxx; BGNLOOP; "
        "UMAD TEMP[0].y, TEMP[0].yyyy, IMM[0].wwww, SV[0].xxxx; UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy; "
        "USGE TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz; UIF TEMP[1].xxxx; BRK; ENDIF; ENDLOOP; "
        "SHL TEMP[2].x, SV[0].xxxx, IMM[1].xxxx; STORE BUFFER[0].x, TEMP[2].xxxx, TEMP[0].yyyy; END";
    const auto memory = std::make_shared<Bytes>(kBytes);
    ASSERT_EQ(renderer_->create_resource({kWords, 0, 64, kBindShaderBuffer, kBytes, 1, 1, 1, 0, 0}, memory),
              Outcome::Done);
    run(use(21, takes_long) + command(Id::SetShaderBuffers, {5, 0, 0, kBytes, kWords}) +
        command(Id::LaunchGrid, {64, 1, 1, 64, 1, 1, 0, 0}));
    const TransferRequest all{kWords, 0, 0, 0, {0, 0, 0, kBytes, 1, 1}};
    ASSERT_EQ(renderer_->read_to_memory(all, 0), Outcome::Done);
    EXPECT_TRUE(renderer_->busy(kWords, false));
    EXPECT_FALSE(renderer_->busy(kWords, true));
    EXPECT_NE(memory->storage[4], std::byte{0});
}

}  // namespace
}  // namespace tgsi2spv::host
