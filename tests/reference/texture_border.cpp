// Border colours of integers: their words in every format, and which samplers have one.
#include "reference/border.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "reference/bench.h"
#include "reference/texture_bench.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;
using tgsi::Target;
using Colour = std::array<float, 4>;

constexpr Colour kNone{0, 0, 0, 0}, kBlack{0, 0, 0, 1}, kWhite{1, 1, 1, 1};

Bench bordered(std::string_view format, const Colour& border) {
    Bench b;
    b.texture = numbered(Target::T2D, 4, 4, 1, 1, 1, format);
    b.texture.data[0].assign(b.texture.data[0].size(), 5);
    b.sampler.wrap[0] = Wrap::ClampToBorder;
    b.sampler.border_color = border;
    return b;
}

std::array<Value, 4> beside(const Bench& b) {
    return b.run(Opcode::SAMPLE_L, Target::T2D, {floats(-0.5f, 0.1f), {}, {}, floats(0)});
}

/// Returns the words of the four channels beside the texture, and expects each to be exactly known.
std::array<int64_t, 4> words_beside(const Bench& b) {
    std::array<int64_t, 4> words{};
    const auto texel = beside(b);
    for (size_t c = 0; c < 4; ++c) {
        EXPECT_TRUE(is_exact(texel[c])) << c << text_of(texel[c]);
        words[c] = static_cast<int32_t>(texel[c].value);
    }
    return words;
}

TEST(TextureBorder, PredefinedColoursAreZerosAndOnes) {
    // Vulkan, "Texel Replacement": a component of the format is that of the colour. Then "Conversion to RGBA" adds
    // 0, 0 and 1 for the components that the format lacks.
    const struct {
        const char* format;
        Colour border;
        std::array<int64_t, 4> expected;
    } rows[] = {
        {"R32G32B32A32_UINT", kNone, {0, 0, 0, 0}},
        {"R32G32B32A32_UINT", kBlack, {0, 0, 0, 1}},
        {"R32G32B32A32_UINT", kWhite, {1, 1, 1, 1}},
        {"R8G8B8A8_SINT", kNone, {0, 0, 0, 0}},
        {"R8G8B8A8_SINT", kBlack, {0, 0, 0, 1}},
        {"R8G8B8A8_SINT", kWhite, {1, 1, 1, 1}},
        {"R10G10B10A2_UINT", kWhite, {1, 1, 1, 1}},
        {"R32G32B32_SINT", kWhite, {1, 1, 1, 1}},
        {"R32G32B32_SINT", kNone, {0, 0, 0, 1}},
        {"R16G16_SINT", kWhite, {1, 1, 0, 1}},
        {"R16G16_SINT", kNone, {0, 0, 0, 1}},
        {"R8_UINT", kWhite, {1, 0, 0, 1}},
        {"R8_UINT", kNone, {0, 0, 0, 1}},
        {"R32_SINT", kBlack, {0, 0, 0, 1}},
    };
    for (const auto& row : rows)
        EXPECT_EQ(words_beside(bordered(row.format, row.border)), row.expected)
            << row.format << ' ' << testing::PrintToString(row.border);
}

