// Inputs at an offset, where the inputs say how they change. runs/fragments.txt has the other places.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

/// Word 0 of IN[0] is 2 at each lane; it grows by 1 to the right and 4 downwards, over 1 + x / 2.
TEST(Interpolation, AnOffsetIsKnownWhereTheInputsSayHowTheyChange) {
    Inputs in;
    in.lanes = 4;
    in.inputs[{0, 0}].assign(4, {0x40000000, 0, 0, 0});
    Slope slope;
    slope.along_x[0] = 1;
    slope.along_y[0] = 4;
    slope.weight_x = 0.5;
    in.slopes[0].assign(4, slope);
    const auto at = [&](std::string_view operand, std::string_view x, std::string_view y) {
        const Result r = run(fmt::format(R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
IMM[0] FLT32 {{{}, {}, 0, 0}}
0: INTERP_OFFSET OUT[0], {}, IMM[0]
1: END
)",
                                         x, y, operand),
                             in);
        FloatRange range;
        EXPECT_TRUE(is_unknown(out(r, 1)) || float_range(out(r, 1), range));
        return is_unknown(out(r, 1)) ? std::pair(0.0f, 0.0f) : std::pair(range.lo, range.hi);
    };
    const auto holds = [](std::pair<float, float> range, double least, double most) {
        return range.first <= least && range.first > least - 1e-5 && range.second >= most && range.second < most + 1e-5;
    };
    EXPECT_TRUE(holds(at("IN[0]", "0.25", "-0.5"), 0.25 / 1.125, 0.25 / 1.125));
    EXPECT_TRUE(holds(at("-|IN[0]|", "-0.5", "-0.5"), -0.5 / 0.75, 0.5 / -0.75));
    // 0.25 + 1/32 may be rounded to either neighbour.
    EXPECT_TRUE(holds(at("IN[0]", "0.0", "0.28125"), 3, 3.25));
    EXPECT_TRUE(holds(at("-IN[0].xxxx", "0.0", "0.28125"), -3.25, -3));
    for (const auto& [x, y] : {std::pair{"0.5", "0.0"}, {"0.0", "-0.53125"}, {"0.0", "0.46875"}})
        EXPECT_EQ(at("IN[0]", x, y), std::pair(0.0f, 0.0f)) << "no device has to know " << x << ", " << y;
}

}  // namespace
}  // namespace tgsi2spv::reference
