// Other ways to make a module: the answers must be the same.
#pragma once

#include <cstdint>

#include "api/convert.h"

namespace tgsi2spv::difftest {

/// Draws options that must not change a module's answers: which passes run, the version of SPIR-V, guards around loops,
/// and which abilities of the device are used; missing ones are emulated or refused. The draw is the same everywhere
/// for a seed. `api_version`: the device's. `separate_samplers`: SAMPs may be separate samplers (tex_samplers.h).
void draw_options(uint64_t seed, uint32_t api_version, bool separate_samplers, api::Options& conversion);

/// A budget that some loops and calls exceed (lower::Options::max_iterations); mostly 0: none is drawn. It changes
/// answers, so the reference needs it as well.
uint32_t draw_few_iterations(uint64_t seed);
/// Whether the module leaves checks to a device that promises them (VulkanOptions::robust_access), which changes
/// answers too.
bool draw_robust_access(uint64_t seed);
/// Whether it leaves work to a driver that promises more than Vulkan (VulkanOptions::promises).
bool draw_promises(uint64_t seed);

}  // namespace tgsi2spv::difftest
