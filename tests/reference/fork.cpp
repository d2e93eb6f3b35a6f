// Branches that may go either way: the reference permits the results of both ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

using testing::UnorderedElementsAre;

/// TEMP[1].x is whether 1/x is below a third; for x = 3, a division correct to 2.5 ULP leaves that open. TEMP[0].x is
/// 7.
constexpr std::string_view kHead =
    "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0..7]\n{}"
    "IMM[0] UINT32 {{0, 1, 2, 3}}\nIMM[1] UINT32 {{7, 100, 1000, 0x3eaaaaab}}\nIMM[2] UINT32 {{4, 5, 6, 0}}\n"
    "0: RCP TEMP[2].x, IN[0].xxxx\n1: FSLT TEMP[1].x, TEMP[2].xxxx, IMM[1].wwww\n2: MOV TEMP[0].x, IMM[1].xxxx\n";
std::string with(std::string_view body, std::string_view declarations = "") {
    return fmt::format(fmt::runtime(kHead), declarations) + std::string(body);
}
/// For lane 0 the condition is open, for the others it is known.
Inputs quad() {
    Inputs in;
    in.lanes = 4;
    for (uint32_t w : {0x40400000u, 0x40000000u, 0x40800000u, 0x40000000u}) in.inputs[{0, 0}].push_back({w, w, w, w});
    return in;
}
std::vector<uint32_t> every_word(const Value& v) {
    EXPECT_EQ(v.kind, Kind::Words) << text_of(v);
    return v.kind == Kind::Words ? std::vector<uint32_t>(v.words.begin(), v.words.begin() + v.count)
                                 : std::vector<uint32_t>{};
}

TEST(Ways, BothSidesOfABranchWrite) {
    const Result r = run(
        with("3: UIF TEMP[1].xxxx\n4: MOV TEMP[0].x, IMM[0].yyyy\n5: ELSE\n6: MOV TEMP[0].x, IMM[0].zzzz\n7: ENDIF\n"
             "8: MOV OUT[0], TEMP[0].xxxx\n9: END\n"),
        quad());
    EXPECT_THAT(every_word(out(r, 0)), UnorderedElementsAre(1u, 2u));
    EXPECT_THAT(every_word(out(r, 1)), UnorderedElementsAre(2u));
    EXPECT_THAT(every_word(out(r, 2)), UnorderedElementsAre(1u));
}

TEST(Ways, LeavingALoopOrNot) {
    const Result r =
        run(with("3: MOV TEMP[0].x, IMM[0].xxxx\n4: BGNLOOP\n5: UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n"
                 "6: UIF TEMP[1].xxxx\n7: BRK\n8: ENDIF\n9: USGE TEMP[3].x, TEMP[0].xxxx, IMM[0].wwww\n"
                 "10: UIF TEMP[3].xxxx\n11: BRK\n12: ENDIF\n13: ENDLOOP\n14: MOV OUT[0], TEMP[0].xxxx\n15: END\n"),
            quad());
    EXPECT_THAT(every_word(out(r, 0)), UnorderedElementsAre(1u, 2u, 3u));
    EXPECT_THAT(every_word(out(r, 1)), UnorderedElementsAre(3u));
}

TEST(Ways, SwitchesAndSubroutines) {
    const Result s =
        run(with("3: AND TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy\n4: SWITCH TEMP[1].xxxx\n5: CASE IMM[0].xxxx\n"
                 "6: MOV TEMP[0].x, IMM[1].yyyy\n7: BRK\n8: DEFAULT\n"
                 "9: MOV TEMP[0].x, IMM[1].zzzz\n10: ENDSWITCH\n11: MOV OUT[0], TEMP[0].xxxx\n12: END\n"),
            quad());
    EXPECT_THAT(every_word(out(s, 0)), UnorderedElementsAre(100u, 1000u));
    const Result c = run(with("3: CALLNZ TEMP[1].xxxx :6\n4: MOV OUT[0], TEMP[0].xxxx\n5: END\n6: BGNSUB\n"
                              "7: MOV TEMP[0].x, IMM[0].zzzz\n8: RET\n9: ENDSUB\n"),
                         quad());
    EXPECT_THAT(every_word(out(c, 0)), UnorderedElementsAre(2u, 7u));
}

