// GEOM, TESS_CTRL and TESS_EVAL, converted and run on the devices: answers that are known exactly, then those of the
// reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/compare.h"
#include "cases/devices.h"
#include "inputs/inputs.h"

namespace tgsi2spv::difftest {
namespace {

using testing::ElementsAre;

class Stages : public OnDevices {
  protected:
    /// Runs on each device that has the stage; a device that lacks it must name the missing feature.
    template <class F>
    void on_each(const char* feature, std::string_view shader, std::string_view json, F&& check) {
        size_t ran = 0;
        for (auto& device : devices) {
            SCOPED_TRACE(device->report().info.name);
            const auto result = run(*device, shader, json);
            if (!result && result.error().kind == Trouble::Missing) {
                EXPECT_EQ(result.error().message, std::string("the device lacks ") + feature);
                continue;
            }
            ASSERT_TRUE(result) << result.error().message;
            ran++;
            check(*result);
        }
        EXPECT_GT(ran, 0u);
    }
};

std::vector<std::array<uint32_t, 3>> emitted(const reference::Result& r, size_t lane) {
    std::vector<std::array<uint32_t, 3>> all;  // stream, primitive, OUT[0].x
    for (const auto& v : r.emitted.at(lane)) all.push_back({v.stream, v.primitive, v.outputs.at(0)[0].value});
    return all;
}

using Vertex = std::array<uint32_t, 3>;

TEST_F(Stages, VerticesComeInOrderWithStreamsAndPrimitives) {
    on_each("geometryShader",
            R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE LINES
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 5
PROPERTY GS_INVOCATIONS 2
DCL IN[][0], GENERIC[0]
DCL SV[0], PRIM_ID
DCL SV[1], INVOCATIONID
DCL OUT[0], GENERIC[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 100, 10}
UMAD TEMP[0].x, SV[0].xxxx, IMM[0].zzzz, IN[1][0].yyyy
UMAD OUT[0].x, SV[1].xxxx, IMM[0].wwww, TEMP[0].xxxx
ENDPRIM IMM[0].xxxx
EMIT IMM[0].xxxx
EMIT IMM[0].yyyy
ENDPRIM IMM[0].xxxx
ENDPRIM IMM[0].xxxx
UADD OUT[0].x, OUT[0].xxxx, IMM[0].yyyy
EMIT IMM[0].xxxx
UADD OUT[0].x, OUT[0].xxxx, IMM[0].yyyy
EMIT IMM[0].xxxx
EMIT IMM[0].yyyy
EMIT IMM[0].yyyy
END
)",
            R"({"lanes": 2, "inputs": {"IN[1][0]": [[0, "0x1", 0, 0], [0, "0x2", 0, 0]]}})", [](const auto& r) {
                EXPECT_THAT(emitted(r, 0),
                            ElementsAre(Vertex{0, 0, 1}, Vertex{1, 0, 1}, Vertex{0, 1, 2}, Vertex{0, 1, 3},
                                        Vertex{1, 0, 3}, Vertex{0, 2, 11}, Vertex{1, 1, 11}, Vertex{0, 3, 12},
                                        Vertex{0, 3, 13}, Vertex{1, 1, 13}));
                EXPECT_THAT(emitted(r, 1)[0], ElementsAre(0, 0, 102));
                EXPECT_EQ(r.emitted[1].size(), 10u);
                EXPECT_TRUE(r.outputs.empty());
            });
}

TEST_F(Stages, EveryPrimitiveBringsItsVertices) {
    const std::pair<const char*, int> kPrimitives[] = {
        {"POINTS", 1}, {"LINES", 2}, {"TRIANGLES", 3}, {"LINES_ADJACENCY", 4}, {"TRIANGLES_ADJACENCY", 6}};
    for (const auto& [primitive, vertices] : kPrimitives) {
        SCOPED_TRACE(primitive);
        // The vertex CONST[0].x by index, and the one after it, which no primitive has.
        const std::string shader = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE " + std::string(primitive) +
                                   "\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
                                   "DCL IN[][0..1], GENERIC[0]\nDCL OUT[0], GENERIC[0]\nDCL CONST[0]\nDCL ADDR[0]\n"
                                   "UARL ADDR[0].xy, CONST[0]\nMOV OUT[0].xz, IN[ADDR[0].x][ADDR[0].y]\n"
                                   "MOV OUT[0].y, IN[ADDR[0].x+1][1].xxxx\nEMIT\nEND\n";
        std::string json = R"({"lanes": 3, "constants": {"0": [")" + std::string("0x") + std::to_string(vertices - 1) +
                           R"(", "0x1"]}, "inputs": {)";
        for (int v = 0; v < vertices; v++)
            json += "\"IN[" + std::to_string(v) + "][1]\": [[1, 1, 1, 1], [2, 2, 2, 2], [" + std::to_string(v) +
                    ", 3, 3, 3]]" + (v + 1 < vertices ? ", " : "}}");
        on_each("geometryShader", shader, json, [last = static_cast<float>(vertices - 1)](const auto& r) {
            EXPECT_THAT(emitted(r, 1), ElementsAre(Vertex{0, 0, f(2)}));
            EXPECT_THAT(emitted(r, 2), ElementsAre(Vertex{0, 0, f(last)}));
            EXPECT_EQ(r.emitted[2][0].outputs.at(0)[1].value, 0u);
            EXPECT_EQ(r.emitted[2][0].outputs.at(0)[2].value, f(3));
        });
    }
}

