// Linear filters, comparison, gathers.
#include "reference/texture_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/texture_bench.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;
using tgsi::Target;

Bench linear(Texture t) {
    Bench b;
    b.texture = std::move(t);
    b.sampler.min_filter = b.sampler.mag_filter = Filter::Linear;
    return b;
}

TEST(TextureFilter, LinearWeightsTheNeighbours) {
    Bench b = linear(numbered(Target::T2D, 4, 4));
    // Texel centres are at (i + 0.5) / 4: s = 0.5 is midway between 1 and 2, t = 0.3 is 0.7 of the way from 0 to 1. A
    // step of 1/256 changes the result by 10/256 along t; sixteen operations contribute 1.6e-4 of the largest texel.
    expect_about(b.run(Opcode::TEX, Target::T2D, {floats(0.5f, 0.3f), {}})[0], 1.5f + 7, 2 * (11.0f / 256) + 0.01f);
    b.texture = numbered(Target::T1D, 4);
    expect_about(b.run(Opcode::TEX, Target::T1D, {floats(0.4f), {}})[0], 1.1f, 2.21f / 256);
    // At a centre, the result is close to the texel, but may include some of either neighbour.
    expect_about(b.run(Opcode::TEX, Target::T1D, {floats(0.375f), {}})[0], 1, 2.21f / 256);
    // Across the edge, repeat mixes 3 and 0, clamp does not.
    expect_about(b.run(Opcode::TEX, Target::T1D, {floats(0.0f), {}})[0], 1.5f, 6.3f / 256);
    b.sampler.wrap[0] = Wrap::ClampToEdge;
    EXPECT_NEAR(as_float(b.run(Opcode::TEX, Target::T1D, {floats(0.0f), {}})[0].hi), 0, 1e-3);
    b.sampler.wrap[0] = Wrap::ClampToBorder;
    b.sampler.border_color = {8, 8, 8, 8};
    expect_about(b.run(Opcode::TEX, Target::T1D, {floats(0.0f), {}})[0], 4, 16.8f / 256);
    b.texture = numbered(Target::T3D, 4, 4, 4);
    expect_about(b.run(Opcode::TEX, Target::T3D, {floats(0.5f, 0.5f, 0.5f), {}})[0], 166.5f, 0.96f);
    // A more precise device has narrower bounds.
    b.texture = numbered(Target::T1D, 4);
    b.options.sub_texel_bits = 16;
    expect_about(b.run(Opcode::TEX, Target::T1D, {floats(0.4f), {}})[0], 1.1f, 2e-3f);
}

TEST(TextureFilter, AnOperationIsRightToOnePartIn100000) {
    // Reading 64 / 255: one division.
    const Value quarter = stored(tgsi::format_info(*tgsi::format_from_name("R8_UNORM")), 0, as_word(64 / 255.0f));
    for (double sign : {-1.0, 1.0}) {
        EXPECT_TRUE(permits(quarter, as_word(static_cast<float>(64 / 255.0 * (1 + sign * 0.9e-5)))));
        EXPECT_FALSE(permits(quarter, as_word(static_cast<float>(64 / 255.0 * (1 + sign * 1.4e-5)))));
    }
    // Filters texels 1 and 2 at 1.25, correct to a step of 2^-8 and sixteen operations on the larger texel, after three
    // operations on the coordinate.
    Bench b = linear(numbered(Target::T1D, 4));
    const Value v = b.run(Opcode::TEX, Target::T1D, {floats(1.75f / 4), {}})[0];
    const double inside = 1 / 256.0 + 2 * 16e-5, outside = inside + 3e-5 * 2.75 + 1e-5;
    for (double sign : {-1.0, 1.0}) {
        EXPECT_TRUE(permits(v, as_word(static_cast<float>(1.25 + sign * inside)))) << show(v);
        EXPECT_FALSE(permits(v, as_word(static_cast<float>(1.25 + sign * outside)))) << show(v);
    }
    // An unfiltered texel is exact.
    b.sampler.min_filter = b.sampler.mag_filter = Filter::Nearest;
    EXPECT_THAT(b.run(Opcode::TEX, Target::T1D, {floats(1.75f / 4), {}})[0], exactly(1));
}

