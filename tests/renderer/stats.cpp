// What the host says of its work: of draws that are few enough to be counted by hand.
#include <vector>

#include "drawing.h"

namespace tgsi2spv::host {
namespace {

std::vector<std::string> told_lines;

class StatsOfDraws : public Draws {
  protected:
    void SetUp() override {
        set_log([](const std::string& line) { told_lines.push_back(line); });
        options_.stats = true;
        Draws::SetUp();
    }
    void TearDown() override {
        Draws::TearDown();
        set_log(nullptr);
        told_lines.clear();
    }
    /// The lines, of which the renderer's end writes the last one.
    std::vector<std::string> told() {
        renderer_ = nullptr;
        return told_lines;
    }
    /// Draws to a window, which is read after each of `frames`.
    void show(int frames) {
        const ResourceRequest window{9, 2, kBgra, kBindRenderTarget | kBindDisplayTarget, kSize, kSize, 1, 1, 0, 0};
        ASSERT_EQ(renderer_->create_resource(window, nullptr), Outcome::Done);
        const Buffer to_window = object(O::Surface, {8, 9, kBgra, 0, 0}) + command(Id::SetFramebufferState, {1, 0, 8});
        ASSERT_EQ(renderer_->submit(to_window), Outcome::Done);
        for (int i = 0; i < frames; i++) {
            ASSERT_EQ(renderer_->submit(triangle()), Outcome::Done);
            pixels(9);
        }
    }
};

TEST_F(StatsOfDraws, CountsDrawsPipelinesAndScopes) {
    // The barrier is between the target's first zeros and the draws.
    ASSERT_EQ(renderer_->submit(scene() + triangle() + triangle() + triangle()), Outcome::Done);
    EXPECT_THAT(told(), testing::ElementsAre(testing::AllOf(
                            testing::StartsWith("stats: 0 frames, 3 draws, 0 dispatches; 1 pipelines made, "),
                            testing::HasSubstr(" found; 1 scopes, 1 barriers, 1 batches; "))));
}

TEST_F(StatsOfDraws, CountsFramesThatAreShown) {
    ASSERT_EQ(renderer_->submit(scene()), Outcome::Done);
    show(2);
    EXPECT_THAT(told(), testing::ElementsAre(testing::StartsWith("stats: 2 frames, 2 draws, ")));
}

TEST_F(StatsOfDraws, ConstantsThatAreSentAgainAreNotUploadedAgain) {
    Buffer same{1, 0}, draws;
    same.resize(2 + 4096, bits(1));  // 16 KiB
    for (int i = 0; i < 64; i++) draws = draws + command(Id::SetConstantBuffer, same) + triangle();
    ASSERT_EQ(renderer_->submit(scene() + draws), Outcome::Done);
    EXPECT_EQ(pixels()[0], 0xffff00ffu);
    EXPECT_THAT(told(), testing::ElementsAre(testing::HasSubstr("MiB: 0.02 uploaded, ")));
}

TEST_F(StatsOfDraws, SmallBatchesShareStagingMemory) {
    ASSERT_EQ(renderer_->submit(scene()), Outcome::Done);
    for (int i = 0; i < 32; i++) {
        const uint32_t red = bits(static_cast<float>(i) / 31);
        ASSERT_EQ(
            renderer_->submit(command(Id::SetConstantBuffer, {1, 0, red, bits(0), bits(0), bits(1)}) + triangle()),
            Outcome::Done);
    }
    EXPECT_EQ(pixels()[0], 0xffff0000u);
    EXPECT_THAT(told(), testing::ElementsAre(testing::HasSubstr(" 4.0 upload, 4.0 read-back; ")));
}

TEST_F(StatsOfDraws, NobodyWaitsForDrawsThatOnlyReadABuffer) {
    Buffer draws;
    for (int i = 0; i < 1000; i++) draws = draws + triangle();
    ASSERT_EQ(renderer_->submit(scene()), Outcome::Done);
    for (int i = 0; i < 10; i++) {
        ASSERT_EQ(renderer_->submit(draws), Outcome::Done);
        EXPECT_FALSE(renderer_->busy(kVertices, true));
    }
    // A slow machine takes more than a second, and has several lines.
    EXPECT_THAT(told(),
                testing::AllOf(testing::Not(testing::IsEmpty()), testing::Each(testing::HasSubstr("; 0.0 ms waited"))));
}

TEST_F(StatsOfDraws, SaysWhatIsCompiledAfterTheFirstFrames) {
    ASSERT_EQ(renderer_->submit(scene()), Outcome::Done);
    show(4);
    EXPECT_TRUE(told_lines.empty());  // the pipeline was made in the first one
    ASSERT_EQ(renderer_->submit(shader(16, virgl::Stage::Frag, "FRAG\nDCL OUT[0], COLOR\nEND\n") +
                                command(Id::BindShader, {16, 1}) + triangle()),
              Outcome::Done);
    EXPECT_THAT(told_lines,
                testing::ElementsAre(testing::StartsWith("compiled in frame 5: a pipeline of shaders 1, 3, ")));
}

TEST_F(StatsOfDraws, SaysNothingUnlessAsked) {
    renderer_ = nullptr;
    options_.stats = false;
    ASSERT_NO_FATAL_FAILURE(start());
    ASSERT_EQ(renderer_->submit(scene()), Outcome::Done);
    show(4);
    told_lines.clear();  // those of the renderer before
    EXPECT_TRUE(told().empty());
}

}  // namespace
}  // namespace tgsi2spv::host
