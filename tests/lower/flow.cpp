// Structured flow: constructs, phis, exits. lower_text() checks every module with ir::verify and spirv-val.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/print.h"
#include "ir/verify.h"
#include "lower/lowered.h"
#include "tgsi/parse.h"
#include "tgsi/registers.h"

namespace tgsi2spv::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kHead =
    R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0..7]
DCL TEMP[0..7]
DCL ADDR[0]
IMM[0] FLT32 {0.0, 1.0, 2.0, -1.0}
IMM[1] UINT32 {0, 1, 2, 3}
)";

std::string shader(std::string_view body) {
    return std::string(kHead) + std::string(body) + "\nEND\n";
}

Lowered lower_body(std::string_view body, const lower::Options& options = {},
                   const lower::Capabilities& capabilities = {}) {
    Lowered l = lower_text(shader(body), options, capabilities);
    EXPECT_TRUE(l.ok) << l.error << "\n" << body;
    return l;
}

std::string printed(std::string_view body, const lower::Options& options = {},
                    const lower::Capabilities& capabilities = {}) {
    return ir::print(lower_body(body, options, capabilities).module);
}

size_t count(const ir::Module& module, ir::Op op) {
    size_t n = 0;
    for (const ir::Function& f : module.functions)
        n += static_cast<size_t>(std::ranges::count(f.instructions, op, &ir::Instruction::op));
    return n;
}

std::string repeat(int n, std::string_view text) {
    std::string out;
    for (int i = 0; i < n; ++i) {
        std::string one(text);
        for (size_t at; (at = one.find('#')) != std::string::npos;) one.replace(at, 1, std::to_string(i));
        out += one;
    }
    return out;
}

