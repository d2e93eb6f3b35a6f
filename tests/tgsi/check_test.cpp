// Changes of check() in a program, in addition to the messages that data/broken has.
#include "tgsi/check/check.h"

#include <gtest/gtest.h>

#include "tgsi/parse/parse.h"
#include "tgsi/print.h"

namespace tgsi2spv::tgsi {
namespace {

/// The last statements of a checked text, as printed, after `head`.
std::string checked(const std::string& head, const std::string& tail) {
    Program program;
    std::vector<Diagnostic> diagnostics;
    if (!parse(head + tail, {}, program, diagnostics) || !check(program, {}, diagnostics))
        return diagnostics[0].message;
    const std::string all = print(program);
    return all.substr(all.find("  0: "));
}

TEST(Check, RegistersOutsideEveryDeclarationAreNull) {
    const std::string head =
        "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..3]\nDCL CONST[0..1]\nDCL CONST[4]\n"
        "DCL HWATOMIC[0][0..1]\nIMM[0] UINT32 {0, 0, 0, 0}\n";
    const std::pair<const char*, const char*> rows[] = {
        {"MOV TEMP[4].x, -|TEMP[5].yyyy|", "MOV NULL[0].x, -|NULL[0].yyyy|"},
        {"MOV OUT[0], IN[0]", "MOV OUT[0], NULL[0]"},
        {"MOV OUT[0], IMM[1]", "MOV OUT[0], NULL[0]"},
        {"ADD OUT[0], CONST[3][ADDR[0].x], CONST[2][0]", "ADD OUT[0], NULL[0], NULL[0]"},
        {"MOV OUT[0], CONST[ADDR[0].x+1]", "MOV OUT[0], CONST[NULL[0].x+1]"},
        {"MOV OUT[0], CONST[3]", "MOV OUT[0], CONST[3]"},  // between two declared ranges
        {"MOV OUT[0], CONST[5]", "MOV OUT[0], NULL[0]"},
        {"ATOMUADD TEMP[0].x, HWATOMIC[0][-1], IMM[0].xxxx, IMM[0].xxxx", "MOV TEMP[0].x, NULL[0]"},
        {"LOAD TEMP[0], IMAGE[-1], IMM[0], 2D, PIPE_FORMAT_R32_UINT, COHERENT", "MOV TEMP[0], NULL[0]"},
        {"STORE IMAGE[-1].xy, IMM[0], IMM[0], 2D", "NOP"},
        {"INTERP_CENTROID OUT[0], IN[3]", "MOV OUT[0], NULL[0]"},
        {"FBFETCH TEMP[0], OUT[1]", "MOV TEMP[0], NULL[0]"},
        {"TEX_SAT TEMP[0].xy, TEMP[0], SAMP[3], 2D, IMM[0].xyz", "MOV TEMP[0].xy, NULL[0]"},
        {"TXQ TEMP[0], TEMP[0], SAMP[ADDR[0].x], UNKNOWN", "MOV TEMP[0], NULL[0]"},
        {"SAMPLE_L TEMP[0], TEMP[0], SVIEW[0], SAMP[0], TEMP[0]", "MOV TEMP[0], NULL[0]"},
        {"SAMP2HND TEMP[0].xy, SAMP[-1]", "MOV TEMP[0].xy, NULL[0]"},
        {"(PRED[0].x) STORE BUFFER[0].x, IMM[0], IMM[0]", "NOP"},
        {"(!PRED[0].x) MOV TEMP[0], IMM[0]", "MOV TEMP[0], IMM[0]"},
        {"(PRED[1].x) TEX TEMP[0], TEMP[0], SAMP[3], 2D", "NOP"},
    };
    for (const auto& [text, printed] : rows)
        EXPECT_EQ(checked(head, std::string(text) + "\nEND\n"), "  0: " + std::string(printed) + "\n  1: END\n")
            << text;
    EXPECT_EQ(checked(head + "DCL PRED[0]\n", "(PRED[0].x) STORE BUFFER[-1].x, IMM[0], IMM[0]\nEND\n"),
              "  0: (PRED[0].x) NOP\n  1: END\n");
}

/// data/forms has the cases within constructs.
TEST(Check, InterpolatedTempsMustCertainlyHoldTheInput) {
    const std::string head =
        "FRAG\nDCL IN[0..2], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\nDCL TEMP[0..3]\n"
        "DCL TEMPX[0][0..1]\nDCL ADDR[0]\nDCL PRED[0]\n";
    const auto last = [&](const std::string& before, const std::string& after = "") {
        const std::string end = after.starts_with("END\n") ? "" : "END\n";
        const std::string all = checked(head, before + "\nINTERP_CENTROID OUT[0], TEMP[0]\n" + after + end);
        const size_t at = all.find("INTERP_CENTROID OUT[0], ");
        return at == std::string::npos ? all : all.substr(at + 24, all.find('\n', at) - at - 24);
    };
    const std::string refused = "INTERP_CENTROID needs an input here, not TEMP", copy = "MOV TEMP[0], IN[1]\n";
    EXPECT_EQ(last(copy), "IN[1].xyzw");
    EXPECT_EQ(last("UARL ADDR[0].x, IN[2]\nMOV TEMP[0], IN[ADDR[0].x+1]"), "IN[ADDR[0].x+1].xyzw");
    EXPECT_EQ(last(copy + "CAL :4\n", "END\nBGNSUB\nRET\nENDSUB\n"), "IN[1].xyzw");
    EXPECT_EQ(last(copy + "BGNLOOP\n", "BRK\nENDLOOP\nMOV TEMP[0], IN[1]\n"), refused);
    for (const char* before :
         {"MOV TEMP[0].xyz, IN[1]", "MOV TEMP[0], -IN[1]", "MOV_SAT TEMP[0], IN[1]", "(PRED[0].x) MOV TEMP[0], IN[1]"})
        EXPECT_EQ(last(before), refused) << before;
    for (const char* then :
         {"MOV TEMP[0].w, IN[2]", "ADD TEMP[0].x, IN[1], IN[1]", "MOV TEMP[ADDR[0].x].x, IN[1]",
          "IF IN[0].xxxx\nMOV TEMP[0].x, IN[0]\nENDIF", "BGNLOOP\nADD TEMP[0].x, IN[1], IN[1]\nBRK\nENDLOOP"})
        EXPECT_EQ(last(copy + then), refused) << then;
    EXPECT_EQ(last("IF IN[0].xxxx\n" + copy + "ENDIF"), refused);
    EXPECT_EQ(last("IF IN[0].xxxx\n" + copy + "ELSE", "ENDIF\n"), refused);
    // Both parts of an IF may copy the same.
    const auto parts = [&](const std::string& first, const std::string& second) {
        return last("IF IN[0].xxxx\n" + first + "\nELSE\n" + second + "\nENDIF");
    };
    EXPECT_EQ(parts(copy, copy), "IN[1].xyzw");
    EXPECT_EQ(parts(copy, "IF IN[2].xxxx\nMOV TEMP[1], IN[1]\nMOV TEMP[0], TEMP[1]\nELSE\n" + copy + "ENDIF"),
              "IN[1].xyzw");
    for (const char* second : {"", "MOV TEMP[0], IN[2]", "MOV TEMP[0], IN[1].xyzz", "MOV TEMP[0].xyz, IN[1]",
                               "MOV TEMP[0], IN[1]\nADD TEMP[0].x, IN[1], IN[1]", "MOV TEMP[ADDR[0].x], IN[1]",
                               "IF IN[2].xxxx\nMOV TEMP[0], IN[1]\nENDIF"}) {
        EXPECT_EQ(parts(copy, second), refused) << second;
        EXPECT_EQ(parts(second, copy), refused) << second;
    }
    EXPECT_EQ(last("SWITCH IN[0].xxxx\nCASE IN[1]\n" + copy + "BRK\nDEFAULT\n" + copy + "ENDSWITCH"), refused);
    // Any register that can be written can be an index, which must not change in between.
    for (const std::string index : {"ADDR[0]", "TEMP[3]", "TEMPX[0][1]", "OUT[1]", "PRED[0]"}) {
        const std::string through = "MOV " + index + ".x, IN[2]\nMOV TEMP[0], IN[" + index + ".x]\n";
        EXPECT_EQ(last(through + "MOV " + index + ".yzw, IN[0]"), "IN[" + index + ".x].xyzw");
        EXPECT_EQ(last(through + "MOV " + index + ".x, IN[0]"), refused) << index;
        EXPECT_EQ(last(through + "IF IN[0].xxxx\nMOV " + index + ".x, IN[0]\nENDIF"), refused) << index;
        const std::string selected = index.substr(0, index.rfind('[')) + "[IN[2].x].x";
        EXPECT_EQ(last(through + "MOV " + selected + ", IN[0]"), refused) << selected;
    }
    EXPECT_EQ(last("MOV TEMP[0], IN[TEMPX[0][1].x]\nMOV TEMPX[0][0], IN[0]"), "IN[TEMPX[0][1].x].xyzw");
    EXPECT_EQ(last("BGNLOOP", copy + "BRK\nENDLOOP\n"), refused);
    EXPECT_EQ(last(copy + "BGNLOOP\n", "MOV TEMP[ADDR[0].x], IN[1]\nENDLOOP\n"), refused);
    EXPECT_EQ(last(copy + "BRA :1\n"), refused);
    EXPECT_EQ(last(copy + "CAL :4\n", "END\nBGNSUB\nADD TEMP[0].x, IN[1], IN[1]\nRET\nENDSUB\n"), refused);
}

TEST(Check, AnUnknownTargetIsThatOfTheDeclaredView) {
    const std::string head = "FRAG\nDCL TEMP[0]\nDCL SAMP[1]\n", tex = "TEX TEMP[0], TEMP[0], SAMP[1], UNKNOWN\nEND\n";
    EXPECT_EQ(checked(head + "DCL SVIEW[1], CUBE, FLOAT\n", tex),
              "  0: TEX TEMP[0], TEMP[0], SAMP[1], CUBE\n  1: END\n");
    EXPECT_EQ(checked(head, tex), "TEX does not take the target UNKNOWN");
}

}  // namespace
}  // namespace tgsi2spv::tgsi
