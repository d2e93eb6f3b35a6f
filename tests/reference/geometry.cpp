// GEOM: inputs by vertex, emitted vertices, primitives, streams, invocations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

using testing::ElementsAre;

std::string geom(std::string_view properties, std::string_view body, std::string_view primitive = "TRIANGLES") {
    return fmt::format(
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE {}
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
{}DCL IN[][0], GENERIC[0]
DCL OUT[0], POSITION
DCL TEMP[0..3]
DCL ADDR[0]
IMM[0] UINT32 {{0, 1, 2, 3}}
IMM[1] INT32 {{-1, 4, 5, 10}}
{})",
        primitive, properties, body);
}
constexpr std::string_view kSixteen = "PROPERTY GS_MAX_OUTPUT_VERTICES 16\n";

/// Vertex v of lane l holds 100 l + v + 1 in x.
Inputs primitives(uint32_t lanes, int32_t vertices = 3) {
    Inputs in;
    in.lanes = lanes;
    for (int32_t v = 0; v < vertices; ++v)
        for (uint32_t l = 0; l < lanes; ++l)
            in.inputs[{v, 0}].push_back({100 * l + static_cast<uint32_t>(v) + 1, 7, 8, 9});
    return in;
}

/// Returns "stream/primitive:x" for each vertex of a lane.
std::vector<std::string> vertices(const Result& r, size_t lane = 0) {
    std::vector<std::string> all;
    for (const Emitted& v : r.emitted.at(lane)) {
        const Value& x = v.outputs.at(0)[0];
        all.push_back(fmt::format("{}/{}:{}", v.stream, v.primitive,
                                  is_exact(x) ? std::to_string(x.value) : "?" + std::to_string(x.value)));
    }
    return all;
}

TEST(Geometry, EmitsOutputsAndKeepsThem) {
    const Result r = run(geom(kSixteen,
                              R"(0: MOV OUT[0], IN[0][0]
1: EMIT IMM[0].xxxx
2: MOV OUT[0].x, IN[1][0]
3: EMIT IMM[0].xxxx
4: ENDPRIM IMM[0].xxxx
5: EMIT
6: ENDPRIM
7: END
)"),
                         primitives(2));
    EXPECT_THAT(vertices(r, 0), ElementsAre("0/0:1", "0/0:2", "0/1:2"));
    EXPECT_THAT(vertices(r, 1), ElementsAre("0/0:101", "0/0:102", "0/1:102"));
    EXPECT_EQ(r.emitted[0][1].outputs.at(0)[1].value, 7u) << "y was not written again";
    EXPECT_THAT(r.emitted_unknown, ElementsAre(false, false));
    EXPECT_EQ(r.written.at(0), 0xf);
    EXPECT_TRUE(r.outputs.empty());
}

TEST(Geometry, InputsWithTheNumberOfVerticesAreArraysToo) {
    std::string text = geom(kSixteen, "0: MOV OUT[0], IN[1][0]\n1: EMIT IMM[0].xxxx\n2: END\n");
    text.replace(text.find("IN[][0]"), 7, "IN[3][0]");
    EXPECT_THAT(vertices(run(text, primitives(1)), 0), ElementsAre("0/0:2"));
}

TEST(Geometry, EndprimWithoutAVertexDoesNothing) {
    const Result r = run(geom(kSixteen,
                              R"(0: ENDPRIM IMM[0].xxxx
1: MOV OUT[0], IN[0][0]
2: EMIT IMM[0].xxxx
3: ENDPRIM IMM[0].xxxx
4: ENDPRIM IMM[0].xxxx
5: EMIT IMM[0].xxxx
6: END
)"),
                         primitives(1));
    EXPECT_THAT(vertices(r), ElementsAre("0/0:1", "0/1:1"));
}

TEST(Geometry, EmitsNoMoreThanTheLimit) {
    const Result r = run(geom("PROPERTY GS_MAX_OUTPUT_VERTICES 3\n",
                              R"(0: BGNLOOP
1: USGE TEMP[1].x, TEMP[0].xxxx, IMM[1].wwww
2: UIF TEMP[1].xxxx
3: BRK
4: ENDIF
5: MOV OUT[0], TEMP[0].xxxx
6: EMIT IMM[0].xxxx
7: UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
8: ENDLOOP
9: END
)"),
                         primitives(1));
    EXPECT_THAT(vertices(r), ElementsAre("0/0:0", "0/0:1", "0/0:2"));
    EXPECT_FALSE(r.emitted_unknown[0]);
}

TEST(Geometry, LanesEmitSeparately) {
    // Lane l emits as many vertices as the x of its first vertex says: 1 and 101, limited to 16.
    const Result r = run(geom(kSixteen,
                              R"(0: BGNLOOP
1: USGE TEMP[1].x, TEMP[0].xxxx, IN[0][0].xxxx
2: UIF TEMP[1].xxxx
3: BRK
4: ENDIF
5: MOV OUT[0].x, TEMP[0].xxxx
6: EMIT IMM[0].xxxx
7: UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
8: ENDLOOP
9: END
)"),
                         primitives(2));
    EXPECT_EQ(r.emitted[0].size(), 1u);
    EXPECT_EQ(r.emitted[1].size(), 16u);
}