TEST(LowerFlow, IfGivesOnePhiForEachRegisterThatDiffers) {
    EXPECT_THAT(printed("IF IN[0].xxxx\nMOV TEMP[0].xy, CONST[1]\nELSE\nADD TEMP[0].y, IN[0], IN[0]\nENDIF\n"
                        "MOV OUT[0], TEMP[0]"),
                HasSubstr(R"(b0: merge b3
  %0 = Load f32x4 $0
  %1 = Compose f32 %0.x
  %2 = Bitcast u32 %1
  %3 = And u32 %2, u32(2147483647)
  %4 = INe bool %3, u32(0)
  BranchIf %4, b1, b2
b1:
  %6 = Load f32x4 $2[u32(1)]
  %7 = Compose f32x2 %6.x, %6.y
  Branch b3
b2:
  %9 = Compose f32 %0.y
  %10 = Compose f32 %0.y
  %11 = FAdd f32 %9, %10
  %12 = Compose f32x2 f32(0).x, %11.x
  Branch b3
b3:
  %14 = Phi f32x2 [%7, b1], [%12, b2]
  %15 = Compose f32x4 %14.x, %14.y, f32(0).x, f32(0).x
  Store $1, %15
  Return
)"));
}

TEST(LowerFlow, UifTestsAllBits) {
    const std::string text = printed("UIF IN[0].xxxx\nMOV OUT[0], IMM[0]\nENDIF");
    EXPECT_THAT(text, HasSubstr("INe bool"));
    EXPECT_THAT(text, Not(HasSubstr("And u32")));
}

/// The result of a comparison needs no mask: IF tests the comparison itself.
TEST(LowerFlow, IfOfAComparisonIsTheComparison) {
    const std::string text = ir::print(
        lower_simplified(shader("SLT TEMP[0].x, IN[0], IN[0].yyyy\nIF TEMP[0].xxxx\nMOV OUT[0], IMM[0]\nENDIF"))
            .module);
    EXPECT_THAT(text, HasSubstr("BranchIf"));
    EXPECT_THAT(text, Not(HasSubstr("And u32")));
    EXPECT_THAT(text, Not(HasSubstr("INe bool")));
}

TEST(LowerFlow, LoopHeaderHasPhisOnlyForWrittenRegisters) {
    const std::string text = printed(
        R"(MOV TEMP[0], CONST[0]
MOV TEMP[1], CONST[1]
BGNLOOP
ADD TEMP[0].x, TEMP[0], TEMP[1]
UIF TEMP[2].xxxx
BRK
ENDIF
FSLT TEMP[2].x, CONST[2], TEMP[0]
ENDLOOP
MOV OUT[0], TEMP[0])");
    EXPECT_THAT(text, HasSubstr("loop b"));
    // TEMP[0].x is a float, TEMP[2].x the word that FSLT computed in the previous iteration; TEMP[1] does not change.
    EXPECT_THAT(text, HasSubstr("= Phi f32 ["));
    EXPECT_THAT(text, HasSubstr("= Phi u32 ["));
    EXPECT_THAT(text, Not(HasSubstr("= Phi f32x4 [")));
}

TEST(LowerFlow, EveryShapeIsValid) {
    constexpr std::string_view kShapes[] = {
        // loops that never repeat, never end, end in the middle
        "BGNLOOP\nBRK\nENDLOOP",
        "BGNLOOP\nADD TEMP[0], TEMP[0], IMM[0]\nENDLOOP",
        "BGNLOOP\nRET\nENDLOOP",
        "BGNLOOP\nCONT\nENDLOOP",
        "BGNLOOP\nIF IN[0]\nCONT\nENDIF\nADD TEMP[0], TEMP[0], IN[0]\nIF IN[0].yyyy\nBRK\nELSE\nCONT\nENDIF\nENDLOOP",
        "BGNLOOP\nBGNLOOP\nIF IN[0]\nBRK\nENDIF\nENDLOOP\nBRK\nENDLOOP",
        "BGNLOOP\nBGNLOOP\nENDLOOP\nENDLOOP",
        // both arms exit
        "IF IN[0]\nRET\nELSE\nRET\nENDIF\nMOV OUT[0], IN[0]",
        "BGNLOOP\nIF IN[0]\nBRK\nELSE\nBRK\nENDIF\nMOV OUT[0], IN[0]\nENDLOOP",
        // unreachable code that contains constructs
        "RET\nIF IN[0]\nMOV OUT[0], IN[0]\nELSE\nENDIF\nBGNLOOP\nBRK\nENDLOOP\nSWITCH IN[0]\nCASE IMM[1].xxxx\n"
        "ENDSWITCH",
        "BGNLOOP\nBRK\nSWITCH IN[0].xxxx\nDEFAULT\nBRK\nENDSWITCH\nENDLOOP\nMOV OUT[0], IN[0]",
        // switches
        "SWITCH IN[0].xxxx\nENDSWITCH",
        "SWITCH IN[0].xxxx\nMOV OUT[0], IN[0]\nENDSWITCH",
        "SWITCH IN[0].xxxx\nDEFAULT\nENDSWITCH",
        "SWITCH IN[0].xxxx\nCASE IMM[1].xxxx\nCASE IMM[1].yyyy\nDEFAULT\nMOV TEMP[0], IN[0]\nENDSWITCH",
        "SWITCH IN[0].xxxx\nCASE IMM[1].xxxx\nMOV TEMP[0], IN[0]\nDEFAULT\nADD TEMP[0].x, TEMP[0], IN[0]\n"
        "CASE IMM[1].yyyy\nADD TEMP[0].y, TEMP[0], IN[0]\nENDSWITCH\nMOV OUT[0], TEMP[0]",
        "SWITCH IN[0].xxxx\nCASE IMM[1].xxxx\nMOV TEMP[0], IN[0]\nCASE IMM[1].xxxx\nMOV TEMP[1], IN[0]\nBRK\n"
        "CASE IMM[1].xxxx\nMOV TEMP[2], IN[0]\nENDSWITCH\nADD OUT[0], TEMP[0], TEMP[1]",
        "SWITCH IN[0].xxxx\nCASE CONST[0].xxxx\nMOV TEMP[0], IN[0]\nCASE -IMM[1].yyyy\nDEFAULT\nBRK\n"
        "CASE TEMP[0].xxxx\nMOV TEMP[0].x, IMM[1]\nENDSWITCH\nMOV OUT[0], TEMP[0]",
        // exits from a loop inside a switch, and from a switch inside a loop
        "BGNLOOP\nSWITCH IN[0].xxxx\nCASE IMM[1].xxxx\nCONT\nCASE IMM[1].yyyy\nBRK\nDEFAULT\nRET\nENDSWITCH\nBRK\n"
        "ENDLOOP",
        "SWITCH IN[0].xxxx\nCASE IMM[1].xxxx\nBGNLOOP\nIF IN[0].yyyy\nBRK\nENDIF\nENDLOOP\nBRK\nDEFAULT\nENDSWITCH",
        "BGNLOOP\nIF IN[0]\nSWITCH IN[0].xxxx\nDEFAULT\nIF IN[0]\nBRK\nENDIF\nCONT\nENDSWITCH\nENDIF\nBRK\nENDLOOP",
        // kills
        "KILL\nMOV OUT[0], IN[0]",
        "BGNLOOP\nKILL_IF IN[0].xxyy\nIF IN[0]\nKILL\nBRK\nENDIF\nENDLOOP\nDEMOTE",
    };
    lower::Options guarded;
    guarded.max_iterations = 100;
    lower::Options judged;
    judged.exact = judged.io_buffers = true;
    lower::Capabilities no_demote;
    no_demote.demote = false;
    for (const std::string_view shape : kShapes) {
        SCOPED_TRACE(shape);
        lower_body(shape);
        lower_body(shape, guarded, no_demote);
        lower_body(shape, judged, no_demote);
    }
}

TEST(LowerFlow, SwitchTakesLiteralsInTheOrderOfTheText) {
    EXPECT_THAT(printed("SWITCH IN[0].xxxx\nCASE IMM[1].zzzz\nMOV TEMP[0], IN[0]\nBRK\nCASE IMM[1].yyyy\n"
                        "MOV TEMP[0], CONST[0]\nBRK\nCASE IMM[1].zzzz\nDEFAULT\nMOV TEMP[0], CONST[1]\nENDSWITCH"),
                HasSubstr("Switch %2, b3, 2: b1, 1: b2"));
}

TEST(LowerFlow, SwitchTakesLiteralsWithTheirModifiers) {
    // IMM[0].w is -1.0, so its bits are a negative integer: 0xbf800000.
    EXPECT_THAT(printed("SWITCH IN[0].xxxx\nCASE -IMM[1].yyyy\nMOV TEMP[0], IN[0]\nBRK\nCASE |IMM[0].wwww|\n"
                        "MOV TEMP[0], CONST[0]\nBRK\nCASE -|IMM[0].wwww|\nMOV TEMP[0], CONST[1]\nBRK\n"
                        "CASE |IMM[1].zzzz|\nMOV TEMP[0], CONST[2]\nENDSWITCH"),
                HasSubstr("4294967295: b1, 1082130432: b2, 3212836864: b3, 2: b4"));
}

TEST(LowerFlow, SwitchOnRegistersComparesBitsAndNumbersTheLabels) {
    const Lowered l = lower_body(
        "SWITCH IN[0].xxxx\nCASE CONST[0].xxxx\nMOV OUT[0], IN[0]\nBRK\nCASE CONST[0].yyyy\nMOV OUT[0], CONST[0]\n"
        "ENDSWITCH");
    EXPECT_EQ(count(l.module, ir::Op::IEq), 2u);
    EXPECT_THAT(ir::print(l.module), HasSubstr("0: b1, 1: b2"));
}

TEST(LowerFlow, KillDemotesAndGoesOn) {
    const std::string text = printed("KILL_IF IN[0].xyxy\nMOV OUT[0], IN[0]");
    // Only the two different components are compared; the comparison is ordered, so NaN does not kill.
    EXPECT_THAT(text, HasSubstr("FOLt boolx2"));
    EXPECT_THAT(text, HasSubstr("  Demote\n"));
    EXPECT_THAT(text, Not(HasSubstr("  Kill\n")));
}

TEST(LowerFlow, KillWithoutDemoteIsAFlagUntilTheExit) {
    lower::Capabilities no_demote;
    no_demote.demote = false;
    const Lowered l = lower_body("KILL_IF IN[0]\nIF IN[0]\nRET\nENDIF\nMOV OUT[0], IN[0]", {}, no_demote);
    EXPECT_EQ(count(l.module, ir::Op::Demote), 0u);
    EXPECT_EQ(count(l.module, ir::Op::Kill), 2u);  // one at each exit
    // A subroutine tests the flag before it writes, even if it never sets the flag itself.
    const Lowered calls = lower_text(
        R"(FRAG
DCL IN[0], GENERIC[0]
DCL BUFFER[0]
IMM[0] UINT32 {0, 1, 4, 0}
0: KILL_IF IN[0]
1: CAL :3
2: END
3: BGNSUB
4: STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy
5: ENDSUB
)",
        {}, no_demote);
    ASSERT_TRUE(calls.ok);
    ASSERT_EQ(calls.module.functions.size(), 2u);
    const auto& callee = calls.module.functions[1].instructions;
    EXPECT_TRUE(std::any_of(callee.begin(), callee.end(), [](const auto& i) { return i.op == ir::Op::Load; }));
}

