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

void expect_words(const Result& r, int32_t reg, Vec4 words) {
    for (size_t c = 0; c < 4; ++c) {
        const Value& v = out(r, 0, c, reg);
        EXPECT_TRUE(is_exact(v) && v.value == words[c])
            << "OUT[" << reg << "]."
            << "xyzw"[c] << text_of(v) << ", expected " << std::hex << words[c];
    }
}

TEST(Operands, SourcesAreReadBeforeDestinationsAreWritten) {
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL TEMP[0]
0: MOV TEMP[0], IN[0]
1: UADD TEMP[0], TEMP[0].wzyx, TEMP[0].yyyy
2: MOV OUT[0], TEMP[0]
3: END
)",
                         one_lane({{1, 2, 3, 4}}));
    expect_words(r, 0, {6, 5, 4, 3});
    // This includes components that an opcode passes through.
    const Result dst = run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL TEMP[0]
0: MOV TEMP[0], IN[0]
1: DST TEMP[0], TEMP[0].xyyw, TEMP[0].xyzy
2: MOV OUT[0], TEMP[0]
3: END
)",
                           one_lane({{0, 0x40000000, 0, 0}}));
    expect_words(dst, 0, {0x3f800000, 0x40800000, 0x40000000, 0x40000000});
}

TEST(Operands, ModifiersFollowTheOperandsType) {
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0..3], GENERIC[0]
0: MOV OUT[0], -IN[0]
1: MOV OUT[1], |IN[0]|
2: MOV OUT[2], -|IN[0]|
3: UADD OUT[3], -IN[0].xxxx, IN[0].xxxx
4: END
)",
                         one_lane({{0x3f800000, 0xc0000000, 0x80000000, 0xff800000}}));
    expect_words(r, 0, {0xbf800000, 0x40000000, 0, 0x7f800000});
    expect_words(r, 1, {0x3f800000, 0x40000000, 0, 0x7f800000});
    expect_words(r, 2, {0xbf800000, 0xc0000000, 0x80000000, 0xff800000});
    expect_words(r, 3, {0, 0, 0, 0});
    const Result integers = run(R"(VERT
DCL IN[0]
DCL OUT[0..1], GENERIC[0]
IMM INT32 {0, 0, 0, 0}
0: UADD OUT[0], |IN[0]|, IMM[0]
1: UADD OUT[1], -|IN[0]|, IMM[0]
2: END
)",
                                one_lane({{24, 0xffffffe8, 0, 0x80000000}}));
    expect_words(integers, 0, {24, 24, 0, 0x80000000});
    expect_words(integers, 1, {0xffffffe8, 0xffffffe8, 0, 0x80000000});
}

TEST(Operands, ConstantsOfTwoDimensionsAndOutside) {
    Inputs in = one_lane({{0, 1, 2, 0xffffffff}});
    in.constants[0] = {1, 2, 3, 4, 5, 6, 7, 8};
    in.constants[2] = {11, 12, 13, 14, 15};
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0..5], GENERIC[0]
DCL CONST[0][0..1]
DCL CONST[2][0..1]
DCL ADDR[0]
0: UARL ADDR[0], IN[0]
1: MOV OUT[0], CONST[0][ADDR[0].y]
2: MOV OUT[1], CONST[ADDR[0].z][0]
3: MOV OUT[2], CONST[0][ADDR[0].z]
4: MOV OUT[3], CONST[0][ADDR[0].w]
5: MOV OUT[4], CONST[2][1]
6: MOV OUT[5], CONST[ADDR[0].z][ADDR[0].x]
7: END
)",
                         in);
    expect_words(r, 0, {5, 6, 7, 8});
    expect_words(r, 1, {11, 12, 13, 14});
    expect_words(r, 2, {0, 0, 0, 0});
    expect_words(r, 3, {0, 0, 0, 0});
    expect_words(r, 4, {15, 0, 0, 0});  // past the end of the bound buffer
    expect_words(r, 5, {11, 12, 13, 14});
}

/// Semantics, Addressing: the words between two declared ranges are the buffer's own, for any index; not those beyond
/// them.
TEST(Operands, ConstantsBetweenDeclaredRangesAreTheBuffers) {
    Inputs in = one_lane({{0, 1, 2, 3}});
    for (uint32_t i = 1; i <= 16; ++i) in.constants[0].push_back(i);
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0..3], GENERIC[0]
DCL CONST[0][0]
DCL CONST[0][2]
DCL ADDR[0]
UARL ADDR[0], IN[0]
MOV OUT[0], CONST[0][ADDR[0].y]
MOV OUT[1], CONST[0][1]
MOV OUT[2], CONST[0][ADDR[0].w]
MOV OUT[3], CONST[ADDR[0].x][ADDR[0].y]
END
)",
                         in);
    for (const int32_t reg : {0, 1, 3}) expect_words(r, reg, {5, 6, 7, 8});
    expect_words(r, 2, {0, 0, 0, 0});
}

TEST(Operands, AnArrayIdBoundsTheAccess) {
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0..2], GENERIC[0]
DCL TEMP[0..1], ARRAY(1)
DCL TEMP[2..3], ARRAY(2)
DCL ADDR[0]
IMM[0] UINT32 {7, 8, 9, 10}
0: UARL ADDR[0], IN[0]
1: MOV TEMP[ADDR[0].x](1), IMM[0]
2: MOV TEMP[ADDR[0].y](1), IMM[0]
3: MOV OUT[0], TEMP[1]
4: MOV OUT[1], TEMP[2]
5: MOV OUT[2], TEMP[ADDR[0].x](2)
6: END
)",
                         one_lane({{1, 2, 0, 0}}));
    expect_words(r, 0, {7, 8, 9, 10});
    expect_words(r, 1, {0, 0, 0, 0});
    expect_words(r, 2, {0, 0, 0, 0});
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

TEST(Operands, PredicatesMaskComponents) {
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL PRED[0]
IMM[0] UINT32 {7, 8, 9, 10}
0: UADD PRED[0], IN[0], IN[0]
1: (PRED[0]) MOV OUT[0], IMM[0]
2: END
)",
                         one_lane({{0, 1, 0x40000000, 0}}));
    expect_words(r, 0, {0, 8, 9, 0});
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

TEST(Operands, APredicateIsReadBeforeItIsWritten) {
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL PRED[0]
IMM[0] UINT32 {1, 1, 1, 1}
IMM[1] UINT32 {0, 0, 0, 0}
0: MOV PRED[0], IN[0]
1: (PRED[0].xxxx) MOV PRED[0], IMM[1]
2: (!PRED[0]) MOV OUT[0], IMM[0]
3: END
)",
                         one_lane({{kOne, kOne, 0, kOne}}));
    expect_words(r, 0, {1, 1, 1, 1});
}

TEST(Operands, FogOfTheOlderEditionsIsAScalar) {
    const std::string_view text =
        R"(FRAG
DCL IN[0], FOG, PERSPECTIVE
DCL OUT[0], COLOR
0: MOV OUT[0], IN[0]
1: END
)";
    Options o;
    o.dialect = tgsi::Dialect::Oldest;
    expect_words(run(text, one_lane({{5, 6, 7, 8}}), o), 0, {5, 0, 0, 0x3f800000});
    expect_words(run(text, one_lane({{5, 6, 7, 8}})), 0, {5, 6, 7, 8});
}

}  // namespace
}  // namespace tgsi2spv::reference
