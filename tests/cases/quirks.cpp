#include "cases/run/quirks.h"

#include <gtest/gtest.h>

#include "api/convert.h"

namespace tgsi2spv::difftest {
namespace {

tgsi::Program program_of(std::string_view text) {
    api::Context context;
    EXPECT_TRUE(api::parse(context, text, {}));
    return context.program;
}

TEST(Quirks, BelongToTheirDriver) {
    const auto kill_in_loop = program_of(R"(FRAG
BGNLOOP
KILL
BRK
ENDLOOP
END
)");
    const auto kill = program_of("FRAG\nKILL\nEND\n");
    const auto demotes = [](const char* device, const tgsi::Program& p) {
        lower::Capabilities c;
        avoid(quirks_of(device), p, {}, c);
        return c.demote;
    };
    EXPECT_FALSE(demotes("SwiftShader Device (Subzero)", kill_in_loop));
    EXPECT_TRUE(demotes("SwiftShader Device (Subzero)", kill));
    EXPECT_TRUE(demotes("llvmpipe (LLVM 15.0.6, 256 bits)", kill_in_loop));
    const auto asks = program_of(R"(FRAG
DCL OUT[0], COLOR
KILL
READ_HELPER OUT[0]
END
)");
    EXPECT_FALSE(demotes("llvmpipe (LLVM 15.0.6, 256 bits)", asks));
    EXPECT_TRUE(demotes("SwiftShader Device (Subzero)", asks));
    const auto derives = program_of(R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL BUFFER[0]
KILL_IF IN[0]
LOAD OUT[0].x, BUFFER[0], IN[0].yyyy
DDX OUT[0].x, OUT[0]
END
)");
    EXPECT_FALSE(demotes("llvmpipe (LLVM 15.0.6, 256 bits)", derives));
    EXPECT_TRUE(demotes("SwiftShader Device (Subzero)", derives));
}

TEST(Quirks, OnlyLevelsOfCubesByGradientsAreLeftOut) {
    const auto gradients = program_of(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], CUBE, FLOAT
TXD OUT[0], IN[0], IN[0], IN[0], SAMP[0], CUBE
END
)");
    reference::Inputs inputs;
    inputs.textures[0].target = tgsi::Target::Cube;
    inputs.textures[0].levels = 3;
    const auto swiftshader = quirks_of("SwiftShader Device (Subzero)");
    EXPECT_TRUE(unusable(swiftshader, gradients, inputs));
    EXPECT_TRUE(unusable(quirks_of("NVIDIA H200"), gradients, inputs));
    EXPECT_FALSE(unusable(quirks_of("llvmpipe"), gradients, inputs));
    inputs.textures[0].levels = 1;
    EXPECT_FALSE(unusable(swiftshader, gradients, inputs));
    inputs.textures[0].levels = 3;
    inputs.textures[0].target = tgsi::Target::T2D;
    EXPECT_FALSE(unusable(swiftshader, gradients, inputs));
}

TEST(Quirks, AnisotropyIsLeftOutWhereItCrashes) {
    const auto samples = program_of(R"(FRAG
DCL OUT[0], COLOR
DCL SAMP[0]
TEX OUT[0], OUT[0], SAMP[0], 2D
END
)");
    const auto left_out = [&](const char* device, tgsi::Target target, float anisotropy, reference::Filter mag) {
        reference::Inputs inputs;
        inputs.textures[0].target = target;
        inputs.samplers[0].max_anisotropy = anisotropy;
        inputs.samplers[0].min_filter = reference::Filter::Linear;
        inputs.samplers[0].mag_filter = mag;
        return unusable(quirks_of(device), samples, inputs).has_value();
    };
    constexpr auto kLinear = reference::Filter::Linear, kNearest = reference::Filter::Nearest;
    EXPECT_TRUE(left_out("llvmpipe", tgsi::Target::T1DArray, 4, kLinear));
    EXPECT_TRUE(left_out("llvmpipe", tgsi::Target::ShadowCube, 4, kNearest));
    EXPECT_FALSE(left_out("llvmpipe", tgsi::Target::Cube, 4, kLinear));
    EXPECT_FALSE(left_out("llvmpipe", tgsi::Target::T2D, 4, kNearest));
    EXPECT_FALSE(left_out("llvmpipe", tgsi::Target::T1D, 1, kLinear));
    EXPECT_FALSE(left_out("SwiftShader Device (Subzero)", tgsi::Target::T1D, 4, kLinear));
}

TEST(Quirks, ProgramsOnSamplersThatADriverGetsWrong) {
    const std::string head =
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..1]
DCL ADDR[0]
IMM[0] INT32 {0, 1, 2, 3}
)";
    const auto offset = program_of(head + "TEX OUT[0], IN[0], SAMP[1], 2D, IMM[0].xyz\nEND\n");
    const auto indexed = program_of(head + "TEX OUT[0], IN[0], SAMP[ADDR[0].x], 2D, IMM[0].xyz\nEND\n");
    const auto plain = program_of(head + "TEX OUT[0], IN[0], SAMP[1], 2D\nEND\n");
    const auto fetch = program_of(head + "TXF OUT[0], IMM[0], SAMP[1], 2D, IMM[0].xyz\nEND\n");
    const auto gather = program_of(head + "TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[1], 2D, IMM[0].xyz\nEND\n");
    reference::Inputs two_levels, mirrored;
    two_levels.samplers[1].mip_filter = reference::MipFilter::Linear;
    two_levels.samplers[0].wrap[1] = mirrored.samplers[1].wrap[1] = reference::Wrap::MirrorClampToEdge;
    const auto swiftshader = quirks_of("SwiftShader"), lavapipe = quirks_of("llvmpipe");
    EXPECT_TRUE(unusable(swiftshader, offset, two_levels));
    EXPECT_TRUE(unusable(swiftshader, indexed, two_levels));
    EXPECT_TRUE(unusable(swiftshader, gather, mirrored));
    EXPECT_FALSE(unusable(swiftshader, plain, two_levels));
    EXPECT_FALSE(unusable(swiftshader, fetch, two_levels));
    EXPECT_FALSE(unusable(swiftshader, gather, two_levels));
    EXPECT_FALSE(unusable(swiftshader, offset, mirrored));
    EXPECT_FALSE(unusable(lavapipe, offset, two_levels));
    EXPECT_FALSE(unusable(lavapipe, gather, mirrored));
}

