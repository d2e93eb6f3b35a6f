#include "spirv/requirements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "ir/image_format.h"

namespace tgsi2spv::spirv {
namespace {

using spv::Capability;

constexpr uint32_t kV13 = 0x10300, kV14 = 0x10400, kV15 = 0x10500, kV16 = 0x10600;
constexpr std::string_view kDescriptorIndexing = "SPV_EXT_descriptor_indexing";
constexpr std::string_view kFloatControls = "SPV_KHR_float_controls";

constexpr CapabilityRow row(Capability c, std::string_view name, std::string_view extension = {},
                            uint32_t core_version = 0) {
    return {c, name, extension, core_version};
}

constexpr CapabilityRow kRows[] = {
    row(Capability::Shader, "Shader"),
    row(Capability::Geometry, "Geometry"),
    row(Capability::Tessellation, "Tessellation"),
    row(Capability::Float64, "Float64"),
    row(Capability::Int64, "Int64"),
    row(Capability::TessellationPointSize, "TessellationPointSize"),
    row(Capability::GeometryPointSize, "GeometryPointSize"),
    row(Capability::ImageGatherExtended, "ImageGatherExtended"),
    row(Capability::StorageImageMultisample, "StorageImageMultisample"),
    row(Capability::UniformBufferArrayDynamicIndexing, "UniformBufferArrayDynamicIndexing"),
    row(Capability::SampledImageArrayDynamicIndexing, "SampledImageArrayDynamicIndexing"),
    row(Capability::StorageBufferArrayDynamicIndexing, "StorageBufferArrayDynamicIndexing"),
    row(Capability::StorageImageArrayDynamicIndexing, "StorageImageArrayDynamicIndexing"),
    row(Capability::ClipDistance, "ClipDistance"),
    row(Capability::CullDistance, "CullDistance"),
    row(Capability::ImageCubeArray, "ImageCubeArray"),
    row(Capability::SampleRateShading, "SampleRateShading"),
    row(Capability::InputAttachment, "InputAttachment"),
    row(Capability::SparseResidency, "SparseResidency"),
    row(Capability::MinLod, "MinLod"),
    row(Capability::Sampled1D, "Sampled1D"),
    row(Capability::Image1D, "Image1D"),
    row(Capability::SampledCubeArray, "SampledCubeArray"),
    row(Capability::SampledBuffer, "SampledBuffer"),
    row(Capability::ImageBuffer, "ImageBuffer"),
    row(Capability::ImageMSArray, "ImageMSArray"),
    row(Capability::StorageImageExtendedFormats, "StorageImageExtendedFormats"),
    row(Capability::ImageQuery, "ImageQuery"),
    row(Capability::DerivativeControl, "DerivativeControl"),
    row(Capability::InterpolationFunction, "InterpolationFunction"),
    row(Capability::TransformFeedback, "TransformFeedback"),
    row(Capability::GeometryStreams, "GeometryStreams"),
    row(Capability::StorageImageReadWithoutFormat, "StorageImageReadWithoutFormat"),
    row(Capability::StorageImageWriteWithoutFormat, "StorageImageWriteWithoutFormat"),
    row(Capability::MultiViewport, "MultiViewport"),
    row(Capability::GroupNonUniform, "GroupNonUniform"),
    row(Capability::GroupNonUniformVote, "GroupNonUniformVote"),
    row(Capability::GroupNonUniformBallot, "GroupNonUniformBallot"),
    row(Capability::GroupNonUniformShuffle, "GroupNonUniformShuffle"),
    row(Capability::ShaderLayer, "ShaderLayer"),
    row(Capability::ShaderViewportIndex, "ShaderViewportIndex"),
    row(Capability::FragmentShadingRateKHR, "FragmentShadingRateKHR", "SPV_KHR_fragment_shading_rate", 0),
    row(Capability::SubgroupBallotKHR, "SubgroupBallotKHR", "SPV_KHR_shader_ballot", 0),
    row(Capability::DrawParameters, "DrawParameters", "SPV_KHR_shader_draw_parameters", kV13),
    row(Capability::SubgroupVoteKHR, "SubgroupVoteKHR", "SPV_KHR_subgroup_vote", 0),
    row(Capability::MultiView, "MultiView", "SPV_KHR_multiview", kV13),
    row(Capability::SampleMaskPostDepthCoverage, "SampleMaskPostDepthCoverage", "SPV_KHR_post_depth_coverage", 0),
    row(Capability::SignedZeroInfNanPreserve, "SignedZeroInfNanPreserve", kFloatControls, kV14),
    row(Capability::RoundingModeRTE, "RoundingModeRTE", kFloatControls, kV14),
    row(Capability::StencilExportEXT, "StencilExportEXT", "SPV_EXT_shader_stencil_export", 0),
    row(Capability::ShaderClockKHR, "ShaderClockKHR", "SPV_KHR_shader_clock", 0),
    row(Capability::ShaderViewportIndexLayerEXT, "ShaderViewportIndexLayerEXT", "SPV_EXT_shader_viewport_index_layer",
        0),
    row(Capability::ShaderViewportMaskNV, "ShaderViewportMaskNV", "SPV_NV_viewport_array2", 0),
    row(Capability::ShaderNonUniform, "ShaderNonUniform", kDescriptorIndexing, kV15),
    row(Capability::InputAttachmentArrayDynamicIndexing, "InputAttachmentArrayDynamicIndexing", kDescriptorIndexing,
        kV15),
    row(Capability::UniformTexelBufferArrayDynamicIndexing, "UniformTexelBufferArrayDynamicIndexing",
        kDescriptorIndexing, kV15),
    row(Capability::StorageTexelBufferArrayDynamicIndexing, "StorageTexelBufferArrayDynamicIndexing",
        kDescriptorIndexing, kV15),
    row(Capability::UniformBufferArrayNonUniformIndexing, "UniformBufferArrayNonUniformIndexing", kDescriptorIndexing,
        kV15),
    row(Capability::SampledImageArrayNonUniformIndexing, "SampledImageArrayNonUniformIndexing", kDescriptorIndexing,
        kV15),
    row(Capability::StorageBufferArrayNonUniformIndexing, "StorageBufferArrayNonUniformIndexing", kDescriptorIndexing,
        kV15),
    row(Capability::StorageImageArrayNonUniformIndexing, "StorageImageArrayNonUniformIndexing", kDescriptorIndexing,
        kV15),
    row(Capability::InputAttachmentArrayNonUniformIndexing, "InputAttachmentArrayNonUniformIndexing",
        kDescriptorIndexing, kV15),
    row(Capability::UniformTexelBufferArrayNonUniformIndexing, "UniformTexelBufferArrayNonUniformIndexing",
        kDescriptorIndexing, kV15),
    row(Capability::StorageTexelBufferArrayNonUniformIndexing, "StorageTexelBufferArrayNonUniformIndexing",
        kDescriptorIndexing, kV15),
    row(Capability::DemoteToHelperInvocation, "DemoteToHelperInvocation", "SPV_EXT_demote_to_helper_invocation", kV16),
    row(Capability::AtomicFloat32AddEXT, "AtomicFloat32AddEXT", "SPV_EXT_shader_atomic_float_add", 0),
};
static_assert(std::size(kRows) <= 128);
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const auto& a, const auto& b) { return a.capability < b.capability; }));

