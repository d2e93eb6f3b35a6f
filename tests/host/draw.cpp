// Draws as a guest asks for them, on lavapipe: commands in, texels out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "../virgl/encode.h"
#include "host/renderer.h"

namespace tgsi2spv::host {
namespace {

using namespace virgl;
using virgl::test::bits;
using virgl::test::Buffer;
using virgl::test::command;
using virgl::test::operator+;
using virgl::test::text_words;
using Id = CommandId;
using O = ObjectType;

constexpr uint32_t kSize = 16, kBgra = 1, kFloats = 31;
constexpr uint32_t kTarget = 1, kVertices = 2;

constexpr const char* kVert =
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n"
    "MOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n";
constexpr const char* kFrag =
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0]\n"
    "MUL OUT[0], IN[0], CONST[0]\nEND\n";

Buffer object(ObjectType type, const Buffer& words) {
    return virgl::test::create(type, words);
}

Buffer shader(uint32_t handle, virgl::Stage stage, const std::string& text) {
    const auto bytes = static_cast<uint32_t>(text.size() + 1);
    return object(O::Shader, Buffer{handle, static_cast<uint32_t>(stage), bytes, 300, 0} +
                                 text_words(std::string(text.c_str(), bytes)));
}

Buffer bind(ObjectType type, uint32_t handle) {
    return command(Id::BindObject, {handle}, static_cast<uint32_t>(type));
}

/// A triangle over all of the target, of which the scissor leaves the left half; the rest keeps the clear's colour.
Buffer scene() {
    const uint32_t rasterizer = 1u << 1 | 1u << 14 | 1u << 29;  // depth clip, scissor, half-pixel centres
    return object(O::Blend, {1, 0, 0, 0x78000000, 0, 0, 0, 0, 0, 0, 0}) + bind(O::Blend, 1) +
           object(O::Rasterizer, {2, rasterizer, bits(1), 0, 0, bits(1), 0, 0, 0}) + bind(O::Rasterizer, 2) +
           object(O::DepthStencilAlpha, {3, 0, 0, 0, 0}) + bind(O::DepthStencilAlpha, 3) +
           object(O::VertexElements, {4, 0, 0, 0, kFloats, 16, 0, 0, kFloats}) + bind(O::VertexElements, 4) +
           shader(5, virgl::Stage::Vert, kVert) + command(Id::BindShader, {5, 0}) +
           shader(6, virgl::Stage::Frag, kFrag) + command(Id::BindShader, {6, 1}) +
           object(O::Surface, {7, kTarget, kBgra, 0, 0}) + command(Id::SetFramebufferState, {1, 0, 7}) +
           command(Id::SetViewportState, {0, bits(8), bits(8), bits(0.5F), bits(8), bits(8), bits(0.5F)}) +
           command(Id::SetScissorState, {0, 0, 8 | 16 << 16}) + command(Id::SetVertexBuffers, {32, 0, kVertices}) +
           command(Id::SetConstantBuffer, {1, 0, bits(0.5F), bits(1), bits(1), bits(1)}) +
           command(Id::Clear, {kClearColor0, 0, bits(1), 0, bits(1), 0, 0, 0});
}
Buffer triangle() {
    return command(Id::DrawVbo, {0, 3, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 0});
}

class Draws : public testing::Test {
  protected:
    void SetUp() override {
        auto made = make_renderer({.device = "llvmpipe"});
        ASSERT_TRUE(made) << made.error();
        renderer_ = std::move(*made);
        const ResourceRequest target{kTarget, 2, kBgra, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0};
        ASSERT_EQ(renderer_->create_resource(target, nullptr), Outcome::Done);
        const std::array<std::array<float, 8>, 3> vertices = {
            {{-1, -1, 0, 1, 1, 0, 1, 1}, {3, -1, 0, 1, 1, 0, 1, 1}, {-1, 3, 0, 1, 1, 0, 1, 1}}};
        const ResourceRequest buffer{kVertices, 0, 64, kBindVertexBuffer, sizeof vertices, 1, 1, 1, 0, 0};
        ASSERT_EQ(renderer_->create_resource(buffer, nullptr), Outcome::Done);
        const TransferRequest all{kVertices, 0, 0, 0, {0, 0, 0, sizeof vertices, 1, 1}};
        ASSERT_EQ(renderer_->write(all, std::as_bytes(std::span(vertices))), Outcome::Done);
    }
    std::array<uint32_t, kSize * kSize> pixels() {
        std::array<uint32_t, kSize * kSize> read{};
        const TransferRequest all{kTarget, 0, 0, 0, {0, 0, 0, kSize, kSize, 1}};
        EXPECT_EQ(renderer_->read(all, std::as_writable_bytes(std::span(read))), Outcome::Done);
        return read;
    }
    std::unique_ptr<Renderer> renderer_;
};

TEST_F(Draws, NewTargetsAreBlack) {
    EXPECT_THAT(pixels(), testing::Each(0u));
}

TEST_F(Draws, ATriangleInsideItsScissor) {
    ASSERT_EQ(renderer_->submit(scene() + triangle()), Outcome::Done);
    const auto read = pixels();
    for (uint32_t i = 0; i < kSize * kSize; i++) EXPECT_EQ(read[i], i % kSize < 8 ? 0xff8000ffu : 0xff00ff00u) << i;
}

TEST_F(Draws, ConstantsChangeBetweenDraws) {
    ASSERT_EQ(
        renderer_->submit(scene() + triangle() +
                          command(Id::SetConstantBuffer, {1, 0, bits(1), bits(1), bits(0), bits(1)}) + triangle()),
        Outcome::Done);
    EXPECT_EQ(pixels()[0], 0xffff0000u);
}

TEST_F(Draws, ARefusedShaderSkipsItsDrawsOnly) {
    const Buffer wrong = shader(8, virgl::Stage::Frag, "FRAG\nNONSENSE\nEND\n") + command(Id::BindShader, {8, 1});
    ASSERT_EQ(renderer_->submit(scene() + wrong + triangle()), Outcome::Done);
    EXPECT_THAT(pixels(), testing::Each(0xff00ff00u));
    ASSERT_EQ(renderer_->submit(command(Id::BindShader, {6, 1}) + triangle()), Outcome::Done);
    EXPECT_EQ(pixels()[0], 0xff8000ffu);
}

TEST_F(Draws, AWrongCommandEndsDrawingButNotReading) {
    EXPECT_EQ(renderer_->submit(scene() + command(Id::BindShader, {99, 1}) + triangle()), Outcome::Refused);
    EXPECT_EQ(renderer_->submit(triangle()), Outcome::Refused);
    EXPECT_EQ(pixels()[0], 0xff00ff00u);
    EXPECT_FALSE(renderer_->busy(kTarget, true));
}

TEST_F(Draws, VerticesWithoutABufferReadNull) {
    ASSERT_EQ(renderer_->submit(scene() + command(Id::SetVertexBuffers, {32, 0, 0}) + triangle()), Outcome::Done);
    EXPECT_THAT(pixels(), testing::Each(0xff00ff00u));
}

TEST_F(Draws, ResourcesOutliveTheirHandlesWhileBound) {
    ASSERT_EQ(renderer_->submit(scene()), Outcome::Done);
    ASSERT_EQ(renderer_->destroy_resource(kVertices), Outcome::Done);
    ASSERT_EQ(renderer_->submit(triangle()), Outcome::Done);
    EXPECT_EQ(pixels()[0], 0xff8000ffu);
}

TEST_F(Draws, BlitsMirror) {
    ASSERT_EQ(renderer_->submit(scene() + triangle()), Outcome::Done);
    constexpr uint32_t kCopy = 3;
    const ResourceRequest copy{kCopy, 2, kBgra, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0};
    ASSERT_EQ(renderer_->create_resource(copy, nullptr), Outcome::Done);
    const auto wide = static_cast<uint32_t>(-static_cast<int32_t>(kSize));
    // By the device, then by drawing, as a scissor needs it: both show the source from right to left.
    for (const uint32_t scissor : {0u, 1u << 10}) {
        ASSERT_EQ(renderer_->submit(command(Id::Blit, {0xf | scissor,
                                                       0,
                                                       kSize | kSize << 16,  //
                                                       kCopy,
                                                       0,
                                                       kBgra,
                                                       0,
                                                       0,
                                                       0,
                                                       kSize,
                                                       kSize,
                                                       1,  //
                                                       kTarget,
                                                       0,
                                                       kBgra,
                                                       kSize,
                                                       0,
                                                       0,
                                                       wide,
                                                       kSize,
                                                       1})),
                  Outcome::Done);
        std::array<uint32_t, kSize * kSize> read{};
        const TransferRequest all{kCopy, 0, 0, 0, {0, 0, 0, kSize, kSize, 1}};
        ASSERT_EQ(renderer_->read(all, std::as_writable_bytes(std::span(read))), Outcome::Done);
        for (uint32_t i = 0; i < kSize * kSize; i++)
            EXPECT_EQ(read[i], i % kSize < 8 ? 0xff00ff00u : 0xff8000ffu) << i << " scissor " << scissor;
    }
}

}  // namespace
}  // namespace tgsi2spv::host
