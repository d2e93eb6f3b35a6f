// The reference's assumptions about the device that draws a scene.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scene/read.h"
#include "scene/render.h"

namespace tgsi2spv::scene {
namespace {

TEST(Precision, OfTexturesIsTheLeastUnlessADeviceIsNamed) {
    // All pixels read a texture of two texels at 0.49, which is 1/50 texel from the edge between them.
    const std::string json =
        R"({"width": 4, "height": 4, "topology": "triangles", "shaders": {
            "VERT": ["VERT", "DCL IN[0]", "DCL OUT[0], POSITION", "MOV OUT[0], IN[0]", "END"],
            "FRAG": ["FRAG", "DCL OUT[0], COLOR", "DCL SAMP[0]", "DCL SVIEW[0], 2D, FLOAT",
                     "IMM[0] FLT32 {0.49, 0.5, 0.0, 0.0}", "TEX OUT[0], IMM[0], SAMP[0], 2D", "END"]},
            "textures": {"FRAG": {"0": {"width": 2, "height": 1, "filter": "nearest", "wrap": "clamp",
                                        "data": [[1, 0, 0, 1], [0, 0, 1, 1]]}}},
            "vertices": [[[-4, -4, 0, 1], [4, -4, 0, 1], [0, 8, 0, 1]]]})";
    auto scene =
        read_scene(json, [](const std::string&) -> tl::expected<std::string, std::string> { return std::string(); });
    ASSERT_TRUE(scene) << scene.error();
    const auto other_texel = [&] {
        std::vector<uint8_t> rgba;
        for (int i = 0; i < 16; i++) rgba.insert(rgba.end(), {0, 0, 255, 255});
        const auto picture = render(*scene, scene->state);
        EXPECT_TRUE(picture) << picture.error();
        return picture && compare(*picture, rgba).wrong == 0;
    };
    EXPECT_TRUE(other_texel()) << "a step of four bits is 1/16";
    scene->precision.sub_texel_bits = 8;
    EXPECT_FALSE(other_texel()) << "one of eight bits is 1/256";
}

}  // namespace
}  // namespace tgsi2spv::scene