constexpr size_t search_row(Capability capability) {
    const auto* at = std::lower_bound(std::begin(kRows), std::end(kRows), capability,
                                      [](const auto& r, Capability c) { return r.capability < c; });
    return static_cast<size_t>(at - std::begin(kRows));
}

/// The rows of the lowest capability numbers; nearly all are among them.
constexpr auto kFirstRows = [] {
    std::array<uint8_t, 72> rows{};
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<uint8_t>(search_row(static_cast<Capability>(i)));
    return rows;
}();

size_t row_of(Capability capability) {
    const auto number = static_cast<size_t>(capability);
    return number < kFirstRows.size() ? kFirstRows[number] : search_row(capability);
}

}  // namespace

std::span<const CapabilityRow> capability_rows() {
    return kRows;
}

std::string_view capability_name(Capability capability) {
    const size_t i = row_of(capability);
    return i < std::size(kRows) && kRows[i].capability == capability ? kRows[i].name : std::string_view{};
}

void Requirements::clear(uint32_t version, ir::Stage stage, bool layers_by_geometry) {
    version_ = version;
    stage_ = stage;
    layers_by_geometry_ = layers_by_geometry && stage == ir::Stage::Fragment;
    rows_ = {};
    std::fill(std::begin(ops_), std::end(ops_), false);
    add(Capability::Shader);
    if (stage == ir::Stage::Geometry) add(Capability::Geometry);
    if (stage == ir::Stage::TessControl || stage == ir::Stage::TessEval) add(Capability::Tessellation);
}

