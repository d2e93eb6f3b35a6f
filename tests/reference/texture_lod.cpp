// Levels: explicit, implicit, gradients, bias, limits, and level queries.
#include "reference/texture_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;
using tgsi::Target;

/// A 16 × 16 texture with all levels; the texels of level m hold 1000 m plus their position.
Bench pyramid(MipFilter mip = MipFilter::Nearest) {
    Bench b;
    b.texture = numbered(Target::T2D, 16, 16, 1, 1, 5);
    b.sampler.mip_filter = mip;
    return b;
}

TEST(TextureLod, ExplicitLevelsRoundAndClamp) {
    Bench b = pyramid();
    auto level = [&](float lod) { return b.run(Opcode::TXL, Target::T2D, {floats(0.01f, 0.01f, 0, lod), {}})[0]; };
    EXPECT_THAT(level(0), exactly(0));
    EXPECT_THAT(level(1), exactly(1000));
    EXPECT_THAT(level(1.4f), exactly(1000));
    EXPECT_THAT(level(1.5f), either(1000, 2000));
    EXPECT_EQ(level(1.5f).value, as_word(1000.0f)) << "ceil(d + 0.5) - 1";
    // With four bits for the level, 1.46 may count as 1.4375 or as 1.5.
    EXPECT_THAT(level(1.46f), either(1000, 2000));
    EXPECT_THAT(level(1.6f), exactly(2000));
    EXPECT_THAT(level(-3), exactly(0));
    EXPECT_THAT(level(77), exactly(4000));
    EXPECT_TRUE(is_unknown(level(NAN)));
    b.sampler.min_lod = 2;
    EXPECT_THAT(level(0), exactly(2000));
    b.sampler.max_lod = 3;
    EXPECT_THAT(level(9), exactly(3000));
    b.sampler.lod_bias = 1;
    EXPECT_THAT(level(1.75f), exactly(3000));
    b.sampler.mip_filter = MipFilter::None;
    EXPECT_THAT(level(3), exactly(0)) << "without levels the base is read";
    b.sampler = {};
    EXPECT_THAT(b.run(Opcode::TEX_LZ, Target::T2D, {floats(0.01f, 0.01f), {}})[0], exactly(0));
}

TEST(TextureLod, BetweenLevelsColoursBlend) {
    Bench b = pyramid(MipFilter::Linear);
    auto level = [&](float lod) { return b.run(Opcode::TXL, Target::T2D, {floats(0.01f, 0.01f, 0, lod), {}})[0]; };
    EXPECT_THAT(level(2), exactly(2000));
    expect_about(level(1.25f), 1250, 1);
    expect_about(level(1.3f), 1300, 1000 / 16.0f + 1);  // between two steps of four bits
    EXPECT_THAT(level(-1), exactly(0));
    b.options.mipmap_bits = 8;
    expect_about(level(1.3f), 1300, 1000 / 256.0f + 1);
}

TEST(TextureLod, LimitsOfTheLevelAreHeldInStepsToo) {
    Bench b = pyramid(MipFilter::Linear);
    const auto level = [&](float lod) {
        return b.run(Opcode::TXL, Target::T2D, {floats(0.01f, 0.01f, 0, lod), {}})[0];
    };
    // With four bits, 1.3 is between 1.25 and 1.3125, and 2.6 between 2.5625 and 2.625.
    b.sampler.min_lod = 1.3f;
    b.sampler.max_lod = 2.6f;
    for (const auto& [lod, low, high] : {std::array{0.0f, 1250.0f, 1312.5f}, std::array{4.0f, 2562.5f, 2625.0f}}) {
        EXPECT_TRUE(permits(level(lod), as_word(low))) << show(level(lod));
        EXPECT_TRUE(permits(level(lod), as_word(high))) << show(level(lod));
        EXPECT_FALSE(permits(level(lod), as_word(low - 2))) << show(level(lod));
        EXPECT_FALSE(permits(level(lod), as_word(high + 2))) << show(level(lod));
    }
    // A limit that is a whole number of steps is exact, and levels within the limits do not change.
    b.sampler.min_lod = 1.25f;
    expect_about(level(0), 1250, 1);
    expect_about(level(1.5f), 1500, 1);
    b.sampler.mip_filter = MipFilter::Nearest;
    b.sampler.min_lod = 1.49f;
    EXPECT_THAT(level(0), either(1000, 2000)) << "1.4375 or 1.5, and there either";
}

TEST(TextureLod, TheSignOfTheLevelChoosesTheFilter) {
    Bench b;
    b.texture = numbered(Target::T1D, 4);
    b.sampler.mag_filter = Filter::Linear;
    b.sampler.min_filter = Filter::Nearest;
    auto at = [&](float lod) { return b.run(Opcode::TXL, Target::T1D, {floats(0.4f, 0, 0, lod), {}})[0]; };
    expect_about(at(0), 1.1f, 0.01f);
    expect_about(at(-2), 1.1f, 0.01f);
    expect_about(at(1), 1, 1e-3f);  // the texel, possibly after linear filtering with the weights 0 and 1
    // Within one step of four bits above zero, either filter may apply.
    const Value both = at(0.01f);
    EXPECT_TRUE(permits(both, as_word(1.0f)) && permits(both, as_word(1.1f))) << show(both);
}

