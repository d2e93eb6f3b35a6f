// Samples of images, run on the host. data/memory.txt has the other accesses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using lower::OutOfRange;

/// An image of 4 x 2 texels with 4 samples; a texel is (x, y, sample, 1).
ImageAnswer of_multisampled(const ImageAccess& a) {
    if (a.op == ir::Op::ImageQuerySize) return {{4, 2}};
    if (a.op == ir::Op::ImageQuerySamples) return {all(4)};
    const Words at = a.arg(a.at.coordinate), sample = a.arg(a.at.sample);
    EXPECT_TRUE(at[0] < 4 && at[1] < 2 && sample[0] < 4) << "a device leaves this undefined";
    return {{at[0], at[1], sample[0], 1}};
}

TEST(LowerMemoryRun, SamplesThatDoNotExistAreOutside) {
    const std::string text =
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[7]\nDCL IMAGE[0], 2D_MSAA, PIPE_FORMAT_R32G32B32A32_UINT, WR\n"
        "LOAD OUT[0], IMAGE[0], IN[0], 2D_MSAA\nEND\n";
    const auto read = [&](const Words& at, OutOfRange policy) {
        lower::Options options;
        options.bounds.images = policy;
        const Evaluation asked = evaluate(lower_text(text, options).module, {{0, at}}, {.image = of_multisampled});
        options.state.image_samples[0] = 4;
        const Lowered told = lower_text(text, options);
        EXPECT_EQ(count(told.module, ir::Op::ImageQuerySamples), 0u);
        const Evaluation same = evaluate(told.module, {{0, at}}, {.image = of_multisampled});
        EXPECT_THAT(asked.error + same.error, testing::IsEmpty());
        EXPECT_THAT(asked.undefined, testing::IsEmpty());
        EXPECT_THAT(same.undefined, testing::IsEmpty());
        EXPECT_EQ(same.outputs, asked.outputs);
        return asked.outputs.at(7);
    };
    for (const OutOfRange policy : {OutOfRange::Zero, OutOfRange::Clamp})
        for (const uint32_t sample : {0u, 3u}) EXPECT_EQ(read({2, 1, 9, sample}, policy), (Words{2, 1, sample, 1}));
    for (const uint32_t sample : {4u, 100u, kAllOnes})
        EXPECT_EQ(read({2, 1, 0, sample}, OutOfRange::Zero), Words{}) << sample;
    EXPECT_EQ(read({2, 1, 0, 4}, OutOfRange::Clamp), (Words{2, 1, 3, 1}));
    EXPECT_EQ(read({9, 1, 0, 100}, OutOfRange::Clamp), (Words{3, 1, 3, 1}));
    EXPECT_EQ(read({2, kAllOnes, 0, kAllOnes}, OutOfRange::Clamp), (Words{2, 0, 0, 1}));
}

}  // namespace
}  // namespace tgsi2spv::test
