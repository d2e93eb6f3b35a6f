// Bugs of devices that the reference may allow for.
#include <gtest/gtest.h>

#include "reference/bench.h"
#include "reference/numbers/float_math.h"
#include "reference/numbers/wide_float.h"

namespace tgsi2spv::reference {
namespace {

/// A bug of lavapipe.
TEST(DeviceBugs, TinyMaximaMayBeMinima) {
    constexpr uint32_t kLess = kSign | 0x1e9e, kMore = kSign | 2;
    Context right, bug;
    bug.tiny_maxima_are_minima = true;
    for (const auto& [lesser, greater] : {std::pair(exact(kLess), exact(kMore)),
                                          {exact(kLess), exact(kSign)},
                                          {interval(kLess, kLess, kLess), interval(kMore, kMore, kMore)}}) {
        for (const Value& v : {max(bug, lesser, greater), max(bug, greater, lesser)}) EXPECT_TRUE(permits(v, kLess));
        EXPECT_FALSE(permits(max(right, lesser, greater), kLess));
        EXPECT_EQ(text_of(min(bug, lesser, greater)), text_of(min(right, lesser, greater)));
    }
    const Wide tiny = exact(Double::kSign | 5), zero = exact(Double::kSign);
    EXPECT_TRUE(permits(max(wide_context(bug), tiny, zero), Double::kSign | 5));
    EXPECT_FALSE(permits(max(wide_context(right), tiny, zero), Double::kSign | 5));
    // Only of what flushes to -0.
    for (const uint32_t other : {0u, 1u, kOne, kOne | kSign, kNan})
        EXPECT_EQ(text_of(max(bug, exact(kLess), exact(other))), text_of(max(right, exact(kLess), exact(other))));
}

/// A bug of lavapipe.
TEST(DeviceBugs, MiddlesMayRoundToZero) {
    Context right, bug;
    bug.middles_round_to_zero = true;
    const auto rounds = [](const Context& context, double from, double to) {
        return permits(round_even(wide_context(context), exact(as_word(from))), as_word(to));
    };
    for (const double middle : {1.5, -1.5, 3.5, 5.5}) {
        const double zeroward = std::trunc(middle), even = std::nearbyint(middle);
        EXPECT_TRUE(rounds(bug, middle, zeroward) && rounds(bug, middle, even)) << middle;
        EXPECT_TRUE(rounds(right, middle, even) && !rounds(right, middle, zeroward)) << middle;
    }
    // Only of middles, and only of doubles.
    EXPECT_FALSE(rounds(bug, 1.75, 1) || rounds(bug, 3.25, 4) || rounds(bug, 2.5, 3));
    EXPECT_FALSE(permits(round_even(bug, exact(1.5f)), as_word(1.0f)));
}

}  // namespace
}  // namespace tgsi2spv::reference
