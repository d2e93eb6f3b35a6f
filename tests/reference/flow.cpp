// Tests of intervals, and runs that stop. runs/flow.txt has the others, tests/meanings/flow.txt what structured flow
// means.
#include <gtest/gtest.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

TEST(Flow, ATestOfAnIntervalMayHoldOrNot) {
    // One interval from 0 to an eighth, one from a sixteenth to an eighth.
    const Truth from_zero = any_magnitude_bit(interval(0.0f, 0.125f, 0.125f));
    const Truth above_zero = any_magnitude_bit(interval(0.0625f, 0.125f, 0.125f));
    EXPECT_TRUE(from_zero.may_be_true && from_zero.may_be_false);
    EXPECT_TRUE(above_zero.may_be_true && !above_zero.may_be_false);
}

/// All lanes together: an answer that takes so many instructions is useless.
TEST(Flow, RunsStopWhereTheirAnswerIsNoLongerUseful) {
    for (const char* before : {"MOV OUT[0], IN[0]\n", "DDX OUT[0], IN[0]\n"}) {
        Inputs in = lanes_of({1, 0, 1, 1});
        in.lanes = 64;
        in.inputs[{0, 0}].resize(in.lanes, {1, 1, 1, 1});
        Options o;
        o.max_steps = o.most_useful = 10'000;
        const std::string text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n" + std::string(before) +
                                 "BGNLOOP\nENDLOOP\nEND\n";
        const Result stopped = run(text, in, o);
        EXPECT_GE(stopped.instructions, o.most_useful);
        EXPECT_LE(stopped.instructions, o.most_useful + in.lanes);
        o.most_useful = 0;
        EXPECT_GE(run(text, in, o).instructions, in.lanes * o.max_steps);
    }
}

}  // namespace
}  // namespace tgsi2spv::reference
