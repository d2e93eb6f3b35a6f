// What SPIRV-Tools before 2024 has to be shown instead of a tessellation module that is right.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tgsi2spv::spirv {

/// A copy for validation only. Variables with the Patch decoration have locations of their own (Vulkan, "Location
/// Assignment": devices offer 30 of them beside 32 of every vertex), but validators before 2024 complain where one
/// meets a location of the others ("conflicting … location assignment"). In the copy patch locations lie 64 higher; all
/// else is word for word the same.
std::vector<uint32_t> with_patch_locations_apart(std::span<const uint32_t> words);

}  // namespace tgsi2spv::spirv
