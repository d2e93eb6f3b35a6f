#include "spirv/features.h"

#include <algorithm>
#include <iterator>

#include "spirv/emit.h"

namespace tgsi2spv::spirv {
namespace {

using spv::Capability;

struct Row {
    Capability capability;
    std::string_view feature;
};

// Vulkan, "Appendix A: Vulkan Environment for SPIR-V", the table of capabilities.
constexpr Row kRows[] = {
    {Capability::Geometry, "geometryShader"},
    {Capability::Tessellation, "tessellationShader"},
    {Capability::Float64, "shaderFloat64"},
    {Capability::Int64, "shaderInt64"},
    {Capability::TessellationPointSize, "shaderTessellationAndGeometryPointSize"},
    {Capability::GeometryPointSize, "shaderTessellationAndGeometryPointSize"},
    {Capability::ImageGatherExtended, "shaderImageGatherExtended"},
    {Capability::StorageImageMultisample, "shaderStorageImageMultisample"},
    {Capability::ImageMSArray, "shaderStorageImageMultisample"},
    {Capability::UniformBufferArrayDynamicIndexing, "shaderUniformBufferArrayDynamicIndexing"},
    {Capability::SampledImageArrayDynamicIndexing, "shaderSampledImageArrayDynamicIndexing"},
    {Capability::StorageBufferArrayDynamicIndexing, "shaderStorageBufferArrayDynamicIndexing"},
    {Capability::StorageImageArrayDynamicIndexing, "shaderStorageImageArrayDynamicIndexing"},
    {Capability::ClipDistance, "shaderClipDistance"},
    {Capability::CullDistance, "shaderCullDistance"},
    {Capability::ImageCubeArray, "imageCubeArray"},
    {Capability::SampledCubeArray, "imageCubeArray"},
    {Capability::SampleRateShading, "sampleRateShading"},
    {Capability::InterpolationFunction, "sampleRateShading"},
    {Capability::SparseResidency, "shaderResourceResidency"},
    {Capability::MinLod, "shaderResourceMinLod"},
    {Capability::StorageImageExtendedFormats, "shaderStorageImageExtendedFormats"},
    {Capability::StorageImageReadWithoutFormat, "shaderStorageImageReadWithoutFormat"},
    {Capability::StorageImageWriteWithoutFormat, "shaderStorageImageWriteWithoutFormat"},
    {Capability::GeometryStreams, "geometryStreams"},
    {Capability::TransformFeedback, "transformFeedback"},
    {Capability::MultiViewport, "multiViewport"},
    {Capability::GroupNonUniform, "VK_SUBGROUP_FEATURE_BASIC_BIT"},
    {Capability::GroupNonUniformVote, "VK_SUBGROUP_FEATURE_VOTE_BIT"},
    {Capability::GroupNonUniformBallot, "VK_SUBGROUP_FEATURE_BALLOT_BIT"},
    {Capability::GroupNonUniformShuffle, "VK_SUBGROUP_FEATURE_SHUFFLE_BIT"},
    {Capability::SubgroupBallotKHR, "VK_EXT_shader_subgroup_ballot"},
    {Capability::SubgroupVoteKHR, "VK_EXT_shader_subgroup_vote"},
    {Capability::ShaderLayer, "shaderOutputLayer"},
    {Capability::ShaderViewportIndex, "shaderOutputViewportIndex"},
    {Capability::ShaderViewportIndexLayerEXT, "VK_EXT_shader_viewport_index_layer"},
    {Capability::ShaderViewportMaskNV, "VK_NV_viewport_array2"},
    {Capability::FragmentShadingRateKHR, "VK_KHR_fragment_shading_rate"},
    {Capability::DrawParameters, "shaderDrawParameters"},
    {Capability::MultiView, "multiview"},
    {Capability::SampleMaskPostDepthCoverage, "VK_EXT_post_depth_coverage"},
    {Capability::RoundingModeRTE, "shaderRoundingModeRTEFloat32"},
    {Capability::StencilExportEXT, "VK_EXT_shader_stencil_export"},
    {Capability::ShaderClockKHR, "shaderSubgroupClock"},
    {Capability::InputAttachmentArrayDynamicIndexing, "shaderInputAttachmentArrayDynamicIndexing"},
    {Capability::UniformTexelBufferArrayDynamicIndexing, "shaderUniformTexelBufferArrayDynamicIndexing"},
    {Capability::StorageTexelBufferArrayDynamicIndexing, "shaderStorageTexelBufferArrayDynamicIndexing"},
    {Capability::UniformBufferArrayNonUniformIndexing, "shaderUniformBufferArrayNonUniformIndexing"},
    {Capability::SampledImageArrayNonUniformIndexing, "shaderSampledImageArrayNonUniformIndexing"},
    {Capability::StorageBufferArrayNonUniformIndexing, "shaderStorageBufferArrayNonUniformIndexing"},
    {Capability::StorageImageArrayNonUniformIndexing, "shaderStorageImageArrayNonUniformIndexing"},
    {Capability::InputAttachmentArrayNonUniformIndexing, "shaderInputAttachmentArrayNonUniformIndexing"},
    {Capability::UniformTexelBufferArrayNonUniformIndexing, "shaderUniformTexelBufferArrayNonUniformIndexing"},
    {Capability::StorageTexelBufferArrayNonUniformIndexing, "shaderStorageTexelBufferArrayNonUniformIndexing"},
    {Capability::DemoteToHelperInvocation, "shaderDemoteToHelperInvocation"},
};

bool adds_floats(const ir::Instruction& instruction) {
    return static_cast<ir::AtomicOp>(instruction.sub) == ir::AtomicOp::FAdd;
}

/// Memory that the shader could write: Vulkan requires the feature unless the memory is decorated NonWritable
/// (VUID-RuntimeSpirv-NonWritable-06340, -06341).
bool is_writable(const ir::Variable& variable) {
    const bool memory = variable.kind == ir::VariableKind::StorageBuffer ||
                        variable.kind == ir::VariableKind::StorageImage ||
                        (variable.kind == ir::VariableKind::IoBuffer && variable.index == 1);
    return memory && !variable.non_writable;
}

/// Streams other than 0 take only points on many devices (VUID-RuntimeSpirv-
/// transformFeedbackStreamsLinesTriangles-06311).
bool lines_of_other_stream(const ir::EntryPoint& entry, const ir::Instruction& instruction) {
    return (instruction.op == ir::Op::EmitVertex || instruction.op == ir::Op::EndPrimitive) && instruction.aux != 0 &&
           entry.output_primitive != ir::OutputPrimitive::Points;
}

static_assert(std::ranges::all_of(kRows, [](const Row& row) { return row.feature.size() <= ir::Name::kMax; }));

}  // namespace

std::string_view feature_of(Capability capability) {
    const auto* row = std::ranges::find(kRows, capability, &Row::capability);
    return row == std::end(kRows) ? std::string_view{} : row->feature;
}

void add_features(const ir::Module& module, uint32_t version, std::span<const uint8_t> used_variables,
                  std::pmr::vector<ir::Name>& features) {
    const auto add = [&](std::string_view name) {
        if (std::ranges::find(features, name, &ir::Name::view) == features.end()) features.emplace_back(name);
    };
    const ir::Stage stage = module.entry.stage;
    for (size_t i = 0; i < module.variables.size(); ++i) {
        if (used_variables[i] == 0) continue;
        const ir::Variable& v = module.variables[i];
        if (is_writable(v) && stage == ir::Stage::Fragment) add("fragmentStoresAndAtomics");
        if (is_writable(v) && stage != ir::Stage::Fragment && stage != ir::Stage::Compute)
            add("vertexPipelineStoresAndAtomics");
        if (v.kind == ir::VariableKind::Shared && v.zero_initialised) add("shaderZeroInitializeWorkgroupMemory");
        if (v.kind == ir::VariableKind::Output && v.dual_source != 0) add("dualSrcBlend");
        // Before Vulkan 1.3 also where nothing of the kind happens (VUID-RuntimeSpirv-apiVersion-07954, -07955).
        if (v.kind == ir::VariableKind::StorageImage && v.image.format == 0 && version < kSpirv16) {
            if (!v.non_writable) add("shaderStorageImageWriteWithoutFormat");
            if (!v.non_readable) add("shaderStorageImageReadWithoutFormat");
        }
    }
    for (const ir::Function& f : module.functions)
        for (const ir::Instruction& i : f.instructions) {
            if (i.op == ir::Op::Atomic && adds_floats(i)) add("shaderBufferFloat32AtomicAdd");
            if (i.op == ir::Op::ImageAtomic && adds_floats(i)) add("shaderImageFloat32AtomicAdd");
            if (lines_of_other_stream(module.entry, i)) add("transformFeedbackStreamsLinesTriangles");
            if (i.op == ir::Op::GroupBroadcast && !i.dead && !ir::is_constant(f.args_of(i)[1]))
                add("subgroupBroadcastDynamicId");
        }
    // Some features and properties of later core versions were extensions without a feature.
    const auto has = [&](std::string_view name) {
        return std::ranges::find(features, name, &ir::Name::view) != features.end();
    };
    if (version < kSpirv13 && has("shaderDrawParameters")) add("VK_KHR_shader_draw_parameters");
    if (version < kSpirv13 && has("multiview")) add("VK_KHR_multiview");
    if (version < kSpirv14 &&
        (module.entry.float_controls || module.entry.float_controls_64 || has("shaderRoundingModeRTEFloat32")))
        add("VK_KHR_shader_float_controls");
    if (module.entry.float_controls) add("shaderSignedZeroInfNanPreserveFloat32");
    if (module.entry.float_controls_64 && has("shaderFloat64")) add("shaderSignedZeroInfNanPreserveFloat64");
    if (module.entry.post_depth_coverage) add("VK_EXT_post_depth_coverage");
    if (module.entry.blend_equations != 0) add("VK_EXT_blend_operation_advanced");
}

}  // namespace tgsi2spv::spirv
