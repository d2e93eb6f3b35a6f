// Names of enumerators in the text form.
#pragma once

#include <span>
#include <string_view>

#include "ir/module.h"

namespace tgsi2spv::ir {

/// All names of an enumeration, in its order.
template <class Enum>
std::span<const std::string_view> names();
template <>
std::span<const std::string_view> names<Scalar>();
template <>
std::span<const std::string_view> names<AtomicOp>();
template <>
std::span<const std::string_view> names<VariableKind>();
template <>
std::span<const std::string_view> names<BuiltIn>();
template <>
std::span<const std::string_view> names<ImageDim>();
template <>
std::span<const std::string_view> names<Interpolation>();
template <>
std::span<const std::string_view> names<SampleLocation>();
template <>
std::span<const std::string_view> names<Stage>();
template <>
std::span<const std::string_view> names<DepthLayout>();
template <>
std::span<const std::string_view> names<InputPrimitive>();
template <>
std::span<const std::string_view> names<OutputPrimitive>();
template <>
std::span<const std::string_view> names<TessDomain>();
template <>
std::span<const std::string_view> names<TessSpacing>();

template <class Enum>
std::string_view name(Enum value) {
    const auto all = names<Enum>();
    const auto i = static_cast<size_t>(value);
    return i < all.size() ? all[i] : "?";
}

/// `f32x4`, `bool`, `void`.
std::string_view type_name(Type type);

}  // namespace tgsi2spv::ir
