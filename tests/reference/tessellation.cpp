// TESS_CTRL: outputs that the invocations of a patch share, and barriers; TESS_EVAL: vertices and patch data as inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

std::string control(uint32_t vertices, std::string_view body) {
    return fmt::format(
        R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT {}
DCL IN[][0], GENERIC[0]
DCL SV[0], INVOCATIONID
DCL SV[1], PRIMID
DCL SV[2], VERTICESIN
DCL OUT[][0], GENERIC[0]
DCL OUT[1], TESSOUTER
DCL OUT[2], PATCH[0]
DCL TEMP[0..3]
DCL ADDR[0..1]
IMM[0] UINT32 {{0, 1, 2, 3}}
IMM[1] UINT32 {{10, 100, 5, 7}}
{})",
        vertices, body);
}

/// Vertex v of patch p holds 10 p + v + 1.
Inputs patches(uint32_t count, int32_t vertices) {
    Inputs in;
    in.lanes = in.patches = count;
    for (int32_t v = 0; v < vertices; ++v)
        for (uint32_t p = 0; p < count; ++p) {
            const uint32_t w = 10 * p + static_cast<uint32_t>(v) + 1;
            in.inputs[{v, 0}].push_back({w, w, w, w});
        }
    return in;
}

Value vertex_out(const Result& r, uint32_t patch, int32_t vertex, size_t c = 0) {
    const auto it = r.vertex_outputs.find({vertex, 0});
    return it == r.vertex_outputs.end() ? unknown(0xdead) : it->second.at(patch)[c];
}
#define EXPECT_WORD(v, w) EXPECT_TRUE(is_exact(v) && (v).value == (w)) << text_of(v)

TEST(TessControl, EachInvocationWritesItsVertex) {
    const Result r = run(control(3,
                                 R"(0: UARL ADDR[0].x, SV[0].xxxx
1: UMAD TEMP[0].x, SV[1].xxxx, IMM[1].yyyy, SV[0].xxxx
2: MOV OUT[ADDR[0].x][0].x, TEMP[0].xxxx
3: MOV OUT[ADDR[0].x][0].y, IN[ADDR[0].x][0]
4: MOV OUT[1].x, SV[2].xxxx
5: END
)"),
                         patches(2, 4));
    for (uint32_t p = 0; p < 2; ++p)
        for (uint32_t v = 0; v < 3; ++v) {
            EXPECT_WORD(vertex_out(r, p, static_cast<int32_t>(v)), 100 * p + v);
            EXPECT_WORD(vertex_out(r, p, static_cast<int32_t>(v), 1), 10 * p + v + 1);
            EXPECT_TRUE(is_unknown(vertex_out(r, p, static_cast<int32_t>(v), 2))) << "never initialised";
        }
    EXPECT_WORD(out(r, 1, 0, 1), 4u);  // all three invocations write the same value
    EXPECT_EQ(r.written.at(0), 3);
    EXPECT_EQ(r.written.at(1), 1);
    EXPECT_EQ(r.vertex_outputs.size(), 3u);
    EXPECT_FALSE(r.outputs.contains(0));
}

TEST(TessControl, ABarrierMakesWritesVisible) {
    const std::string body =
        R"(0: UARL ADDR[0].x, SV[0].xxxx
1: MOV OUT[ADDR[0].x][0].x, IN[ADDR[0].x][0].xxxx
2: {}
3: UADD TEMP[0].x, SV[0].xxxx, IMM[0].yyyy
4: AND TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
5: UARL ADDR[1].x, TEMP[0].xxxx
6: MOV OUT[ADDR[0].x][0].y, OUT[ADDR[1].x][0].xxxx
7: MOV OUT[ADDR[0].x][0].z, OUT[ADDR[0].x][0].xxxx
8: END
)";
    const Result with = run(control(2, fmt::format(fmt::runtime(body), "BARRIER")), patches(2, 2));
    EXPECT_WORD(vertex_out(with, 1, 0, 1), 12u);
    EXPECT_WORD(vertex_out(with, 1, 1, 1), 11u);
    const Result without = run(control(2, fmt::format(fmt::runtime(body), "NOP")), patches(2, 2));
    EXPECT_TRUE(is_unknown(vertex_out(without, 1, 0, 1)));
    EXPECT_WORD(vertex_out(without, 1, 0, 0), 11u);
    // An invocation may read its own writes.
    EXPECT_WORD(vertex_out(without, 1, 1, 2), 12u);
}