void Requirements::add(Capability capability) {
    const size_t row = row_of(capability);
    rows_[row / 64] |= uint64_t{1} << row % 64;
}

bool Requirements::has(Capability capability) const {
    const size_t row = row_of(capability);
    return (rows_[row / 64] >> row % 64 & 1) != 0;
}

void Requirements::scalar(ir::Scalar scalar) {
    if (scalar == ir::Scalar::F64) add(Capability::Float64);
    if (scalar == ir::Scalar::U64) add(Capability::Int64);
}

void Requirements::image_type(const ir::ImageType& image, bool storage) {
    switch (image.dim) {
        case ir::ImageDim::D1:
            add(storage ? Capability::Image1D : Capability::Sampled1D);
            break;
        case ir::ImageDim::Cube:
            if (image.array) add(storage ? Capability::ImageCubeArray : Capability::SampledCubeArray);
            break;
        case ir::ImageDim::Buffer:
            add(storage ? Capability::ImageBuffer : Capability::SampledBuffer);
            break;
        case ir::ImageDim::SubpassData:
            add(Capability::InputAttachment);
            return;
        case ir::ImageDim::D2:
        case ir::ImageDim::D3:
            break;
    }
    if (!storage) return;
    if (image.ms) add(Capability::StorageImageMultisample);
    if (image.ms && image.array) add(Capability::ImageMSArray);
    if (!ir::is_base_format(static_cast<spv::ImageFormat>(image.format))) add(Capability::StorageImageExtendedFormats);
}

void Requirements::image_operands(uint32_t mask) {
    using Mask = spv::ImageOperandsMask;
    if (mask & static_cast<uint32_t>(Mask::Offset | Mask::ConstOffsets)) add(Capability::ImageGatherExtended);
    if (mask & static_cast<uint32_t>(Mask::MinLod)) add(Capability::MinLod);
}

void Requirements::storage_access(const ir::ImageType& image, bool write) {
    if (image.dim == ir::ImageDim::SubpassData || image.format != 0) return;
    add(write ? Capability::StorageImageWriteWithoutFormat : Capability::StorageImageReadWithoutFormat);
}

void Requirements::interpolation(ir::SampleLocation location) {
    if (location == ir::SampleLocation::Sample) add(Capability::SampleRateShading);
}

namespace {

constexpr std::pair<ir::BuiltIn, Capability> kCapabilityOf[] = {
    {ir::BuiltIn::ClipDistance, Capability::ClipDistance},
    {ir::BuiltIn::CullDistance, Capability::CullDistance},
    {ir::BuiltIn::BaseVertex, Capability::DrawParameters},
    {ir::BuiltIn::BaseInstance, Capability::DrawParameters},
    {ir::BuiltIn::DrawIndex, Capability::DrawParameters},
    {ir::BuiltIn::SampleId, Capability::SampleRateShading},
    {ir::BuiltIn::SamplePosition, Capability::SampleRateShading},
    {ir::BuiltIn::FragStencilRef, Capability::StencilExportEXT},
    {ir::BuiltIn::ViewportMask, Capability::ShaderViewportMaskNV},
    {ir::BuiltIn::ViewIndex, Capability::MultiView},
    {ir::BuiltIn::ShadingRate, Capability::FragmentShadingRateKHR},
};

}  // namespace

