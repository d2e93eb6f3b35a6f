// Votes, ballots and reads of other lanes: known if they are the same for every way to form subgroups.
#include <gmock/gmock.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

/// Runs FRAG lanes with the given IN[0].x; the result is in OUT[0].
Result run_lanes(const std::vector<uint32_t>& x, const std::string& body, const Options& options = {}) {
    Inputs in;
    in.lanes = static_cast<uint32_t>(x.size());
    for (uint32_t w : x) in.inputs[{0, 0}].push_back({w, 1, 2, 3});
    return run(
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..1]
DCL SV[0], SUBGROUP_SIZE
DCL SV[1], SUBGROUP_INVOCATION
DCL SV[2], SUBGROUP_GE_MASK
IMM[0] UINT32 {0, 1, 2, 3}
)" + body + "END\n",
        in, options);
}

/// Checks which results of a vote the lane permits, and its nominal answer.
void expect(const Result& r, uint32_t lane, bool may_be_true, bool may_be_false, bool plain) {
    EXPECT_EQ(permits(out(r, lane), ~0u), may_be_true) << lane;
    EXPECT_EQ(permits(out(r, lane), 0), may_be_false) << lane;
    EXPECT_FALSE(permits(out(r, lane), 1)) << lane;
    EXPECT_EQ(out(r, lane).value, plain ? ~0u : 0u) << lane;
}

TEST(Subgroup, VotesOnUniformConditionsAreKnown) {
    for (uint32_t w : {0u, 5u}) {
        expect(run_lanes({w, w, w, w}, "VOTE_ALL OUT[0], IN[0].xxxx\n"), 0, w != 0, w == 0, w != 0);
        expect(run_lanes({w, w, w, w}, "VOTE_ANY OUT[0], IN[0].xxxx\n"), 3, w != 0, w == 0, w != 0);
        expect(run_lanes({w, w, w, w}, "VOTE_EQ OUT[0], IN[0].xxxx\n"), 1, true, false, true);
    }
}

TEST(Subgroup, AMixedVoteDependsOnTheSubgroup) {
    const std::vector<uint32_t> mixed{1, 0, 7, 7};
    // A false lane makes its own vote false; a true lane may be in a subgroup of true lanes only.
    expect(run_lanes(mixed, "VOTE_ALL OUT[0], IN[0].xxxx\n"), 0, true, true, false);
    expect(run_lanes(mixed, "VOTE_ALL OUT[0], IN[0].xxxx\n"), 1, false, true, false);
    expect(run_lanes(mixed, "VOTE_ANY OUT[0], IN[0].xxxx\n"), 0, true, false, true);
    expect(run_lanes(mixed, "VOTE_ANY OUT[0], IN[0].xxxx\n"), 1, true, true, true);
    expect(run_lanes(mixed, "VOTE_EQ OUT[0], IN[0].xxxx\n"), 2, true, true, false);
}

TEST(Subgroup, LanesThatTheDrawAddsVoteToo) {
    // VERT draws whole triangles: 1 or 2 additional vertices, with indices of their own.
    const auto vertices = [](uint32_t lanes, const std::string& body) {
        Inputs in;
        in.lanes = lanes;
        return run(R"(VERT
DCL SV[0], VERTEXID
DCL OUT[0], POSITION
DCL TEMP[0]
IMM[0] UINT32 {2, 3, 6, 0}
)" + body + "END\n",
                   in);
    };
    const std::string below = "USLT TEMP[0].x, SV[0].xxxx, IMM[0].";
    expect(vertices(2, below + "xxxx\nVOTE_ALL OUT[0], TEMP[0].xxxx\n"), 0, true, true, true);
    expect(vertices(3, below + "yyyy\nVOTE_ALL OUT[0], TEMP[0].xxxx\n"), 0, true, false, true);
    expect(vertices(4, below + "zzzz\nVOTE_EQ OUT[0], TEMP[0].xxxx\n"), 3, true, true, true);
    expect(vertices(6, below + "zzzz\nVOTE_EQ OUT[0], TEMP[0].xxxx\n"), 3, true, false, true);
    const std::string above = "USGE TEMP[0].x, SV[0].xxxx, IMM[0].zzzz\n";
    expect(vertices(5, above + "VOTE_ANY OUT[0], TEMP[0].xxxx\n"), 0, true, true, false);
    EXPECT_TRUE(is_unknown(out(vertices(5, above + "BALLOT OUT[0].xy, TEMP[0].xxxx\n"), 0)));
    EXPECT_TRUE(is_exact(out(vertices(6, above + "BALLOT OUT[0].xy, TEMP[0].xxxx\n"), 0)));
    EXPECT_TRUE(is_unknown(out(vertices(4, "READ_FIRST OUT[0], IMM[0]\n"), 0)));
    EXPECT_TRUE(is_exact(out(vertices(6, "READ_FIRST OUT[0], IMM[0]\n"), 0)));
    // FRAG draws rows of quads: the last row is drawn whole if there is one above it.
    const auto pixels = [](uint32_t lanes, uint32_t width) {
        Inputs in;
        in.lanes = lanes;
        in.framebuffer_width = width;
        return run(R"(FRAG
DCL OUT[0], COLOR
IMM[0] UINT32 {0, 1, 0, 0}
VOTE_ALL OUT[0], IMM[0].yyyy
END
)",
                   in);
    };
    expect(pixels(8, 8), 0, true, false, true);
    expect(pixels(16, 8), 0, true, false, true);
    expect(pixels(20, 8), 0, true, true, true);
    expect(pixels(24, 9), 0, true, true, true);
    expect(pixels(32, 9), 0, true, false, true);
    expect(pixels(8, 1), 0, true, false, true);
    expect(pixels(6, 8), 0, true, true, true);
}

