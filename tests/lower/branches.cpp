// BRA, run on the host: forwards and backwards, into and out of constructs, and beside constructs that stay.
#include <gtest/gtest.h>

#include <algorithm>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

constexpr std::string_view kHead =
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], GENERIC[7]\nDCL TEMP[0..3]\nDCL PRED[0]\n"
    "IMM[0] UINT32 {0, 1, 2, 3}\nIMM[1] UINT32 {4, 5, 10, 100}\n";

Lowered lower_body(std::string_view body, const lower::Options& options = {}) {
    return lower_text(std::string(kHead) + std::string(body) + "\nEND\n", options);
}

/// OUT[0] of a shader whose instructions `body` are, numbered from 0.
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

size_t count(const ir::Module& module, ir::Op op) {
    return static_cast<size_t>(std::ranges::count(module.functions[0].instructions, op, &ir::Instruction::op));
}

TEST(LowerBranches, Forwards) {
    EXPECT_EQ(run_body("BRA :2\nMOV TEMP[0].x, IMM[0].yyyy\nUADD OUT[0], TEMP[0], IMM[0].zzzz", {}),
              (Words{2, 2, 2, 2}));
    EXPECT_EQ(run_body("MOV OUT[0], IMM[0]\nBRA :3\nMOV OUT[0], IMM[1]", {}), (Words{0, 1, 2, 3}));
}

TEST(LowerBranches, BackwardsOutOfAnIf) {
    const char* body =
        "UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nUSLT TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\nUIF TEMP[1].xxxx :4\n"
        "BRA :0\nENDIF\nMOV OUT[0], TEMP[0]";
    for (const uint32_t n : {0u, 1u, 2u, 7u}) EXPECT_EQ(run_body(body, all(n))[0], std::max(n, 1u)) << n;
}

TEST(LowerBranches, IntoBothArmsOfAnIf) {
    // 0: UIF in.x → BRA into the first arm's end or the second arm's middle.
    const char* into_else =
        "UIF IN[0].xxxx\nBRA :5\nENDIF\nUIF IMM[0].yyyy\nMOV TEMP[0].x, IMM[0].yyyy\nUADD TEMP[0].y, TEMP[0].yyyy, "
        "IMM[0].zzzz\nELSE\nMOV TEMP[0].z, IMM[0].wwww\nENDIF\nMOV OUT[0], TEMP[0]";
    EXPECT_EQ(run_body(into_else, all(0)), (Words{1, 2, 0, 0}));
    EXPECT_EQ(run_body(into_else, all(1)), (Words{0, 2, 0, 0}));
    const char* into_then =
        "UIF IN[0].xxxx\nBRA :7\nENDIF\nUIF IMM[0].yyyy\nMOV TEMP[0].x, IMM[0].yyyy\nELSE\nMOV TEMP[0].y, IMM[0].wwww\n"
        "MOV TEMP[0].z, IMM[0].wwww\nENDIF\nMOV OUT[0], TEMP[0]";
    EXPECT_EQ(run_body(into_then, all(0)), (Words{1, 0, 0, 0}));
    EXPECT_EQ(run_body(into_then, all(1)), (Words{0, 0, 3, 0}));
}

TEST(LowerBranches, IntoALoopAndOutOfTwo) {
    // Enters the loop behind its first addition, then turns until TEMP[0].x is 4.
    const char* into =
        "BRA :3\nBGNLOOP\nUADD TEMP[0].y, TEMP[0].yyyy, IMM[0].yyyy\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n"
        "USEQ TEMP[1].x, TEMP[0].xxxx, IMM[1].xxxx\nBREAKC TEMP[1].xxxx\nENDLOOP\nMOV OUT[0], TEMP[0]";
    EXPECT_EQ(run_body(into, {}), (Words{4, 3, 0, 0}));
    const char* out_of =
        "BGNLOOP\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nBGNLOOP\nUADD TEMP[0].y, TEMP[0].yyyy, IMM[0].yyyy\n"
        "USEQ TEMP[1].x, TEMP[0].yyyy, IN[0].xxxx\nUIF TEMP[1].xxxx\nBRA :14\nENDIF\nUSEQ TEMP[1].x, TEMP[0].yyyy, "
        "IN[0].yyyy\nUIF TEMP[1].xxxx\nBRK\nENDIF\nENDLOOP\nENDLOOP\nMOV OUT[0], TEMP[0]";
    EXPECT_EQ(run_body(out_of, {7, 3, 0, 0}), (Words{2, 7, 0, 0}));
    EXPECT_EQ(run_body(out_of, {2, 9, 0, 0}), (Words{1, 2, 0, 0}));
}

