// Stream output, on lavapipe.
#include "queries.h"

namespace tgsi2spv::host {
namespace {

using testing::Each;

class Captures : public Queries {};

/// Captures x and y of OUT[0].
Buffer capturing(uint32_t stride = 2, uint32_t offset = 0, uint32_t buffer = 0) {
    return use(70, kVert, {1, stride, stride, 0, 0, 2 << 10 | buffer << 13 | offset << 16, 0});
}
Buffer target(uint32_t handle, uint32_t offset, uint32_t size) {
    return object(O::StreamoutTarget, {handle, kCaptured, offset, size});
}
Buffer resume(uint32_t handle) {
    return command(Id::SetStreamoutTargets, {0, handle});
}
Buffer draw_captured(uint32_t size) {
    return command(Id::DrawVbo, {0, 0, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, size});
}
constexpr uint32_t kVertexShaderInvocations = 2;
Buffer stop_capturing() {
    return command(Id::SetStreamoutTargets, {0});
}

TEST_F(Captures, CaptureResumesWithTheSameTargets) {
    make_buffer(kCaptured, kBindStreamOutput, Buffer(20, 9));
    const auto xy = [](float x, float y) { return std::array{bits(x), bits(y)}; };
    run(scene() + capturing() + target(kTargetObject, 8, 48) + resume(kTargetObject) + triangle() + stop_capturing() +
        triangle() + resume(kTargetObject) + triangle());
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
    make_buffer(kCaptured, kBindStreamOutput, Buffer(20, 9));
    run(scene() + capturing() + query(QueryType::PrimitivesEmitted) + query(QueryType::StreamoutOverflow, 51, 0, 16) +
        target(kTargetObject, 0, 40) + resume(kTargetObject) + begin() + begin(51) + triangle() + triangle() + end() +
        end(51) + get() + get(51));
    EXPECT_EQ(result(), 1u);
    EXPECT_EQ(word(24), 1u) << "overflow";
    const auto words = words_of(kCaptured, 20);
    EXPECT_THAT(std::span(words).subspan(6), Each(9u));
}

TEST_F(Captures, WhatWasCapturedIsDrawn) {
    // Positions are captured; then as many vertices are drawn as were: two triangles.
    make_buffer(kCaptured, kBindStreamOutput | kBindVertexBuffer, Buffer(36, 0));
    run(scene() + capturing() + target(kTargetObject, 0, 144) + resume(kTargetObject) + triangle() + triangle() +
        stop_capturing() + query(QueryType::PipelineStatistics, 51, 2) + begin(51) + draw_captured(144) + end(51) +
        get(51));
    EXPECT_EQ(result(), 6u);
    run(draw_captured(140));  // a size that no target has draws nothing
}

TEST_F(Captures, WhatWasStoppedIsDrawnWhileTheNextIsCaptured) {
    // Both targets have the same size, which is all that the guest says.
    constexpr uint32_t kOther = 61;
    make_buffer(kCaptured, kBindStreamOutput, Buffer(72, 0));
    run(scene() + capturing() + target(kTargetObject, 0, 144) + target(kOther, 144, 144) + resume(kTargetObject) +
        triangle() + triangle() + resume(kOther) + triangle() +
        query(QueryType::PipelineStatistics, 51, kVertexShaderInvocations) + begin(51) + draw_captured(144) + end(51) +
        get(51));
    EXPECT_EQ(result(), 6u);
}

TEST_F(Captures, OfDestroyedTargetsAreForgotten) {
    make_buffer(kCaptured, kBindStreamOutput, Buffer(36, 0));
    const Buffer destroy = command(Id::DestroyObject, {kTargetObject}, static_cast<uint32_t>(O::StreamoutTarget));
    run(scene() + capturing() + target(kTargetObject, 0, 144) + resume(kTargetObject) + destroy + triangle() +
        stop_capturing() + query(QueryType::PipelineStatistics, 51, kVertexShaderInvocations) + begin(51) +
        draw_captured(144) + end(51) + get(51));
    EXPECT_EQ(result(), 0u);
    EXPECT_EQ(words_of(kCaptured, 1)[0], bits(-1)) << "a bound target lives on";
}

/// A stride of a buffer that nothing is captured to, of which no count of vertices is made: it would be 0 in bytes.
TEST_F(Captures, StridesWithoutOutputsDoNotCount) {
    make_buffer(kCaptured, kBindStreamOutput, Buffer(36, 0));
    const Buffer strides = use(70, kVert, {1, 2, 0x4000'0000, 0, 0, 2 << 10, 0});
    run(scene() + strides + target(kTargetObject, 0, 48) + target(61, 48, 96) +
        command(Id::SetStreamoutTargets, {0, kTargetObject, 61}) + triangle() + stop_capturing() + clear(0, 1, 0, 1) +
        draw_captured(96));
    EXPECT_THAT(pixels(), Each(kGreen));
}

TEST_F(Captures, NeedTheirBuffer) {
    make_buffer(kCaptured, kBindStreamOutput, Buffer(12, 9));
    const Buffer second_buffer = capturing(2, 0, 1);
    const Buffer draws = second_buffer + target(kTargetObject, 0, 48) + resume(kTargetObject) + triangle() +
                         target(61, 0, 0) + command(Id::SetStreamoutTargets, {0, 0, 61}) + triangle();
    run(scene() + draws);
    EXPECT_THAT(words_of(kCaptured, 12), Each(9u));
    EXPECT_EQ(pixels()[0], kDrawn) << "it is drawn nevertheless";
    run(command(Id::SetStreamoutTargets, {0, 0, kTargetObject}) + triangle());
    EXPECT_EQ(words_of(kCaptured, 1)[0], bits(-1));
}

TEST_F(Captures, ThatTheDeviceDoesNotTakeAreNotDrawn) {
    make_buffer(kCaptured, kBindStreamOutput, Buffer(12, 9));
    for (const Buffer& wrong : {capturing(1), capturing(2, 1), capturing(0), capturing(0xffff'ffff), capturing(0x4001),
                                capturing(129), capturing(0xffff, 0xfffd)}) {
        start();
        make_buffer(kCaptured, kBindStreamOutput, Buffer(12, 9));
        EXPECT_THAT(pixels_after(scene() + wrong + target(kTargetObject, 0, 48) + resume(kTargetObject) + triangle()),
                    Each(kGreen));
        EXPECT_THAT(words_of(kCaptured, 12), Each(9u));
    }
    EXPECT_EQ(first_pixel(capturing(128, 126) + triangle()), kDrawn);
}

TEST_F(Captures, GoToBuffersAtMostFour) {
    make_buffer(kCaptured, kBindStreamOutput, Buffer(12, 9));
    const auto bind_to = [](uint32_t slot) {
        Buffer words{0};
        for (uint32_t i = 0; i < slot; i++) words.push_back(0);
        words.push_back(kTargetObject);
        return command(Id::SetStreamoutTargets, words);
    };
    run(target(kTargetObject, 0, 48) + bind_to(3));
    refuse(bind_to(4));
}

TEST_F(Captures, TargetsAreInsideTheirBuffers) {
    for (const Buffer& wrong : {target(kTargetObject, 0, 84), target(kTargetObject, 80, 4),
                                target(kTargetObject, 0xffff'fffc, 8), target(kTargetObject, 2, 8), resume(99),
                                scene() + resume(7), object(O::StreamoutTarget, {kTargetObject, kTarget, 0, 16}),
                                object(O::StreamoutTarget, {kTargetObject, 99, 0, 16})}) {
        start();
        make_buffer(kCaptured, kBindStreamOutput, Buffer(20, 9));
        refuse(wrong);
    }
}

}  // namespace
}  // namespace tgsi2spv::host
