#include "tgsi-host/device_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "shared/device_json.h"
#include "vulkan/format_name.h"

namespace tools {
namespace {

using Json = nlohmann::json;
using tgsi2spv::vulkan::DeviceProfile;

#define FLAG(name) \
    { "VK_FORMAT_FEATURE_" #name "_BIT", VK_FORMAT_FEATURE_##name##_BIT }
constexpr std::pair<std::string_view, VkFormatFeatureFlags> kFormatFlags[] = {
    FLAG(SAMPLED_IMAGE),
    FLAG(STORAGE_IMAGE),
    FLAG(STORAGE_IMAGE_ATOMIC),
    FLAG(UNIFORM_TEXEL_BUFFER),
    FLAG(STORAGE_TEXEL_BUFFER),
    FLAG(STORAGE_TEXEL_BUFFER_ATOMIC),
    FLAG(VERTEX_BUFFER),
    FLAG(COLOR_ATTACHMENT),
    FLAG(COLOR_ATTACHMENT_BLEND),
    FLAG(DEPTH_STENCIL_ATTACHMENT),
    FLAG(BLIT_SRC),
    FLAG(BLIT_DST),
    FLAG(SAMPLED_IMAGE_FILTER_LINEAR),
    FLAG(TRANSFER_SRC),
    FLAG(TRANSFER_DST),
};
#undef FLAG

/// Reads flags from a number, or from a list of names, of which those of later versions are unknown.
std::optional<VkFormatFeatureFlags> format_flags_of(const Json& value) {
    if (!value.is_array()) {
        const auto number = number_of(value);
        return number ? std::optional(static_cast<VkFormatFeatureFlags>(*number)) : std::nullopt;
    }
    VkFormatFeatureFlags flags = 0;
    for (const Json& name : value) {
        if (!name.is_string()) return std::nullopt;
        for (const auto& [text, flag] : kFormatFlags)
            if (name.get_ref<const std::string&>() == text) flags |= flag;
    }
    return flags;
}

std::optional<double> real_of(const Json& value) {
    if (value.is_number()) return value.get<double>();
    const auto number = number_of(value);
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

/// A number, an array of numbers, or flags by name.
std::optional<std::vector<double>> numbers_of(const Json& value) {
    if (!value.is_array()) {
        const auto number = real_of(value);
        return number ? std::optional(std::vector{*number}) : std::nullopt;
    }
    if (!value.empty() && value[0].is_string() && !number_of(value[0])) {
        const auto flags = flags_of(value);
        return flags ? std::optional(std::vector{static_cast<double>(*flags)}) : std::nullopt;
    }
    std::vector<double> numbers;
    for (const Json& element : value) {
        const auto number = real_of(element);
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

struct Reader {
    std::string_view text;
    DeviceProfile profile{};
    bool any = false;     ///< some VkPhysicalDevice struct was seen
    std::string wrong{};  ///< the first member with a value of the wrong kind, and its line

    void refuse(std::string_view member, std::string_view in, const char* kind) {
        if (!wrong.empty()) return;
        const auto before = text.substr(0, text.find(fmt::format("\"{}\"", member)));
        wrong = fmt::format("line {}: {} in {} is not {}", 1 + std::ranges::count(before, '\n'), plain_name(member),
                            plain_name(in), kind);
    }
    void read_features(std::string_view in, const Json& members) {
        for (const auto& [name, value] : members.items()) {
            const auto number = number_of(value);
            if (tgsi2spv::vulkan::lacks(in, name))
                refuse(name, in, "a feature");
            else if (!number)
                refuse(name, in, "true or false");
            else if (*number != 0)
                profile.features.insert(name);
        }
    }
    void read_limits(const Json& limits) {
        if (!limits.is_object()) return refuse("limits", "VkPhysicalDeviceProperties", "a struct");
        for (const auto& [name, value] : limits.items())
            if (auto numbers = numbers_of(value))
                profile.limits[name] = std::move(*numbers);
            else
                refuse(name, "limits", "a number, a list of numbers or of flags");
    }
    void read_properties(std::string_view in, const Json& members) {
        for (const auto& [name, value] : members.items()) {
            if (name == "apiVersion") {
                const auto version = version_of(value);
                if (!version) return refuse(name, in, "a version such as 1.3.230");
                profile.api_version =
                    std::max(profile.api_version, static_cast<uint32_t>(std::clamp<int64_t>(*version, 0, UINT32_MAX)));
            } else if (name == "limits") {
                read_limits(value);
            } else if (auto numbers = numbers_of(value)) {
                profile.limits[name] = std::move(*numbers);  // others are names, identifiers
            }
        }
    }
    void read_structs(const Json& structs) {
        if (!structs.is_object()) return;
        for (const auto& [name, members] : structs.items()) {
            if (!name.starts_with("VkPhysicalDevice")) continue;
            any = true;
            if (!members.is_object())
                wrong = fmt::format("what stands in {} is not a struct", plain_name(name));
            else if (name.find("Features") != std::string::npos)
                read_features(name, members);
            else
                read_properties(name, members);
        }
    }
    void read_format(std::string_view name, const Json& members) {
        VkFormatProperties& format = profile.formats[tgsi2spv::vulkan::format_key(name)];
        for (const auto& [member, flags] : {std::pair("linearTilingFeatures", &format.linearTilingFeatures),
                                            std::pair("optimalTilingFeatures", &format.optimalTilingFeatures),
                                            std::pair("bufferFeatures", &format.bufferFeatures)}) {
            const auto at = members.find(member);
            if (at == members.end()) continue;
            if (const auto value = format_flags_of(*at))
                *flags |= *value;
            else
                refuse(member, name, "a list of flags or a number");
        }
    }
    /// A block of a profile: {"extensions": {"VK_…": 1}, "features": {…}, "properties": {…}, "formats": {"VK_FORMAT_…":
    /// {"VkFormatProperties": {…}}}}.
    void read_block(const Json& block) {
        if (!block.is_object()) return;
        for (const auto& [name, value] : block.items()) {
            if (name == "features" || name == "properties") read_structs(value);
            if (name == "extensions" && value.is_object())
                for (const auto& [extension, version] : value.items()) profile.extensions.insert(extension);
            if (name == "formats" && value.is_object())
                for (const auto& [format, structs] : value.items())
                    if (structs.is_object() && structs.contains("VkFormatProperties"))
                        read_format(format, structs["VkFormatProperties"]);
        }
    }
    /// [{"extensionName": "VK_…", …}], and [{"formatID": 37, …}]
    void read_lists(const Json& json) {
        const auto each = [&](const char* list, const char* member, auto&& read) {
            const auto at = json.find(list);
            if (at == json.end() || !at->is_array()) return;
            for (const Json& element : *at)
                if (element.is_object() && element.contains(member)) read(element, element[member]);
        };
        each("ArrayOfVkExtensionProperties", "extensionName", [&](const Json&, const Json& name) {
            if (name.is_string()) profile.extensions.insert(name.get<std::string>());
        });
        each("ArrayOfVkFormatProperties", "formatID", [&](const Json& members, const Json& id) {
            if (const auto number = number_of(id))
                read_format(tgsi2spv::vulkan::format_name(static_cast<VkFormat>(*number)), members);
        });
    }
};

}  // namespace

tl::expected<DeviceProfile, std::string> read_device_profile(std::string_view text) {
    const auto parsed = parse_device_json(text);
    if (!parsed) return tl::unexpected(parsed.error());
    const Json& json = *parsed;
    Reader r{text};
    r.read_structs(json);
    if (json.is_object()) {
        r.read_lists(json);
        const auto blocks = json.find("capabilities");
        if (blocks != json.end() && blocks->is_object())
            for (const auto& [name, block] : blocks->items()) r.read_block(block);
    }
    if (!r.any)
        return tl::unexpected<std::string>("no VkPhysicalDevice struct: not a file that 'vulkaninfo --json' wrote");
    if (!r.wrong.empty()) return tl::unexpected(std::move(r.wrong));
    return r.profile;
}

}  // namespace tools
