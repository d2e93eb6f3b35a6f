// What BRA becomes. tests/meanings/branches.txt has what it means.
#include <gtest/gtest.h>

#include <algorithm>

#include "lower/lowered.h"
#include "tgsi/parse.h"

namespace tgsi2spv::test {
namespace {

constexpr std::string_view kHead =
    R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], GENERIC[7]
DCL TEMP[0..3]
DCL PRED[0]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {4, 5, 10, 100}
)";

Lowered lower_body(std::string_view body, const lower::Options& options = {}) {
    return lower_text(std::string(kHead) + std::string(body) + "\nEND\n", options);
}

/// Returns OUT[0] of a shader whose instructions are `body`, numbered from 0.
Words run_body(std::string_view body, Words in, const lower::Options& options = {}) {
    const Lowered lowered = lower_body(body, options);
    if (!lowered.ok) {
        ADD_FAILURE() << lowered.error << "\n" << body;
        return {};
    }
    const Evaluation e = evaluate(lowered.module, {{0, in}, {1, {}}});
    EXPECT_EQ(e.error, "") << body;
    EXPECT_TRUE(e.undefined.empty()) << body;
    const auto out = e.outputs.find(7);
    return out == e.outputs.end() ? Words{} : out->second;
}

TEST(LowerBranches, ConstructsThatNoBranchTouchesStay) {
    const Lowered lowered = lower_body(
        "(PRED[0].x) BRA :7\nBGNLOOP\nUIF IN[0].xxxx\nBRK\nENDIF\nENDLOOP\nMOV TEMP[0], IN[0]\nMOV OUT[0], TEMP[0]");
    size_t loops = 0;
    for (const ir::Block& b : lowered.module.functions[0].blocks) loops += b.merge == ir::Merge::Loop;
    EXPECT_EQ(loops, 2u);
    // A construct with a BRK to the flattened loop around it is flattened itself.
    const Lowered flat = lower_body("BGNLOOP\nUIF IN[0].xxxx\nBRK\nENDIF\nUIF IN[0].yyyy\nBRA :8\nENDIF\nENDLOOP\nNOP");
    loops = 0;
    for (const ir::Block& b : flat.module.functions[0].blocks) loops += b.merge == ir::Merge::Loop;
    EXPECT_EQ(loops, 1u);
}

TEST(LowerBranches, TheGuardEndsThem) {
    EXPECT_EQ(run_body("UADD OUT[0], OUT[0], IMM[0].yyyy\nBRA :0", {}, {.max_iterations = 5}), all(5));
    const Lowered lowered = lower_body("BRA :0");
    EXPECT_EQ(count(lowered.module, ir::Op::Return), 1u);
}

TEST(LowerBranches, InASubroutine) {
    std::string text(kHead);
    text += "CAL :3\nMOV OUT[0], TEMP[0]\nEND\nBGNSUB\nUADD TEMP[0], TEMP[0], IMM[0]\nUIF TEMP[0].xxxx\n";
    text += "BRA :4\nENDIF\nENDSUB\n";
    const Lowered lowered = lower_text(text);
    EXPECT_TRUE(lowered.ok) << lowered.error;
    ASSERT_EQ(lowered.module.functions.size(), 2u);
    EXPECT_EQ(lowered.module.functions[0].blocks.size(), 1u);
}

TEST(LowerBranches, ManyStayLinear) {
    const auto shader_of = [](int n) {
        std::string body;
        for (int k = 0; k < n; ++k) body += "BRA :" + std::to_string((k * 7 + 3) % n) + "\n";
        return body;
    };
    const size_t small = lower_body(shader_of(200)).module.functions[0].instructions.size();
    const size_t large = lower_body(shader_of(2000)).module.functions[0].instructions.size();
    EXPECT_LT(large, 11 * small);
}

/// The results are compared on devices (tests/cases/branches.cpp); this test checks that the loop over the pieces
/// starts in the middle.
TEST(LowerBranches, BackToBeforeTheEntryOfASubroutine) {
    const auto first_piece = [](const Lowered& l) {
        const ir::Function& sub = l.module.functions.at(1);
        for (const ir::Instruction& i : sub.instructions) {
            if (i.op != ir::Op::Phi) continue;
            const uint32_t value = sub.args_of(i)[0];
            return ir::is_constant(value) ? l.module.constant(value).words[0] : ~0u;
        }
        return ~0u;
    };
    // CAL enters at 6; from 10, the lane branches back to 4, before the entry.
    const std::string head = std::string(kHead) + "CAL :6\nMOV OUT[0], TEMP[0]\nNOP\nEND\n";
    const Lowered plain =
        lower_text(head +
                   "UADD TEMP[0].y, TEMP[0].yyyy, IMM[0].yyyy\nNOP\nUSEQ TEMP[1].x, TEMP[0].yyyy, TEMP[0].xxxx\n"
                   "UIF TEMP[1].xxxx\nRET\nENDIF\nBRA :4\nRET\n");
    ASSERT_TRUE(plain.ok) << plain.error;
    EXPECT_EQ(first_piece(plain), 1u);
    // Into the middle of a BGNSUB, past a RET, and back to its beginning.
    const Lowered middle = lower_text(
        head +
        "BGNSUB\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nUSLT TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\n"
        "UIF TEMP[1].xxxx\nBRA :5\nENDIF\nBRA :12\nRET\nUADD TEMP[0].z, TEMP[0].zzzz, IMM[0].zzzz\nENDSUB\n");
    ASSERT_TRUE(middle.ok) << middle.error;
    EXPECT_EQ(first_piece(middle), 2u);
    // A piece that only branches forwards starts where it is entered.
    const Lowered forwards = lower_text(head + "NOP\nNOP\nBRA :8\nNOP\nRET\n");
    ASSERT_TRUE(forwards.ok) << forwards.error;
    EXPECT_EQ(first_piece(forwards), 0u);
}

TEST(LowerBranches, AnEntryInTheMiddle) {
    const std::string text =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL TEMP[0]
DCL BUFFER[0]
IMM[0] UINT32 {1, 5, 0, 0}
BGNSUB
STORE BUFFER[0].x, IMM[0].zzzz, IMM[0].xxxx
ENDSUB
BGNSUB
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
BRA :4
ENDSUB
)";
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    ASSERT_TRUE(tgsi::parse(text, {}, program, diagnostics));
    const tgsi::Registers registers = tgsi::gather(program);
    const auto lowered_from = [&](uint32_t entry) {
        program.entry = entry;
        ir::Module module;
        const auto workspace = lower::make_workspace();
        EXPECT_TRUE(lower::lower({program, registers, {}, {}, {}, *workspace, module, diagnostics}));
        return module;
    };
    EXPECT_EQ(count(lowered_from(0), ir::Op::Store), 1u);
    // The second piece never ends; the piece that starts in its middle branches back to before the entry.
    EXPECT_EQ(count(lowered_from(3), ir::Op::Return), 1u);
    EXPECT_EQ(count(lowered_from(5), ir::Op::IAdd), 1u);
}

}  // namespace
}  // namespace tgsi2spv::test