TEST(TessControl, PatchOutputsOfSeveralInvocationsMustAgree) {
    const Result r = run(control(4,
                                 R"(0: MOV OUT[2].x, SV[1].xxxx
1: MOV OUT[2].y, SV[0].xxxx
2: USEQ TEMP[0].x, SV[0].xxxx, IMM[0].zzzz
3: UIF TEMP[0].xxxx
4: MOV OUT[2].z, SV[0].xxxx
5: ENDIF
6: END
)"),
                         patches(2, 4));
    EXPECT_WORD(out(r, 1, 0, 2), 1u);
    EXPECT_TRUE(is_unknown(out(r, 1, 1, 2)));
    EXPECT_WORD(out(r, 1, 2, 2), 2u);
    EXPECT_TRUE(is_unknown(out(r, 1, 3, 2)));
}

TEST(TessControl, TheLastWriteBeforeABarrierCounts) {
    // One invocation writes 5; after a barrier, another one writes 7.
    const Result r = run(control(2,
                                 R"(0: UIF SV[0].xxxx
1: MOV OUT[2].x, IMM[1].zzzz
2: ENDIF
3: BARRIER
4: MOV TEMP[0].x, OUT[2].xxxx
5: BARRIER
6: UIF SV[0].xxxx
7: ELSE
8: MOV OUT[2].x, IMM[1].wwww
9: ENDIF
10: UARL ADDR[0].x, SV[0].xxxx
11: MOV OUT[ADDR[0].x][0].x, TEMP[0].xxxx
12: END
)"),
                         patches(1, 2));
    EXPECT_WORD(out(r, 0, 0, 2), 7u);
    EXPECT_WORD(vertex_out(r, 0, 0), 5u);
    EXPECT_WORD(vertex_out(r, 0, 1), 5u);
}

TEST(TessControl, AReadThatALaterWriteMayOvertakeIsUnknown) {
    // Without the second barrier of the previous test, the read may return 5 or 7.
    const Result r = run(control(2,
                                 R"(0: UIF SV[0].xxxx
1: MOV OUT[2].x, IMM[1].zzzz
2: ENDIF
3: BARRIER
4: MOV TEMP[0].x, OUT[2].xxxx
5: UIF SV[0].xxxx
6: ELSE
7: MOV OUT[2].x, IMM[1].wwww
8: ENDIF
9: UARL ADDR[0].x, SV[0].xxxx
10: MOV OUT[ADDR[0].x][0].x, TEMP[0].xxxx
11: END
)"),
                         patches(1, 2));
    EXPECT_TRUE(is_unknown(vertex_out(r, 0, 1)));
}

TEST(TessControl, SuchAReadIsAllThatIsUnknown) {
    // Each invocation reads OUT[2].x and then writes it: nothing orders the read and the other's write. Values that do
    // not depend on the read are known.
    const std::string body =
        R"(0: UIF SV[0].xxxx
1: MOV OUT[2].x, IMM[1].zzzz
2: ENDIF
3: BARRIER
4: MOV TEMP[0].x, OUT[2].xxxx
5: UIF {}
6: MOV OUT[2].x, IMM[1].wwww
7: ENDIF
8: UARL ADDR[0].x, SV[0].xxxx
9: MOV OUT[ADDR[0].x][0].x, TEMP[0].xxxx
10: MOV OUT[ADDR[0].x][0].y, SV[0].xxxx
11: MOV OUT[2].y, IMM[1].zzzz
12: END
)";
    // In both patches, and in the second one alone.
    for (const bool both : {true, false}) {
        const Result r =
            run(control(2, fmt::format(fmt::runtime(body), both ? "IMM[0].yyyy" : "SV[1].xxxx")), patches(2, 2));
        for (const uint32_t patch : {0u, 1u}) {
            const bool races = both || patch == 1;
            EXPECT_EQ(is_unknown(vertex_out(r, patch, 1)), races) << patch;
            EXPECT_WORD(vertex_out(r, patch, 0, 1), 0u);
            EXPECT_WORD(vertex_out(r, patch, 1, 1), 1u);
            EXPECT_WORD(out(r, patch, 1, 2), 5u);
            EXPECT_WORD(out(r, patch, 0, 2), races ? 7u : 5u);
        }
    }
    // A branch on such a read is uncertain.
    const Result branch = run(control(2,
                                      R"(0: MOV OUT[2].x, IMM[1].zzzz
1: BARRIER
2: MOV TEMP[0].x, OUT[2].xxxx
3: MOV OUT[2].x, SV[0].xxxx
4: UIF TEMP[0].xxxx
5: MOV TEMP[1].x, IMM[1].wwww
6: ENDIF
7: UARL ADDR[0].x, SV[0].xxxx
8: MOV OUT[ADDR[0].x][0].x, TEMP[1].xxxx
9: END
)"),
                              patches(1, 2));
    const Value v = vertex_out(branch, 0, 0);
    EXPECT_TRUE(permits(v, 0) && permits(v, 7) && !permits(v, 5)) << text_of(v);
    EXPECT_TRUE(is_unknown(out(branch, 0, 0, 2)));
}

