// The parts of a device that are not used: those that a user names, and those that another device lacks.
#pragma once

#include <volk.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tgsi2spv::vulkan {

/// All that a device has, by Vulkan's names, as vulkaninfo's JSON says it.
struct DeviceProfile {
    uint32_t api_version = VK_API_VERSION_1_0;
    std::set<std::string, std::less<>> extensions, features;
    /// Limits that are not named stay as they are. Flags are numbers, and arrays have several.
    std::map<std::string, std::vector<double>, std::less<>> limits;
    /// By format_key(), with the flags of Vulkan 1.0 and 1.1; none told: they stay as they are.
    std::map<std::string, VkFormatProperties, std::less<>> formats;
};

struct Mask {
    /// By Vulkan's names: extensions, features, formats of Vulkan 1.0, and uses of formats, as
    /// "VK_FORMAT_D16_UNORM:SAMPLED_IMAGE".
    std::vector<std::string> names;
    std::optional<DeviceProfile> profile;
};

/// A name that is none of an extension, a feature, a format or a use of one; empty if there is none.
std::string unknown_name(const Mask& mask);
/// Whether a structure of `features.def`, by its Vulkan name, has no such member.
bool lacks(std::string_view structure, std::string_view member);
bool hides(const Mask& mask, std::string_view name);

/// Clears what is hidden in a chain of structures of features.
void hide_features(const Mask& mask, void* first);
void hide_limits(const Mask& mask, VkPhysicalDeviceLimits& limits);
/// A member of another structure of properties, of which less offers less.
void hide_limit(const Mask& mask, std::string_view name, uint32_t& limit);
void hide_alignment(const Mask& mask, std::string_view name, uint32_t& alignment);
void hide_flags(const Mask& mask, std::string_view name, uint32_t& flags);
void hide_format(const Mask& mask, VkFormat format, VkFormatProperties& properties);

/// One spelling of a format's name: R8G8B8A8UNORM for VK_FORMAT_R8G8B8A8_UNORM and for R8G8B8A8Unorm.
std::string format_key(std::string_view name);

}  // namespace tgsi2spv::vulkan