TEST(TextureBorder, CustomColoursAreTheIntegersThatTheFormatHolds) {
    EXPECT_EQ(words_beside(bordered("R32G32B32A32_SINT", {-3, 7, -0x1p31f, 0x1.fffffep30f})),
              (std::array<int64_t, 4>{-3, 7, INT32_MIN, 0x7fffff80}));
    EXPECT_EQ(words_beside(bordered("R32G32B32A32_UINT", {3, 0x1.fffffep31f, -0.0f, 2})),
              (std::array<int64_t, 4>{3, static_cast<int32_t>(0xffffff00), 0, 2}));
    EXPECT_EQ(words_beside(bordered("R8G8B8A8_UINT", {255, 0, 128, 9})), (std::array<int64_t, 4>{255, 0, 128, 9}));
    EXPECT_EQ(words_beside(bordered("R8G8B8A8_SINT", {-128, 127, 0, 9})), (std::array<int64_t, 4>{-128, 127, 0, 9}));
    EXPECT_EQ(words_beside(bordered("R10G10B10A2_UINT", {1023, 1, 2, 3})), (std::array<int64_t, 4>{1023, 1, 2, 3}));
    EXPECT_EQ(words_beside(bordered("R16_UINT", {65535, 0.5f, 1e20f, -1})), (std::array<int64_t, 4>{65535, 0, 0, 1}))
        << "only red is of the format";
    // Vulkan, "Instruction/Sampler/Image View Validation": a colour that the format cannot represent is undefined, in
    // every channel.
    const struct {
        const char* format;
        Colour border;
    } undefined[] = {
        {"R8G8B8A8_UINT", {256, 0, 0, 0}},      {"R8G8B8A8_UINT", {0, 0, -1, 0}},
        {"R8G8B8A8_SINT", {0, 128, 0, 0}},      {"R8G8B8A8_SINT", {0, 0, 0, -129}},
        {"R10G10B10A2_UINT", {0, 0, 0, 4}},     {"R32G32B32A32_UINT", {-1, 0, 0, 0}},
        {"R32G32B32A32_UINT", {0x1p32f, 0, 0}}, {"R32G32B32A32_SINT", {0, 0, 0x1p31f, 0}},
        {"R32G32B32A32_SINT", {0.5f, 0, 0, 0}}, {"R32G32B32A32_SINT", {0, std::nanf(""), 0, 0}},
        {"R32_UINT", {INFINITY, 0, 0, 0}},
    };
    for (const auto& row : undefined)
        for (const Value& v : beside(bordered(row.format, row.border)))
            EXPECT_TRUE(is_unknown(v)) << row.format << ' ' << testing::PrintToString(row.border) << show(v);
}

TEST(TextureBorder, IntegersOfFloats) {
    EXPECT_EQ(integer_border(-1), 0xffffffffu);
    EXPECT_EQ(integer_border(-0x1p31f), 0x80000000u);
    EXPECT_EQ(integer_border(0x1p31f), 0x80000000u);
    EXPECT_EQ(integer_border(0x1.fffffep31f), 0xffffff00u);
    EXPECT_EQ(integer_border(-0.0f), 0u);
    for (const float f : {0.5f, -0x1.000002p31f, 0x1p32f, INFINITY, -INFINITY, std::nanf("")})
        EXPECT_FALSE(integer_border(f)) << f;
}

TEST(TextureBorder, SwizzledViewsOfIntegers) {
    const auto through = [](const Colour& border, bool from_image) {
        Bench b = bordered("R32G32_UINT", border);
        b.swizzle = {5, 0, 2, 4};
        b.options.border_swizzle_from_image = from_image;
        return b;
    };
    using Words = std::array<int64_t, 4>;
    EXPECT_EQ(words_beside(through(kWhite, false)), (Words{1, 1, 0, 0}));
    EXPECT_EQ(words_beside(through(kNone, false)), (Words{1, 0, 0, 0}));
    EXPECT_EQ(words_beside(through({7, 8, 0, 0}, true)), (Words{1, 7, 0, 0}));
    EXPECT_EQ(words_beside(through(kBlack, true)), (Words{1, 0, 0, 0}));
    for (const Colour& border : {kBlack, Colour{7, 8, 0, 0}})
        for (const Value& v : beside(through(border, false))) EXPECT_TRUE(is_unknown(v)) << show(v);
}

TEST(TextureBorder, GathersReadItToo) {
    Bench b = bordered("R16G16_SINT", {-4, -6, 0, 0});
    const auto r = b.run(Opcode::TG4, Target::T2D, {floats(0.0f, 0.5f), words(1), {}});
    const std::array<int32_t, 4> expected{-6, 5, 5, -6};
    for (size_t c = 0; c < 4; ++c) {
        EXPECT_TRUE(is_exact(r[c])) << show(r[c]);
        EXPECT_EQ(static_cast<int32_t>(r[c].value), expected[c]) << c;
    }
}

