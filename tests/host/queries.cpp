// Queries, render conditions and stream output, on lavapipe.
#include <cstring>
#include <thread>

#include "drawing.h"

namespace tgsi2spv::host {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr uint32_t kGreen = 0xff00ff00;
constexpr uint32_t kResult = 5, kCaptured = 6, kQuery = 50, kTargetObject = 60;

struct Bytes final : SharedMemory {
    explicit Bytes(size_t size) : storage(size) { bytes = storage; }
    std::vector<std::byte> storage;
};

class Queries : public Draws {
  protected:
    void start() override {
        Draws::start();
        memory_ = std::make_shared<Bytes>(64);
        ASSERT_EQ(renderer_->create_resource({kResult, 0, 64, kBindCustom, 64, 1, 1, 1, 0, 0}, memory_), Outcome::Done);
    }
    uint32_t state() const { return word(0); }
    /// Waits, as guests do, and reads.
    uint64_t result() {
        EXPECT_FALSE(renderer_->busy(kResult, true));
        EXPECT_EQ(state(), 1u);
        uint64_t value = 0;
        std::memcpy(&value, memory_->bytes.data() + 8, 8);
        return value;
    }
    uint32_t word(size_t offset) const {
        uint32_t value = 0;
        std::memcpy(&value, memory_->bytes.data() + offset, 4);
        return value;
    }
    void set_state(uint32_t value) { std::memcpy(memory_->bytes.data(), &value, 4); }
    std::shared_ptr<Bytes> memory_;
};

Buffer query(QueryType type, uint32_t handle = kQuery, uint32_t index = 0, uint32_t offset = 0) {
    return object(O::Query, {handle, static_cast<uint32_t>(type) | index << 16, offset, kResult});
}
Buffer begin(uint32_t handle = kQuery) {
    return command(Id::BeginQuery, {handle});
}
Buffer end(uint32_t handle = kQuery) {
    return command(Id::EndQuery, {handle});
}
Buffer get(uint32_t handle = kQuery) {
    return command(Id::GetQueryResult, {handle, 0});
}
Buffer whole_target() {
    return command(Id::SetScissorState, {0, 0, 16 | 16 << 16});
}

TEST_F(Queries, CountTheSamplesBetweenBeginAndEnd) {
    ASSERT_EQ(renderer_->submit(scene() + query(QueryType::OcclusionCounter) + triangle() + begin() + triangle() +
                                triangle() + end() + triangle() + get()),
              Outcome::Done);
    EXPECT_EQ(result(), 2u * 8 * kSize);
}

TEST_F(Queries, GoOnThroughScopesAndCommandBuffers) {
    ASSERT_EQ(renderer_->submit(scene() + query(QueryType::OcclusionCounter) + begin() + triangle()), Outcome::Done);
    pixels();  // ends the scope and waits
    // A blit by drawing and a clear are not counted.
    constexpr uint32_t kCopy = 3;
    const ResourceRequest copy{kCopy, 2, kBgra, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0};
    ASSERT_EQ(renderer_->create_resource(copy, nullptr), Outcome::Done);
    const Buffer blit = command(Id::Blit, {0xf | 1u << 10,
                                           0,
                                           kSize | kSize << 16,
                                           kCopy,
                                           0,
                                           kBgra,
                                           0,
                                           0,
                                           0,
                                           kSize,
                                           kSize,
                                           1,
                                           kTarget,
                                           0,
                                           kBgra,
                                           0,
                                           0,
                                           0,
                                           kSize,
                                           kSize,
                                           1});
    ASSERT_EQ(
        renderer_->submit(blit + triangle() + command(Id::Clear, {kClearColor0, 0, 0, 0, 0, 0, 0, 0}) + triangle()),
        Outcome::Done);
    ASSERT_EQ(renderer_->submit(end() + get()), Outcome::Done);
    EXPECT_EQ(result(), 3u * 8 * kSize);
}

TEST_F(Queries, OfOneKindCountByThemselves) {
    const Buffer second = query(QueryType::OcclusionPredicate, kQuery + 1, 0, 16);
    ASSERT_EQ(renderer_->submit(scene() + query(QueryType::OcclusionCounter) + second + begin() + triangle() +
                                begin(kQuery + 1) + triangle() + end() + triangle() + end(kQuery + 1) + get() +
                                get(kQuery + 1)),
              Outcome::Done);
    EXPECT_EQ(result(), 2u * 8 * kSize);
    EXPECT_EQ(word(16), 1u);
    EXPECT_EQ(word(24), 1u);
}

TEST_F(Queries, WithoutDrawsAreZero) {
    ASSERT_EQ(renderer_->submit(query(QueryType::OcclusionCounter) + begin() + end() + get()), Outcome::Done);
    EXPECT_EQ(result(), 0u);
    EXPECT_EQ(word(4), 8u);
}

TEST_F(Queries, BeginAnewWithANewResult) {
    ASSERT_EQ(renderer_->submit(scene() + query(QueryType::OcclusionCounter) + begin() + triangle() + end() + get()),
              Outcome::Done);
    EXPECT_EQ(result(), 8u * kSize);
    set_state(2);
    ASSERT_EQ(renderer_->submit(begin() + end() + get()), Outcome::Done);
    EXPECT_EQ(result(), 0u);
}

TEST_F(Queries, CountPrimitivesAndInvocations) {
    ASSERT_EQ(renderer_->submit(scene() + query(QueryType::PrimitivesGenerated) + begin() + triangle() + triangle() +
                                end() + get()),
              Outcome::Done);
    EXPECT_EQ(result(), 2u);
    constexpr uint32_t kVertexShaderInvocations = 2;
    ASSERT_EQ(renderer_->submit(query(QueryType::PipelineStatistics, 51, kVertexShaderInvocations) + begin(51) +
                                triangle() + end(51) + get(51)),
              Outcome::Done);
    EXPECT_EQ(result(), 3u);
}

TEST_F(Queries, MeasureTime) {
    ASSERT_EQ(renderer_->submit(scene() + query(QueryType::Timestamp) + end() + get()), Outcome::Done);
    const uint64_t first = result();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_EQ(renderer_->submit(triangle() + end() + get()), Outcome::Done);
    EXPECT_GE(result(), first + 2'000'000);
    ASSERT_EQ(renderer_->submit(query(QueryType::TimeElapsed, 51) + begin(51) + triangle() + end(51) + get(51)),
              Outcome::Done);
    EXPECT_LT(result(), 60'000'000'000u);
}

TEST_F(Queries, BelongToTheirMemory) {
    for (const Buffer& wrong : {query(QueryType::OcclusionCounter, kQuery, 0, 56) + begin() + end() + get(),
                                query(QueryType::OcclusionCounter, kQuery, 0, 4) + begin() + end() + get(),
                                query(QueryType::OcclusionCounter, kQuery, 0, 0xffff'fff8) + begin() + end() + get(),
                                begin(99), end(99), get(99), scene() + begin(5)}) {
        start();
        EXPECT_EQ(renderer_->submit(wrong), Outcome::Refused);
    }
}

TEST_F(Queries, EndWithoutBeginAndDieWhileActive) {
    ASSERT_EQ(renderer_->submit(scene() + query(QueryType::OcclusionCounter) + end() + get()), Outcome::Done);
    EXPECT_EQ(result(), 0u);
    ASSERT_EQ(renderer_->submit(begin() + triangle() + begin() + triangle() +
                                command(Id::DestroyObject, {kQuery}, static_cast<uint32_t>(O::Query)) + triangle()),
              Outcome::Done);
    EXPECT_FALSE(renderer_->busy(kTarget, true));
}

TEST_F(Queries, GoToBuffers) {
    make_buffer(kCaptured, kBindQueryBuffer, std::vector<uint32_t>(4, 9));
    const auto to_buffer = [](QboType type, uint32_t offset, int32_t index) {
        return command(Id::GetQueryResultQbo,
                       {kQuery, kCaptured, 1, static_cast<uint32_t>(type), offset, static_cast<uint32_t>(index)});
    };
    ASSERT_EQ(renderer_->submit(scene() + query(QueryType::OcclusionCounter) + begin() + triangle() + end() +
                                to_buffer(QboType::U64, 0, 0) + to_buffer(QboType::I32, 12, -1)),
              Outcome::Done);
    EXPECT_THAT(words_of(kCaptured, 4), ElementsAre(8 * kSize, 0, 9, 1));
    EXPECT_EQ(renderer_->submit(to_buffer(QboType::U64, 12, 0)), Outcome::Refused);
}

TEST_F(Queries, AreNotActiveWithoutEnd) {
    Buffer many = scene();
    for (uint32_t i = 0; i < 65; i++) many = many + query(QueryType::OcclusionCounter) + begin();
    EXPECT_EQ(renderer_->submit(many), Outcome::Refused);
}

// ---- Conditions

Buffer condition(uint32_t skip_where, ConditionMode mode = ConditionMode::Wait) {
    return command(Id::SetRenderCondition, {kQuery, skip_where, static_cast<uint32_t>(mode)});
}

TEST_F(Queries, DecideWhetherDrawsAndClearsHappen) {
    const Buffer invisible = command(Id::SetScissorState, {0, 0, 0});
    const Buffer clear_black = command(Id::Clear, {kClearColor0, 0, 0, 0, 0, 0, 0, 0});
    ASSERT_EQ(renderer_->submit(scene() + query(QueryType::OcclusionPredicate) + invisible + begin() + triangle() +
                                end() + whole_target() + condition(0) + triangle() + clear_black),
              Outcome::Done);
    EXPECT_THAT(pixels(), Each(kGreen));
    ASSERT_EQ(renderer_->submit(condition(1) + triangle()), Outcome::Done);
    EXPECT_THAT(pixels(), Each(0xff8000ffu)) << "inverted";
    ASSERT_EQ(renderer_->submit(condition(0) + command(Id::SetRenderCondition, {0, 0, 0}) + clear_black),
              Outcome::Done);
    EXPECT_THAT(pixels(), Each(0u)) << "off";
}

// ---- Stream output

constexpr const char* kCapturingVert =
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], "
    "IN[1]\nEND\n";

/// Captures x and y of OUT[0] to buffer 0.
Buffer capturing() {
    const auto bytes = static_cast<uint32_t>(std::string_view(kCapturingVert).size() + 1);
    const uint32_t output = 0 | 0 << 8 | 2 << 10 | 0 << 13 | 0 << 16;
    return object(O::Shader, Buffer{70, 0, bytes, 300, 1, 2, 0, 0, 0, output, 0} +
                                 text_words(std::string(kCapturingVert, bytes))) +
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

TEST_F(Queries, CaptureResumesWithTheSameTargets) {
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

TEST_F(Queries, CaptureStopsAtTheEndOfItsTarget) {
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

TEST_F(Queries, WhatWasCapturedIsDrawn) {
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

TEST_F(Queries, TargetsAreInsideTheirBuffers) {
    for (const Buffer& wrong :
         {target(kTargetObject, 0, 84), target(kTargetObject, 80, 4), target(kTargetObject, 0xffff'fffc, 8),
          target(kTargetObject, 2, 8), capture_to(99), scene() + capture_to(7)}) {
        start();
        make_buffer(kCaptured, kBindStreamOutput, std::vector<uint32_t>(20, 9));
        EXPECT_EQ(renderer_->submit(wrong), Outcome::Refused);
    }
}

}  // namespace
}  // namespace tgsi2spv::host
