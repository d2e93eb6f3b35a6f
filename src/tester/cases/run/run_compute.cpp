// Runs COMP on a device. It uses the shader's own buffers; of the io buffers it needs only the zero that hides
// immediates.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "api/stage.h"
#include "cases/run/run_parts.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

using tgsi::Semantic;

/// The work group's size if neither the text nor the case gives it.
constexpr std::array<uint32_t, 3> kOpenBlock = {4, 1, 1};

const reference::Vec4* given(const api::Context& context, const reference::Inputs& inputs, Semantic semantic) {
    for (const auto& [index, values] : inputs.system_values) {
        const auto* range = context.registers.find(tgsi::File::SystemValue, index);
        if (range == nullptr || values.empty()) continue;
        if (context.program.declarations[range->declaration].semantic == semantic) return &values[0];
    }
    return nullptr;
}

/// Returns why a dispatch cannot provide the case's system values, or an empty string.
std::string impossible(const api::Context& context, const reference::Inputs& inputs) {
    for (const auto& [index, values] : inputs.system_values) {
        const auto* range = context.registers.find(tgsi::File::SystemValue, index);
        if (range == nullptr) continue;
        const auto semantic = context.program.declarations[range->declaration].semantic;
        if (semantic != Semantic::BlockSize && semantic != Semantic::WorkDim && semantic != Semantic::GridSize)
            return fmt::format("system_values.SV[{}]: {} is computed by the dispatch and cannot be given", index,
                               tgsi::name(semantic));
        if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end())
            return fmt::format("system_values.SV[{}]: {} must be the same in every lane", index, tgsi::name(semantic));
        if (semantic == Semantic::GridSize && !std::equal(inputs.grid.begin(), inputs.grid.end(), values[0].begin()))
            return fmt::format("system_values.SV[{}]: GRID_SIZE differs from 'grid'", index);
    }
    return {};
}

tl::unexpected<VulkanTrouble> lacks(const char* limit, uint64_t needed) {
    return tl::unexpected<VulkanTrouble>(
        from_vulkan({vulkan::Failure::Missing, fmt::format("{} of {}", limit, needed)}));
}

}  // namespace

tl::expected<reference::Result, VulkanTrouble> run_compute(harness::Device& device, api::Context& context,
                                                           const reference::Inputs& inputs,
                                                           const VulkanOptions& options) {
    if (auto reason = impossible(context, inputs); !reason.empty()) return trouble(Trouble::Case, std::move(reason));
    const auto& limits = device.report().limits;
    if (context.registers.count(tgsi::File::Memory) > 0 &&
        uint64_t{inputs.shared_words} * 4 > limits.maxComputeSharedMemorySize)
        return lacks("maxComputeSharedMemorySize", inputs.shared_words * 4);
    const auto conversion = judged_conversion(device, context, inputs, options);
    const auto reflection = convert_judged(context, conversion, options);
    if (!reflection) return tl::unexpected<VulkanTrouble>(reflection.error());

    harness::Job job;
    job.timeout_ns = options.settings.timeout_ns;
    job.compute.words = context.words;
    job.groups = inputs.grid;
    const auto& entry = reflection->entry;
    std::array<uint32_t, 3> block = entry.local_size;
    const bool open = std::all_of(entry.local_size_ids.begin(), entry.local_size_ids.end(),
                                  [](uint32_t id) { return id != ir::kNone; });
    const auto* size = given(context, inputs, Semantic::BlockSize);
    for (size_t c = 0; c < 3; c++) {
        const uint32_t wanted = size != nullptr ? std::max(1u, (*size)[c]) : open ? kOpenBlock[c] : block[c];
        if (entry.local_size_ids[c] != ir::kNone)
            job.compute.constants.push_back({entry.local_size_ids[c], block[c] = wanted});
        else if (wanted != block[c])
            return trouble(Trouble::Case, "system_values: BLOCK_SIZE differs from the size that the shader fixes");
        if (block[c] > limits.maxComputeWorkGroupSize[c]) return lacks("maxComputeWorkGroupSize", block[c]);
        if (inputs.grid[c] > limits.maxComputeWorkGroupCount[c])
            return lacks("maxComputeWorkGroupCount", inputs.grid[c]);
    }
    if (uint64_t{block[0]} * block[1] * block[2] > limits.maxComputeWorkGroupInvocations)
        return lacks("maxComputeWorkGroupInvocations", uint64_t{block[0]} * block[1] * block[2]);
    if (const auto* dim = given(context, inputs, Semantic::WorkDim))
        job.compute.constants.push_back({lower::spec::kWorkDim, (*dim)[0]});

    for (const auto& r : reflection->resources) {
        if (r.kind != ir::VariableKind::IoBuffer) continue;
        job.buffers.push_back({std::vector<uint32_t>(5), false});
        job.descriptors.push_back({r.binding.set,
                                   r.binding.binding,
                                   VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                   {static_cast<uint32_t>(job.buffers.size() - 1)},
                                   {}});
    }
    const auto ran = run_job(device, context.program, *reflection, inputs, job, options);
    if (!ran) return tl::unexpected(ran.error());
    reference::Result result;
    read_memory(*reflection, inputs, job, *ran, result);
    return result;
}

}  // namespace tgsi2spv::difftest
