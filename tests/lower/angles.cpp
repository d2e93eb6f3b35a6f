// SIN and COS of many angles, run on the host. data/instructions.txt has what they become.
#include <gtest/gtest.h>

#include <cmath>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

uint32_t run1(const std::string& op, uint32_t a) {
    return run(op + " OUT[0], IN[0]", {all(a)})[0];
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

}  // namespace
}  // namespace tgsi2spv::test