TEST(TessControl, BarriersStandInFlowThatAPatchShares) {
    // Three iterations, in each of which every invocation adds its neighbour's number.
    const std::string body =
        R"(0: UARL ADDR[0].x, SV[0].xxxx
1: MOV OUT[ADDR[0].x][0].x, IN[ADDR[0].x][0].xxxx
2: BGNLOOP
3: BARRIER
4: UADD TEMP[0].x, SV[0].xxxx, IMM[0].yyyy
5: AND TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
6: UARL ADDR[1].x, TEMP[0].xxxx
7: MOV TEMP[1].x, OUT[ADDR[1].x][0].xxxx
8: BARRIER
9: UADD OUT[ADDR[0].x][0].x, OUT[ADDR[0].x][0].xxxx, TEMP[1].xxxx
10: UADD TEMP[2].x, TEMP[2].xxxx, IMM[0].yyyy
11: USGE TEMP[3].x, TEMP[2].xxxx, {}
12: UIF TEMP[3].xxxx
13: BRK
14: ENDIF
15: ENDLOOP
16: END
)";
    const Result r = run(control(2, fmt::format(fmt::runtime(body), "IMM[0].wwww")), patches(2, 2));
    // 1, 2 -> 3, 3 -> 6, 6 -> 12, 12; and 11, 12 -> 23, 46, 92.
    EXPECT_WORD(vertex_out(r, 0, 0), 12u);
    EXPECT_WORD(vertex_out(r, 0, 1), 12u);
    EXPECT_WORD(vertex_out(r, 1, 1), 92u);
    // The two patches leave the loop after different numbers of iterations; the invocations of each leave together.
    const Result apart = run(control(2, fmt::format(fmt::runtime(body), "IN[0][0].xxxx")), patches(2, 2));
    EXPECT_WORD(vertex_out(apart, 0, 0), 3u);
    EXPECT_FALSE(is_unknown(vertex_out(apart, 1, 0)));
}

TEST(TessControl, ABarrierThatSomeMissLosesThePatch) {
    const Result r = run(control(2,
                                 R"(0: UARL ADDR[0].x, SV[0].xxxx
1: MOV OUT[ADDR[0].x][0].x, SV[0].xxxx
2: UIF SV[1].xxxx
3: UIF SV[0].xxxx
4: BARRIER
5: ENDIF
6: ENDIF
7: END
)"),
                         patches(2, 2));
    EXPECT_WORD(vertex_out(r, 0, 1), 1u);
    EXPECT_TRUE(is_unknown(vertex_out(r, 1, 1)));
}

TEST(TessControl, VerticesBeyondThePatch) {
    const auto read = [](std::string_view index) {
        return run(control(1, fmt::format("0: UARL ADDR[0].x, IMM[1].{0}\n1: MOV OUT[0][0].x, IN[ADDR[0].x][0].xxxx\n"
                                          "2: END\n",
                                          index)),
                   patches(1, 8));
    };
    EXPECT_WORD(vertex_out(read("wwww"), 0, 0), 8u);          // vertex 7
    EXPECT_TRUE(is_unknown(vertex_out(read("xxxx"), 0, 0)));  // vertex 10 of 8: a device has room for 32
    EXPECT_WORD(vertex_out(read("yyyy"), 0, 0), 0u);          // vertex 100
}

TEST(TessControl, LimitsAreChecked) {
    for (const char* vertices : {"0", "33", "4000000000"}) {
        const Shader s = shader(fmt::format(R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT {}
DCL OUT[0], TESSOUTER
IMM[0] UINT32 {{1, 0, 0, 0}}
0: MOV OUT[0], IMM[0]
1: END
)",
                                            vertices));
        const std::string error = s.error.empty() ? run(s.program, s.registers, {}, {}).error : s.error;
        EXPECT_THAT(error, testing::HasSubstr("TCS_VERTICES_OUT")) << vertices;
    }
}

