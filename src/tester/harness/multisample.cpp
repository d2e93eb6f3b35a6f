#include "harness/multisample.h"
#include "vulkan/format_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness_shaders/multisample_read_comp.h"
#include "harness_shaders/multisample_write_comp.h"

namespace tgsi2spv::harness {

namespace {

constexpr uint32_t kGroup = 64;  // invocations per work group; must match the shaders

/// Returns the number of samples of all texels; each has one invocation.
uint64_t samples_of(const Image& image) {
    return uint64_t{image.width} * image.height * image.layers * image.samples;
}
uint64_t groups_of(const Image& image) {
    return (samples_of(image) + kGroup - 1) / kGroup;
}

VkDescriptorType descriptor_type(bool write) {
    return write ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
}

/// A view of all texels as unsigned integers.
Status make_view(VkDevice device, const Image& image, VkImage handle, bool write, SamplePass& pass) {
    auto info = make<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
    auto usage = make<VkImageViewUsageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO);
    usage.usage = write ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
    info.pNext = &usage;
    info.image = handle;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    info.format = sample_format(image);
    info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, image.layers};
    return checked(vkCreateImageView(device, &info, nullptr, &pass.view), "vkCreateImageView");
}

/// Binding 0 is the buffer of texels, binding 1 the image.
Status make_layout(VkDevice device, bool write, SamplePass& pass) {
    VkDescriptorSetLayoutBinding bindings[2]{};
    bindings[0] = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    bindings[1] = {1, descriptor_type(write), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    auto set_layout = make<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    set_layout.bindingCount = 2;
    set_layout.pBindings = bindings;
    if (auto s = checked(vkCreateDescriptorSetLayout(device, &set_layout, nullptr, &pass.set_layout),
                         "vkCreateDescriptorSetLayout");
        !s)
        return s;
    auto layout = make<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(SampleShape)};
    layout.setLayoutCount = layout.pushConstantRangeCount = 1;
    layout.pSetLayouts = &pass.set_layout;
    layout.pPushConstantRanges = &push;
    return checked(vkCreatePipelineLayout(device, &layout, nullptr, &pass.layout), "vkCreatePipelineLayout");
}

Status make_pipeline(VkDevice device, bool write, SamplePass& pass) {
    auto module = make<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    module.codeSize = write ? sizeof(multisample_write_comp) : sizeof(multisample_read_comp);
    module.pCode = write ? multisample_write_comp : multisample_read_comp;
    if (auto s = compiled(vkCreateShaderModule(device, &module, nullptr, &pass.module), "vkCreateShaderModule"); !s)
        return s;
    auto pipeline = make<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    pipeline.stage = make<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline.stage.module = pass.module;
    pipeline.stage.pName = "main";
    pipeline.layout = pass.layout;
    const auto result = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline, nullptr, &pass.pipeline);
    return compiled(result, pass.pipeline, "vkCreateComputePipelines");
}

Status make_set(VkDevice device, bool write, SamplePass& pass) {
    const VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}, {descriptor_type(write), 1}};
    auto pool = make<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    pool.maxSets = 1;
    pool.poolSizeCount = 2;
    pool.pPoolSizes = sizes;
    if (auto s = checked(vkCreateDescriptorPool(device, &pool, nullptr, &pass.pool), "vkCreateDescriptorPool"); !s)
        return s;
    auto allocate = make<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    allocate.descriptorPool = pass.pool;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &pass.set_layout;
    return checked(vkAllocateDescriptorSets(device, &allocate, &pass.set), "vkAllocateDescriptorSets");
}

void fill_set(VkDevice device, const VkDescriptorBufferInfo& texels, bool write, const SamplePass& pass) {
    const VkDescriptorImageInfo target{VK_NULL_HANDLE, pass.view, VK_IMAGE_LAYOUT_GENERAL};
    VkWriteDescriptorSet writes[2];
    for (uint32_t b = 0; b < 2; b++) {
        writes[b] = make<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
        writes[b].dstSet = pass.set;
        writes[b].dstBinding = b;
        writes[b].descriptorCount = 1;
    }
    writes[0].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[0].pBufferInfo = &texels;
    writes[1].descriptorType = descriptor_type(write);
    writes[1].pImageInfo = &target;
    vkUpdateDescriptorSets(device, 2, writes, 0, nullptr);
}

