#include "harness/statistics.h"

#include <chrono>

#include "harness/frame.h"
#include "vulkan/enumerate.h"
#include "vulkan/floats.h"

namespace tgsi2spv::harness {

namespace {

double value_of(const VkPipelineExecutableStatisticKHR& s) {
    switch (s.format) {
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
            return s.value.b32 != VK_FALSE ? 1 : 0;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
            return static_cast<double>(s.value.i64);
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
            return static_cast<double>(s.value.u64);
        default:
            return s.value.f64;
    }
}

Expected<std::vector<ExecutableStatistics>> read_statistics(const Frame& frame) {
    auto of_pipeline = make<VkPipelineInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR);
    of_pipeline.pipeline = frame.pipeline;
    const auto executables = vulkan::enumerate<VkPipelineExecutablePropertiesKHR>(
        "vkGetPipelineExecutablePropertiesKHR",
        [&](uint32_t* count, VkPipelineExecutablePropertiesKHR* items) {
            return vkGetPipelineExecutablePropertiesKHR(frame.device.handle(), &of_pipeline, count, items);
        },
        make<VkPipelineExecutablePropertiesKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR));
    if (!executables) return tl::unexpected(executables.error());
    std::vector<ExecutableStatistics> all;
    for (uint32_t i = 0; i < executables->size(); i++) {
        auto which = make<VkPipelineExecutableInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR);
        which.pipeline = frame.pipeline;
        which.executableIndex = i;
        const auto statistics = vulkan::enumerate<VkPipelineExecutableStatisticKHR>(
            "vkGetPipelineExecutableStatisticsKHR",
            [&](uint32_t* count, VkPipelineExecutableStatisticKHR* items) {
                return vkGetPipelineExecutableStatisticsKHR(frame.device.handle(), &which, count, items);
            },
            make<VkPipelineExecutableStatisticKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR));
        if (!statistics) return tl::unexpected(statistics.error());
        auto& out = all.emplace_back();
        out.stages = (*executables)[i].stages;
        for (const auto& s : *statistics) out.values.emplace_back(s.name, value_of(s));
    }
    return all;
}

}  // namespace

Expected<CompiledPipeline> compile(Device& device, const Job& job) {
    if (!device.report().has(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME))
        return fail(Failure::Missing, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
    Frame frame(device, job);
    frame.tells_statistics = true;
    const bool compute = !job.compute.words.empty();
    Status s = make_descriptors(frame);
    if (s && !compute) s = make_targets(frame);
    const auto start = std::chrono::steady_clock::now();
    if (s) s = compute ? make_compute_pipeline(frame) : make_graphics_pipeline(frame);
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    device.changed_floats |= vulkan::restore_floats();
    if (!s) return tl::unexpected(s.error());
    auto executables = read_statistics(frame);
    if (!executables) return tl::unexpected(executables.error());
    return CompiledPipeline{taken.count(), std::move(*executables)};
}

}  // namespace tgsi2spv::harness
