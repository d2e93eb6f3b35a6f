// Creates descriptor sets, their layouts and the pipeline layout from Job::descriptors.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/frame.h"
#include "harness/places.h"

namespace tgsi2spv::harness {

namespace {

/// Vulkan does not limit binding numbers, and drivers allocate tables as long as the largest one.
constexpr uint32_t kLastBinding = 65535;

using Descriptors = std::vector<const Descriptor*>;

/// Returns the number of descriptors of buffers and images that shaders may write: those that are read back.
uint32_t written_by_shaders(const Job& job, const Descriptors& descriptors) {
    uint32_t count = 0;
    for (const Descriptor* d : descriptors)
        for (const auto item : d->items) switch (d->type) {
                case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
                    count += job.buffers[item].readback;
                    break;
                case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
                    count += job.buffers[job.texel_views[item].buffer].readback;
                    break;
                case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
                    count += job.images[job.views[item].image].readback;
                    break;
                default:
                    break;
            }
    return count;
}

Status check_descriptor(const Frame& frame, const Descriptor& descriptor) {
    const auto& limits = frame.device.report().limits;
    if (descriptor.binding > kLastBinding)
        return fail(Failure::Usage, fmt::format("binding {} is beyond {}, the last one that a job can have",
                                                descriptor.binding, kLastBinding));
    if (descriptor.set >= limits.maxBoundDescriptorSets)
        return fail(Failure::Missing, fmt::format("maxBoundDescriptorSets above {}", descriptor.set));
    const bool uniform = descriptor.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    if (!uniform && descriptor.type != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) return {};
    for (auto item : descriptor.items) {
        const uint64_t bytes = frame.job.buffers[item].words.size() * sizeof(uint32_t);
        if (auto s = uniform ? within(bytes, limits.maxUniformBufferRange, "maxUniformBufferRange")
                             : within(bytes, limits.maxStorageBufferRange, "maxStorageBufferRange");
            !s)
            return s;
    }
    return {};
}

/// Every descriptor is visible to every stage of the job, so the per-stage limits apply to the sum of all descriptors.
Status check_limits(const Frame& frame, const Descriptors& descriptors) {
    const auto& limits = frame.device.report().limits;
    std::map<VkDescriptorType, uint32_t> counts;
    for (const Descriptor* d : descriptors) {
        if (auto s = check_descriptor(frame, *d); !s) return s;
        counts[d->type] += static_cast<uint32_t>(d->items.size());
    }
    const auto combined = counts[VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER];
    const auto samplers = combined + counts[VK_DESCRIPTOR_TYPE_SAMPLER];
    const auto sampled =
        combined + counts[VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE] + counts[VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER];
    const auto uniform = counts[VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER], storage = counts[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER];
    const auto stored = counts[VK_DESCRIPTOR_TYPE_STORAGE_IMAGE] + counts[VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER];
    const auto inputs = counts[VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT];
    const auto colors = static_cast<uint32_t>(frame.job.attachments.size());
    const bool fragment = !frame.job.fragment.words.empty();
    const struct {
        uint64_t used;
        uint64_t limit;
        const char* name;
    } rows[] = {
        {samplers, limits.maxPerStageDescriptorSamplers, "maxPerStageDescriptorSamplers"},
        {sampled, limits.maxPerStageDescriptorSampledImages, "maxPerStageDescriptorSampledImages"},
        {uniform, limits.maxPerStageDescriptorUniformBuffers, "maxPerStageDescriptorUniformBuffers"},
        {storage, limits.maxPerStageDescriptorStorageBuffers, "maxPerStageDescriptorStorageBuffers"},
        {stored, limits.maxPerStageDescriptorStorageImages, "maxPerStageDescriptorStorageImages"},
        {inputs, limits.maxPerStageDescriptorInputAttachments, "maxPerStageDescriptorInputAttachments"},
        {sampled + uniform + storage + stored + inputs + colors, limits.maxPerStageResources, "maxPerStageResources"},
        {samplers, limits.maxDescriptorSetSamplers, "maxDescriptorSetSamplers"},
        {sampled, limits.maxDescriptorSetSampledImages, "maxDescriptorSetSampledImages"},
        {uniform, limits.maxDescriptorSetUniformBuffers, "maxDescriptorSetUniformBuffers"},
        {storage, limits.maxDescriptorSetStorageBuffers, "maxDescriptorSetStorageBuffers"},
        {stored, limits.maxDescriptorSetStorageImages, "maxDescriptorSetStorageImages"},
        {inputs, limits.maxDescriptorSetInputAttachments, "maxDescriptorSetInputAttachments"},
        {fragment ? written_by_shaders(frame.job, descriptors) + colors : 0, limits.maxFragmentCombinedOutputResources,
         "maxFragmentCombinedOutputResources"},
    };
    for (const auto& row : rows)
        if (auto s = within(row.used, row.limit, row.name); !s) return s;
    return {};
}

Status make_layouts(Frame& frame, const Descriptors& descriptors, std::map<VkDescriptorType, uint32_t>& counts) {
    uint32_t set_count = 0;
    for (const Descriptor* d : descriptors) set_count = std::max(set_count, d->set + 1);
    std::vector<std::vector<VkDescriptorSetLayoutBinding>> bindings(set_count);
    for (const Descriptor* descriptor : descriptors) {
        const Descriptor& d = *descriptor;
        VkDescriptorSetLayoutBinding b{};
        b.binding = d.binding;
        b.descriptorType = d.type;
        b.descriptorCount = static_cast<uint32_t>(d.items.size());
        b.stageFlags = stages_of(frame.job);
        if (d.type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT) b.stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
        bindings[d.set].push_back(b);
        counts[d.type] += b.descriptorCount;
    }
    for (const auto& set : bindings) {
        auto info = make<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
        info.bindingCount = static_cast<uint32_t>(set.size());
        info.pBindings = set.data();
        VkDescriptorSetLayout layout{};
        if (auto s = checked(vkCreateDescriptorSetLayout(frame.device.handle(), &info, nullptr, &layout),
                             "vkCreateDescriptorSetLayout");
            !s)
            return s;
        frame.set_layouts.push_back(layout);
    }
    auto info = make<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    info.setLayoutCount = static_cast<uint32_t>(frame.set_layouts.size());
    info.pSetLayouts = frame.set_layouts.data();
    VkPushConstantRange push{};
    push.stageFlags = stages_of(frame.job);
    push.size = static_cast<uint32_t>(frame.job.push_constants.size() * sizeof(uint32_t));
    if (push.size > frame.device.report().limits.maxPushConstantsSize)
        return fail(Failure::Missing, fmt::format("maxPushConstantsSize of {}", push.size));
    if (push.size > 0) {
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &push;
    }
    return checked(vkCreatePipelineLayout(frame.device.handle(), &info, nullptr, &frame.pipeline_layout),
                   "vkCreatePipelineLayout");
}

void write_sets(Frame& frame, const Descriptors& descriptors) {
    size_t total = 0;
    for (const Descriptor* d : descriptors) total += d->items.size();
    std::vector<VkDescriptorBufferInfo> buffers;
    std::vector<VkDescriptorImageInfo> images;
    std::vector<VkBufferView> texels;
    buffers.reserve(total);  // the writes point into these vectors
    images.reserve(total);
    texels.reserve(total);
    std::vector<VkWriteDescriptorSet> writes;
    for (const Descriptor* descriptor : descriptors) {
        const Descriptor& d = *descriptor;
        auto w = make<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
        w.dstSet = frame.sets[d.set];
        w.dstBinding = d.binding;
        w.descriptorCount = static_cast<uint32_t>(d.items.size());
        w.descriptorType = d.type;
        w.pBufferInfo = buffers.data() + buffers.size();
        w.pImageInfo = images.data() + images.size();
        w.pTexelBufferView = texels.data() + texels.size();
        for (size_t i = 0; i < d.items.size(); i++) {
            const auto item = d.items[i];
            switch (d.type) {
                case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
                case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
                    buffers.push_back({frame.arena->buffer, frame.buffers[item].offset, frame.buffers[item].size});
                    break;
                case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
                case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
                    texels.push_back(frame.texel_views[item]);
                    break;
                case VK_DESCRIPTOR_TYPE_SAMPLER:
                    images.push_back({frame.samplers[item], {}, {}});
                    break;
                case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
                    images.push_back({VK_NULL_HANDLE, frame.views[item], VK_IMAGE_LAYOUT_GENERAL});
                    break;
                default:
                    images.push_back({i < d.samplers.size() ? frame.samplers[d.samplers[i]] : VK_NULL_HANDLE,
                                      frame.views[item], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL});
                    break;
            }
        }
        writes.push_back(w);
    }
    vkUpdateDescriptorSets(frame.device.handle(), static_cast<uint32_t>(writes.size()), writes.data(), 0, nullptr);
}

}  // namespace

Status make_descriptors(Frame& frame) {
    const Descriptors descriptors = one_a_place(frame.job);
    if (auto s = check_limits(frame, descriptors); !s) return s;
    std::map<VkDescriptorType, uint32_t> counts;
    if (auto s = make_layouts(frame, descriptors, counts); !s) return s;
    if (frame.set_layouts.empty() || frame.device.compiles_only()) return {};
    std::vector<VkDescriptorPoolSize> sizes;
    for (const auto& [type, count] : counts)
        if (count > 0) sizes.push_back({type, count});
    auto pool = make<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    pool.maxSets = static_cast<uint32_t>(frame.set_layouts.size());
    pool.poolSizeCount = static_cast<uint32_t>(sizes.size());
    pool.pPoolSizes = sizes.data();
    const auto device = frame.device.handle();
    if (auto s =
            checked(vkCreateDescriptorPool(device, &pool, nullptr, &frame.descriptor_pool), "vkCreateDescriptorPool");
        !s)
        return s;
    auto info = make<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    info.descriptorPool = frame.descriptor_pool;
    info.descriptorSetCount = static_cast<uint32_t>(frame.set_layouts.size());
    info.pSetLayouts = frame.set_layouts.data();
    frame.sets.resize(frame.set_layouts.size());
    if (auto s = checked(vkAllocateDescriptorSets(device, &info, frame.sets.data()), "vkAllocateDescriptorSets"); !s)
        return s;
    write_sets(frame, descriptors);
    return {};
}

}  // namespace tgsi2spv::harness
