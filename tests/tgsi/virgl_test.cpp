// Texts of Mesa's virgl driver, as guests of Mesa 22.3 sent them, shortened.
#include "tgsi/virgl.h"

#include <gtest/gtest.h>

#include "cases.h"
#include "tgsi/prepare.h"
#include "tgsi/print.h"
#include "tgsi/program/stage.h"

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
    return all.substr(all.find("  0: "), all.size() - all.find("  0: ") - 1);
}

TEST(Virgl, TextsAreUnderstood) {
    const auto cases = read_cases("virgl.txt");
    EXPECT_EQ(cases.size(), 14u);
    for (const Case& c : cases) EXPECT_EQ(understood(c.text) + "\n", c.printed) << c.name;
}

TEST(Virgl, WritesDeclareComponentsOfOutputsOfTessCtrl) {
    Program p;
    Survey survey;
    std::vector<Diagnostic> diagnostics;
    ASSERT_TRUE(
        parse("TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL SV[0], INVOCATIONID\n"
              "DCL OUT[][0].xy, GENERIC[0]\nDCL OUT[][1..2].xy, GENERIC[1]\nDCL TEMP[0]\nDCL ADDR[0]\n"
              "UARL ADDR[0].x, SV[0].xxxx\nMOV OUT[ADDR[0].x][0].z, TEMP[0]\n"
              "MOV OUT[ADDR[0].x][ADDR[0].x+1].w, TEMP[0]\nMOV OUT[ADDR[0].x][2].z, TEMP[0]\nEND\n",
              {}, p, survey, diagnostics));
    Registers registers;
    prepare(p, survey, registers);
    EXPECT_EQ(output_components(p, registers, 0), 0x7);
    EXPECT_EQ(output_components(p, registers, 1), 0x7) << "of the declaration of 1 and 2";
}

}  // namespace
}  // namespace tgsi2spv::tgsi