/// tests/meanings/budget.txt has what is counted.
TEST(LowerFlow, MaxIterationsIsABudgetOfTheInvocation) {
    const Lowered l = lower_body("BGNLOOP\nBGNLOOP\nENDLOOP\nENDLOOP", {.max_iterations = 7});
    EXPECT_EQ(count(l.module, ir::Op::ULt), 2u);
    EXPECT_EQ(count(lower_body("BGNLOOP\nBGNLOOP\nENDLOOP\nENDLOOP").module, ir::Op::ULt), 0u);
}

/// IF looks at bits, since comparisons may flush denormals, which may be integers; sums may be flushed already.
TEST(LowerFlow, IfComparesSumsAndProducts) {
    const auto made = [](const std::string& line) {
        return operations(lower_simplified(shader(line + "\nIF TEMP[0].xxxx\nMOV OUT[0], IN[0]\nENDIF")).module);
    };
    EXPECT_THAT(made("MUL TEMP[0].x, IN[0], IN[0].yyyy"), HasSubstr("FMul FUNe"));
    EXPECT_THAT(made("DP3 TEMP[0].x, IN[0], IN[0].yyyy"), HasSubstr("FDot FUNe"));
    EXPECT_THAT(made("MIN TEMP[0].x, IN[0], IN[0].yyyy"), HasSubstr("FMin And INe"));
    EXPECT_THAT(made("MOV TEMP[0].x, -IN[0]"), HasSubstr("And INe"));
}

