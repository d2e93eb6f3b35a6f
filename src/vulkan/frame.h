// What one job owns on the device while it runs. Internal to this folder.
#pragma once

#include <volk.h>

#include <cstdint>
#include <string>
#include <vector>

#include "vulkan/device.h"
#include "vulkan/error.h"
#include "vulkan/job.h"

namespace tgsi2spv::vulkan {

/// A range of the arena.
struct Range {
    VkDeviceSize offset = 0, size = 0;
};

/// What the shaders of multisample.cpp are told.
struct SampleShape {
    uint32_t width, height, layers, samples, texel_bytes;
};
struct SamplePass {
    VkImageView view = VK_NULL_HANDLE;
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkShaderModule module = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
};

struct FrameImage {
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::vector<Range> levels;  ///< staging
    SamplePass write, read;     ///< multisampled: instead of copies
};

/// Handles of a job, destroyed with it unless the device is lost.
struct Frame {
    explicit Frame(Device& d, const Job& j) : device(d), job(j) {}
    ~Frame();
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    Device& device;
    const Job& job;
    Arena* arena = nullptr;
    std::vector<Range> buffers, attributes, attachments_back;
    Range indices;
    std::vector<FrameImage> images, attachments, multisampled;
    std::vector<VkImageView> views, attachment_views, multisampled_views;
    std::vector<VkBufferView> texel_views;
    std::vector<VkSampler> samplers;
    std::vector<VkShaderModule> modules;
    std::vector<VkDescriptorSetLayout> set_layouts;
    std::vector<VkDescriptorSet> sets;
    VkDescriptorPool descriptor_pool = VK_NULL_HANDLE;
    VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
    VkRenderPass render_pass = VK_NULL_HANDLE;
    VkFramebuffer framebuffer = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    bool pipeline_is_kept = false;  ///< by the device
};

using Status = Expected<void>;

template <class T>
T make(VkStructureType type) {
    T s{};
    s.sType = type;
    return s;
}

/// The stages that see descriptors and push constants.
VkShaderStageFlags stages_of(const Job& job);

/// Nothing, or the call's failure.
Status checked(VkResult result, const char* call);
/// Failure::Missing where more is used than the device has.
inline Status within(uint64_t used, uint64_t limit, const char* name) {
    if (used <= limit) return {};
    return fail(Failure::Missing, over_limit(name, used, limit));
}

/// Places every buffer and staging range in the arena, makes images, views and samplers.
Status make_resources(Frame& frame);
/// Those of the job, in `samplers`; formats that a sampler meets but the device does not filter are Missing.
Status make_samplers(Frame& frame);
/// Copies of texels to the images (whole, any level), and back.
void record_uploads(const Frame& frame, VkCommandBuffer commands);
void record_readbacks(const Frame& frame, VkCommandBuffer commands);

Status make_descriptors(Frame& frame);
/// Render pass and framebuffer of a draw.
Status make_targets(Frame& frame);
Status make_graphics_pipeline(Frame& frame);
Status make_compute_pipeline(Frame& frame);
/// All that the job's pipeline is made of, or nothing where it is not kept: what draws to attachments.
std::vector<uint32_t> pipeline_key(const Job& job);

}  // namespace tgsi2spv::vulkan
