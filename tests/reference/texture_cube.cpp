// Cubes: faces, edges, corners, arrays.
#include "reference/texture_cube.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "reference/bench.h"
#include "reference/texture_bench.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;
using tgsi::Target;

Bench cube(uint32_t size = 4) {
    Bench b;
    b.texture = numbered(Target::Cube, size, size, 1, 6);
    return b;
}
Value read(const Bench& b, float x, float y, float z) {
    return b.run(Opcode::TEX, Target::Cube, {floats(x, y, z), {}})[0];
}

// Vulkan's table of (major axis, sc, tc): the position on each face for a direction that is 0.25 along one minor axis
// and 0.75 along the other. By (c / 2 + 1 / 2) * 4, 0.25 is column 2, -0.25 column 1, 0.75 column 3, -0.75 column 0.
TEST(TextureCube, FacesAndTheirAxes) {
    const Bench b = cube();
    EXPECT_THAT(read(b, 1, 0.75f, 0.25f), exactly(1 + 0));         // +X: s = -z, t = -y
    EXPECT_THAT(read(b, -1, 0.75f, 0.25f), exactly(100 + 2 + 0));  // -X: s = +z, t = -y
    EXPECT_THAT(read(b, 0.25f, 1, 0.75f), exactly(200 + 2 + 30));  // +Y: s = +x, t = +z
    EXPECT_THAT(read(b, 0.25f, -1, 0.75f), exactly(300 + 2 + 0));  // -Y: s = +x, t = -z
    EXPECT_THAT(read(b, 0.25f, 0.75f, 1), exactly(400 + 2 + 0));   // +Z: s = +x, t = -y
    EXPECT_THAT(read(b, 0.25f, 0.75f, -1), exactly(500 + 1 + 0));  // -Z: s = -x, t = -y
    EXPECT_THAT(read(b, 2.5f, 7.5f, -10), exactly(501)) << "only the direction counts";
    EXPECT_TRUE(is_unknown(read(b, 0, 0, 0)));
}

TEST(TextureCube, TiesMayGoToAnyFace) {
    const Bench b = cube();
    // x = z: the last column of +Z (s = x) or the first of +X (s = -z); the nominal answer is +Z.
    const Value v = read(b, 1, 0.25f, 1);
    EXPECT_THAT(v, either(10, 413));
    EXPECT_EQ(v.value, as_word(413.0f));
    EXPECT_EQ(set_of(read(b, 1, -1, 1)).size(), 3u);
    EXPECT_THAT(read(b, 1, 0.25f, 0.99f), exactly(10));
}

/// Vulkan promises a quotient only up to 2^126. Beyond it, a driver multiplies by a reciprocal that is flushed to zero:
/// the middle of the face. The face is certain, and of two that tie, both are permitted.
TEST(TextureCube, TheEndsOfTheFloatRange) {
    const Bench b = cube();
    const float most = std::numeric_limits<float>::max();
    const auto permitted = [&](float x, float y, float z, float texel) {
        const Value v = read(b, x, y, z);
        return !is_unknown(v) && permits(v, as_word(texel));
    };
    for (const float texel : {310.0f, 313.0f, 322.0f}) EXPECT_TRUE(permitted(most, -most, 0, texel)) << texel;
    for (const float texel : {10.0f, 33.0f, 22.0f}) EXPECT_TRUE(permitted(most, -most, 0, texel)) << texel;
    EXPECT_FALSE(permitted(most, -most, 0, 422));
    EXPECT_FALSE(permitted(most, 1, 0, 122));
    EXPECT_THAT(read(b, 0x1p125f, 0.75f * 0x1p125f, 0.25f * 0x1p125f), exactly(1 + 0));
}