/// Loops that constants end cannot exceed the budget: nothing is counted, unless others may.
TEST(LowerFlow, NothingIsCountedIfConstantsTellTheTurns) {
    const auto loop = [](std::string_view limit, std::string_view inside) {
        return "MOV TEMP[1].x, IMM[1].xxxx\nBGNLOOP\nUSGE TEMP[2].x, TEMP[1], " + std::string(limit) +
               "\nUIF TEMP[2].xxxx\nBRK\nENDIF\n" + std::string(inside) +
               "UADD TEMP[1].x, TEMP[1], IMM[1].yyyy\nENDLOOP\n";
    };
    const auto counts = [](std::string_view body, uint32_t most) {
        const Lowered l = lower_body(body, {.max_iterations = most});
        return std::ranges::any_of(l.module.constants, [&](const ir::Constant& c) { return c.words[0] == most; }) &&
               ir::print(l.module).find("BranchIf bool(true)") == std::string::npos;
    };
    const std::string three = loop("IMM[1].wwww", "ADD OUT[0], OUT[0], IN[0]\n");  // and the turn that leaves
    EXPECT_FALSE(counts(three, 4));
    EXPECT_TRUE(counts(three, 3));
    EXPECT_FALSE(counts(three + three, 8));
    EXPECT_TRUE(counts(three + three, 7));
    EXPECT_TRUE(counts(loop("CONST[0].xxxx", "ADD OUT[0], OUT[0], IN[0]\n"), 100));
    EXPECT_TRUE(counts(three + "BGNLOOP\nENDLOOP\n", 100));
    // One in another, whose register the inner one has to leave alone: 4 + 4 * 4.
    std::string inner = three;
    for (size_t at; (at = inner.find("TEMP[1]")) != std::string::npos;) inner.replace(at, 7, "TEMP[3]");
    EXPECT_FALSE(counts(loop("IMM[1].wwww", inner), 20));
    EXPECT_TRUE(counts(loop("IMM[1].wwww", inner), 19));
    EXPECT_TRUE(counts(loop("IMM[1].wwww", three), 1000));
    // CONT goes round without the step.
    EXPECT_TRUE(counts(loop("IMM[1].wwww", "IF IN[0].xxxx\nCONT\nENDIF\n"), 1000));
}