TEST(Subgroup, OnlyActiveLanesTakePart) {
    const Result r = run_lanes({1, 0, 7, 7},
                               R"(MOV OUT[0], IMM[0]
USNE TEMP[0].x, IN[0].xxxx, IMM[0].xxxx
UIF TEMP[0].xxxx
VOTE_ALL OUT[0], IN[0].xxxx
ENDIF
)");
    expect(r, 0, true, false, true);
    EXPECT_EQ(out(r, 1).value, 0u);
}

TEST(Subgroup, Ballots) {
    const Result none = run_lanes({0, 0, 0, 0}, "MOV OUT[0], IN[0].yyyy\nBALLOT OUT[0].xy, IN[0].xxxx\n");
    EXPECT_TRUE(is_exact(out(none, 2, 0)));
    EXPECT_EQ(out(none, 2, 0).value, 0u);
    EXPECT_EQ(out(none, 2, 2).value, 1u);
    const Result some = run_lanes({1, 0, 4, 4}, "BALLOT OUT[0].xy, IN[0].xxxx\n");
    EXPECT_TRUE(is_unknown(out(some, 1, 0)));
    EXPECT_EQ(out(some, 1, 0).value, 13u);
    EXPECT_EQ(out(some, 1, 1).value, 0u);
}

TEST(Subgroup, ReadsOfOtherLanes) {
    const Result same = run_lanes({6, 6, 6, 6}, "READ_FIRST OUT[0], IN[0]\n");
    EXPECT_TRUE(is_exact(out(same, 3)));
    EXPECT_EQ(out(same, 3, 3).value, 3u);
    const Result first = run_lanes({6, 7, 8, 6}, "READ_FIRST OUT[0], IN[0]\n");
    EXPECT_TRUE(permits(out(first, 3), 7));
    EXPECT_FALSE(permits(out(first, 3), 9));
    EXPECT_EQ(out(first, 3).value, 6u);
    const Result other = run_lanes({6, 7, 8, 9}, "READ_INVOC OUT[0], IN[0], IMM[0].zzzz\n");
    EXPECT_TRUE(is_unknown(out(other, 0)));
    EXPECT_EQ(out(other, 0).value, 8u);
}

TEST(Subgroup, SystemValuesHaveANominalValueAndNoBounds) {
    const Result r =
        run_lanes({0, 0, 0, 0}, "MOV OUT[0].x, SV[0].xxxx\nMOV OUT[0].y, SV[1].xxxx\nMOV OUT[0].zw, SV[2].xxxy\n");
    EXPECT_EQ(out(r, 3, 0).value, 32u);
    EXPECT_EQ(out(r, 3, 1).value, 3u);
    EXPECT_EQ(out(r, 3, 2).value, 0xfffffff8u);  // limited to the subgroup's size
    EXPECT_EQ(out(r, 3, 3).value, 0u);
    for (size_t c = 0; c < 3; ++c) EXPECT_TRUE(is_unknown(out(r, 3, c)));
}

