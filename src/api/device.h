// tgsi2spv_device_caps: what the device has, by Vulkan's names.
#pragma once

#include <span>
#include <string_view>

#include "api/convert.h"
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

/// A warning where a stage that is converted without linkage, so by the fixed table of locations, has one that the
/// device has not (where the caller says how many it has).
void warn_of_locations(const tgsi2spv_device_caps& caps, const spirv::Reflection& module,
                       std::vector<tgsi::Diagnostic>& diagnostics);
lower::Capabilities capabilities_of(const tgsi2spv_device_caps& caps);

/// The newest environment that a device of this version takes (VkPhysicalDeviceProperties::apiVersion).
spirv::TargetEnv target_of(uint32_t api_version);

/// Whether the device has what the module requires; the names of features that the struct has no member for are let
/// pass, and its version takes modules for `env`. False with a diagnostic that names the first that is missing: what
/// lowering has not asked about, such as stages.
bool keeps_to(const tgsi2spv_device_caps& caps, spirv::TargetEnv env, const spirv::Reflection& module,
              std::vector<tgsi::Diagnostic>& diagnostics);
bool keeps_to(const tgsi2spv_device_caps& caps, Context& context, const Options& options);

}  // namespace tgsi2spv::api
