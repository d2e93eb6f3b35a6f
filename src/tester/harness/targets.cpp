// The attachments of a job: its render pass and its framebuffer.
#include <algorithm>
#include <optional>
#include <vector>

#include "harness/frame.h"

namespace tgsi2spv::harness {

namespace {

VkAttachmentDescription described(VkFormat format, VkAttachmentLoadOp load, uint32_t samples = 1) {
    VkAttachmentDescription d{};
    d.format = format;
    d.samples = static_cast<VkSampleCountFlagBits>(samples);
    d.loadOp = load;
    d.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    d.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    d.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    d.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    return d;
}

/// The least maxMultiviewViewCount that Vulkan allows.
constexpr uint32_t kMaxViews = 6;

/// Checks the size of the drawn area, of which Vulkan guarantees only 4096 in each direction, and the number of
/// attachments.
Status check_area(const Frame& frame) {
    const auto& limits = frame.device.report().limits;
    const Job& job = frame.job;
    const struct {
        uint32_t used, limit;
        const char* name;
    } rows[] = {{job.width, limits.maxFramebufferWidth, "maxFramebufferWidth"},
                {job.height, limits.maxFramebufferHeight, "maxFramebufferHeight"},
                {job.viewport_width, limits.maxViewportDimensions[0], "maxViewportDimensions[0]"},
                {job.viewport_height, limits.maxViewportDimensions[1], "maxViewportDimensions[1]"},
                {job.layers, job.multiview ? kMaxViews : limits.maxFramebufferLayers,
                 job.multiview ? "maxMultiviewViewCount" : "maxFramebufferLayers"},
                {static_cast<uint32_t>(job.more_viewports.size() + 1),
                 frame.device.report().features.multiViewport ? limits.maxViewports : 1, "maxViewports"}};
    if (job.multiview && !frame.device.report().features11.multiview) return fail(Failure::Missing, "multiview");
    for (const auto& row : rows)
        if (auto s = within(row.used, row.limit, row.name); !s) return s;
    return within(job.attachments.size(), std::min(limits.maxColorAttachments, limits.maxFragmentOutputAttachments),
                  "maxColorAttachments");
}

/// The attachments of a render pass. The order of attachments is: colours, depth, input attachments, then the images
/// that multisampled colours are resolved to.
struct Attachments {
    std::vector<VkAttachmentDescription> descriptions;
    std::vector<VkAttachmentReference> colors, inputs, resolves;
    std::optional<VkAttachmentReference> depth;
    std::vector<VkImageView> views;  ///< views of all attachments, for the framebuffer

    VkAttachmentReference add(const VkAttachmentDescription& d, VkImageLayout layout) {
        descriptions.push_back(d);
        return {static_cast<uint32_t>(descriptions.size() - 1), layout};
    }
};

void add_colors(const Frame& frame, Attachments& out) {
    const Job& job = frame.job;
    const bool resolve = job.samples > 1;
    for (const auto& a : job.attachments) {
        auto d = described(a.format, VK_ATTACHMENT_LOAD_OP_CLEAR, job.samples);
        if (resolve) d.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
        out.colors.push_back(out.add(d, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL));
    }
    out.views = resolve ? frame.multisampled_views : frame.attachment_views;
}

void add_depth(const DepthAttachment& depth, Attachments& out) {
    auto d = described(depth_format(depth), VK_ATTACHMENT_LOAD_OP_CLEAR);
    if (depth.stencil) {
        d.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        d.stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE;
    }
    out.depth = out.add(d, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
}

void add_inputs(const Frame& frame, Attachments& out) {
    const Job& job = frame.job;
    for (const auto view : job.input_attachments) {
        if (view == kNoView) {
            out.inputs.push_back({VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED});
            continue;
        }
        auto d = described(job.images[job.views[view].image].format, VK_ATTACHMENT_LOAD_OP_LOAD);
        d.initialLayout = d.finalLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
        out.inputs.push_back(out.add(d, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL));
        if (!frame.device.compiles_only()) out.views.push_back(frame.views[view]);
    }
}

void add_resolves(const Frame& frame, Attachments& out) {
    for (const auto& a : frame.job.attachments)
        out.resolves.push_back(
            out.add(described(a.format, VK_ATTACHMENT_LOAD_OP_DONT_CARE), VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL));
    out.views.insert(out.views.end(), frame.attachment_views.begin(), frame.attachment_views.end());
}

Status make_render_pass(Frame& frame, const Attachments& attachments) {
    const Job& job = frame.job;
    VkSubpassDescription subpass{};
    subpass.inputAttachmentCount = static_cast<uint32_t>(attachments.inputs.size());
    subpass.pInputAttachments = attachments.inputs.data();
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    subpass.colorAttachmentCount = static_cast<uint32_t>(attachments.colors.size());
    subpass.pColorAttachments = attachments.colors.data();
    if (job.samples > 1) subpass.pResolveAttachments = attachments.resolves.data();
    if (attachments.depth) subpass.pDepthStencilAttachment = &*attachments.depth;
    VkSubpassDependency after{};
    after.srcSubpass = 0;
    after.dstSubpass = VK_SUBPASS_EXTERNAL;
    after.srcStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT;
    after.dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT;
    after.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    after.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    auto info = make<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
    info.attachmentCount = static_cast<uint32_t>(attachments.descriptions.size());
    info.pAttachments = attachments.descriptions.data();
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    info.dependencyCount = 1;
    info.pDependencies = &after;
    const uint32_t view_mask = (1u << job.layers) - 1;
    auto views_of = make<VkRenderPassMultiviewCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
    views_of.subpassCount = 1;
    views_of.pViewMasks = &view_mask;
    if (job.multiview) info.pNext = &views_of;
    return checked(vkCreateRenderPass(frame.device.handle(), &info, nullptr, &frame.render_pass), "vkCreateRenderPass");
}

Status make_framebuffer(Frame& frame, const std::vector<VkImageView>& views) {
    const Job& job = frame.job;
    auto info = make<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
    info.renderPass = frame.render_pass;
    info.attachmentCount = static_cast<uint32_t>(views.size());
    info.pAttachments = views.data();
    info.width = job.width;
    info.height = job.height;
    info.layers = job.multiview ? 1 : job.layers;
    return checked(vkCreateFramebuffer(frame.device.handle(), &info, nullptr, &frame.framebuffer),
                   "vkCreateFramebuffer");
}

}  // namespace

Status make_targets(Frame& frame) {
    if (auto s = check_area(frame); !s) return s;
    Attachments attachments;
    add_colors(frame, attachments);
    if (frame.job.depth) add_depth(*frame.job.depth, attachments);
    add_inputs(frame, attachments);
    if (frame.job.samples > 1) add_resolves(frame, attachments);
    if (auto s = make_render_pass(frame, attachments); !s) return s;
    return frame.device.compiles_only() ? Status() : make_framebuffer(frame, attachments.views);
}

}  // namespace tgsi2spv::harness