TEST(TextureFilter, SmallProductsMayBeFlushed) {
    Bench b = linear(numbered(Target::T1D, 4));
    const auto three_quarters_of = [&](float texel) {
        b.texture.data[0].assign(16, 0);
        b.texture.data[0][4] = as_word(texel);
        return b.run(Opcode::TEX, Target::T1D, {floats(1.75f / 4), {}})[0];
    };
    EXPECT_TRUE(permits(three_quarters_of(1.25e-38f), 0));
    EXPECT_TRUE(permits(three_quarters_of(1.25e-38f), as_word(0.75f * 1.25e-38f)));
    EXPECT_FALSE(permits(three_quarters_of(1.25e-30f), 0));
}

TEST(TextureFilter, BothWeightsExactAndQuantisedAreInside) {
    Bench b = linear(numbered(Target::T1D, 4));
    for (int i = 0; i < 200; ++i) {
        const float s = 0.15f + 0.0035f * static_cast<float>(i);
        const Value v = b.run(Opcode::TEX, Target::T1D, {floats(s), {}})[0];
        const double x = s * 4.0 - 0.5, base = std::floor(x);
        for (double weight : {x - base, std::floor((x - base) * 256) / 256, std::nearbyint((x - base) * 256) / 256}) {
            const double exact_answer = base + weight;
            EXPECT_TRUE(permits(v, as_word(static_cast<float>(exact_answer)))) << s << " " << show(v);
        }
        EXPECT_FALSE(permits(v, as_word(static_cast<float>(x + 0.02)))) << s << " " << show(v);
        EXPECT_FALSE(permits(v, as_word(static_cast<float>(x - 0.02)))) << s << " " << show(v);
    }
}

TEST(TextureFilter, IntegersAndInfinitiesAreNotFiltered) {
    Bench b = linear(numbered(Target::T1D, 4, 1, 1, 1, 1, "R32_UINT"));
    EXPECT_TRUE(is_unknown(b.run(Opcode::TEX, Target::T1D, {floats(0.4f), {}})[0]));
    b.sampler.min_filter = b.sampler.mag_filter = Filter::Nearest;
    EXPECT_EQ(b.run(Opcode::TEX, Target::T1D, {floats(0.4f), {}})[0].words[0], 1u);
    EXPECT_EQ(b.run(Opcode::TEX, Target::T1D, {floats(0.4f), {}})[3].words[0], 1u);
    b = linear(numbered(Target::T1D, 4, 1, 1, 1, 1, "R32_FLOAT"));
    b.texture.data[0][1] = kInf;
    EXPECT_TRUE(is_unknown(b.run(Opcode::TEX, Target::T1D, {floats(0.4f), {}})[0]));
    EXPECT_EQ(b.run(Opcode::TEX, Target::T1D, {floats(0.75f), {}})[0].kind, Kind::Interval) << "not of the footprint";
}

// Vulkan, "Texel Filtering": (1 - d)·a + d·b of two levels also for d = 0, where "Floating-Point Computation" keeps
// the number but neither the sign of a zero nor, next to Inf and NaN, anything.
TEST(TextureFilter, ALevelBlendsWithOneThatHasNoWeight) {
    for (const Filter filter : {Filter::Nearest, Filter::Linear}) {
        Bench b = linear(numbered(Target::T1D, 2, 1, 1, 1, 2, "R32_FLOAT"));
        b.sampler.min_filter = b.sampler.mag_filter = filter;
        b.sampler.mip_filter = MipFilter::Linear;
        const auto at = [&](float level) {
            return b.run(Opcode::TXL, Target::T1D, {floats(0.3f, 0, 0, level), {}})[0];
        };
        b.texture.data = {{kSign, kSign}, {kSign}};
        // Blends of two levels, and of the last one with itself.
        for (const float level : {0.0f, 0.5f, 1.0f, 5.0f})
            EXPECT_TRUE(permits(at(level), 0) && permits(at(level), kSign)) << level << " " << show(at(level));
        b.texture.data = {{as_word(2.0f), as_word(2.0f)}, {kInf}};
        for (const float level : {0.0f, 0.5f, 1.0f, 5.0f}) EXPECT_TRUE(is_unknown(at(level))) << show(at(level));
        b.texture.data = {{kInf, kInf}, {as_word(2.0f)}};
        EXPECT_TRUE(is_unknown(at(0)) && is_unknown(at(0.5f)));
        EXPECT_NEAR(as_float(at(1).value), 2, 1e-6) << "no level before the one that is read takes part";
        EXPECT_FALSE(is_unknown(at(1)));
        b.texture.data = {{as_word(2.0f), as_word(2.0f)}, {as_word(4.0f)}};
        EXPECT_FALSE(permits(at(0), kNan) || permits(at(0), as_word(2.01f))) << show(at(0));
    }
    // The interval of a level that is stored in steps ends in a whole one.
    Bench b;
    b.texture = numbered(Target::T1D, 4, 1, 1, 1, 3, "R32_FLOAT");
    b.sampler.mip_filter = MipFilter::Linear;
    b.texture.data[2] = {kNan};
    b.options.mipmap_bits = 4;
    const auto at = [&](float level) { return b.run(Opcode::TXL, Target::T1D, {floats(0.3f, 0, 0, level), {}})[0]; };
    EXPECT_TRUE(is_unknown(at(0.99f))) << "may be stored as 1, whose blend reads level 2";
    EXPECT_FALSE(is_unknown(at(0.9f)));
    // Without blends the texel keeps its bits.
    b.sampler.mip_filter = MipFilter::Nearest;
    b.texture.data[0] = {kSign, kSign, kSign, kSign};
    EXPECT_THAT(b.run(Opcode::TXL, Target::T1D, {floats(0.3f), {}})[0].words[0], kSign);
}

