#include "difftest/quirks.h"

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
    const auto kill_in_loop = program_of("FRAG\nBGNLOOP\nKILL\nBRK\nENDLOOP\nEND\n");
    const auto kill = program_of("FRAG\nKILL\nEND\n");
    const auto demotes = [](const char* device, const tgsi::Program& p) {
        lower::Capabilities c;
        avoid(quirks_of(device), p, c);
        return c.demote;
    };
    EXPECT_FALSE(demotes("SwiftShader Device (Subzero)", kill_in_loop));
    EXPECT_TRUE(demotes("SwiftShader Device (Subzero)", kill));
    EXPECT_TRUE(demotes("llvmpipe (LLVM 15.0.6, 256 bits)", kill_in_loop));
}

TEST(Quirks, OnlyLevelsOfCubesByGradientsAreLeftOut) {
    const auto gradients = program_of(
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], CUBE, FLOAT\n"
        "TXD OUT[0], IN[0], IN[0], IN[0], SAMP[0], CUBE\nEND\n");
    reference::Inputs inputs;
    inputs.textures[0].target = tgsi::Target::Cube;
    inputs.textures[0].levels = 3;
    const auto swiftshader = quirks_of("SwiftShader Device (Subzero)");
    EXPECT_TRUE(unusable(swiftshader, gradients, inputs));
    EXPECT_FALSE(unusable(quirks_of("llvmpipe"), gradients, inputs));
    inputs.textures[0].levels = 1;
    EXPECT_FALSE(unusable(swiftshader, gradients, inputs));
    inputs.textures[0].levels = 3;
    inputs.textures[0].target = tgsi::Target::T2D;
    EXPECT_FALSE(unusable(swiftshader, gradients, inputs));
}

}  // namespace
}  // namespace tgsi2spv::difftest
