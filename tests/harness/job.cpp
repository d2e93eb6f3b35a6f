#include "harness/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "harness/devices.h"
#include "harness_shaders/copy_vert.h"
#include "harness_shaders/draw_frag.h"
#include "harness_shaders/draw_vert.h"
#include "harness_shaders/fetch_frag.h"
#include "harness_shaders/quads_frag.h"
#include "harness_shaders/square_comp.h"

namespace tgsi2spv::harness {
namespace {

uint32_t bits(float f) {
    return std::bit_cast<uint32_t>(f);
}

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
    std::vector<uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::vector<float> floats_of(const std::vector<uint8_t>& bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

TEST(Job, VerticesMoveWordsExactly) {
    test::Devices all;
    for (auto& device : all.devices) {
        SCOPED_TRACE(device->report().info.name);
        Job job;
        job.vertex = {copy_vert, {{3, 10}}};
        job.push_constants = {5};
        job.vertex_count = 6;
        // A signalling NaN with a payload, a denormal, −0, infinity, and an ordinary pattern.
        job.buffers = {{{0x7f800001, 0x00000001, 0x80000000, 0x7f800000, 0xdeadbeef}, false},
                       {std::vector<uint32_t>(12, 0x11111111), true}};
        job.descriptors = {{0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}},
                           {0, 7, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {1}, {}}};
        const auto out = run(*device, job);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_THAT(out->buffers[1], testing::ElementsAre(0x7f800001, 0, 0x00000001, 10, 0x80000000, 20, 0x7f800000, 30,
                                                          0xdeadbeef, 40, 0x11111111, 0x11111111));
        EXPECT_TRUE(out->buffers[0].empty());
    }
}

/// A cached pipeline works with other buffers, and is not used for another constant, module or size.
TEST(Job, PipelinesAreKeptForTheSameModules) {
    test::Devices all;
    for (auto& device : all.devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto answer = [&](uint32_t factor, uint32_t first, uint32_t words) {
            Job job;
            job.vertex = {copy_vert, {{3, factor}}};
            job.push_constants = {words};
            job.vertex_count = 6;
            job.buffers = {{std::vector<uint32_t>(words, first), false}, {std::vector<uint32_t>(12, 0), true}};
            job.descriptors = {{0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}},
                               {0, 7, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {1}, {}}};
            const auto out = run(*device, job);
            EXPECT_TRUE(out) << out.error().message;
            return std::pair(out->buffers[1][2], out->buffers[1][3]);
        };
        EXPECT_EQ(answer(10, 7, 5), std::pair(7u, 10u));
        EXPECT_EQ(answer(10, 8, 5), std::pair(8u, 10u));
        EXPECT_EQ(answer(20, 9, 3), std::pair(9u, 20u));
        for (uint32_t factor = 30; factor < 40; factor++)
            EXPECT_EQ(answer(factor, factor + 1, 4), std::pair(factor + 1, factor));
        EXPECT_EQ(answer(10, 3, 5), std::pair(3u, 10u));
    }
}

TEST(Job, FragmentsComeInRealQuads) {
    test::Devices all;
    constexpr uint32_t kWidth = 6, kHeight = 4, kLanes = kWidth * kHeight;
    std::vector<uint32_t> values;
    for (uint32_t i = 0; i < kLanes; i++) values.push_back(bits(static_cast<float>(i * i % 37)));
    for (auto& device : all.devices) {
        SCOPED_TRACE(device->report().info.name);
        Job job;
        job.vertex.words = quad_vertex_shader();
        job.fragment = {quads_frag, {{0, kWidth}}};
        job.width = kWidth;
        job.height = kHeight;
        job.viewport_width = 2 * kWidth;
        job.viewport_height = 2 * kHeight;
        job.buffers = {{values, false}, {std::vector<uint32_t>(4 * kLanes), true}};
        job.descriptors = {{1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}},
                           {1, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {1}, {}}};
        const auto out = run(*device, job);
        ASSERT_TRUE(out) << out.error().message;
        for (uint32_t lane = 0; lane < kLanes; lane++) {
            SCOPED_TRACE(lane);
            const uint32_t quad = lane / 4, row = quad / (kWidth / 2), column = quad % (kWidth / 2);
            const auto value = [&](uint32_t l) { return std::bit_cast<float>(values[l]); };
            const auto* got = &out->buffers[1][4 * lane];
            EXPECT_EQ(got[0], bits(static_cast<float>(2 * column + (lane & 1)) + 0.5f));
            EXPECT_EQ(got[1], bits(static_cast<float>(2 * row + (lane >> 1 & 1)) + 0.5f));
            EXPECT_EQ(got[2], bits(value(lane | 1) - value(lane & ~1u)));
            EXPECT_EQ(got[3], bits(value(lane | 2) - value(lane & ~2u)));
        }
    }
}