TEST(Subgroup, OfAKnownSizeAllIsKnown) {
    // A work group of 6 invocations, in subgroups of 4 and 2; returns each invocation's result, by its number.
    const auto of_each = [](const std::string& body, uint32_t size) {
        Inputs in;
        in.buffers[0] = std::vector<uint32_t>(6, 99);
        Options options;
        options.subgroup_size = size;
        const Result r = run(
            R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 6
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], SUBGROUP_SIZE
DCL SV[2], SUBGROUP_INVOCATION
DCL SV[3], SUBGROUP_GE_MASK
DCL BUFFER[0]
DCL TEMP[0..2]
IMM[0] UINT32 {4, 1, 2, 3}
MOV TEMP[0].x, IMM[0].xxxx
)" + body + "UMUL TEMP[1].x, SV[0].xxxx, IMM[0].xxxx\nSTORE BUFFER[0].x, TEMP[1].xxxx, TEMP[0].xxxx\nEND\n",
            in, options);
        std::vector<uint32_t> all;
        for (const Component& c : r.buffers.at(0)) all.push_back(is_exact(c) ? c.words[0] : 0xfee1);
        return all;
    };
    using testing::Each;
    using testing::ElementsAre;
    EXPECT_THAT(of_each("MOV TEMP[0].x, SV[1].xxxx\n", 4), Each(4));
    EXPECT_THAT(of_each("MOV TEMP[0].x, SV[2].xxxx\n", 4), ElementsAre(0, 1, 2, 3, 0, 1));
    EXPECT_THAT(of_each("MOV TEMP[0].x, SV[3].xxxx\n", 4), ElementsAre(15, 14, 12, 8, 15, 14));
    const std::string third = "USEQ TEMP[2].x, SV[0].xxxx, IMM[0].zzzz\n";
    EXPECT_THAT(of_each(third + "VOTE_ANY TEMP[0].x, TEMP[2].xxxx\n", 4), ElementsAre(~0u, ~0u, ~0u, ~0u, 0, 0));
    EXPECT_THAT(of_each(third + "VOTE_EQ TEMP[0].x, TEMP[2].xxxx\n", 4), ElementsAre(0, 0, 0, 0, ~0u, ~0u));
    EXPECT_THAT(of_each(third + "BALLOT TEMP[0].xy, TEMP[2].xxxx\n", 4), ElementsAre(4, 4, 4, 4, 0, 0));
    EXPECT_THAT(of_each("READ_FIRST TEMP[0].x, SV[0].xxxx\n", 4), ElementsAre(0, 0, 0, 0, 4, 4));
    EXPECT_THAT(of_each("READ_INVOC TEMP[0].x, SV[0].xxxx, IMM[0].yyyy\n", 4), ElementsAre(1, 1, 1, 1, 5, 5));
    // The last subgroup has no fourth invocation; some invocations name different lanes; some lanes do not take part.
    EXPECT_THAT(of_each("READ_INVOC TEMP[0].x, SV[0].xxxx, IMM[0].wwww\n", 4), ElementsAre(3, 3, 3, 3, 0xfee1, 0xfee1));
    EXPECT_THAT(of_each("READ_INVOC TEMP[0].x, IMM[0].xxxx, SV[2].xxxx\n", 4), Each(0xfee1));
    EXPECT_THAT(of_each(third + "UIF TEMP[2].xxxx\nELSE\nREAD_INVOC TEMP[0].x, SV[0].xxxx, IMM[0].zzzz\nENDIF\n", 4),
                ElementsAre(0xfee1, 0xfee1, 4, 0xfee1, 0xfee1, 0xfee1));
    // While the size is unknown, so are the results.
    EXPECT_THAT(of_each("READ_INVOC TEMP[0].x, IMM[0].xxxx, IMM[0].yyyy\n", 0), Each(0xfee1));
    EXPECT_THAT(of_each(third + "BALLOT TEMP[0].xy, TEMP[2].xxxx\n", 0), Each(0xfee1));
}

TEST(Subgroup, WorkGroupsDoNotMix) {
    Inputs in;
    in.grid = {2, 1, 1};
    in.buffers[0] = {9, 9};
    const Result r = run(R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 2
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], BLOCK_ID
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {4, 0, 0, 0}
VOTE_ANY TEMP[0].x, SV[0].xxxx
UMUL TEMP[1].x, SV[0].xxxx, IMM[0].xxxx
STORE BUFFER[0].x, TEMP[1].xxxx, TEMP[0].xxxx
END
)",
                         in);
    EXPECT_TRUE(is_exact(r.buffers.at(0)[0]));
    EXPECT_EQ(r.buffers.at(0)[0].value, 0u);
    EXPECT_EQ(r.buffers.at(0)[1].value, ~0u);
}

}  // namespace
}  // namespace tgsi2spv::reference