TEST(Ways, AQuadDecidesTogether) {
    // Lane 0 holds 4 or 5, lane 1 holds 5: their difference is 1.0 or 0.0, in both lanes.
    const Result after =
        run(with("3: UIF TEMP[1].xxxx\n4: U2F TEMP[0].x, IMM[2].xxxx\n5: ELSE\n6: U2F TEMP[0].x, IMM[2].yyyy\n"
                 "7: ENDIF\n8: DDX_FINE OUT[0], TEMP[0].xxxx\n9: END\n"),
            quad());
    EXPECT_THAT(every_word(out(after, 0)), UnorderedElementsAre(0u, 0x3f800000u));
    EXPECT_THAT(every_word(out(after, 1)), UnorderedElementsAre(0u, 0x3f800000u));
    // Inside the branch, the quad may have diverged.
    const Result inside = run(
        with("3: UIF TEMP[1].xxxx\n4: ELSE\n5: DDX_FINE TEMP[0].x, IN[0].xxxx\n6: ENDIF\n7: MOV OUT[0], TEMP[0].xxxx\n"
             "8: END\n"),
        quad());
    EXPECT_TRUE(is_unknown(out(inside, 0)));
}

TEST(Ways, OfLanesThatShareMemoryAreNotFollowedSeparately) {
    // Two registers that are equal on each path.
    const Result r =
        run(with("3: UIF TEMP[1].xxxx\n4: MOV TEMP[3].xy, IMM[0].yyyy\n5: ENDIF\n6: XOR TEMP[0].x, TEMP[3].xxxx, "
                 "TEMP[3].yyyy\n7: STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].xxxx\n8: MOV OUT[0], TEMP[0].xxxx\n9: END\n",
                 "DCL BUFFER[0]\n"),
            quad());
    EXPECT_THAT(every_word(out(r, 0)), UnorderedElementsAre(0u, 1u));
}

// A lane that may be in the outer CASE may be in any of the inner ones.
TEST(Ways, ASwitchWithinASwitchMayTakeEachLabel) {
    const Result r =
        run(with("3: AND TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy\n4: SWITCH TEMP[1].xxxx\n5: CASE IMM[0].xxxx\n"
                 "6: SWITCH TEMP[1].xxxx\n7: CASE IMM[0].xxxx\n8: MOV TEMP[0].x, IMM[0].yyyy\n9: BRK\n"
                 "10: CASE IMM[0].yyyy\n11: MOV TEMP[0].x, IMM[0].zzzz\n12: ENDSWITCH\n13: BRK\n14: ENDSWITCH\n"
                 "15: STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].xxxx\n16: MOV OUT[0], TEMP[0].xxxx\n17: END\n",
                 "DCL BUFFER[0]\n"),
            quad());
    EXPECT_THAT(every_word(out(r, 0)), UnorderedElementsAre(1u, 2u, 7u));
}

TEST(Ways, TooManyStayJoined) {
    // 2^40 ways.
    std::string body;
    for (int i = 0; i < 40; ++i)
        body += fmt::format("{}: UIF TEMP[1].xxxx\n{}: UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n{}: ENDIF\n",
                            3 + 3 * i, 4 + 3 * i, 5 + 3 * i);
    const Result r = run(with(body + "123: MOV OUT[0], TEMP[0].xxxx\n124: END\n"), quad());
    EXPECT_EQ(out(r, 0).kind, Kind::Interval);
    EXPECT_TRUE(permits(out(r, 0), 7) && permits(out(r, 0), 47)) << text_of(out(r, 0));
    EXPECT_THAT(every_word(out(r, 1)), UnorderedElementsAre(7u));
}

TEST(Ways, AnUnknownWordNamesItsOrigin) {
    const Result r = run(with("3: RSQ TEMP[3].x, -IN[0].xxxx\n4: ADD TEMP[3].x, TEMP[3].xxxx, IN[0].xxxx\n"
                              "5: MOV OUT[0], TEMP[3].xxxx\n6: END\n"),
                         quad());
    ASSERT_TRUE(is_unknown(out(r, 0)));
    EXPECT_EQ(origin_of(out(r, 0)), 4u);  // 1 + the index of the RSQ
    // A modifier is not a cause.
    const Result modified = run(with("3: RSQ TEMP[3].x, -IN[0].xxxx\n4: ADD TEMP[3].x, -|TEMP[3].xxxx|, IN[0].xxxx\n"
                                     "5: MOV OUT[0], -TEMP[3].xxxx\n6: END\n"),
                                quad());
    ASSERT_TRUE(is_unknown(out(modified, 0)));
    EXPECT_EQ(origin_of(out(modified, 0)), 4u);
}

}  // namespace
}  // namespace tgsi2spv::reference
