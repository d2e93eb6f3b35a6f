// Coverage by Vulkan's rules, and the freedom of devices.
#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <string>

#include "scene/raster.h"

namespace tgsi2spv::scene {
namespace {

/// Draws one primitive, with corners in pixels, into 8 × 8 pixels. `plane`: a clip plane.
tl::expected<Rastered, std::string> draw(const std::vector<std::array<float, 2>>& corners, float size,
                                         std::optional<std::array<float, 4>> plane = {}) {
    Scene scene;
    scene.width = scene.height = 8;
    scene.prepared.point_size = true;
    State state;
    state.point_size = size;
    if (plane) {
        scene.clip_planes = {*plane};
        state.plane_enable = 1;
    }
    Shader shader;
    shader.text = R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
)";
    const auto parsed = parse(shader);
    EXPECT_TRUE(parsed);
    Primitive primitive;
    for (const auto& [x, y] : corners) {
        const std::array<float, 4> clip{x / 4 - 1, y / 4 - 1, 0, 1};
        primitive.vertices.push_back({{0, std::bit_cast<reference::Vec4>(clip)}});
    }
    return rasterize(scene, state, *parsed, primitive);
}

/// The fragments of a triangle whose POSITION is in pixels, for any viewport.
std::vector<Fragment> window_space(const State& state, Rastered& rastered) {
    Scene scene;
    scene.width = scene.height = 8;
    scene.clip_planes = {{1, 0, 0, -100}};
    Shader shader;
    shader.text =
        R"(VERT
PROPERTY VS_WINDOW_SPACE_POSITION 1
DCL IN[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
)";
    const auto parsed = parse(shader);
    EXPECT_TRUE(parsed);
    Primitive primitive;
    for (const std::array<float, 4>& corner : {std::array<float, 4>{1, 1, 0, 1}, {5, 1, 0.5f, 0.25f}, {1, 5.25f, 1, 2}})
        primitive.vertices.push_back({{0, std::bit_cast<reference::Vec4>(corner)}});
    const auto drawn = rasterize(scene, state, *parsed, primitive);
    EXPECT_TRUE(drawn) << drawn.error();
    rastered = *drawn;
    return rastered.fragments;
}

/// Returns one character per pixel: '#' covered, '.' not covered, '?' the device's choice.
std::string covered(const std::vector<std::array<float, 2>>& corners, float size = 1,
                    std::optional<std::array<float, 4>> plane = {}) {
    const auto rastered = draw(corners, size, plane);
    EXPECT_TRUE(rastered) << rastered.error();
    std::string rows(64, '.');
    for (const Fragment& f : rastered->fragments)
        if (f.covered) rows[size_t{f.y} * 8 + f.x] = f.maybe ? '?' : '#';
    return rows;
}

std::string rows(std::initializer_list<const char*> lines) {
    std::string all;
    for (const char* line : lines) all += line;
    all.resize(64, '.');
    return all;
}

TEST(Raster, WindowSpaceSkipsTheViewport) {
    State state;
    state.flip_y = true;
    state.plane_enable = 1;
    Rastered r;
    size_t covered = 0;
    for (const Fragment& f : window_space(state, r)) {
        covered += f.covered;
        EXPECT_FALSE(f.covered && (f.maybe || f.places[0].clipped)) << f.x << ',' << f.y;
    }
    EXPECT_EQ(covered, 4u + 3 + 2 + 1);
    EXPECT_EQ(r.z, (std::array<double, 3>{0, 0.5, 1}));
    EXPECT_EQ(r.inverse_w, (std::array<double, 3>{1, 0.25, 2}));
}

TEST(Raster, TrianglesOnTheGridAreExactButForCentresOnAnEdge) {
    // The long edge passes through the centres with x + y = 5.
    EXPECT_EQ(covered({{1, 1}, {5, 1}, {1, 5}}), rows({"........", ".###?...", ".##?....", ".#?.....", ".?......"}));
    // Here it passes between them.
    EXPECT_EQ(covered({{1, 1}, {5, 1}, {1, 5.25f}}),
              rows({"........", ".####...", ".###....", ".##.....", ".#......"}));
}

TEST(Raster, ClippedTrianglesHaveVerticesOffTheGrid) {
    // The plane cuts a corner off, at x = 4.8: the rest of the long edge may have moved. One centre is 0.02 pixels
    // away.
    EXPECT_EQ(covered({{1, 1}, {5, 1}, {1, 5.25f}}, 1, {{-1, 0, 0, 0.2f}}),
              rows({"........", ".###?...", ".###....", ".##.....", ".#......"}));
}

TEST(Raster, VerticesOffTheGridMoveBeneathTheMargin) {
    // With an edge 1/50 pixel away, a centre may be on either side; with 1/10 it may not.
    EXPECT_EQ(covered({{1.5f + 0.02f, 1}, {7, 1}, {1.5f + 0.02f, 3}})[8 + 1], '?');
    EXPECT_EQ(covered({{1.5f + 0.1f, 1}, {7, 1}, {1.5f + 0.1f, 3}})[8 + 1], '.');
    EXPECT_EQ(covered({{1.5f - 0.1f, 1}, {7, 1}, {1.5f - 0.1f, 3}})[8 + 1], '#');
}

TEST(Raster, LinesAlongAnAxisAreExact) {
    EXPECT_EQ(covered({{1, 1.5f}, {5, 1.5f}}), rows({"........", ".####..."}));
    EXPECT_EQ(covered({{5, 1.5f}, {1, 1.5f}}), rows({"........", ".####..."}));
    EXPECT_EQ(covered({{2.5f, 0}, {2.5f, 2}}), rows({"..#.....", "..#....."}));
    // For a line that ends inside a pixel, the diamond rule and the rectangle rule differ.
    EXPECT_EQ(covered({{1, 1.5f}, {4.5f, 1.5f}}), rows({"........", ".###?..."}));
    EXPECT_EQ(covered({{1, 1.5f}, {4.75f, 1.5f}}), rows({"........", ".###??.."}));
}

TEST(Raster, OtherLinesAreLessThanAPixelAway) {
    const std::string all = covered({{0, 0}, {4, 8}});
    EXPECT_EQ(all.find('#'), std::string::npos);
    EXPECT_EQ(all[4 * 8 + 2], '?');
    EXPECT_EQ(all[4 * 8 + 5], '.');
}

TEST(Raster, PointsAreSquares) {
    EXPECT_EQ(covered({{3, 3}}, 4), rows({"........", ".####...", ".####...", ".####...", ".####..."}));
    EXPECT_EQ(covered({{2.5f, 1.5f}}, 1), rows({"........", "..#....."}));
}

TEST(Raster, PointsThatADeviceMayClampAreRefused) {
    for (const float size : {0.5f, 64.0f, 0.0f, -1.0f}) {
        const auto rastered = draw({{3, 3}}, size);
        ASSERT_FALSE(rastered) << size;
        EXPECT_NE(rastered.error().find("only from 1 to below 64"), std::string::npos) << rastered.error();
    }
    EXPECT_TRUE(draw({{3, 3}}, 63));
}

}  // namespace
}  // namespace tgsi2spv::scene