/// Drivers unroll loops with one exit.
TEST(LowerFlow, BreaksAtTheEndOfBothArmsAreOne) {
    const auto loop = [](std::string_view first, std::string_view second) {
        return "BGNLOOP\nUADD TEMP[1].x, TEMP[1], IMM[1].yyyy\nAND TEMP[2].x, TEMP[1], IMM[1].yyyy\nUIF TEMP[2].xxxx\n"
               "UADD TEMP[0].x, TEMP[0], IMM[1].zzzz\nUSGE TEMP[3].x, TEMP[1], IN[0]\n" +
               std::string(first) +
               "ELSE\nUADD TEMP[0].y, TEMP[0], IMM[1].wwww\nUSGE TEMP[4].x, TEMP[0].yyyy, IN[0].yyyy\n" +
               std::string(second) +
               "ENDIF\nMOV TEMP[5].x, TEMP[0].yyyy\nMOV TEMP[0].y, IMM[1].xxxx\n"
               "UADD TEMP[0].y, TEMP[5].xxxx, IMM[1].xxxx\nENDLOOP\nMOV OUT[0], TEMP[0]\n";
    };
    const std::string one = "UIF TEMP[3].xxxx\nBRK\nENDIF\n", two = "IF TEMP[4].xxxx\nBRK\nELSE\nENDIF\n";
    const auto exits = [&](std::string_view first, std::string_view second) {
        return count(lower_body(loop(first, second)).module, ir::Op::BranchIf);
    };
    EXPECT_EQ(exits(one, two), 2u);
    EXPECT_EQ(exits(one, two + "MOV TEMP[6].x, IN[0].xxxx\n"), 3u);
    EXPECT_EQ(exits(one, "UIF TEMP[4].xxxx\nBRK\nELSE\nMOV TEMP[6].x, IN[0].xxxx\nENDIF\n"), 3u);
    const std::string head = "DCL TEMP[0..7]\nIMM[0] FLT32 {0, 0, 0, 0}\nIMM[1] UINT32 {0, 1, 2, 3}\n";
    // x counts 2 in odd turns, y counts 3 in even ones; the odd ones end at turn IN.x, the even ones at y >= IN.y.
    const auto result = [&](uint32_t x, uint32_t y) {
        return run("MOV OUT[0], TEMP[0]", {{x, y, 0, 0}}, {}, head + loop(one, two));
    };
    EXPECT_EQ(result(5, 99), (Words{6, 6, 0, 0}));
    EXPECT_EQ(result(99, 6), (Words{4, 6, 0, 0}));
    EXPECT_EQ(result(1, 1), (Words{2, 0, 0, 0}));
}

TEST(LowerFlow, MaxIterationsCountsCallsOfSubroutines) {
    const auto text = shader(R"(0: CAL :2
1: END
2: BGNSUB
3: CAL :5
4: ENDSUB
5: BGNSUB
6: ENDSUB
)");
    const Lowered l = lower_text(text, {.max_iterations = 7});
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_EQ(count(l.module, ir::Op::ULt), 2u);
    EXPECT_EQ(count(lower_text(text).module, ir::Op::ULt), 0u);
}

/// Lowers without spirv-val, whose time is not linear in the nesting depth.
Lowered lower_large(std::string_view text, const lower::Options& options = {}) {
    Lowered l;
    tgsi::Program program;
    EXPECT_TRUE(tgsi::parse(text, {}, program, l.diagnostics));
    const lower::WorkspacePtr workspace = lower::make_workspace();
    l.ok = lower::lower({program, tgsi::gather(program), {}, options, {}, *workspace, l.module, l.diagnostics});
    EXPECT_TRUE(l.ok);
    if (const auto error = ir::verify(l.module)) ADD_FAILURE() << ir::describe(l.module, *error);
    return l;
}

TEST(LowerFlow, DeepNesting) {
    for (const auto& [open, close] : {std::pair{"IF IN[0]\n", "ENDIF\n"}, std::pair{"BGNLOOP\n", "BRK\nENDLOOP\n"},
                                      std::pair{"SWITCH IN[0]\nDEFAULT\n", "ENDSWITCH\n"}})
        lower_large(
            shader(repeat(256, open) + "ADD TEMP[0], TEMP[0], IN[0]\n" + repeat(256, close) + "MOV OUT[0], TEMP[0]"));
}

