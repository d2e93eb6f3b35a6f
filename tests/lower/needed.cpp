// In texts with loops, lowering skips unneeded values, and nothing else; checked by the instructions that remain, and
// by running them on the host.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "ir/verify.h"
#include "lower/lowered.h"
#include "lower/plan/plan.h"
#include "tgsi/parse.h"
#include "tgsi/registers.h"

namespace tgsi2spv::test {
namespace {

constexpr std::string_view kHead =
    R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[7]
DCL CONST[0..7]
DCL TEMP[0..63]
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 3}
)";

tgsi::Program parsed(std::string_view body) {
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    EXPECT_TRUE(tgsi::parse(std::string(kHead) + std::string(body) + "\nEND\n", {}, program, diagnostics)) << body;
    return program;
}

/// Returns the numbers of the instructions that are not needed.
std::string dropped(const tgsi::Program& program) {
    std::vector<tgsi::Diagnostic> diagnostics;
    const tgsi::Registers registers = tgsi::gather(program);
    lower::Options options;
    options.drop_unneeded = false;
    lower::Plan plan(std::pmr::get_default_resource());
    EXPECT_TRUE(lower::make_plan(program, registers, options, {}, plan, diagnostics));
    EXPECT_FALSE(plan.drops);
    EXPECT_EQ(lower::drop_unneeded(program, false, plan), plan.drops);
    std::string numbers;
    for (uint32_t pc = 0; pc < program.instructions.size(); ++pc)
        if (plan.is_dropped(pc)) numbers += fmt::format("{}{}", numbers.empty() ? "" : " ", pc);
    return numbers;
}
std::string dropped(std::string_view body) {
    return dropped(parsed(body));
}

TEST(LowerNeeded, WithoutLoopsNothingIsDropped) {
    EXPECT_EQ(dropped(R"(MOV TEMP[0], IN[0]
UIF IN[0].xxxx
MOV TEMP[1], IN[0]
ENDIF
MOV OUT[0], IN[0])"),
              "");
}

TEST(LowerNeeded, AnUnusedLoopGoes) {
    EXPECT_EQ(
        dropped("BGNLOOP\nUADD TEMP[0].x, TEMP[0], IMM[0].yyyy\nUSGE TEMP[1].x, TEMP[0], IN[0]\nUIF TEMP[1].xxxx\n"
                "BRK\nENDIF\nENDLOOP\nMOV OUT[0], IN[0]"),
        "0 1 2 3 4 5 6");
}

TEST(LowerNeeded, AnEndlessLoopStays) {
    EXPECT_EQ(dropped("BGNLOOP\nUADD TEMP[0].x, TEMP[0], IMM[0].yyyy\nUIF IN[0].xxxx\nMOV TEMP[1].x, TEMP[0]\nENDIF\n"
                      "ENDLOOP\nMOV OUT[0], IN[0]"),
              "1 2 3 4");
    EXPECT_EQ(dropped("BGNLOOP\nUADD TEMP[0].x, TEMP[0], IMM[0].yyyy\nUIF IN[0].xxxx\nRET\nENDIF\nENDLOOP\n"
                      "MOV OUT[0], IN[0]"),
              "1");
}

TEST(LowerNeeded, ExitsOfANeededLoopAreNeeded) {
    // The counter and both exits are needed; nothing reads the count in TEMP[3].
    EXPECT_EQ(dropped("BGNLOOP\nUADD TEMP[0].x, TEMP[0], IMM[0].yyyy\nUADD TEMP[3].x, TEMP[3], TEMP[0]\n"
                      "USGE TEMP[1].x, TEMP[0], IN[0]\nBREAKC TEMP[1].xxxx\nUSEQ TEMP[2].x, TEMP[0], IN[0].yyyy\n"
                      "UIF TEMP[2].xxxx\nCONT\nENDIF\nUADD TEMP[4].x, TEMP[4], IMM[0].yyyy\nENDLOOP\n"
                      "MOV OUT[0], TEMP[4].xxxx"),
              "2");
}

TEST(LowerNeeded, IterationsKeepInputsOfLaterIterations) {
    // Three iterations carry IN[0].x from TEMP[3] to TEMP[0]; TEMP[5] is part of the chain, but nothing reads it.
    EXPECT_EQ(dropped("BGNLOOP\nMOV TEMP[5].x, TEMP[1]\nMOV TEMP[0].x, TEMP[1]\nMOV TEMP[1].x, TEMP[2]\n"
                      "MOV TEMP[2].x, TEMP[3]\nMOV TEMP[3].x, IN[0]\nBREAKC TEMP[0].xxxx\nENDLOOP\n"
                      "MOV OUT[0], TEMP[0].xxxx"),
              "1");
}

TEST(LowerNeeded, ComponentsAreDistinguished) {
    EXPECT_EQ(dropped("BGNLOOP\nMOV TEMP[0].x, IN[0]\nMOV TEMP[0].y, IN[0]\nBRK\nENDLOOP\nMOV OUT[0], TEMP[0].xxxx"),
              "2");
}