/// SVIEW[0] is of floats, the others are of integers; all samplers have a white border. Returns OUT[0].x and OUT[1].x,
/// which a SAMPLE opcode reads beside the texture, as text.
std::string read_beside(const std::string& first, const std::string& second, const Inputs* given = nullptr) {
    Inputs in;
    in.lanes = 1;
    in.inputs[{0, 0}] = {{as_word(-0.5f), as_word(0.5f), 0, 0}};
    in.inputs[{0, 1}] = {{0, 0, 0, 0}};
    in.textures[0] = numbered(Target::T2D, 4, 4);
    in.textures[1] = numbered(Target::T2D, 4, 4, 1, 1, 1, "R32G32B32A32_SINT");
    in.textures[2] = numbered(Target::T2D, 4, 4, 1, 1, 1, "R8_UINT");
    for (uint32_t s = 0; s < 3; ++s) {
        for (Wrap& w : in.samplers[s].wrap) w = Wrap::ClampToBorder;
        in.samplers[s].border_color = kWhite;
    }
    if (given) in.views = given->views;
    const Result r = run(
        R"(VERT
DCL IN[0..1]
DCL SAMP[0..2]
DCL SVIEW[0], 2D, FLOAT
DCL SVIEW[1], 2D, SINT
DCL SVIEW[2], 2D, UINT
DCL OUT[0], GENERIC[0]
DCL OUT[1], GENERIC[1]
DCL ADDR[0]
UARL ADDR[0].x, IN[1]
)" + first + "\n" +
            second + "\nEND\n",
        in);
    const auto text = [&](int32_t reg) {
        const Value v = out(r, 0, 0, reg);
        return is_unknown(v) ? std::string("?") : fmt::format("{:x}", v.value);
    };
    return text(0) + " " + text(1);
}

TEST(TextureBorder, OneSamplerHasColoursOfOneType) {
    const auto sample = [](int out, const char* view, const char* sampler) {
        return fmt::format("SAMPLE_L OUT[{}], IN[0], SVIEW[{}], SAMP[{}], IN[1].xxxx", out, view, sampler);
    };
    EXPECT_EQ(read_beside(sample(0, "0", "0"), sample(1, "1", "1")), "3f800000 1");
    EXPECT_EQ(read_beside(sample(0, "1", "1"), sample(1, "2", "1")), "1 1") << "signed or not";
    // A border of floats means nothing to integers, in either order.
    EXPECT_EQ(read_beside(sample(0, "0", "1"), sample(1, "1", "1")), "3f800000 ?");
    EXPECT_EQ(read_beside(sample(0, "2", "0"), sample(1, "0", "0")), "? 3f800000");
    // An index may select any of them.
    EXPECT_EQ(read_beside(sample(0, "0", "ADDR[0].x"), sample(1, "1", "1")), "3f800000 ?");
    EXPECT_EQ(read_beside(sample(0, "1", "ADDR[0].x+1"), sample(1, "2", "2")), "1 1");
    EXPECT_EQ(read_beside(sample(0, "ADDR[0].x+1", "1"), sample(1, "2", "2")), "? 1");
    // Other opcodes with the same SAMP: a query reads no texel, TEX has a sampler of its own, a fetch has none.
    EXPECT_EQ(read_beside("LOD OUT[0].x, IN[0], SVIEW[0], SAMP[1]", sample(1, "1", "1")).back(), '1');
    EXPECT_EQ(read_beside("TXL OUT[0], IN[0], SAMP[1], 2D", sample(1, "0", "1")), "1 3f800000");
    EXPECT_EQ(read_beside("SAMPLE_I OUT[0], IN[1], SVIEW[0]", sample(1, "1", "1")), "0 1");
    // A view leads to another texture.
    Inputs views;
    views.views[0] = {2, {0, 1, 2, 3}};
    EXPECT_EQ(read_beside(sample(0, "0", "1"), sample(1, "1", "1"), &views), "1 1");
}

/// Inside the texture, the border means nothing.
TEST(TextureBorder, OnlyTheBorderIsUndefined) {
    Bench b = bordered("R32_UINT", {0.5f, 0, 0, 0});
    const auto r = b.run(Opcode::SAMPLE_L, Target::T2D, {floats(0.1f, 0.1f), {}, {}, floats(0)});
    EXPECT_TRUE(is_exact(r[0])) << show(r[0]);
    EXPECT_EQ(r[0].value, 5u);
}

}  // namespace
}  // namespace tgsi2spv::reference