/// Executes TEX in a quad of FRAG whose texture coordinates change by (dx, dy) texels of 16 in s and t.
std::array<Value, 4> quad(const Bench& b, Opcode op, float dsdx, float dtdx, float dsdy, float dtdy, Source extra = {},
                          int absent = -1) {
    sampling::Made made = sampling::make(op, Target::T2D);
    const sampling::Message m = *made.message();
    std::vector<TextureLane> lanes;
    for (int i = 0; i < 4; ++i) {
        const float x = static_cast<float>(i & 1), y = static_cast<float>(i >> 1);
        Source s = floats(0.02f + (dsdx * x + dsdy * y) / 16, 0.02f + (dtdx * x + dtdy * y) / 16);
        if (op == Opcode::TXB) s[3] = extra[0];
        lanes.push_back(Bench::lane(m, {s, extra, {}, {}}));
        if (i == absent) lanes.back().takes_part = false;
    }
    return b.run(m, lanes)[0];
}

TEST(TextureLod, ImplicitLevelsFromTheQuad) {
    Bench b = pyramid();
    // A length of 4 texels along one axis: between log2 4 = 2 and log2 (4 sqrt 2) = 2.5.
    Value v = quad(b, Opcode::TEX, 4, 0, 0, 1)[0];
    EXPECT_TRUE(permits(v, as_word(2000.0f))) << show(v);
    EXPECT_FALSE(permits(v, as_word(1000.0f))) << show(v);
    EXPECT_EQ(v.value, as_word(2000.0f));
    // A length of 1.3: between 0.38 and 0.88.
    v = quad(b, Opcode::TEX, 1.3f, 0, 0, 1)[0];
    EXPECT_THAT(v, either(0, 1000));
    // Along both axes: the length may be that of the longer axis, 3, up to sqrt(2) * 6, which gives levels 1.58 to
    // 3.09, correct to 1/16.
    v = quad(b, Opcode::TEX, 3, 3, 0, 0)[0];
    EXPECT_THAT(set_of(v), testing::ElementsAre(2000, 3000)) << show(v);
    EXPECT_THAT(quad(b, Opcode::TEX, 0, 0, 0, 0)[0], exactly(0)) << "a length of zero magnifies";
    // The instruction's bias and the sampler's bias.
    EXPECT_EQ(quad(b, Opcode::TXB, 4, 0, 0, 1, floats(1))[0].value, as_word(3000.0f));
    b.options.max_sampler_lod_bias = 16;
    EXPECT_THAT(quad(b, Opcode::TXB, 4, 0, 0, 1, floats(-6))[0], exactly(0));
    b.sampler.lod_bias = -4;
    EXPECT_THAT(quad(b, Opcode::TEX, 4, 0, 0, 1)[0], exactly(0));
}

TEST(TextureLod, BiasStaysWithinTheLimitOfTheDevice) {
    // A length of 2^-16 of a texel: level -16 to -15.5, plus the bias.
    Bench b = pyramid();
    const auto level = [&](float limit, float bias, float of_sampler = 0) {
        b.options.max_sampler_lod_bias = limit;
        b.sampler.lod_bias = of_sampler;
        const float little = std::ldexp(1.0f, -15);
        std::vector<TextureLane> lanes;
        const sampling::Message m = *sampling::make(Opcode::TXB, Target::T2D).message();
        for (int i = 0; i < 4; ++i)
            lanes.push_back(Bench::lane(m, {floats(0.02f + little / 32 * static_cast<float>(i & 1), 0.02f, 0, bias)}));
        return b.run(m, lanes)[0][0];
    };
    EXPECT_THAT(set_of(level(18, 17.9f)), testing::ElementsAre(0, 1000, 2000)) << "TGSI's 16, or 17.9";
    EXPECT_THAT(level(16, 17.9f), either(0, 1000)) << "-16 + 16 to -15.5 + 16, right to 1/16";
    EXPECT_THAT(level(15, 17.9f), exactly(0)) << "-15.5 + 15 magnifies";
    EXPECT_THAT(level(15, 1.9f, 16), exactly(0)) << "the sum is limited, not its parts alone";
    EXPECT_THAT(level(17, -1, 18), either(0, 1000)) << "at most 16: no sampler holds 18";
    // If the limit is not known, it may be 2 or larger.
    EXPECT_THAT(set_of(level(0, 17.9f)), testing::ElementsAre(0, 1000, 2000));
    EXPECT_THAT(set_of(level(0, 18.4f)), testing::ElementsAre(0, 1000, 2000, 3000));
    b = pyramid();
    EXPECT_THAT(quad(b, Opcode::TXB, 4, 0, 0, 1, floats(-1.9f))[0], either(0, 1000));
    EXPECT_THAT(quad(b, Opcode::TXB, 4, 0, 0, 1, floats(-3))[0], either(0, 1000)) << "-3 or -2";
    b.options.max_sampler_lod_bias = 3;
    EXPECT_THAT(quad(b, Opcode::TXB, 4, 0, 0, 1, floats(-3))[0], exactly(0));
}

