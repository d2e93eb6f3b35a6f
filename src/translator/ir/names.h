// Names of enumerators in the text form.
#pragma once

#include <optional>
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

template <class Enum>
std::optional<Enum> from_name(std::string_view text) {
    const auto all = names<Enum>();
    for (size_t i = 0; i < all.size(); i++)
        if (all[i] == text) return static_cast<Enum>(i);
    return std::nullopt;
}

/// `f32x4`, `bool`, `void`.
std::string_view type_name(Type type);
std::optional<Type> type_from_name(std::string_view text);

}  // namespace tgsi2spv::ir
