// Texts of Mesa's virgl driver, as guests of Mesa 22.3 sent them, shortened.
#include "tgsi/virgl.h"

#include <gtest/gtest.h>

#include "tgsi/prepare.h"
#include "tgsi/print.h"
#include "tgsi/stage.h"

namespace tgsi2spv::tgsi {
namespace {

/// The instructions as they are understood, or the first error.
std::string understood(const std::string& text) {
    Program p;
    Survey survey;
    std::vector<Diagnostic> diagnostics;
    Registers registers;
    if (!read_text(text, {}, p, survey, registers, diagnostics)) return std::string(diagnostics[0].code.name());
    const std::string all = print(p);
    return all.substr(all.find("  0: "));
}

std::string sum(const std::string& instructions) {
    return R"(FRAG
DCL TEMP[0..3]
DCL TEMP[4..5], ARRAY(1)
DCL OUT[0], COLOR
DCL ADDR[0]
)" + instructions;
}

TEST(Virgl, WideSourcesAreInXyOfRegistersWhoseZwNothingWrites) {
    EXPECT_EQ(understood(sum(R"(MOV TEMP[1].xy, TEMP[0].zwzw
MOV TEMP[2].xy, TEMP[0].xyxy
DADD TEMP[0].zw, TEMP[1], TEMP[2]
END
)")),
              "  0: MOV TEMP[1].xy, TEMP[0].zwzw\n  1: MOV TEMP[2].xy, TEMP[0].xyxy\n"
              "  2: DADD TEMP[0].zw, TEMP[1].xyxy, TEMP[2].xyxy\n  3: END\n");
    EXPECT_EQ(understood(sum(R"(MOV TEMP[1].xy, TEMP[0]
DSEQ TEMP[3].y, TEMP[1], TEMP[0]
I64SHR TEMP[0].zw, TEMP[1], TEMP[2]
END
)")),
              "  0: MOV TEMP[1].xy, TEMP[0]\n  1: DSEQ TEMP[3].y, TEMP[1].xyxy, TEMP[0]\n"
              "  2: I64SHR TEMP[0].zw, TEMP[1].xyxy, TEMP[2]\n  3: END\n")
        << "TEMP[0] is written in zw, and what I64SHR shifts by is not wide";
}

TEST(Virgl, WideSourcesOfOtherProducersStay) {
    for (const std::string text : {
             "MOV TEMP[1].z, TEMP[0]\nDADD TEMP[0].zw, TEMP[1], TEMP[1]\nEND\n",
             "DADD TEMP[0].zw, TEMP[1].zwxy, -TEMP[1].zwzw\nEND\n",
             "MOV TEMP[ADDR[0].x], TEMP[0]\nDADD TEMP[0].zw, TEMP[1], TEMP[1]\nEND\n",
             "ADD TEMP[0].zw, TEMP[1], TEMP[1]\nEND\n",
         })
        EXPECT_EQ(understood(sum(text)).find("xyxy"), std::string::npos) << text;
}

std::string control(const std::string& instructions) {
    return R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], CLIPVERTEX
DCL SV[0], INVOCATIONID
DCL OUT[][0], POSITION
DCL OUT[][1], CLIPVERTEX
DCL TEMP[0..6]
DCL ADDR[0..1]
)" + instructions;
}

TEST(Virgl, TheVertexOfAClipVertexGoesToTheOutput) {
    EXPECT_EQ(understood(control("UARL ADDR[1].x, SV[0].xxxx\nMOV TEMP[ADDR[1].x][6], IN[0][0]\nMOV OUT[1], TEMP[6]\n"
                                 "END\n")),
              "  0: UARL ADDR[1].x, SV[0].xxxx\n  1: MOV TEMP[6], IN[0][0]\n"
              "  2: MOV OUT[ADDR[1].x][1], TEMP[6]\n  3: END\n");
    EXPECT_EQ(understood(control("MOV TEMP[2][6].x, IN[0][0]\nMOV OUT[1].x, TEMP[6]\nEND\n")),
              "  0: MOV TEMP[6].x, IN[0][0]\n  1: MOV OUT[2][1].x, TEMP[6]\n  2: END\n");
}

TEST(Virgl, OtherWrongBracketsOfTessCtrlAreErrors) {
    EXPECT_EQ(understood(control("MOV OUT[1], TEMP[6]\nEND\n")), "bad-dimension");
    EXPECT_EQ(understood(control("MOV TEMP[2][5], IN[0][0]\nMOV OUT[1], TEMP[6]\nEND\n")), "bad-dimension");
    EXPECT_EQ(understood(control("MOV TEMP[0], TEMP[2][6]\nEND\n")), "bad-dimension") << "a source";
    EXPECT_EQ(understood(control("MOV TEMP[ADDR[7].x][6], IN[0][0]\nMOV OUT[1], TEMP[6]\nEND\n")),
              "  0: MOV TEMP[6], IN[0][0]\n  1: MOV OUT[NULL[0].x][1], TEMP[6]\n  2: END\n")
        << "the checker looks at what was moved";
    EXPECT_EQ(understood(R"(VERT
DCL TEMP[0]
MOV TEMP[0][0], TEMP[0]
END
)"),
              "bad-dimension")
        << "other stages";
}

TEST(Virgl, WritesDeclareComponentsOfOutputsOfTessCtrl) {
    Program p;
    Survey survey;
    std::vector<Diagnostic> diagnostics;
    ASSERT_TRUE(parse(R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL SV[0], INVOCATIONID
DCL OUT[][0].xy, GENERIC[0]
DCL OUT[][1..2].xy, GENERIC[1]
DCL TEMP[0]
DCL ADDR[0]
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0].z, TEMP[0]
MOV OUT[ADDR[0].x][ADDR[0].x+1].w, TEMP[0]
MOV OUT[ADDR[0].x][2].z, TEMP[0]
END
)",
                      {}, p, survey, diagnostics));
    Registers registers;
    prepare(p, survey, registers);
    EXPECT_EQ(output_components(p, registers, 0), 0x7);
    EXPECT_EQ(output_components(p, registers, 1), 0x7) << "of the declaration of 1 and 2";
}

}  // namespace
}  // namespace tgsi2spv::tgsi