Status make_pass(Frame& frame, size_t index, bool write) {
    const auto device = frame.device.handle();
    auto& image = frame.images[index];
    SamplePass& pass = write ? image.write : image.read;
    if (auto s = make_view(device, frame.job.images[index], image.image, write, pass); !s) return s;
    if (auto s = make_layout(device, write, pass); !s) return s;
    if (auto s = make_pipeline(device, write, pass); !s) return s;
    if (auto s = make_set(device, write, pass); !s) return s;
    const ArenaRange& texels = image.levels[0];
    fill_set(device, {frame.arena->buffer, texels.offset, texels.size}, write, pass);
    return {};
}

}  // namespace

VkFormat sample_format(const Image& image) {
    if (image.aspect != VK_IMAGE_ASPECT_COLOR_BIT) return VK_FORMAT_UNDEFINED;
    switch (image.texel_bytes) {
        case 1:
            return VK_FORMAT_R8_UINT;
        case 2:
            return VK_FORMAT_R16_UINT;
        case 4:
            return VK_FORMAT_R32_UINT;
        case 8:
            return VK_FORMAT_R32G32_UINT;
        case 16:
            return VK_FORMAT_R32G32B32A32_UINT;
        default:
            return VK_FORMAT_UNDEFINED;
    }
}

bool passes_samples(const Image& image) {
    return image.samples > 1 && (!image.data.empty() || image.readback);
}

Status check_sample_passes(const Frame& frame) {
    const auto& features = frame.device.report().features;
    const auto& limits = frame.device.report().limits;
    for (const auto& image : frame.job.images) {
        if (image.storage && image.samples > 1 && !features.shaderStorageImageMultisample)
            return fail(Failure::Missing, "shaderStorageImageMultisample");
        if (!passes_samples(image)) continue;
        if (sample_format(image) == VK_FORMAT_UNDEFINED)
            return fail(Failure::Missing,
                        fmt::format("texels of multisampled images of format {}", vulkan::format_name(image.format)));
        if (!features.shaderStorageImageMultisample) return fail(Failure::Missing, "shaderStorageImageMultisample");
        if (!features.shaderStorageImageWriteWithoutFormat)
            return fail(Failure::Missing, "shaderStorageImageWriteWithoutFormat");
        if (auto s =
                within(samples_of(image) * image.texel_bytes, limits.maxStorageBufferRange, "maxStorageBufferRange");
            !s)
            return s;
        if (auto s = within(groups_of(image), limits.maxComputeWorkGroupCount[0], "maxComputeWorkGroupCount"); !s)
            return s;
    }
    return {};
}

Status make_sample_passes(Frame& frame) {
    for (size_t i = 0; i < frame.images.size(); i++) {
        const auto& image = frame.job.images[i];
        if (!passes_samples(image)) continue;
        if (!image.data.empty())
            if (auto s = make_pass(frame, i, true); !s) return s;
        if (image.readback)
            if (auto s = make_pass(frame, i, false); !s) return s;
    }
    return {};
}

void destroy_sample_passes(Frame& frame) {
    const auto d = frame.device.handle();
    for (auto& image : frame.images)
        for (SamplePass* pass : {&image.write, &image.read}) {
            vkDestroyPipeline(d, pass->pipeline, nullptr);
            vkDestroyShaderModule(d, pass->module, nullptr);
            vkDestroyPipelineLayout(d, pass->layout, nullptr);
            vkDestroyDescriptorPool(d, pass->pool, nullptr);
            vkDestroyDescriptorSetLayout(d, pass->set_layout, nullptr);
            vkDestroyImageView(d, pass->view, nullptr);
        }
}

void record_sample_pass(const Frame& frame, VkCommandBuffer commands, size_t index, bool write) {
    const auto& image = frame.job.images[index];
    const SamplePass& pass = write ? frame.images[index].write : frame.images[index].read;
    if (pass.pipeline == VK_NULL_HANDLE) return;
    const SampleShape shape{image.width, image.height, image.layers, image.samples, image.texel_bytes};
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.layout, 0, 1, &pass.set, 0, nullptr);
    vkCmdPushConstants(commands, pass.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(shape), &shape);
    vkCmdDispatch(commands, static_cast<uint32_t>(groups_of(image)), 1, 1);
}

}  // namespace tgsi2spv::harness
