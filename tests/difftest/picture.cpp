// The reference's pictures: what it cannot tell is no answer.
#include "difftest/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tgsi2spv::difftest {
namespace {

constexpr std::string_view kVertex =
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], "
    "IN[1]\nEND\n";

/// A FRAG shader whose colour is its input, seen at an offset.
std::string at_offset(const std::string& offset) {
    return "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nIMM[0] FLT32 {" + offset +
           "}\nINTERP_OFFSET OUT[0], IN[0], IMM[0]\nEND\n";
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

TEST(Picture, ShadersOfOtherStagesAreRefusedByName) {
    const std::string fragment = at_offset("0, 0, 0, 0");
    Scene scene{fragment, fragment};
    scene.vertex_name = "a.tgsi";
    auto refused = compute(scene);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), "a.tgsi: FRAG, where VERT belongs");
    scene = {kVertex, kVertex};
    refused = compute(scene);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), "fragment shader: VERT, where FRAG belongs");
}

}  // namespace
}  // namespace tgsi2spv::difftest
