// Registers that nothing reads after a construct get no phi there, and all others keep their values; checked on the
// host.
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
DCL CONST[0..7]
DCL TEMP[0..7]
DCL ADDR[0]
DCL PRED[0]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {4, 5, 10, 100}
)";

Lowered lower_body(std::string_view body, const lower::Options& options = {}) {
    Lowered l = lower_text(std::string(kHead) + std::string(body) + "\nEND\n", options);
    EXPECT_TRUE(l.ok) << l.error << "\n" << body;
    return l;
}

Words run_body(std::string_view body, Words in, const lower::Options& options = {}) {
    const Lowered lowered = lower_body(body, options);
    const Evaluation e = evaluate(lowered.module, {{0, in}, {1, {}}});
    EXPECT_EQ(e.error, "") << body;
    EXPECT_TRUE(e.undefined.empty()) << body;
    const auto out = e.outputs.find(7);
    return out == e.outputs.end() ? Words{} : out->second;
}

size_t phis(std::string_view body, const lower::Options& options = {}) {
    const Lowered lowered = lower_body(body, options);
    return static_cast<size_t>(
        std::ranges::count(lowered.module.functions[0].instructions, ir::Op::Phi, &ir::Instruction::op));
}

TEST(LowerLiveness, RegistersReadOnlyInsideNeedNoPhi) {
    constexpr std::string_view kInside =
        "UIF IN[0].xxxx\nUADD TEMP[0], IN[0], IN[0]\nUADD TEMP[1].x, TEMP[0].yyyy, IMM[0].yyyy\nENDIF\n"
        "MOV OUT[0], TEMP[1].xxxx";
    EXPECT_EQ(phis(kInside), 1u);  // for TEMP[1]
    EXPECT_EQ(run_body(kInside, {1, 20, 0, 0})[0], 41u);
    EXPECT_EQ(run_body(kInside, {0, 20, 0, 0})[0], 0u);
}

TEST(LowerLiveness, OverwrittenRegistersNeedNoPhi) {
    constexpr std::string_view kWhole =
        "UIF IN[0].xxxx\nUADD TEMP[0], IN[0], IN[0]\nENDIF\nMOV TEMP[0], IN[0]\nMOV OUT[0], TEMP[0]";
    EXPECT_EQ(phis(kWhole), 0u);
    // Here it is overwritten only in part, or only under a condition.
    EXPECT_EQ(phis("UIF IN[0].xxxx\nUADD TEMP[0], IN[0], IN[0]\nENDIF\nMOV TEMP[0].xyz, IN[0]\nMOV OUT[0], TEMP[0]"),
              1u);
    EXPECT_EQ(phis("UADD PRED[0], IN[0], IMM[0].xxxx\nUIF IN[0].xxxx\nUADD TEMP[0], IN[0], IN[0]\nENDIF\n"
                   "(PRED[0].x) MOV TEMP[0], IN[0]\nMOV OUT[0], TEMP[0]"),
              1u);
    EXPECT_EQ(phis("UIF IN[0].xxxx\nUADD TEMP[0], IN[0], IN[0]\nENDIF\nUIF IN[0].yyyy\nMOV TEMP[0], IN[0]\nENDIF\n"
                   "MOV OUT[0], TEMP[0]"),
              2u);
    EXPECT_EQ(phis("UIF IN[0].xxxx\nUADD TEMP[0], IN[0], IN[0]\nENDIF\nUIF IN[0].yyyy\nMOV TEMP[0], IN[0]\nELSE\n"
                   "MOV TEMP[0], IMM[0]\nENDIF\nMOV OUT[0], TEMP[0]"),
              1u);
}

TEST(LowerLiveness, TheOtherArmReadsTheValueBefore) {
    constexpr std::string_view kBody =
        R"(MOV TEMP[0].x, IMM[0].wwww
UIF IN[0].xxxx
MOV TEMP[0].x, IMM[1].xxxx
UADD TEMP[1].x, TEMP[0], TEMP[0]
ELSE
UADD TEMP[1].x, TEMP[0], IMM[0].yyyy
ENDIF
MOV OUT[0], TEMP[1].xxxx)";
    EXPECT_EQ(phis(kBody), 1u);
    EXPECT_EQ(run_body(kBody, all(1))[0], 8u);
    EXPECT_EQ(run_body(kBody, all(0))[0], 4u);
}

