// What the host says of its work: of draws that are few enough to be counted by hand.
#include <unistd.h>

#include <vector>

#include "drawing.h"

namespace tgsi2spv::host {
namespace {

Names told_lines;

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
    Names told() {
        renderer_ = nullptr;
        return told_lines;
    }
    /// Draws to a window, which is read after each of `frames`.
    void show(int frames) {
        create({9, 2, kBgra, kBindRenderTarget | kBindDisplayTarget, kSize, kSize, 1, 1, 0, 0});
        const Buffer to_window = framebuffer(8, 9, kBgra);
        run(to_window);
        for (int i = 0; i < frames; i++) {
            run(triangle());
            pixels(9);
        }
    }
};

TEST_F(StatsOfDraws, CountsDrawsPipelinesAndScopes) {
    // The barrier is between the target's first zeros and the draws.
    run(scene() + triangle() + triangle() + triangle());
    EXPECT_THAT(told(), testing::ElementsAre(testing::AllOf(
                            testing::StartsWith("stats: 0 frames, 3 draws, 0 dispatches; 1 pipelines made, "),
                            testing::HasSubstr(" found; 1 scopes, 1 barriers, 1 batches; "))));
}

TEST_F(StatsOfDraws, CountsFramesThatAreShown) {
    run(scene());
    show(2);
    EXPECT_THAT(told(), testing::ElementsAre(testing::StartsWith("stats: 2 frames, 2 draws, ")));
}

TEST_F(StatsOfDraws, ConstantsThatAreSentAgainAreNotUploadedAgain) {
    Buffer same{1, 0}, draws;
    same.resize(2 + 4096, bits(1));  // 16 KiB
    for (int i = 0; i < 64; i++) draws = draws + command(Id::SetConstantBuffer, same) + triangle();
    EXPECT_EQ(first_pixel(scene() + draws), 0xffff00ffu);
    EXPECT_THAT(told(), testing::ElementsAre(testing::HasSubstr("MiB: 0.02 uploaded, ")));
}

TEST_F(StatsOfDraws, SmallBatchesShareStagingMemory) {
    run(scene());
    for (int i = 0; i < 32; i++) {
        const uint32_t red = bits(static_cast<float>(i) / 31);
        run(command(Id::SetConstantBuffer, {1, 0, red, bits(0), bits(0), bits(1)}) + triangle());
    }
    EXPECT_EQ(pixels()[0], 0xffff0000u);
    EXPECT_THAT(told(), testing::ElementsAre(testing::HasSubstr(" 4.0 upload, 4.0 read-back; ")));
}

TEST_F(StatsOfDraws, NobodyWaitsForDrawsThatOnlyReadABuffer) {
    Buffer draws;
    for (int i = 0; i < 1000; i++) draws = draws + triangle();
    run(scene());
    while (renderer_->busy(kTarget, false)) usleep(1000);  // a buffer also waits for the work before its creation
    for (int i = 0; i < 10; i++) {
        run(draws);
        EXPECT_FALSE(renderer_->busy(kVertices, true));
    }
    // A slow machine takes more than a second, and has several lines.
    EXPECT_THAT(told(),
                testing::AllOf(testing::Not(testing::IsEmpty()), testing::Each(testing::HasSubstr("; 0.0 ms waited"))));
}

TEST_F(StatsOfDraws, SaysWhatIsCompiledAfterTheFirstFrames) {
    run(scene());
    show(4);
    EXPECT_TRUE(told_lines.empty());  // the pipeline was made in the first one
    run(use(16, "FRAG\nDCL OUT[0], COLOR\nEND\n") + triangle());
    EXPECT_THAT(told_lines,
                testing::ElementsAre(testing::StartsWith("compiled in frame 5: a pipeline of shaders 1, 3, ")));
}

TEST_F(StatsOfDraws, SaysNothingUnlessAsked) {
    renderer_ = nullptr;
    options_.stats = false;
    ASSERT_NO_FATAL_FAILURE(start());
    run(scene());
    show(4);
    told_lines.clear();  // those of the renderer before
    EXPECT_TRUE(told().empty());
}

}  // namespace
}  // namespace tgsi2spv::host
