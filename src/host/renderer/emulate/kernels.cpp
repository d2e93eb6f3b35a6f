#include "renderer/emulate/kernels.h"

#include <algorithm>
#include <cstddef>

#include "harness_shaders/capture_comp.h"
#include "harness_shaders/fetch_comp.h"
#include "harness_shaders/primitives_comp.h"
#include "renderer/emulate/host_emulator.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kGroup = 64;
static_assert(sizeof(FetchPush) >= std::max(sizeof(CapturePush), sizeof(PrimitivesPush)));

bool make_layouts(const HostState& host, Kernels& kernels) {
    if (kernels.layout != VK_NULL_HANDLE) return true;
    kernels.device = host.device->handle();
    std::array<VkDescriptorSetLayoutBinding, kKernelBuffers> bindings{};
    for (uint32_t i = 0; i < kKernelBuffers; i++)
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                        .bindingCount = kKernelBuffers,
                                        .pBindings = bindings.data()};
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(FetchPush)};
    VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                    .setLayoutCount = 1,
                                    .pSetLayouts = &kernels.set_layout,
                                    .pushConstantRangeCount = 1,
                                    .pPushConstantRanges = &range};
    return host.device->check(vkCreateDescriptorSetLayout(kernels.device, &set, nullptr, &kernels.set_layout),
                              "vkCreateDescriptorSetLayout") &&
           host.device->check(vkCreatePipelineLayout(kernels.device, &info, nullptr, &kernels.layout),
                              "vkCreatePipelineLayout");
}

VkPipeline make_pipeline(const HostRecorder& host, const Kernels& kernels, std::span<const uint32_t> words,
                         KernelPass pass) {
    VkShaderModuleCreateInfo code{
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words.size_bytes(), .pCode = words.data()};
    VkShaderModule module = VK_NULL_HANDLE;
    if (!host.device->check(vkCreateShaderModule(kernels.device, &code, nullptr, &module), "vkCreateShaderModule"))
        return VK_NULL_HANDLE;
    constexpr std::array<VkSpecializationMapEntry, 2> kConstants{
        {{0, offsetof(KernelPass, pass), sizeof(uint32_t)}, {1, offsetof(KernelPass, corners), sizeof(uint32_t)}}};
    const VkSpecializationInfo constants{kConstants.size(), kConstants.data(), sizeof pass, &pass};
    const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                     .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                     .module = module,
                                                     .pName = "main",
                                                     .pSpecializationInfo = &constants},
                                           .layout = kernels.layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    host.device->check(vkCreateComputePipelines(kernels.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
                       "vkCreateComputePipelines");
    vkDestroyShaderModule(kernels.device, module, nullptr);
    return pipeline;
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

/// Null: no memory.
VkPipeline find_pipeline(HostEmulator& host, Kernel kernel, KernelPass pass) {
    Kernels& kernels = host.emulation.kernels;
    const size_t place = (static_cast<size_t>(kernel) * Kernels::kPasses + pass.pass) * Kernels::kCorners;
    VkPipeline& pipeline = kernels.pipelines[place + pass.corners - 1];
    if (pipeline == VK_NULL_HANDLE) pipeline = make_pipeline(host, kernels, words_of(kernel), pass);
    return pipeline;
}

}  // namespace

Kernels::~Kernels() {
    for (const VkPipeline pipeline : pipelines)
        if (pipeline != VK_NULL_HANDLE) vkDestroyPipeline(device, pipeline, nullptr);
    if (layout != VK_NULL_HANDLE) vkDestroyPipelineLayout(device, layout, nullptr);
    if (set_layout != VK_NULL_HANDLE) vkDestroyDescriptorSetLayout(device, set_layout, nullptr);
}

std::array<uint32_t, 2> rows_of(const HostState& host, uint64_t groups) {
    groups = std::max<uint64_t>(groups, 1);
    const uint64_t row = std::min<uint64_t>(groups, host.device->report().limits.maxComputeWorkGroupCount[0]);
    return {static_cast<uint32_t>(row), static_cast<uint32_t>((groups + row - 1) / row)};
}

bool bind_buffers(HostEmulator& host, std::span<const VkDescriptorBufferInfo, kKernelBuffers> buffers) {
    Kernels& kernels = host.emulation.kernels;
    if (!make_layouts(host, kernels)) return false;
    const VkDescriptorSet set = host.stream.descriptor_set(kernels.set_layout);
    if (set == VK_NULL_HANDLE) return false;
    std::array<VkWriteDescriptorSet, kKernelBuffers> writes{};
    for (uint32_t i = 0; i < kKernelBuffers; i++)
        writes[i] = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                     .dstSet = set,
                     .dstBinding = i,
                     .descriptorCount = 1,
                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                     .pBufferInfo = &buffers[i]};
    vkUpdateDescriptorSets(kernels.device, kKernelBuffers, writes.data(), 0, nullptr);
    vkCmdBindDescriptorSets(host.stream.commands(), VK_PIPELINE_BIND_POINT_COMPUTE, kernels.layout, 0, 1, &set, 0,
                            nullptr);
    return true;
}

bool run_kernel(HostEmulator& host, Kernel kernel, KernelPass pass, std::span<const std::byte> push,
                uint64_t invocations) {
    const VkPipeline pipeline = find_pipeline(host, kernel, pass);
    if (pipeline == VK_NULL_HANDLE) return false;
    const VkCommandBuffer commands = host.stream.commands();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(commands, host.emulation.kernels.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<uint32_t>(push.size()), push.data());
    const auto groups = rows_of(host, (invocations + kGroup - 1) / kGroup);
    vkCmdDispatch(commands, groups[0], groups[1], 1);
    return true;
}

}  // namespace tgsi2spv::host
