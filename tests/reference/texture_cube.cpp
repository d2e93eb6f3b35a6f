// Texels beyond the edges and corners of cubes. runs/texture_cube.txt has what messages read.
#include "reference/textures/cube.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/texture_bench.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Target;

TEST(TextureCube, NeighboursOfEveryEdgeAreMutual) {
    const Texture texture = numbered(Target::Cube, 4, 4, 1, 6);
    const Image image(texture);
    // Each texel beyond an edge lies in another face, from which its neighbour is the original texel: the pairs are
    // symmetric.
    for (int face = 0; face < 6; ++face)
        for (int along = 0; along < 4; ++along)
            for (int edge = 0; edge < 4; ++edge) {
                auto place = [&](int out) {
                    const int across = edge & 1 ? (out ? 4 : 3) : (out ? -1 : 0);
                    return edge & 2 ? std::pair(along, across) : std::pair(across, along);
                };
                const auto [x, y] = place(1);
                const auto [inside_x, inside_y] = place(0);
                const int other = static_cast<int>(as_number(cube_texel(image, 0, 0, face, x, y)[0].value));
                const int home = 100 * face + 10 * inside_y + inside_x;
                EXPECT_NE(other / 100, face);
                EXPECT_NE(other / 100, face ^ 1) << "opposite faces do not touch";
                int back = 0;
                for (int e = 0; e < 4; ++e) {
                    const int ox = other % 10, oy = other % 100 / 10;
                    const int bx = e == 0 ? ox - 1 : e == 1 ? ox + 1 : ox, by = e == 2 ? oy - 1 : e == 3 ? oy + 1 : oy;
                    if (bx >= 0 && bx < 4 && by >= 0 && by < 4) continue;
                    back +=
                        as_number(cube_texel(image, 0, 0, other / 100, bx, by)[0].value) == static_cast<float>(home);
                }
                EXPECT_EQ(back, 1) << face << ' ' << x << ' ' << y;
            }
}

TEST(TextureCube, CornersMixThreeFaces) {
    Texture texture = numbered(Target::Cube, 4, 4, 1, 6);
    const Image image(texture);
    // Beyond the corner of +Z at (4, -1): its own texel 403, texel 0 in the first row of +X, and texel 233 in the last
    // row of +Y.
    const Value corner = cube_texel(image, 0, 0, 4, 4, -1)[0];
    EXPECT_NEAR(as_number(corner.value), (403 + 0 + 233) / 3.0f, 1e-3);
    for (float f : {403.0f, 0.0f, 233.0f}) EXPECT_TRUE(permits(corner, as_word(f)));
    EXPECT_FALSE(permits(corner, as_word(405.0f)));
    // Equal values give that value, but the average may be rounded: lavapipe multiplies by a third. Zeros stay zeros.
    texture.data[0].assign(texture.data[0].size(), 0x3e8a'4a4d);
    const Value equal = cube_texel(Image(texture), 0, 0, 4, 4, -1)[0];
    EXPECT_EQ(equal.value, 0x3e8a'4a4du);
    EXPECT_TRUE(permits(equal, 0x3e8a'4a4e));
    EXPECT_FALSE(permits(equal, 0x3e8a'4a5d));
    texture.data[0].assign(texture.data[0].size(), 0);
    EXPECT_THAT(cube_texel(Image(texture), 0, 0, 4, 4, -1)[0], exactly(0));
}

}  // namespace
}  // namespace tgsi2spv::reference
