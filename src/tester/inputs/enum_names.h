// The JSON's names of sampler state, for its reader and its writer. Internal to this folder.
#pragma once

#include <string_view>

#include "reference/case/inputs.h"

namespace tgsi2spv::difftest {

template <class E>
struct EnumName {
    E value;
    std::string_view text;
};

inline constexpr EnumName<reference::Wrap> kWraps[] = {
    {reference::Wrap::Repeat, "REPEAT"},
    {reference::Wrap::ClampToEdge, "CLAMP_TO_EDGE"},
    {reference::Wrap::ClampToBorder, "CLAMP_TO_BORDER"},
    {reference::Wrap::MirrorRepeat, "MIRROR_REPEAT"},
    {reference::Wrap::MirrorClampToEdge, "MIRROR_CLAMP_TO_EDGE"},
    {reference::Wrap::Clamp, "CLAMP"},
    {reference::Wrap::MirrorClamp, "MIRROR_CLAMP"},
    {reference::Wrap::MirrorClampToBorder, "MIRROR_CLAMP_TO_BORDER"},
};
inline constexpr EnumName<reference::Filter> kFilters[] = {
    {reference::Filter::Nearest, "NEAREST"},
    {reference::Filter::Linear, "LINEAR"},
};
inline constexpr EnumName<reference::MipFilter> kMipFilters[] = {
    {reference::MipFilter::None, "NONE"},
    {reference::MipFilter::Nearest, "NEAREST"},
    {reference::MipFilter::Linear, "LINEAR"},
};
inline constexpr EnumName<reference::Compare> kCompares[] = {
    {reference::Compare::Never, "NEVER"},     {reference::Compare::Less, "LESS"},
    {reference::Compare::Equal, "EQUAL"},     {reference::Compare::LEqual, "LEQUAL"},
    {reference::Compare::Greater, "GREATER"}, {reference::Compare::NotEqual, "NOTEQUAL"},
    {reference::Compare::GEqual, "GEQUAL"},   {reference::Compare::Always, "ALWAYS"},
};

template <class E, size_t N>
constexpr std::string_view name_in(const EnumName<E> (&names)[N], E value) {
    for (const auto& n : names)
        if (n.value == value) return n.text;
    return {};
}

}  // namespace tgsi2spv::difftest
