// Storage images.
#include "drawing.h"

namespace tgsi2spv::host {
namespace {

/// Atomics see floats as words.
TEST_F(Draws, FloatsOfImagesAreExchanged) {
    constexpr uint32_t kWords = 3, kImage = 4, kR32Float = 28;
    make_buffer(kWords, kBindShaderBuffer, {0u});
    create({kImage, 2, kR32Float, kBindShaderBuffer, 1, 1, 1, 1, 0, 0});
    const float before = 2.5F;
    const TransferRequest texel{kImage, 0, 0, 0, {0, 0, 0, 1, 1, 1}};
    ASSERT_EQ(renderer_->write(texel, std::as_bytes(std::span(&before, 1))), Outcome::Done);
    const std::string text =
        "COMP; PROPERTY CS_FIXED_BLOCK_WIDTH 1; PROPERTY CS_FIXED_BLOCK_HEIGHT 1; PROPERTY CS_FIXED_BLOCK_DEPTH 1; "
        "DCL IMAGE[0], 2D, PIPE_FORMAT_R32_FLOAT, WR; DCL BUFFER[0]; DCL TEMP[0]; IMM[0] UINT32 {0, 0, 0, 0}; "
        "IMM[1] FLT32 {7.25, 0.0, 0.0, 0.0}; "
        "ATOMXCHG TEMP[0].x, IMAGE[0], IMM[0], IMM[1].xxxx, 2D, PIPE_FORMAT_R32_FLOAT; "
        "STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0].xxxx; END";
    run(use(21, text) + command(Id::SetShaderImages, {5, 0, kR32Float, 2, 0, 0, kImage}) +
        command(Id::SetShaderBuffers, {5, 0, 0, 4, kWords}) + command(Id::LaunchGrid, {1, 1, 1, 1, 1, 1, 0, 0}));
    EXPECT_EQ(words_of(kWords, 1)[0], bits(2.5F));
    float after = 0;
    EXPECT_EQ(renderer_->read(texel, std::as_writable_bytes(std::span(&after, 1))), Outcome::Done);
    EXPECT_EQ(after, 7.25F);
}

/// A text of integers sees nothing of floats (docs/host-design.md, "storage images").
TEST_F(Draws, FloatsOfImagesAreNoIntegers) {
    constexpr uint32_t kWords = 3, kImage = 4, kR32Float = 28;
    make_buffer(kWords, kBindShaderBuffer, {1u});
    create({kImage, 2, kR32Float, kBindShaderBuffer, 1, 1, 1, 1, 0, 0});
    const float before = 2.5F;
    write(kImage, {0, 0, 0, 1, 1, 1}, std::span(&before, 1));
    const std::string text =
        "COMP; PROPERTY CS_FIXED_BLOCK_WIDTH 1; PROPERTY CS_FIXED_BLOCK_HEIGHT 1; PROPERTY CS_FIXED_BLOCK_DEPTH 1; "
        "DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR; DCL BUFFER[0]; DCL TEMP[0]; IMM[0] UINT32 {0, 0, 0, 0}; "
        "LOAD TEMP[0].x, IMAGE[0], IMM[0], 2D, PIPE_FORMAT_R32_UINT; STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0].xxxx; END";
    run(use(21, text) + command(Id::SetShaderImages, {5, 0, kR32Float, 2, 0, 0, kImage}) +
        command(Id::SetShaderBuffers, {5, 0, 0, 4, kWords}) + command(Id::LaunchGrid, {1, 1, 1, 1, 1, 1, 0, 0}));
    EXPECT_EQ(words_of(kWords, 1)[0], 0u);
}

}  // namespace
}  // namespace tgsi2spv::host