TEST_F(Stages, ThereIsRoomForSoManyVertices) {
    on_each("geometryShader",
            R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE LINE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL SV[0], PRIM_ID
DCL OUT[0], GENERIC[0]
DCL TEMP[0]
IMM[0] UINT32 {1, 0, 0, 0}
BGNLOOP
USGE TEMP[0].y, OUT[0].xxxx, SV[0].xxxx
UIF TEMP[0].yyyy
BRK
ENDIF
UADD OUT[0].x, OUT[0].xxxx, IMM[0].xxxx
CAL :9
ENDLOOP
END
BGNSUB
EMIT
RET
ENDSUB
)",
            R"({"lanes": 6})", [](const auto& r) {
                for (size_t lane = 0; lane < 6; lane++) {
                    ASSERT_EQ(r.emitted[lane].size(), std::min<size_t>(lane, 3));
                    for (uint32_t k = 0; k < r.emitted[lane].size(); k++)
                        EXPECT_EQ(r.emitted[lane][k].outputs.at(0)[0].value, k + 1);
                }
            });
}

TEST_F(Stages, InvocationsOfAPatchShareItsOutputs) {
    on_each("tessellationShader",
            R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], GENERIC[0]
DCL SV[0], INVOCATIONID
DCL SV[1], PRIM_ID
DCL SV[2], VERTICESIN
DCL OUT[][0], GENERIC[0]
DCL OUT[][1], GENERIC[1]
DCL OUT[2], TESSOUTER
DCL OUT[3..5], ARRAY(1), PATCH
DCL TEMP[0]
DCL ADDR[0]
IMM[0] UINT32 {1, 3, 10, 0}
UMAD OUT[SV[0].x][0].x, SV[1].xxxx, IMM[0].zzzz, SV[0].xxxx
MOV OUT[SV[0].x][0].y, IN[SV[0].x][0].wwww
MOV OUT[SV[0].x][0].z, SV[2].xxxx
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x+3](1).z, SV[0].xxxx
BARRIER
UADD TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
UMOD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
MOV OUT[SV[0].x][1].x, OUT[TEMP[0].x][0].xxxx
MOV OUT[SV[0].x][1].y, OUT[TEMP[0].x+3](1).zzzz
MOV OUT[2].w, OUT[4].zzzz
END
)",
            R"({"patches": 2, "inputs": {"IN[0][0]": [[0, 0, 0, 5], [0, 0, 0, 6]],
                                          "IN[1][0]": [[0, 0, 0, 7], [0, 0, 0, 8]]}})",
            [](const auto& r) {
                const auto word = [&](int32_t v, int32_t reg, size_t patch, size_t c) {
                    return r.vertex_outputs.at({v, reg}).at(patch)[c].value;
                };
                for (uint32_t patch = 0; patch < 2; patch++)
                    for (uint32_t v = 0; v < 3; v++) {
                        const auto vertex = static_cast<int32_t>(v);
                        EXPECT_EQ(word(vertex, 0, patch, 0), 10 * patch + v);
                        EXPECT_EQ(word(vertex, 0, patch, 2), 2u);
                        EXPECT_EQ(word(vertex, 1, patch, 0), 10 * patch + (v + 1) % 3);
                        EXPECT_EQ(word(vertex, 1, patch, 1), (v + 1) % 3);
                        EXPECT_EQ(r.outputs.at(3 + vertex).at(patch)[2].value, v);
                        EXPECT_EQ(r.outputs.at(2).at(patch)[3].value, 1u);
                    }
                EXPECT_EQ(word(0, 0, 1, 1), f(6));
                EXPECT_EQ(word(1, 0, 0, 1), f(7));
                EXPECT_EQ(word(2, 0, 1, 1), 0u);  // the patch has two vertices
            });
}

