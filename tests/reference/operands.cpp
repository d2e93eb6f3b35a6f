// Registers: modifiers, indirect addressing, ranges, system values, and registers that read as zero or as undefined.
#include "reference/bench.h"

#include <gtest/gtest.h>

namespace tgsi2spv::reference {
namespace {

Inputs one_lane(std::initializer_list<Vec4> registers) {
    Inputs in;
    int32_t i = 0;
    for (const Vec4& r : registers) in.inputs[{0, i++}] = {r};
    return in;
}

TEST(Operands, AnUnknownIndexPermitsAllRegistersItMaySelect) {
    // ARR of 2.5 is 2 or 3.
    Inputs in = one_lane({{0x40200000, 0, 0, 0}});
    in.constants[0] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL CONST[0..3]
DCL ADDR[0]
DCL TEMP[0..3], ARRAY(1)
IMM[0] UINT32 {9, 9, 9, 9}
0: ARR ADDR[0].x, IN[0].xxxx
1: MOV OUT[0].x, CONST[ADDR[0].x].xxxx
2: MOV TEMP[ADDR[0].x](1), IMM[0]
3: MOV OUT[0].y, TEMP[3].xxxx
4: MOV OUT[0].z, TEMP[1].xxxx
5: END
)",
                         in);
    EXPECT_TRUE(permits(out(r, 0), 3) && permits(out(r, 0), 4) && !permits(out(r, 0), 2)) << text_of(out(r, 0));
    EXPECT_TRUE(permits(out(r, 0, 1), 0) && permits(out(r, 0, 1), 9)) << text_of(out(r, 0, 1));
    EXPECT_TRUE(is_exact(out(r, 0, 2)));
}

TEST(Operands, OutputsAreZeroWhereSomePathWritesThem) {
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
IMM[0] UINT32 {7, 8, 9, 10}
0: UIF IN[0].xxxx
1: MOV OUT[0].xy, IMM[0]
2: ENDIF
3: END
)",
                         one_lane({{0, 0, 0, 0}}));
    EXPECT_TRUE(is_exact(out(r, 0)) && out(r, 0).value == 0);
    EXPECT_TRUE(is_unknown(out(r, 0, 2)));
    EXPECT_EQ(r.written.at(0), 3);
}

TEST(Operands, SystemValuesAreComputedUnlessGiven) {
    Inputs in;
    in.lanes = 3;
    const std::string_view text =
        R"(VERT
DCL SV[0], VERTEXID
DCL SV[1], INSTANCEID
DCL OUT[0], GENERIC[0]
0: MOV OUT[0].x, SV[0].xxxx
1: MOV OUT[0].y, SV[1].xxxx
2: END
)";
    Result r = run(text, in);
    EXPECT_EQ(out(r, 2).value, 2u);
    EXPECT_EQ(out(r, 2, 1).value, 0u);
    in.system_values[0] = {{7, 0, 0, 0}, {8, 0, 0, 0}, {9, 0, 0, 0}};
    r = run(text, in);
    EXPECT_EQ(out(r, 2).value, 9u);
}

/// semantics, "System values, inputs, outputs": VERTEXID includes the base, INSTANCEID does not.
TEST(Operands, DrawsBeginWhereTheInputsSay) {
    Inputs in;
    in.lanes = 3;
    in.base_vertex = 5;
    in.base_instance = 3;
    const Result r = run(R"(VERT
DCL SV[0], VERTEXID
DCL SV[1], VERTEXID_NOBASE
DCL SV[2], BASEVERTEX
DCL SV[3], INSTANCEID
DCL SV[4], BASEINSTANCE
DCL OUT[0..1], GENERIC[0]
MOV OUT[0].x, SV[0].xxxx
MOV OUT[0].y, SV[1].xxxx
MOV OUT[0].z, SV[2].xxxx
MOV OUT[0].w, SV[3].xxxx
MOV OUT[1].x, SV[4].xxxx
END
)",
                         in);
    for (uint32_t lane = 0; lane < 3; ++lane) {
        EXPECT_EQ(out(r, lane, 0).value, 5 + lane);
        EXPECT_EQ(out(r, lane, 1).value, lane);
        EXPECT_EQ(out(r, lane, 2).value, 5u);
        EXPECT_EQ(out(r, lane, 3).value, 0u);
        EXPECT_EQ(r.outputs.at(1).at(lane)[0].value, 3u);
    }
}

TEST(Operands, PixelsStandInQuads) {
    Inputs in;
    in.lanes = 12;
    in.framebuffer_width = 4;
    const Result r = run(R"(FRAG
DCL SV[0], POSITION
DCL OUT[0], COLOR
0: MOV OUT[0], SV[0]
1: END
)",
                         in);
    const float expected[12][2] = {{0.5f, 0.5f}, {1.5f, 0.5f}, {0.5f, 1.5f}, {1.5f, 1.5f}, {2.5f, 0.5f}, {3.5f, 0.5f},
                                   {2.5f, 1.5f}, {3.5f, 1.5f}, {0.5f, 2.5f}, {1.5f, 2.5f}, {0.5f, 3.5f}, {1.5f, 3.5f}};
    for (uint32_t lane = 0; lane < 12; ++lane)
        for (size_t c = 0; c < 2; ++c) EXPECT_EQ(as_float(out(r, lane, c).value), expected[lane][c]) << lane;
}

TEST(Operands, LanesThatFillUpAQuadReadLaneZero) {
    Inputs in;
    in.lanes = 1;
    in.inputs[{0, 0}] = {{0x3f800000, 0, 0, 0}};
    const Result r = run(R"(FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
0: DDX OUT[0], IN[0]
1: END
)",
                         in);
    ASSERT_EQ(r.outputs.at(0).size(), 1u);
    EXPECT_TRUE(is_exact(out(r, 0)) && out(r, 0).value == 0) << text_of(out(r, 0));
}

TEST(Operands, APredicateOfAFloatThatIsMinusZeroOrADenormalIsUnknown) {
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL PRED[0]
IMM[0] UINT32 {7, 8, 9, 10}
0: MOV PRED[0], IN[0]
1: (PRED[0]) MOV OUT[0], IMM[0]
2: END
)",
                         one_lane({{0x7fc00000, 1, 0x80000000, 0}}));
    EXPECT_TRUE(is_exact(out(r, 0, 0)) && out(r, 0, 0).value == 7);
    EXPECT_FALSE(is_exact(out(r, 0, 1)));
    EXPECT_FALSE(is_exact(out(r, 0, 2)));
    EXPECT_TRUE(is_exact(out(r, 0, 3)) && out(r, 0, 3).value == 0);
}

}  // namespace
}  // namespace tgsi2spv::reference
