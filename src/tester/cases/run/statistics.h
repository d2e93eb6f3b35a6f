// The machine code that a driver makes of a shader as users convert it: for compiler teams, as with shader-db.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "api/convert.h"
#include "cases/run/run_vulkan.h"
#include "harness/device.h"

namespace tgsi2spv::difftest {

struct ShaderStatistics {
    double creation_ms = 0;                              ///< time to create the pipeline
    std::vector<std::pair<std::string, double>> values;  ///< numbers of the shader's own stage, by the driver's names
};

/// Creates a pipeline of the parsed shader of `context` with the default options for this device. VERT and FRAG get a
/// stage beside them that writes or reads everything they share, so that the driver drops nothing; other stages but
/// COMP are Trouble::Missing.
tl::expected<ShaderStatistics, VulkanTrouble> shader_statistics(harness::Device& device, api::Context& context,
                                                                tgsi::Dialect dialect);

}  // namespace tgsi2spv::difftest