TEST(Geometry, WithoutALimitThirtyTwoVerticesAreEmittedAndWithZeroNone) {
    std::string body = "MOV OUT[0], IN[0][0]\n";
    for (int i = 0; i < 40; ++i) body += "EMIT IMM[0].xxxx\n";
    EXPECT_EQ(run(geom("", body + "END\n"), primitives(1)).emitted.at(0).size(), 32u);
    EXPECT_EQ(run(geom("PROPERTY GS_MAX_OUTPUT_VERTICES 0\n", body + "END\n"), primitives(1)).emitted.at(0).size(), 0u);
}

TEST(Geometry, VerticesAreIndexedAndZeroOutside) {
    Inputs in = primitives(4);
    for (uint32_t l = 0; l < 4; ++l) in.inputs[{0, 0}][l] = {l, 0, 0, 0};  // the vertex to read: 0, 1, 2, 3
    const Result r = run(geom(kSixteen,
                              R"(0: UARL ADDR[0].x, IN[0][0].xxxx
1: MOV OUT[0].x, IN[ADDR[0].x][0]
2: EMIT IMM[0].xxxx
3: MOV OUT[0].x, IN[ADDR[0].x-1][0]
4: EMIT IMM[0].xxxx
5: END
)"),
                         in);
    EXPECT_THAT(vertices(r, 0), ElementsAre("0/0:0", "0/0:0"));
    EXPECT_THAT(vertices(r, 1), ElementsAre("0/0:102", "0/0:1"));
    EXPECT_THAT(vertices(r, 2), ElementsAre("0/0:203", "0/0:202"));
    EXPECT_THAT(vertices(r, 3), ElementsAre("0/0:0", "0/0:303"));
}

TEST(Geometry, AnIndexThatIsNotKnownReadsAnyOfItsVertices) {
    // 1/3 times 3, rounded down, is 0 or 1.
    Inputs in = primitives(1);
    in.inputs[{0, 0}][0][1] = as_word(3.0f);
    const Result r = run(geom(kSixteen,
                              R"(0: RCP TEMP[0].x, IN[0][0].yyyy
1: MUL TEMP[0].x, TEMP[0].xxxx, IN[0][0].yyyy
2: ARL ADDR[0].x, TEMP[0].xxxx
3: MOV OUT[0].x, IN[ADDR[0].x][0]
4: EMIT IMM[0].xxxx
5: END
)"),
                         in);
    const Value& x = r.emitted[0].at(0).outputs.at(0)[0];
    EXPECT_TRUE(permits(x, 1) && permits(x, 2) && !permits(x, 3)) << text_of(x);
}

TEST(Geometry, StreamsHaveTheirOwnPrimitivesAndOutputs) {
    const std::string head =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 8
DCL IN[][0], GENERIC[0]
DCL OUT[0], GENERIC[0], STREAM(0, 1, 3, 0)
DCL OUT[1], GENERIC[1], STREAM(1, 1, 1, 1)
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 2, 3}
)";
    const Result r = run(head +
                             R"(0: MOV OUT[0], IN[0][0].xxxx
1: EMIT IMM[0].xxxx
2: EMIT IMM[0].yyyy
3: ENDPRIM IMM[0].yyyy
4: EMIT IMM[0].wwww
5: EMIT IMM[0].yyyy
6: EMIT IMM[0].xxxx
7: END
)",
                         primitives(1, 1));
    std::vector<std::string> all;
    for (const Emitted& v : r.emitted[0]) {
        all.push_back(fmt::format("{}/{}", v.stream, v.primitive));
        const auto& words = v.outputs.at(0);
        EXPECT_EQ(is_exact(words[0]), v.stream == 0);
        EXPECT_EQ(is_exact(words[1]), v.stream == 1);
        EXPECT_EQ(is_exact(words[2]), v.stream == 3);
        EXPECT_EQ(v.outputs.contains(1), v.stream == 1);
    }
    EXPECT_THAT(all, ElementsAre("0/0", "1/0", "3/0", "1/1", "0/0"));
    // A stream that does not exist.
    const Result none = run(head + "0: MOV OUT[0], IN[0][0]\n1: EMIT IN[0][0].yyyy\n2: END\n", primitives(1, 1));
    EXPECT_TRUE(none.emitted_unknown[0]);
}

