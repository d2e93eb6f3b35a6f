// What integer opcodes become. tests/meanings has their results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

constexpr uint32_t n(int32_t x) {
    return static_cast<uint32_t>(x);
}

TEST(LowerInteger, DivisionByAConstantNeedsNoGuard) {
    const auto text = [](const char* op, const char* divisor) {
        return "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nIMM[0] INT32 {" + std::string(divisor) + "}\n" + op +
               " OUT[0], IN[0], IMM[0]\nEND\n";
    };
    EXPECT_EQ(operations(lower_text(text("UDIV", "1, 2, 3, 4")).module), "UDiv");
    EXPECT_EQ(operations(lower_text(text("IDIV", "1, 2, 3, 4")).module), "SDiv");
    EXPECT_EQ(operations(lower_text(text("MOD", "1, 2, 3, 4")).module), "SDiv IMul ISub");
    EXPECT_EQ(operations(lower_text(text("IDIV", "4, 2, 8, 1073741824")).module), "AShr LShr IAdd AShr");
    EXPECT_EQ(operations(lower_text(text("MOD", "4, 2, 8, 4")).module), "AShr LShr IAdd AShr Shl ISub");
    EXPECT_EQ(operations(lower_text(text("IDIV", "4, 2, 8, -2147483648")).module), "SDiv");
    EXPECT_EQ(operations(lower_text(text("UDIV", "1, 2, 0, 4")).module), "UMax UDiv IEq Select");
    EXPECT_NE(operations(lower_text(text("IDIV", "1, 2, -1, 4")).module), "SDiv");
}

/// The quotient is rounded to zero and the remainder has the dividend's sign, by shifts as by OpSDiv.
TEST(LowerInteger, DivisionByAPowerOfTwoShifts) {
    const std::string head = "IMM[0] INT32 {2, 8, 1073741824, 4}\n";
    for (const uint32_t a : {0u, 1u, 7u, 8u, n(-1), n(-7), n(-8), n(-9), kIntMin, kIntMin + 1, 0x7fff'ffffu}) {
        const auto x = static_cast<int32_t>(a);
        EXPECT_EQ(run("IDIV OUT[0], IN[0], IMM[0]", {all(a)}, {}, head),
                  (Words{n(x / 2), n(x / 8), n(x / 1073741824), n(x / 4)}));
        EXPECT_EQ(run("MOD OUT[0], IN[0], IMM[0]", {all(a)}, {}, head),
                  (Words{n(x % 2), n(x % 8), n(x % 1073741824), n(x % 4)}));
    }
}

/// (c ? ~0 : 0) & (d ? ~0 : 0) is c && d ? ~0 : 0, and so for the others, component by component.
TEST(LowerInteger, MasksAreCombinedAsConditions) {
    const auto made = [](std::string_view combine) {
        return operations(
            lower_simplified("FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..2]\n"
                             "IMM[0] FLT32 {1, 2, 3, 4}\nFSLT TEMP[0], IN[0], IMM[0]\n"
                             "USEQ TEMP[1].x, IN[0], IMM[0]\n" +
                             std::string(combine) + "\nUCMP OUT[0].x, TEMP[2].xxxx, IN[0], IMM[0]\nEND\n")
                .module);
    };
    EXPECT_THAT(made("AND TEMP[2].x, TEMP[0].yyyy, TEMP[1].xxxx"), testing::EndsWith("LAnd Select Select"));
    EXPECT_THAT(made("XOR TEMP[2].x, TEMP[0].yyyy, TEMP[0].xxxx"), testing::EndsWith("LNe Select Select"));
    EXPECT_THAT(made("OR TEMP[2].xy, TEMP[0].yxxx, TEMP[0].zwww\nOR TEMP[2].x, TEMP[2].xxxx, TEMP[2].yyyy"),
                testing::EndsWith("LOr Select LOr Select Select"));
    EXPECT_THAT(made("AND TEMP[2].x, TEMP[0].yyyy, IN[0].xxxx"), testing::HasSubstr(" And"));
}

TEST(LowerInteger, BitFieldsThatDoNotFitAreSafe) {
    for (const uint32_t offset : {0u, 1u, 31u, 32u, 33u, kAllOnes, kIntMin}) {
        for (const uint32_t bits : {1u, 31u, 32u, 33u, kAllOnes}) {
            run("UBFE OUT[0], IN[0], IN[1].xxxx, IN[2].xxxx", {all(1), all(offset), all(bits)});
            run("BFI OUT[0], IN[0], IN[1], IN[2], IN[3]", {all(1), all(2), all(offset), all(bits)});
        }
    }
}

TEST(LowerInteger, BitFieldsOfOneShapeAreOneInstruction) {
    const auto text = [](const char* fields) {
        return R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], GENERIC[0]
IMM[0] UINT32 {4, 8, 32, 40}
UBFE OUT[0], IN[0], )" +
               std::string(fields) + "\nEND\n";
    };
    EXPECT_EQ(operations(lower_text(text("IMM[0].xxxx, IMM[0].yyyy")).module), "UBitExtract");
    EXPECT_EQ(operations(lower_text(text("IN[1].xxxx, IN[1].yyyy")).module), "And ISub UMin UBitExtract");
}

}  // namespace
}  // namespace tgsi2spv::test
