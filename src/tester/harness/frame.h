// The objects that one job owns on the device while it runs. Internal to this folder.
#pragma once

#include <volk.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/device.h"
#include "harness/job.h"
#include "vulkan/error.h"

namespace tgsi2spv::harness {

/// A range of the arena.
struct ArenaRange {
    VkDeviceSize offset = 0, size = 0;
};

/// Push constants of the shaders in multisample.cpp.
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
    std::vector<ArenaRange> levels;  ///< staging ranges in the arena, one per level
    SamplePass write, read;          ///< multisampled images only, in place of copies
};

/// The Vulkan objects of a job. The destructor destroys them unless the device hangs.
struct Frame {
    explicit Frame(Device& d, const Job& j) : device(d), job(j) {}
    ~Frame();
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    Device& device;
    const Job& job;
    Arena* arena = nullptr;
    std::vector<ArenaRange> buffers, attributes, attachments_back;
    ArenaRange indices;
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
    bool pipeline_is_kept = false;  ///< the device owns it
    bool tells_statistics = false;  ///< the pipeline is made so that the driver keeps its statistics
};

using Status = Expected<void>;

template <class T>
T make(VkStructureType type) {
    T s{};
    s.sType = type;
    return s;
}

/// Returns the stages that see the descriptors and push constants.
VkShaderStageFlags stages_of(const Job& job);

/// Returns success, or the failure of `call`.
Status checked(VkResult result, const char* call);
/// The same for a call that compiles: it may give Failure::CompilerMemory.
Status compiled(VkResult result, const char* call);
/// The same for a call that makes a pipeline: a driver that says VK_SUCCESS owes one, and nothing may use a null one.
Status compiled(VkResult result, VkPipeline pipeline, const char* call);
/// Returns Failure::Missing if `used` exceeds `limit`.
inline Status within(uint64_t used, uint64_t limit, const char* name) {
    if (used <= limit) return {};
    return fail(Failure::Missing, vulkan::over_limit(name, used, limit));
}

/// The format of a depth attachment.
inline VkFormat depth_format(const DepthAttachment& depth) {
    return depth.stencil ? VK_FORMAT_D32_SFLOAT_S8_UINT : VK_FORMAT_D32_SFLOAT;
}

/// Places every buffer and staging range in the arena, and creates images, views, samplers and attachments.
Status make_resources(Frame& frame);
/// Creates the job's samplers in `samplers`. A format that a sampler filters but the device cannot is Failure::Missing.
Status make_samplers(Frame& frame);
/// Records the copies of texels to the images (all levels), and back.
void record_uploads(const Frame& frame, VkCommandBuffer commands);
void record_readbacks(const Frame& frame, VkCommandBuffer commands);

Status make_descriptors(Frame& frame);
/// Creates the render pass and the framebuffer of a draw.
Status make_targets(Frame& frame);
Status make_graphics_pipeline(Frame& frame);
Status make_compute_pipeline(Frame& frame);
/// Returns everything that the job's pipeline is made from, or nothing if the pipeline is not kept: if it has
/// attachments, vertex attributes, indices, captures or several samples.
std::vector<uint32_t> pipeline_key(const Job& job);

}  // namespace tgsi2spv::harness
