// States that a run cannot set up, limits and quirks. runs/devices.txt has small shaders and their answers.
#include "cases/run/run_vulkan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/devices.h"
#include "cases/run/quirks.h"
#include "harness/pretend.h"

namespace tgsi2spv::difftest {
namespace {

using RunVulkan = OnDevices;

TEST_F(RunVulkan, ImmediatesAreNotFoldedByTheDriver) {
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto r = run(*device,
                           R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
IMM FLT32 {0.0, -0.0, 1.0, 0.0}
MUL OUT[0].xy, IN[0].xyxx, IMM[0].xxxx
ADD OUT[0].zw, IN[0], IMM[0].xxxy
END
)",
                           R"({"inputs": {"IN[0]": [[-1, "0x7f800000", "0x80000000", "0x80000000"]]}})");
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_EQ(column(*r, 0, 0)[0], 0x80000000);                // −1 · 0
        EXPECT_GT(column(*r, 0, 1)[0] & 0x7fffffff, 0x7f800000u);  // inf · 0: NaN
        EXPECT_EQ(column(*r, 0, 2)[0], 0u);                        // −0 + 0
        EXPECT_EQ(column(*r, 0, 3)[0], 0x80000000);                // −0 + −0
    }
}

/// 64 lanes at 4 pixels a row need 16 rows, on a device that permits 8.
TEST_F(RunVulkan, TooHighFramesBecomeWiderIfNothingReadsThePosition) {
    test::Pretend pretend;
    pretend.limits = [](VkPhysicalDeviceLimits& l) {
        l.maxFramebufferHeight = 8;
        l.maxViewportDimensions[1] = 16;
    };
    const auto device = harness::Device::create(*instance, devices.front()->report().info);
    ASSERT_TRUE(device) << device.error().message;
    std::string values;
    for (int lane = 0; lane < 64; lane++) values += fmt::format("{}[{}, 0, 0, 0]", lane == 0 ? "" : ", ", lane * lane);
    const auto inputs =
        R"({"lanes": 64, "framebuffer": {"width": 4, "height": 64}, "inputs": {"IN[0]": [)" + values + "]}}";
    const auto r = run(**device,
                       R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DDX_FINE OUT[0].x, IN[0].xxxx
MOV OUT[0].y, IN[0].xxxx
END
)",
                       inputs.c_str());
    ASSERT_TRUE(r) << r.error().message;
    for (uint32_t lane = 0; lane < 64; lane++) {
        const auto left = static_cast<float>((lane & ~1u) * (lane & ~1u)),
                   right = static_cast<float>((lane | 1u) * (lane | 1u));
        EXPECT_EQ(column(*r, 0, 0)[lane], f(right - left)) << lane;
        EXPECT_EQ(column(*r, 0, 1)[lane], f(static_cast<float>(lane * lane))) << lane;
    }
    const auto told = run(**device,
                          R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL SV[0], POSITION
DCL OUT[0], COLOR
ADD OUT[0], IN[0], SV[0]
END
)",
                          inputs.c_str());
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().kind, Trouble::Missing);
    EXPECT_EQ(told.error().message, "the device lacks maxFramebufferHeight of 16 (the device has 8)");
}

/// SwiftShader has no borders of cubes in COMP.
TEST_F(RunVulkan, KnownBugsKeepNoStageFromRunningWhereTheCallerKnowsThem) {
    const auto inputs = read_inputs(
        R"({"grid": [1, 1, 1], "samplers": {"0": {"min_filter": "LINEAR"}},
            "textures": {"0": {"target": "CUBE", "format": "PIPE_FORMAT_R32_FLOAT", "layers": 6}},
            "buffers": {"BUFFER[0]": ["0x1"]}})");
    ASSERT_TRUE(inputs) << inputs.error();
    for (auto& device : devices) {
        ASSERT_TRUE(api::parse(context,
                               R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
DCL BUFFER[0]
DCL SAMP[0]
DCL SVIEW[0], CUBE, FLOAT
DCL TEMP[0]
IMM[0] FLT32 {0, 0, 1, 0}
TXL TEMP[0], IMM[0], SAMP[0], CUBE
STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0].xxxx
END
)",
                               {}));
        const bool known = quirks_of(device->report().info.name).cube_borders_are_empty_in_compute;
        VulkanOptions options;
        EXPECT_EQ(run_vulkan(*device, context, *inputs, options).has_value(), !known);
        options.in_spite_of_quirks = true;
        const auto r = run_vulkan(*device, context, *inputs, options);
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_EQ(r->buffers.at(0).at(0).value, 0u);
    }
}

TEST_F(RunVulkan, StatesThatCannotBeSetUpAreReported) {
    auto& device = *devices.front();
    const char* shader =
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
TEX OUT[0], IN[0], SAMP[0], 2D
END
)";
    auto r = run(device, shader, R"({"textures": {"0": {"target": "3D", "format": "PIPE_FORMAT_R32_FLOAT"}}})");
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().kind, Trouble::Case);
    EXPECT_EQ(r.error().message, "textures.0: the shader samples a different shape than 3D");
    r = run(device, shader, R"({"samplers": {"0": {"wrap_s": "CLAMP"}}})");
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().message, "samplers.0: Vulkan has no wrap mode CLAMP");
    const char* separate =
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
SAMPLE OUT[0], IN[0], SVIEW[0], SAMP[0]
END
)";
    for (const char* sampling : {shader, separate}) {
        r = run(device, sampling,
                R"({"textures": {"0": {"target": "2D", "format": "PIPE_FORMAT_R32_FLOAT"}},
                    "samplers": {"0": {"unnormalized": true}}})");
        ASSERT_FALSE(r);
        EXPECT_EQ(r.error().message, "samplers.0: unnormalized coordinates need a RECT texture");
    }
    r = run(device,
            R"(VERT
DCL OUT[0], GENERIC[0]
DCL SAMP[0]
DCL SVIEW[0], BUFFER, FLOAT
IMM[0] UINT32 {0, 0, 0, 0}
TXF OUT[0], IMM[0], SAMP[0], BUFFER
END
)",
            R"({"textures": {"0": {"target": "BUFFER", "format": "PIPE_FORMAT_R32G32_FLOAT", "data": [[1, 2]]}},
                "views": {"0": {"texture": 0, "swizzle": "yx01"}}})");
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().kind, Trouble::Missing);
    EXPECT_EQ(r.error().message,
              "textures.0: PIPE_FORMAT_R32G32_FLOAT needs a swizzle, which Vulkan supports only for "
              "views of sampled images");
    r = run(device, shader, R"({"textures": {"0": {"target": "2D", "format": "PIPE_FORMAT_R32_UINT"}}})");
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().message,
              "textures.0: the component type that the shader reads does not match PIPE_FORMAT_R32_UINT");
    // A dispatch computes its own system values.
    r = run(device, R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
DCL SV[0], THREAD_ID
END
)",
            R"({"system_values": {"SV[0]": [["0x1", 0, 0, 0]]}})");
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().kind, Trouble::Case);
    EXPECT_EQ(r.error().message, "system_values.SV[0]: THREAD_ID is computed by the dispatch and cannot be given");
}

}  // namespace
}  // namespace tgsi2spv::difftest
