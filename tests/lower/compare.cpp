// Comparisons and selections, with words computed by hand.
#include <gtest/gtest.h>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

TEST(LowerCompare, FloatResults) {
    const std::vector<Words> ab = {floats(1, 2, 3, -0.0f), floats(2, 2, 2, 0)};
    const auto compare = [&](const char* op) { return run(std::string(op) + " OUT[0], IN[0], IN[1]", ab); };
    EXPECT_EQ(compare("SLT"), floats(1, 0, 0, 0));
    EXPECT_EQ(compare("SGE"), floats(0, 1, 1, 1));
    EXPECT_EQ(compare("SEQ"), floats(0, 1, 0, 1));
    EXPECT_EQ(compare("SNE"), floats(1, 0, 1, 0));
    EXPECT_EQ(compare("SGT"), floats(0, 0, 1, 0));
    EXPECT_EQ(compare("SLE"), floats(1, 1, 0, 1));
    EXPECT_EQ(compare("FSLT"), (Words{kAllOnes, 0, 0, 0}));
    EXPECT_EQ(compare("FSGE"), (Words{0, kAllOnes, kAllOnes, kAllOnes}));
    EXPECT_EQ(compare("FSEQ"), (Words{0, kAllOnes, 0, kAllOnes}));
    EXPECT_EQ(compare("FSNE"), (Words{kAllOnes, 0, kAllOnes, 0}));
}

TEST(LowerCompare, OnlyNotEqualIsTrueForNan) {
    for (const char* op : {"SLT", "SGE", "SEQ", "SGT", "SLE", "FSLT", "FSGE", "FSEQ"}) {
        EXPECT_EQ(run(std::string(op) + " OUT[0], IN[0], IN[1]", {all(kNan), all(f(1))}), all(0)) << op;
    }
    EXPECT_EQ(run("SNE OUT[0], IN[0], IN[0]", {all(kNan)}), all(f(1)));
    EXPECT_EQ(run("FSNE OUT[0], IN[0], IN[0]", {all(kNan)}), all(kAllOnes));
}

TEST(LowerCompare, IntegerResults) {
    const std::vector<Words> ab = {{1, kAllOnes, kIntMin, 5}, {2, 1, 0x7fff'ffff, 5}};
    const auto compare = [&](const char* op) { return run(std::string(op) + " OUT[0], IN[0], IN[1]", ab); };
    EXPECT_EQ(compare("ISLT"), (Words{kAllOnes, kAllOnes, kAllOnes, 0}));
    EXPECT_EQ(compare("ISGE"), (Words{0, 0, 0, kAllOnes}));
    EXPECT_EQ(compare("USLT"), (Words{kAllOnes, 0, 0, 0}));
    EXPECT_EQ(compare("USGE"), (Words{0, kAllOnes, kAllOnes, kAllOnes}));
    EXPECT_EQ(compare("USEQ"), (Words{0, 0, 0, kAllOnes}));
    EXPECT_EQ(compare("USNE"), (Words{kAllOnes, kAllOnes, kAllOnes, 0}));
}

TEST(LowerCompare, SelectionByTheSignOrTheBits) {
    const Words yes = floats(1, 2, 3, 4), no = floats(5, 6, 7, 8);
    EXPECT_EQ(run("CMP OUT[0], IN[0], IN[1], IN[2]", {{f(-1), kMinusZero, kNan, f(1)}, yes, no}), floats(1, 6, 7, 8));
    EXPECT_EQ(run("UCMP OUT[0], IN[0], IN[1], IN[2]", {{1, kMinusZero, 0, kNan}, yes, no}), floats(1, 2, 7, 4));
    EXPECT_EQ(run("UCMP OUT[0], IN[0], -IN[1], |IN[2]|", {{1, 0, 1, 0}, yes, floats(-5, -6, -7, -8)}),
              floats(-1, 6, -3, 8));
}

}  // namespace
}  // namespace tgsi2spv::test
