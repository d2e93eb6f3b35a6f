// FRAG that fetches its targets (FBFETCH): what they hold before the draw.
#include "drawing.h"

namespace tgsi2spv::host {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr uint32_t kBgrx = 2, kAlpha8 = 10;
constexpr uint32_t kTex1d = 1, kTex2dArray = 7;

/// A FRAG with these instructions after a fetch of COLOR[0].
std::string fetches(const std::string& code) {
    return "FRAG\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\nDCL TEMP[0]\nIMM[0] FLT32 {0.2, 0, 0.4, 0}\n"
           "FBFETCH TEMP[0], OUT[0]\n" +
           code + "END\n";
}

Buffer with(const std::string& frag) {
    return use(20, frag);
}

class FetchedColors : public Draws {
  protected:
    /// A texture whose layers, or rows, are filled with their number + 1 in each component.
    void make(uint32_t handle, uint32_t target, uint32_t format, uint32_t height, uint32_t layers) {
        create({handle, target, format, kBindRenderTarget, kSize, height, 1, layers, 0, 0});
        for (uint32_t z = 0; z < layers; z++) {
            const Buffer texels(size_t{kSize} * height, (z + 1) * 0x01010101);
            write(handle, {0, 0, z, kSize, height, 1}, texels);
        }
    }
    /// The first texel of a layer.
    uint32_t texel(uint32_t handle, uint32_t z) {
        std::array<uint32_t, 4> read{};
        EXPECT_EQ(renderer_->read({handle, 0, 0, 0, {0, 0, z, 1, 1, 1}}, std::as_writable_bytes(std::span(read))),
                  Outcome::Done);
        return read[0];
    }
};

/// The clear before the first draw, and the first draw before the second one.
TEST_F(FetchedColors, AreThoseBeforeEachDraw) {
    run(scene() + with(fetches("ADD OUT[0], TEMP[0], IMM[0]\n")) + triangle() + triangle());
    const auto read = pixels();
    for (uint32_t at = 0; at < read.size(); at++) ASSERT_EQ(read[at], at % kSize < 8 ? 0xff66ffccu : kGreen) << at;
}

/// A clear after the last draw is one of those that a barrier waits for.
TEST_F(FetchedColors, AreThoseOfAClearBetweenDraws) {
    const Buffer black = clear(0, 0, 0, 0);
    EXPECT_EQ(first_pixel(scene() + with(fetches("ADD OUT[0], TEMP[0], IMM[0]\n")) + triangle() + black +
                          command(Id::TextureBarrier, {2}) + triangle()),
              0x00330066u);
}

/// The copy is as large as the target, and of its format.
TEST_F(FetchedColors, OfOtherTargets) {
    constexpr uint32_t kSmall = 10, kFloat = 11;
    make(kSmall, 2, kBgra, 4, 1);
    create({kFloat, 2, kFloats, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0});
    const auto draws_to = [](uint32_t resource, uint32_t format) {
        return framebuffer(21, resource, format) + triangle();
    };
    run(scene() + with(fetches("ADD OUT[0], TEMP[0], IMM[0]\n")) + triangle() + draws_to(kSmall, kBgra) +
        draws_to(kFloat, kFloats) + draws_to(kTarget, kBgra));
    EXPECT_EQ(texel(kSmall, 0), 0x01340167u);
    EXPECT_EQ(texel(kFloat, 0), bits(0.2F));
    EXPECT_EQ(pixels()[0], 0xff66ffccu);
}

TEST_F(FetchedColors, OfLayers) {
    constexpr uint32_t kLayers = 10;
    make(kLayers, kTex2dArray, kBgra, kSize, 3);
    const std::string vert =
        "VERT; DCL IN[0]; DCL SV[0], INSTANCEID; DCL OUT[0], POSITION; DCL OUT[1], LAYER; MOV OUT[0], IN[0]; "
        "MOV OUT[1].x, SV[0].xxxx; END";
    run(scene() + with(fetches("ADD OUT[0], TEMP[0], IMM[0]\n")) + use(22, vert) +
        framebuffer(21, kLayers, kBgra, 1 | 2 << 16) + command(Id::DrawVbo, {0, 3, 4, 0, 2, 0, 0, 0, 0, 0, ~0u, 0}));
    EXPECT_EQ(texel(kLayers, 0), 0x01010101u);
    EXPECT_EQ(texel(kLayers, 1), 0x02350268u);
    EXPECT_EQ(texel(kLayers, 2), 0x03360369u);
}

TEST_F(FetchedColors, OfLines) {
    constexpr uint32_t kLine = 10;
    make(kLine, kTex1d, kBgra, 1, 1);
    run(scene() + with(fetches("ADD OUT[0], TEMP[0], IMM[0]\n")) + framebuffer(21, kLine, kBgra) + triangle());
    EXPECT_EQ(texel(kLine, 0), 0x01340167u);
}

/// As a view of the format reads them.
TEST_F(FetchedColors, HaveTheComponentsOfTheFormat) {
    constexpr uint32_t kOpaque = 10, kOnlyAlpha = 11;
    for (const auto& [handle, format] : {std::pair(kOpaque, kBgrx), std::pair(kOnlyAlpha, kAlpha8)}) {
        create({handle, 2, format, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0});
    }
    const auto draws_to = [](uint32_t resource, uint32_t format) {
        return framebuffer(21, resource, format) +
               command(Id::Clear, {kClearColor0, 0, bits(0.4F), bits(0.4F), bits(0.4F), bits(0.4F), 0, 0}) + triangle();
    };
    // The alpha of the first one is 1; the second one has no red.
    run(scene() + with(fetches("MUL OUT[0], TEMP[0].wwww, IMM[0]\n")) + draws_to(kOpaque, kBgrx) +
        with(fetches("MUL TEMP[0].w, TEMP[0].wwww, IMM[0].zzzz\n"
                     "ADD OUT[0], TEMP[0].xxxw, TEMP[0].xxxx\n")) +
        draws_to(kOnlyAlpha, kAlpha8));
    EXPECT_EQ(texel(kOpaque, 0) & 0xffffff, 0x330066u);
    uint8_t alpha = 0;
    ASSERT_EQ(renderer_->read({kOnlyAlpha, 0, 0, 0, {0, 0, 0, 1, 1, 1}}, std::as_writable_bytes(std::span(&alpha, 1))),
              Outcome::Done);
    EXPECT_EQ(alpha, 41);  // 0.4 * 0.4
}

/// Outside of the framebuffer's list, and where the list has a gap.
TEST_F(FetchedColors, OfMissingTargetsAreZero) {
    const std::string second = "FRAG\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\nFBFETCH OUT[0], OUT[1]\nEND\n";
    EXPECT_EQ(first_pixel(scene() + with(second) + triangle()), 0u);
    EXPECT_EQ(first_pixel(scene() + command(Id::SetFramebufferState, {2, 0, 7, 0}) + with(second) + triangle()), 0u);
}

/// A view that has the number of the copy, in a text that a guest's driver does not write.
TEST_F(FetchedColors, AreNotTakenForTheGuestsViews) {
    for (const char* const target : {"2D", "2D_ARRAY", "3D", "BUFFER"}) {
        SCOPED_TRACE(target);
        const std::string text =
            "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\n"
            "DCL SVIEW[416], " +
            std::string(target) +
            ", FLOAT\nDCL TEMP[0]\nFBFETCH TEMP[0], OUT[0]\n"
            "SAMPLE_I OUT[0], TEMP[0], SVIEW[416]\nEND\n";
        run(scene() + with(text) + triangle());
        pixels();  // the validation layer has nothing to say
    }
}

/// Nor in a stage that no copy is made for.
TEST_F(FetchedColors, AreNotReadByOtherStages) {
    const std::string text =
        "COMP; PROPERTY CS_FIXED_BLOCK_WIDTH 1; PROPERTY CS_FIXED_BLOCK_HEIGHT 1; PROPERTY CS_FIXED_BLOCK_DEPTH 1; "
        "DCL BUFFER[0]; DCL SVIEW[416], 2D, FLOAT; DCL TEMP[0]; IMM[0] UINT32 {0, 0, 0, 0}; "
        "SAMPLE_I TEMP[0], IMM[0], SVIEW[416]; STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0].xxxx; END";
    make_buffer(30, kBindShaderBuffer, {7});
    run(scene() + with(fetches("MOV OUT[0], TEMP[0]\n")) + triangle() + use(70, text) +
        command(Id::SetShaderBuffers, {5, 0, 0, 4, 30}) + command(Id::LaunchGrid, {1, 1, 1, 1, 1, 1, 0, 0}));
    EXPECT_EQ(words_of(30, 1), Buffer{7}) << "the dispatch is skipped";
}

}  // namespace
}  // namespace tgsi2spv::host
