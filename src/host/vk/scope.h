// Rendering scopes, and the attachments in pipelines' descriptions: dynamic rendering, or render passes and
// framebuffers on devices that lack it.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "vk/cache.h"
#include "vk/object.h"

namespace tgsi2spv::vk {

/// How FRAG reads colour 0 of its own targets, as an input attachment of a render pass, on devices with dynamic
/// rendering, too.
enum class ColorReads : uint8_t {
    None,
    AfterBarriers,  ///< writes before Stream::order_color_reads() are seen
    InOrder,        ///< writes of earlier primitives are seen: VK_EXT_rasterization_order_attachment_access
};

/// The attachments of a rendering scope. Two scopes with equal attachments are one, unless a barrier divides them.
struct Attachment {
    VkImageView view = VK_NULL_HANDLE;
    VkFormat format = VK_FORMAT_UNDEFINED;  ///< the view's
    std::shared_ptr<Image> image;
    std::shared_ptr<const void> views{};  ///< keeps the view alive, if it is not of this batch
    bool clear = false;                   ///< a clear at the beginning of the scope
    VkClearValue value{};
};
struct Scope {
    std::vector<Attachment> colors;
    Attachment depth, stencil;  ///< aspects of one view, if there are both
    VkRect2D area{};
    uint32_t layers = 1;
    ColorReads color_reads = ColorReads::None;
};

inline constexpr uint32_t kMostColors = 8;

/// The attachments that a pipeline is made for.
struct Targets {
    std::array<VkFormat, kMostColors> colors{};  ///< undefined: none
    uint32_t color_count = 0;
    VkFormat depth_stencil = VK_FORMAT_UNDEFINED;
    uint32_t samples = 1;
    ColorReads color_reads = ColorReads::None;
};

/// Keyed by the targets and the clears at the beginning. All of the same targets are compatible.
using RenderPasses = Cache<VkRenderPass, std::array<uint32_t, kMostColors + 5>>;
/// Keyed by render pass, views and size: for a batch, which keeps the views, so no handle is reused.
using Framebuffers = Cache<VkFramebuffer, std::array<uint64_t, kMostColors + 4>>;

void begin_rendering(VkCommandBuffer commands, const Scope& scope);
/// The same with a render pass. False: memory is short.
bool begin_render_pass(VkCommandBuffer commands, RenderPasses& passes, Framebuffers& framebuffers, const Scope& scope);

/// Lets FRAG read what was written before; in a render pass with color_reads.
void order_color_reads(VkCommandBuffer commands);

/// The targets in a pipeline's description, chained to it. Not to be moved.
struct PipelineTargets {
    /// `passes`: null with dynamic rendering, unless FRAG reads colours.
    PipelineTargets(RenderPasses* passes, const Targets& targets, VkGraphicsPipelineCreateInfo& info);
    PipelineTargets(const PipelineTargets&) = delete;
    PipelineTargets& operator=(const PipelineTargets&) = delete;

    Targets targets;
    VkPipelineRenderingCreateInfo rendering{.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    bool complete = true;  ///< false: memory is short
};

}  // namespace tgsi2spv::vk
