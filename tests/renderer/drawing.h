// A renderer on lavapipe with a target of 16 x 16 texels, and commands that fill it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../virgl/encode.h"
#include "renderer/renderer.h"

namespace tgsi2spv::host {
using namespace virgl;
using virgl::test::bits;
using virgl::test::Buffer;
using virgl::test::command;
using virgl::test::operator+;
using virgl::test::text_words;
using Id = CommandId;
using O = ObjectType;

inline constexpr uint32_t kSize = 16, kBgra = 1, kFloats = 31;
inline constexpr uint32_t kTarget = 1, kVertices = 2;
inline constexpr uint32_t kRasterizer = 1u << 1 | 1u << 14 | 1u << 29;  // depth clip, scissor, half-pixel centres
inline constexpr uint32_t kXyzw = 0 | 1 << 3 | 2 << 6 | 3 << 9;         // the swizzle of a sampler view

inline constexpr const char* kVert =
    R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
)";
inline constexpr const char* kFrag =
    R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0]
MUL OUT[0], IN[0], CONST[0]
END
)";

inline Buffer object(ObjectType type, const Buffer& words) {
    return virgl::test::create(type, words);
}

inline Buffer shader(uint32_t handle, virgl::Stage stage, const std::string& text) {
    const auto bytes = static_cast<uint32_t>(text.size() + 1);
    return object(O::Shader, Buffer{handle, static_cast<uint32_t>(stage), bytes, 300, 0} +
                                 text_words(std::string(text.c_str(), bytes)));
}

inline Buffer bind(ObjectType type, uint32_t handle) {
    return command(Id::BindObject, {handle}, static_cast<uint32_t>(type));
}

/// A triangle over all of the target, of which the scissor leaves the left half; the rest keeps the clear's colour.
inline Buffer scene() {
    return object(O::Blend, {1, 0, 0, 0x78000000, 0, 0, 0, 0, 0, 0, 0}) + bind(O::Blend, 1) +
           object(O::Rasterizer, {2, kRasterizer, bits(1), 0, 0, bits(1), 0, 0, 0}) + bind(O::Rasterizer, 2) +
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
/// All of `src` to all of `dst`; `what`: the first word, kBlitColor and more.
inline Buffer blit_whole(uint32_t what, uint32_t dst, uint32_t dst_format, uint32_t src, uint32_t src_format) {
    return command(Id::Blit, {what, 0, 0,          dst, 0, dst_format, 0,     0,     0, kSize, kSize, 1,  //
                              src,  0, src_format, 0,   0, 0,          kSize, kSize, 1});
}
inline Buffer triangle() {
    return command(Id::DrawVbo, {0, 3, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 0});
}

class Draws : public testing::Test {
  protected:
    void SetUp() override {
        testing::internal::CaptureStderr();
        start();
    }
    void TearDown() override {
        renderer_ = nullptr;
        const std::string log = testing::internal::GetCapturedStderr();
        EXPECT_THAT(log, testing::Not(testing::HasSubstr("validation:")));
    }
    void open() {
        auto made = make_renderer(options_);
        ASSERT_TRUE(made) << made.error();
        renderer_ = std::move(*made);
    }
    /// A new client of a device that lacks these.
    void restart_without(std::vector<std::string> names) {
        options_.without = std::move(names);
        renderer_ = nullptr;  // one device in a process
        start();
    }
    /// A new client.
    virtual void start() {
        ASSERT_NO_FATAL_FAILURE(open());
        ASSERT_NO_FATAL_FAILURE(fill());
    }
    /// The target and the vertices.
    void fill() {
        const ResourceRequest target{kTarget, 2, kBgra, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0};
        ASSERT_EQ(renderer_->create_resource(target, nullptr), Outcome::Done);
        const std::array<std::array<float, 8>, 3> vertices = {
            {{-1, -1, 0, 1, 1, 0, 1, 1}, {3, -1, 0, 1, 1, 0, 1, 1}, {-1, 3, 0, 1, 1, 0, 1, 1}}};
        const ResourceRequest buffer{kVertices, 0, 64, kBindVertexBuffer, sizeof vertices, 1, 1, 1, 0, 0};
        ASSERT_EQ(renderer_->create_resource(buffer, nullptr), Outcome::Done);
        const TransferRequest all{kVertices, 0, 0, 0, {0, 0, 0, sizeof vertices, 1, 1}};
        ASSERT_EQ(renderer_->write(all, std::as_bytes(std::span(vertices))), Outcome::Done);
    }
    std::array<uint32_t, kSize * kSize> pixels(uint32_t handle = kTarget) {
        std::array<uint32_t, kSize * kSize> read{};
        const TransferRequest all{handle, 0, 0, 0, {0, 0, 0, kSize, kSize, 1}};
        EXPECT_EQ(renderer_->read(all, std::as_writable_bytes(std::span(read))), Outcome::Done);
        return read;
    }
    void make_buffer(uint32_t handle, uint32_t bind, std::span<const uint32_t> words) {
        const auto bytes = static_cast<uint32_t>(words.size_bytes());
        ASSERT_EQ(renderer_->create_resource({handle, 0, 64, bind, bytes, 1, 1, 1, 0, 0}, nullptr), Outcome::Done);
        const TransferRequest all{handle, 0, 0, 0, {0, 0, 0, bytes, 1, 1}};
        ASSERT_EQ(renderer_->write(all, std::as_bytes(words)), Outcome::Done);
    }
    std::vector<uint32_t> words_of(uint32_t handle, uint32_t count) {
        std::vector<uint32_t> words(count);
        const TransferRequest all{handle, 0, 0, 0, {0, 0, 0, 4 * count, 1, 1}};
        EXPECT_EQ(renderer_->read(all, std::as_writable_bytes(std::span(words))), Outcome::Done);
        return words;
    }
    HostOptions options_{.device = "llvmpipe", .validate = true};
    std::unique_ptr<Renderer> renderer_;
};

}  // namespace tgsi2spv::host