void Requirements::builtin(ir::BuiltIn builtin) {
    for (const auto& [of, capability] : kCapabilityOf)
        if (of == builtin) return add(capability);
    switch (builtin) {
        case ir::BuiltIn::PointSize:
            // Also for input vertices: their size is a member of the same block.
            if (stage_ == ir::Stage::Geometry) add(Capability::GeometryPointSize);
            if (stage_ == ir::Stage::TessControl || stage_ == ir::Stage::TessEval)
                add(Capability::TessellationPointSize);
            break;
        case ir::BuiltIn::PrimitiveId:
            if (stage_ == ir::Stage::Fragment) add(Capability::Geometry);
            break;
        case ir::BuiltIn::Layer:
            if (stage_ == ir::Stage::Geometry) break;
            if (layers_by_geometry_)
                add(Capability::Geometry);
            else
                add(version_ >= kV15 ? Capability::ShaderLayer : Capability::ShaderViewportIndexLayerEXT);
            break;
        case ir::BuiltIn::ViewportIndex:
            if (stage_ == ir::Stage::Geometry || layers_by_geometry_)
                add(Capability::MultiViewport);
            else
                add(version_ >= kV15 ? Capability::ShaderViewportIndex : Capability::ShaderViewportIndexLayerEXT);
            break;
        case ir::BuiltIn::SubgroupSize:
        case ir::BuiltIn::SubgroupLocalInvocationId:
            add(version_ >= kV13 ? Capability::GroupNonUniform : Capability::SubgroupBallotKHR);
            break;
        case ir::BuiltIn::SubgroupEqMask:
        case ir::BuiltIn::SubgroupGeMask:
        case ir::BuiltIn::SubgroupGtMask:
        case ir::BuiltIn::SubgroupLeMask:
        case ir::BuiltIn::SubgroupLtMask:
            add(version_ >= kV13 ? Capability::GroupNonUniformBallot : Capability::SubgroupBallotKHR);
            break;
        default:
            break;
    }
}

void Requirements::descriptor_index(const ir::Variable& variable, bool non_uniform) {
    const bool texel_buffer = variable.image.dim == ir::ImageDim::Buffer;
    Capability dynamic{}, divergent{};
    switch (variable.kind) {
        case ir::VariableKind::ConstantBuffer:
            dynamic = variable.storage ? Capability::StorageBufferArrayDynamicIndexing
                                       : Capability::UniformBufferArrayDynamicIndexing;
            divergent = variable.storage ? Capability::StorageBufferArrayNonUniformIndexing
                                         : Capability::UniformBufferArrayNonUniformIndexing;
            break;
        case ir::VariableKind::StorageBuffer:
            dynamic = Capability::StorageBufferArrayDynamicIndexing;
            divergent = Capability::StorageBufferArrayNonUniformIndexing;
            break;
        case ir::VariableKind::CombinedImage:
        case ir::VariableKind::SampledImage:
            dynamic = texel_buffer ? Capability::UniformTexelBufferArrayDynamicIndexing
                                   : Capability::SampledImageArrayDynamicIndexing;
            divergent = texel_buffer ? Capability::UniformTexelBufferArrayNonUniformIndexing
                                     : Capability::SampledImageArrayNonUniformIndexing;
            break;
        case ir::VariableKind::Sampler:
            dynamic = Capability::SampledImageArrayDynamicIndexing;
            divergent = Capability::SampledImageArrayNonUniformIndexing;
            break;
        case ir::VariableKind::StorageImage:
            dynamic = texel_buffer ? Capability::StorageTexelBufferArrayDynamicIndexing
                                   : Capability::StorageImageArrayDynamicIndexing;
            divergent = texel_buffer ? Capability::StorageTexelBufferArrayNonUniformIndexing
                                     : Capability::StorageImageArrayNonUniformIndexing;
            break;
        case ir::VariableKind::InputAttachment:
            dynamic = Capability::InputAttachmentArrayDynamicIndexing;
            divergent = Capability::InputAttachmentArrayNonUniformIndexing;
            break;
        case ir::VariableKind::Input:
        case ir::VariableKind::Output:
        case ir::VariableKind::Private:
        case ir::VariableKind::Local:
        case ir::VariableKind::Shared:
        case ir::VariableKind::PushConstant:
        case ir::VariableKind::IoBuffer:
            return;
    }
    add(dynamic);
    if (!non_uniform) return;
    add(Capability::ShaderNonUniform);
    add(divergent);
}

