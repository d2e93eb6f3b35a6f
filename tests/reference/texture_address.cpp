// Addressing: targets, wrap modes, offsets, layers, projection. Nearest filter, level 0.
#include "reference/bench.h"
#include "reference/texture_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;
using tgsi::Target;

TEST(TextureAddress, EveryTargetFindsItsTexel) {
    const struct {
        Target target;
        Texture texture;
        Source source;
        float expected;
    } rows[] = {
        {Target::T1D, numbered(Target::T1D, 4), floats(0.6f), 2},
        {Target::T2D, numbered(Target::T2D, 4, 2), floats(0.6f, 0.7f), 12},
        {Target::T3D, numbered(Target::T3D, 4, 2, 2), floats(0.6f, 0.7f, 0.9f), 112},
        {Target::Rect, numbered(Target::Rect, 4, 2), floats(2.5f, 1.5f), 12},
        {Target::T1DArray, numbered(Target::T1DArray, 4, 1, 1, 3), floats(0.6f, 2), 202},
        {Target::T2DArray, numbered(Target::T2DArray, 4, 2, 1, 3), floats(0.6f, 0.7f, 1), 112},
    };
    for (const auto& row : rows) {
        Bench b;
        b.texture = row.texture;
        const auto r = b.run(Opcode::TEX, row.target, {row.source, {}});
        SCOPED_TRACE(tgsi::name(row.target));
        EXPECT_THAT(r[0], exactly(row.expected));
        EXPECT_THAT(r[1], exactly(row.expected + 0.25f));
        EXPECT_THAT(r[2], exactly(row.expected + 0.5f));
        EXPECT_THAT(r[3], exactly(row.expected + 0.75f));
    }
}

TEST(TextureAddress, WrapModes) {
    // The number of the texel of four along x, for coordinates left of, inside and right of the texture.
    const struct {
        Wrap wrap;
        float at[6];  ///< -1.1, -0.1, 0.3, 0.9, 1.1, 2.2
    } rows[] = {
        {Wrap::Repeat, {3, 3, 1, 3, 0, 0}},
        {Wrap::ClampToEdge, {0, 0, 1, 3, 3, 3}},
        {Wrap::ClampToBorder, {-5, -5, 1, 3, -5, -5}},
        {Wrap::MirrorRepeat, {3, 0, 1, 3, 3, 0}},
        {Wrap::MirrorClampToEdge, {3, 0, 1, 3, 3, 3}},
        {Wrap::MirrorClampToBorder, {-5, 0, 1, 3, -5, -5}},
    };
    const float places[6] = {-1.1f, -0.1f, 0.3f, 0.9f, 1.1f, 2.2f};
    Bench b;
    b.texture = numbered(Target::T1D, 4);
    b.sampler.border_color = {-5, -6, -7, -8};
    for (const auto& row : rows) {
        b.sampler.wrap[0] = row.wrap;
        for (int i = 0; i < 6; ++i) {
            SCOPED_TRACE(testing::Message() << static_cast<int>(row.wrap) << " at " << places[i]);
            EXPECT_THAT(b.run(Opcode::TEX, Target::T1D, {floats(places[i]), {}})[0], exactly(row.at[i]));
        }
    }
    // However far away the coordinate is, the edge is clamped to, as long as 32 bits can count the texels.
    b.sampler.wrap[0] = Wrap::ClampToEdge;
    EXPECT_THAT(b.run(Opcode::TEX, Target::T1D, {floats(5e8f), {}})[0], exactly(3));
    EXPECT_THAT(b.run(Opcode::TEX, Target::T1D, {floats(-5e8f), {}})[0], exactly(0));
    EXPECT_TRUE(is_unknown(b.run(Opcode::TEX, Target::T1D, {floats(6e8f), {}})[0]));
    EXPECT_TRUE(is_unknown(b.run(Opcode::TEX, Target::T1D, {floats(-3e38f), {}})[0]));
    b.sampler.wrap[0] = Wrap::Repeat;
    EXPECT_TRUE(is_unknown(b.run(Opcode::TEX, Target::T1D, {floats(1e30f), {}})[0]));
    EXPECT_TRUE(is_unknown(b.run(Opcode::TEX, Target::T1D, {floats(INFINITY), {}})[0]));
    for (Wrap w : {Wrap::Clamp, Wrap::MirrorClamp}) {
        b.sampler.wrap[0] = w;
        EXPECT_TRUE(is_unknown(b.run(Opcode::TEX, Target::T1D, {floats(0.3f), {}})[0]))
            << "Vulkan has no such mode without a filter";
    }
}

