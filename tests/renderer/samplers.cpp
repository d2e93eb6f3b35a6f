// Samplers that Vulkan does not have.
#include "drawing.h"

namespace tgsi2spv::host {
namespace {

/// Of a black and a white texel, between transparent borders.
TEST_F(Draws, MirrorClampHasABorderOnOneSide) {
    constexpr uint32_t kTexture = 3, kFloat = 31;
    ASSERT_EQ(renderer_->create_resource({kTexture, 2, kFloat, kBindSamplerView, 2, 1, 1, 1, 0, 0}, nullptr),
              Outcome::Done);
    const std::array<float, 8> texels{0, 0, 0, 1, 1, 1, 1, 1};
    ASSERT_EQ(renderer_->write({kTexture, 0, 0, 0, {0, 0, 0, 2, 1, 1}}, std::as_bytes(std::span(texels))),
              Outcome::Done);
    const Buffer setup = scene() + object(O::SamplerView, {40, kTexture, kFloat, 0, 0, kXyzw}) +
                         command(Id::SetSamplerViews, {1, 0, 40});
    ASSERT_EQ(renderer_->submit(setup), Outcome::Done);
    uint32_t handle = 50;
    const auto read = [&](Wrap wrap, Filter filter, MipFilter mips, const char* x) {
        const auto f = static_cast<uint32_t>(filter);
        const uint32_t word = static_cast<uint32_t>(wrap) | static_cast<uint32_t>(Wrap::ClampToEdge) << 3 | f << 9 |
                              static_cast<uint32_t>(mips) << 11 | f << 13;
        const std::string text =
            std::string("FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nIMM[0] FLT32 {") + x +
            ", 0.5, 0, 0}\nTEX OUT[0], IMM[0], SAMP[0], 2D\nEND\n";
        EXPECT_EQ(renderer_->submit(object(O::SamplerState, {handle, word, 0, 0, 0, 0, 0, 0, 0}) +
                                    command(Id::BindSamplerStates, {1, 0, handle}) +
                                    shader(handle + 1, virgl::Stage::Frag, text) +
                                    command(Id::BindShader, {handle + 1, 1}) + triangle()),
                  Outcome::Done);
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

}  // namespace
}  // namespace tgsi2spv::host
