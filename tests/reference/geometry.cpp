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
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE {}\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n{}"
        "DCL IN[][0], GENERIC[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..3]\nDCL ADDR[0]\n"
        "IMM[0] UINT32 {{0, 1, 2, 3}}\nIMM[1] INT32 {{-1, 4, 5, 10}}\n{}",
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
                              "0: MOV OUT[0], IN[0][0]\n1: EMIT IMM[0].xxxx\n2: MOV OUT[0].x, IN[1][0]\n"
                              "3: EMIT IMM[0].xxxx\n4: ENDPRIM IMM[0].xxxx\n5: EMIT\n6: ENDPRIM\n7: END\n"),
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
                              "0: ENDPRIM IMM[0].xxxx\n1: MOV OUT[0], IN[0][0]\n2: EMIT IMM[0].xxxx\n"
                              "3: ENDPRIM IMM[0].xxxx\n4: ENDPRIM IMM[0].xxxx\n5: EMIT IMM[0].xxxx\n6: END\n"),
                         primitives(1));
    EXPECT_THAT(vertices(r), ElementsAre("0/0:1", "0/1:1"));
}

TEST(Geometry, EmitsNoMoreThanTheLimit) {
    const Result r = run(geom("PROPERTY GS_MAX_OUTPUT_VERTICES 3\n",
                              "0: BGNLOOP\n1: USGE TEMP[1].x, TEMP[0].xxxx, IMM[1].wwww\n2: UIF TEMP[1].xxxx\n3: BRK\n"
                              "4: ENDIF\n5: MOV OUT[0], TEMP[0].xxxx\n6: EMIT IMM[0].xxxx\n"
                              "7: UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n8: ENDLOOP\n9: END\n"),
                         primitives(1));
    EXPECT_THAT(vertices(r), ElementsAre("0/0:0", "0/0:1", "0/0:2"));
    EXPECT_FALSE(r.emitted_unknown[0]);
}

TEST(Geometry, LanesEmitSeparately) {
    // Lane l emits as many vertices as the x of its first vertex says: 1 and 101, limited to 16.
    const Result r = run(geom(kSixteen,
                              "0: BGNLOOP\n1: USGE TEMP[1].x, TEMP[0].xxxx, IN[0][0].xxxx\n2: UIF TEMP[1].xxxx\n"
                              "3: BRK\n4: ENDIF\n5: MOV OUT[0].x, TEMP[0].xxxx\n6: EMIT IMM[0].xxxx\n"
                              "7: UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n8: ENDLOOP\n9: END\n"),
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
    const Result r =
        run(geom(kSixteen,
                 "0: UARL ADDR[0].x, IN[0][0].xxxx\n1: MOV OUT[0].x, IN[ADDR[0].x][0]\n"
                 "2: EMIT IMM[0].xxxx\n3: MOV OUT[0].x, IN[ADDR[0].x-1][0]\n4: EMIT IMM[0].xxxx\n5: END\n"),
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
                              "0: RCP TEMP[0].x, IN[0][0].yyyy\n1: MUL TEMP[0].x, TEMP[0].xxxx, IN[0][0].yyyy\n"
                              "2: ARL ADDR[0].x, TEMP[0].xxxx\n3: MOV OUT[0].x, IN[ADDR[0].x][0]\n"
                              "4: EMIT IMM[0].xxxx\n5: END\n"),
                         in);
    const Value& x = r.emitted[0].at(0).outputs.at(0)[0];
    EXPECT_TRUE(permits(x, 1) && permits(x, 2) && !permits(x, 3)) << text_of(x);
}

TEST(Geometry, StreamsHaveTheirOwnPrimitivesAndOutputs) {
    const std::string head =
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
        "PROPERTY GS_MAX_OUTPUT_VERTICES 8\nDCL IN[][0], GENERIC[0]\nDCL OUT[0], GENERIC[0], STREAM(0, 1, 3, 0)\nDCL "
        "OUT[1], GENERIC[1], STREAM(1, 1, 1, 1)\n"
        "DCL TEMP[0]\nIMM[0] UINT32 {0, 1, 2, 3}\n";
    const Result r = run(head +
                             "0: MOV OUT[0], IN[0][0].xxxx\n1: EMIT IMM[0].xxxx\n2: EMIT IMM[0].yyyy\n"
                             "3: ENDPRIM IMM[0].yyyy\n4: EMIT IMM[0].wwww\n5: EMIT IMM[0].yyyy\n6: EMIT IMM[0].xxxx\n"
                             "7: END\n",
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
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE LINES\nPROPERTY GS_OUTPUT_PRIMITIVE LINE_STRIP\n"
        "PROPERTY GS_MAX_OUTPUT_VERTICES 2\nPROPERTY GS_INVOCATIONS 3\nDCL IN[][0], GENERIC[0]\n"
        "DCL SV[0], INVOCATIONID\nDCL SV[1], PRIMID\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 10, 2, 3}\n"
        "0: UMAD OUT[0].x, SV[0].xxxx, IMM[0].yyyy, IN[1][0].xxxx\n1: EMIT IMM[0].xxxx\n2: ENDPRIM IMM[0].xxxx\n"
        "3: MOV OUT[0].x, SV[1].xxxx\n4: EMIT IMM[0].xxxx\n5: EMIT IMM[0].xxxx\n6: END\n";
    const Result r = run(text, primitives(2, 2));
    EXPECT_THAT(vertices(r, 0), ElementsAre("0/0:2", "0/1:0", "0/2:12", "0/3:0", "0/4:22", "0/5:0"));
    EXPECT_THAT(vertices(r, 1), ElementsAre("0/0:102", "0/1:1", "0/2:112", "0/3:1", "0/4:122", "0/5:1"));
}

TEST(Geometry, PrimIdIsOneAPrimitiveHoweverItIsDeclared) {
    const auto text = [](std::string_view declaration, std::string_view read) {
        return fmt::format(
            "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES_ADJACENCY\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
            "PROPERTY GS_MAX_OUTPUT_VERTICES 2\n{}\nDCL OUT[0], GENERIC[0]\nIMM[0] UINT32 {{0, 1, 2, 3}}\n"
            "0: MOV OUT[0].x, {}.xxxx\n1: EMIT IMM[0].xxxx\n2: END\n",
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
                              "IMM[2] UINT32 {0x3eaaaaab, 0, 0, 0}\n0: MOV OUT[0], IN[0][0]\n1: EMIT IMM[0].xxxx\n"
                              "2: RCP TEMP[0].x, IN[0][0].yyyy\n3: FSLT TEMP[1].x, TEMP[0].xxxx, IMM[2].xxxx\n"
                              "4: UIF TEMP[1].xxxx\n5: EMIT IMM[0].xxxx\n6: ENDIF\n7: END\n"),
                         in);
    EXPECT_THAT(r.emitted_unknown, ElementsAre(true, false));
    EXPECT_EQ(r.emitted[1].size(), 1u);
}

TEST(Geometry, EndlessLoopsLoseTheLane) {
    Options o;
    o.max_steps = 1000;
    const Result r =
        run(geom(kSixteen,
                 "0: MOV OUT[0], IN[0][0]\n1: EMIT IMM[0].xxxx\n2: USEQ TEMP[0].x, IN[0][0].xxxx, IMM[0].yyyy\n"
                 "3: UIF TEMP[0].xxxx\n4: BGNLOOP\n5: EMIT IMM[0].xxxx\n6: ENDLOOP\n7: ENDIF\n8: END\n"),
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
