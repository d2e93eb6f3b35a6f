#include "renderer/emulate/kernels.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "harness_shaders/capture_comp.h"
#include "harness_shaders/fetch_comp.h"
#include "harness_shaders/primitives_comp.h"
#include "renderer/emulate/host_emulator.h"
#include "renderer/record/pipeline.h"
#include "renderer/record/program.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kGroup = 64;
static_assert(sizeof(FetchPush) >= std::max(sizeof(CapturePush), sizeof(PrimitivesPush)));

/// Null: no memory.
std::shared_ptr<LinkedProgram> program_of_kernels(HostEmulator& host) {
    auto& kernels = host.emulation.kernels;
    if (kernels != nullptr) return kernels;
    auto program = std::make_shared<LinkedProgram>(host.device->handle(), host.budget);
    program->name = "an emulated draw";
    program->modules.push_back({virgl::Stage::Comp, VK_SHADER_STAGE_COMPUTE_BIT});
    for (uint32_t i = 0; i < kKernelBuffers; i++)
        program->descriptors[0].push_back(
            {.binding = i, .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .stage = virgl::Stage::Comp});
    if (make_layouts(host, *program, {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(FetchPush)})) return nullptr;
    return kernels = std::move(program);
}

VkResult make_pipeline(HostRecorder& host, const LinkedProgram& program, std::span<const uint32_t> words,
                       KernelPass pass, VkPipeline& pipeline) {
    const VkShaderModule module = make_module(*host.device, words);
    if (module == VK_NULL_HANDLE) return VK_ERROR_OUT_OF_HOST_MEMORY;
    constexpr std::array<VkSpecializationMapEntry, 2> kConstants{
        {{0, offsetof(KernelPass, pass), sizeof(uint32_t)}, {1, offsetof(KernelPass, corners), sizeof(uint32_t)}}};
    const VkSpecializationInfo constants{kConstants.size(), kConstants.data(), sizeof pass, &pass};
    const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                     .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                     .module = module,
                                                     .pName = "main",
                                                     .pSpecializationInfo = &constants},
                                           .layout = program.layout};
    const VkResult result =
        vkCreateComputePipelines(program.device, host.pipeline_cache.use(), 1, &info, nullptr, &pipeline);
    vkDestroyShaderModule(program.device, module, nullptr);
    return result;
}

std::span<const uint32_t> words_of(Kernel kernel) {
    switch (kernel) {
        case Kernel::Primitives:
            return primitives_comp;
        case Kernel::Capture:
            return capture_comp;
        default:
            return fetch_comp;
    }
}

}  // namespace

std::array<uint32_t, 2> rows_of(const HostState& host, uint64_t groups) {
    groups = std::max<uint64_t>(groups, 1);
    const uint64_t row = std::min<uint64_t>(groups, host.device->report().limits.maxComputeWorkGroupCount[0]);
    return {static_cast<uint32_t>(row), static_cast<uint32_t>((groups + row - 1) / row)};
}

bool bind_buffers(HostEmulator& host, std::span<const VkDescriptorBufferInfo, kKernelBuffers> buffers) {
    const auto program = program_of_kernels(host);
    const VkDescriptorSet set =
        program == nullptr ? VK_NULL_HANDLE : host.stream.descriptor_set(program->set_layouts[0], kKernelBuffers);
    if (set == VK_NULL_HANDLE) return false;
    std::array<VkWriteDescriptorSet, kKernelBuffers> writes{};
    for (uint32_t i = 0; i < kKernelBuffers; i++)
        writes[i] = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                     .dstSet = set,
                     .dstBinding = i,
                     .descriptorCount = 1,
                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                     .pBufferInfo = &buffers[i]};
    vkUpdateDescriptorSets(program->device, kKernelBuffers, writes.data(), 0, nullptr);
    vkCmdBindDescriptorSets(host.stream.commands(), VK_PIPELINE_BIND_POINT_COMPUTE, program->layout, 0, 1, &set, 0,
                            nullptr);
    return true;
}

bool run_kernel(HostEmulator& host, Kernel kernel, KernelPass pass, std::span<const std::byte> push,
                uint64_t invocations) {
    const auto program = program_of_kernels(host);
    if (program == nullptr) return false;
    const auto make = [&](VkPipeline& pipeline) {
        return make_pipeline(host, *program, words_of(kernel), pass, pipeline);
    };
    const auto pipeline =
        find_pipeline(host, *program, {static_cast<uint32_t>(kernel), pass.pass, pass.corners}, std::ref(make));
    if (pipeline == nullptr || pipeline->handle == VK_NULL_HANDLE) return false;
    const VkCommandBuffer commands = host.stream.commands();
    bind_pipeline(host, VK_PIPELINE_BIND_POINT_COMPUTE, program, pipeline);
    vkCmdPushConstants(commands, program->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<uint32_t>(push.size()),
                       push.data());
    const auto groups = rows_of(host, (invocations + kGroup - 1) / kGroup);
    vkCmdDispatch(commands, groups[0], groups[1], 1);
    return true;
}

}  // namespace tgsi2spv::host
