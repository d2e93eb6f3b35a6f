// Flow and stacks of the older editions, and meanings that depend on the dialect.
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
std::string add(int number, std::string_view amount) {
    return fmt::format("{}: UADD TEMP[0].x, TEMP[0].xxxx, {}\n", number, amount);
}
constexpr std::string_view kOne1 = "IMM[0].yyyy", kTen = "IMM[1].xxxx", kHundred = "IMM[1].yyyy",
                           kThousand = "IMM[1].zzzz";

TEST(Branches, ForwardsAndBackwards) {
    // do { x += 1 } while (x < IN), and a forward branch that skips code.
    const Result r = run(with(add(0, kOne1) +
                              R"(1: USLT TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx
2: UIF TEMP[1].xxxx
3: BRA :0
4: ENDIF
5: BRA :7
)" + add(6, kThousand) + "7: MOV OUT[0], TEMP[0].xxxx\n8: END\n"),
                         lanes_of({0, 1, 4, 7}));
    EXPECT_THAT(exact_words(r, 4), ElementsAre(1u, 1u, 4u, 7u));
}

TEST(Branches, IntoAnIfFromOutside) {
    // Lanes that enter after the condition run to ENDIF, not into ELSE.
    const Result r = run(with(R"(0: USEQ TEMP[1].x, IN[0].xxxx, IMM[0].zzzz
1: UIF TEMP[1].xxxx
2: BRA :5
3: ENDIF
4: UIF IN[0].xxxx
)" + add(5, kTen) + "6: ELSE\n" +
                              add(7, kHundred) + "8: ENDIF\n9: MOV OUT[0], TEMP[0].xxxx\n10: END\n"),
                         lanes_of({0, 1, 2, 3}));
    EXPECT_THAT(exact_words(r, 4), ElementsAre(100u, 10u, 10u, 10u));
    // A branch into ELSE.
    const Result e = run(with(R"(0: USEQ TEMP[1].x, IN[0].xxxx, IMM[0].zzzz
1: UIF TEMP[1].xxxx
2: BRA :7
3: ENDIF
4: UIF IN[0].xxxx
)" + add(5, kTen) + "6: ELSE\n" +
                              add(7, kHundred) + "8: ENDIF\n9: MOV OUT[0], TEMP[0].xxxx\n10: END\n"),
                         lanes_of({0, 1, 2, 3}));
    EXPECT_THAT(exact_words(e, 4), ElementsAre(100u, 10u, 100u, 10u));
}

TEST(Branches, OutOfALoopAndIntoOne) {
    const std::string loop = add(3, kOne1) + R"(4: USGE TEMP[1].x, TEMP[0].xxxx, IMM[1].wwww
5: UIF TEMP[1].xxxx
6: BRK
7: ENDIF
)";
    // Out of the loop, past the code after it.
    const Result o = run(with("0: NOP\n1: NOP\n2: BGNLOOP\n" + loop +
                              R"(8: USEQ TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx
9: UIF TEMP[1].xxxx
10: BRA :14
11: ENDIF
12: ENDLOOP
)" + add(13, kHundred) + "14: MOV OUT[0], TEMP[0].xxxx\n15: END\n"),
                         lanes_of({0, 1, 4, 7}));
    EXPECT_THAT(exact_words(o, 4), ElementsAre(105u, 1u, 4u, 105u));
    // Into the loop: the first iteration starts in the middle; ENDLOOP and BRK still belong to their loop.
    const Result i = run(with("0: UIF IN[0].xxxx\n1: BRA :8\n2: BGNLOOP\n" + loop + add(8, kTen) +
                              R"(9: ENDLOOP
10: ENDIF
11: MOV OUT[0], TEMP[0].xxxx
12: END
)"),
                         lanes_of({0, 1, 1, 0}));
    EXPECT_THAT(exact_words(i, 4), ElementsAre(0u, 11u, 11u, 0u));
}

TEST(Branches, SwitchesAndTheirLabels) {
    // From one case into another one, which falls through; BRK leaves the switch around it.
    const Result r = run(
        with("0: SWITCH IN[0].xxxx\n1: CASE IMM[0].yyyy\n" + add(2, kOne1) + "3: BRA :6\n" + "4: CASE IMM[0].zzzz\n" +
             add(5, kTen) + add(6, kHundred) + "7: DEFAULT\n" + add(8, kThousand) + "9: BRK\n10: CASE IMM[0].wwww\n" +
             add(11, kTen) + "12: ENDSWITCH\n13: MOV OUT[0], TEMP[0].xxxx\n14: END\n"),
        lanes_of({0, 1, 2, 3}));
    EXPECT_THAT(exact_words(r, 4), ElementsAre(1000u, 1101u, 1110u, 10u));
}