TEST(LowerFlow, PhiOperandsHaveABudget) {
    // 400 exits from a loop that writes 1,000 registers, all of which are read after it.
    const std::string body = "BGNLOOP\n" + repeat(1000, "ADD TEMP[#], TEMP[#], IN[0]\n") +
                             repeat(400, "IF IN[0].xxxx\nBRK\nENDIF\nADD TEMP[999], TEMP[999], IN[0]\n") + "ENDLOOP\n" +
                             repeat(1000, "ADD TEMP[999], TEMP[#], TEMP[999]\n") + "MOV OUT[0], TEMP[999]\n";
    const Lowered l = lower_text(R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..999]
)" + body + "END\n");
    ASSERT_TRUE(l.ok);
    size_t operands = 0;
    for (const ir::Instruction& i : l.module.functions[0].instructions)
        if (i.op == ir::Op::Phi) operands += i.num_args / 2;
    EXPECT_LE(operands, 8u * 3604 + 4096);
    EXPECT_GT(operands, 400u);  // registers within the budget stay in SSA form
    const auto local = std::ranges::find(l.module.variables, ir::VariableKind::Local, &ir::Variable::kind);
    ASSERT_NE(local, l.module.variables.end());
    EXPECT_TRUE(local->zero_initialised);
}

TEST(LowerFlow, ManyExitsStoreOutputsOnce) {
    std::string head = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0..7], COLOR\n";
    const std::string writes = repeat(8, "MOV OUT[#], IN[0]\n");
    const std::string few = head + writes + repeat(10, "IF IN[0]\nRET\nENDIF\n") + "END\n";
    EXPECT_EQ(count(lower_text(few).module, ir::Op::Store), 8u * 11);
    // Without the wrapper, 2,601 × 36 outputs would be stored, which is more than 8 × instructions + 4,096.
    const std::string body = repeat(2600, "IF IN[0]\nRET\nENDIF\n");
    const Lowered many = lower_large("FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0..35]\n" +
                                         repeat(36, "MOV OUT[#], IN[0]\n") + body + "END\n",
                                     [] {
                                         lower::Options o;
                                         o.io_buffers = true;
                                         return o;
                                     }());
    ASSERT_TRUE(many.ok) << many.error;
    EXPECT_EQ(many.module.functions.size(), 2u);
    EXPECT_LE(count(many.module, ir::Op::Store), 36u * 5 + 1);
}

TEST(LowerFlow, AReusedWorkspaceGivesTheSameModule) {
    const std::string texts[] = {
        shader("BGNLOOP\nIF IN[0]\nBRK\nENDIF\nADD TEMP[0], TEMP[0], CONST[3]\nENDLOOP\nMOV OUT[0], TEMP[0]"),
        shader("SWITCH IN[0].xxxx\nCASE CONST[1].xxxx\nARL ADDR[0].x, IN[0]\nMOV TEMP[ADDR[0].x], IN[0]\nDEFAULT\n"
               "TEX TEMP[1], IN[0], SAMP[0], 2D\nENDSWITCH\nADD OUT[0], TEMP[0], TEMP[1]"),
        R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL SV[0], INSTANCEID
DCL CONST[2][0..3]
CAL :3
ADD OUT[0], IN[0], CONST[2][1]
END
BGNSUB
MOV OUT[0], SV[0]
ENDSUB
)",
        shader("BREAKC IN[0]"),
    };
    const lower::WorkspacePtr workspace = lower::make_workspace();
    ir::Module reused;
    std::vector<std::string> first;
    for (int round = 0; round < 2; ++round) {
        for (size_t k = 0; k < std::size(texts); ++k) {
            tgsi::Program program;
            std::vector<tgsi::Diagnostic> diagnostics;
            ASSERT_TRUE(tgsi::parse(texts[k], {}, program, diagnostics));
            const bool ok = lower::lower({program, tgsi::gather(program), {}, {}, {}, *workspace, reused, diagnostics});
            EXPECT_EQ(ok, k != 3);
            const std::string text = ok ? ir::print(reused) : diagnostics.at(0).message;
            if (round == 0)
                first.push_back(text);
            else
                EXPECT_EQ(text, first[k]);
        }
    }
}

TEST(LowerFlow, DeclarationsAloneRequireNothing) {
    const Lowered lowered = lower_text(shader("DCL BUFFER[0]\nDCL IMAGE[0], 2D, WR\nMOV OUT[0], IN[0]"));
    ASSERT_TRUE(lowered.ok) << lowered.error;
    for (const ir::Variable& v : lowered.module.variables)
        EXPECT_TRUE(v.kind == ir::VariableKind::Input || v.kind == ir::VariableKind::Output) << v.name.view();
}

}  // namespace
}  // namespace tgsi2spv::test
