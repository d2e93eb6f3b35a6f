// tgsi2spv_device_caps: the device's capabilities, by Vulkan's names.
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
    std::string_view name;  ///< a feature ("shaderInt64"), a property, or an extension ("VK_…")
    bool saves = false;     ///< makes modules shorter, and no others possible
};
/// All such members, in the order of the struct.
std::span<const DeviceFeature> device_features();

/// A VkSubgroupFeatureFlagBits by name.
struct SubgroupOperation {
    uint32_t bit;
    std::string_view name;
};
std::span<const SubgroupOperation> subgroup_operations();

/// The device that options without one mean: a VkDevice of the target's version, with no feature and no extension
/// enabled.
tgsi2spv_device_caps least_device(uint32_t target);
/// The capabilities that tgsi2spv_device_caps_set_everything sets.
tgsi2spv_device_caps device_with_everything();

/// Warns about a stage that is converted without linkage, and so uses the fixed table of locations, if it uses a
/// location that the device does not have (only if the caller states the device's number).
void warn_of_locations(const tgsi2spv_device_caps& caps, const spirv::Reflection& module,
                       std::vector<tgsi::Diagnostic>& diagnostics);
/// The error for a feature or limit that a device lacks, by Vulkan's name; `amount` follows the name.
tgsi::Diagnostic lacking(std::string_view feature, std::string_view amount = {});
/// The feature that a device must have for a stage, by Vulkan's name, if this one lacks it; else null.
const char* missing_stage(const tgsi2spv_device_caps& caps, tgsi::Stage stage);
lower::Capabilities capabilities_of(const tgsi2spv_device_caps& caps);

/// The newest environment that a device of this version accepts (VkPhysicalDeviceProperties::apiVersion).
spirv::TargetEnv target_of(uint32_t api_version);

/// Whether the device has everything that the module requires, and its version accepts modules for `env`. Features that
/// the struct has no member for are not checked. False with a diagnostic that names the first missing feature: those
/// that lowering has not checked, such as stages.
bool keeps_to(const tgsi2spv_device_caps& caps, spirv::TargetEnv env, const spirv::Reflection& module,
              std::vector<tgsi::Diagnostic>& diagnostics);
bool keeps_to(const tgsi2spv_device_caps& caps, Context& context, const Options& options);

}  // namespace tgsi2spv::api
