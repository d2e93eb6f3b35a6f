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
    R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..7]
{}IMM[0] UINT32 {{0, 1, 2, 3}}
IMM[1] UINT32 {{7, 100, 1000, 0x3eaaaaab}}
IMM[2] UINT32 {{4, 5, 6, 0}}
0: RCP TEMP[2].x, IN[0].xxxx
1: FSLT TEMP[1].x, TEMP[2].xxxx, IMM[1].wwww
2: MOV TEMP[0].x, IMM[1].xxxx
)";
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
    const Result r = run(with(R"(3: UIF TEMP[1].xxxx
4: MOV TEMP[0].x, IMM[0].yyyy
5: ELSE
6: MOV TEMP[0].x, IMM[0].zzzz
7: ENDIF
8: MOV OUT[0], TEMP[0].xxxx
9: END
)"),
                         quad());
    EXPECT_THAT(every_word(out(r, 0)), UnorderedElementsAre(1u, 2u));
    EXPECT_THAT(every_word(out(r, 1)), UnorderedElementsAre(2u));
    EXPECT_THAT(every_word(out(r, 2)), UnorderedElementsAre(1u));
}

TEST(Ways, LeavingALoopOrNot) {
    const Result r = run(with(R"(3: MOV TEMP[0].x, IMM[0].xxxx
4: BGNLOOP
5: UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
6: UIF TEMP[1].xxxx
7: BRK
8: ENDIF
9: USGE TEMP[3].x, TEMP[0].xxxx, IMM[0].wwww
10: UIF TEMP[3].xxxx
11: BRK
12: ENDIF
13: ENDLOOP
14: MOV OUT[0], TEMP[0].xxxx
15: END
)"),
                         quad());
    EXPECT_THAT(every_word(out(r, 0)), UnorderedElementsAre(1u, 2u, 3u));
    EXPECT_THAT(every_word(out(r, 1)), UnorderedElementsAre(3u));
}

TEST(Ways, SwitchesAndSubroutines) {
    const Result s = run(with(R"(3: AND TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy
4: SWITCH TEMP[1].xxxx
5: CASE IMM[0].xxxx
6: MOV TEMP[0].x, IMM[1].yyyy
7: BRK
8: DEFAULT
9: MOV TEMP[0].x, IMM[1].zzzz
10: ENDSWITCH
11: MOV OUT[0], TEMP[0].xxxx
12: END
)"),
                         quad());
    EXPECT_THAT(every_word(out(s, 0)), UnorderedElementsAre(100u, 1000u));
    const Result c = run(with(R"(3: CALLNZ TEMP[1].xxxx :6
4: MOV OUT[0], TEMP[0].xxxx
5: END
6: BGNSUB
7: MOV TEMP[0].x, IMM[0].zzzz
8: RET
9: ENDSUB
)"),
                         quad());
    EXPECT_THAT(every_word(out(c, 0)), UnorderedElementsAre(2u, 7u));
}

TEST(Ways, AQuadDecidesTogether) {
    // Lane 0 holds 4 or 5, lane 1 holds 5: their difference is 1.0 or 0.0, in both lanes.
    const Result after = run(with(R"(3: UIF TEMP[1].xxxx
4: U2F TEMP[0].x, IMM[2].xxxx
5: ELSE
6: U2F TEMP[0].x, IMM[2].yyyy
7: ENDIF
8: DDX_FINE OUT[0], TEMP[0].xxxx
9: END
)"),
                             quad());
    EXPECT_THAT(every_word(out(after, 0)), UnorderedElementsAre(0u, 0x3f800000u));
    EXPECT_THAT(every_word(out(after, 1)), UnorderedElementsAre(0u, 0x3f800000u));
    // Inside the branch, the quad may have diverged.
    const Result inside = run(with(R"(3: UIF TEMP[1].xxxx
4: ELSE
5: DDX_FINE TEMP[0].x, IN[0].xxxx
6: ENDIF
7: MOV OUT[0], TEMP[0].xxxx
8: END
)"),
                              quad());
    EXPECT_TRUE(is_unknown(out(inside, 0)));
}

TEST(Ways, OfLanesThatShareMemoryAreNotFollowedSeparately) {
    // Two registers that are equal on each path.
    const Result r = run(with(R"(3: UIF TEMP[1].xxxx
4: MOV TEMP[3].xy, IMM[0].yyyy
5: ENDIF
6: XOR TEMP[0].x, TEMP[3].xxxx, TEMP[3].yyyy
7: STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].xxxx
8: MOV OUT[0], TEMP[0].xxxx
9: END
)",
                              "DCL BUFFER[0]\n"),
                         quad());
    EXPECT_THAT(every_word(out(r, 0)), UnorderedElementsAre(0u, 1u));
}

// A lane that may be in the outer CASE may be in any of the inner ones.
TEST(Ways, ASwitchWithinASwitchMayTakeEachLabel) {
    const Result r = run(with(R"(3: AND TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy
4: SWITCH TEMP[1].xxxx
5: CASE IMM[0].xxxx
6: SWITCH TEMP[1].xxxx
7: CASE IMM[0].xxxx
8: MOV TEMP[0].x, IMM[0].yyyy
9: BRK
10: CASE IMM[0].yyyy
11: MOV TEMP[0].x, IMM[0].zzzz
12: ENDSWITCH
13: BRK
14: ENDSWITCH
15: STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].xxxx
16: MOV OUT[0], TEMP[0].xxxx
17: END
)",
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
    const Result r = run(with(R"(3: RSQ TEMP[3].x, -IN[0].xxxx
4: ADD TEMP[3].x, TEMP[3].xxxx, IN[0].xxxx
5: MOV OUT[0], TEMP[3].xxxx
6: END
)"),
                         quad());
    ASSERT_TRUE(is_unknown(out(r, 0)));
    EXPECT_EQ(origin_of(out(r, 0)), 4u);  // 1 + the index of the RSQ
    // A modifier is not a cause.
    const Result modified = run(with(R"(3: RSQ TEMP[3].x, -IN[0].xxxx
4: ADD TEMP[3].x, -|TEMP[3].xxxx|, IN[0].xxxx
5: MOV OUT[0], -TEMP[3].xxxx
6: END
)"),
                                quad());
    ASSERT_TRUE(is_unknown(out(modified, 0)));
    EXPECT_EQ(origin_of(out(modified, 0)), 4u);
}

}  // namespace
}  // namespace tgsi2spv::reference