// A device may run a nearest filter beside a linear one through the linear one, whose other texels have the weight 0:
// that changes no number, but -0 + 0·x is +0.
TEST(TextureFilter, NearestBesideLinearMayLoseTheSignOfZero) {
    Bench b;
    b.texture = numbered(Target::T1D, 2, 1, 1, 1, 1, "R32_FLOAT");
    b.texture.data = {{kSign, kSign}};
    b.sampler.min_filter = Filter::Linear;
    const auto at = [&] { return b.run(Opcode::TXL, Target::T1D, {floats(0.3f), {}})[0]; };
    EXPECT_TRUE(permits(at(), 0) && permits(at(), kSign)) << show(at());
    b.texture.data = {{kSign, kInf}};
    EXPECT_TRUE(permits(at(), 0) && permits(at(), kSign)) << show(at());
    b.texture.data = {{0, 0}};
    EXPECT_THAT(at().words[0], 0u);
    EXPECT_TRUE(is_exact(at()));
    b.sampler.min_filter = Filter::Nearest;
    b.texture.data = {{kSign, kSign}};
    EXPECT_TRUE(is_exact(at()) && permits(at(), kSign)) << show(at());
}

TEST(TextureFilter, TexelsAreRoundedToTheFormat) {
    auto read = [](std::string_view format, float given, int c = 0) {
        const tgsi::FormatInfo& f = tgsi::format_info(*tgsi::format_from_name(format));
        return stored(f, c, as_word(given));
    };
    EXPECT_THAT(read("R8_UNORM", 0), exactly(0));
    EXPECT_THAT(read("R8_UNORM", 2), exactly(1));
    EXPECT_THAT(read("R8_UNORM", -1), exactly(0));
    EXPECT_THAT(read("R8_SNORM", -3), exactly(-1));
    const Value third = read("R8_UNORM", 0.3f);  // 76.5 is a tie: 76 or 77 of 255
    EXPECT_TRUE(permits(third, as_word(76 / 255.0f)));
    EXPECT_TRUE(permits(third, as_word(77 / 255.0f)));
    const Value quarter = read("R8_UNORM", 0.25f);  // 63.75 -> 64
    EXPECT_TRUE(permits(quarter, as_word(64 / 255.0f)));
    EXPECT_FALSE(permits(quarter, as_word(0.25f)));
    EXPECT_FALSE(permits(quarter, as_word(63 / 255.0f)));
    EXPECT_THAT(read("R16_FLOAT", 0.5f), exactly(0.5f));
    EXPECT_THAT(read("R16_FLOAT", 1.0001f), either(1, 1 + 1.0f / 1024));
    EXPECT_THAT(read("R11G11B10_FLOAT", -1), exactly(0));
    // It has no sign: an encoder drops that of -0, and a denormal that a device flushes becomes +0.
    EXPECT_TRUE(permits(read("R11G11B10_FLOAT", -0.0f), 0));
    EXPECT_FALSE(permits(read("R11G11B10_FLOAT", -0.0f), 0x8000'0000u));
    EXPECT_TRUE(permits(read("R11G11B10_FLOAT", 0x1p-16f), 0));
    EXPECT_FALSE(permits(read("R11G11B10_FLOAT", 0x1p-16f), 0x8000'0000u));
    EXPECT_THAT(read("R11G11B10_FLOAT", 1.5f, 2), exactly(1.5f));
    EXPECT_THAT(read("R8G8B8A8_SRGB", 0), exactly(0));
    EXPECT_THAT(read("R8G8B8A8_SRGB", 1), exactly(1));
    // 188 / 255 encodes 0.5029, with half a code's step on either side.
    const Value half = read("R8G8B8A8_SRGB", 188 / 255.0f);
    EXPECT_TRUE(permits(half, as_word(0.5029f))) << show(half);
    EXPECT_FALSE(permits(half, as_word(0.51f)));
    EXPECT_FALSE(permits(read("R8G8B8A8_SRGB", 188 / 255.0f, 3), as_word(0.5029f))) << "alpha is not encoded";
    EXPECT_TRUE(permits(read("R32_FLOAT", 1e-40f), 0)) << "a denormal may be flushed";
    EXPECT_TRUE(permits(read("R32_FLOAT", NAN), 0x7fc12345));
    EXPECT_TRUE(is_unknown(stored(tgsi::format_info(*tgsi::format_from_name("R8_UINT")), 0, 256)));
    EXPECT_TRUE(is_unknown(read("NONE", 1)));
}

TEST(TextureFilter, EveryComparison) {
    const struct {
        Compare compare;
        bool below, equal, above;  ///< results for a reference below, equal to and above the texel
    } rows[] = {
        {Compare::Never, false, false, false},  {Compare::Less, true, false, false},
        {Compare::Equal, false, true, false},   {Compare::LEqual, true, true, false},
        {Compare::Greater, false, false, true}, {Compare::NotEqual, true, false, true},
        {Compare::GEqual, false, true, true},   {Compare::Always, true, true, true},
    };
    Bench b;
    b.texture = numbered(Target::Shadow2D, 4, 4, 1, 1, 1, "Z32_FLOAT");
    for (const auto& row : rows) {
        b.sampler.compare = row.compare;
        SCOPED_TRACE(static_cast<int>(row.compare));
        auto at = [&](float ref) { return b.run(Opcode::TEX, Target::Shadow2D, {floats(0.3f, 0.1f, ref), {}}); };
        EXPECT_THAT(at(0.5f)[0], exactly(row.below));
        EXPECT_THAT(at(1)[1], exactly(row.equal));
        EXPECT_THAT(at(1.5f)[2], exactly(row.above));
        EXPECT_THAT(at(1)[3], exactly(1));  // semantics: w = 1
    }
    // Vulkan: a comparison returns the first channel of the view, here of (0, result, 0, 0).
    b.sampler.compare = Compare::Always;
    b.swizzle = {4, 0, 1, 2};
    const auto swizzled = b.run(Opcode::TEX, Target::Shadow2D, {floats(0.3f, 0.1f, 0.5f), {}});
    for (size_t c = 0; c < 3; ++c) EXPECT_TRUE(permits(swizzled[c], 0) && permits(swizzled[c], kOne)) << c;
    EXPECT_TRUE(permits(swizzled[3], kOne));
    b.swizzle = {0, 1, 2, 3};
    b.sampler.compare = Compare::None;
    EXPECT_TRUE(is_unknown(b.run(Opcode::TEX, Target::Shadow2D, {floats(0.3f, 0.1f, 0.5f), {}})[0]));
}

TEST(TextureFilter, ReferencesStandWhereTheTargetSays) {
    const struct {
        Opcode op;
        Target target;
        Texture texture;
        Source first, second;
    } rows[] = {
        {Opcode::TEX, Target::Shadow1D, numbered(Target::Shadow1D, 4, 1, 1, 1, 1, "Z32_FLOAT"), floats(0.4f, 9, 2), {}},
        {Opcode::TXP,
         Target::Shadow1D,
         numbered(Target::Shadow1D, 4, 1, 1, 1, 1, "Z32_FLOAT"),
         floats(1.6f, 9, 8, 4),
         {}},
        {Opcode::TEX,
         Target::ShadowRect,
         numbered(Target::ShadowRect, 4, 4, 1, 1, 1, "Z32_FLOAT"),
         floats(1.5f, 0.5f, 2),
         {}},
        {Opcode::TEX,
         Target::Shadow1DArray,
         numbered(Target::Shadow1DArray, 4, 1, 1, 2, 1, "Z32_FLOAT"),
         floats(0.4f, 1, 102),
         {}},
        {Opcode::TEX,
         Target::Shadow2DArray,
         numbered(Target::Shadow2DArray, 4, 4, 1, 2, 1, "Z32_FLOAT"),
         floats(0.4f, 0.1f, 1, 102),
         {}},
        {Opcode::TEX,
         Target::ShadowCube,
         numbered(Target::ShadowCube, 4, 4, 1, 6, 1, "Z32_FLOAT"),
         floats(0.1f, 0.1f, 1, 413),
         {}},
        {Opcode::TEX2, Target::ShadowCubeArray, numbered(Target::ShadowCubeArray, 4, 4, 1, 12, 1, "Z32_FLOAT"),
         floats(0.1f, 0.1f, 1, 1), floats(1013, 0)},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(tgsi::name(row.target));
        Bench b;
        b.texture = row.texture;
        // The texel is one less than the reference; with any other component as the reference, the results would
        // differ.
        b.sampler.compare = Compare::Greater;
        EXPECT_THAT(b.run(row.op, row.target, {row.first, row.second, {}})[0], exactly(1));
        b.sampler.compare = Compare::LEqual;
        EXPECT_THAT(b.run(row.op, row.target, {row.first, row.second, {}})[0], exactly(0));
        for (std::vector<uint32_t>& level : b.texture.data)
            for (uint32_t& w : level) w = as_word(as_float(w) + 2);
        EXPECT_THAT(b.run(row.op, row.target, {row.first, row.second, {}})[0], exactly(1));
    }
}

TEST(TextureFilter, NormalisedDepthLimitsTheReference) {
    Bench b;
    b.texture = numbered(Target::Shadow1D, 4, 1, 1, 1, 1, "Z16_UNORM");
    b.texture.data[0] = {as_word(0.0f), as_word(0.25f), as_word(1.0f), as_word(1.0f)};
    b.sampler.compare = Compare::LEqual;
    EXPECT_THAT(b.run(Opcode::TEX, Target::Shadow1D, {floats(0.6f, 0, 7), {}})[0], exactly(1));
    b.sampler.compare = Compare::Less;
    EXPECT_THAT(b.run(Opcode::TEX, Target::Shadow1D, {floats(0.4f, 0, 0.2499f), {}})[0], exactly(1));
    EXPECT_THAT(b.run(Opcode::TEX, Target::Shadow1D, {floats(0.4f, 0, 0.25f), {}})[0], either(0, 1));
    b.texture.format = *tgsi::format_from_name("Z32_FLOAT");
    b.sampler.compare = Compare::LEqual;
    EXPECT_THAT(b.run(Opcode::TEX, Target::Shadow1D, {floats(0.6f, 0, 7), {}})[0], exactly(0));
}

TEST(TextureFilter, LinearComparisonIsSureWhereAllTexelsAgree) {
    Bench b = linear(numbered(Target::Shadow1D, 4, 1, 1, 1, 1, "Z32_FLOAT"));
    b.sampler.compare = Compare::Greater;
    const Value mixed = b.run(Opcode::TEX, Target::Shadow1D, {floats(0.45f, 0, 1.5f), {}})[0];
    EXPECT_EQ(mixed.kind, Kind::Interval);
    EXPECT_TRUE(permits(mixed, 0) && permits(mixed, kOne)) << show(mixed);
    EXPECT_NEAR(as_float(mixed.value), 0.7f, 1e-6);
    const Value pass = b.run(Opcode::TEX, Target::Shadow1D, {floats(0.45f, 0, 2.5f), {}})[0];
    EXPECT_TRUE(permits(pass, kOne));
    EXPECT_FALSE(permits(pass, as_word(0.999f)));
    const Value fail = b.run(Opcode::TEX, Target::Shadow1D, {floats(0.45f, 0, 0.5f), {}})[0];
    EXPECT_TRUE(permits(fail, 0));
    EXPECT_FALSE(permits(fail, as_word(0.001f)));
}

TEST(TextureFilter, GatherOrderComponentOffsets) {
    sampling::Made made = sampling::make(Opcode::TG4, Target::T2D);
    sampling::Message m = *made.message();
    Bench b;
    b.texture = numbered(Target::T2D, 4, 4);
    auto run = [&](float s, float t, Source component = words(0), std::vector<std::array<int32_t, 3>> offsets = {}) {
        return b.run(m, {Bench::lane(m, {floats(s, t), component, {}}, offsets)})[0];
    };
    auto expect = [](const std::array<Value, 4>& r, float x, float y, float z, float w) {
        EXPECT_THAT(r[0], exactly(x));
        EXPECT_THAT(r[1], exactly(y));
        EXPECT_THAT(r[2], exactly(z));
        EXPECT_THAT(r[3], exactly(w));
    };
    // s = 0.5 + 0.05 is between columns 1 and 2, t = 0.3 between rows 0 and 1: (1,1) (2,1) (2,0) (1,0).
    expect(run(0.55f, 0.3f), 11, 12, 2, 1);
    expect(run(0.55f, 0.3f, words(3)), 11.75f, 12.75f, 2.75f, 1.75f);
    EXPECT_TRUE(is_unknown(run(0.55f, 0.3f, words(4))[0]));
    // Across the edge, the sampler's wrap mode applies.
    expect(run(0.05f, 0.3f), 13, 10, 0, 3);
    b.sampler.wrap[0] = Wrap::ClampToEdge;
    expect(run(0.05f, 0.3f), 10, 10, 0, 0);
    // On a centre, either footprint is permitted.
    EXPECT_THAT(run(0.375f, 0.3f)[3], either(0, 1));
    // `.comp` selects after the view's swizzle.
    b.swizzle = {3, 4, 5, 0};
    expect(run(0.55f, 0.3f), 11.75f, 12.75f, 2.75f, 1.75f);
    expect(run(0.55f, 0.3f, words(1)), 0, 0, 0, 0);
    expect(run(0.55f, 0.3f, words(2)), 1, 1, 1, 1);
    b.swizzle = {0, 1, 2, 3};
    // One offset moves the footprint; four offsets select (i0, j0) of four footprints.
    b.sampler.wrap[0] = Wrap::Repeat;
    m.offsets = sampling::Offsets::Aoffi;
    expect(run(0.55f, 0.3f, words(0), {{1, 2, 0}}), 32, 33, 23, 22);
    // An offset has six bits: 33 is −31, left of the edge.
    expect(run(0.55f, 0.3f, words(0), {{65, 2 - 64, 0}}), 32, 33, 23, 22);
    b.sampler.wrap[0] = Wrap::ClampToEdge;
    expect(run(0.55f, 0.3f, words(0), {{33, 0, 0}}), 10, 10, 0, 0);
    expect(run(0.55f, 0.3f, words(0), {{31, 0, 0}}), 13, 13, 3, 3);
    b.sampler.wrap[0] = Wrap::Repeat;
    m.offsets = sampling::Offsets::Ptp;
    expect(run(0.55f, 0.3f, words(0), {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 3, 0}}), 1, 2, 11, 30);
}

TEST(TextureFilter, GatherComparesAndSamplesRect) {
    Bench b;
    b.texture = numbered(Target::Shadow2DArray, 4, 4, 1, 2, 1, "Z32_FLOAT");
    b.sampler.compare = Compare::LEqual;
    const auto r = b.run(Opcode::TG4, Target::Shadow2DArray, {floats(0.55f, 0.3f, 1, 105), {}, {}});
    EXPECT_THAT(r[0], exactly(1));
    EXPECT_THAT(r[1], exactly(1));
    EXPECT_THAT(r[2], exactly(0));
    EXPECT_THAT(r[3], exactly(0));
    b.texture = numbered(Target::Rect, 4, 4);
    EXPECT_THAT(b.run(Opcode::TG4, Target::Rect, {floats(2.2f, 1.2f), words(0), {}})[3], exactly(1));
    // GATHER4: the view's swizzle applies before the sampler's component is selected.
    sampling::Made made = sampling::make(Opcode::GATHER4, Target::T2D);
    made.src(1).swizzle = 0x1b;
    made.src(2).swizzle = 0x55;
    b.texture = numbered(Target::T2D, 4, 4);
    const sampling::Message m = *made.message();
    // A comparing sampler of the SAMPLE family is only for comparisons.
    EXPECT_TRUE(is_unknown(b.run(m, {Bench::lane(m, {floats(0.55f, 0.3f), {}, {}})})[0][3]));
    b.sampler.compare = Compare::None;
    EXPECT_THAT(b.run(m, {Bench::lane(m, {floats(0.55f, 0.3f), {}, {}})})[0][3], exactly(1.5f));
}

}  // namespace
}  // namespace tgsi2spv::reference
