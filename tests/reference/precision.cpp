// Vulkan's precision table to the last word: the ends of the bounds are permitted, the next floats are not. The test
// computes the bounds independently, by the letter of the table and in wider arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

using LongDouble = long double;

/// The table's definition: the smallest distance between two floats with x between them, ends included. So at a power
/// of two, it is that of the floats below.
LongDouble ulp(LongDouble x) {
    if (std::fabs(x) <= 0x1p-126L) return 0x1p-149L;
    int exponent = 0;
    const LongDouble fraction = std::frexp(std::fabs(x), &exponent);  // in [0.5, 1)
    return std::ldexp(LongDouble{1}, exponent - 24 - (fraction == 0.5L ? 1 : 0));
}

/// The exact result, and the permitted distance from it.
struct Bound {
    LongDouble exact, error;
};
using Rule = std::function<Bound(LongDouble, LongDouble)>;

Bound units(LongDouble exact, LongDouble n) {
    return {exact, n * ulp(exact)};
}
Bound quotient(LongDouble x, LongDouble y) {
    return units(x / y, 2.5L);
}
Bound reciprocal(LongDouble x, LongDouble) {
    return quotient(1, x);
}
Bound reciprocal_root(LongDouble x, LongDouble) {
    return units(1 / std::sqrt(x), 2);
}
Bound power_of_two(LongDouble x, LongDouble) {
    return units(std::exp2(x), 3 + 2 * std::fabs(x));
}
Bound logarithm(LongDouble x, LongDouble) {
    const LongDouble exact = std::log2(x);
    return x >= 0.5L && x <= 2 ? Bound{exact, 0x1p-21L} : units(exact, 3);
}
/// The bound inherited from a formula whose range is `least` to `most`.
Bound inherited(LongDouble exact, LongDouble least, LongDouble most) {
    return {exact, std::max(exact - least, most - exact)};
}
/// 1 / inversesqrt(x).
Bound root(LongDouble x, LongDouble) {
    const Bound r = reciprocal_root(x, 0);
    const Bound below = quotient(1, r.exact + r.error), above = quotient(1, r.exact - r.error);
    return inherited(std::sqrt(x), below.exact - below.error, above.exact + above.error);
}
/// exp2(y * log2(x)), with the product rounded to even.
Bound power(LongDouble x, LongDouble y) {
    const Bound l = logarithm(x, 0);
    const LongDouble exact = y * l.exact;
    const LongDouble error = std::fabs(y) * l.error, rounding = ulp(std::fabs(exact) + error) / 2;
    const Bound below = power_of_two(exact - error - rounding, 0), above = power_of_two(exact + error + rounding, 0);
    return inherited(std::exp2(exact), below.exact - below.error, above.exact + above.error);
}

float least_from(LongDouble x) {
    const auto f = static_cast<float>(x);
    return static_cast<LongDouble>(f) < x ? std::nextafter(f, HUGE_VALF) : f;
}
float greatest_to(LongDouble x) {
    return -least_from(-x);
}
/// Returns operands of all magnitudes whose results are normal numbers.
std::vector<Vec4> operands(float least, float most, bool negative = false) {
    std::vector<Vec4> all;
    for (float x = least; x <= most; x *= 1.37f)
        for (const float part : {1.0f, 1.25f, 1.3333334f, 1.9999999f}) {
            // Includes powers of two, whose results are floats exactly.
            const float scaled = part == 1 ? std::exp2(std::round(std::log2(x))) : x * part;
            const uint32_t w = as_word(negative && all.size() % 2 == 1 ? -scaled : scaled);
            all.push_back({w, w, w, w});
        }
    return all;
}

/// Checks the last permitted word on either side and the first one that is not permitted.
void hold(const std::string& instruction, const std::vector<std::vector<Vec4>>& given, const Rule& rule) {
    Inputs in;
    in.lanes = static_cast<uint32_t>(given[0].size());
    std::string text = "VERT\nDCL IN[0..1]\nDCL OUT[0], GENERIC[0]\n" + instruction + " OUT[0]";
    for (size_t s = 0; s < given.size(); ++s) {
        in.inputs[{0, static_cast<int32_t>(s)}] = given[s];
        text += ", IN[" + std::to_string(s) + "]";
    }
    const Shader s = shader(text + "\nEND\n");
    ASSERT_EQ(s.error, "");
    const Result values = run(s.program, s.registers, in, {});
    uint32_t judged = 0;
    for (uint32_t lane = 0; lane < in.lanes; ++lane) {
        const auto operand = [&](size_t i) {
            return i < given.size() ? static_cast<LongDouble>(as_number(given[i][lane][0])) : LongDouble{0};
        };
        const Bound b = rule(operand(0), operand(1));
        const LongDouble lo = b.exact - b.error, hi = b.exact + b.error;
        const float least = least_from(lo), most = greatest_to(hi);
        // Where an end almost coincides with a float, the slack for the reference's use of doubles decides; such
        // operands are skipped.
        const LongDouble slack = ulp(b.exact) * 1e-4L;
        if (least_from(lo - slack) != least || greatest_to(hi + slack) != most) continue;
        ++judged;
        const Value v = out(values, lane);
        EXPECT_TRUE(permits(v, as_word(least)) && permits(v, as_word(most)) && !permits(v, next_down(as_word(least))) &&
                    !permits(v, next_up(as_word(most))))
            << instruction << " of " << static_cast<float>(operand(0)) << ", " << static_cast<float>(operand(1))
            << " permits" << text_of(v) << ", not from " << std::hex << as_word(least) << " to " << as_word(most);
    }
    EXPECT_GT(judged * 100, in.lanes * 98);
}

/// Returns second operands of both signs and magnitudes from 0.001 to 1000.
std::vector<Vec4> seconds(size_t count) {
    std::vector<Vec4> all;
    for (size_t i = 0; i < count; ++i) {
        const float x = std::exp2(static_cast<float>(i * 7 % 20) - 10) * (1 + static_cast<float>(i * 37 % 64) / 64);
        const uint32_t w = as_word(i % 3 == 0 ? -x : x);
        all.push_back({w, w, w, w});
    }
    return all;
}

TEST(Precision, Quotients) {
    const auto x = operands(1e-20f, 1e20f, true);
    hold("DIV", {x, seconds(x.size())}, quotient);
    hold("RCP", {x}, reciprocal);
}
TEST(Precision, Roots) {
    hold("RSQ", {operands(1e-30f, 1e30f)}, reciprocal_root);
    hold("SQRT", {operands(1e-30f, 1e30f)}, root);
}
TEST(Precision, Exponentials) {
    hold("EX2", {operands(0x1p-10f, 55, true)}, power_of_two);
}
TEST(Precision, Logarithms) {
    hold("LG2", {operands(1e-30f, 1e30f)}, logarithm);
    hold("LG2", {operands(0.4f, 2.3f)}, logarithm);
    hold("LG2",
         {{{as_word(0.5f)}, {as_word(2.0f)}, {as_word(1.0f)}, {next_down(as_word(0.5f))}, {next_up(as_word(2.0f))}}},
         logarithm);
}
TEST(Precision, Powers) {
    std::vector<Vec4> x = operands(0.01f, 50), y = seconds(x.size());
    for (Vec4& v : y) v.fill(as_word(std::remainder(as_number(v[0]), 5.0f)));
    hold("POW", {x, y}, power);
}

}  // namespace
}  // namespace tgsi2spv::reference
