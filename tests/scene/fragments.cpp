// FRAG in scenes: what is known of its inputs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "scene/rendered.h"

namespace tgsi2spv::scene {
namespace {

/// Returns 8 x 8 pixels with the PCOORD of a point of 8 pixels, or of a triangle.
Picture painted(const std::string& topology, const std::string& declaration, const std::string& vertices) {
    return rendered(fmt::format(
        R"({{"width": 8, "height": 8, "clear": [0, 0, 0, 1], "topology": "{}", "shaders": {{
            "VERT": ["VERT", "DCL IN[0]", "DCL OUT[0], POSITION", "DCL OUT[1], PSIZE", "IMM[0] FLT32 {{8, 0, 0, 0}}",
                     "MOV OUT[0], IN[0]", "MOV OUT[1].x, IMM[0].xxxx", "END"],
            "FRAG": ["FRAG", "DCL {}, PCOORD", "DCL OUT[0], COLOR", "MOV OUT[0], {}", "END"]}},
            "state": {{"point_size": 1, "point_size_per_vertex": true}}, "vertices": [{}]}})",
        topology, declaration, declaration, vertices));
}

TEST(Fragments, PcoordIsKnownOnPoints) {
    for (const std::string declaration : {"IN[0]", "SV[0]"}) {
        const Picture point = painted("points", declaration, "[[0, 0, 0, 1]]");
        const Pixel& pixel = point.pixels.at(8 + 2);  // 2.5 and 1.5 eighths
        ASSERT_FALSE(pixel.free || pixel.colors.empty()) << declaration;
        for (const Color& color : pixel.colors) {
            EXPECT_NEAR(color[0].lo, 2.5 / 8, 1e-2) << declaration;
            EXPECT_NEAR(color[0].hi, 2.5 / 8, 1e-2) << declaration;
            EXPECT_NEAR(color[1].lo, 1.5 / 8, 1e-2) << declaration;
        }
        const Picture triangle = painted("triangles", declaration, "[[-4, -4, 0, 1], [4, -4, 0, 1], [0, 8, 0, 1]]");
        EXPECT_TRUE(triangle.pixels.at(8 + 2).free) << declaration << ": undefined without a point";
    }
}

/// A picture that one triangle covers; `fragment` are the lines of FRAG after its first.
Picture covered(uint32_t size, std::string_view fragment) {
    return rendered(fmt::format(
        R"({{"width": {0}, "height": {0}, "clear": [0, 0, 0, 1], "topology": "triangles",
            "shaders": {{
                "VERT": ["VERT", "DCL IN[0]", "DCL OUT[0], POSITION", "MOV OUT[0], IN[0]", "END"],
                "FRAG": ["FRAG", {1}, "END"]}},
            "vertices": [[[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]]]}})",
        size, fragment));
}

// The lower lanes of the last quads are below a picture of odd height.
TEST(Fragments, QuadsReachBelowThePicture) {
    const Picture picture =
        covered(7, R"("PROPERTY FS_COORD_ORIGIN LOWER_LEFT", "DCL IN[0], POSITION, LINEAR", "DCL OUT[0], COLOR",
                      "IMM[0] FLT32 {0.5, 1, 0, 0}", "DDY OUT[0], IN[0].yyyy",
                      "MAD OUT[0], OUT[0], IMM[0].xxxx, IMM[0].yyyy")");
    ASSERT_EQ(picture.pixels.size(), 49u);
    for (const Pixel& pixel : picture.pixels) EXPECT_NEAR(pixel.colors.at(0)[0].lo, 0.5, 0.01);
}

// More fragments than are shaded at once: the last ones are like the first.
TEST(Fragments, ManyAreShadedInRuns) {
    const Picture picture = covered(192, R"("DCL IN[0], POSITION, LINEAR", "DCL OUT[0], COLOR", "DCL TEMP[0]",
                        "IMM[0] FLT32 {0.00390625, 0.5, 0, 1}", "MUL OUT[0], IN[0], IMM[0].xxxx",
                        "DDX TEMP[0], IN[0]", "MUL OUT[0].z, TEMP[0].xxxx, IMM[0].yyyy")");
    ASSERT_EQ(picture.pixels.size(), 192u * 192u);
    for (size_t i = 0; i < picture.pixels.size(); i++) {
        const Pixel& pixel = picture.pixels[i];
        ASSERT_TRUE(!pixel.free && pixel.colors.size() == 1) << i;
        const double x = static_cast<double>(i % 192) + 0.5, y = static_cast<double>(i / 192) + 0.5;
        ASSERT_NEAR(pixel.colors[0][0].lo, x / 256, 1e-4) << i;
        ASSERT_NEAR(pixel.colors[0][1].hi, y / 256, 1e-4) << i;
        ASSERT_NEAR(pixel.colors[0][2].lo, 0.5, 1e-2) << i;
    }
}

}  // namespace
}  // namespace tgsi2spv::scene
