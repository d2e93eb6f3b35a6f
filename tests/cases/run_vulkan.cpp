// Small shaders whose answers Vulkan defines exactly, converted and run on the devices.
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

TEST_F(RunVulkan, VerticesReadInputsConstantsAndSystemValues) {
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto r = run(*device,
                           R"(VERT
DCL IN[0]
DCL IN[1]
DCL SV[0], VERTEXID
DCL SV[1], INSTANCEID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0][0..1]
MOV OUT[0], IN[1]
UADD OUT[1].x, SV[0].xxxx, SV[1].xxxx
MOV OUT[1].y, CONST[0][1].zzzz
END
)",
                           R"({"lanes": 2, "inputs": {"IN[1]": [["0x7f800001", 1, 2, "0x00000001"], [5, 6, 7, 8]]},
                               "system_values": {"SV[1]": [["0x64", 0, 0, 0], ["0xc8", 0, 0, 0]]},
                               "constants": {"0": [0, 0, 0, 0, 0, 0, "0xcafe"]}})");
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_THAT(column(*r, 0, 0), testing::ElementsAre(0x7f800001, f(5)));
        EXPECT_THAT(column(*r, 0, 3), testing::ElementsAre(1, f(8)));
        EXPECT_THAT(column(*r, 1, 0), testing::ElementsAre(0x64, 0xc9));
        EXPECT_THAT(column(*r, 1, 1), testing::ElementsAre(0xcafe, 0xcafe));
        EXPECT_TRUE(r->killed.empty());
    }
}

/// The draw starts at a vertex and an instance other than 0; lane n is still the n-th vertex of the draw.
TEST_F(RunVulkan, DrawsBeginWhereTheInputsSay) {
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto r = run(*device,
                           R"(VERT
DCL IN[0]
DCL SV[0], VERTEXID
DCL SV[1], VERTEXID_NOBASE
DCL SV[2], BASEVERTEX
DCL SV[3], INSTANCEID
DCL SV[4], BASEINSTANCE
DCL OUT[0..1], GENERIC[0]
MOV OUT[0].x, SV[0].xxxx
MOV OUT[0].y, SV[1].xxxx
MOV OUT[0].z, SV[2].xxxx
MOV OUT[0].w, SV[3].xxxx
MOV OUT[1].x, SV[4].xxxx
MOV OUT[1].y, IN[0].xxxx
END
)",
                           R"({"lanes": 2, "base_vertex": 5, "base_instance": 3,
                               "inputs": {"IN[0]": [["0xa", 0, 0, 0], ["0xb", 0, 0, 0]]}})");
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_THAT(column(*r, 0, 0), testing::ElementsAre(5, 6));
        EXPECT_THAT(column(*r, 0, 1), testing::ElementsAre(0, 1));
        EXPECT_THAT(column(*r, 0, 2), testing::ElementsAre(5, 5));
        EXPECT_THAT(column(*r, 0, 3), testing::ElementsAre(0, 0));
        EXPECT_THAT(column(*r, 1, 0), testing::ElementsAre(3, 3));
        EXPECT_THAT(column(*r, 1, 1), testing::ElementsAre(0xa, 0xb));
    }
}

TEST_F(RunVulkan, FragmentsAreKilledAndDifferInQuads) {
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto r = run(*device,
                           R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
KILL_IF IN[0].yyyy
DDX_FINE OUT[0].x, IN[0]
DDY_FINE OUT[0].y, IN[0].xxxx
END
)",
                           R"({"lanes": 6, "inputs": {"IN[0]":
                               [[1, 0, 0, 0], [4, -1, 0, 0], [10, 0, 0, 0], [100, 1, 0, 0], [7, 0, 0, 0], [9, 0, 0, 0]]}})");
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_THAT(r->killed, testing::ElementsAre(false, true, false, false, false, false, false, false));
        const auto x = column(*r, 0, 0), y = column(*r, 0, 1);
        EXPECT_EQ(x[0], f(3));
        EXPECT_EQ(x[2], f(90));
        EXPECT_EQ(x[4], f(2));
        EXPECT_EQ(y[0], f(9));
        EXPECT_EQ(y[3], f(96));
    }
}