TEST(Quirks, FourOffsetsAndSamplersOfOneImage) {
    const std::string head =
        R"(FRAG
DCL IN[0..1], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..1]
DCL SVIEW[0..1], 2D, FLOAT
DCL ADDR[0]
IMM[0] INT32 {0, 1, 2, 3}
)";
    const auto four = program_of(head +
                                 "TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[1], 2D, IMM[0].xyz, IMM[0].xyz, IMM[0].xyz, "
                                 "IMM[0].xyz\nEND\n");
    const auto one = program_of(head + "TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[1], 2D, IMM[0].xyz\nEND\n");
    const auto sampler = program_of(head + "SAMPLE OUT[0], IN[0], SVIEW[0], SAMP[ADDR[0].x]\nEND\n");
    const auto both = program_of(head + "SAMPLE OUT[0], IN[0], SVIEW[ADDR[0].x], SAMP[ADDR[0].x]\nEND\n");
    const auto after = [](const char* device, const tgsi::Program& p) {
        lower::Capabilities c;
        c.sampled_images.non_uniform = true;
        avoid(quirks_of(device), p, {}, c);
        return std::pair(c.image_gather_extended, c.sampled_images.non_uniform);
    };
    EXPECT_EQ(after("llvmpipe", four), std::pair(false, true));
    EXPECT_EQ(after("llvmpipe", one), std::pair(true, true));
    EXPECT_EQ(after("SwiftShader", four), std::pair(true, true));
    EXPECT_EQ(after("SwiftShader", sampler), std::pair(true, false));
    EXPECT_EQ(after("SwiftShader", both), std::pair(true, true));
    EXPECT_EQ(after("llvmpipe", sampler), std::pair(true, true));
    for (const char* measured :
         {"TXQ OUT[0], IMM[0].xxxx, SAMP[ADDR[0].x], 2D", "TEX OUT[0], IN[0], SAMP[ADDR[0].x], RECT",
          "TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[ADDR[0].x], 2D, IN[1].xyz"}) {
        const auto p = program_of(head + measured + "\nEND\n");
        EXPECT_FALSE(after("SwiftShader", p).second) << measured;
        EXPECT_TRUE(after("llvmpipe", p).second) << measured;
    }
    EXPECT_TRUE(after("SwiftShader", program_of(head + "TEX OUT[0], IN[0], SAMP[ADDR[0].x], 2D\nEND\n")).second);
}

TEST(Quirks, MessagesOnStatesThatADriverGetsWrong) {
    const auto swiftshader = quirks_of("SwiftShader"), lavapipe = quirks_of("llvmpipe");
    reference::Texture texture;
    texture.target = tgsi::Target::T2D;
    reference::SamplerState two_levels, mirrored;
    two_levels.mip_filter = reference::MipFilter::Linear;
    mirrored.wrap[1] = reference::Wrap::MirrorClampToEdge;
    sampling::Message offset, gather;
    offset.offsets = sampling::Offsets::Aoffi;
    gather.cls = sampling::Class::Tld4;
    EXPECT_TRUE(unusable(swiftshader, offset, texture, two_levels));
    EXPECT_FALSE(unusable(swiftshader, offset, texture, mirrored));
    EXPECT_FALSE(unusable(swiftshader, {}, texture, two_levels));
    EXPECT_TRUE(unusable(swiftshader, gather, texture, mirrored));
    EXPECT_FALSE(unusable(swiftshader, gather, texture, two_levels));
    EXPECT_FALSE(unusable(lavapipe, offset, texture, two_levels));
    EXPECT_FALSE(unusable(lavapipe, gather, texture, mirrored));
    sampling::Message lod;
    lod.sample = sampling::SampleOp::LOD;
    EXPECT_FALSE(unusable(lavapipe, lod, texture, {}));
    EXPECT_TRUE(unusable(swiftshader, lod, texture, two_levels));
    EXPECT_FALSE(unusable(lavapipe, lod, texture, two_levels));
    texture.target = tgsi::Target::CubeArray;
    EXPECT_TRUE(unusable(lavapipe, lod, texture, {}));
    EXPECT_FALSE(unusable(swiftshader, lod, texture, {}));
}

TEST(Quirks, BelongToVersions) {
    const auto of_words = [](const char* driver) {
        return quirks_of("llvmpipe (LLVM 22.1.8, 256 bits)", driver).tiny_maxima_are_minima;
    };
    EXPECT_TRUE(of_words("llvmpipe Mesa 26.2.6-1 (LLVM 22.1.8)") && of_words("llvmpipe Mesa 25.0.7 (LLVM 19.1.7)"));
    EXPECT_FALSE(of_words("llvmpipe Mesa 22.3.6 (LLVM 15.0.6)") || of_words(""));
    EXPECT_FALSE(quirks_of("SwiftShader Device", "SwiftShader driver 25.0").tiny_maxima_are_minima);
}

}  // namespace
}  // namespace tgsi2spv::difftest
