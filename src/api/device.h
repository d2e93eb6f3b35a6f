// tgsi2spv_device_caps: what the device has, by Vulkan's names.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lower/lower.h"
#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv::api {

/// A member that says whether the device has something.
struct DeviceFeature {
    uint32_t tgsi2spv_device_caps::*member;
    std::string_view name;  ///< of a feature ("shaderInt64"), a property, or an extension ("VK_…")
};
/// All such members, in the order of the struct.
std::span<const DeviceFeature> device_features();

/// A VkSubgroupFeatureFlagBits by name.
struct SubgroupOperation {
    uint32_t bit;
    std::string_view name;
};
std::span<const SubgroupOperation> subgroup_operations();

lower::Capabilities capabilities_of(const tgsi2spv_device_caps& caps);

/// Whether the device has what a module requires (Reflection::features); true for names that the struct has no member
/// for.
bool offers(const tgsi2spv_device_caps& caps, std::string_view feature);

}  // namespace tgsi2spv::api