TEST_F(RunVulkan, LevelsFarBeyondTheLastOneReadIt) {
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto r = run(*device,
                           R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
TXL OUT[0], IN[0], SAMP[0], 2D
END
)",
                           R"({"lanes": 3, "inputs": {"IN[0]": [[0, 0, 0, 0], [0, 0, 0, 3e9], [0, 0, 0, 3.4e38]]},
                               "textures": {"0": {"target": "2D", "format": "PIPE_FORMAT_R32_FLOAT", "width": 2,
                                   "height": 2, "levels": 2, "data": [[1, 1, 1, 1], [2]]}},
                               "samplers": {"0": {"mip_filter": "NEAREST", "max_lod": 1000}}})");
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_THAT(column(*r, 0, 0), testing::ElementsAre(f(1), f(2), f(2)));
    }
}

TEST_F(RunVulkan, TexturesOfEveryTargetAreBound) {
    struct Row {
        const char* target;
        const char* coordinate;  ///< in texels of a 2x2x2 texture with the values 1, 2, 3, …
        const char* texture;
        float expected;
    };
    const Row kRows[] = {
        {"1D", "[0.75, 0, 0, 0]", R"("width": 2, "data": [[1, 2]])", 2},
        {"2D", "[0.25, 0.75, 0, 0]", R"("width": 2, "height": 2, "data": [[1, 2, 3, 4]])", 3},
        {"3D", "[0.25, 0.25, 0.75, 0]", R"("width": 2, "height": 2, "depth": 2, "data": [[1, 2, 3, 4, 5, 6, 7, 8]])",
         5},
        {"RECT", "[1.5, 0.5, 0, 0]", R"("width": 2, "height": 2, "data": [[1, 2, 3, 4]])", 2},
        {"CUBE", "[0, 0, -1, 0]", R"("width": 1, "layers": 6, "data": [[1, 2, 3, 4, 5, 6]])", 6},
        {"1D_ARRAY", "[0.25, 1, 0, 0]", R"("width": 2, "layers": 2, "data": [[1, 2, 3, 4]])", 3},
        {"2D_ARRAY", "[0.75, 0.75, 1, 0]",
         R"("width": 2, "height": 2, "layers": 2, "data": [[1, 2, 3, 4, 5, 6, 7, 8]])", 8},
        {"CUBEARRAY", "[0, 1, 0, 1]", R"("width": 1, "layers": 12, "data": [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]])",
         9},
    };
    for (auto& device : devices)
        for (const auto& row : kRows) {
            SCOPED_TRACE(device->report().info.name + std::string(" ") + row.target);
            const auto shader = std::string(
                                    R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], )") + row.target + ", FLOAT\nTEX_LZ OUT[0], IN[0], SAMP[0], " +
                                row.target + "\nEND\n";
            const auto json = std::string(R"({"lanes": 1, "inputs": {"IN[0]": [)") + row.coordinate +
                              R"(]}, "textures": {"0": {"target": ")" + row.target +
                              R"(", "format": "PIPE_FORMAT_R32_FLOAT", )" + row.texture + "}}}";
            const auto r = run(*device, shader, json);
            ASSERT_TRUE(r) << r.error().message;
            EXPECT_EQ(column(*r, 0, 0)[0], f(row.expected));
        }
}

