// 64-bit pairs: how values are split and joined. runs/wide.txt has the bounds of opcodes.
#include "reference/numbers/wide_value.h"

#include "reference/bench.h"
#include "reference/numbers/wide_float.h"

namespace tgsi2spv::reference {
namespace {

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
        const Wide a = exact(bits(x));
        judge(wide::sqrt({}, a), std::sqrt(static_cast<long double>(x)), 6.5);
        judge(wide::rsq({}, a), 1 / std::sqrt(static_cast<long double>(x)), 2.5);  // 2; rounded twice
        judge(wide::rcp({}, a), 1 / static_cast<long double>(x), 2.5);
        judge(wide::div({}, exact(bits(2.7)), a), static_cast<long double>(2.7) / static_cast<long double>(x), 2.5);
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
            if (nan) check(Double::kNan);
        }
    }
}

/// runs/wide.txt has the rest of it.
TEST(Wide, TheClockRises) {
    const Result r = run("VERT\nDCL OUT[0..1], GENERIC[0]\nCLOCK OUT[0].xy\nCLOCK OUT[1].xy\nEND\n", {});
    EXPECT_LT(join_halves(out(r, 0, 0), out(r, 0, 1)).value, join_halves(out(r, 0, 0, 1), out(r, 0, 1, 1)).value);
}

}  // namespace
}  // namespace tgsi2spv::reference
