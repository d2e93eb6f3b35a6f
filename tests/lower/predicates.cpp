// What a predicate becomes in the IR, and the stack of old texts. tests/meanings/predicates.txt has what they mean.
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

/// MOV may carry a small integer, which as a float is a denormal that devices may flush.
TEST(LowerPredicates, MovTestsBits) {
    const Lowered l = lower_text(std::string(kHead) + "MOV PRED[0], IN[0]\n(PRED[0]) MOV OUT[0], IMM[0].yyyy\nEND\n");
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_EQ(count(l.module, ir::Op::FUNe), 0u);
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

TEST(LowerOlderFlow, TheStackHoldsEightEntries) {
    // The ninth push is dropped, and a pop from the empty stack returns 0.
    std::string body;
    for (int k = 0; k < 8; ++k) body += "UADD TEMP[0], TEMP[0], IMM[0].yyyy\nPUSHA TEMP[0]\n";
    body += "PUSHA IMM[1]\n";
    EXPECT_EQ(run_body(body + "POPA OUT[0].xz", {}), (Words{8, 0, 8, 0}));
    for (int k = 0; k < 8; ++k) body += "POPA TEMP[1]\n";
    EXPECT_EQ(run_body(body + "MOV OUT[0], TEMP[1]", {}), all(1));
    EXPECT_EQ(run_body(body + "POPA OUT[0]", {}), all(0));
    EXPECT_EQ(run_body(body + "POPA TEMP[2]\nPUSHA IMM[1]\nPOPA OUT[0]", {}), (Words{10, 11, 12, 13}));
}

}  // namespace
}  // namespace tgsi2spv::test
