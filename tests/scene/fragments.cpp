// FRAG in scenes: its known inputs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

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

/// 16 x 16 pixels of a triangle that covers all; alpha is 1/16 for each column, and so is red.
Picture ramp(const std::string& state) {
    return rendered(fmt::format(
        R"({{"width": 16, "height": 16, "clear": [0, 0, 0, 0], "topology": "triangles",
            "shaders": {{
                "VERT": ["VERT", "DCL IN[0..1]", "DCL OUT[0], POSITION", "DCL OUT[1], GENERIC", "MOV OUT[0], IN[0]",
                         "MOV OUT[1], IN[1]", "END"],
                "FRAG": ["FRAG", "DCL IN[0], GENERIC, PERSPECTIVE", "DCL OUT[0], COLOR", "MOV OUT[0], IN[0]", "END"]}},
            "vertices": [[[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], [[0, 0, 0, 0], [2, 0, 0, 2], [0, 0, 0, 0]]],
            "state": {}}})",
        state));
}

/// Returns a pixel of a triangle whose varying has the attribute's value; the middle of 2 x 2 (vertices are pixels
/// away).
Pixel varied(const std::string& declaration, const std::string& before, const std::string& write,
             const std::string& read, const std::string& attribute, const std::string& state = "{}") {
    const Picture picture = rendered(fmt::format(
        R"({{"width": 2, "height": 2, "clear": [0, 0, 0, 0], "topology": "triangles", "state": {5},
            "shaders": {{
                "VERT": ["VERT", {1} "DCL IN[0..1]", "DCL OUT[0], POSITION", "DCL OUT[1], {0}", "MOV OUT[0], IN[0]",
                         "MOV OUT[1]{2}, IN[1]", "END"],
                "FRAG": ["FRAG", "DCL IN[0], {0}, PERSPECTIVE", "DCL OUT[0], COLOR", "MOV OUT[0], IN[0].{3}", "END"]}},
            "vertices": [[[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], [{4}, {4}, {4}]]}})",
        declaration, before, write, read, attribute, state));
    return picture.pixels.at(0);
}

TEST(Fragments, ComponentsThatNothingWritesAreFree) {
    const auto free = [](const std::string& write, const std::string& read) {
        return varied("GENERIC[0]", "", write, read, "[0.5, 0.5, 0.5, 0.5]").free;
    };
    EXPECT_FALSE(free(".xyzw", "xyzw"));
    EXPECT_FALSE(free(".xz", "xzzx"));
    EXPECT_TRUE(free(".xz", "xyzw"));
}

TEST(Fragments, DistancesBeyondTheLastAreFree) {
    const auto free = [](const std::string& before, const std::string& read) {
        return varied("CLIPDIST", before, "", read, "[0.5, 0.5, 0.5, 0.5]").free;
    };
    EXPECT_FALSE(free("", "xyzw"));
    EXPECT_FALSE(free(R"("PROPERTY NUM_CLIPDIST_ENABLED 2",)", "xyxy"));
    EXPECT_TRUE(free(R"("PROPERTY NUM_CLIPDIST_ENABLED 2",)", "xyzw"));
    EXPECT_FALSE(free(R"("PROPERTY NUM_CLIPDIST_ENABLED 2", "PROPERTY NUM_CULLDIST_ENABLED 2",)", "xyzw"));
}

/// Vulkan, "Precision and Operation of SPIR-V Instructions": denormals may be flushed, so an integer in a float may be
/// 0.
TEST(Fragments, InterpolationMayFlushDenormals) {
    const Pixel pixel =
        varied("GENERIC[0]", "", "", "xyzw", "[7, 7, 7, 7]", R"({"target": "uint", "attributes": {"1": "uint"}})");
    ASSERT_FALSE(pixel.free);
    for (const Color& color : pixel.colors) {
        EXPECT_EQ(color[0].lo, 0);
        EXPECT_EQ(color[0].hi, 7);
    }
}