/// GL_CLAMP ends at the edge, where a linear filter takes half of the border; there is none at the mirror.
TEST(TextureAddress, ClampEndsHalfwayIntoTheBorder) {
    Bench b;
    b.texture = numbered(Target::T1D, 4);
    b.sampler.border_color = {-5, -6, -7, -8};
    b.sampler.min_filter = b.sampler.mag_filter = Filter::Linear;
    b.options.sub_texel_bits = 12;
    const struct {
        float place, clamp, mirror_clamp, mirror_clamp_to_border;
    } rows[] = {{-1.1f, -2.5f, -1, -4.2f}, {-0.5f, -2.5f, 1.5f, 1.5f}, {-0.03125f, -2.5f, 0, 0}, {0.0f, -2.5f, 0, 0},
                {0.0625f, -1.25f, 0, 0},   {0.375f, 1, 1, 1},          {1.0f, -1, -1, -1},       {2.2f, -1, -1, -5}};
    for (const auto& row : rows)
        for (const auto& [wrap, nominal] : {std::pair(Wrap::Clamp, row.clamp),
                                            {Wrap::MirrorClamp, row.mirror_clamp},
                                            {Wrap::MirrorClampToBorder, row.mirror_clamp_to_border}}) {
            b.sampler.wrap[0] = wrap;
            const Value v = b.run(Opcode::TEX, Target::T1D, {floats(row.place), {}})[0];
            EXPECT_FALSE(is_unknown(v)) << row.place;
            EXPECT_FLOAT_EQ(as_float(v.value), nominal) << row.place;
        }
}

TEST(TextureAddress, EdgesBetweenTexelsPermitBothTexels) {
    Bench b;
    b.texture = numbered(Target::T2D, 4, 4);
    EXPECT_THAT(b.run(Opcode::TEX, Target::T2D, {floats(0.5f, 0.1f), {}})[0], either(1, 2));
    EXPECT_THAT(b.run(Opcode::TEX, Target::T2D, {floats(0.5f + 0.01f, 0.1f), {}})[0], exactly(2));
    // One step of eight sub-texel bits, also at the far edge of the texture.
    EXPECT_THAT(b.run(Opcode::TEX, Target::T2D, {floats(0.5f - 0.0009f, 0.1f), {}})[0], either(1, 2));
    EXPECT_THAT(b.run(Opcode::TEX, Target::T2D, {floats(1.0f, 0.1f), {}})[0], either(0, 3));
    b.options.sub_texel_bits = 12;
    EXPECT_THAT(b.run(Opcode::TEX, Target::T2D, {floats(0.5f - 0.0009f, 0.1f), {}})[0], exactly(1));
    // For an unknown device, the minimum that Vulkan requires: a step of four bits.
    b.options = {};
    EXPECT_THAT(b.run(Opcode::TEX, Target::T2D, {floats(0.5f - 0.015f, 0.1f), {}})[0], either(1, 2));
    EXPECT_THAT(b.run(Opcode::TEX, Target::T2D, {floats(0.5f - 0.017f, 0.1f), {}})[0], exactly(1));
    // The nominal answer is floor(u * width).
    EXPECT_EQ(b.run(Opcode::TEX, Target::T2D, {floats(0.5f, 0.1f), {}})[0].value, as_word(2.0f));
    const auto corner = set_of(b.run(Opcode::TEX, Target::T2D, {floats(0.5f, 0.5f), {}})[0]);
    EXPECT_EQ(corner, (std::vector<float>{11, 12, 21, 22}));
}

