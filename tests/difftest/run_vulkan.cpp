// Small shaders whose answers Vulkan promises exactly, through conversion and device.
#include "difftest/run_vulkan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <iostream>

#include "difftest/case.h"
#include "difftest/compare.h"
#include "vulkan/instance.h"

namespace tgsi2spv::difftest {
namespace {

uint32_t f(float v) {
    return std::bit_cast<uint32_t>(v);
}

class RunVulkan : public testing::Test {
  protected:
    void SetUp() override {
        auto made = vulkan::Instance::create({.validation = true});
        ASSERT_TRUE(made) << made.error().message;
        instance = std::move(*made);
        for (const char* name : {"llvmpipe", "SwiftShader"}) {
            const auto info = instance->find(name);
            if (!info) {
                std::cout << "not here, not tested: " << name << "\n";
                continue;
            }
            auto device = vulkan::Device::create(*instance, *info);
            ASSERT_TRUE(device) << device.error().message;
            devices.push_back(std::move(*device));
        }
        ASSERT_FALSE(devices.empty()) << "no software Vulkan is installed (tools/install-deps)";
    }
    void TearDown() override {
        devices.clear();
        if (!instance) return;
        for (const auto& m : instance->take_messages()) ADD_FAILURE() << "validation: " << m;
    }

    tl::expected<reference::Result, VulkanTrouble> run(vulkan::Device& device, const char* shader, const char* json) {
        const auto inputs = read_inputs(json);
        EXPECT_TRUE(inputs) << inputs.error();
        api::Options options;
        EXPECT_TRUE(api::parse(context, shader, options));
        return run_vulkan(device, context, *inputs, {});
    }

    std::unique_ptr<vulkan::Instance> instance;
    std::vector<std::unique_ptr<vulkan::Device>> devices;
    api::Context context;
};

std::vector<uint32_t> column(const reference::Result& r, int32_t reg, int component) {
    std::vector<uint32_t> words;
    for (const auto& lane : r.outputs.at(reg)) words.push_back(lane[static_cast<size_t>(component)].value);
    return words;
}

TEST_F(RunVulkan, VerticesReadInputsConstantsAndSystemValues) {
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto r =
            run(*device,
                "VERT\nDCL IN[0]\nDCL IN[1]\nDCL SV[0], VERTEXID\nDCL SV[1], INSTANCEID\n"
                "DCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL CONST[0][0..1]\n"
                "MOV OUT[0], IN[1]\nUADD OUT[1].x, SV[0].xxxx, SV[1].xxxx\nMOV OUT[1].y, CONST[0][1].zzzz\nEND\n",
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

TEST_F(RunVulkan, FragmentsAreKilledAndDifferInQuads) {
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto r = run(*device,
                           "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n"
                           "KILL_IF IN[0].yyyy\nDDX_FINE OUT[0].x, IN[0]\nDDY_FINE OUT[0].y, IN[0].xxxx\nEND\n",
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

TEST_F(RunVulkan, TexturesOfEveryTargetAreBound) {
    struct Row {
        const char* target;
        const char* coordinate;  ///< in texels of an 2x2x2 texture of values 1, 2, 3, …
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
                                    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\n"
                                    "DCL SVIEW[0], ") +
                                row.target + ", FLOAT\nTEX_LZ OUT[0], IN[0], SAMP[0], " + row.target + "\nEND\n";
            const auto json = std::string(R"({"lanes": 1, "inputs": {"IN[0]": [)") + row.coordinate +
                              R"(]}, "textures": {"0": {"target": ")" + row.target +
                              R"(", "format": "PIPE_FORMAT_R32_FLOAT", )" + row.texture + "}}}";
            const auto r = run(*device, shader.c_str(), json.c_str());
            ASSERT_TRUE(r) << r.error().message;
            EXPECT_EQ(column(*r, 0, 0)[0], f(row.expected));
        }
}

TEST_F(RunVulkan, WhatCannotBeBroughtAboutIsTold) {
    auto& device = *devices.front();
    const char* shader =
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n"
        "TEX OUT[0], IN[0], SAMP[0], 2D\nEND\n";
    auto r = run(device, shader, R"({"textures": {"0": {"target": "3D", "format": "PIPE_FORMAT_R32_FLOAT"}}})");
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().kind, Trouble::Case);
    EXPECT_EQ(r.error().message, "textures.0: the shader samples another shape than 3D");
    r = run(device, shader, R"({"samplers": {"0": {"wrap_s": "CLAMP"}}})");
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().message, "samplers.0: Vulkan has no wrap mode CLAMP");
    r = run(device, shader, R"({"textures": {"0": {"target": "2D", "format": "PIPE_FORMAT_R32_UINT"}}})");
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().message, "textures.0: the shader reads another type than PIPE_FORMAT_R32_UINT holds");
    r = run(device, "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 1\nEND\n", "{}");
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().kind, Trouble::Missing);
}

}  // namespace
}  // namespace tgsi2spv::difftest
