// Stream output, on lavapipe.
#include "queries.h"

namespace tgsi2spv::host {
namespace {

using testing::Each;

class Captures : public Queries {};

/// Captures x and y of OUT[0].
Buffer capturing(uint32_t stride = 2, uint32_t offset = 0, uint32_t buffer = 0) {
    const auto bytes = static_cast<uint32_t>(std::string_view(kVert).size() + 1);
    const uint32_t output = 0 | 0 << 8 | 2 << 10 | buffer << 13 | offset << 16;
    return object(O::Shader, Buffer{70, 0, bytes, 300, 1, stride, stride, 0, 0, output, 0} +
                                 text_words(std::string(kVert, bytes))) +
           command(Id::BindShader, {70, 0});
}
Buffer target(uint32_t handle, uint32_t offset, uint32_t size) {
    return object(O::StreamoutTarget, {handle, kCaptured, offset, size});
}
Buffer capture_to(uint32_t handle) {
    return command(Id::SetStreamoutTargets, {0, handle});
}
Buffer stop_capturing() {
    return command(Id::SetStreamoutTargets, {0});
}

TEST_F(Captures, CaptureResumesWithTheSameTargets) {
    make_buffer(kCaptured, kBindStreamOutput, std::vector<uint32_t>(20, 9));
    const auto xy = [](float x, float y) { return std::array{bits(x), bits(y)}; };
    ASSERT_EQ(renderer_->submit(scene() + capturing() + target(kTargetObject, 8, 48) + capture_to(kTargetObject) +
                                triangle() + stop_capturing() + triangle() + capture_to(kTargetObject) + triangle()),
              Outcome::Done);
    const auto words = words_of(kCaptured, 20);
    for (size_t i = 0; i < 2; i++) {
        const size_t n = 2 + 6 * i;
        EXPECT_THAT(std::span(words).subspan(n, 2), testing::ElementsAreArray(xy(-1, -1))) << i;
        EXPECT_THAT(std::span(words).subspan(n + 2, 2), testing::ElementsAreArray(xy(3, -1))) << i;
        EXPECT_THAT(std::span(words).subspan(n + 4, 2), testing::ElementsAreArray(xy(-1, 3))) << i;
    }
    EXPECT_THAT(std::span(words).first(2), Each(9u));
    EXPECT_THAT(std::span(words).subspan(14), Each(9u));
}

TEST_F(Captures, CaptureStopsAtTheEndOfItsTarget) {
    make_buffer(kCaptured, kBindStreamOutput, std::vector<uint32_t>(20, 9));
    ASSERT_EQ(renderer_->submit(scene() + capturing() + query(QueryType::PrimitivesEmitted) +
                                query(QueryType::StreamoutOverflow, 51, 0, 16) + target(kTargetObject, 0, 40) +
                                capture_to(kTargetObject) + begin() + begin(51) + triangle() + triangle() + end() +
                                end(51) + get() + get(51)),
              Outcome::Done);
    EXPECT_EQ(result(), 1u);
    EXPECT_EQ(word(24), 1u) << "overflow";
    const auto words = words_of(kCaptured, 20);
    EXPECT_THAT(std::span(words).subspan(6), Each(9u));
}

TEST_F(Captures, WhatWasCapturedIsDrawn) {
    // Positions are captured; then as many vertices are drawn as were: two triangles.
    make_buffer(kCaptured, kBindStreamOutput | kBindVertexBuffer, std::vector<uint32_t>(36, 0));
    const Buffer automatic = command(Id::DrawVbo, {0, 0, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 144});
    ASSERT_EQ(
        renderer_->submit(scene() + capturing() + target(kTargetObject, 0, 144) + capture_to(kTargetObject) +
                          triangle() + triangle() + stop_capturing() + query(QueryType::PipelineStatistics, 51, 2) +
                          begin(51) + automatic + end(51) + get(51)),
        Outcome::Done);
    EXPECT_EQ(result(), 6u);
    ASSERT_EQ(renderer_->submit(command(Id::DrawVbo, {0, 0, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 140})), Outcome::Done)
        << "a size that no target has draws nothing";
}

Buffer draw_captured(uint32_t size) {
    return command(Id::DrawVbo, {0, 0, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, size});
}
constexpr uint32_t kVertexShaderInvocations = 2;

TEST_F(Captures, WhatWasStoppedIsDrawnWhileTheNextIsCaptured) {
    // Both targets have the same size, which is all that the guest says.
    constexpr uint32_t kOther = 61;
    make_buffer(kCaptured, kBindStreamOutput, std::vector<uint32_t>(72, 0));
    ASSERT_EQ(renderer_->submit(scene() + capturing() + target(kTargetObject, 0, 144) + target(kOther, 144, 144) +
                                capture_to(kTargetObject) + triangle() + triangle() + capture_to(kOther) + triangle() +
                                query(QueryType::PipelineStatistics, 51, kVertexShaderInvocations) + begin(51) +
                                draw_captured(144) + end(51) + get(51)),
              Outcome::Done);
    EXPECT_EQ(result(), 6u);
}

TEST_F(Captures, OfDestroyedTargetsAreForgotten) {
    make_buffer(kCaptured, kBindStreamOutput, std::vector<uint32_t>(36, 0));
    const Buffer destroy = command(Id::DestroyObject, {kTargetObject}, static_cast<uint32_t>(O::StreamoutTarget));
    ASSERT_EQ(renderer_->submit(scene() + capturing() + target(kTargetObject, 0, 144) + capture_to(kTargetObject) +
                                destroy + triangle() + stop_capturing() +
                                query(QueryType::PipelineStatistics, 51, kVertexShaderInvocations) + begin(51) +
                                draw_captured(144) + end(51) + get(51)),
              Outcome::Done);
    EXPECT_EQ(result(), 0u);
    EXPECT_EQ(words_of(kCaptured, 1)[0], bits(-1)) << "a bound target lives on";
}

TEST_F(Captures, NeedTheirBuffer) {
    make_buffer(kCaptured, kBindStreamOutput, std::vector<uint32_t>(12, 9));
    const Buffer second_buffer = capturing(2, 0, 1);
    const Buffer draws = second_buffer + target(kTargetObject, 0, 48) + capture_to(kTargetObject) + triangle() +
                         target(61, 0, 0) + command(Id::SetStreamoutTargets, {0, 0, 61}) + triangle();
    ASSERT_EQ(renderer_->submit(scene() + draws), Outcome::Done);
    EXPECT_THAT(words_of(kCaptured, 12), Each(9u));
    EXPECT_EQ(pixels()[0], 0xff8000ffu) << "it is drawn all the same";
    ASSERT_EQ(renderer_->submit(command(Id::SetStreamoutTargets, {0, 0, kTargetObject}) + triangle()), Outcome::Done);
    EXPECT_EQ(words_of(kCaptured, 1)[0], bits(-1));
}

TEST_F(Captures, ThatTheDeviceDoesNotTakeAreNotDrawn) {
    make_buffer(kCaptured, kBindStreamOutput, std::vector<uint32_t>(12, 9));
    for (const Buffer& wrong : {capturing(1), capturing(2, 1), capturing(0), capturing(0xffff'ffff), capturing(0x4001),
                                capturing(129), capturing(0xffff, 0xfffd)}) {
        start();
        make_buffer(kCaptured, kBindStreamOutput, std::vector<uint32_t>(12, 9));
        ASSERT_EQ(
            renderer_->submit(scene() + wrong + target(kTargetObject, 0, 48) + capture_to(kTargetObject) + triangle()),
            Outcome::Done);
        EXPECT_THAT(pixels(), Each(kGreen));
        EXPECT_THAT(words_of(kCaptured, 12), Each(9u));
    }
    ASSERT_EQ(renderer_->submit(capturing(128, 126) + triangle()), Outcome::Done);
    EXPECT_EQ(pixels()[0], 0xff8000ffu);
}

TEST_F(Captures, GoToBuffersAtMostFour) {
    make_buffer(kCaptured, kBindStreamOutput, std::vector<uint32_t>(12, 9));
    const auto bind_to = [](uint32_t slot) {
        Buffer words{0};
        for (uint32_t i = 0; i < slot; i++) words.push_back(0);
        words.push_back(kTargetObject);
        return command(Id::SetStreamoutTargets, words);
    };
    EXPECT_EQ(renderer_->submit(target(kTargetObject, 0, 48) + bind_to(3)), Outcome::Done);
    EXPECT_EQ(renderer_->submit(bind_to(4)), Outcome::Refused);
}

TEST_F(Captures, TargetsAreInsideTheirBuffers) {
    for (const Buffer& wrong : {target(kTargetObject, 0, 84), target(kTargetObject, 80, 4),
                                target(kTargetObject, 0xffff'fffc, 8), target(kTargetObject, 2, 8), capture_to(99),
                                scene() + capture_to(7), object(O::StreamoutTarget, {kTargetObject, kTarget, 0, 16}),
                                object(O::StreamoutTarget, {kTargetObject, 99, 0, 16})}) {
        start();
        make_buffer(kCaptured, kBindStreamOutput, std::vector<uint32_t>(20, 9));
        EXPECT_EQ(renderer_->submit(wrong), Outcome::Refused);
    }
}

}  // namespace
}  // namespace tgsi2spv::host
