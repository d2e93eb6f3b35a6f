// 64-bit pairs: how values are split and joined, their bounds, masks, swizzles, modifiers and dialects.
#include "reference/numbers/wide_value.h"

#include "reference/bench.h"
#include "reference/numbers/wide_float.h"

namespace tgsi2spv::reference {
namespace {

/// The words of a double or an integer of 64 bits.
template <class T>
std::array<uint32_t, 2> q(T x) {
    const auto bits = std::bit_cast<uint64_t>(x);
    return {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
}
Vec4 pairs(const std::array<uint32_t, 2>& xy, const std::array<uint32_t, 2>& zw) {
    return {xy[0], xy[1], zw[0], zw[1]};
}
Vec4 both(const std::array<uint32_t, 2>& xy) {
    return pairs(xy, xy);
}

/// Runs one instruction, with one lane for each set of source registers.
Result run_one(const std::string& instruction, std::vector<std::vector<Vec4>> lanes, const Options& options = {},
               const std::string& declarations = "") {
    Inputs in;
    in.lanes = static_cast<uint32_t>(lanes.size());
    for (const auto& lane : lanes)
        for (size_t s = 0; s < lane.size(); ++s) in.inputs[{0, static_cast<int32_t>(s)}].push_back(lane[s]);
    return run("VERT\nDCL IN[0.." + std::to_string(std::max<size_t>(lanes[0].size(), 1) - 1) +
                   "]\nDCL OUT[0..1], GENERIC[0]\nDCL TEMP[0..3]\n" + declarations + instruction + "END\n",
               in, options);
}

Wide pair_of(const Result& r, uint32_t lane = 0, size_t first = 0, int32_t reg = 0) {
    return join_halves(out(r, lane, first, reg), out(r, lane, first + 1, reg));
}

uint64_t bits(double x) {
    return std::bit_cast<uint64_t>(x);
}

TEST(Wide, HalvesOfAnIntervalFindEachOther) {
    WideHull h;
    h.add_interval(0.75, 1.5);
    uint32_t numbers = 0;
    Value low, high, other_low, other_high;
    split(h.finish(bits(1.0)), numbers, low, high);
    split(h.finish(bits(1.0)), numbers, other_low, other_high);
    const Wide joined = join_halves(low, high);
    EXPECT_EQ(joined.lo, bits(0.75));
    EXPECT_EQ(joined.hi, bits(1.5));
    // Halves of two different values know no more than their high word.
    const Wide mixed = join_halves(low, other_high);
    EXPECT_TRUE(permits(mixed, 0x3ff8000000000001));
    EXPECT_FALSE(permits(mixed, bits(1.6)));
    // A half that was joined with another value loses its number.
    EXPECT_FALSE(is_pair(join(low, exact(1u)), high));
    // Each half on its own permits the words of the pair.
    for (double x : {0.75, 0.8, 1.0 - 0x1p-53, 1.0, 1.2, 1.5}) {
        EXPECT_TRUE(permits(low, static_cast<uint32_t>(bits(x)))) << x;
        EXPECT_TRUE(permits(high, static_cast<uint32_t>(bits(x) >> 32))) << x;
    }
    EXPECT_FALSE(permits(high, 0x40000000));
}

/// Doubles have the table's errors in ULPs of the type. Slack: 1.5 ULPs for the judge's own roundings.
TEST(Wide, ErrorsAreThoseOfTheTable) {
    const auto judge = [](const Wide& v, long double expected, double ulps) {
        const double ulp = std::ldexp(1.0, std::ilogb(static_cast<double>(expected)) - 52);
        const auto at = [&](double distance) { return bits(static_cast<double>(expected + distance * ulp)); };
        for (const double side : {-1.0, 1.0}) {
            EXPECT_TRUE(permits(v, at(side * (ulps - 0.5)))) << static_cast<double>(expected);
            EXPECT_FALSE(permits(v, at(side * (ulps + 2)))) << static_cast<double>(expected);
        }
    };
    for (const double x : {1.25, 3.0, 7e-100, 1.9e77, 0.3333, 1.9999, 5.5}) {
        const Wide a = exact64(bits(x));
        judge(wide::sqrt({}, a), std::sqrt(static_cast<long double>(x)), 6.5);
        judge(wide::rsq({}, a), 1 / std::sqrt(static_cast<long double>(x)), 2.5);  // 2; rounded twice
        judge(wide::rcp({}, a), 1 / static_cast<long double>(x), 2.5);
        judge(wide::div({}, exact64(bits(2.7)), a), static_cast<long double>(2.7) / static_cast<long double>(x), 2.5);
    }
}

TEST(Wide, SplitPermitsTheWordsOfThePair) {
    struct Ends {
        double lo, hi;
    };
    for (const Ends e : {Ends{-1, 1}, Ends{-0.0, 0.0}, Ends{1, 1 + 0x1p-50}, Ends{1 - 0x1p-50, 1 + 0x1p-50},
                         Ends{-2, -1.999}, Ends{0x1.00000fffffff0p0, 0x1.0000100000010p0}, Ends{0, HUGE_VAL},
                         Ends{-HUGE_VAL, -1}, Ends{0x1p1016, 0x1p1020}, Ends{0x1.00000fffffff8p0, 0x1.00000fffffffbp0},
                         Ends{0x1.000007ffffff8p0, 0x1.0000080000010p0}}) {
        for (bool nan : {false, true}) {
            WideHull h;
            h.add_interval(e.lo, e.hi);
            if (nan) h.add_nan();
            uint32_t numbers = 0;
            Value low, high;
            split(h.finish(0), numbers, low, high);
            const Wide joined = join_halves(low, high);
            auto check = [&](uint64_t w) {
                EXPECT_TRUE(permits(low, static_cast<uint32_t>(w))) << std::hex << w;
                EXPECT_TRUE(permits(high, static_cast<uint32_t>(w >> 32))) << std::hex << w;
                EXPECT_TRUE(permits(joined, w)) << std::hex << w;
            };
            for (int k = 0; k <= 16; ++k) {
                const double t = k / 16.0,
                             x = std::isinf(e.hi - e.lo) ? (k < 8 ? e.lo : e.hi) : e.lo + t * (e.hi - e.lo);
                check(bits(x));
            }
            check(next_up(bits(e.lo)));
            check(next_down(bits(e.hi)));
            if (nan) check(kNan64);
        }
    }
}

TEST(Wide, DivisionIsBoundedAsOneDouble) {
    // 2.5 ULP of a double around 1/3, or of a float by Vulkan's letter.
    const double third = 1.0 / 3;
    Options options;
    const Wide own = pair_of(run_one("DDIV OUT[0], IN[0], IN[1]\n", {{both(q(1.0)), both(q(3.0))}}, options));
    EXPECT_TRUE(permits(own, bits(third)));
    EXPECT_TRUE(permits(own, bits(third) + 2));
    EXPECT_FALSE(permits(own, bits(third) + 8));
    options.doubles_as_single = true;
    const Wide letter = pair_of(run_one("DDIV OUT[0], IN[0], IN[1]\n", {{both(q(1.0)), both(q(3.0))}}, options));
    EXPECT_TRUE(permits(letter, bits(third * (1 + 0x1p-23))));
    EXPECT_TRUE(permits(letter, bits(third * (1 - 0x1p-23))));
    EXPECT_FALSE(permits(letter, bits(third * (1 + 0x1p-20))));
    EXPECT_FALSE(permits(letter, bits(third * (1 - 0x1p-20))));
}

TEST(Wide, BoundsSurviveMovesAndArithmetic) {
    Options options;
    options.doubles_as_single = true;
    const Result r = run_one(
        "DDIV TEMP[0].xy, IN[0], IN[1]\n"
        "MOV TEMP[1].zw, TEMP[0].xyxy\n"
        "DMUL TEMP[2].xy, TEMP[1].zwzw, IN[1]\n"
        "DSLT TEMP[3].x, IN[0], TEMP[2]\n"
        "MOV OUT[0].xy, TEMP[2]\nMOV OUT[1], TEMP[3]\n",
        {{both(q(1.0)), both(q(3.0))}}, options);
    const Wide v = pair_of(r);
    EXPECT_TRUE(permits(v, bits(1.0)));
    EXPECT_FALSE(permits(v, bits(1 + 0x1p-20)));
    EXPECT_FALSE(permits(v, bits(1 - 0x1p-20)));
    EXPECT_TRUE(permits(out(r, 0, 0, 1), 0));
    EXPECT_TRUE(permits(out(r, 0, 0, 1), ~0u));
}

// Beyond 2^53, x + 1 is x.
TEST(Wide, WholeNumbersBeyondThePrecisionAreCounted) {
    const Result r = run_one(
        "DDIV TEMP[0].xy, IN[0], IN[1]\nDMAX TEMP[0].xy, TEMP[0], IN[2]\nDMIN TEMP[0].xy, TEMP[0], IN[3]\n"
        "DTRUNC OUT[0].xy, TEMP[0]\nD2I64 OUT[1].xy, TEMP[0]\n",
        {{both(q(0x1.8p54)), both(q(3.0)), both(q(0x1p53 - 1)), both(q(0x1p53 + 2))}});
    for (const double x : {0x1p53 - 1, 0x1p53, 0x1p53 + 2}) {
        EXPECT_TRUE(permits(pair_of(r, 0, 0, 0), bits(x)));
        EXPECT_TRUE(permits(pair_of(r, 0, 0, 1), static_cast<uint64_t>(x)));
    }
}

TEST(Wide, ASquareIsNotBelowZero) {
    // 1/3 - 1/3 on a device with inexact division: around zero, but its square has a root.
    Options options;
    options.doubles_as_single = true;
    const Result r = run_one(
        "DDIV TEMP[0].xy, IN[0], IN[1]\nDADD TEMP[1].xy, TEMP[0], -IN[0].zwzw\nDMUL TEMP[2].xy, TEMP[1], TEMP[1]\n"
        "DMAD TEMP[3].xy, TEMP[1], TEMP[1], TEMP[2]\nDSQRT OUT[0].xy, TEMP[2]\nDSQRT OUT[1].xy, TEMP[3]\n",
        {{pairs(q(1.0), q(1.0 / 3)), both(q(3.0))}}, options);
    for (int32_t reg : {0, 1}) {
        EXPECT_TRUE(permits(pair_of(r, 0, 0, reg), bits(0x1p-30)));
        EXPECT_FALSE(permits(pair_of(r, 0, 0, reg), bits(0x1p-10)));
        EXPECT_FALSE(permits(pair_of(r, 0, 0, reg), kNan64));
    }
}

TEST(Wide, RoundingModeDecidesBetweenNeighbours) {
    Options either;
    either.round_to_even_64 = false;
    const Wide v = pair_of(run_one("DADD OUT[0], IN[0], IN[1]\n", {{both(q(1.0)), both(q(0x1p-54))}}, either));
    EXPECT_TRUE(permits(v, bits(1.0)));
    EXPECT_TRUE(permits(v, next_up(bits(1.0))));
    EXPECT_FALSE(permits(v, bits(1.0) + 2));
    const Wide even = pair_of(run_one("DADD OUT[0], IN[0], IN[1]\n", {{both(q(1.0)), both(q(0x1p-54))}}));
    EXPECT_TRUE(is_exact(even));
    // Integer conversions round by the mode, too (SPIR-V, RoundingModeRTE), by that of the result's width.
    const uint64_t whole = (uint64_t{1} << 53) + 1;
    for (const std::string opcode : {"I642D", "U642D"}) {
        const Wide any = pair_of(run_one(opcode + " OUT[0], IN[0]\n", {{both(q(whole))}}, either));
        EXPECT_TRUE(permits(any, bits(0x1p53)) && permits(any, next_up(bits(0x1p53)))) << opcode;
        const Wide nearest = pair_of(run_one(opcode + " OUT[0], IN[0]\n", {{both(q(whole))}}));
        EXPECT_TRUE(is_exact(nearest) && permits(nearest, bits(0x1p53))) << opcode;
    }
    either.round_to_even = false;
    either.round_to_even_64 = true;
    for (const std::string opcode : {"I642F", "U642F"}) {
        const Value x = out(run_one(opcode + " OUT[0].xy, IN[0]\n", {{both(q(int64_t{16777217}))}}, either), 0);
        EXPECT_TRUE(permits(x, as_word(0x1p24f)) && permits(x, next_up(as_word(0x1p24f)))) << opcode << text_of(x);
    }
}

TEST(Wide, ClockRisesAndIsUnknown) {
    const Result r = run_one("CLOCK OUT[0].xy\nCLOCK OUT[1].xy\n", {{both(q(0.0))}});
    EXPECT_TRUE(is_unknown(out(r, 0, 0)));
    EXPECT_TRUE(is_unknown(out(r, 0, 1)));
    EXPECT_LT(pair_of(r).value, pair_of(r, 0, 0, 1).value);
}

}  // namespace
}  // namespace tgsi2spv::reference
