// PRED, and the flow of the oldest and middle editions: BREAKC, CALLNZ, IFC, PUSHA, POPA.
#include <gtest/gtest.h>

#include <algorithm>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

constexpr std::string_view kHead =
    R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], GENERIC[7]
DCL TEMP[0..3]
DCL ADDR[0]
DCL PRED[0..1]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {10, 11, 12, 13}
)";

Words run_body(std::string_view body, const Words& a, const Words& b = {}) {
    const std::string text = std::string(kHead) + std::string(body) + "\nEND\n";
    const Lowered lowered = lower_text(text);
    if (!lowered.ok) {
        ADD_FAILURE() << lowered.error << "\n" << text;
        return {};
    }
    const Evaluation e = evaluate(lowered.module, {{0, a}, {1, b}});
    EXPECT_EQ(e.error, "") << text;
    const auto out = e.outputs.find(7);
    return out == e.outputs.end() ? Words{} : out->second;
}

TEST(LowerPredicates, ComponentsAreWrittenWhereTheyAreNotZero) {
    const Words a = {0, 5, 0, kAllOnes};
    EXPECT_EQ(run_body("UADD PRED[0], IN[0], IMM[0].xxxx\nMOV OUT[0], IMM[0]\n(PRED[0]) MOV OUT[0], IMM[1]", a),
              (Words{0, 11, 2, 13}));
    EXPECT_EQ(run_body("UADD PRED[0], IN[0], IMM[0].xxxx\nMOV OUT[0], IMM[0]\n(!PRED[0]) MOV OUT[0], IMM[1]", a),
              (Words{10, 1, 12, 3}));
    EXPECT_EQ(run_body("UADD PRED[0], IN[0], IMM[0].xxxx\nMOV OUT[0], IMM[0]\n(PRED[0].yyxx) UADD OUT[0].xw, IMM[1], "
                       "IMM[1].xxxx",
                       a),
              (Words{20, 1, 2, 3}));
    EXPECT_EQ(run_body("MOV OUT[0], IMM[0]\n(PRED[1]) MOV OUT[0], IMM[1]", a), (Words{0, 1, 2, 3}));  // initially zero
}

TEST(LowerPredicates, TheyKeepWhetherAValueIsNotZero) {
    // As a float, −0 is zero; as an integer, it is not. NaN is not zero.
    const Words a = {kMinusZero, kNan, 0, f(-2)};
    const std::string use = "\nMOV OUT[0], IMM[0].xxxx\n(PRED[0]) MOV OUT[0], IMM[0].yyyy";
    EXPECT_EQ(run_body("MOV PRED[0], IN[0]" + use, a), (Words{0, 1, 0, 1}));
    EXPECT_EQ(run_body("UADD PRED[0], IN[0], IMM[0].xxxx" + use, a), (Words{1, 1, 0, 1}));
    // MOV may carry a small integer, which as a float is a denormal that devices may flush.
    const Lowered l = lower_text(std::string(kHead) + "MOV PRED[0], IN[0]" + use + "\nEND\n");
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_EQ(count(l.module, ir::Op::FUNe), 0u);
    EXPECT_EQ(run_body("SGE PRED[0], IN[0], IMM[0].xxxx" + use, a), (Words{1, 0, 1, 0}));
}

TEST(LowerPredicates, ThemselvesUnderAPredicate) {
    EXPECT_EQ(run_body(R"(MOV PRED[0], IN[0]
MOV PRED[1], IN[1]
(PRED[0]) MOV PRED[1], IMM[0].yyyy
MOV OUT[0], IMM[0].xxxx
(PRED[1]) MOV OUT[0], IMM[0].yyyy)",
                       floats(1, 0, 1, 0), floats(0, 0, 1, 1)),
              (Words{1, 0, 1, 1}));
}

TEST(LowerPredicates, OneThatIsWrittenDecidesAboutBothDestinations) {
    // 8 = 0.5 * 2^4. The low word of the fraction, written to PRED[0].x, is 0.
    EXPECT_EQ(
        run_body(
            "MOV PRED[0], IMM[0].yyyy\nMOV TEMP[1], IMM[1]\n(PRED[0].x) DFRACEXP PRED[0].xy, TEMP[1].x, IN[0].xyxy\n"
            "MOV OUT[0], TEMP[1]",
            {0, 0x40200000, 0, 0}),
        (Words{4, 11, 12, 13}));
}