TEST(Job, TexelsOfLevelsLayersAndBuffersAreFetched) {
    test::Devices all;
    for (auto& device : all.devices) {
        SCOPED_TRACE(device->report().info.name);
        Image image;
        image.width = image.height = 8;
        image.layers = 2;
        image.levels = 2;
        std::vector<float> base(8 * 8 * 2 * 4), level(4 * 4 * 2 * 4);
        for (size_t i = 0; i < level.size(); i++) level[i] = static_cast<float>(i);
        image.data = {bytes_of(base), bytes_of(level)};
        Job job;
        job.vertex.words = quad_vertex_shader();
        job.fragment.words = fetch_frag;
        job.width = job.height = 4;
        job.viewport_width = job.viewport_height = 8;
        job.images = {image};
        ImageView view;
        view.type = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
        view.swizzle = {VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_ZERO,
                        VK_COMPONENT_SWIZZLE_ONE};
        job.views = {view};
        job.samplers = {{}};
        job.buffers = {{{0, 0, 0, 0, bits(1000), bits(2000), bits(3000), bits(4000)}, false},
                       {std::vector<uint32_t>(64), true}};
        job.texel_views = {{0, VK_FORMAT_R32G32B32A32_SFLOAT}};
        job.descriptors = {{0, 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, {0}, {0}},
                           {0, 3, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, {0}, {}},
                           {0, 4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {1}, {}}};
        const auto out = run(*device, job);
        ASSERT_TRUE(out) << out.error().message;
        for (size_t texel = 0; texel < 16; texel++) {
            const auto* in = &level[(16 + texel) * 4];
            const auto* got = &out->buffers[1][texel * 4];
            EXPECT_EQ(got[0], bits(in[3] + 1000));
            EXPECT_EQ(got[1], bits(in[1] + 2000));
            EXPECT_EQ(got[2], bits(3000));
            EXPECT_EQ(got[3], bits(4001));
        }
    }
}

TEST(Job, TheOrdinaryInterfaceInterpolatesAndComesBack) {
    test::Devices all;
    for (auto& device : all.devices) {
        SCOPED_TRACE(device->report().info.name);
        Job job;
        job.vertex.words = draw_vert;
        job.fragment.words = draw_frag;
        job.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
        job.vertex_count = 4;
        job.width = job.height = job.viewport_width = job.viewport_height = 4;
        // The colour follows the position: red goes from 0 to 1 from left to right, green from top to bottom.
        job.attributes = {{0, VK_FORMAT_R32G32_SFLOAT, 8, bytes_of<float>({-1, -1, 1, -1, -1, 1, 1, 1})},
                          {3, VK_FORMAT_R32G32B32A32_SFLOAT, 16,
                           bytes_of<float>({0, 0, 0.25f, 1, 1, 0, 0.25f, 1, 0, 1, 0.25f, 1, 1, 1, 0.25f, 1})}};
        job.attachments = {{VK_FORMAT_R32G32B32A32_SFLOAT, 16, {}}, {VK_FORMAT_R8G8B8A8_UNORM, 4, {}}};
        const auto out = run(*device, job);
        ASSERT_TRUE(out) << out.error().message;
        const auto first = floats_of(out->attachments[0]);
        ASSERT_EQ(first.size(), 64u);
        ASSERT_EQ(out->attachments[1].size(), 64u);
        for (size_t y = 0; y < 4; y++)
            for (size_t x = 0; x < 4; x++) {
                const auto* p = &first[(y * 4 + x) * 4];
                EXPECT_NEAR(p[0], (static_cast<float>(x) + 0.5f) / 4, 1e-4);
                EXPECT_NEAR(p[1], (static_cast<float>(y) + 0.5f) / 4, 1e-4);
                EXPECT_NEAR(p[2], 0.25f, 1e-6);
                const auto* q = &out->attachments[1][(y * 4 + x) * 4];
                EXPECT_EQ(q[0], 255);
                EXPECT_NEAR(q[1], 64, 1);
                EXPECT_NEAR(q[3], (static_cast<double>(x) + 0.5) / 4 * 255, 1);
            }
    }
}