TEST(LowerLiveness, LoopsCarryRegistersOfTheNextIteration) {
    // TEMP[0] counts; TEMP[1] is used within one iteration; TEMP[2] comes from the previous iteration; TEMP[3] is read
    // after the loop.
    constexpr std::string_view kBody =
        "BGNLOOP\nUADD TEMP[1].x, TEMP[0], IMM[0].yyyy\nUADD TEMP[3].x, TEMP[2], TEMP[1]\nMOV TEMP[0].x, TEMP[1]\n"
        "USEQ TEMP[1].x, TEMP[0], IN[0]\nBREAKC TEMP[1].xxxx\nUMUL TEMP[2].x, TEMP[0], IMM[0].zzzz\nENDLOOP\n"
        "MOV OUT[0], TEMP[3].xxxx";
    EXPECT_EQ(run_body(kBody, all(1))[0], 1u);
    EXPECT_EQ(run_body(kBody, all(5))[0], 8u + 5u);
    EXPECT_EQ(phis(kBody), 2u);  // TEMP[0] and TEMP[2] at the header; the loop has one exit
    // If a guard ends the loop at its header, registers keep the values of the last iteration.
    lower::Options guarded;
    guarded.max_iterations = 3;
    EXPECT_EQ(run_body(kBody, all(9), guarded)[0], 4u + 3u);
}

TEST(LowerLiveness, BreaksAndContinuesCarryLiveRegisters) {
    // Odd numbers take CONT before TEMP[1] is added to; BRK leaves TEMP[2] as it is.
    constexpr std::string_view kBody =
        "BGNLOOP\nUADD TEMP[0].x, TEMP[0], IMM[0].yyyy\nMOV TEMP[2].x, TEMP[1]\nAND TEMP[3].x, TEMP[0], IMM[0].yyyy\n"
        "UIF TEMP[3].xxxx\nMOV TEMP[4].x, TEMP[0]\nCONT\nENDIF\nUSGE TEMP[3].x, TEMP[0], IN[0]\nUIF TEMP[3].xxxx\n"
        "BRK\nENDIF\nUADD TEMP[1].x, TEMP[1], TEMP[0]\nENDLOOP\nMOV OUT[0].x, TEMP[2]\nMOV OUT[0].y, TEMP[4].xxxx";
    EXPECT_EQ(run_body(kBody, all(6))[0], 2u + 4u);
    EXPECT_EQ(run_body(kBody, all(6))[1], 5u);
    EXPECT_EQ(run_body(kBody, all(0))[1], 1u);
}

TEST(LowerLiveness, AConditionalExitKeepsRegistersLive) {
    // The construct around BRK writes nothing. TEMP[1] is read above it and in the next iteration, but not after the
    // loop.
    constexpr std::string_view kBody =
        "BGNLOOP\nUMUL TEMP[3].x, TEMP[1], TEMP[1]\nUSGE TEMP[2].x, TEMP[3], IN[0]\nUIF TEMP[2].xxxx\nBRK\nENDIF\n"
        "UADD TEMP[1].x, TEMP[1], IMM[0].yyyy\nUADD TEMP[0].x, TEMP[0], IMM[0].zzzz\nENDLOOP\n"
        "MOV OUT[0], TEMP[0].xxxx";
    EXPECT_EQ(run_body(kBody, all(10))[0], 8u);
    constexpr std::string_view kContinues =
        "BGNLOOP\nUADD TEMP[0].x, TEMP[0], IMM[0].yyyy\nUSEQ TEMP[2].x, TEMP[0], IMM[1].yyyy\nBREAKC TEMP[2].xxxx\n"
        "MOV TEMP[3].x, TEMP[1]\nAND TEMP[2].x, TEMP[0], IN[0]\nUIF TEMP[2].xxxx\nCONT\nENDIF\n"
        "UADD TEMP[1].x, TEMP[0], TEMP[3]\nENDLOOP\nMOV OUT[0], TEMP[3].xxxx";
    EXPECT_EQ(run_body(kContinues, all(1))[0], 2u);
    EXPECT_EQ(run_body(kContinues, all(0))[0], 6u);
    EXPECT_EQ(run_body(kContinues, all(4))[0], 6u);
}

TEST(LowerLiveness, LoopsInLoops) {
    // The inner loop resets TEMP[1]; TEMP[2] lives through both loops.
    constexpr std::string_view kBody =
        "BGNLOOP\nMOV TEMP[1].x, IMM[0].xxxx\nBGNLOOP\nUADD TEMP[1].x, TEMP[1], IMM[0].yyyy\n"
        "UADD TEMP[2].x, TEMP[2], TEMP[1]\nUSEQ TEMP[3].x, TEMP[1], IN[0].yyyy\nBREAKC TEMP[3].xxxx\nENDLOOP\n"
        "UADD TEMP[0].x, TEMP[0], IMM[0].yyyy\nUSEQ TEMP[3].x, TEMP[0], IN[0]\nBREAKC TEMP[3].xxxx\nENDLOOP\n"
        "MOV OUT[0], TEMP[2].xxxx";
    EXPECT_EQ(run_body(kBody, {3, 4, 0, 0})[0], 30u);
}

