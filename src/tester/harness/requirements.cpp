#include "harness/requirements.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <spirv/unified1/spirv.hpp11>

namespace tgsi2spv::harness {

namespace {

/// A capability, the name of the feature that a device must offer for it, and whether a device offers it.
struct Row {
    spv::Capability capability;
    const char* feature;
    bool (*offered)(const vulkan::DeviceReport&);
};

bool always(const vulkan::DeviceReport&) {
    return true;
}
template <VkBool32 VkPhysicalDeviceFeatures::*field>
bool core(const vulkan::DeviceReport& report) {
    return report.features.*field != VK_FALSE;
}
template <VkBool32 VkPhysicalDeviceVulkan11Features::*field>
bool core11(const vulkan::DeviceReport& report) {
    return report.features11.*field != VK_FALSE;
}
template <VkBool32 VkPhysicalDeviceVulkan12Features::*field>
bool core12(const vulkan::DeviceReport& report) {
    return report.features12.*field != VK_FALSE;
}
template <bool vulkan::DeviceReport::*field>
bool own(const vulkan::DeviceReport& report) {
    return report.*field;
}
template <VkSubgroupFeatureFlagBits bit>
bool subgroup(const vulkan::DeviceReport& report) {
    return (report.subgroup.supportedOperations & bit) != 0;
}

using C = spv::Capability;
using F = VkPhysicalDeviceFeatures;
using F11 = VkPhysicalDeviceVulkan11Features;
using F12 = VkPhysicalDeviceVulkan12Features;

constexpr Row kRows[] = {
    {C::Matrix, "", always},
    {C::Shader, "", always},
    {C::InputAttachment, "", always},
    {C::Sampled1D, "", always},
    {C::Image1D, "", always},
    {C::SampledBuffer, "", always},
    {C::ImageBuffer, "", always},
    {C::ImageQuery, "", always},
    {C::DerivativeControl, "", always},
    {C::SampledRect, "", always},
    {C::ImageRect, "", always},
    {C::Geometry, "geometryShader", core<&F::geometryShader>},
    {C::Tessellation, "tessellationShader", core<&F::tessellationShader>},
    {C::Float64, "shaderFloat64", core<&F::shaderFloat64>},
    {C::Int64, "shaderInt64", core<&F::shaderInt64>},
    {C::Int16, "shaderInt16", core<&F::shaderInt16>},
    {C::Int8, "shaderInt8", core12<&F12::shaderInt8>},
    {C::Float16, "shaderFloat16", core12<&F12::shaderFloat16>},
    {C::Int64Atomics, "shaderBufferInt64Atomics", core12<&F12::shaderBufferInt64Atomics>},
    {C::TessellationPointSize, "shaderTessellationAndGeometryPointSize",
     core<&F::shaderTessellationAndGeometryPointSize>},
    {C::GeometryPointSize, "shaderTessellationAndGeometryPointSize", core<&F::shaderTessellationAndGeometryPointSize>},
    {C::ImageGatherExtended, "shaderImageGatherExtended", core<&F::shaderImageGatherExtended>},
    {C::StorageImageMultisample, "shaderStorageImageMultisample", core<&F::shaderStorageImageMultisample>},
    {C::UniformBufferArrayDynamicIndexing, "shaderUniformBufferArrayDynamicIndexing",
     core<&F::shaderUniformBufferArrayDynamicIndexing>},
    {C::SampledImageArrayDynamicIndexing, "shaderSampledImageArrayDynamicIndexing",
     core<&F::shaderSampledImageArrayDynamicIndexing>},
    {C::StorageBufferArrayDynamicIndexing, "shaderStorageBufferArrayDynamicIndexing",
     core<&F::shaderStorageBufferArrayDynamicIndexing>},
    {C::StorageImageArrayDynamicIndexing, "shaderStorageImageArrayDynamicIndexing",
     core<&F::shaderStorageImageArrayDynamicIndexing>},
    {C::ClipDistance, "shaderClipDistance", core<&F::shaderClipDistance>},
    {C::CullDistance, "shaderCullDistance", core<&F::shaderCullDistance>},
    {C::ImageCubeArray, "imageCubeArray", core<&F::imageCubeArray>},
    {C::SampledCubeArray, "imageCubeArray", core<&F::imageCubeArray>},
    {C::SampleRateShading, "sampleRateShading", core<&F::sampleRateShading>},
    {C::InterpolationFunction, "sampleRateShading", core<&F::sampleRateShading>},
    {C::SparseResidency, "shaderResourceResidency", core<&F::shaderResourceResidency>},
    {C::MinLod, "shaderResourceMinLod", core<&F::shaderResourceMinLod>},
    {C::ImageMSArray, "shaderStorageImageMultisample", core<&F::shaderStorageImageMultisample>},
    {C::StorageImageExtendedFormats, "shaderStorageImageExtendedFormats", core<&F::shaderStorageImageExtendedFormats>},
    {C::StorageImageReadWithoutFormat, "shaderStorageImageReadWithoutFormat",
     core<&F::shaderStorageImageReadWithoutFormat>},
    {C::StorageImageWriteWithoutFormat, "shaderStorageImageWriteWithoutFormat",
     core<&F::shaderStorageImageWriteWithoutFormat>},
    {C::MultiViewport, "multiViewport", core<&F::multiViewport>},
    {C::DrawParameters, "shaderDrawParameters", core11<&F11::shaderDrawParameters>},
    {C::MultiView, "multiview", core11<&F11::multiview>},
    {C::ShaderLayer, "shaderOutputLayer", core12<&F12::shaderOutputLayer>},
    {C::ShaderViewportIndex, "shaderOutputViewportIndex", core12<&F12::shaderOutputViewportIndex>},
    {C::ShaderNonUniform, "descriptorIndexing", core12<&F12::descriptorIndexing>},
    {C::RuntimeDescriptorArray, "runtimeDescriptorArray", core12<&F12::runtimeDescriptorArray>},
    {C::UniformTexelBufferArrayDynamicIndexing, "shaderUniformTexelBufferArrayDynamicIndexing",
     core12<&F12::shaderUniformTexelBufferArrayDynamicIndexing>},
    {C::StorageTexelBufferArrayDynamicIndexing, "shaderStorageTexelBufferArrayDynamicIndexing",
     core12<&F12::shaderStorageTexelBufferArrayDynamicIndexing>},
    {C::UniformTexelBufferArrayNonUniformIndexing, "shaderUniformTexelBufferArrayNonUniformIndexing",
     core12<&F12::shaderUniformTexelBufferArrayNonUniformIndexing>},
    {C::StorageTexelBufferArrayNonUniformIndexing, "shaderStorageTexelBufferArrayNonUniformIndexing",
     core12<&F12::shaderStorageTexelBufferArrayNonUniformIndexing>},
    {C::UniformBufferArrayNonUniformIndexing, "shaderUniformBufferArrayNonUniformIndexing",
     core12<&F12::shaderUniformBufferArrayNonUniformIndexing>},
    {C::SampledImageArrayNonUniformIndexing, "shaderSampledImageArrayNonUniformIndexing",
     core12<&F12::shaderSampledImageArrayNonUniformIndexing>},
    {C::StorageBufferArrayNonUniformIndexing, "shaderStorageBufferArrayNonUniformIndexing",
     core12<&F12::shaderStorageBufferArrayNonUniformIndexing>},
    {C::StorageImageArrayNonUniformIndexing, "shaderStorageImageArrayNonUniformIndexing",
     core12<&F12::shaderStorageImageArrayNonUniformIndexing>},
    {C::VulkanMemoryModel, "vulkanMemoryModel", core12<&F12::vulkanMemoryModel>},
    {C::VulkanMemoryModelDeviceScope, "vulkanMemoryModelDeviceScope", core12<&F12::vulkanMemoryModelDeviceScope>},
    {C::DemoteToHelperInvocation, "shaderDemoteToHelperInvocation", own<&vulkan::DeviceReport::demote>},
    {C::StencilExportEXT, "VK_EXT_shader_stencil_export", own<&vulkan::DeviceReport::stencil_export>},
    {C::AtomicFloat32AddEXT, "shaderBufferFloat32AtomicAdd",
     [](const vulkan::DeviceReport& r) { return r.buffer_float32_atomic_add || r.image_float32_atomic_add; }},
    {C::TransformFeedback, "transformFeedback", own<&vulkan::DeviceReport::transform_feedback>},
    {C::GeometryStreams, "geometryStreams", own<&vulkan::DeviceReport::geometry_streams>},
    {C::ShaderClockKHR, "shaderSubgroupClock", own<&vulkan::DeviceReport::shader_clock>},
    {C::SampleMaskPostDepthCoverage, "VK_EXT_post_depth_coverage",
     [](const vulkan::DeviceReport& r) { return r.has(VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME); }},
    {C::ShaderViewportMaskNV, "VK_NV_viewport_array2",
     [](const vulkan::DeviceReport& r) { return r.has(VK_NV_VIEWPORT_ARRAY_2_EXTENSION_NAME); }},
    {C::FragmentShadingRateKHR, "VK_KHR_fragment_shading_rate",
     [](const vulkan::DeviceReport& r) { return r.has(VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME); }},
    {C::GroupNonUniform, "", always},
    {C::GroupNonUniformVote, "VK_SUBGROUP_FEATURE_VOTE_BIT", subgroup<VK_SUBGROUP_FEATURE_VOTE_BIT>},
    {C::GroupNonUniformArithmetic, "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT", subgroup<VK_SUBGROUP_FEATURE_ARITHMETIC_BIT>},
    {C::GroupNonUniformBallot, "VK_SUBGROUP_FEATURE_BALLOT_BIT", subgroup<VK_SUBGROUP_FEATURE_BALLOT_BIT>},
    {C::GroupNonUniformShuffle, "VK_SUBGROUP_FEATURE_SHUFFLE_BIT", subgroup<VK_SUBGROUP_FEATURE_SHUFFLE_BIT>},
    {C::GroupNonUniformQuad, "VK_SUBGROUP_FEATURE_QUAD_BIT", subgroup<VK_SUBGROUP_FEATURE_QUAD_BIT>},
    {C::SignedZeroInfNanPreserve, "", always},
    {C::RoundingModeRTE, "", always},
    {C::RoundingModeRTZ, "", always},
    {C::DenormPreserve, "", always},
    {C::DenormFlushToZero, "", always},
};

bool offers(const vulkan::DeviceReport& report, spv::ExecutionMode mode, uint32_t width) {
    const auto& c = report.float_controls;
    const auto pick = [&](VkBool32 w16, VkBool32 w32, VkBool32 w64) {
        return (width == 16 ? w16 : width == 32 ? w32 : w64) != VK_FALSE;
    };
    using M = spv::ExecutionMode;
    switch (mode) {
        case M::SignedZeroInfNanPreserve:
            return pick(c.shaderSignedZeroInfNanPreserveFloat16, c.shaderSignedZeroInfNanPreserveFloat32,
                        c.shaderSignedZeroInfNanPreserveFloat64);
        case M::RoundingModeRTE:
            return pick(c.shaderRoundingModeRTEFloat16, c.shaderRoundingModeRTEFloat32, c.shaderRoundingModeRTEFloat64);
        case M::RoundingModeRTZ:
            return pick(c.shaderRoundingModeRTZFloat16, c.shaderRoundingModeRTZFloat32, c.shaderRoundingModeRTZFloat64);
        case M::DenormPreserve:
            return pick(c.shaderDenormPreserveFloat16, c.shaderDenormPreserveFloat32, c.shaderDenormPreserveFloat64);
        case M::DenormFlushToZero:
            return pick(c.shaderDenormFlushToZeroFloat16, c.shaderDenormFlushToZeroFloat32,
                        c.shaderDenormFlushToZeroFloat64);
        default:
            return true;
    }
}

/// Returns a message if a number that an entry point of `model` declares exceeds the device's limit.
std::optional<std::string> beyond_limit(const VkPhysicalDeviceLimits& limits, spv::ExecutionModel model,
                                        spv::ExecutionMode mode, uint32_t value) {
    using M = spv::ExecutionMode;
    const bool geometry = model == spv::ExecutionModel::Geometry;
    uint32_t limit = value;
    const char* name = "";
    if (mode == M::Invocations) {
        limit = limits.maxGeometryShaderInvocations;
        name = "maxGeometryShaderInvocations";
    } else if (mode == M::OutputVertices) {
        limit = geometry ? limits.maxGeometryOutputVertices : limits.maxTessellationPatchSize;
        name = geometry ? "maxGeometryOutputVertices" : "maxTessellationPatchSize";
    }
    if (value <= limit) return std::nullopt;
    return vulkan::over_limit(name, value, limit);
}

/// Returns the number of words that output_components() reads of an instruction. A shorter instruction is invalid.
size_t fewest_words(spv::Op op) {
    switch (op) {
        case spv::Op::OpTypeStruct:
            return 2;
        case spv::Op::OpTypeInt:
        case spv::Op::OpTypeFloat:
            return 3;
        case spv::Op::OpConstant:
        case spv::Op::OpTypeVector:
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypePointer:
        case spv::Op::OpVariable:
            return 4;
        default:
            return 1;
    }
}

/// Returns the number of components of a geometry shader's output vertex: the sum over all output variables, where a
/// double counts as two. Types that cannot be outputs count as zero.
uint64_t output_components(std::span<const uint32_t> words) {
    std::map<uint32_t, uint64_t> components;  // by type; for a pointer to Output, those of its pointee
    std::map<uint32_t, uint32_t> constants;
    uint64_t total = 0;
    for (size_t at = 5, count = 0; at < words.size(); at += count) {
        count = words[at] >> 16;
        const auto* const i = words.data() + at;
        const auto op = static_cast<spv::Op>(words[at] & 0xffff);
        if (count < fewest_words(op)) continue;
        switch (op) {
            case spv::Op::OpTypeInt:
            case spv::Op::OpTypeFloat:
                components[i[1]] = (i[2] + 31) / 32;
                break;
            case spv::Op::OpConstant:
                constants[i[2]] = i[3];
                break;
            case spv::Op::OpTypeVector:
                components[i[1]] = components[i[2]] * i[3];
                break;
            case spv::Op::OpTypeArray:
                components[i[1]] = components[i[2]] * constants[i[3]];
                break;
            case spv::Op::OpTypeStruct:
                for (size_t m = 2; m < count; m++) components[i[1]] += components[i[m]];
                break;
            case spv::Op::OpTypePointer:
                if (static_cast<spv::StorageClass>(i[2]) == spv::StorageClass::Output)
                    components[i[1]] = components[i[3]];
                break;
            case spv::Op::OpVariable:
                if (static_cast<spv::StorageClass>(i[3]) == spv::StorageClass::Output) total += components[i[1]];
                break;
            case spv::Op::OpFunction:
                return total;
            default:
                break;
        }
    }
    return total;
}

/// Returns whether an instruction of a geometry shader names a stream other than 0.
bool names_other_stream(std::span<const uint32_t> words) {
    std::set<uint32_t> zeros;
    for (size_t at = 5, count = 0; at < words.size(); at += count) {
        count = words[at] >> 16;
        const auto op = static_cast<spv::Op>(words[at] & 0xffff);
        if (op == spv::Op::OpConstant && count == 4 && words[at + 3] == 0) zeros.insert(words[at + 2]);
        const bool of_stream = op == spv::Op::OpEmitStreamVertex || op == spv::Op::OpEndStreamPrimitive;
        if (of_stream && count == 2 && !zeros.contains(words[at + 1])) return true;
    }
    return false;
}

/// Returns whether the geometry shader emits lines or triangles.
bool emits_lines_or_triangles(spv::ExecutionMode mode) {
    return mode == spv::ExecutionMode::OutputLineStrip || mode == spv::ExecutionMode::OutputTriangleStrip;
}

}  // namespace

bool is_module(std::span<const uint32_t> words) {
    if (words.size() < 5 || words[0] != spv::MagicNumber) return false;
    for (size_t at = 5; at < words.size();) {
        const uint32_t count = words[at] >> 16;
        if (count == 0 || count > words.size() - at) return false;
        at += count;
    }
    return true;
}

std::optional<std::string> missing_requirement(const vulkan::DeviceReport& report, std::span<const uint32_t> words) {
    const uint32_t newest = report.info.api_version >= VK_API_VERSION_1_3 ? 0x10600u : 0x10500u;
    if (words[1] > newest) return fmt::format("SPIR-V {}.{}", words[1] >> 16, words[1] >> 8 & 0xff);
    auto model = spv::ExecutionModel::Max;
    for (size_t at = 5; at < words.size();) {
        const uint32_t count = words[at] >> 16;
        const auto op = static_cast<spv::Op>(words[at] & 0xffff);
        if (op == spv::Op::OpEntryPoint && count > 1) model = static_cast<spv::ExecutionModel>(words[at + 1]);
        if (op == spv::Op::OpCapability && count == 2) {
            const auto capability = static_cast<spv::Capability>(words[at + 1]);
            const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                           [&](const Row& r) { return r.capability == capability; });
            if (row == std::end(kRows)) return fmt::format("SPIR-V capability {}", words[at + 1]);
            if (!row->offered(report)) return std::string(row->feature);
        } else if (op == spv::Op::OpExecutionMode && count == 4) {
            const auto mode = static_cast<spv::ExecutionMode>(words[at + 2]);
            if (!offers(report, mode, words[at + 3]))
                return fmt::format("float control {} for {} bits", words[at + 2], words[at + 3]);
            if (auto beyond = beyond_limit(report.limits, model, mode, words[at + 3])) return beyond;
            if (model == spv::ExecutionModel::Geometry && mode == spv::ExecutionMode::OutputVertices) {
                const uint64_t total = output_components(words) * words[at + 3];
                const uint64_t most = report.limits.maxGeometryTotalOutputComponents;
                if (total > most) return vulkan::over_limit("maxGeometryTotalOutputComponents", total, most);
            }
        } else if (op == spv::Op::OpExecutionMode && count == 3) {
            if (emits_lines_or_triangles(static_cast<spv::ExecutionMode>(words[at + 2])) &&
                !report.streams_of_lines_and_triangles && names_other_stream(words))
                return "transformFeedbackStreamsLinesTriangles";
        } else if (op == spv::Op::OpDecorate && count == 4) {
            // The second source. Without the feature, SwiftShader draws it over the first.
            const bool index = static_cast<spv::Decoration>(words[at + 2]) == spv::Decoration::Index;
            if (index && words[at + 3] != 0 && !report.features.dualSrcBlend) return "dualSrcBlend";
        } else if (op == spv::Op::OpFunction) {
            break;
        }
        at += count;
    }
    return std::nullopt;
}

}  // namespace tgsi2spv::harness