/// Layers are read back one after the other, depth and stencil after the colours. Without a layer of their own,
/// triangles go to layer 0; each fragment replaces the stencil by 0.
TEST(Job, LayersDepthAndStencilAreReadBack) {
    test::Devices all;
    for (auto& device : all.devices) {
        SCOPED_TRACE(device->report().info.name);
        Job job;
        job.vertex.words = draw_vert;
        job.fragment.words = draw_frag;
        job.width = job.height = job.viewport_width = job.viewport_height = 2;
        job.layers = 3;
        job.attributes = {
            {0, VK_FORMAT_R32G32B32_SFLOAT, 12, bytes_of<float>({-1, -1, 0.5f, 3, -1, 0.5f, -1, 3, 0.5f})},
            {3, VK_FORMAT_R32_SFLOAT, 4, bytes_of<float>({1, 1, 1})}};
        job.attachments = {{VK_FORMAT_R8G8B8A8_UNORM, 4, {}}, {VK_FORMAT_R8G8B8A8_UNORM, 4, {}}};
        job.depth = DepthAttachment{.clear = 0.75f, .stencil = uint8_t{9}};
        const auto out = run(*device, job);
        ASSERT_TRUE(out) << out.error().message;
        ASSERT_EQ(out->attachments.size(), 4u);
        ASSERT_EQ(out->attachments[0].size(), size_t{3} * 4 * 4);
        const auto depths = floats_of(out->attachments[2]);
        ASSERT_EQ(depths.size(), 12u);
        ASSERT_EQ(out->attachments[3].size(), 12u);
        for (size_t i = 0; i < 12; i++) {
            const bool drawn = i < 4;
            EXPECT_EQ(out->attachments[0][4 * i], drawn ? 255 : 0) << i;
            EXPECT_EQ(depths[i], drawn ? 0.5f : 0.75f) << i;
            EXPECT_EQ(out->attachments[3][i], drawn ? 0 : 9) << i;
        }
    }
}

TEST(Job, ComputeIsDispatched) {
    test::Devices all;
    for (auto& device : all.devices) {
        SCOPED_TRACE(device->report().info.name);
        Job job;
        job.compute.words = square_comp;
        job.groups = {2, 1, 1};
        job.buffers = {{{1, 2, 3, 4, 5, 6, 7, 8}, true}};
        job.descriptors = {{0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}}};
        const auto out = run(*device, job);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_THAT(out->buffers[0], testing::ElementsAre(1, 4, 9, 16, 25, 36, 49, 64));
    }
}

TEST(Job, WhatADeviceLacksIsMissingAndNamed) {
    test::Devices all;
    for (auto& device : all.devices) {
        SCOPED_TRACE(device->report().info.name);
        Job job;
        job.compute.words = square_comp;
        job.buffers = {{std::vector<uint32_t>(size_t{device->report().limits.maxUniformBufferRange} / 4 + 4), false}};
        job.descriptors = {{0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {0}, {}}};
        auto out = run(*device, job);
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().failure, Failure::Missing);
        EXPECT_THAT(out.error().message, testing::HasSubstr("maxUniformBufferRange"));

        if (!device->report().features.shaderResourceResidency) {
            job = {};
            std::vector<uint32_t> sparse(square_comp, square_comp + 5);
            sparse.insert(sparse.end(), {2u << 16 | 17u, 41u});  // OpCapability SparseResidency
            job.compute.words = sparse;
            out = run(*device, job);
            ASSERT_FALSE(out);
            EXPECT_EQ(out.error().failure, Failure::Missing);
            EXPECT_EQ(out.error().message, "shaderResourceResidency");
        }

        job = {};
        job.compute.words = square_comp;
        Image image;
        image.samples = 4;
        image.format = VK_FORMAT_D32_SFLOAT;
        image.aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
        image.texel_bytes = 4;
        image.data.resize(1);
        job.images = {image};
        out = run(*device, job);
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().failure, Failure::Missing);
    }
}

TEST(Job, SamplesGoInAndComeBack) {
    struct Row {
        VkFormat format;
        uint32_t bytes;
    };
    const Row kRows[] = {{VK_FORMAT_R8_UINT, 1},
                         {VK_FORMAT_R16_SFLOAT, 2},
                         {VK_FORMAT_R8G8B8A8_UNORM, 4},
                         {VK_FORMAT_R32G32_SFLOAT, 8},
                         {VK_FORMAT_R32G32B32A32_SINT, 16}};
    test::Devices all;
    for (auto& device : all.devices)
        for (const Row& row : kRows) {
            SCOPED_TRACE(device->report().info.name + " " + std::to_string(row.format));
            Job job;
            job.compute.words = square_comp;
            job.buffers = {{{1, 2, 3, 4}, true}};
            job.descriptors = {{0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}}};
            Image image;
            image.format = row.format;
            image.texel_bytes = row.bytes;
            image.width = 3;
            image.layers = 2;
            image.samples = 4;
            image.storage = image.readback = true;
            std::vector<uint8_t> bytes(size_t{3} * 2 * 4 * row.bytes);
            for (size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<uint8_t>(i * 7 + 1);
            image.data = {bytes};
            job.images = {image};
            const auto out = run(*device, job);
            ASSERT_TRUE(out) << out.error().message;
            EXPECT_EQ(out->images[0][0], bytes);
        }
}

}  // namespace
}  // namespace tgsi2spv::harness