TEST(Branches, ContGoesToItsLoop) {
    // Enters the inner loop from outside; CONT repeats it, BRK leaves it.
    const Result r = run(with("0: BRA :3\n1: BGNLOOP\n2: BGNLOOP\n" + add(3, kOne1) +
                              R"(4: USLT TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx
5: UIF TEMP[1].xxxx
6: CONT
7: ENDIF
8: BRK
9: ENDLOOP
)" + add(10, kHundred) +
                              R"(11: USGE TEMP[1].x, TEMP[0].xxxx, IMM[1].zzzz
12: UIF TEMP[1].xxxx
13: BRK
14: ENDIF
15: ENDLOOP
16: MOV OUT[0], TEMP[0].xxxx
17: END
)"),
                         lanes_of({0, 3, 5, 900}));
    // 1 + 100 + 1 + 100 …: each iteration of the outer loop adds 101; for inputs from 3 on, the first one adds more.
    EXPECT_THAT(exact_words(r, 4), ElementsAre(1010u, 1012u, 1014u, 1000u));
}

TEST(Branches, SubroutinesOfEachLane) {
    const Result r = run(with("0: CAL :8\n" + add(1, kThousand) +
                              R"(2: UIF IN[0].xxxx
3: CAL :8
4: ENDIF
5: BRA :6
6: MOV OUT[0], TEMP[0].xxxx
7: END
8: BGNSUB
9: USEQ TEMP[1].x, IN[0].xxxx, IMM[0].zzzz
10: UIF TEMP[1].xxxx
11: BRA :14
12: ENDIF
)" + add(13, kOne1) + add(14, kTen) +
                              "15: RET\n16: ENDSUB\n"),
                         lanes_of({0, 1, 2, 3}));
    EXPECT_THAT(exact_words(r, 4), ElementsAre(1011u, 1022u, 1020u, 1022u));
}

/// A structured program gives the same results when an uncalled subroutine with BRA follows it, which selects the other
/// walk.
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

