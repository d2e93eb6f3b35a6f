// What Vulkan calls the things that a module requires of a device.
#pragma once

#include <memory_resource>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace tgsi2spv::spirv {

/// The feature (of a VkPhysicalDevice…Features struct), the property or the device extension that a capability asks
/// for; empty where every device of the target has it, or where it takes more than the capability to know.
std::string_view feature_of(spv::Capability capability);

/// Features that no capability tells, behind those that `features` has from the capabilities.
void add_features(const ir::Module& module, std::span<const uint8_t> used_variables,
                  std::pmr::vector<ir::Name>& features);

}  // namespace tgsi2spv::spirv