TEST(TextureAddress, BordersWithASwizzle) {
    using Swizzle = std::array<uint8_t, 4>;
    constexpr Swizzle kSame{0, 1, 2, 3}, kTurned{2, 1, 0, 3}, kConstants{5, 1, 4, 3};
    Bench b;
    b.texture = numbered(Target::T2D, 4, 4);
    b.sampler.wrap[0] = Wrap::ClampToBorder;
    const auto at = [&](float s, const Swizzle& swizzle, std::array<float, 4> border, bool from_image) {
        b.swizzle = swizzle;
        b.sampler.border_color = border;
        b.options.border_swizzle_from_image = from_image;
        return b.run(Opcode::SAMPLE_L, Target::T2D, {floats(s, 0.1f), {}, {}, floats(0)});
    };
    const auto beside = [&](const Swizzle& swizzle, std::array<float, 4> border, bool from_image = false) {
        return at(-0.5f, swizzle, border, from_image);
    };
    constexpr std::array<float, 4> kOpaqueBlack{0, 0, 0, 1}, kCustom{1, 2, 3, 4}, kWhite{1, 1, 1, 1}, kNone{0, 0, 0, 0};
    for (const auto& border : {kOpaqueBlack, kCustom}) {
        EXPECT_THAT(beside(kSame, border)[2], exactly(border[2]));
        EXPECT_THAT(beside(kTurned, border, true)[0], exactly(border[2]));
        EXPECT_THAT(beside(kConstants, border, true)[0], exactly(1));
        for (const Swizzle& swizzle : {kTurned, kConstants})
            for (const Value& v : beside(swizzle, border)) EXPECT_TRUE(is_unknown(v)) << show(v);
        // Inside the texture there is no border; a component that the swizzle sets to one reads one.
        EXPECT_THAT(at(0.3f, kTurned, border, false)[0], exactly(1.5));
        EXPECT_THAT(at(0.3f, kConstants, border, false)[0], exactly(1));
    }
    // Borders that Vulkan does not name are swizzled.
    EXPECT_THAT(beside(kTurned, kWhite)[0], exactly(1));
    EXPECT_THAT(beside(kConstants, kNone)[0], exactly(1));
    EXPECT_THAT(beside(kConstants, kNone)[3], exactly(0));
    // A gather past the edge, of a component that the swizzle makes constant.
    const auto gathered = [&](const std::array<float, 4>& border) {
        b.swizzle = kConstants;
        b.sampler.border_color = border;
        b.options.border_swizzle_from_image = false;
        return b.run(Opcode::TG4, Target::T2D, {floats(0.0f, 0.5f), words(0), {}});
    };
    EXPECT_TRUE(is_unknown(gathered(kOpaqueBlack)[0]));
    EXPECT_THAT(gathered(kOpaqueBlack)[1], exactly(1));
    EXPECT_THAT(gathered(kWhite)[0], exactly(1));
}

TEST(TextureAddress, CustomBordersAreRoundedByAUnitAtMost) {
    Bench b;
    b.sampler.wrap[0] = Wrap::ClampToBorder;
    const auto red = [&](std::string_view format, std::array<float, 4> border) {
        b.texture = numbered(Target::T2D, 4, 4, 1, 1, 1, format);
        b.sampler.border_color = border;
        return b.run(Opcode::TEX_LZ, Target::T2D, {floats(-0.5f, 0.1f), {}})[0];
    };
    const auto permitted = [](const Value& v, double x) { return permits(v, as_word(static_cast<float>(x))); };
    // 0.31 is 79.05 of 255 and 39.37 of 127; between 2^-2 and 2^-1 a half has steps of 2^-12.
    const Value unorm = red("R8G8B8A8_UNORM", {0.31f, 0, 0, 0}), snorm = red("R8G8B8A8_SNORM", {-0.31f, 0, 0, 0});
    EXPECT_TRUE(permitted(unorm, 78.1 / 255) && permitted(unorm, 80 / 255.0)) << show(unorm);
    EXPECT_FALSE(permitted(unorm, 78 / 255.0) || permitted(unorm, 80.1 / 255)) << show(unorm);
    EXPECT_TRUE(permitted(snorm, -39 / 127.0) && permitted(snorm, -40 / 127.0)) << show(snorm);
    EXPECT_FALSE(permitted(snorm, -38 / 127.0) || permitted(snorm, -41 / 127.0)) << show(snorm);
    const Value half = red("R16_FLOAT", {0.31f, 0, 0, 0});
    EXPECT_TRUE(permitted(half, 0.31 - 0x1.fp-13) && permitted(half, 0.31 + 0x1.fp-13)) << show(half);
    EXPECT_FALSE(permitted(half, 0.31 - 0x1.1p-12) || permitted(half, 0.31 + 0x1.1p-12)) << show(half);
    // A colour that the format can hold is exact, and so are Vulkan's own colours; one that it cannot hold is
    // undefined.
    EXPECT_THAT(red("R16_FLOAT", {0.375f, 0, 0, 0}), exactly(0.375));
    EXPECT_THAT(red("R8_UNORM", {1, 0, 0, 0}), exactly(1));
    EXPECT_THAT(red("R32_FLOAT", {-7.3f, 0, 0, 0}), exactly(-7.3f));
    EXPECT_TRUE(is_unknown(red("R8G8B8A8_UNORM", {0.5f, 1.5f, 0, 0})));
    EXPECT_TRUE(is_unknown(red("R8_SNORM", {-2, 0, 0, 0})));
    EXPECT_TRUE(is_unknown(red("R16_FLOAT", {1e5f, 0, 0, 0})));
    EXPECT_TRUE(is_unknown(red("R11G11B10_FLOAT", {-1, 0, 0, 0})));
    EXPECT_THAT(red("R8_UNORM", {0, 2, 2, 2}), exactly(0)) << "only red is of the format";
}

