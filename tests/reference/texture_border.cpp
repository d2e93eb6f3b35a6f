// Integers of the floats of a border. runs/texture_border.txt has the colours of each format.
#include "reference/textures/border.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tgsi2spv::reference {
namespace {

TEST(TextureBorder, IntegersOfFloats) {
    EXPECT_EQ(integer_border(-1), 0xffffffffu);
    EXPECT_EQ(integer_border(-0x1p31f), 0x80000000u);
    EXPECT_EQ(integer_border(0x1p31f), 0x80000000u);
    EXPECT_EQ(integer_border(0x1.fffffep31f), 0xffffff00u);
    EXPECT_EQ(integer_border(-0.0f), 0u);
    for (const float f : {0.5f, -0x1.000002p31f, 0x1p32f, INFINITY, -INFINITY, std::nanf("")})
        EXPECT_FALSE(integer_border(f)) << f;
}

}  // namespace
}  // namespace tgsi2spv::reference
