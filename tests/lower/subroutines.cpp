// CAL, BGNSUB, and plain code that returns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/print.h"
#include "lower/lowered.h"

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
)";

std::string shader(std::string_view body) {
    std::string text(kHead);
    text += body;
    return text;
}

TEST(LowerSubroutines, OnlyRegistersTheyTouchAreInMemory) {
    const Lowered l = lower_text(shader(R"(MOV TEMP[0], IN[0]
MOV TEMP[1], IN[0]
CAL :5
ADD OUT[0], TEMP[0], TEMP[1]
END
BGNSUB
ADD TEMP[1].xy, TEMP[1], CONST[0]
RET
ENDSUB
)"));
    ASSERT_TRUE(l.ok) << l.error;
    ASSERT_EQ(l.module.functions.size(), 2u);
    const std::string text = ir::print(l.module);
    EXPECT_THAT(text, HasSubstr("Private f32x4 array0=1 zero_initialised name=\"TEMP\""));
    EXPECT_THAT(text, HasSubstr("Call void f1()"));
    EXPECT_EQ(std::ranges::count(l.module.variables, ir::VariableKind::Private, &ir::Variable::kind), 1);
}

TEST(LowerSubroutines, CodeWithoutBgnsubRunsToItsReturn) {
    const Lowered l =
        lower_text(shader("CAL :3\nMOV OUT[0], TEMP[0]\nEND\nMOV TEMP[0], IN[0]\nIF IN[0]\nRET\nENDIF\n"
                          "MOV TEMP[0].x, CONST[0]\nRET\nMOV TEMP[7], IN[0]\nRET\n"));
    ASSERT_TRUE(l.ok) << l.error;
    ASSERT_EQ(l.module.functions.size(), 2u);
    EXPECT_EQ(std::ranges::count(l.module.functions[1].instructions, ir::Op::Return, &ir::Instruction::op), 2);
}

TEST(LowerSubroutines, InputsAndConstantsAreLoadedInTheirFunction) {
    // The subroutine cannot use values of main; the verifier checks that it does not.
    const Lowered l =
        lower_text(shader("ADD TEMP[0], IN[0], CONST[0]\nCAL :4\nMOV OUT[0], TEMP[1]\nEND\nBGNSUB\n"
                          "ADD TEMP[1], IN[0], CONST[0]\nCAL :7\nENDSUB\nBGNSUB\nKILL_IF IN[0]\nENDSUB\n"));
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_EQ(l.module.functions.size(), 3u);
    lower::Capabilities no_demote;
    no_demote.demote = false;
    lower::Options io;
    io.io_buffers = true;
    EXPECT_TRUE(lower_text(shader("CAL :2\nEND\nBGNSUB\nKILL_IF IN[0]\nENDSUB\n"), io, no_demote).ok);
}

TEST(LowerSubroutines, CallToTheEndOfTheTextCallsNothing) {
    const Lowered l = lower_text(shader("CAL :3\nMOV OUT[0], IN[0]\nEND\n"));
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_EQ(l.module.functions[1].instructions.size(), 1u);
}

TEST(LowerSubroutines, RecursionIsRefused) {
    const Lowered l = lower_text(shader("CAL :2\nEND\nBGNSUB\nCAL :5\nENDSUB\nBGNSUB\nCAL :2\nENDSUB\n"));
    EXPECT_FALSE(l.ok);
    EXPECT_EQ(l.diagnostics[0].code, "recursion");
}

TEST(LowerSubroutines, SizeAfterInliningIsLimited) {
    // Each subroutine calls the next one ten times, so n levels make 10^n instructions.
    auto tower = [](int levels) {
        std::string text(kHead);
        text += "CAL :2\nEND\n";
        int at = 2;
        for (int k = 0; k < levels; ++k) {
            at += 12;
            text += "BGNSUB\n";
            for (int c = 0; c < 10; ++c) text += k + 1 < levels ? "CAL :" + std::to_string(at) + "\n" : "NOP\n";
            text += "ENDSUB\n";
        }
        return lower_text(text);
    };
    EXPECT_TRUE(tower(5).ok);
    const Lowered l = tower(7);
    EXPECT_FALSE(l.ok);
    EXPECT_EQ(l.diagnostics[0].code, "inlined-size");
}

TEST(LowerSubroutines, PiecesThatAreOneAnothersEndsAreLimited) {
    // A CAL to each instruction of a piece makes a function of each suffix of the piece.
    const auto suffixes = [](int n) {
        std::string text(kHead);
        for (int k = 0; k < n; ++k) text += "CAL :" + std::to_string(n + 1 + k) + "\n";
        text += "END\n";
        for (int k = 0; k < n; ++k) text += "ADD TEMP[0], TEMP[0], IN[0]\n";
        return lower_text(text + "RET\n");
    };
    EXPECT_TRUE(suffixes(20).ok);
    const Lowered l = suffixes(400);
    EXPECT_FALSE(l.ok);
    EXPECT_EQ(l.diagnostics[0].code, "inlined-size");
}

TEST(LowerSubroutines, DepthOfCallsIsLimited) {
    auto chain = [](int depth) {
        std::string text = shader("CAL :2\nEND\n");
        for (int k = 0; k < depth; ++k)
            text += "BGNSUB\n" + (k + 1 < depth ? "CAL :" + std::to_string(2 + 3 * (k + 1)) : "NOP") + "\nENDSUB\n";
        return lower_text(text);
    };
    EXPECT_TRUE(chain(256).ok);
    EXPECT_EQ(chain(257).diagnostics[0].code, "call-depth");
}

}  // namespace
}  // namespace tgsi2spv::test
