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

/// Slices and layers beside the target: of a 3D texture and of an array.
TEST_F(SampledTargets, StoresBesideATargetStay) {
    constexpr uint32_t k3D = 3, kArray = 7, kRgba = 67;
    for (const uint32_t kind : {k3D, kArray}) {
        const bool volume = kind == k3D;
        restart_without({"dynamicRendering"});
        ASSERT_EQ(renderer_->create_resource({kTexture, kind, kRgba, kBindRenderTarget | kBindShaderBuffer, kSize,
                                              kSize, volume ? 3u : 1u, volume ? 1u : 3u, 0, 0},
                                             nullptr),
                  Outcome::Done);
        const std::string target = volume ? "3D" : "2D_ARRAY";
        const std::string frag = "FRAG\nDCL OUT[0], COLOR\nDCL IMAGE[0], " + target +
                                 ", PIPE_FORMAT_R8G8B8A8_UNORM, WR\nDCL TEMP[0]\nIMM[0] INT32 {0, 1, 2, 0}\n"
                                 "IMM[1] FLT32 {1, 0, 1, 1}\nMOV OUT[0], IMM[1].xxxx\n"
                                 "STORE IMAGE[0], IMM[0].xxyx, IMM[1], " +
                                 target + ", PIPE_FORMAT_R8G8B8A8_UNORM\nSTORE IMAGE[0], IMM[0].xxzx, IMM[1], " +
                                 target + ", PIPE_FORMAT_R8G8B8A8_UNORM\nEND\n";
        const Buffer bound = scene() + object(O::Surface, {kLoops, kTexture, kRgba, 0, 1 | 1 << 16}) +
                             command(Id::SetFramebufferState, {1, 0, kLoops}) +
                             command(Id::SetShaderImages, {1, 0, kRgba, 2, 2 << 16, 0, kTexture}) + use(23, frag);
        EXPECT_EQ(renderer_->submit(bound + triangle()), Outcome::Done);
        std::array<uint32_t, 3> slices{};
        for (uint32_t z = 0; z < 3; z++)
            EXPECT_EQ(renderer_->read({kTexture, 0, 0, 0, {0, 0, z, 1, 1, 1}},
                                      std::as_writable_bytes(std::span(&slices[z], 1))),
                      Outcome::Done);
        EXPECT_THAT(slices, testing::ElementsAre(0u, 0xffffffffu, 0xffff00ffu)) << target;
    }
}

}  // namespace
}  // namespace tgsi2spv::host
