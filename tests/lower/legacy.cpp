// Arithmetic of the oldest and middle editions.
#include <gtest/gtest.h>

#include <cmath>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

TEST(LowerLegacy, Componentwise) {
    EXPECT_EQ(run("ABS OUT[0], IN[0]", {floats(-1, 2, -0.0f, 3)}), floats(1, 2, 0, 3));
    EXPECT_EQ(run("SUB OUT[0], IN[0], IN[1]", {floats(5, 4, 3, 2), floats(1, 2, 3, 4)}), floats(4, 2, 0, -2));
    EXPECT_EQ(run("CND OUT[0], IN[0], IN[1], IN[2]",
                  {floats(1, 2, 3, 4), floats(5, 6, 7, 8), {f(0.5f), f(0.75f), kNan, f(1)}}),
              floats(5, 2, 7, 4));
    EXPECT_EQ(run("SFL OUT[0]", {}), all(0));
    EXPECT_EQ(run("STR OUT[0]", {}), all(f(1)));
}

TEST(LowerLegacy, ClampAsPrinted) {
    const Words lo = floats(0, 0, 0, 5), hi = floats(1, 1, 1, 2);
    EXPECT_EQ(run("CLAMP OUT[0], IN[0], IN[1], IN[2]", {floats(-1, 0.5f, 7, 3), lo, hi}), floats(0, 0.5f, 1, 5));
    EXPECT_TRUE(is_nan(run("CLAMP OUT[0], IN[0], IN[1], IN[2]", {all(kNan), lo, hi})[0]));
}

TEST(LowerLegacy, DotProducts) {
    const std::vector<Words> abc = {floats(1, 2, 3, 4), floats(5, 6, 7, 8), floats(100, 9, 9, 9)};
    EXPECT_EQ(run("DP2A OUT[0], IN[0], IN[1], IN[2]", abc), all(f(117)));
    EXPECT_EQ(run("DPH OUT[0], IN[0], IN[1]", abc), all(f(46)));
}

TEST(LowerLegacy, Vectors) {
    EXPECT_EQ(run("NRM OUT[0], IN[0]", {floats(3, 0, 4, 9)}), floats(0.6f, 0, 0.8f, 1));
    EXPECT_EQ(run("NRM4 OUT[0], IN[0]", {floats(2, 2, 2, 2)}), floats(0.5f, 0.5f, 0.5f, 0.5f));
    EXPECT_EQ(run("XPD OUT[0], IN[0], IN[1]", {floats(1, 2, 3, 9), floats(4, 5, 6, 9)}), floats(-3, 6, -3, 1));
    // 2 (a.b) / (a.a) a - b with a.b = 6, a.a = 4
    EXPECT_EQ(run("RFL OUT[0], IN[0], IN[1]", {floats(2, 0, 0, 9), floats(3, 4, 5, 9)}), floats(3, -4, -5, 1));
    EXPECT_EQ(run("X2D OUT[0], IN[0], IN[1], IN[2]", {floats(1, 2, 9, 9), floats(3, 4, 9, 9), floats(5, 6, 7, 8)}),
              floats(40, 55, 40, 55));
    EXPECT_EQ(run("SCS OUT[0], IN[0]", {all(f(0.5f))}), floats(std::cos(0.5f), std::sin(0.5f), 0, 1));
    EXPECT_NEAR(std::bit_cast<float>(run("SCS OUT[0], IN[0]", {all(f(1000))})[1]), std::sin(1000.0), 2e-3);
}

TEST(LowerLegacy, ReciprocalClampedKeepsItsSign) {
    const auto rcc = [](uint32_t x) { return run("RCC OUT[0], IN[0]", {all(x)})[0]; };
    EXPECT_EQ(rcc(f(4)), f(0.25f));
    EXPECT_EQ(rcc(0), f(1.884467e+19f));
    EXPECT_EQ(rcc(kMinusZero), f(-1.884467e+19f));
    EXPECT_EQ(rcc(kInf), f(5.42101e-20f));
    EXPECT_EQ(rcc(kMinusInf), f(-5.42101e-20f));
}

TEST(LowerLegacy, Integers) {
    EXPECT_EQ(run("SAD OUT[0], IN[0], IN[1], IN[2]", {{1, 9, 0, kAllOnes}, {9, 1, kAllOnes, 0}, {1, 1, 1, 1}}),
              (Words{9, 9, 0, 0}));
    EXPECT_EQ(run("ARA OUT[0], IN[0]", {{1, 2, 30, 40}}), (Words{31, 42, 31, 42}));
}

}  // namespace
}  // namespace tgsi2spv::test