TEST(Geometry, InvocationsFollowOneAnother) {
    const std::string text =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE LINES
PROPERTY GS_OUTPUT_PRIMITIVE LINE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 2
PROPERTY GS_INVOCATIONS 3
DCL IN[][0], GENERIC[0]
DCL SV[0], INVOCATIONID
DCL SV[1], PRIMID
DCL OUT[0], GENERIC[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 10, 2, 3}
0: UMAD OUT[0].x, SV[0].xxxx, IMM[0].yyyy, IN[1][0].xxxx
1: EMIT IMM[0].xxxx
2: ENDPRIM IMM[0].xxxx
3: MOV OUT[0].x, SV[1].xxxx
4: EMIT IMM[0].xxxx
5: EMIT IMM[0].xxxx
6: END
)";
    const Result r = run(text, primitives(2, 2));
    EXPECT_THAT(vertices(r, 0), ElementsAre("0/0:2", "0/1:0", "0/2:12", "0/3:0", "0/4:22", "0/5:0"));
    EXPECT_THAT(vertices(r, 1), ElementsAre("0/0:102", "0/1:1", "0/2:112", "0/3:1", "0/4:122", "0/5:1"));
}

TEST(Geometry, PrimIdIsOneAPrimitiveHoweverItIsDeclared) {
    const auto text = [](std::string_view declaration, std::string_view read) {
        return fmt::format(
            R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES_ADJACENCY
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 2
{}
DCL OUT[0], GENERIC[0]
IMM[0] UINT32 {{0, 1, 2, 3}}
0: MOV OUT[0].x, {}.xxxx
1: EMIT IMM[0].xxxx
2: END
)",
            declaration, read);
    };
    EXPECT_THAT(vertices(run(text("DCL IN[0], PRIMID", "IN[0]"), primitives(1, 0)), 0), ElementsAre("0/0:0"));
    Inputs two;
    two.lanes = 2;
    EXPECT_THAT(vertices(run(text("DCL IN[0], PRIMID", "IN[0]"), two), 1), ElementsAre("0/0:1"));
    EXPECT_THAT(vertices(run(text("DCL IN[][0], PRIMID", "IN[0]"), two), 1), ElementsAre("0/0:1"));
    // The inputs may set it.
    two.inputs[{0, 0}] = {{5, 0, 0, 0}, {6, 0, 0, 0}};
    EXPECT_THAT(vertices(run(text("DCL IN[][0], PRIMID", "IN[0]"), two), 1), ElementsAre("0/0:6"));
    EXPECT_THAT(vertices(run(text("DCL IN[][0], GENERIC[1]", "IN[5][0]"), primitives(1, 6)), 0), ElementsAre("0/0:6"));
}

TEST(Geometry, AnUncertainVertexMakesTheLaneUnknown) {
    // 1.0 ÷ 3.0 may be on either side of the nearest float; 1.0 ÷ 2.0 is exact.
    Inputs in = primitives(2);
    in.inputs[{0, 0}][0][1] = as_word(3.0f);
    in.inputs[{0, 0}][1][1] = as_word(2.0f);
    const Result r = run(geom(kSixteen,
                              R"(IMM[2] UINT32 {0x3eaaaaab, 0, 0, 0}
0: MOV OUT[0], IN[0][0]
1: EMIT IMM[0].xxxx
2: RCP TEMP[0].x, IN[0][0].yyyy
3: FSLT TEMP[1].x, TEMP[0].xxxx, IMM[2].xxxx
4: UIF TEMP[1].xxxx
5: EMIT IMM[0].xxxx
6: ENDIF
7: END
)"),
                         in);
    EXPECT_THAT(r.emitted_unknown, ElementsAre(true, false));
    EXPECT_EQ(r.emitted[1].size(), 1u);
}

TEST(Geometry, EndlessLoopsLoseTheLane) {
    Options o;
    o.max_steps = 1000;
    const Result r = run(geom(kSixteen,
                              R"(0: MOV OUT[0], IN[0][0]
1: EMIT IMM[0].xxxx
2: USEQ TEMP[0].x, IN[0][0].xxxx, IMM[0].yyyy
3: UIF TEMP[0].xxxx
4: BGNLOOP
5: EMIT IMM[0].xxxx
6: ENDLOOP
7: ENDIF
8: END
)"),
                         primitives(2), o);
    EXPECT_TRUE(r.emitted_unknown[0]);
}

TEST(Geometry, LimitsAreChecked) {
    const auto error = [](std::string_view properties, std::string_view primitive) {
        const Shader s = shader(geom(properties, "0: MOV OUT[0], IN[0][0]\n1: EMIT\n2: END\n", primitive));
        return s.error.empty() ? run(s.program, s.registers, {}, {}).error : s.error;
    };
    EXPECT_THAT(error("PROPERTY GS_MAX_OUTPUT_VERTICES 4\nPROPERTY GS_INVOCATIONS 4000000000\n", "POINTS"),
                testing::HasSubstr("GS_INVOCATIONS"));
    EXPECT_THAT(error("PROPERTY GS_MAX_OUTPUT_VERTICES 4\n", "QUADS"), testing::HasSubstr("GS_INPUT_PRIMITIVE"));
}

}  // namespace
}  // namespace tgsi2spv::reference
