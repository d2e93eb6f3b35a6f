// Targets with several samples, and with one where a shader speaks of samples.
#include <volk.h>

#include "queries.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kRgba = 67, kRgba8Uint = 180, kSamples = 4;
constexpr uint32_t kMultisample = 1u << 25, kPerSample = 1u << 31;

/// OpenGL applies SAMPLEMASK to targets with several samples alone.
TEST_F(Draws, SampleMasksDoNotCountForTargetsWithOneSample) {
    EXPECT_EQ(first_pixel(scene() +
                          use(20,
                              "FRAG; DCL OUT[0], SAMPLEMASK; DCL OUT[1], COLOR; IMM[0] UINT32 {2, 0, 0, 0}; "
                              "IMM[1] FLT32 {1, 1, 1, 1}; MOV OUT[0].x, IMM[0].xxxx; MOV OUT[1], IMM[1]; END") +
                          triangle()),
              0xffffffffu);
}

constexpr const char* kWhite = "FRAG; DCL OUT[0], COLOR; IMM[0] FLT32 {1, 1, 1, 1}; MOV OUT[0], IMM[0]; END";

class Samples : public Draws {
  protected:
    void make(uint32_t handle, uint32_t format) {
        make_texture(handle, format, kBindRenderTarget | kBindSamplerView, kSamples);
    }
    /// A triangle into the target, once for each sample.
    static Buffer draw_to(uint32_t target, uint32_t format, uint32_t rasterizer, const std::string& frag,
                          const Buffer& more = {}) {
        return scene() + more + framebuffer(40, target, format) + use(41, frag) +
               bind_new(O::Rasterizer, {42, rasterizer, bits(1), 0, 0, bits(1), 0, 0, 0}) +
               command(Id::SetMinSamples, {kSamples}) + triangle();
    }
    /// Shows one sample of the texture in kTarget.
    static Buffer show(uint32_t texture, uint32_t format, uint32_t number, const std::string& type) {
        const std::string convert =
            type == "UINT" ? "U2F TEMP[0], TEMP[0]\nMUL OUT[0], TEMP[0], IMM[1].xxxx\n" : "MOV OUT[0], TEMP[0]\n";
        return scene() + command(Id::SetMinSamples, {1}) + sample(43, texture, format) +
               use(44, "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D_MSAA, " + type +
                           "\nDCL TEMP[0]\nIMM[0] UINT32 {1, 1, 0, " + std::to_string(number) +
                           "}\nIMM[1] FLT32 {0.00392156862745098, 0, 0, 0}\nTXF TEMP[0], IMM[0], SAMP[0], 2D_MSAA\n" +
                           convert + "END\n") +
               triangle();
    }
};

TEST_F(Samples, BeginAsZeros) {
    make(10, kBgra);
    run(draw_to(10, kBgra, kRasterizer | kMultisample, kWhite));
    pixels();  // waits
    run(command(Id::SetFramebufferState, {0, 0}) + command(Id::DestroyObject, {40}, static_cast<uint32_t>(O::Surface)));
    ASSERT_EQ(renderer_->destroy_resource(10), Outcome::Done);
    make(10, kBgra);
    for (uint32_t sample = 0; sample < kSamples; sample++) {
        EXPECT_EQ(first_pixel(show(10, kBgra, sample, "FLOAT")), 0U) << sample;
    }
}

TEST_F(Samples, OfTargetsMayBeMoreThanThoseOfStorageImages) {
    static PFN_vkGetPhysicalDeviceImageFormatProperties real;
    real = std::exchange(vkGetPhysicalDeviceImageFormatProperties,
                         [](auto device, auto format, auto type, auto tiling, auto usage, auto flags, auto* limits) {
                             const VkResult result = real(device, format, type, tiling, usage, flags, limits);
                             if ((usage & VK_IMAGE_USAGE_STORAGE_BIT) != 0) limits->sampleCounts = 1;
                             return result;
                         });
    make(10, kRgba);
    vkGetPhysicalDeviceImageFormatProperties = real;
    run(draw_to(10, kRgba, kRasterizer | kMultisample, kWhite));
    EXPECT_EQ(first_pixel(show(10, kRgba, kSamples - 1, "FLOAT")), 0xffffffffU);
}

