// A driver's statistics of a pipeline's machine code (VK_KHR_pipeline_executable_properties).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/job.h"

namespace tgsi2spv::harness {

/// The machine code of one stage. Drivers choose the statistics, their names and their units; booleans are 0 or 1.
struct ExecutableStatistics {
    VkShaderStageFlags stages = 0;
    std::vector<std::pair<std::string, double>> values;
};

struct CompiledPipeline {
    double creation_ms = 0;
    std::vector<ExecutableStatistics> executables;
};

/// Creates the job's pipeline, and destroys it. Failure::Missing if the device tells no statistics.
Expected<CompiledPipeline> compile(Device& device, const Job& job);

}  // namespace tgsi2spv::harness