TEST(TextureAddress, OffsetsComeBeforeWrapping) {
    auto with = [](Target target, int32_t x, int32_t y) {
        sampling::Made made = sampling::make(Opcode::TEX_LZ, target);
        made.immediate(static_cast<uint32_t>(x), static_cast<uint32_t>(y));
        made.offset(tgsi::File::Immediate, 0);
        return *made.message();
    };
    Bench b;
    b.texture = numbered(Target::T2D, 4, 4);
    auto run = [&](const sampling::Message& m, Source s) { return b.run(m, {Bench::lane(m, {s})})[0][0]; };
    EXPECT_THAT(run(with(Target::T2D, 1, -1), floats(0.1f, 0.4f)), exactly(1));
    EXPECT_THAT(run(with(Target::T2D, -1, 0), floats(0.1f, 0.1f)), exactly(3));
    b.sampler.wrap[0] = Wrap::ClampToEdge;
    EXPECT_THAT(run(with(Target::T2D, -1, 0), floats(0.1f, 0.1f)), exactly(0));
    b.texture = numbered(Target::Rect, 4, 4);
    EXPECT_THAT(run(with(Target::Rect, 1, 2), floats(1.5f, 0.5f)), exactly(22));
    // Offsets from registers may have any value.
    sampling::Made made = sampling::make(Opcode::TEX_LZ, Target::T2D);
    made.offset(tgsi::File::Temp, 0);
    const sampling::Message m = *made.message();
    b.texture = numbered(Target::T2D, 4, 4);
    b.sampler.wrap[0] = Wrap::Repeat;
    EXPECT_THAT(b.run(m, {Bench::lane(m, {floats(0.1f, 0.1f)}, {{6, 1, 0}})})[0][0], exactly(12));
}

TEST(TextureAddress, LayersRoundToEvenOrUp) {
    Bench b;
    b.texture = numbered(Target::T1DArray, 4, 1, 1, 4);
    auto layer = [&](float l) { return b.run(Opcode::TEX, Target::T1DArray, {floats(0.1f, l), {}})[0]; };
    EXPECT_THAT(layer(1.4f), exactly(100));
    EXPECT_THAT(layer(0.5f), either(0, 100));
    EXPECT_EQ(layer(0.5f).value, as_word(0.0f));
    EXPECT_THAT(layer(1.5f), exactly(200));
    EXPECT_THAT(layer(-7), exactly(0));
    EXPECT_THAT(layer(99), exactly(300));
    EXPECT_TRUE(is_unknown(layer(NAN)));
    // As a 32-bit integer this is the last layer; beyond that, the result depends on the device.
    EXPECT_THAT(layer(0x1.fffffep30f), exactly(300));
    EXPECT_TRUE(is_unknown(layer(0x1p31f)));
}