TEST_F(Stages, EvaluationReadsTheInputsOfTheCase) {
    for (const char* mode : {"1", "4", "7"}) {
        SCOPED_TRACE(mode);
        on_each(
            "tessellationShader",
            "TESS_EVAL\nPROPERTY TES_PRIM_MODE " + std::string(mode) +
                "\nPROPERTY TES_SPACING 1\nDCL IN[][0], GENERIC[0]\nDCL IN[1], PATCH\nDCL SV[0], TESSCOORD\n"
                "DCL SV[1], PRIM_ID\nDCL SV[2], VERTICESIN\nDCL SV[3], TESSOUTER\nDCL OUT[0], POSITION\n"
                "DCL OUT[1], GENERIC[0]\nDCL BUFFER[0]\nMAD OUT[0], SV[0].xyzz, IN[2][0], IN[1]\n"
                "MOV OUT[1].x, SV[1].xxxx\nMOV OUT[1].y, SV[2].xxxx\nMOV OUT[1].zw, SV[3].xxxx\nEND\n",
            R"({"lanes": 2, "inputs": {"IN[2][0]": [[1, 2, 3, 4], [5, 6, 7, 8]], "IN[1]": [[1, 1, 1, 1], [0, 0, 0, 9]]},
                    "system_values": {"SV[0]": [[2, 3, 0, 0], [0, 0.5, 1, 0]]}})",
            [](const auto& r) {
                EXPECT_THAT(column(r, 0, 0), ElementsAre(f(3), f(0)));
                EXPECT_THAT(column(r, 0, 1), ElementsAre(f(7), f(3)));
                EXPECT_THAT(column(r, 0, 2), ElementsAre(f(1), f(7)));
                EXPECT_THAT(column(r, 0, 3), ElementsAre(f(1), f(17)));
                EXPECT_THAT(column(r, 1, 0), ElementsAre(0, 1));
                EXPECT_THAT(column(r, 1, 1), ElementsAre(3, 3));
                EXPECT_THAT(column(r, 1, 2), ElementsAre(0, 0));
            });
    }
}

TEST_F(Stages, ValuesThatADrawCountsCannotBeInputs) {
    for (auto& device : devices) {
        const auto r = run(*device,
                           R"(GEOM
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL SV[0], INVOCATIONID
DCL OUT[0], GENERIC
MOV OUT[0], SV[0]
EMIT
END
)",
                           R"({"lanes": 1, "system_values": {"SV[0]": [["0x5", 0, 0, 0]]}})");
        ASSERT_FALSE(r);
        EXPECT_EQ(r.error().kind, Trouble::Case);
        EXPECT_THAT(r.error().message, testing::HasSubstr("SV[0] is INVOCATIONID"));
    }
}

