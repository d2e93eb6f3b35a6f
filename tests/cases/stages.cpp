// GEOM, TESS_CTRL and TESS_EVAL, converted and run on the devices, compared with the reference. runs/stages.txt has
// answers that are known exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/compare.h"
#include "cases/devices.h"
#include "inputs/inputs.h"
#include "reference/run.h"

namespace tgsi2spv::difftest {
namespace {

using Stages = OnDevices;

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
