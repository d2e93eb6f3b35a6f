// Outputs stored as columns of words read as the Values that they represent.
#include "reference/output.h"

#include <gtest/gtest.h>

#include "bench.h"

namespace tgsi2spv::reference {
namespace {

OutputLanes some_words() {
    OutputLanes lanes;
    lanes.make_words(3, 0b0101);
    for (uint32_t lane = 0; lane < 3; ++lane) lanes.words(2)[lane] = 7 + lane;
    return lanes;
}

TEST(OutputLanes, OfWordsReadAsExactValues) {
    const OutputLanes lanes = some_words();
    ASSERT_EQ(lanes.size(), 3u);
    size_t lane = 0;
    for (const auto& components : lanes) {
        EXPECT_TRUE(is_exact(components[0]));
        EXPECT_EQ(components[0].value, 0u);
        EXPECT_TRUE(is_unknown(components[1]));
        EXPECT_TRUE(is_exact(components[2]));
        EXPECT_EQ(components[2].value, 7 + lane);
        EXPECT_EQ(components[2].words[0], 7 + lane);
        EXPECT_EQ(lanes.at(lane)[2].value, 7 + lane);
        ++lane;
    }
    EXPECT_EQ(lane, 3u);
    EXPECT_EQ(lanes.words(2).size(), 3u);
    EXPECT_TRUE(lanes.words(1).empty());
}

TEST(OutputLanes, BecomeValuesWhereSomeoneWrites) {
    OutputLanes lanes = some_words();
    lanes[1][0] = interval(1.0f, 2.0f, 1.5f);
    const OutputLanes& read = lanes;
    ASSERT_EQ(read.size(), 3u);
    EXPECT_EQ(read[1][0].kind, Kind::Interval);
    EXPECT_EQ(read[2][2].value, 9u);
    EXPECT_TRUE(is_unknown(read[0][3]));
    EXPECT_TRUE(read.words(2).empty());
    lanes.push_back(Components{});
    EXPECT_EQ(read.size(), 4u);
}

/// The column engine outputs words.
TEST(OutputLanes, OfProgramsWithoutBoundsAreWords) {
    const Shader s = shader("VERT\nDCL OUT[0], POSITION\nIMM[0] FLT32 {1, 2, 3, 4}\nMOV OUT[0].xz, IMM[0]\nEND\n");
    Options options;
    options.fast_values = true;
    Inputs in;
    in.lanes = 70;
    const Result r = run(s.program, s.registers, in, options);
    EXPECT_EQ(r.outputs.at(0).words(2).size(), 70u);
    EXPECT_TRUE(r.outputs.at(0).words(3).empty());
    EXPECT_EQ(out(r, 69, 2).value, as_word(3.0f));
    EXPECT_TRUE(is_unknown(out(r, 69, 3)));
}

}  // namespace
}  // namespace tgsi2spv::reference