TEST(LowerPredicates, OutputsThatOthersWriteAreNotReadBack) {
    const Lowered l = lower_text(
        R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 4
DCL SV[0], INVOCATIONID
DCL OUT[0], PATCH[0]
DCL PRED[0]
IMM[0] UINT32 {1, 2, 3, 4}
USEQ PRED[0].xy, SV[0].xxxx, IMM[0].xyyy
(PRED[0].xyxy) MOV OUT[0].xy, IMM[0]
END
)");
    ASSERT_TRUE(l.ok) << l.error;
    size_t stores = 0;
    for (const ir::Instruction& i : l.module.functions[0].instructions) {
        if (i.op != ir::Op::Load && i.op != ir::Op::Store) continue;
        if (l.module.variables[i.aux].kind != ir::VariableKind::Output) continue;
        EXPECT_EQ(i.op, ir::Op::Store);
        ++stores;
    }
    EXPECT_EQ(stores, 2u);
    EXPECT_EQ(count(l.module, ir::Op::BranchIf), 2u);
}

TEST(LowerPredicates, AnIndexedDestination) {
    EXPECT_EQ(run_body("UARL ADDR[0].x, IMM[0].yyyy\nMOV TEMP[2], IMM[0]\nMOV PRED[0], IN[0]\n(PRED[0]) MOV "
                       "TEMP[ADDR[0].x+1], IMM[1]\nMOV OUT[0], TEMP[2]",
                       floats(1, 0, 0, 1)),
              (Words{10, 1, 2, 13}));
}

TEST(LowerPredicates, WithoutADestinationTheFirstLetterCounts) {
    const char* leaves =
        R"(MOV PRED[0], IN[0]
BGNLOOP
UADD TEMP[0].x, TEMP[0], IMM[0].yyyy
(PRED[0].yxxx) BRK
UADD TEMP[0].y, TEMP[0], IMM[0].yyyy
USGE PRED[0].y, TEMP[0].xxxx, IMM[0].wwww
ENDLOOP
MOV OUT[0], TEMP[0])";
    EXPECT_EQ(run_body(leaves, floats(0, 0, 0, 0)), (Words{4, 3, 0, 0}));
    EXPECT_EQ(run_body(leaves, floats(0, 1, 0, 0)), (Words{1, 0, 0, 0}));
    const char* returns = "MOV PRED[0], IN[0]\nMOV OUT[0], IMM[0]\n(!PRED[0].x) RET\nMOV OUT[0], IMM[1]";
    EXPECT_EQ(run_body(returns, floats(0, 1, 1, 1)), (Words{0, 1, 2, 3}));
    EXPECT_EQ(run_body(returns, floats(1, 0, 0, 0)), (Words{10, 11, 12, 13}));
    const char* continues =
        R"(MOV PRED[0], IN[0]
BGNLOOP
UADD TEMP[0].x, TEMP[0], IMM[0].yyyy
USGE TEMP[1].x, TEMP[0].xxxx, IMM[0].wwww
BREAKC TEMP[1].xxxx
(PRED[0].x) CONT
UADD TEMP[0].y, TEMP[0], IMM[0].yyyy
ENDLOOP
MOV OUT[0], TEMP[0])";
    EXPECT_EQ(run_body(continues, floats(0, 0, 0, 0)), (Words{3, 2, 0, 0}));
    EXPECT_EQ(run_body(continues, floats(1, 0, 0, 0)), (Words{3, 0, 0, 0}));
}

TEST(LowerPredicates, ABreakThatMayNotHappenFallsThrough) {
    const char* body =
        R"(MOV PRED[0], IN[0]
SWITCH IMM[0].yyyy
CASE IMM[0].yyyy
UADD TEMP[0].x, TEMP[0], IMM[0].yyyy
(PRED[0]) BRK
CASE IMM[0].zzzz
UADD TEMP[0].y, TEMP[0], IMM[0].yyyy
ENDSWITCH
MOV OUT[0], TEMP[0])";
    EXPECT_EQ(run_body(body, floats(1, 0, 0, 0)), (Words{1, 0, 0, 0}));
    EXPECT_EQ(run_body(body, floats(0, 0, 0, 0)), (Words{1, 1, 0, 0}));
}

