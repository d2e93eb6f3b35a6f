// What integer opcodes become, and the editions. opcodes.cpp has their results.
#include <gtest/gtest.h>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using lower::Options;

TEST(LowerInteger, DivisionByAConstantNeedsNoGuard) {
    const auto text = [](const char* op, const char* divisor) {
        return "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nIMM[0] INT32 {" + std::string(divisor) + "}\n" + op +
               " OUT[0], IN[0], IMM[0]\nEND\n";
    };
    EXPECT_EQ(operations(lower_text(text("UDIV", "1, 2, 3, 4")).module), "UDiv");
    EXPECT_EQ(operations(lower_text(text("IDIV", "1, 2, 3, 4")).module), "SDiv");
    EXPECT_EQ(operations(lower_text(text("MOD", "1, 2, 3, 4")).module), "SDiv IMul ISub");
    EXPECT_EQ(operations(lower_text(text("UDIV", "1, 2, 0, 4")).module), "UMax UDiv IEq Select");
    EXPECT_NE(operations(lower_text(text("IDIV", "1, 2, -1, 4")).module), "SDiv");
}

TEST(LowerInteger, EarlierEditionsShiftEveryComponentByX) {
    const std::vector<Words> values = {all(0x8000'0010), {4, 1, 2, 3}};
    const Options middle{.dialect = tgsi::Dialect::Middle};
    EXPECT_EQ(run("SHL OUT[0], IN[0], IN[1]", values, middle), all(0x100));
    EXPECT_EQ(run("SHR OUT[0], IN[0], IN[1]", values, middle), all(0xf800'0001));
    EXPECT_EQ(run("SHR OUT[0], IN[0], IN[1]", values)[1], 0xc000'0008u);
    EXPECT_EQ(run("USHR OUT[0], IN[0], IN[1]", values, middle)[1], 0x4000'0008u);
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
    EXPECT_EQ(run("UBFE OUT[0], IN[0], IN[1], IN[2]", {all(0xabcd), {0, 4, 8, 12}, {4, 4, 8, 0}}),
              (Words{0xd, 0xc, 0xab, 0}));
    EXPECT_EQ(run("UBFE OUT[0].zw, IN[0], IN[1], IN[2]", {all(0xabcd), {0, 4, 8, 12}, {4, 4, 8, 4}})[3], 0xau);
}

}  // namespace
}  // namespace tgsi2spv::test