TEST_F(Samples, BlitsOfIntegersCopyEachSample) {
    make(10, kRgba8Uint);
    make(11, kRgba8Uint);
    run(draw_to(10, kRgba8Uint, kRasterizer | kMultisample,
                "FRAG; DCL SV[0], SAMPLEID; DCL OUT[0], COLOR; IMM[0] UINT32 {7, 0, 0, 255}; MOV OUT[0], IMM[0]; "
                "UADD OUT[0].y, SV[0].xxxx, IMM[0].xxxx; END") +
        blit(kBlitColor, {11, kRgba8Uint}, {10, kRgba8Uint}));
    for (uint32_t sample = 0; sample < kSamples; sample++) {
        EXPECT_EQ(first_pixel(show(11, kRgba8Uint, sample, "UINT")), 0xff070000u | (7 + sample) << 8) << sample;
    }
}

TEST_F(Samples, AreFetchedOneByOne) {
    make(10, kFloats);
    const std::string numbers =
        "FRAG; DCL SV[0], SAMPLEID; DCL OUT[0], COLOR; IMM[0] FLT32 {0.2, 0, 0, 0}; DCL TEMP[0]; "
        "U2F TEMP[0], SV[0].xxxx; MUL OUT[0], TEMP[0], IMM[0].xxxx; END";
    const std::string more =
        "FRAG; DCL OUT[0], COLOR; IMM[0] FLT32 {0.2, 0, 0, 0}; DCL TEMP[0]; FBFETCH TEMP[0], OUT[0]; "
        "ADD OUT[0], TEMP[0], IMM[0].xxxx; END";
    run(draw_to(10, kFloats, kRasterizer | kMultisample, numbers) +
        draw_to(10, kFloats, kRasterizer | kMultisample, more));
    for (uint32_t sample = 0; sample < kSamples; sample++) {
        EXPECT_EQ(first_pixel(show(10, kFloats, sample, "FLOAT")), 0x01010101u * (51 * (sample + 1)));
    }
}

/// Where samples are no dynamic state, pipelines differ in them. (Where they are, layer 1.3.239 has a mistake:
/// docs/tested.md)
TEST_F(Samples, OneAfterFourInThatState) {
    restart_without({"VK_EXT_extended_dynamic_state3"});
    make(10, kBgra);
    EXPECT_EQ(
        first_pixel(draw_to(10, kBgra, kRasterizer, kWhite) + command(Id::SetFramebufferState, {1, 0, 7}) + triangle()),
        0xffffffffu);
}

/// Inputs are interpolated at the centre, and scaled blits keep samples apart.
TEST_F(Samples, WithoutSampleRateShading) {
    restart_without({"sampleRateShading"});
    make(10, kBgra);
    make(11, kBgra);
    EXPECT_EQ(first_pixel(draw_to(10, kBgra, kRasterizer | kMultisample | kPerSample, kFrag) +
                          blit(kBlitColor, {11, kBgra, {0, 0, 0, 4, 4, 1}}, {10, kBgra, {0, 0, 0, 8, 8, 1}}) +
                          blit(kBlitColor, {}, {11, kBgra})),
              kDrawn);
}

/// Such images may not be for storage then (VUID-VkImageCreateInfo-usage-00968); the layer checks it.
TEST_F(Samples, WithoutImagesOfThem) {
    restart_without({"shaderStorageImageMultisample"});
    make(10, kRgba);
    EXPECT_EQ(first_pixel(draw_to(10, kRgba, kRasterizer | kMultisample, kWhite) + blit(kBlitColor, {}, {10, kRgba})),
              0xffffffffu);
}

