#include "ir/names.h"

#include <iterator>

namespace tgsi2spv::ir {

template <>
std::span<const std::string_view> names<Scalar>() {
    static constexpr std::string_view kNames[] = {"void", "bool", "u32", "f32", "u64", "f64"};
    static_assert(std::size(kNames) == static_cast<size_t>(Scalar::F64) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<AtomicOp>() {
    static constexpr std::string_view kNames[] = {
        "IAdd", "SMin", "SMax", "UMin", "UMax", "And", "Or", "Xor", "Exchange", "CompareExchange", "FAdd"};
    static_assert(std::size(kNames) == static_cast<size_t>(AtomicOp::FAdd) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<VariableKind>() {
    static constexpr std::string_view kNames[] = {
        "Input",        "Output",        "Private",      "Local",   "Shared",       "ConstantBuffer",  "StorageBuffer",
        "PushConstant", "CombinedImage", "SampledImage", "Sampler", "StorageImage", "InputAttachment", "IoBuffer"};
    static_assert(std::size(kNames) == static_cast<size_t>(VariableKind::IoBuffer) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<BuiltIn>() {
    static constexpr std::string_view kNames[] = {"None",
                                                  "Position",
                                                  "PointSize",
                                                  "ClipDistance",
                                                  "CullDistance",
                                                  "VertexIndex",
                                                  "InstanceIndex",
                                                  "BaseVertex",
                                                  "BaseInstance",
                                                  "DrawIndex",
                                                  "FragCoord",
                                                  "FrontFacing",
                                                  "PointCoord",
                                                  "FragDepth",
                                                  "FragStencilRefEXT",
                                                  "SampleId",
                                                  "SamplePosition",
                                                  "SampleMask",
                                                  "HelperInvocation",
                                                  "PrimitiveId",
                                                  "Layer",
                                                  "ViewportIndex",
                                                  "ViewportMaskNV",
                                                  "ViewIndex",
                                                  "InvocationId",
                                                  "TessCoord",
                                                  "TessLevelOuter",
                                                  "TessLevelInner",
                                                  "PatchVertices",
                                                  "NumWorkgroups",
                                                  "WorkgroupId",
                                                  "WorkgroupSize",
                                                  "LocalInvocationId",
                                                  "LocalInvocationIndex",
                                                  "GlobalInvocationId",
                                                  "SubgroupSize",
                                                  "SubgroupLocalInvocationId",
                                                  "SubgroupEqMask",
                                                  "SubgroupGeMask",
                                                  "SubgroupGtMask",
                                                  "SubgroupLeMask",
                                                  "SubgroupLtMask",
                                                  "ShadingRate"};
    static_assert(std::size(kNames) == static_cast<size_t>(BuiltIn::ShadingRate) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<ImageDim>() {
    static constexpr std::string_view kNames[] = {"1D", "2D", "3D", "Cube", "Buffer", "SubpassData"};
    static_assert(std::size(kNames) == static_cast<size_t>(ImageDim::SubpassData) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<Interpolation>() {
    static constexpr std::string_view kNames[] = {"Smooth", "Flat", "Linear"};
    static_assert(std::size(kNames) == static_cast<size_t>(Interpolation::Linear) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<SampleLocation>() {
    static constexpr std::string_view kNames[] = {"Center", "Centroid", "Sample"};
    static_assert(std::size(kNames) == static_cast<size_t>(SampleLocation::Sample) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<Stage>() {
    static constexpr std::string_view kNames[] = {"Vertex",   "TessControl", "TessEval",
                                                  "Geometry", "Fragment",    "Compute"};
    static_assert(std::size(kNames) == static_cast<size_t>(Stage::Compute) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<DepthLayout>() {
    static constexpr std::string_view kNames[] = {"none", "any", "greater", "less", "unchanged"};
    static_assert(std::size(kNames) == static_cast<size_t>(DepthLayout::Unchanged) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<InputPrimitive>() {
    static constexpr std::string_view kNames[] = {"points", "lines", "lines_adjacency", "triangles",
                                                  "triangles_adjacency"};
    static_assert(std::size(kNames) == static_cast<size_t>(InputPrimitive::TrianglesAdjacency) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<OutputPrimitive>() {
    static constexpr std::string_view kNames[] = {"points", "line_strip", "triangle_strip"};
    static_assert(std::size(kNames) == static_cast<size_t>(OutputPrimitive::TriangleStrip) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<TessDomain>() {
    static constexpr std::string_view kNames[] = {"triangles", "isolines", "quads"};
    static_assert(std::size(kNames) == static_cast<size_t>(TessDomain::Quads) + 1);
    return kNames;
}

template <>
std::span<const std::string_view> names<TessSpacing>() {
    static constexpr std::string_view kNames[] = {"equal", "fractional_odd", "fractional_even"};
    static_assert(std::size(kNames) == static_cast<size_t>(TessSpacing::FractionalEven) + 1);
    return kNames;
}

namespace {
constexpr std::string_view kTypeNames[6][5] = {
    {"void", "", "", "", ""},
    {"", "bool", "boolx2", "boolx3", "boolx4"},
    {"", "u32", "u32x2", "u32x3", "u32x4"},
    {"", "f32", "f32x2", "f32x3", "f32x4"},
    {"", "u64", "u64x2", "u64x3", "u64x4"},
    {"", "f64", "f64x2", "f64x3", "f64x4"},
};
}

std::string_view type_name(Type type) {
    const auto scalar = static_cast<size_t>(type.scalar);
    if (scalar > 5 || type.components > 4 || kTypeNames[scalar][type.components].empty()) return "?";
    return kTypeNames[scalar][type.components];
}

}  // namespace tgsi2spv::ir
