#include "vulkan/mask.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "vulkan/format_name.h"

namespace tgsi2spv::vulkan {
namespace {

template <class Type>
constexpr VkStructureType kTypeOf = VK_STRUCTURE_TYPE_MAX_ENUM;
#define STRUCTURE(type, name) \
    template <>               \
    constexpr VkStructureType kTypeOf<VkPhysicalDevice##type> = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##name;
#include "vulkan/features.def"

struct Feature {
    VkStructureType type;
    size_t offset;  ///< offset of the member in the structure
    std::string_view name, structure;
};
constexpr Feature kFeatures[] = {
#define CORE(member)                                                                                              \
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, offsetof(VkPhysicalDeviceFeatures2, features.member), #member, \
     "VkPhysicalDeviceFeatures"},
#define FEATURE(type, member) \
    {kTypeOf<VkPhysicalDevice##type>, offsetof(VkPhysicalDevice##type, member), #member, "VkPhysicalDevice" #type},
#include "vulkan/features.def"
};

/// One use of a format, by the end of its name: "VK_FORMAT_D16_UNORM:SAMPLED_IMAGE_FILTER_LINEAR" is hidden so. Without
/// an end, all of them.
struct Use {
    std::string_view name;
    VkFormatFeatureFlags flags;
};
constexpr Use kUses[] = {
    {"", ~VkFormatFeatureFlags{0}},
    {"SAMPLED_IMAGE", VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT},
    {"SAMPLED_IMAGE_FILTER_LINEAR", VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT},
    {"COLOR_ATTACHMENT", VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT},
    {"COLOR_ATTACHMENT_BLEND", VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT},
    {"DEPTH_STENCIL_ATTACHMENT", VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT},
    {"STORAGE_IMAGE", VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT},
    {"VERTEX_BUFFER", VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT},
    {"UNIFORM_TEXEL_BUFFER", VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT},
    {"STORAGE_TEXEL_BUFFER", VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT},
};

constexpr std::string_view kFormatPrefix = "VK_FORMAT_";

bool is_format(std::string_view name) {
    return name.starts_with(kFormatPrefix);
}

std::string_view use_in(std::string_view name) {
    const size_t colon = name.find(':');
    return colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
}

/// Formats of which a feature says whether there are all of them; without it, some device may have a few.
struct Compressed {
    VkFormat first, last;
    std::string_view feature;
};
constexpr Compressed kCompressed[] = {
    {VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_BC7_SRGB_BLOCK, "textureCompressionBC"},
    {VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, VK_FORMAT_EAC_R11G11_SNORM_BLOCK, "textureCompressionETC2"},
    {VK_FORMAT_ASTC_4x4_UNORM_BLOCK, VK_FORMAT_ASTC_12x12_SRGB_BLOCK, "textureCompressionASTC_LDR"},
};

bool is_extension(std::string_view name) {
    return name.starts_with("VK_") && !is_format(name);
}

std::string_view format_in(std::string_view name) {
    return name.substr(0, name.find(':'));
}

bool exists(std::string_view format) {
    for (int f = VK_FORMAT_R4G4_UNORM_PACK8; f <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; f++)
        if (format_key(format_name(static_cast<VkFormat>(f))) == format_key(format)) return true;
    return false;
}

/// The numbers that the profile has for a limit; none if it does not tell.
std::span<const double> told(const Mask& mask, std::string_view name) {
    if (!mask.profile) return {};
    const auto at = mask.profile->limits.find(name);
    return at == mask.profile->limits.end() ? std::span<const double>() : at->second;
}

template <class Number>
Number to_number(double value) {
    if constexpr (std::is_floating_point_v<Number>) return static_cast<Number>(value);
    // The largest double below 2^64 is no 64-bit number's neighbour.
    if (value >= static_cast<double>(std::numeric_limits<Number>::max())) return std::numeric_limits<Number>::max();
    return static_cast<Number>(std::max(std::trunc(value), static_cast<double>(std::numeric_limits<Number>::min())));
}

template <class Number>
std::span<Number> numbers(Number& number) {
    return {&number, 1};
}
template <class Number, size_t n>
std::span<Number> numbers(Number (&array)[n]) {
    return array;
}

template <class Limit, class Change>
void change(const Mask& mask, std::string_view name, Limit& limit, Change&& less) {
    const std::span<const double> values = told(mask, name);
    const auto all = numbers(limit);
    for (size_t i = 0; i < std::min(values.size(), all.size()); i++)
        all[i] = less(all[i], to_number<std::remove_reference_t<decltype(all[i])>>(values[i]));
}

// Of ranges from a minimum, only the end offers less.
void hide_end(const Mask& mask, std::string_view name, float (&range)[2]) {
    const std::span<const double> values = told(mask, name);
    if (values.size() == 2) range[1] = std::min(range[1], static_cast<float>(values[1]));
}

bool hides_use(const Mask& mask, VkFormat format, std::string_view use) {
    return std::ranges::any_of(mask.names, [&](std::string_view name) {
        return is_format(name) && use_in(name) == use && format_key(format_in(name)) == format_key(format_name(format));
    });
}

}  // namespace

std::string unknown_name(const Mask& mask) {
    const auto is_known = [](std::string_view name) {
        if (is_extension(name)) return true;
        if (is_format(name))
            return exists(format_in(name)) && std::ranges::find(kUses, use_in(name), &Use::name) != std::end(kUses);
        return std::ranges::find(kFeatures, name, &Feature::name) != std::end(kFeatures);
    };
    const auto at = std::ranges::find_if_not(mask.names, is_known);
    return at == mask.names.end() ? std::string() : *at;
}

bool lacks(std::string_view structure, std::string_view member) {
    const auto is_in = [&](const Feature& f) { return f.structure == structure; };
    const auto is_member = [&](const Feature& f) { return is_in(f) && f.name == member; };
    return std::ranges::any_of(kFeatures, is_in) && std::ranges::none_of(kFeatures, is_member);
}

bool hides(const Mask& mask, std::string_view name) {
    if (std::ranges::find(mask.names, name) != mask.names.end()) return true;
    if (!mask.profile) return false;
    return !(is_extension(name) ? mask.profile->extensions : mask.profile->features).contains(name);
}

void hide_features(const Mask& mask, void* first) {
    for (auto* s = static_cast<VkBaseOutStructure*>(first); s != nullptr; s = s->pNext)
        for (const Feature& f : kFeatures)
            if (f.type == s->sType && hides(mask, f.name))
                std::memset(reinterpret_cast<std::byte*>(s) + f.offset, 0, sizeof(VkBool32));
}

void hide_limits(const Mask& mask, VkPhysicalDeviceLimits& limits) {
    const auto smaller = [](auto a, auto b) { return std::min(a, b); };
    const auto larger = [](auto a, auto b) { return std::max(a, b); };
    const auto both = [](auto a, auto b) { return a & b; };
    hide_end(mask, "pointSizeRange", limits.pointSizeRange);
    hide_end(mask, "lineWidthRange", limits.lineWidthRange);
#define MOST(member) change(mask, #member, limits.member, smaller);
#define LEAST(member) change(mask, #member, limits.member, larger);
#define FLAGS(member) change(mask, #member, limits.member, both);
#include "vulkan/limits.def"
    if (hides(mask, "multiDrawIndirect")) limits.maxDrawIndirectCount = 1;  // Vulkan, "Required Limits"
}

void hide_limit(const Mask& mask, std::string_view name, uint32_t& limit) {
    change(mask, name, limit, [](uint32_t a, uint32_t b) { return std::min(a, b); });
}

void hide_alignment(const Mask& mask, std::string_view name, uint32_t& alignment) {
    change(mask, name, alignment, [](uint32_t a, uint32_t b) { return std::max(a, b); });
}

void hide_flags(const Mask& mask, std::string_view name, uint32_t& flags) {
    change(mask, name, flags, [](uint32_t a, uint32_t b) { return a & b; });
}

std::string format_key(std::string_view name) {
    if (name.starts_with(kFormatPrefix)) name.remove_prefix(kFormatPrefix.size());
    std::string key;
    for (const char c : name)
        if (c != '_') key += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return key;
}

void hide_format(const Mask& mask, VkFormat format, VkFormatProperties& properties) {
    for (const Compressed& c : kCompressed)
        if (format >= c.first && format <= c.last && hides(mask, c.feature)) properties = {};
    for (const Use& use : kUses)
        if (hides_use(mask, format, use.name))
            for (VkFormatFeatureFlags* flags :
                 {&properties.linearTilingFeatures, &properties.optimalTilingFeatures, &properties.bufferFeatures})
                *flags &= ~use.flags;
    if (!mask.profile || mask.profile->formats.empty()) return;
    const auto at = mask.profile->formats.find(format_key(format_name(format)));
    // vulkaninfo lists only the formats of Vulkan 1.0.
    if (at == mask.profile->formats.end() && format > VK_FORMAT_ASTC_12x12_SRGB_BLOCK) return;
    const VkFormatProperties has = at == mask.profile->formats.end() ? VkFormatProperties{} : at->second;
    properties.linearTilingFeatures &= has.linearTilingFeatures;
    properties.optimalTilingFeatures &= has.optimalTilingFeatures;
    properties.bufferFeatures &= has.bufferFeatures;
}

}  // namespace tgsi2spv::vulkan
