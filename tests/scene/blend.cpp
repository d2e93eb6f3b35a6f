// Blending: the values that colours, factors, products and sums may have in a target of eight bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "scene/rendered.h"

namespace tgsi2spv::scene {
namespace {

/// Returns a picture of 4 x 4 pixels of one colour, with a triangle of another colour blended over it.
Picture painted(const std::string& blend) {
    return rendered(fmt::format(
        R"({{"width": 4, "height": 4, "clear": [0.05, 0.5, 0.05, 1], "topology": "triangles", {}"shaders": {{
            "VERT": ["VERT", "DCL IN[0]", "DCL OUT[0], POSITION", "MOV OUT[0], IN[0]", "END"],
            "FRAG": ["FRAG", "DCL OUT[0], COLOR", "IMM[0] FLT32 {{0.7, 0.3, 0.0, 0.65}}", "MOV OUT[0], IMM[0]", "END"]}},
            "vertices": [[[-4, -4, 0, 1], [4, -4, 0, 1], [0, 8, 0, 1]]]}})",
        blend));
}

/// Whether a device may draw every pixel with these bytes.
bool may_be(const Picture& picture, const std::array<uint8_t, 4>& color) {
    std::vector<uint8_t> rgba;
    for (size_t i = 0; i < picture.pixels.size(); i++) rgba.insert(rgba.end(), color.begin(), color.end());
    return compare(picture, rgba).wrong == 0;
}

TEST(Blend, EachStepHasThePrecisionOfTheTarget) {
    const Picture picture = painted(R"("blend": {"source": "src_alpha", "target": "inv_src_alpha"}, )");
    // Red is 120.5 of 255. Computed in bytes, 179 · 166 / 255 is 117, and 13 · 89 / 255 is 5.
    EXPECT_TRUE(may_be(picture, {120, 94, 4, 197}));
    EXPECT_TRUE(may_be(picture, {121, 94, 4, 197}));
    EXPECT_TRUE(may_be(picture, {122, 94, 4, 197}));
    EXPECT_FALSE(may_be(picture, {125, 94, 4, 197}));
    EXPECT_FALSE(may_be(picture, {116, 94, 4, 197}));
    EXPECT_FALSE(may_be(picture, {120, 94, 8, 197}));
}

TEST(Blend, TheTargetHoldsBytes) {
    // 12.75 is stored as 12 or 13, and 178.5 is added to the stored value.
    const Picture added = painted(R"("blend": {"source": "one", "target": "one"}, )");
    EXPECT_TRUE(may_be(added, {190, 204, 12, 255})) << "12 + 178.5, rounded down";
    EXPECT_TRUE(may_be(added, {192, 204, 13, 255}));
    EXPECT_FALSE(may_be(added, {188, 204, 12, 255}));
    EXPECT_FALSE(may_be(added, {194, 204, 12, 255}));
    // The target is kept or replaced: as factors, 0 and 1 are exact.
    const Picture kept = painted(R"("blend": {"source": "zero", "target": "one"}, )");
    EXPECT_TRUE(may_be(kept, {12, 127, 13, 255}));
    EXPECT_TRUE(may_be(kept, {13, 128, 12, 255}));
    EXPECT_FALSE(may_be(kept, {11, 127, 13, 255}));
    EXPECT_FALSE(may_be(kept, {12, 127, 13, 254}));
    const Picture replaced = painted(R"("blend": {"source": "one", "target": "zero"}, )");
    EXPECT_TRUE(may_be(replaced, {178, 76, 0, 166}));
    EXPECT_FALSE(may_be(replaced, {181, 76, 0, 166}));
}

// A device may leave out the fragments at the ends of these lines: without a limit, a pixel has 2^60 colours.
TEST(Blend, ManyUncertainFragmentsLeaveAPixelFree) {
    std::string ends, colors;
    for (int i = 0; i < 60; i++) {
        const std::string_view comma = i == 0 ? "" : ", ";
        ends += fmt::format("{}[-0.9, {}, 0, 1], [0.9, {}, 0, 1]", comma, -0.9 + i * 1e-3, 0.7 + i * 1e-3);
        for (int end = 0; end < 2; end++)
            colors += fmt::format("{}[{}, {}, 0.5, 0.5]", end == 0 ? comma : ", ", i / 60.0, 1 - i / 60.0);
    }
    const Picture picture = rendered(fmt::format(
        R"({{"width": 32, "height": 32, "clear": [0.05, 0.5, 0.05, 1], "topology": "lines",
            "blend": {{"source": "src_alpha", "target": "inv_src_alpha"}}, "shaders": {{
            "VERT": ["VERT", "DCL IN[0..1]", "DCL OUT[0], POSITION", "DCL OUT[1], COLOR", "MOV OUT[0], IN[0]",
                     "MOV OUT[1], IN[1]", "END"],
            "FRAG": ["FRAG", "DCL IN[0], COLOR, COLOR", "DCL OUT[0], COLOR", "MOV OUT[0], IN[0]", "END"]}},
            "vertices": [[{}], [{}]]}})",
        ends, colors));
    EXPECT_TRUE(std::ranges::any_of(picture.pixels, &Pixel::free));
    EXPECT_FALSE(std::ranges::all_of(picture.pixels, &Pixel::free));
}

TEST(Blend, WithoutItColoursAreRoundedOnce) {
    const Picture plain = painted("");
    EXPECT_TRUE(may_be(plain, {178, 76, 0, 165}));
    EXPECT_TRUE(may_be(plain, {179, 77, 0, 166}));
    EXPECT_FALSE(may_be(plain, {177, 76, 0, 165}));
    EXPECT_FALSE(may_be(plain, {180, 76, 0, 165}));
    EXPECT_FALSE(may_be(plain, {178, 76, 1, 165}));
}

}  // namespace
}  // namespace tgsi2spv::scene
