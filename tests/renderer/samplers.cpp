// Samplers that Vulkan does not have.
#include "drawing.h"

namespace tgsi2spv::host {
namespace {

/// Of a black and a white texel, between transparent borders.
TEST_F(Draws, MirrorClampHasABorderOnOneSide) {
    constexpr uint32_t kTexture = 3, kFloat = 31;
    create({kTexture, 2, kFloat, kBindSamplerView, 2, 1, 1, 1, 0, 0});
    const std::array<float, 8> texels{0, 0, 0, 1, 1, 1, 1, 1};
    write(kTexture, {0, 0, 0, 2, 1, 1}, texels);
    const Buffer setup = scene() + sample(40, kTexture, kFloat);
    run(setup);
    uint32_t handle = 50;
    const auto read = [&](Wrap wrap, Filter filter, MipFilter mips, const char* x) {
        const auto f = static_cast<uint32_t>(filter);
        const uint32_t word = static_cast<uint32_t>(wrap) | static_cast<uint32_t>(Wrap::ClampToEdge) << 3 | f << 9 |
                              static_cast<uint32_t>(mips) << 11 | f << 13;
        const std::string text =
            std::string("FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nIMM[0] FLT32 {") + x +
            ", 0.5, 0, 0}\nTEX OUT[0], IMM[0], SAMP[0], 2D\nEND\n";
        run(object(O::SamplerState, {handle, word, 0, 0, 0, 0, 0, 0, 0}) +
            command(Id::BindSamplerStates, {1, 0, handle}) + use(handle + 1, text) + triangle());
        handle += 2;
        return pixels()[0];
    };
    constexpr uint32_t kBlack = 0xff000000, kWhite = 0xffffffff, kHalf = 0x80808080;
    for (const MipFilter mips : {MipFilter::None, MipFilter::Linear})
        for (const Wrap wrap : {Wrap::MirrorClamp, Wrap::MirrorClampToBorder}) {
            EXPECT_EQ(read(wrap, Filter::Linear, mips, "0"), kBlack);
            EXPECT_EQ(read(wrap, Filter::Linear, mips, "-0.5"), 0xff808080);
            EXPECT_EQ(read(wrap, Filter::Linear, mips, "-0.75"), kWhite);
            EXPECT_EQ(read(wrap, Filter::Linear, mips, "-1"), kHalf);
            EXPECT_EQ(read(wrap, Filter::Linear, mips, "-2"), wrap == Wrap::MirrorClamp ? kHalf : 0);
            EXPECT_EQ(read(wrap, Filter::Nearest, mips, "-0.125"), kBlack);
            EXPECT_EQ(read(wrap, Filter::Nearest, mips, "-2"), wrap == Wrap::MirrorClamp ? kWhite : 0);
        }
}

TEST_F(Draws, ComparisonsFilterWhatTheDeviceDoesNot) {
    constexpr uint32_t kDepths = 3;
    const std::array<float, 2> depths{0.25F, 0.75F};
    // lavapipe compares with all filters, although it offers none for depths.
    const uint32_t less = 1u << 15 | 1u << 16, linear = 1u << 9 | 1u << 13, edge = 2;
    const auto state = [&](uint32_t handle, uint32_t compare) {
        const uint32_t word = compare | linear | edge | edge << 3 | edge << 6;
        return object(O::SamplerState, {handle, word, 0, 0, 0, 0, 0, 0, 0}) +
               command(Id::BindSamplerStates, {1, 0, handle});
    };
    create({kDepths, 2, 18, kBindSamplerView | kBindDepthStencil, 2, 1, 1, 1, 0, 0});
    write(kDepths, {0, 0, 0, 2, 1, 1}, depths);
    const char* text =
        "FRAG; DCL OUT[0], COLOR; DCL SAMP[0]; DCL SVIEW[0], SHADOW2D, FLOAT; IMM[0] FLT32 {0.5, 0.5, 0.5, 1}; "
        "TEX OUT[0], IMM[0], SAMP[0], SHADOW2D; END";
    run(scene() + use(21, text) + state(30, less) + sample(40, kDepths, 18) + triangle());
    EXPECT_EQ(pixels()[0] >> 16 & 0xff, 0x80u);
}

/// OpenGL leaves the values undefined. Mesa's drivers, and so programs, take the components as they are.
TEST_F(Draws, SignedSamplersOfUnsignedIntegers) {
    constexpr uint32_t kPacked = 10, kRgb10A2Uint = 253, kBytes = 11, kRgba8Uint = 180;
    create({kPacked, 2, kRgb10A2Uint, kBindSamplerView, 1, 1, 1, 1, 0, 0});
    write(kPacked, {0, 0, 0, 1, 1, 1}, std::array{196U | 962U << 10 | 780U << 20 | 2U << 30});
    create({kBytes, 2, kRgba8Uint, kBindSamplerView, 1, 1, 1, 1, 0, 0});
    write(kBytes, {0, 0, 0, 1, 1, 1}, std::array{0xff80'7f00U});
    for (const char* type : {"SINT", "UINT"}) {
        const std::string text = std::string("FRAG; DCL OUT[0], COLOR; DCL TEMP[0]; DCL SAMP[0]; DCL SVIEW[0], 2D, ") +
                                 type +
                                 "; IMM[0] UINT32 {0, 0, 0, 0}; IMM[1] FLT32 {0.000977517, 0.000977517, 0.000977517, "
                                 "0.333333}; TXF TEMP[0], IMM[0], SAMP[0], 2D; I2F TEMP[0], TEMP[0]; "
                                 "MUL OUT[0], TEMP[0], IMM[1]; END";
        run(scene() + use(type[0] == 'S' ? 21 : 22, text) + sample(type[0] == 'S' ? 41 : 42, kPacked, kRgb10A2Uint));
        EXPECT_EQ(first_pixel(triangle()), 0xaa31f0c2U) << type;
        run(sample(type[0] == 'S' ? 43 : 44, kBytes, kRgba8Uint));
        EXPECT_EQ(first_pixel(triangle()), 0xff002020U) << type << ": 127 and 128 of 1023 are 32 of 255";
    }
}

}  // namespace
}  // namespace tgsi2spv::host