/// Shaders of every form, with generated inputs, compared with the reference.
TEST_F(Stages, TheJudgeAgrees) {
    const std::string kGeometry =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES_ADJACENCY
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 7
PROPERTY GS_INVOCATIONS 3
DCL IN[][0], POSITION
DCL IN[][1..2], ARRAY(1), GENERIC[0]
DCL IN[][3], PRIM_ID
DCL SV[0], INVOCATIONID
DCL OUT[0], POSITION
DCL OUT[1..2], ARRAY(2), GENERIC[0]
DCL TEMP[0..3]
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 3}
)";
    const std::string kShaders[] = {
        kGeometry +
            R"(MOV TEMP[0], IMM[0].xxxx
BGNLOOP
USGE TEMP[1].x, TEMP[0].xxxx, IMM[0].wwww
UIF TEMP[1].xxxx
BRK
ENDIF
UADD TEMP[0].y, TEMP[0].xxxx, SV[0].xxxx
MOV OUT[0], IN[TEMP[0].y][0]
MUL OUT[1], IN[TEMP[0].y](1)[TEMP[0].x+1](1), IN[0][0]
FSLT TEMP[2].x, IN[TEMP[0].x][1].xxxx, IN[0][1].yyyy
UIF TEMP[2].xxxx
EMIT IMM[0].xxxx
ELSE
ENDPRIM IMM[0].xxxx
ENDIF
EMIT IMM[0].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
ENDLOOP
MOV OUT[ADDR[0].x+2](2), IN[3].xxxx
EMIT IMM[0].zzzz
END
)",
        kGeometry +
            "FSLT TEMP[0].x, IN[2][1].xxxx, IN[3][1].xxxx\nMOV OUT[1], IN[0][1]\nCAL :6\nMOV OUT[1].y, IN[1][1]\nCAL "
            ":6\n"
            "END\nBGNSUB\nADD OUT[0], OUT[1], IN[5][0]\nEMIT IMM[0].xxxx\nUIF TEMP[0].xxxx\nENDPRIM "
            "IMM[0].yyyy\nENDIF\n"
            "RET\nENDSUB\n",
        R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 5
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[1]
DCL OUT[][0], POSITION
DCL OUT[][1], GENERIC[1]
DCL OUT[2], TESSOUTER
DCL OUT[3].xy, TESSINNER
DCL OUT[4], PATCH[2]
DCL SV[0], INVOCATIONID
DCL SV[1], TESS_DEFAULT_OUTER_LEVEL
DCL SV[2], TESS_DEFAULT_INNER_LEVEL
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 2, 4}
ADD OUT[SV[0].x][0], IN[SV[0].x][0], IN[1][1]
USEQ TEMP[0].x, SV[0].xxxx, IMM[0].yyyy
UIF TEMP[0].xxxx
MOV OUT[2], SV[1]
MUL OUT[3].xy, SV[2], IN[0][1]
MOV OUT[4], IN[2][0]
ENDIF
BARRIER
UADD TEMP[0].x, SV[0].xxxx, IMM[0].yyyy
MOV TEMP[1], OUT[TEMP[0].x][0]
MUL OUT[SV[0].x][1], TEMP[1], OUT[4]
END
)",
        R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
PROPERTY TES_SPACING 0
DCL IN[][0], POSITION
DCL IN[][1..3], ARRAY(1), GENERIC[2]
DCL IN[4..5], ARRAY(2), PATCH
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0..1]
DCL CONST[0]
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 4}
MUL TEMP[0], SV[0].xxxx, IN[0][0]
MAD TEMP[0], SV[0].yyyy, IN[1][0], TEMP[0]
MAD OUT[0], SV[0].zzzz, IN[2][0], TEMP[0]
UARL ADDR[0].xy, CONST[0]
MOV TEMP[1], IN[ADDR[0].x](1)[ADDR[0].y+1](1)
ADD OUT[1], TEMP[1], IN[ADDR[0].x+4](2)
END
)",
    };
    for (const std::string& shader : kShaders) {
        ASSERT_TRUE(api::parse(context, shader, {})) << context.diagnostics[0].message << "\n" << shader;
        for (uint64_t seed = 0; seed < 4; seed++) {
            const auto inputs = generate_inputs(context.program, context.registers, {.seed = seed});
            size_t able = 0;
            for (auto& device : devices) {
                SCOPED_TRACE(device->report().info.name + "\n" + shader);
                const auto ran = run(*device, shader, inputs);
                if (!ran && ran.error().kind == Trouble::Missing) continue;
                ASSERT_TRUE(ran) << ran.error().message;
                able++;
                const auto judged = reference::run(context.program, context.registers, inputs,
                                                   reference_options(device->report(), tgsi::Dialect::Auto));
                ASSERT_EQ(judged.error, "");
                const auto compared = compare(judged, *ran, inputs.lanes);
                EXPECT_GT(compared.words, 100u);
                EXPECT_LT(compared.unknown * 5, compared.words);
                for (const auto& m : compared.mismatches) ADD_FAILURE() << describe(m);
            }
            EXPECT_GT(able, 0u) << shader;
        }
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest
