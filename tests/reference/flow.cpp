// Control flow where a branch is not known, budgets, kills. tests/meanings/flow.txt has what structured flow means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

constexpr std::string_view kHead =
    R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..7]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {10, 100, 1000, 5}
IMM[2] FLT32 {0.5, 1.0, 2.0, 0.0}
)";
std::string with(std::string_view body) {
    return fmt::format("{}{}", kHead, body);
}

TEST(Flow, ATestOfAnIntervalMayHoldOrNot) {
    // One interval from 0 to an eighth, one from a sixteenth to an eighth.
    const Truth from_zero = any_magnitude_bit(interval(0.0f, 0.125f, 0.125f));
    const Truth above_zero = any_magnitude_bit(interval(0.0625f, 0.125f, 0.125f));
    EXPECT_TRUE(from_zero.may_be_true && from_zero.may_be_false);
    EXPECT_TRUE(above_zero.may_be_true && !above_zero.may_be_false);
}

TEST(Flow, WrittenComponentsComeFromTheText) {
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL OUT[1..3], GENERIC[1]
DCL ADDR[0]
IMM FLT32 {0, 0, 0, 0}
0: UARL ADDR[0].x, IN[0].xxxx
1: MOV OUT[0].xz, IMM[0]
2: MOV OUT[0].w, IMM[0]
3: MOV OUT[ADDR[0].x+1].y, IMM[0]
4: END
)",
                         lanes_of({0, 1, 2, 0}));
    EXPECT_EQ(r.written.at(0), 0b1111);  // the index may reach it
    EXPECT_EQ(r.written.at(3), 0b0010);
}

TEST(Flow, KillIfDemotesBelowZeroOnly) {
    const Result r = run(with("0: KILL_IF IN[0]\n1: DDX OUT[0].x, IN[0].xxxx\n2: END\n"),
                         lanes_of({0x80000000, 0xbf800000, 0xffc00000, 0x3f800000}));
    EXPECT_THAT(r.killed, testing::ElementsAre(false, true, false, false));
    EXPECT_THAT(r.killed_unknown, testing::ElementsAre(false, false, false, false));
    // A killed lane continues, for the derivatives of its quad.
    EXPECT_FALSE(is_unknown(out(r, 0)));
}

TEST(Flow, KillOnADenormalCannotBeKnown) {
    const Result r = run(with("0: KILL_IF IN[0]\n1: MOV OUT[0], IN[0]\n2: END\n"),
                         lanes_of({0x80000001, 0x00000001, 0xbf800000, 0}));
    EXPECT_THAT(r.killed_unknown, testing::ElementsAre(true, false, false, false));
}

TEST(Flow, AnUnknownBranchPermitsBothSides) {
    // 1.0 ÷ 3.0 may be on either side of the nearest float.
    const std::string body =
        R"(0: RCP TEMP[0].x, IN[0].xxxx
1: FSLT TEMP[1].x, TEMP[0].xxxx, IMM[3].xxxx
2: UIF TEMP[1].xxxx
3: MOV OUT[0].x, IMM[1].xxxx
4: ELSE
5: MOV OUT[0].x, IMM[1].yyyy
6: ENDIF
7: MOV OUT[0].y, IMM[1].zzzz
8: END
)";
    const Result r = run(with("IMM[3] UINT32 {0x3eaaaaab, 0, 0, 0}\n" + body),
                         lanes_of({0x40400000, 0x40000000, 0x40800000, 0x40400000}));
    EXPECT_TRUE(permits(out(r, 0), 10) && permits(out(r, 0), 100)) << text_of(out(r, 0));
    EXPECT_FALSE(permits(out(r, 0), 1000));
    EXPECT_TRUE(is_exact(out(r, 1))) << text_of(out(r, 1));  // 0.5 is far from 1/3
    EXPECT_EQ(out(r, 2).value, 10u);
    EXPECT_THAT(exact_words(r, 4, 1), testing::Each(1000u));
}

TEST(Flow, DerivativesNeedTheWholeQuad) {
    const Result r = run(with(R"(0: UIF IN[0].xxxx
1: DDX OUT[0].x, IN[0].xxxx
2: ENDIF
3: DDX_FINE OUT[0].y, IN[0].xxxx
4: END
)"),
                         lanes_of({1, 0, 1, 1, 0x3f800000, 0x40000000, 0x40400000, 0x40a00000}));
    EXPECT_TRUE(is_unknown(out(r, 0)));
    EXPECT_FALSE(is_unknown(out(r, 0, 1)));
    // A coarse derivative may be that of either row, a fine one is that of its own row.
    EXPECT_TRUE(permits(out(r, 4), 0x3f800000) && permits(out(r, 4), 0x40000000));
    EXPECT_EQ(out(r, 4, 1).value, 0x3f800000u);
    EXPECT_TRUE(is_exact(out(r, 6, 1)));
    EXPECT_EQ(out(r, 6, 1).value, 0x40000000u);
}

TEST(Flow, WhatIsLeftOfABudgetMayBeUnknown) {
    Options options;
    options.max_iterations = 2;
    // Where it is unknown whether a loop was left, the rest of the budget is unknown, too: here one turn or two.
    const Result open = run(with(R"(0: RCP TEMP[3].x, IN[0].xxxx
1: SIN TEMP[3].x, TEMP[3].xxxx
2: UIF TEMP[3].xxxx
3: BGNLOOP
4: BRK
5: ENDLOOP
6: ENDIF
7: BGNLOOP
8: UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
9: ENDLOOP
10: MOV OUT[0], TEMP[0]
11: END
)"),
                            lanes_of({0, 0, 0, 0}), options);
    EXPECT_FALSE(is_exact(open.outputs.at(0)[0][0]));
}

