#include "harness/requirements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <spirv/unified1/spirv.hpp11>

namespace tgsi2spv::harness {
namespace {

std::vector<uint32_t> module_with(std::initializer_list<std::initializer_list<uint32_t>> instructions,
                                  uint32_t version = 0x10500) {
    std::vector<uint32_t> words{spv::MagicNumber, version, 0, 10, 0};
    for (const auto& i : instructions) {
        words.push_back(static_cast<uint32_t>(i.size()) << 16 | *i.begin());
        words.insert(words.end(), i.begin() + 1, i.end());
    }
    return words;
}

template <class Enum>
uint32_t word(Enum e) {
    return static_cast<uint32_t>(e);
}

/// Of a device of Vulkan 1.2 without features.
vulkan::DeviceReport bare_report() {
    vulkan::DeviceReport report;
    report.info.api_version = VK_API_VERSION_1_2;
    return report;
}

std::vector<uint32_t> with_capability(spv::Capability c) {
    return module_with({{word(spv::Op::OpCapability), word(c)}});
}

TEST(Requirements, ACapabilityNeedsItsFeature) {
    const vulkan::DeviceReport bare = bare_report();
    EXPECT_EQ(missing_requirement(bare, with_capability(spv::Capability::Shader)), std::nullopt);
    EXPECT_EQ(missing_requirement(bare, with_capability(spv::Capability::Geometry)), "geometryShader");
    EXPECT_EQ(missing_requirement(bare, with_capability(spv::Capability::DemoteToHelperInvocation)),
              "shaderDemoteToHelperInvocation");
    EXPECT_EQ(missing_requirement(bare, with_capability(spv::Capability::Kernel)), "SPIR-V capability 6");
    auto able = bare;
    able.features.geometryShader = VK_TRUE;
    able.demote = true;
    EXPECT_EQ(missing_requirement(able, with_capability(spv::Capability::Geometry)), std::nullopt);
    EXPECT_EQ(missing_requirement(able, with_capability(spv::Capability::DemoteToHelperInvocation)), std::nullopt);
}

TEST(Requirements, FloatControlsAreOfferedByWidth) {
    vulkan::DeviceReport report = bare_report();
    report.float_controls.shaderRoundingModeRTEFloat32 = VK_TRUE;
    const auto mode = [](uint32_t width) {
        return module_with({{word(spv::Op::OpExecutionMode), 4, word(spv::ExecutionMode::RoundingModeRTE), width}});
    };
    EXPECT_EQ(missing_requirement(report, mode(32)), std::nullopt);
    EXPECT_EQ(missing_requirement(report, mode(64)), "float control 4462 for 64 bits");
}

TEST(Requirements, ASecondSourceNeedsItsFeature) {
    vulkan::DeviceReport report = bare_report();
    const auto source = [](uint32_t index) {
        return module_with({{word(spv::Op::OpDecorate), 4, word(spv::Decoration::Index), index}});
    };
    EXPECT_EQ(missing_requirement(report, source(0)), std::nullopt);
    EXPECT_EQ(missing_requirement(report, source(1)), "dualSrcBlend");
    report.features.dualSrcBlend = VK_TRUE;
    EXPECT_EQ(missing_requirement(report, source(1)), std::nullopt);
}

TEST(Requirements, DeclarationsAreCheckedAgainstTheLimitsOfTheStage) {
    vulkan::DeviceReport report = bare_report();
    report.limits.maxGeometryShaderInvocations = 32;
    report.limits.maxGeometryOutputVertices = 256;
    report.limits.maxTessellationPatchSize = 32;
    using Model = spv::ExecutionModel;
    const auto declared = [&](Model model, spv::ExecutionMode mode, uint32_t value) {
        return missing_requirement(report, module_with({{word(spv::Op::OpEntryPoint), word(model), 4, 0},
                                                        {word(spv::Op::OpExecutionMode), 4, word(mode), value}}));
    };
    EXPECT_EQ(declared(Model::Geometry, spv::ExecutionMode::Invocations, 32), std::nullopt);
    EXPECT_EQ(declared(Model::Geometry, spv::ExecutionMode::Invocations, 33),
              "maxGeometryShaderInvocations of 33 (the device has 32)");
    EXPECT_EQ(declared(Model::Geometry, spv::ExecutionMode::OutputVertices, 256), std::nullopt);
    EXPECT_EQ(declared(Model::Geometry, spv::ExecutionMode::OutputVertices, 257),
              "maxGeometryOutputVertices of 257 (the device has 256)");
    EXPECT_EQ(declared(Model::TessellationControl, spv::ExecutionMode::OutputVertices, 33),
              "maxTessellationPatchSize of 33 (the device has 32)");
}

/// An output of 3 × vec4 and a double: 14 components per vertex.
TEST(Requirements, OutputsOfGeometryShadersAreCountedOverTheirVertices) {
    vulkan::DeviceReport report = bare_report();
    report.limits.maxGeometryOutputVertices = 256;
    report.limits.maxGeometryTotalOutputComponents = 1024;
    const auto missing = [&](uint32_t vertices, spv::StorageClass storage) {
        return missing_requirement(
            report,
            module_with({{word(spv::Op::OpEntryPoint), word(spv::ExecutionModel::Geometry), 1, 0},
                         {word(spv::Op::OpExecutionMode), 1, word(spv::ExecutionMode::OutputVertices), vertices},
                         {word(spv::Op::OpTypeFloat), 2, 32},
                         {word(spv::Op::OpTypeVector), 3, 2, 4},
                         {word(spv::Op::OpTypeInt), 4, 32, 0},
                         {word(spv::Op::OpConstant), 4, 5, 3},
                         {word(spv::Op::OpTypeArray), 6, 3, 5},
                         {word(spv::Op::OpTypeFloat), 7, 64},
                         {word(spv::Op::OpTypeStruct), 8, 6, 7},
                         {word(spv::Op::OpTypePointer), 9, word(storage), 8},
                         {word(spv::Op::OpVariable), 9, 10, word(storage)}}));
    };
    EXPECT_EQ(missing(73, spv::StorageClass::Output), std::nullopt);
    EXPECT_EQ(missing(74, spv::StorageClass::Output), "maxGeometryTotalOutputComponents of 1036 (the device has 1024)");
    EXPECT_EQ(missing(74, spv::StorageClass::Input), std::nullopt);
}

/// A variable without its storage class: the word after it belongs to the next instruction.
TEST(Requirements, WordsAfterAShortInstructionAreNotItsOperands) {
    vulkan::DeviceReport report = bare_report();
    report.limits.maxGeometryOutputVertices = 256;
    report.limits.maxGeometryTotalOutputComponents = 1024;
    const uint32_t output = word(spv::StorageClass::Output);
    EXPECT_EQ(
        missing_requirement(
            report, module_with({{word(spv::Op::OpEntryPoint), word(spv::ExecutionModel::Geometry), 1, 0},
                                 {word(spv::Op::OpExecutionMode), 1, word(spv::ExecutionMode::OutputVertices), 256},
                                 {word(spv::Op::OpTypeFloat), 2, 32},
                                 {word(spv::Op::OpTypeVector), 3, 2, 8},
                                 {word(spv::Op::OpTypePointer), 9, output, 3},
                                 {word(spv::Op::OpVariable), 9},
                                 {word(spv::Op::OpSource), output}})),
        std::nullopt);
}

TEST(Requirements, OtherStreamsTakeLinesAndTrianglesWhereTheDeviceSaysSo) {
    vulkan::DeviceReport report = bare_report();
    const auto missing = [&](spv::ExecutionMode primitive, uint32_t stream) {
        return missing_requirement(
            report, module_with({{word(spv::Op::OpEntryPoint), word(spv::ExecutionModel::Geometry), 1, 0},
                                 {word(spv::Op::OpExecutionMode), 1, word(primitive)},
                                 {word(spv::Op::OpConstant), 2, 3, stream},
                                 {word(spv::Op::OpFunction), 4, 1, 0, 5},
                                 {word(spv::Op::OpEmitStreamVertex), 3}}));
    };
    EXPECT_EQ(missing(spv::ExecutionMode::OutputPoints, 1), std::nullopt);
    EXPECT_EQ(missing(spv::ExecutionMode::OutputTriangleStrip, 0), std::nullopt);
    for (const auto mode : {spv::ExecutionMode::OutputLineStrip, spv::ExecutionMode::OutputTriangleStrip})
        EXPECT_EQ(missing(mode, 1), "transformFeedbackStreamsLinesTriangles");
    report.streams_of_lines_and_triangles = true;
    EXPECT_EQ(missing(spv::ExecutionMode::OutputTriangleStrip, 1), std::nullopt);
}

TEST(Requirements, TheVersionOfTheModuleIsHeldAgainstTheDevices) {
    vulkan::DeviceReport report = bare_report();
    EXPECT_EQ(missing_requirement(report, module_with({}, 0x10600)), "SPIR-V 1.6");
    report.info.api_version = VK_API_VERSION_1_3;
    EXPECT_EQ(missing_requirement(report, module_with({}, 0x10600)), std::nullopt);
}

TEST(Requirements, BrokenModulesAreNoModules) {
    EXPECT_FALSE(is_module({}));
    EXPECT_FALSE(is_module(std::vector<uint32_t>{1, 2, 3, 4, 5}));
    EXPECT_TRUE(is_module(module_with({})));
    auto cut = with_capability(spv::Capability::Shader);
    cut.pop_back();
    EXPECT_FALSE(is_module(cut));
    auto zero = module_with({});
    zero.push_back(0);
    EXPECT_FALSE(is_module(zero));
}

}  // namespace
}  // namespace tgsi2spv::harness