void Requirements::derive_from_ops() {
    const auto used = [&](ir::Op op) { return ops_[static_cast<size_t>(op)]; };
    const bool khr = version_ < kV13;  // in older versions, subgroup operations were extensions
    if (used(ir::Op::DPdxFine) || used(ir::Op::DPdyFine)) add(Capability::DerivativeControl);
    if (used(ir::Op::InterpCentroid) || used(ir::Op::InterpSample) || used(ir::Op::InterpOffset))
        add(Capability::InterpolationFunction);
    if (used(ir::Op::ImageQuerySize) || used(ir::Op::ImageQueryLevels) || used(ir::Op::ImageQuerySamples) ||
        used(ir::Op::ImageQueryLod))
        add(Capability::ImageQuery);
    if (used(ir::Op::SparseResident)) add(Capability::SparseResidency);
    if (used(ir::Op::Demote)) add(Capability::DemoteToHelperInvocation);
    if (used(ir::Op::Clock)) add(Capability::ShaderClockKHR);
    if (used(ir::Op::GroupAll) || used(ir::Op::GroupAny) || used(ir::Op::GroupAllEqual))
        add(khr ? Capability::SubgroupVoteKHR : Capability::GroupNonUniformVote);
    if (used(ir::Op::GroupBallot) || used(ir::Op::GroupFirst) || used(ir::Op::GroupBroadcast))
        add(khr ? Capability::SubgroupBallotKHR : Capability::GroupNonUniformBallot);
    if (used(ir::Op::GroupShuffle)) add(khr ? Capability::SubgroupBallotKHR : Capability::GroupNonUniformShuffle);
    if (has(Capability::GroupNonUniformVote) || has(Capability::GroupNonUniformBallot) ||
        has(Capability::GroupNonUniformShuffle))
        add(Capability::GroupNonUniform);
}

void Requirements::emit(WordBuffer& out) {
    derive_from_ops();
    const auto for_each = [&](auto&& visit) {
        for (size_t word = 0; word < rows_.size(); ++word)
            for (uint64_t bits = rows_[word]; bits != 0; bits &= bits - 1)
                visit(kRows[word * 64 + static_cast<size_t>(std::countr_zero(bits))]);
    };
    for_each([&](const CapabilityRow& r) { put(out, spv::Op::OpCapability, {r.capability}); });
    const CapabilityRow* seen[16];  // with different extensions, which are fewer
    size_t count = 0;
    for_each([&](const CapabilityRow& r) {
        if (r.extension.empty()) return;
        // OpIsHelperInvocationEXT did not become core with its extension.
        const bool asks_helpers =
            r.capability == Capability::DemoteToHelperInvocation && ops_[static_cast<size_t>(ir::Op::IsHelper)];
        if (r.core_version != 0 && version_ >= r.core_version && !asks_helpers) return;
        const auto is_same = [&](const CapabilityRow* other) { return other->extension == r.extension; };
        if (std::any_of(seen, seen + count, is_same)) return;
        seen[count++] = &r;
        const size_t length = r.extension.size() / 4 + 2;
        out.push(static_cast<uint32_t>(length) << 16 | static_cast<uint32_t>(spv::Op::OpExtension));
        push_string(out, r.extension);
    });
}

}  // namespace tgsi2spv::spirv