TEST(Flow, WithBranchesASpentBudgetIsNotFollowed) {
    const auto words = [](uint32_t most) {
        Options options;
        options.max_iterations = most;
        return run(with(R"(0: UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
1: USEQ TEMP[1].x, TEMP[0].xxxx, IMM[0].wwww
2: UIF TEMP[1].xxxx
3: BRA :6
4: ENDIF
5: BRA :0
6: MOV OUT[0], TEMP[0]
7: END
)"),
                   lanes_of({0, 0, 0, 0}), options);
    };
    EXPECT_THAT(exact_words(words(3), 4, 0), testing::ElementsAre(3u, 3u, 3u, 3u));
    EXPECT_TRUE(is_unknown(words(2).outputs.at(0)[0][0]));
}

TEST(Flow, EndlessLoopsStopAtTheLimit) {
    Options o;
    o.max_steps = 1000;
    const Result r = run(with(R"(0: MOV OUT[0].x, IMM[0].yyyy
1: UIF IN[0].xxxx
2: BGNLOOP
3: ENDLOOP
4: ENDIF
5: END
)"),
                         lanes_of({1, 0, 1, 1}), o);
    EXPECT_TRUE(is_unknown(out(r, 0)));
}

/// All lanes together: an answer that takes so many instructions is useless.
TEST(Flow, RunsStopWhereTheirAnswerIsNoLongerUseful) {
    for (const char* before : {"MOV OUT[0], IN[0]\n", "DDX OUT[0], IN[0]\n"}) {
        Inputs in = lanes_of({1, 0, 1, 1});
        in.lanes = 64;
        in.inputs[{0, 0}].resize(in.lanes, {1, 1, 1, 1});
        Options o;
        o.max_steps = o.most_useful = 10'000;
        const std::string text = with(std::string(before) + "BGNLOOP\nENDLOOP\nEND\n");
        const Result stopped = run(text, in, o);
        EXPECT_GE(stopped.instructions, o.most_useful);
        EXPECT_LE(stopped.instructions, o.most_useful + in.lanes);
        o.most_useful = 0;
        EXPECT_GE(run(text, in, o).instructions, in.lanes * o.max_steps);
    }
}

TEST(Flow, EndlessLoopsAreErrorsIfTheOptionsSaySo) {
    Options o;
    o.max_steps = 100'000;
    o.most_instructions = 10'000'000;
    struct Case {
        std::string body;
        size_t place;  ///< the number of the instruction that the error names
    };
    // With a derivative, and with BRA, too.
    const Case cases[] = {{R"(0: BGNLOOP
1: MOV OUT[0], IN[0]
2: ENDLOOP
3: END
)",
                           0},
                          {R"(0: DDX OUT[0], IN[0]
1: UIF IN[0].xxxx
2: BGNLOOP
3: ENDLOOP
4: ENDIF
5: END
)",
                           2},
                          {R"(0: BGNLOOP
1: MOV OUT[0], IN[0]
2: BRK
3: ENDLOOP
4: BGNLOOP
5: ENDLOOP
6: END
)",
                           4},
                          {"0: MOV OUT[0], IN[0]\n1: BRA :1\n2: END\n", 1}};
    for (const Case& c : cases) {
        SCOPED_TRACE(c.body);
        const Shader s = shader(with(c.body));
        ASSERT_EQ(s.error, "");
        Inputs in = lanes_of({1, 0, 1, 1});
        in.lanes = 65'536;
        in.inputs[{0, 0}].resize(in.lanes, {1, 1, 1, 1});
        const Result r = run(s.program, s.registers, in, o);
        EXPECT_NE(r.error, "");
        EXPECT_TRUE(r.outputs.empty());
        EXPECT_EQ(r.error_position, s.program.instructions[c.place].position);
    }
    const Result ends = run(with("0: MOV OUT[0], IN[0]\n1: END\n"), lanes_of({1, 0, 1, 1}), o);
    EXPECT_TRUE(is_exact(out(ends, 0)));
}

TEST(Flow, ALoopWhoseEndIsUnknownLosesOnlyWhatItWrites) {
    // Subtracts 1/3 from 1 until the result is zero or less: after three or four iterations.
    const Result r = run(with(R"(0: RCP TEMP[0].x, IN[0].xxxx
1: MOV TEMP[1].x, IMM[2].yyyy
2: MOV OUT[0].z, IMM[0].zzzz
3: BGNLOOP
4: FSGE TEMP[2].x, IMM[2].wwww, TEMP[1].xxxx
5: UIF TEMP[2].xxxx
6: BRK
7: ENDIF
8: ADD TEMP[1].x, TEMP[1].xxxx, -TEMP[0].xxxx
9: UADD TEMP[3].x, TEMP[3].xxxx, IMM[0].yyyy
10: ENDLOOP
11: MOV OUT[0].xy, TEMP[3].xxxx
12: END
)"),
                         lanes_of({0x40400000, 0x40400000, 0x40400000, 0x40400000}));
    EXPECT_TRUE(permits(out(r, 0), 3));
    EXPECT_TRUE(permits(out(r, 0), 4));
    EXPECT_THAT(exact_words(r, 4, 2), testing::Each(2u));
}

}  // namespace
}  // namespace tgsi2spv::reference