TEST(TextureLod, ZeroScaleIsTheBaseLevelWithAnyBias) {
    Bench b = pyramid(MipFilter::Linear);
    EXPECT_THAT(quad(b, Opcode::TXB, 0, 0, 0, 0, floats(1))[0], exactly(0)) << "the level of 0 is minus infinity";
    b.sampler.lod_bias = 2;
    EXPECT_THAT(quad(b, Opcode::TEX, 0, 0, 0, 0)[0], exactly(0));
}

TEST(TextureLod, ImplicitLevelsNeedTheWholeQuad) {
    Bench b = pyramid();
    EXPECT_TRUE(is_unknown(quad(b, Opcode::TEX, 4, 0, 0, 1, {}, 3)[0]));
    b.sampler.max_anisotropy = 4;
    EXPECT_TRUE(is_unknown(quad(b, Opcode::TEX, 4, 0, 0, 1)[0]));
    // If the level has no effect, the results are known anyway.
    b.sampler = {};
    EXPECT_THAT(quad(b, Opcode::TEX, 4, 0, 0, 1, {}, 3)[0], exactly(0));
}

TEST(TextureLod, GradientsAreGivenInCoordinates) {
    Bench b = pyramid();
    auto txd = [&](Source ddx, Source ddy) {
        return b.run(Opcode::TXD, Target::T2D, {floats(0.01f, 0.01f), ddx, ddy, {}})[0];
    };
    EXPECT_EQ(txd(floats(0.25f), floats(0)).value, as_word(2000.0f));
    EXPECT_EQ(txd(floats(0), floats(0, 0.5f)).value, as_word(3000.0f));
    EXPECT_THAT(txd(floats(1 / 64.0f), floats(0)), exactly(0));
    EXPECT_TRUE(is_unknown(txd(floats(INFINITY), floats(0))));
    // For RECT, gradients are in texels.
    b.texture = numbered(Target::Rect, 16, 16);
    b.sampler.mag_filter = Filter::Linear;
    b.sampler.mip_filter = MipFilter::None;
    expect_about(b.run(Opcode::TXD, Target::Rect, {floats(1.2f, 1.5f), floats(4), floats(0), {}})[0], 11, 7e-3f);
    expect_about(b.run(Opcode::TXD, Target::Rect, {floats(1.2f, 1.5f), floats(0.25f), floats(0), {}})[0], 10.7f, 0.1f);
}

TEST(TextureLod, CubeGradientsScaleWithTheMajorAxis) {
    Bench b;
    b.texture = numbered(Target::Cube, 16, 16, 1, 6, 5);
    b.sampler.mip_filter = MipFilter::Nearest;
    auto at = [&](Source direction, Source ddx) {
        return b.run(Opcode::TXD, Target::Cube, {direction, ddx, floats(0), {}})[0];
    };
    auto level = [](const Value& v) { return static_cast<int>((as_float(v.value) - 400) / 1000); };
    // On +Z with z = 1, ds = dx / 2, so 0.25 spans 2 texels; with z = 0.5, it spans twice as many.
    EXPECT_EQ(level(at(floats(0.01f, 0.01f, 1), floats(0.25f))), 1);
    EXPECT_EQ(level(at(floats(0.005f, 0.005f, 0.5f), floats(0.25f))), 2);
    EXPECT_TRUE(is_unknown(at(floats(1, 0.2f, 1), floats(0.25f)))) << "an edge: two faces, two lengths";
}

TEST(TextureLod, QueriesGiveTheLevelReadAndTheLevelComputed) {
    Bench b = pyramid(MipFilter::Linear);
    auto r = quad(b, Opcode::LODQ, 64, 0, 0, 1);
    EXPECT_THAT(r[0], exactly(4));
    EXPECT_TRUE(permits(r[1], as_word(6.0f)) && permits(r[1], as_word(6.5f))) << show(r[1]);
    EXPECT_FALSE(permits(r[1], as_word(5.9f)) || permits(r[1], as_word(6.6f))) << show(r[1]);
    EXPECT_TRUE(is_unknown(r[2]));
    r = quad(b, Opcode::LODQ, 0.25f, 0, 0, 0);
    EXPECT_TRUE(permits(r[0], 0) && !permits(r[0], as_word(0.01f))) << show(r[0]);
    EXPECT_TRUE(permits(r[1], as_word(-2.0f))) << show(r[1]);
    b.sampler.min_lod = 1.5f;
    EXPECT_THAT(quad(b, Opcode::LODQ, 0.25f, 0, 0, 0)[0], exactly(1.5f));
    b.sampler.mip_filter = MipFilter::Nearest;
    EXPECT_THAT(quad(b, Opcode::LODQ, 0.25f, 0, 0, 0)[0], either(1, 2));
    // LOD of the SAMPLE family: z and w are 0 before the view operand's swizzle applies.
    r = quad(b, Opcode::LOD, 64, 0, 0, 1);
    EXPECT_THAT(r[2], exactly(0));
    EXPECT_THAT(r[3], exactly(0));
}

}  // namespace
}  // namespace tgsi2spv::reference
