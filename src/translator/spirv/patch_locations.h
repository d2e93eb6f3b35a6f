// Changes a correct tessellation module so that SPIRV-Tools before 2024 accepts it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tgsi2spv::spirv {

/// Makes a copy for validation only. Variables with the Patch decoration have locations of their own (Vulkan, "Location
/// Assignment": devices offer 30 of them in addition to 32 per vertex), but validators before 2024 report an error if
/// such a location equals one of the others ("conflicting … location assignment"). In the copy, patch locations are 64
/// higher; everything else is word for word the same.
std::vector<uint32_t> with_patch_locations_apart(std::span<const uint32_t> words);

}  // namespace tgsi2spv::spirv