/// Semantics, System values: an index reaches registers with as many brackets as the operand. A component that its
/// declaration leaves out, or that the semantic lacks, reads 0 and drops writes by an index.
TEST(TessControl, AnIndexReachesPatchDataAndTheComponentsItHas) {
    const Result r = run(R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 1
DCL OUT[][0], GENERIC[0]
DCL OUT[1], TESSINNER
DCL OUT[2].xyz, PATCH
DCL OUT[3], PATCH[1]
DCL OUT[4], PATCH[2]
DCL TEMP[0..3]
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 7}
UARL ADDR[0].xyz, IMM[0].xyzz
MOV OUT[0][0], IMM[0].wwww
MOV OUT[ADDR[0].x], IMM[0].wwww
MOV OUT[ADDR[0].y], IMM[0].wwww
MOV OUT[ADDR[0].z], IMM[0].wwww
MOV OUT[0][ADDR[0].y+2], IMM[0].wwww
MOV TEMP[0], OUT[ADDR[0].x]
MOV TEMP[1], OUT[ADDR[0].y]
MOV TEMP[2], OUT[0][ADDR[0].z]
MOV OUT[4].x, OUT[2].wwww
MOV OUT[4].y, TEMP[0].xxxx
MOV OUT[4].z, TEMP[2].xxxx
MOV OUT[3], TEMP[1]
END
)",
                         patches(1, 1));
    const auto expect = [&](int32_t reg, std::initializer_list<uint32_t> words) {
        for (size_t c = 0; c < words.size(); ++c) EXPECT_WORD(out(r, 0, c, reg), *(words.begin() + c));
    };
    expect(3, {7, 7, 0, 0});
    expect(4, {0, 0, 0});
    expect(2, {7, 7, 7});
    EXPECT_EQ(r.written.at(1), 3);
    EXPECT_EQ(r.written.at(2), 7);
}

TEST(TessEval, AnIndexDoesNotCrossBetweenVerticesAndPatchData) {
    Inputs in = patches(1, 2);
    in.patches = 0;
    in.inputs[{0, 1}] = {{5, 5, 5, 5}};
    const Result r = run(R"(TESS_EVAL
PROPERTY TES_PRIM_MODE TRIANGLES
DCL IN[][0], GENERIC[0]
DCL IN[1], PATCH[0]
DCL OUT[0], POSITION
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 7}
UARL ADDR[0].xy, IMM[0]
MOV OUT[0].x, IN[0][ADDR[0].y]
MOV OUT[0].y, IN[ADDR[0].x]
MOV OUT[0].z, IN[ADDR[0].y]
MOV OUT[0].w, IN[ADDR[0].y][ADDR[0].x]
END
)",
                         in);
    const uint32_t right[4] = {0, 0, 5, 2};
    for (size_t c = 0; c < 4; ++c) EXPECT_WORD(out(r, 0, c), right[c]);
}

TEST(TessEval, ReadsVerticesAndPatchData) {
    Inputs in = patches(3, 3);
    in.patches = 0;
    in.inputs[{0, 1}] = {{5, 0, 0, 0}, {6, 0, 0, 0}, {7, 0, 0, 0}};
    in.system_values[0] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}};
    const Result r = run(
        R"(TESS_EVAL
PROPERTY TES_PRIM_MODE TRIANGLES
DCL IN[][0], GENERIC[0]
DCL IN[1], PATCH[0]
DCL SV[0], TESSCOORD
DCL SV[1], VERTICESIN
DCL SV[2], TESSOUTER
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL ADDR[0]
0: UARL ADDR[0].x, SV[0].xxxx
1: MOV OUT[0].x, IN[ADDR[0].x][0]
2: MOV OUT[0].y, IN[1].xxxx
3: MOV OUT[0].z, SV[1].xxxx
4: MOV OUT[0].w, IN[2][0]
5: MOV OUT[1], SV[2]
6: END
)",
        in);
    for (uint32_t lane = 0; lane < 3; ++lane) {
        EXPECT_WORD(out(r, lane, 0), 10 * lane + lane + 1);
        EXPECT_WORD(out(r, lane, 1), 5 + lane);
        EXPECT_WORD(out(r, lane, 2), 3u);
        EXPECT_WORD(out(r, lane, 3), 10 * lane + 3);
        EXPECT_WORD(out(r, lane, 0, 1), 0u);  // absent entries are zero
    }
}

}  // namespace
}  // namespace tgsi2spv::reference
