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
    size_t offset;  ///< in the structure
    std::string_view name;
};
constexpr Feature kFeatures[] = {
#define CORE(member) \
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, offsetof(VkPhysicalDeviceFeatures2, features.member), #member},
#define FEATURE(type, member) {kTypeOf<VkPhysicalDevice##type>, offsetof(VkPhysicalDevice##type, member), #member},
#include "vulkan/features.def"
};

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

constexpr std::string_view kFormatPrefix = "VK_FORMAT_";

bool is_extension(std::string_view name) {
    return name.starts_with("VK_") && !name.starts_with(kFormatPrefix);
}

bool is_feature(std::string_view name) {
    return std::ranges::find(kFeatures, name, &Feature::name) != std::end(kFeatures);
}

bool is_format(std::string_view name) {
    if (!name.starts_with(kFormatPrefix)) return false;
    for (int f = VK_FORMAT_R4G4_UNORM_PACK8; f <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; f++)
        if (format_key(format_name(static_cast<VkFormat>(f))) == format_key(name)) return true;
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

}  // namespace

std::string unknown_name(const Mask& mask) {
    for (const std::string& name : mask.names)
        if (!is_extension(name) && !is_feature(name) && !is_format(name)) return name;
    return {};
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
    const std::string key = format_key(format_name(format));
    const auto names_it = [&](const std::string& name) {
        return name.starts_with(kFormatPrefix) && format_key(name) == key;
    };
    if (std::ranges::any_of(mask.names, names_it)) properties = {};
    if (!mask.profile || mask.profile->formats.empty()) return;
    const auto at = mask.profile->formats.find(key);
    // vulkaninfo lists only the formats of Vulkan 1.0.
    if (at == mask.profile->formats.end() && format > VK_FORMAT_ASTC_12x12_SRGB_BLOCK) return;
    const VkFormatProperties has = at == mask.profile->formats.end() ? VkFormatProperties{} : at->second;
    properties.linearTilingFeatures &= has.linearTilingFeatures;
    properties.optimalTilingFeatures &= has.optimalTilingFeatures;
    properties.bufferFeatures &= has.bufferFeatures;
}

}  // namespace tgsi2spv::vulkan
