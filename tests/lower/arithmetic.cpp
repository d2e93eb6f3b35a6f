// What float arithmetic becomes. tests/meanings has the results.
#include <gtest/gtest.h>

#include <cmath>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using lower::Options;

constexpr std::string_view kLegacy = "PROPERTY LEGACY_MATH_RULES 1\n";

uint32_t run1(std::string_view op, uint32_t a, const Options& options = {}) {
    return run(std::string(op) + " OUT[0], IN[0]", {all(a)}, options)[0];
}
TEST(LowerArithmetic, ComponentwiseOperationsKeepTheirVectors) {
    const Lowered mad = lower_text(
        R"(VERT
DCL IN[0]
DCL IN[1]
DCL IN[2]
DCL OUT[0], GENERIC[0]
MAD OUT[0], IN[0], IN[1], IN[2]
END
)");
    EXPECT_EQ(operations(mad.module), "FMul FAdd");
    for (const ir::Instruction& i : mad.module.functions[0].instructions) {
        if (i.op == ir::Op::FMul) {
            EXPECT_EQ(i.type, ir::f32(4));
        }
    }
}

/// Of the forms with the same answers, the one that drivers turn into the fewest instructions.
TEST(LowerArithmetic, FunctionsAndTheirGuards) {
    const auto made = [](const char* line, const lower::Options& options) {
        return operations(
            lower_text("VERT\nDCL IN[0..1]\nDCL OUT[0], GENERIC[0]\n" + std::string(line) + "\nEND\n", options).module);
    };
    EXPECT_EQ(made("RSQ OUT[0], IN[0]", {}), "FSqrt FDiv");
    EXPECT_EQ(made("RSQ_PRECISE OUT[0], IN[0]", {}), "FRsqrt FOEq Select");  // as precise as Vulkan has it
    EXPECT_EQ(made("RSQ OUT[0], IN[0]", {.exact = true}), "FRsqrt FOEq Select");
    EXPECT_EQ(run1("RSQ", 0, {.exact = true}), kInf);
    EXPECT_EQ(made("LG2 OUT[0], IN[0]", {}), "FLog2 FOEq Select");
    EXPECT_EQ(made("IMM[0] FLT32 {0.001, 0, 0, 0}\nMAX OUT[0].x, IN[0], IMM[0]\nLG2 OUT[0], OUT[0]", {}), "FMax FLog2");
    EXPECT_EQ(made("POW OUT[0], IN[0], IN[1]", {}), "FLog2 FOEq Select FMul FExp2 FOEq Select");
    EXPECT_EQ(made("IMM[0] FLT32 {0.5, 0, 0, 0}\nPOW OUT[0], IN[0], IMM[0]", {}), "FPow");
    EXPECT_EQ(made("IMM[0] FLT32 {-0.5, 0, 0, 0}\nPOW OUT[0], IN[0], IMM[0]", {}),
              "FLog2 FOEq Select FMul FExp2 FOEq Select");
    EXPECT_EQ(made("SIN OUT[0], IN[0]", {}), "FMul FRoundEven Fma Fma Fma FClamp FAbs FOLe Select FSin");
    Options logs_zero;
    logs_zero.workarounds.device_logs_zero = true;
    EXPECT_EQ(made("LG2 OUT[0], IN[0]", logs_zero), "FLog2");
    EXPECT_EQ(made("POW OUT[0], IN[0], IN[1]", logs_zero), "FLog2 FMul FExp2 FOEq Select");
    Options reduces;
    reduces.workarounds.device_reduces_angles = true;
    EXPECT_EQ(made("SIN OUT[0], IN[0]", reduces), "FSin");
}