TEST(Branches, UnderAPredicate) {
    const Result r = run(with("0: USNE PRED[0].x, IN[0].xxxx, IMM[0].xxxx\n1: (PRED[0].x) BRA :3\n" + add(2, kTen) +
                              "3: (!PRED[0].x) BRA :5\n" + add(4, kHundred) + "5: MOV OUT[0], TEMP[0].xxxx\n6: END\n"),
                         lanes_of({0, 1, 2, 0}));
    EXPECT_THAT(exact_words(r, 4), ElementsAre(10u, 100u, 100u, 10u));
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

TEST(Calls, CallnzTestsBits) {
    const std::string text = with(R"(0: CALLNZ IN[0].xxxx :3
1: MOV OUT[0], TEMP[0].xxxx
2: END
3: BGNSUB
)" + add(4, kTen) + "5: ENDSUB\n");
    // -0 and a denormal have bits set.
    EXPECT_THAT(exact_words(run(text, lanes_of({0, 0x80000000, 1, 0})), 4), ElementsAre(0u, 10u, 10u, 0u));
    // A call to the end of the shader calls nothing.
    const std::string empty = with(R"(0: CAL :4
1: CALLNZ IN[0].xxxx :4
2: MOV OUT[0], IMM[0].yyyy
3: END
)");
    EXPECT_THAT(exact_words(run(empty, lanes_of({0, 1, 1, 0})), 4), testing::Each(1u));
}

TEST(Calls, BreakcTestsBitsAndLeavesTheInnermost) {
    const Result r = run(with("0: BGNLOOP\n1: SWITCH IMM[0].xxxx\n2: DEFAULT\n" + add(3, kOne1) +
                              "4: BREAKC IN[0].xxxx\n" + add(5, kTen) +
                              R"(6: ENDSWITCH
7: USGE TEMP[1].x, TEMP[0].xxxx, IMM[0].wwww
8: BREAKC TEMP[1].xxxx
9: ENDLOOP
10: MOV OUT[0], TEMP[0].xxxx
11: END
)"),
                         lanes_of({0, 0x80000000, 1, 0}));
    EXPECT_THAT(exact_words(r, 4), ElementsAre(11u, 3u, 3u, 11u));
}

TEST(Calls, IfcIsIf) {
    const Result r = run(with(R"(0: IFC IN[0].xxxx
1: MOV OUT[0].x, IMM[0].yyyy
2: ELSE
3: MOV OUT[0].x, IMM[0].zzzz
4: ENDIF
5: END
)"),
                         lanes_of({0, 0x80000000, 0x3f800000, 0x7fc00000}));
    EXPECT_THAT(exact_words(r, 4), ElementsAre(2u, 2u, 1u, 1u));
}

TEST(AddressStack, PopsInReverse) {
    const Result r = run(with(R"(0: UARL ADDR[0], IMM[0]
1: PUSHA ADDR[0]
2: UARL ADDR[0], IMM[1]
3: PUSHA ADDR[0].wzyx
4: POPA ADDR[0]
5: MOV OUT[0].xy, ADDR[0]
6: POPA ADDR[0].zw
7: MOV OUT[0].zw, ADDR[0]
8: END
)"),
                         lanes_of({0, 0, 0, 0}));
    EXPECT_THAT(exact_words(r, 1, 0), ElementsAre(5u));
    EXPECT_THAT(exact_words(r, 1, 1), ElementsAre(1000u));
    EXPECT_THAT(exact_words(r, 1, 2), ElementsAre(2u));
    EXPECT_THAT(exact_words(r, 1, 3), ElementsAre(3u));
}

TEST(Vectors, OfNoLengthAreZerosWithLegacyRules) {
    const std::string body =
        R"(DCL IN[0]
DCL OUT[0..1], GENERIC[0]
0: NRM OUT[0], IN[0]
1: NRM4 OUT[1], IN[0]
2: END
)";
    const Result r = run("VERT\nPROPERTY LEGACY_MATH_RULES 1\n" + body, lanes_of({0}));
    for (size_t c = 0; c < 4; ++c) EXPECT_TRUE(permits(out(r, 0, c), c == 3 ? 0x3f800000 : 0)) << text_of(out(r, 0, c));
    EXPECT_FALSE(permits(out(r, 0), 0x7fc00000)) << text_of(out(r, 0));
    const Result without = run("VERT\n" + body, lanes_of({0}));
    EXPECT_TRUE(permits(out(without, 0), 0x7fc00000)) << text_of(out(without, 0));
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

TEST(AddressStack, APredicateMasksTheWriteNotThePop) {
    std::string body = add(0, kOne1) + "1: PUSHA TEMP[0].xxxx\n" + add(2, kOne1) + "3: PUSHA TEMP[0].xxxx\n";
    body += "4: UCMP PRED[0].x, IN[0].xxxx, IMM[0].yyyy, IMM[0].xxxx\n5: (PRED[0].xxxx) POPA TEMP[1].x\n";
    body += R"(6: POPA TEMP[2].x
7: MOV OUT[0].x, TEMP[1]
8: MOV OUT[0].y, TEMP[2].xxxx
9: END
)";
    const Result r = run(with(body), lanes_of({0, 1, 0, 1}));
    EXPECT_THAT(exact_words(r, 4, 1), ElementsAre(1u, 1u, 1u, 1u));
}

TEST(AddressStack, OverflowIsDroppedAndUnderflowIsZero) {
    std::string body;
    int n = 0;
    for (int i = 0; i < 10; ++i) {  // 1, 2, …, 10: the last two exceed the stack
        body += add(n++, kOne1);
        body += fmt::format("{}: PUSHA TEMP[0].xxxx\n", n++);
    }
    for (int i = 0; i < 8; ++i) body += fmt::format("{}: POPA TEMP[{}].x\n", n++, i == 0 ? 1 : 2);
    body += fmt::format("{}: POPA TEMP[3]\n", n++);
    body += fmt::format("{}: MOV OUT[0].x, TEMP[1]\n", n++);
    body += fmt::format("{}: MOV OUT[0].y, TEMP[2].xxxx\n", n++);
    body += fmt::format("{}: MOV OUT[0].z, TEMP[3].xxxx\n{}: END\n", n, n + 1);
    const Result r = run(with(body), lanes_of({0, 0, 0, 0}));
    EXPECT_THAT(exact_words(r, 1, 0), ElementsAre(8u));
    EXPECT_THAT(exact_words(r, 1, 1), ElementsAre(1u));
    EXPECT_THAT(exact_words(r, 1, 2), ElementsAre(0u));
}