/// Vulkan, "Tessellator": in which order the vertices of a primitive come, and so which one is the provoking vertex, is
/// the device's choice.
TEST(Fragments, FlatInputsOfTessellatedPrimitivesAreFreeIfTheVerticesDiffer) {
    const auto free = [](const std::string& value) {
        return rendered(
                   fmt::format(
                       R"({{"width": 2, "height": 2, "clear": [0, 0, 0, 0], "topology": "patches", "patch_vertices": 3,
            "shaders": {{
                "VERT": ["VERT", "DCL IN[0]", "DCL OUT[0], POSITION", "MOV OUT[0], IN[0]", "END"],
                "TESS_EVAL": ["TESS_EVAL", "PROPERTY TES_PRIM_MODE TRIANGLES", "DCL IN[][0], POSITION",
                    "DCL SV[0], TESSCOORD", "DCL OUT[0], POSITION", "DCL OUT[1], GENERIC[0]", "DCL TEMP[0]",
                    "IMM[0] FLT32 {{1, 0, 0, 0}}",
                    "MUL TEMP[0], IN[0][0], SV[0].xxxx", "MAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]",
                    "MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]", "MOV OUT[1], {}", "END"],
                "FRAG": ["FRAG", "DCL IN[0], GENERIC[0], CONSTANT", "DCL OUT[0], COLOR", "MOV OUT[0], IN[0]", "END"]}},
            "vertices": [[[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]]]}})",
                       value))
            .pixels.at(0)
            .free;
    };
    EXPECT_TRUE(free("SV[0]"));
    EXPECT_FALSE(free("IMM[0]"));
}

// Tests of a fragment are decided near the pixel's centre; its colour is computed at the centre.
TEST(Fragments, ColorsAreThoseOfTheCenterHoweverTheTestsEnd) {
    constexpr double kAlpha = 7.5 / 16;
    for (const std::string state :
         {R"({"alpha_test": {"func": 1, "ref": 0.46875}})",  // LESS: the centre fails
          R"({"clip_planes": [[1, 0, 0, 0.062]]})"}) {       // the plane passes just right of the centre
        const Picture picture = ramp(state);
        const Pixel& pixel = picture.pixels.at(16 * 4 + 7);
        ASSERT_EQ(pixel.colors.size(), 2u) << state << ": drawn or not";
        EXPECT_EQ(pixel.colors[0][0], (ChannelRange{0, 0})) << state;
        EXPECT_LE(pixel.colors[1][0].lo, kAlpha) << state;
        EXPECT_GE(pixel.colors[1][0].hi, kAlpha) << state;
        EXPECT_EQ(picture.pixels.at(16 * 4 + 5).colors.size(), 1u) << state;
        EXPECT_EQ(picture.pixels.at(16 * 4 + 9).colors.size(), 1u) << state;
    }
}

// Even where all vertices have the same value, interpolation may round: a test for equality is the device's choice.
TEST(Fragments, InterpolationRounds) {
    const std::string scene =
        R"({{"width": 4, "height": 4, "clear": [0, 0, 0, 0], "topology": "triangles", "shaders": {{
            "VERT": ["VERT", "DCL IN[0]", "DCL OUT[0], POSITION", "DCL OUT[1], GENERIC", "DCL OUT[2], GENERIC[1]",
                     "IMM[0] FLT32 {{0.75, 0.75, 0.75, 0.75}}", "MOV OUT[0], IN[0]", "MOV OUT[1], IMM[0]",
                     "MOV OUT[2], IMM[0]", "END"],
            "FRAG": ["FRAG", "DCL IN[0], GENERIC, {0}", "DCL IN[1], GENERIC[1], {0}", "DCL OUT[0], COLOR",
                     "ADD OUT[0], IN[0].{1}, -IN[{2}].xxxx", "END"]}},
            "state": {{"alpha_test": {{"func": 2, "ref": 0}}}},
            "vertices": [[[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]]]}})";
    for (const auto& [components, other] : {std::pair{"yyyy", 0}, {"xxxx", 1}}) {
        const auto colors = [&, c = components, o = other](const char* how) {
            return rendered(fmt::format(fmt::runtime(scene), how, c, o)).pixels.at(5).colors.size();
        };
        EXPECT_EQ(colors("CONSTANT"), 1u) << components;
        EXPECT_EQ(colors("PERSPECTIVE"), 2u) << components;
        EXPECT_EQ(colors("LINEAR"), 2u) << components;
    }
}

/// Some roundings of floats, not more: the picture would hide errors of a device.
TEST(Fragments, InterpolationRoundsByFewBitsOfAFloat) {
    for (const double value : {0.75, 0.1}) {
        const std::string word = fmt::format("{}", value);
        const Pixel pixel = varied("GENERIC[0]", "", "", "xyzw", fmt::format("[{0}, {0}, {0}, {0}]", word));
        ASSERT_FALSE(pixel.free || pixel.colors.empty());
        for (const Color& color : pixel.colors)
            for (const ChannelRange& r : color) {
                EXPECT_NEAR(r.lo, value, value * 0x1p-18);
                EXPECT_NEAR(r.hi, value, value * 0x1p-18);
            }
    }
}

