// Branches whose lanes part, and bounds of older opcodes. tests/meanings/branches.txt has what branches mean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

using testing::ElementsAre;

constexpr std::string_view kHead =
    R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..7]
DCL ADDR[0]
DCL PRED[0]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {10, 100, 1000, 5}
IMM[2] FLT32 {0.5, 1.0, 2.0, 0.0}
)";
std::string with(std::string_view body) {
    return fmt::format("{}{}", kHead, body);
}
TEST(Branches, BothWalksOfAStructuredProgramAgree) {
    const std::string_view bodies[] = {
        "BGNLOOP\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nUSGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\nUIF "
        "TEMP[1]\nBRK\n"
        "ENDIF\nSWITCH TEMP[0].xxxx\nCASE IMM[0].zzzz\nCONT\nDEFAULT\nUADD TEMP[0].y, TEMP[0].yyyy, IMM[1].xxxx\nBRK\n"
        "CASE IMM[0].wwww\nUADD TEMP[0].y, TEMP[0].yyyy, IMM[1].yyyy\nENDSWITCH\nENDLOOP\n",
        "UIF IN[0].xxxx\nUSLT TEMP[1].x, IN[0].xxxx, IMM[0].zzzz\nUIF TEMP[1]\nMOV TEMP[0].y, IMM[1].xxxx\n"
        "MOV OUT[0].xy, TEMP[0].yyyy\nRET\nELSE\nMOV TEMP[0].y, IMM[1].yyyy\nENDIF\nELSE\nKILL\nENDIF\n",
        "BGNLOOP\nBGNLOOP\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nUSGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\n"
        "BREAKC TEMP[1].xxxx\nUADD TEMP[0].y, TEMP[0].yyyy, TEMP[0].xxxx\nENDLOOP\nUSGE TEMP[1].x, TEMP[0].xxxx, "
        "IMM[1].wwww\nBREAKC TEMP[1].xxxx\nENDLOOP\n",
    };
    for (const std::string_view body : bodies) {
        const std::string main = with(fmt::format("{}MOV OUT[0].xy, TEMP[0]\nEND\n", body));
        const auto count = static_cast<size_t>(std::count(body.begin(), body.end(), '\n')) + 2;
        const Inputs in = lanes_of({0, 1, 4, 9});
        const Result structured = run(main, in);
        const Result walked = run(fmt::format("{}BGNSUB\nBRA :{}\nENDSUB\n", main, count), in);
        for (uint32_t lane = 0; lane < 4; ++lane)
            for (size_t c = 0; c < 2; ++c) {
                EXPECT_TRUE(is_exact(out(walked, lane, c))) << body;
                EXPECT_EQ(out(structured, lane, c).value, out(walked, lane, c).value) << body << lane;
            }
        EXPECT_EQ(structured.killed, walked.killed) << body;
    }
}

TEST(Branches, CodeAfterAPredicatedExitIsReached) {
    // OUT is written only after the exit. These texts have no branches.
    constexpr std::string_view kTest = "0: USNE PRED[0].x, IN[0].xxxx, IMM[0].xxxx\n";
    for (const std::string_view body : {R"(1: BGNLOOP
2: (PRED[0].x) BRK
3: MOV OUT[0], IMM[0].yyyy
4: BRK
5: ENDLOOP
6: END
)",
                                        "1: (PRED[0].x) RET\n2: MOV OUT[0], IMM[0].yyyy\n3: END\n"}) {
        const Result r = run(with(std::string(kTest) + std::string(body)), lanes_of({0, 1, 2, 0}));
        ASSERT_FALSE(r.outputs.empty()) << body;
        for (const uint32_t lane : {0u, 3u}) EXPECT_TRUE(is_exact(out(r, lane))) << body;
    }
}

