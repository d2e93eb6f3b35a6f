// Branches that may go either way, and what they lose. runs/branches.txt has the results of both ways.
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