/// RCP has an error of 2.5 ULP (Vulkan, "Precision and Operation of SPIR-V Instructions"), so the reciprocal of 2 may
/// be above, below or 0.5 itself. Whether it is equal is the device's choice, and so is whether it differs.
TEST(Fragments, AnAlphaTestInsideTheRangePermitsBothResults) {
    const auto colors = [](int func, double ref) {
        return rendered(fmt::format(
                            R"({{"width": 2, "height": 2, "clear": [0, 0, 0, 0], "topology": "triangles",
            "shaders": {{
                "VERT": ["VERT", "DCL IN[0]", "DCL OUT[0], POSITION", "MOV OUT[0], IN[0]", "END"],
                "FRAG": ["FRAG", "DCL OUT[0], COLOR", "IMM[0] FLT32 {{2, 0, 0, 0}}", "RCP OUT[0], IMM[0].xxxx",
                         "END"]}},
            "state": {{"alpha_test": {{"func": {}, "ref": {}}}}},
            "vertices": [[[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]]]}})",
                            func, ref))
            .pixels.at(0)
            .colors;
    };
    enum { kNever, kLess, kEqual, kLessEqual, kGreater, kNotEqual, kGreaterEqual, kAlways };
    for (const int func : {kLess, kEqual, kLessEqual, kGreater, kNotEqual, kGreaterEqual})
        EXPECT_EQ(colors(func, 0.5).size(), 2u) << func;
    const auto drawn = [&](int func, double ref) {
        const auto all = colors(func, ref);
        EXPECT_EQ(all.size(), 1u) << func << ' ' << ref;
        return !all.empty() && all[0][0].lo > 0.4;
    };
    for (const auto& [func, below, above] : {std::tuple{kNever, false, false},
                                             {kLess, false, true},
                                             {kEqual, false, false},
                                             {kLessEqual, false, true},
                                             {kGreater, true, false},
                                             {kNotEqual, true, true},
                                             {kGreaterEqual, true, false},
                                             {kAlways, true, true}}) {
        EXPECT_EQ(drawn(func, 0.25), below) << func;
        EXPECT_EQ(drawn(func, 0.75), above) << func;
    }
}

TEST(Fragments, ClearColorsFitTheTarget) {
    const Picture picture = rendered(
        R"({"width": 4, "height": 4, "clear": [1.5, -0.5, 0.25, 1], "topology": "triangles", "shaders": {
            "VERT": ["VERT", "DCL IN[0]", "DCL OUT[0], POSITION", "MOV OUT[0], IN[0]", "END"],
            "FRAG": ["FRAG", "DCL OUT[0], COLOR", "IMM[0] FLT32 {0, 0, 0, 0}", "MOV OUT[0], IMM[0]", "END"]},
            "vertices": [[[8, 8, 0, 1], [9, 8, 0, 1], [8, 9, 0, 1]]]})");
    ASSERT_EQ(picture.pixels.at(0).colors.size(), 1u);
    const Color& color = picture.pixels[0].colors[0];
    EXPECT_EQ(color[0].hi, 1);  // a normalised target has no more
    EXPECT_EQ(color[1].lo, 0);
    EXPECT_EQ(color[2].lo, 0.25);
}

// PCOORD and sprites are divisions by the size of the point: 2.5 eighths may come out a little less.
TEST(Fragments, SpritesAreAsCertainAsOtherInputs) {
    const Picture picture = rendered(
        R"({"width": 8, "height": 8, "clear": [0, 0, 0, 0], "topology": "points", "shaders": {
            "VERT": ["VERT", "DCL IN[0]", "DCL OUT[0], POSITION", "MOV OUT[0], IN[0]", "END"],
            "FRAG": ["FRAG", "DCL IN[0], GENERIC[2], PERSPECTIVE", "DCL OUT[0], COLOR", "MOV OUT[0], IN[0].xxxx", "END"]},
            "state": {"point_size": 8, "sprites": {"mask": 4}, "alpha_test": {"func": 1, "ref": 0.3125}},
            "vertices": [[[0, 0, 0, 1]]]})");
    EXPECT_EQ(picture.pixels.at(8 + 1).colors.size(), 1u);
    EXPECT_EQ(picture.pixels.at(8 + 2).colors.size(), 2u);
    EXPECT_EQ(picture.pixels.at(8 + 3).colors.size(), 1u);
}

}  // namespace
}  // namespace tgsi2spv::scene