TEST(AddressStack, IsPerLaneAndIndependentOfCalls) {
    const Result r = run(with(R"(0: PUSHA IN[0]
1: UIF IN[0].xxxx
2: PUSHA IMM[1].xxxx
3: ENDIF
4: CAL :7
5: MOV OUT[0], TEMP[0].xxxx
6: END
7: BGNSUB
8: POPA TEMP[0].x
9: RET
10: ENDSUB
)"),
                         lanes_of({0, 1, 2, 0}));
    EXPECT_THAT(exact_words(r, 4), ElementsAre(0u, 10u, 10u, 0u));
}

/// One case per line of semantics.md on which editions contradict each other.
TEST(Dialects, EachDecidesItsMeaning) {
    using tgsi::Dialect;
    struct Row {
        std::string_view code;
        uint32_t x;
        uint32_t oldest, middle, newest, automatic;
        size_t component = 0;
    };
    const Row rows[] = {
        // SHL, SHR: in the older editions, src1.x is the count for all components.
        {"SHL OUT[0].xy, IN[0].xxxx, IMM[0].zyxx", 1, 4, 4, 2, 2, 1},
        {"SHR OUT[0].xy, IN[0].xxxx, IMM[0].zyxx", 0x80000000, 0xe0000000, 0xe0000000, 0xc0000000, 0xc0000000, 1},
        // ISHR and USHR are per component in all editions.
        {"ISHR OUT[0].xy, IN[0].xxxx, IMM[0].zyxx", 0x80000000, 0xc0000000, 0xc0000000, 0xc0000000, 0xc0000000, 1},
        {"USHR OUT[0].xy, IN[0].xxxx, IMM[0].zyxx", 0x80000000, 0x40000000, 0x40000000, 0x40000000, 0x40000000, 1},
        // 64-bit comparisons write the double 1.0 into the pair, or ~0 into its first word.
        {"DSEQ OUT[0].xy, IN[0], IN[0]", kOne, 0, 0, ~0u, ~0u, 0},
        {"DSEQ OUT[0].xy, IN[0], IN[0]", kOne, 0x3ff00000, 0x3ff00000, 0, 0, 1},
        // The fraction is the first destination; in the older editions, the exponent is.
        {"DFRACEXP OUT[0].xy, TEMP[0].x, IN[0]", 0x40000000, 2, 2, 0x40000000, 0x40000000, 0},
        // The second exponent is in z; in the older editions, in y.
        {"DLDEXP OUT[0].zw, IN[0], IMM[0]", 0x40000000, 0x40100000, 0x40100000, 0x40200000, 0x40200000, 3},
    };
    for (const Row& row : rows) {
        const std::string text = with(fmt::format("0: {}\n1: END\n", row.code));
        const std::pair<Dialect, uint32_t> expected[] = {{Dialect::Oldest, row.oldest},
                                                         {Dialect::Middle, row.middle},
                                                         {Dialect::Newest, row.newest},
                                                         {Dialect::Auto, row.automatic}};
        for (const auto& [dialect, word] : expected) {
            Options o;
            o.dialect = dialect;
            const Result r = run(text, lanes_of({row.x, row.x, row.x, row.x}), o);
            EXPECT_EQ(out(r, 0, row.component).value, word) << row.code << " " << static_cast<int>(dialect);
            EXPECT_TRUE(is_exact(out(r, 0, row.component))) << row.code;
        }
    }
}

TEST(Dialects, RsqOfNegativesAndFog) {
    using tgsi::Dialect;
    for (const Dialect d : {Dialect::Oldest, Dialect::Middle, Dialect::Newest, Dialect::Auto}) {
        Options o;
        o.dialect = d;
        const bool old = d == Dialect::Oldest || d == Dialect::Middle;
        const Result r = run(with("0: RSQ OUT[0].x, IN[0].xxxx\n1: END\n"), lanes_of({0xc0800000, 0, 0, 0}), o);
        EXPECT_EQ(is_unknown(out(r, 0)), !old);
        EXPECT_TRUE(permits(out(r, 0), 0x3f000000)) << text_of(out(r, 0));
        const Result f = run(R"(FRAG
DCL IN[0], FOG, PERSPECTIVE
DCL OUT[0], COLOR
0: MOV OUT[0], IN[0]
1: END
)",
                             lanes_of({0x40000000, 0x40000000, 0x40000000, 0x40000000}), o);
        EXPECT_EQ(out(f, 0, 0).value, 0x40000000u);
        EXPECT_EQ(out(f, 0, 1).value, old ? 0u : 0x40000000u);
        EXPECT_EQ(out(f, 0, 3).value, old ? 0x3f800000u : 0x40000000u);
    }
}

}  // namespace
}  // namespace tgsi2spv::reference