TEST(Branches, AnUnknownPathLosesTheLane) {
    constexpr std::string_view kBody =
        R"(IMM[3] UINT32 {{0x3eaaaaab, 0, 0, 0}}
0: RCP TEMP[2].x, IN[0].xxxx
1: FSLT TEMP[1].x, TEMP[2].xxxx, IMM[3].xxxx
2: MOV OUT[0], IMM[0].zzzz
3: UIF TEMP[1].xxxx
4: BRA :6
5: ENDIF
6: MOV OUT[0].x, IMM[0].yyyy
7: {}
8: END
)";
    const Inputs in = lanes_of({0x40400000, 0x40000000, 0x40800000, 0x40400000});
    const Result both = run(with(fmt::format(fmt::runtime(kBody), "NOP")), in);
    for (uint32_t lane = 0; lane < 4; ++lane) EXPECT_TRUE(is_exact(out(both, lane))) << lane;
    // Lanes that share something are not followed along both ways, so the lane with the open condition becomes unknown.
    const Result lost = run(with(fmt::format(fmt::runtime(kBody), "VOTE_ANY TEMP[0].x, IMM[0].xxxx")), in);
    EXPECT_TRUE(is_unknown(out(lost, 0)));
    EXPECT_TRUE(is_exact(out(lost, 1)));
    EXPECT_TRUE(is_exact(out(lost, 2)));
}

TEST(Branches, AQuadThatPartedHasNoDerivatives) {
    const std::string body =
        R"(0: UIF {}
1: BRA :3
2: ENDIF
3: DDX OUT[0].x, IN[0].xxxx
4: MOV OUT[0].y, IN[0].xxxx
5: END
)";
    const Inputs in = lanes_of({0, 0x3f800000, 0, 0x3f800000});
    EXPECT_TRUE(is_unknown(out(run(with(fmt::format(fmt::runtime(body), "IN[0].xxxx")), in), 0)));
    EXPECT_FALSE(is_unknown(out(run(with(fmt::format(fmt::runtime(body), "IMM[0].yyyy")), in), 0)));
    EXPECT_FALSE(is_unknown(out(run(with(fmt::format(fmt::runtime(body), "IN[0].xxxx")), in), 0, 1)));
}

TEST(Branches, LanesThatPartedHaveNoVotes) {
    const std::string body =
        R"(0: VOTE_ANY OUT[0].x, IN[0].xxxx
1: UIF {}
2: BRA :4
3: ENDIF
4: VOTE_ANY OUT[0].y, IMM[0].xxxx
5: END
)";
    const Inputs in = lanes_of({0, 0, 1, 0});
    const Result apart = run(with(fmt::format(fmt::runtime(body), "IN[0].xxxx")), in);
    EXPECT_EQ(out(apart, 2, 0).value, ~0u);
    EXPECT_TRUE(is_unknown(out(apart, 0, 1)));
    EXPECT_TRUE(is_exact(out(run(with(fmt::format(fmt::runtime(body), "IMM[0].yyyy")), in), 0, 1)));
}

TEST(Branches, EndlessOnesStopAtTheLimit) {
    Options o;
    o.max_steps = 1000;
    const Result r = run(with(R"(0: MOV OUT[0].x, IMM[0].yyyy
1: UIF IN[0].xxxx
2: BRA :2
3: ENDIF
4: END
)"),
                         lanes_of({1, 0, 1, 1}), o);
    EXPECT_TRUE(is_unknown(out(r, 0)));
    EXPECT_EQ(out(r, 1).value, 1u);
}

TEST(Branches, UnreachableCodeWritesNothing) {
    const Result r = run(with(R"(0: MOV OUT[0].x, IMM[0].yyyy
1: BRA :3
2: MOV OUT[0].y, IMM[0].yyyy
3: END
)"),
                         lanes_of({0, 0, 0, 0}));
    EXPECT_EQ(r.written.at(0), 1);
}