TEST(LowerBranches, ContinueAndBreakBesideABranch) {
    // Counts to 10; odd numbers are skipped by CONT, 8 leaves by BRK, 100 never comes.
    const char* body =
        "BGNLOOP\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nAND TEMP[1].x, TEMP[0].xxxx, IMM[0].yyyy\n"
        "UIF TEMP[1].xxxx\nCONT\nENDIF\nUADD TEMP[0].y, TEMP[0].yyyy, TEMP[0].xxxx\nUSEQ TEMP[1].y, TEMP[0].xxxx, "
        "IN[0].xxxx\nUIF TEMP[1].yyyy\nBRK\nENDIF\nUSEQ TEMP[1].y, TEMP[0].xxxx, IN[0].yyyy\nUIF TEMP[1].yyyy\nBRA "
        ":16\n"
        "ENDIF\nENDLOOP\nMOV OUT[0], TEMP[0]";
    EXPECT_EQ(run_body(body, {8, 100, 0, 0}), (Words{8, 20, 0, 0}));
    EXPECT_EQ(run_body(body, {100, 6, 0, 0}), (Words{6, 12, 0, 0}));
}

TEST(LowerBranches, IntoACaseThatFallsThrough) {
    const char* body =
        "UIF IN[0].yyyy\nBRA :5\nENDIF\nSWITCH IN[0].xxxx\nCASE IMM[0].yyyy\nUADD TEMP[0].x, TEMP[0].xxxx, "
        "IMM[0].yyyy\n"
        "CASE IN[0].zzzz\nUADD TEMP[0].y, TEMP[0].yyyy, IMM[0].yyyy\nBRK\nDEFAULT\nUADD TEMP[0].z, TEMP[0].zzzz, "
        "IMM[0].yyyy\nENDSWITCH\nMOV OUT[0], TEMP[0]";
    EXPECT_EQ(run_body(body, {1, 0, 9, 0}), (Words{1, 1, 0, 0}));
    EXPECT_EQ(run_body(body, {9, 0, 9, 0}), (Words{0, 1, 0, 0}));
    EXPECT_EQ(run_body(body, {5, 0, 9, 0}), (Words{0, 0, 1, 0}));
    EXPECT_EQ(run_body(body, {5, 1, 9, 0}), (Words{1, 1, 0, 0}));
    EXPECT_EQ(run_body(body, {1, 0, 1, 0}), (Words{1, 1, 0, 0}));  // of equal ones the first
}

TEST(LowerBranches, ConstructsThatNoBranchTouchesStay) {
    const Lowered lowered = lower_body(
        "(PRED[0].x) BRA :7\nBGNLOOP\nUIF IN[0].xxxx\nBRK\nENDIF\nENDLOOP\nMOV TEMP[0], IN[0]\nMOV OUT[0], TEMP[0]");
    size_t loops = 0;
    for (const ir::Block& b : lowered.module.functions[0].blocks) loops += b.merge == ir::Merge::Loop;
    EXPECT_EQ(loops, 2u);
    // One in which a BRK goes to the flat loop around it is flat itself.
    const Lowered flat = lower_body("BGNLOOP\nUIF IN[0].xxxx\nBRK\nENDIF\nUIF IN[0].yyyy\nBRA :8\nENDIF\nENDLOOP\nNOP");
    loops = 0;
    for (const ir::Block& b : flat.module.functions[0].blocks) loops += b.merge == ir::Merge::Loop;
    EXPECT_EQ(loops, 1u);
}

TEST(LowerBranches, ReturnsAndUnreachedText) {
    const char* body =
        "MOV OUT[0], IMM[0]\nUIF IN[0].xxxx\nRET\nENDIF\nBRA :6\nIF IN[0]\nMOV OUT[0].x, IMM[1].zzzz\nENDIF\nRET\n"
        "MOV OUT[0], IMM[1]";
    EXPECT_EQ(run_body(body, all(1)), (Words{0, 1, 2, 3}));
    EXPECT_EQ(run_body(body, all(0)), (Words{10, 1, 2, 3}));
}

TEST(LowerBranches, UnderAPredicate) {
    const char* body =
        "USNE PRED[0].x, IN[0].xxxx, IMM[0].xxxx\nMOV OUT[0], IMM[0]\n(PRED[0].x) BRA :4\nMOV OUT[0].x, IMM[1].xxxx\n"
        "(!PRED[0].x) RET\nMOV OUT[0].y, IMM[1].yyyy";
    EXPECT_EQ(run_body(body, all(1)), (Words{0, 5, 2, 3}));
    EXPECT_EQ(run_body(body, all(0)), (Words{4, 1, 2, 3}));
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

}  // namespace
}  // namespace tgsi2spv::test
