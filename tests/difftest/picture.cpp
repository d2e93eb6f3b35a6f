// The reference's pictures: pixels that it does not know are not compared.
#include "difftest/picture.h"

#include "difftest/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tgsi2spv::difftest {
namespace {

constexpr std::string_view kVertex =
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], "
    "IN[1]\nEND\n";

/// Returns a FRAG shader whose colour is its input, interpolated at an offset.
std::string at_offset(const std::string& offset) {
    return "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nIMM[0] FLT32 {" + offset +
           "}\nINTERP_OFFSET OUT[0], IN[0], IMM[0]\nEND\n";
}

TEST(Picture, WhatIsNoPictureHasNoFile) {
    const std::vector<uint8_t> pixels(4 * 6, 255);
    const auto png = png_bytes(3, 2, pixels);
    ASSERT_TRUE(png) << png.error();
    EXPECT_EQ(png->substr(1, 3), "PNG");
    for (const auto& wrong : {png_bytes(3, 3, pixels), png_bytes(0, 0, {})}) {
        ASSERT_FALSE(wrong);
        EXPECT_FALSE(wrong.error().empty());
    }
}

TEST(Picture, AnUnknownPixelIsNotComparedAndCounted) {
    const std::string moved = at_offset("0.25, -0.5, 0, 0"), own = at_offset("0, 0, 0, 0");
    Scene scene{kVertex, moved};
    scene.size = 4;
    auto unknown = compute(scene);
    ASSERT_TRUE(unknown) << unknown.error();
    EXPECT_EQ(unknown_pixels(*unknown), 16u);
    scene.fragment = own;
    const auto known = compute(scene);
    ASSERT_TRUE(known) << known.error();
    EXPECT_EQ(unknown_pixels(*known), 0u);
    EXPECT_EQ(known->rgba[0], 32);  // an eighth

    Picture other = *known;
    other.rgba[4 * 5] ^= 0x40;
    EXPECT_EQ(difference(*known, other), 64u);
    EXPECT_EQ(difference(*unknown, other), 0u);
}

TEST(Picture, PositionIsThePixelAsThePropertiesCountIt) {
    const std::string upper =
        "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.125, 0.125, 1, 1}\nMUL OUT[0], IN[0], "
        "IMM[0]\nEND\n";
    const std::string lower = "FRAG\nPROPERTY FS_COORD_ORIGIN LOWER_LEFT\nPROPERTY FS_COORD_PIXEL_CENTER INTEGER\n" +
                              upper.substr(std::string_view("FRAG\n").size());
    Scene scene{kVertex, upper};
    scene.size = 4;
    const auto from_above = compute(scene);
    scene.fragment = lower;
    const auto from_below = compute(scene);
    ASSERT_TRUE(from_above) << from_above.error();
    ASSERT_TRUE(from_below) << from_below.error();
    const auto pixel = [](const Picture& p, size_t x, size_t y) {
        return std::vector<int>(p.rgba.begin() + static_cast<std::ptrdiff_t>(16 * y + 4 * x),
                                p.rgba.begin() + static_cast<std::ptrdiff_t>(16 * y + 4 * x + 4));
    };
    EXPECT_EQ(pixel(*from_above, 1, 0), (std::vector<int>{48, 16, 0, 255}));  // 1.5 / 8, 0.5 / 8
    EXPECT_EQ(pixel(*from_below, 1, 0), (std::vector<int>{32, 96, 0, 255}));  // 1 / 8, 3 / 8
}

TEST(Picture, FlatInputsAreTheirProvokingVertexsAndOpenOnTheDiagonal) {
    const std::string flat = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";
    Scene scene{kVertex, flat};
    scene.size = 4;
    const auto picture = compute(scene);
    ASSERT_TRUE(picture) << picture.error();
    EXPECT_EQ(unknown_pixels(*picture), 4u);
    EXPECT_EQ(picture->rgba[0], 0);                  // the first triangle's first corner is (0, 0)
    EXPECT_EQ(picture->rgba[4 * (4 * 3 + 3)], 255);  // the second one's is (1, 0)
}

/// The picture is that of a square, and only FRAG has resources.
TEST(Picture, VertexShadersThatMoveTheSquareOrReadMoreAreRefused) {
    const std::string head = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n";
    const std::string fragment = at_offset("0, 0, 0, 0");
    const auto refusal = [&](const std::string& body) {
        const std::string text = head + body + "\nMOV OUT[1], IN[1]\nEND\n";
        Scene scene{text, fragment};
        scene.size = 4;
        const auto computed = compute(scene);
        return computed ? std::string() : computed.error();
    };
    EXPECT_EQ(refusal("MOV OUT[0], IN[0]"), "");
    EXPECT_THAT(refusal("ADD OUT[0], IN[0], IN[0]"), testing::HasSubstr("POSITION is not IN[0]"));
    EXPECT_THAT(refusal("MOV OUT[0].xyw, IN[0]\nMOV OUT[0].z, -IN[0].wwww"),
                testing::HasSubstr("POSITION is not IN[0]"));
    EXPECT_THAT(refusal("DCL CONST[0]\nMOV OUT[0], CONST[0]"), testing::HasSubstr("reads CONST"));
}

TEST(Picture, ShadersOfOtherStagesAreRefusedByName) {
    const std::string fragment = at_offset("0, 0, 0, 0");
    Scene scene{fragment, fragment};
    scene.vertex_name = "a.tgsi";
    auto refused = compute(scene);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), "a.tgsi: found a FRAG shader, expected VERT");
    scene = {kVertex, kVertex};
    refused = compute(scene);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), "fragment shader: found a VERT shader, expected FRAG");
}

}  // namespace
}  // namespace tgsi2spv::difftest