/// Angles up to 2^15; the evaluator counts an argument outside [-pi, pi] as undefined.
TEST(LowerArithmetic, SineAndCosineOfAnyAngle) {
    const float angles[] = {0,          1,          -1.5f,       3.1415925f, 3.1415927f,  -3.1415927f,
                            4.712389f,  6.2831855f, -6.2831855f, 9.424778f,  100,         -355,
                            1e3f,       7853.982f,  -12345.678f, 16384,      32767.998f,  -32768,
                            31.415926f, 0.1f,       32764.238f,  32767.38f,  -32767.379f, 20420.352f};
    for (const float x : angles) {
        const double bound = 0x1p-11 + std::fabs(double{x}) * 0x1p-20;
        EXPECT_NEAR(std::bit_cast<float>(run1("SIN", f(x))), std::sin(double{x}), bound) << x;
        EXPECT_NEAR(std::bit_cast<float>(run1("COS", f(x))), std::cos(double{x}), bound) << x;
    }
    EXPECT_EQ(run1("SIN", f(1e10f)), f(std::sin(1e10f)));  // not specified: the device's result
    EXPECT_TRUE(is_nan(run1("SIN", kNan)));
    EXPECT_TRUE(is_nan(run1("COS", kMinusInf)));
}

TEST(LowerArithmetic, PreciseDotProductsAreWrittenOut) {
    const std::string text = R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], GENERIC[0]
DP3 OUT[0], IN[0], IN[1]
END
)";
    EXPECT_EQ(operations(lower_text(text).module), "FDot");
    EXPECT_EQ(operations(lower_text(text, {.exact = true}).module), "FMul FAdd FAdd");
}

TEST(LowerArithmetic, LegacyRulesAreFreeWithAFiniteConstant) {
    const auto text = [](const char* factor) {
        return R"(VERT
PROPERTY LEGACY_MATH_RULES 1
DCL IN[0]
DCL OUT[0], GENERIC[0]
IMM[0] FLT32 {)" +
               std::string(factor) + "}\nMUL OUT[0], IN[0], IMM[0]\nEND\n";
    };
    EXPECT_EQ(operations(lower_text(text("2, 3, 4, 5")).module), "FMul");
    EXPECT_EQ(operations(lower_text(text("2, 3, 0, 5")).module), "FOEq Select FOEq Select FMul");
    EXPECT_EQ(operations(lower_text(text("2, 3, 0x7f800000, 5")).module), "FOEq Select FOEq Select FMul");
}

/// Drivers know the form of a product, and a square is right as it is.
TEST(LowerArithmetic, LegacyRulesHaveOneForm) {
    const auto made = [](const std::string& line) {
        return operations(lower_text(R"(VERT
PROPERTY LEGACY_MATH_RULES 1
DCL IN[0..2]
DCL OUT[0], GENERIC[0]
)" + line + "\nEND\n")
                              .module);
    };
    EXPECT_EQ(made("MUL OUT[0], IN[0], IN[1]"), "FOEq Select FOEq Select FMul");
    EXPECT_EQ(made("FMA OUT[0], IN[0], IN[1], IN[2]"), "FOEq Select FOEq Select Fma");
    EXPECT_EQ(made("MUL OUT[0], IN[0], IN[0]"), "FMul");
    EXPECT_EQ(made("DP4 OUT[0], IN[0], IN[0]"), "FDot");
    EXPECT_EQ(run("MUL OUT[0], IN[0], IN[0]", {{0, kInf, kNan, f(-3)}}, {}, kLegacy), (Words{0, kInf, kNan, f(9)}));
}

TEST(LowerArithmetic, Derivatives) {
    for (const auto& [op, ir] :
         {std::pair("DDX", "DPdx"), {"DDY", "DPdy"}, {"DDX_FINE", "DPdxFine"}, {"DDY_FINE", "DPdyFine"}}) {
        const Lowered l = lower_text("FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n" + std::string(op) +
                                     " OUT[0], IN[0]\nEND\n");
        EXPECT_EQ(operations(l.module), ir);
    }
}

}  // namespace
}  // namespace tgsi2spv::test