TEST(LowerLiveness, CasesReadValuesFromBeforeTheSwitch) {
    // The second CASE compares with a register that the first one writes before it falls through; DEFAULT reads it,
    // too.
    constexpr std::string_view kBody =
        R"(MOV TEMP[0].x, IMM[0].zzzz
MOV TEMP[1].x, IMM[1].xxxx
SWITCH IN[0].xxxx
CASE IMM[0].yyyy
MOV TEMP[0].x, IMM[1].wwww
MOV TEMP[1].x, IMM[1].yyyy
CASE TEMP[0].xxxx
UADD TEMP[2].x, TEMP[1], TEMP[0]
BRK
DEFAULT
MOV TEMP[2].x, TEMP[0]
ENDSWITCH
MOV OUT[0], TEMP[2].xxxx)";
    EXPECT_EQ(run_body(kBody, all(1))[0], 105u);
    EXPECT_EQ(run_body(kBody, all(2))[0], 6u);
    EXPECT_EQ(run_body(kBody, all(7))[0], 2u);
    // Without DEFAULT, control may skip all cases.
    constexpr std::string_view kPast =
        R"(MOV TEMP[0].x, IMM[0].zzzz
SWITCH IN[0].xxxx
CASE IMM[0].yyyy
MOV TEMP[0].x, IMM[1].wwww
BRK
CASE IMM[0].wwww
MOV TEMP[0].x, IMM[1].yyyy
ENDSWITCH
MOV OUT[0], TEMP[0].xxxx)";
    EXPECT_EQ(run_body(kPast, all(1))[0], 100u);
    EXPECT_EQ(run_body(kPast, all(3))[0], 5u);
    EXPECT_EQ(run_body(kPast, all(9))[0], 2u);
    // The writes of a construct above are read on that path, too.
    constexpr std::string_view kAfterAnIf =
        "UIF IN[0].xxxx\nMOV TEMP[0].x, IMM[0].zzzz\nENDIF\nSWITCH IN[0].yyyy\nCASE IMM[0].yyyy\n"
        "MOV TEMP[0].x, IN[0].zzzz\nBRK\nENDSWITCH\nMOV OUT[0], TEMP[0].xxxx";
    EXPECT_EQ(run_body(kAfterAnIf, {1, 9, 7, 0})[0], 2u);
    EXPECT_EQ(run_body(kAfterAnIf, {1, 1, 7, 0})[0], 7u);
    EXPECT_EQ(run_body(kAfterAnIf, {0, 9, 7, 0})[0], 0u);
}

TEST(LowerLiveness, IndicesPredicatesAndConditionsRead) {
    EXPECT_EQ(phis("UIF IN[0].xxxx\nUARL ADDR[0].x, IN[0].yyyy\nENDIF\nMOV OUT[0], CONST[ADDR[0].x]"), 1u);
    EXPECT_EQ(phis("UIF IN[0].xxxx\nMOV TEMP[1].x, IN[0].yyyy\nENDIF\nMOV OUT[0], CONST[TEMP[1].x]"), 1u);
    EXPECT_EQ(phis("UIF IN[0].xxxx\nMOV TEMP[1].x, IN[0].yyyy\nENDIF\nUIF TEMP[1].xxxx\nMOV OUT[0], IN[0]\nENDIF"), 2u);
    EXPECT_EQ(phis("UIF IN[0].xxxx\nUADD PRED[0], IN[0], IMM[0].xxxx\nENDIF\n(PRED[0].y) MOV OUT[0], IN[0]"), 1u);
}

TEST(LowerLiveness, OperationsOn64BitsReadPairs) {
    constexpr std::string_view kBody =
        R"(MOV TEMP[0], IN[0]
UIF IN[0].xxxx
MOV TEMP[0].y, IMM[0].wwww
ENDIF
U64ADD TEMP[1].xy, TEMP[0], TEMP[0]
MOV OUT[0], TEMP[1])";
    EXPECT_EQ(run_body(kBody, {5, 1, 0, 0})[1], 6u);
    EXPECT_EQ(run_body(kBody, {0, 1, 0, 0})[1], 2u);
}

}  // namespace
}  // namespace tgsi2spv::test