/// With the bit, all inputs are interpolated at the samples; without it, they are at the centre.
TEST_F(Samples, InputsAreInterpolatedAtEachSample) {
    make(10, kFloats);
    const Buffer passes_position = use(
        45, "VERT; DCL IN[0]; DCL OUT[0], POSITION; DCL OUT[1], GENERIC[0]; MOV OUT[0], IN[0]; MOV OUT[1], IN[0]; END");
    // Places in the pixel (1, 1).
    const std::string frag =
        "FRAG; DCL IN[0], GENERIC[0], PERSPECTIVE; DCL OUT[0], COLOR; IMM[0] FLT32 {8, 7, 0, 1}; "
        "MAD OUT[0], IN[0], IMM[0].xxxx, IMM[0].yyyy; END";
    constexpr std::array<std::array<float, 2>, kSamples> kStandard{
        {{0.375F, 0.125F}, {0.875F, 0.375F}, {0.125F, 0.625F}, {0.625F, 0.875F}}};
    for (const uint32_t per_sample : {0u, kPerSample})
        for (uint32_t sample = 0; sample < kSamples; sample++) {
            run(draw_to(10, kFloats, kRasterizer | kMultisample | per_sample, frag, passes_position) +
                show(10, kFloats, sample, "FLOAT"));
            const uint32_t shown = pixels()[0];
            const auto [x, y] = per_sample != 0 ? kStandard[sample] : std::array{0.5F, 0.5F};
            EXPECT_NEAR(shown >> 16 & 0xff, 255 * x, 2) << sample;
            EXPECT_NEAR(shown >> 8 & 0xff, 255 * y, 2) << sample;
        }
}

struct OfTwo {
    const char* frag;
    uint32_t mask, least;   ///< SET_SAMPLE_MASK, SET_MIN_SAMPLES
    uint32_t drawn, color;  ///< samples of a pixel, red of their mean
};

class FewerSamples : public Queries {};

/// lavapipe has one sample or four: of two that are asked for, there are four.
TEST_F(FewerSamples, ThanTheDeviceHasAreThoseThatTheGuestSees) {
    const auto frag = [](const char* declares, const char* red) {
        return std::string("FRAG\nDCL OUT[0], COLOR\n") + declares +
               "DCL TEMP[0]; IMM[0] UINT32 {1, 2, 3, 0}; IMM[1] FLT32 {1, 0.25, 0, 0}; MOV OUT[0], IMM[1].xxxx; " +
               red + "END\n";
    };
    const std::string white = frag("", "");
    const std::string writes_mask = frag("DCL OUT[1], SAMPLEMASK\n", "MOV OUT[1].x, IMM[0].yyyy\n");
    const std::string reads_mask =
        frag("DCL SV[0], SAMPLEMASK\n", "U2F TEMP[0].x, SV[0].xxxx\nMUL OUT[0].x, TEMP[0].xxxx, IMM[1].yyyy\n");
    const std::string reads_id = frag("DCL SV[0], SAMPLEID\n", "U2F OUT[0].x, SV[0].xxxx\n");
    make_texture(10, kBgra, kBindRenderTarget, 2);
    const Buffer target = scene() + framebuffer(40, 10, kBgra) + clear(0, 0, 0, 0) +
                          bind_new(O::Rasterizer, {42, kRasterizer | kMultisample, bits(1), 0, 0, bits(1), 0, 0, 0}) +
                          query(QueryType::OcclusionCounter);
    uint32_t handle = kQuery;
    for (const OfTwo& c : {OfTwo{white.c_str(), ~0u, 1, 2, 255},
                           {white.c_str(), 3, 1, 2, 255},
                           {white.c_str(), 1, 1, 1, 128},
                           {writes_mask.c_str(), ~0u, 1, 1, 128},
                           {reads_mask.c_str(), ~0u, 1, 2, 191},
                           {reads_id.c_str(), ~0u, 2, 2, 128}}) {
        SCOPED_TRACE(testing::Message() << c.frag << c.mask);
        handle++;
        run(target + use(handle, c.frag) + command(Id::SetSampleMask, {c.mask}) +
            command(Id::SetMinSamples, {c.least}) + begin() + triangle() + end() + get() +
            blit(kBlitColor, {}, {10, kBgra}));
        EXPECT_EQ(result(), c.drawn * 8 * kSize);
        EXPECT_NEAR(pixels()[0] >> 16 & 0xff, c.color, 1);
    }
}

}  // namespace
}  // namespace tgsi2spv::host