TEST(LowerPredicates, KillsAndCalls) {
    const std::string head = R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
DCL PRED[0]
)";
    for (const char* op : {"KILP", "KILL", "KIL IN[0]", "KILL_IF IN[0].xyxy"}) {
        const std::string text = head + "MOV PRED[0], IN[0]\n(PRED[0].x) " + op + "\nMOV OUT[0], IN[0]\nEND\n";
        EXPECT_EQ(count(lower_text(text).module, ir::Op::Demote), 1u) << op;
        EXPECT_EQ(count(lower_text(text, {}, {.demote = false}).module, ir::Op::Kill), 1u) << op;
    }
    for (const char* op : {"(PRED[0].x) CAL :4", "CALLNZ IN[0] :4", "(!PRED[0].x) CALLNZ IN[0] :4"}) {
        const Lowered l = lower_text(head + "MOV PRED[0], IN[0]\n" + op +
                                     "\nMOV OUT[0], TEMP[0]\nEND\nBGNSUB\nMOV TEMP[0], IN[0]\nRET\nENDSUB\n");
        EXPECT_TRUE(l.ok) << op << ": " << l.error;
        EXPECT_EQ(count(l.module, ir::Op::Call), 1u);
        EXPECT_GT(count(l.module, ir::Op::BranchIf), 0u);
    }
}

TEST(LowerPredicates, NopsMayHaveThem) {
    EXPECT_EQ(lower_text(std::string(kHead) + "(PRED[0].x) NOP\nEND\n").error, "");
}

TEST(LowerOlderFlow, BreakcTestsBitsAndIfcIsIf) {
    const char* breaks =
        "BGNLOOP\nUADD TEMP[0].x, TEMP[0], IMM[0].yyyy\nBREAKC IN[0].xxxx\nUADD TEMP[0].y, TEMP[0], IMM[0].yyyy\nBRK\n"
        "ENDLOOP\nMOV OUT[0], TEMP[0]";
    EXPECT_EQ(run_body(breaks, all(kMinusZero)), (Words{1, 0, 0, 0}));
    EXPECT_EQ(run_body(breaks, all(0)), (Words{1, 1, 0, 0}));
    const char* ifc = "MOV OUT[0], IMM[0]\nIFC IN[0].xxxx\nMOV OUT[0], IMM[1]\nENDIF";
    EXPECT_EQ(run_body(ifc, all(kMinusZero)), (Words{0, 1, 2, 3}));
    EXPECT_EQ(run_body(ifc, all(kNan)), (Words{10, 11, 12, 13}));
    const char* in_switch =
        "SWITCH IMM[0].yyyy\nCASE IMM[0].yyyy\nMOV TEMP[0].x, IMM[0].yyyy\nBREAKC IN[0].xxxx\nDEFAULT\nMOV TEMP[0].y, "
        "IMM[0].yyyy\nENDSWITCH\nMOV OUT[0], TEMP[0]";
    EXPECT_EQ(run_body(in_switch, all(1)), (Words{1, 0, 0, 0}));
    EXPECT_EQ(run_body(in_switch, all(0)), (Words{1, 1, 0, 0}));
}

TEST(LowerOlderFlow, TheStackHoldsEightEntries) {
    EXPECT_EQ(run_body("PUSHA IN[0].wzyx\nPUSHA IN[1]\nPOPA TEMP[0]\nPOPA TEMP[1]\nUADD OUT[0], TEMP[0], TEMP[1]",
                       {1, 2, 3, 4}, {10, 20, 30, 40}),
              (Words{14, 23, 32, 41}));
    // The ninth push is dropped, and a pop from the empty stack returns 0.
    std::string body;
    for (int k = 0; k < 8; ++k) body += "UADD TEMP[0], TEMP[0], IMM[0].yyyy\nPUSHA TEMP[0]\n";
    body += "PUSHA IMM[1]\n";
    EXPECT_EQ(run_body(body + "POPA OUT[0].xz", {}), (Words{8, 0, 8, 0}));
    for (int k = 0; k < 8; ++k) body += "POPA TEMP[1]\n";
    EXPECT_EQ(run_body(body + "MOV OUT[0], TEMP[1]", {}), all(1));
    EXPECT_EQ(run_body(body + "POPA OUT[0]", {}), all(0));
    EXPECT_EQ(run_body(body + "POPA TEMP[2]\nPUSHA IMM[1]\nPOPA OUT[0]", {}), (Words{10, 11, 12, 13}));
    EXPECT_EQ(run_body("MOV PRED[0], IN[0]\nPUSHA IMM[0]\n(PRED[0].x) PUSHA IMM[1]\nPOPA OUT[0]", floats(0, 1, 1, 1)),
              (Words{0, 1, 2, 3}));
}

}  // namespace
}  // namespace tgsi2spv::test