TEST(TextureCube, LinearFiltersGoOverTheEdges) {
    Bench b = cube();
    b.sampler.min_filter = b.sampler.mag_filter = Filter::Linear;
    // On the edge between +Z and +X, at row 1: midway between texel 413 of +Z and 10 of +X.
    const Value v = read(b, 0.99999f, 0.25f, 1);
    EXPECT_TRUE(permits(v, as_word((413 + 10) / 2.0f))) << show(v);
    EXPECT_FALSE(permits(v, as_word(420.0f))) << "clamping would stay on the face";
    EXPECT_FALSE(permits(v, as_word(413.0f))) << "clamping would stay on the face";
}

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
                const int other = static_cast<int>(as_float(cube_texel(image, 0, 0, face, x, y)[0].value));
                const int home = 100 * face + 10 * inside_y + inside_x;
                EXPECT_NE(other / 100, face);
                EXPECT_NE(other / 100, face ^ 1) << "opposite faces do not touch";
                int back = 0;
                for (int e = 0; e < 4; ++e) {
                    const int ox = other % 10, oy = other % 100 / 10;
                    const int bx = e == 0 ? ox - 1 : e == 1 ? ox + 1 : ox, by = e == 2 ? oy - 1 : e == 3 ? oy + 1 : oy;
                    if (bx >= 0 && bx < 4 && by >= 0 && by < 4) continue;
                    back += as_float(cube_texel(image, 0, 0, other / 100, bx, by)[0].value) == static_cast<float>(home);
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
    EXPECT_NEAR(as_float(corner.value), (403 + 0 + 233) / 3.0f, 1e-3);
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

TEST(TextureCube, TheReferenceOfAnArraysGatherIsAFloat) {
    // Newest edition, TG4: src1 is the reference of SHADOWCUBEARRAY (of other targets it is the component, an integer).
    const auto gather = [](std::string_view reference, float given) {
        Inputs in;
        in.lanes = 1;
        in.inputs[{0, 0}] = {{as_word(0.1f), as_word(0.2f), as_word(1.0f), 0}};
        in.inputs[{0, 1}] = {{as_word(given), 0, 0, 0}};
        in.textures[0] = numbered(Target::ShadowCubeArray, 4, 4, 1, 6, 1, "Z32_FLOAT");
        for (uint32_t& texel : in.textures[0].data[0]) texel = as_word(0.5f);
        in.samplers[0].compare = Compare::Less;
        const std::string text =
            R"(VERT
DCL IN[0]
DCL IN[1]
DCL SAMP[0]
DCL SVIEW[0], SHADOWCUBEARRAY, FLOAT
DCL OUT[0], POSITION
TG4 OUT[0], IN[0], )" +
            std::string(reference) + ", SAMP[0], SHADOWCUBEARRAY\nEND\n";
        return out(run(text, in), 0);
    };
    EXPECT_THAT(gather("IN[1]", 0.25f), exactly(1));
    EXPECT_THAT(gather("-IN[1]", -0.25f), exactly(1)) << "0.25 < 0.5; as an integer it would be 16";
    EXPECT_THAT(gather("-IN[1]", -0.75f), exactly(0));
    EXPECT_THAT(gather("|IN[1]|", -0.25f), exactly(1));
    EXPECT_THAT(gather("-|IN[1]|", 0.75f), exactly(1));
}

TEST(TextureCube, ArraysAndGathers) {
    Bench b;
    b.texture = numbered(Target::CubeArray, 4, 4, 1, 12);
    EXPECT_THAT(b.run(Opcode::TEX, Target::CubeArray, {floats(0.25f, 0.75f, 1, 1), {}})[0], exactly(1002));
    EXPECT_THAT(b.run(Opcode::TEX, Target::CubeArray, {floats(0.25f, 0.75f, 1, 9), {}})[0], exactly(1002));
    // Between columns 1 and 2, rows 1 and 2 of +Z: order (i0,j1) (i1,j1) (i1,j0) (i0,j0).
    const auto r = b.run(Opcode::TG4, Target::CubeArray, {floats(0.1f, -0.1f, 1, 1), words(0), {}});
    EXPECT_THAT(r[0], exactly(1021));
    EXPECT_THAT(r[1], exactly(1022));
    EXPECT_THAT(r[2], exactly(1012));
    EXPECT_THAT(r[3], exactly(1011));
    // Across the edge to +X.
    b.texture = numbered(Target::Cube, 4, 4, 1, 6);
    const auto e = b.run(Opcode::TG4, Target::Cube, {floats(0.95f, 0.1f, 1), words(0), {}});
    EXPECT_THAT(e[3], exactly(413));
    EXPECT_THAT(e[2], exactly(10));
    EXPECT_THAT(e[1], exactly(20));
}

}  // namespace
}  // namespace tgsi2spv::reference
