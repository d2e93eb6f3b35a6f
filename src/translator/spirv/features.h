// Vulkan's names of the things that a module requires of a device.
#pragma once

#include <memory_resource>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace tgsi2spv::spirv {

/// The feature (of a VkPhysicalDevice…Features struct), the property or the device extension that a capability
/// requires; empty if every device of the target has it, or if the capability alone does not decide it.
std::string_view feature_of(spv::Capability capability);

/// Appends the features that do not follow from a capability to `features`, which already has those from the
/// capabilities of the emitted words. `version` is their second word.
void add_features(const ir::Module& module, uint32_t version, std::span<const uint8_t> used_variables,
                  std::pmr::vector<ir::Name>& features);

}  // namespace tgsi2spv::spirv