TEST(LowerNeeded, RegistersThatAnIndexMaySelectAreNeeded) {
    EXPECT_EQ(dropped("BGNLOOP\nMOV TEMP[9], IN[0]\nUARL ADDR[0].x, IN[0].xxxx\nBRK\nENDLOOP\n"
                      "MOV OUT[0], TEMP[ADDR[0].x+3]"),
              "");
    EXPECT_EQ(dropped("BGNLOOP\nUARL ADDR[0].x, IN[0].xxxx\nMOV TEMP[ADDR[0].x], IN[0]\nBRK\nENDLOOP\n"
                      "MOV OUT[0], IN[0]"),
              "");
}

TEST(LowerNeeded, AHandleThatIsStoredThroughIsNeeded) {
    EXPECT_EQ(dropped("BGNLOOP\nMOV TEMP[0], IN[0]\nMOV TEMP[1], IN[0]\nBRK\nENDLOOP\n"
                      "STORE TEMP[1], IMM[0].xxxx, IN[0], 2D, PIPE_FORMAT_R32_UINT\nMOV OUT[0], IN[0]"),
              "1");
}

TEST(LowerNeeded, ALoopThatWaitsForAnOutputOfOthersStays) {
    constexpr std::string_view kText =
        R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 4
DCL OUT[0], PATCH[0]
DCL TEMP[0..1]
0: BGNLOOP
1: MOV TEMP[0].x, OUT[0]
2: UIF TEMP[0].xxxx
3: BRK
4: ENDIF
5: ENDLOOP
6: END
)";
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    ASSERT_TRUE(tgsi::parse(kText, {}, program, diagnostics));
    EXPECT_EQ(dropped(program), "");
}

TEST(LowerNeeded, TheSelectorOfANeededSwitchIsNeeded) {
    EXPECT_EQ(dropped("BGNLOOP\nMOV TEMP[0], IN[0]\nMOV TEMP[2], IN[0]\nSWITCH TEMP[0].xxxx\nCASE TEMP[2].xxxx\n"
                      "MOV TEMP[1], IN[0]\nBRK\nDEFAULT\nMOV TEMP[3], IN[0]\nENDSWITCH\nBRK\nENDLOOP\n"
                      "MOV OUT[0], TEMP[1]"),
              "8");
}

/// Returns a loop that counts TEMP[41] up to IN[0].x and sums it up in TEMP[43]. In it, a tree of selections, five
/// levels deep, adds the counter to one of TEMP[0] to TEMP[31]. `reader` comes after the loop.
std::string tree(std::string_view reader) {
    std::string text = "BGNLOOP\nUSGE TEMP[40].x, TEMP[41], IN[0]\nBREAKC TEMP[40].xxxx\n";
    int next = 0;
    const auto level = [&](const auto& self, int bit) -> void {
        if (bit < 0) {
            text += fmt::format("UADD TEMP[{0}].x, TEMP[{0}], TEMP[41]\n", next++);
            return;
        }
        text += fmt::format(
            "USHR TEMP[42].x, TEMP[41], IMM[0].{0}{0}{0}{0}\nAND TEMP[42].x, TEMP[42], IMM[0].yyyy\n"
            "UIF TEMP[42].xxxx\n",
            "xyzw"[bit & 3]);
        self(self, bit - 1);
        text += "ELSE\n";
        self(self, bit - 1);
        text += "ENDIF\n";
    };
    level(level, 4);
    return text + "UADD TEMP[43].x, TEMP[43], TEMP[41]\nUADD TEMP[41].x, TEMP[41], IMM[0].yyyy\nENDLOOP\n" +
           std::string(reader);
}

ir::Module lowered(std::string_view body, bool drop_unneeded) {
    const tgsi::Program program = parsed(body);
    std::vector<tgsi::Diagnostic> diagnostics;
    lower::Options options;
    options.drop_unneeded = drop_unneeded;
    ir::Module module;
    const lower::WorkspacePtr workspace = lower::make_workspace();
    EXPECT_TRUE(lower::lower({program, tgsi::gather(program), {}, options, {}, *workspace, module, diagnostics}));
    EXPECT_FALSE(ir::verify(module).has_value()) << body;
    return module;
}

TEST(LowerNeeded, LoweredTextsGiveTheSameWithAndWithout) {
    // The readers need only the sum of the counter; that and one leaf; nothing; any register.
    const struct {
        std::string_view reader;
        bool smaller;
    } kCases[] = {{"MOV OUT[0], TEMP[43].xxxx", true},
                  {"UADD OUT[0], TEMP[43].xxxx, TEMP[5].xxxx", true},
                  {"MOV OUT[0], IN[0]", true},
                  {"UARL ADDR[0].x, IN[0].yyyy\nMOV OUT[0], TEMP[ADDR[0].x]", false}};
    for (const auto& c : kCases) {
        const std::string text = tree(c.reader);
        const ir::Module with = lowered(text, true), without = lowered(text, false);
        EXPECT_EQ(with.functions[0].blocks.size() < without.functions[0].blocks.size(), c.smaller) << c.reader;
        for (const uint32_t turns : {0u, 1u, 7u, 33u}) {
            const Evaluation a = evaluate(with, {{0, {turns, 5, 6, 7}}});
            const Evaluation b = evaluate(without, {{0, {turns, 5, 6, 7}}});
            ASSERT_EQ(a.error + b.error, "") << c.reader;
            EXPECT_EQ(a.outputs.at(7), b.outputs.at(7)) << c.reader << ", " << turns;
        }
    }
}

}  // namespace
}  // namespace tgsi2spv::test