TEST(Vectors, ZeroTimesAnythingIsZeroWithLegacyRules) {
    // Semantics, Float: LEGACY_MATH_RULES hold "in every multiplication that an opcode implies", LRP's among them.
    const Result r = run(
        R"(VERT
PROPERTY LEGACY_MATH_RULES 1
DCL IN[0]
DCL OUT[0..1], GENERIC[0]
IMM[0] FLT32 {inf, 5.0, 2.0, 3.0}
LRP OUT[0], IN[0], IMM[0].xxxx, IMM[0].yyyy
RFL OUT[1], IN[0], IMM[0].yzwx
END
)",
        lanes_of({0}));
    EXPECT_THAT(exact_words(r, 1), ElementsAre(as_word(5.0f)));
    for (size_t c = 0; c < 3; ++c)
        EXPECT_TRUE(permits(out(r, 0, c, 1), as_word(c == 0   ? -5.0f
                                                     : c == 1 ? -2.0f
                                                              : -3.0f)))
            << text_of(out(r, 0, c, 1));
    EXPECT_FALSE(is_unknown(out(r, 0, 0, 1)));
    const Result zeros = run(R"(VERT
PROPERTY LEGACY_MATH_RULES 1
DCL IN[0]
DCL OUT[0], GENERIC[0]
RFL OUT[0], IN[0], IN[0]
END
)",
                             lanes_of({0}));
    EXPECT_TRUE(permits(out(zeros, 0), 0) && permits(out(zeros, 0), 0x8000'0000)) << text_of(out(zeros, 0));
}

TEST(Vectors, TheReciprocalOfInfinityKeepsItsSign) {
    // Vulkan promises nothing about 1/inf, so only the nominal answer shows the rule of semantics, Float.
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
RCC OUT[0], IN[0]
END
)",
                         lanes_of({0x7f80'0000, 0xff80'0000}));
    EXPECT_EQ(out(r, 0).value, as_word(5.42101e-20f));
    EXPECT_EQ(out(r, 1).value, as_word(-5.42101e-20f));
}

TEST(Vectors, AClampLimitsAnyValue) {
    // Vulkan promises nothing of 1/x for such x, but the clamp of RCC and CLAMP leaves only NaN and numbers between the
    // limits.
    const Result reciprocal = run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
RCC OUT[0], IN[0]
END
)",
                                  lanes_of({0x7f80'0000, 0xff80'0000, 1, 0x7f7f'ffff}));
    for (uint32_t lane = 0; lane < 4; ++lane) {
        const Value v = out(reciprocal, lane);
        EXPECT_TRUE(permits(v, as_word(1.884467e+19f)) && permits(v, as_word(-1.884467e+19f)) && permits(v, kNan));
        EXPECT_FALSE(permits(v, kInf) || permits(v, as_word(-2e19f))) << text_of(v);
    }
    const Result clamped = run(R"(VERT
DCL IN[0]
DCL OUT[0..2], GENERIC[0]
DCL TEMP[0]
IMM[0] FLT32 {inf, 2.0, 3.0, 0.0}
RCP TEMP[0], IMM[0].xxxx
CLAMP OUT[0], TEMP[0], IMM[0].yyyy, IMM[0].zzzz
CLAMP OUT[1], TEMP[0], IMM[0].zzzz, IMM[0].yyyy
CLAMP OUT[2], TEMP[0], IMM[0].wwww, IMM[0].yyyy
END
)",
                               lanes_of({0}));
    for (int32_t reg : {0, 1}) {  // limits in the wrong order: one of them
        const Value v = out(clamped, 0, 0, reg);
        EXPECT_TRUE(permits(v, as_word(2.0f)) && permits(v, as_word(3.0f)) && permits(v, kNan)) << text_of(v);
        EXPECT_FALSE(permits(v, as_word(1.5f)) || permits(v, as_word(3.5f))) << text_of(v);
    }
    // A denormal below zero may be compared as a zero, and stay.
    const Value v = out(clamped, 0, 0, 2);
    EXPECT_TRUE(permits(v, 0x807f'ffff) && permits(v, kSign) && permits(v, as_word(2.0f))) << text_of(v);
    EXPECT_FALSE(permits(v, 0x8080'0000)) << text_of(v);
}

}  // namespace
}  // namespace tgsi2spv::reference
