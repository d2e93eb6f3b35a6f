// Textures that a draw reads while it draws to them: what they hold before the draw.
#include "drawing.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kTexture = 20, kLoops = 21;

class SampledTargets : public Draws {
  protected:
    /// Draws twice to a level of a texture, with the first texel of another one and more.
    std::array<uint32_t, 2> drawn(const std::string& name, uint32_t to, uint32_t from) {
        restart_without({name});
        create({kTexture, 2, kBgra, kBindRenderTarget | kBindSamplerView, 2 * kSize, 2 * kSize, 1, 1, 1, 0});
        const std::string frag =
            "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0..1]\n"
            "IMM[0] FLT32 {0.2, 0, 0.4, 0}\nIMM[1] INT32 {0, 0, 0, 0}\n"
            "TXF TEMP[0], IMM[1], SAMP[0], 2D\nSAMPLE_I TEMP[1], IMM[1], SVIEW[0]\nMAX TEMP[0], TEMP[0], TEMP[1]\n"
            "ADD OUT[0], TEMP[0], IMM[0]\nEND\n";
        const Buffer bound = scene() + object(O::Surface, {kLoops, kTexture, kBgra, to, 0}) +
                             command(Id::SetFramebufferState, {1, 0, kLoops}) + clear(0, 1, 0, 1) +
                             object(O::SamplerView, {22, kTexture, kBgra, 0, from | from << 8, kXyzw}) +
                             command(Id::SetSamplerViews, {1, 0, 22}) + use(23, frag);
        run(bound + triangle() + triangle());
        std::array<uint32_t, 2> read{};
        for (uint32_t i = 0; i < 2; i++)
            EXPECT_EQ(renderer_->read({kTexture, to, 0, 0, {i * (kSize - 1), 0, 0, 1, 1, 1}},
                                      std::as_writable_bytes(std::span(&read[i], 1))),
                      Outcome::Done);
        return read;
    }
};

TEST_F(SampledTargets, AreThoseBeforeEachDraw) {
    // Render passes, for whose draws the layer knows the rules; it does not look at dynamic rendering.
    for (const char* const name : {"dynamicRendering", "wideLines"})
        for (const uint32_t level : {0U, 1U})
            EXPECT_THAT(drawn(name, level, level), testing::ElementsAre(0xff66ffccu, 0xff00ff00u)) << name << level;
}

TEST_F(SampledTargets, AnotherLevelIsNoTarget) {
    EXPECT_THAT(drawn("dynamicRendering", 1, 0), testing::ElementsAre(0x00330066u, 0xff00ff00u));
}

}  // namespace
}  // namespace tgsi2spv::host