TEST(TextureAddress, ProjectionDividesCoordinatesAndReferenceOnly) {
    Bench b;
    b.texture = numbered(Target::T2D, 4, 4);
    EXPECT_THAT(b.run(Opcode::TXP, Target::T2D, {floats(1.2f, 1.4f, 0, 2), {}})[0], exactly(22));
    EXPECT_TRUE(is_unknown(b.run(Opcode::TXP, Target::T2D, {floats(1, 1, 0, 0), {}})[0]));
    // A divisor that is a denormal or above 2^126 promises nothing; a denormal numerator may count as zero.
    EXPECT_TRUE(is_unknown(b.run(Opcode::TXP, Target::T2D, {floats(1e-39f, 1e-39f, 0, 1e-39f), {}})[0]));
    EXPECT_TRUE(is_unknown(b.run(Opcode::TXP, Target::T2D, {floats(1, 1, 0, -0x1p127f), {}})[0]));
    EXPECT_THAT(b.run(Opcode::TXP, Target::T2D, {floats(0x1.333334p-120f, 0x1.666666p-120f, 0, 0x1p-119f), {}})[0],
                exactly(22));
    EXPECT_FALSE(is_exact(b.run(Opcode::TXP, Target::T2D, {floats(0x1.8p-127f, 0x1.8p-127f, 0, 0x1p-126f), {}})[0]));
    b.texture = numbered(Target::T1DArray, 4, 1, 1, 4);
    EXPECT_THAT(b.run(Opcode::TXP, Target::T1DArray, {floats(1.2f, 3, 0, 2), {}})[0], exactly(302));
    b.texture = numbered(Target::Rect, 8, 8);
    EXPECT_THAT(b.run(Opcode::TXP, Target::Rect, {floats(5, 3, 0, 2), {}})[0], exactly(12));
}

TEST(TextureAddress, ViewsSwizzleFormatsFillUnboundIsUnknown) {
    Bench b;
    b.texture = numbered(Target::T1D, 4);
    b.swizzle = {2, 5, 4, 0};
    auto r = b.run(Opcode::TEX, Target::T1D, {floats(0.4f), {}});
    EXPECT_THAT(r[0], exactly(1.5f));
    EXPECT_THAT(r[1], exactly(1));
    EXPECT_THAT(r[2], exactly(0));
    EXPECT_THAT(r[3], exactly(1));
    b.swizzle = {0, 1, 2, 3};
    b.texture = numbered(Target::T1D, 4, 1, 1, 1, 1, "R32G32_FLOAT");
    r = b.run(Opcode::TEX, Target::T1D, {floats(0.4f), {}});
    EXPECT_THAT(r[1], exactly(1.25f));
    EXPECT_THAT(r[2], exactly(0));
    EXPECT_THAT(r[3], exactly(1));
    // A depth format read without comparison: (d, 0, 0, 1).
    b.texture = numbered(Target::T1D, 4, 1, 1, 1, 1, "Z32_FLOAT");
    r = b.run(Opcode::TEX, Target::T1D, {floats(0.4f), {}});
    EXPECT_THAT(r[0], exactly(1));
    EXPECT_THAT(r[1], exactly(0));
    EXPECT_THAT(r[3], exactly(1));
    // The swizzle of the SVIEW operand applies last.
    sampling::Made made = sampling::make(Opcode::SAMPLE, Target::T1D, tgsi::Stage::Vertex);
    made.src(1).swizzle = 0x1b;
    b.texture = numbered(Target::T1D, 4);
    b.swizzle = {1, 1, 1, 3};
    const sampling::Message m = *made.message();
    r = b.run(m, {Bench::lane(m, {floats(0.4f), {}, {}})})[0];
    EXPECT_THAT(r[0], exactly(1.75f));
    EXPECT_THAT(r[3], exactly(1.25f));
    std::vector<TextureLane> unbound{Bench::lane(m, {floats(0.4f), {}, {}})};
    std::vector<std::array<Value, 4>> out(1);
    execute(m, unbound, b.options, out);
    EXPECT_TRUE(is_unknown(out[0][0]));
}

/// Offsets are integers: `-` is two's complement (semantics: Text).
TEST(TextureAddress, OffsetsInRegistersHaveModifiers) {
    Inputs in;
    in.lanes = 1;
    in.constants[0] = {1, 1, 0, 0, 1, ~0u, 0, 0};
    in.textures[0] = numbered(Target::T2D, 4, 4);
    const auto fetch = [&](const char* offset) {
        const Value v = out(run(std::string(R"(VERT
DCL OUT[0], GENERIC[0]
DCL SAMP[0]
DCL CONST[0..1]
TXF OUT[0], CONST[0], SAMP[0], 2D, )") +
                                    offset + "\nEND\n",
                                in),
                            0);
        EXPECT_TRUE(is_exact(v)) << offset;
        return as_float(v.value);
    };
    // The texel (x, y) is 10 y + x.
    EXPECT_EQ(2, fetch("CONST[1].xyz"));
    EXPECT_EQ(20, fetch("-CONST[1].xyz"));
    EXPECT_EQ(22, fetch("|CONST[1].xyz|"));
    EXPECT_EQ(0, fetch("-|CONST[1].xyz|"));
}

}  // namespace
}  // namespace tgsi2spv::reference
