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

}  // namespace
}  // namespace tgsi2spv::scene