TEST_F(RunVulkan, SamplesOfDepthAreFetched) {
    const std::string shader =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D_MSAA, FLOAT
TXF OUT[0], IN[0], SAMP[0], 2D_MSAA
END
)";
    const auto json = [](const char* format) {
        return fmt::format(R"({{"lanes": 4, "inputs": {{"IN[0]": [["0x0", "0x0", 0, "0x1"], ["0x1", "0x0", 0, "0x0"],
            ["0x1", "0x0", 0, "0x3"], ["0x0", "0x0", 0, "0x2"]]}}, "textures": {{"0": {{"target": "2D_MSAA", "samples": 4,
            "format": "PIPE_FORMAT_{}", "width": 2, "data": [[0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 1]]}}}}}})",
                           format);
    };
    size_t ran = 0;
    for (auto& device : devices)
        for (const char* format : {"Z32_FLOAT", "R32_FLOAT"}) {
            SCOPED_TRACE(device->report().info.name + " " + format);
            const auto r = run(*device, shader, json(format));
            if (!r && r.error().kind == Trouble::Missing) continue;
            ASSERT_TRUE(r) << r.error().message;
            ran++;
            EXPECT_THAT(column(*r, 0, 0), testing::ElementsAre(f(0.125f), f(0.5f), f(1), f(0.25f)));
            EXPECT_THAT(column(*r, 0, 3), testing::Each(f(1)));
        }
    EXPECT_GT(ran, 0u);
}

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

TEST_F(RunVulkan, KillsInsideLoopsHoldOnEveryDevice) {
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto r =
            run(*device,
                R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
IMM INT32 {0, 1, 3, 0}
MOV TEMP[0].x, IMM[0].xxxx
BGNLOOP
ISGE TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz
UIF TEMP[0].yyyy
BRK
ENDIF
KILL_IF IN[0].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
ENDLOOP
MOV OUT[0], TEMP[0].xxxx
END
)",
                R"({"lanes": 4, "inputs": {"IN[0]": [[1, 0, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 0], [-2, 0, 0, 0]]}})");
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_THAT(r->killed, testing::ElementsAre(false, true, false, true));
        EXPECT_EQ(column(*r, 0, 0)[0], 3u);
    }
}

/// 64 lanes at 4 pixels a row need 16 rows, on a device that permits 8.
TEST_F(RunVulkan, TooHighFramesBecomeWiderIfNothingReadsThePosition) {
    test::Pretend pretend;
    pretend.limits = [](VkPhysicalDeviceLimits& l) {
        l.maxFramebufferHeight = 8;
        l.maxViewportDimensions[1] = 16;
    };
    const auto device = vulkan::Device::create(*instance, devices.front()->report().info);
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

TEST_F(RunVulkan, BuffersMayHaveTheNumbersOfCounters) {
    for (auto& device : devices) {
        const auto r = run(*device,
                           R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
DCL BUFFER[64]
DCL HWATOMIC[1][0]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 2, 3}
ATOMUADD TEMP[0].x, HWATOMIC[1][0], IMM[0].xxxx, IMM[0].yyyy
STORE BUFFER[64].x, IMM[0].xxxx, TEMP[0]
END
)",
                           R"({"buffers": {"BUFFER[64]": ["0x9"]}, "hwatomics": {"1": ["0x7"]}})");
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_EQ(r->buffers.at(64).at(0).value, 7u);
        EXPECT_EQ(r->hwatomics.at(1).at(0).value, 8u);
    }
}

TEST_F(RunVulkan, SamplesOfDepthAreRoundedToTheFormat) {
    for (auto& device : devices) {
        const auto r = run(*device,
                           R"(VERT
DCL OUT[0], GENERIC[0]
DCL SAMP[0]
DCL SVIEW[0], 2D_MSAA, FLOAT
IMM[0] UINT32 {0, 0, 0, 0}
TXF OUT[0], IMM[0], SAMP[0], 2D_MSAA
END
)",
                           R"({"textures": {"0": {"target": "2D_MSAA", "format": "PIPE_FORMAT_Z16_UNORM", "samples": 4,
                                       "data": [[2, 0.25, 0.5, 0.75]]}}})");
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_EQ(r->outputs.at(0).at(0)[0].value, 0x3f800000u);
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
