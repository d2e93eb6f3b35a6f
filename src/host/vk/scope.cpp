#include "vk/scope.h"

#include <algorithm>

namespace tgsi2spv::vk {
namespace {

constexpr uint32_t kClearDepth = 1U << kMostColors, kClearStencil = kClearDepth << 1;

const Attachment& depth_stencil_of(const Scope& scope) {
    return scope.depth.view != VK_NULL_HANDLE ? scope.depth : scope.stencil;
}

Targets targets_of(const Scope& scope) {
    Targets targets{.color_reads = scope.color_reads};
    const auto add = [&](const Attachment& a) {
        if (a.view == VK_NULL_HANDLE) return VK_FORMAT_UNDEFINED;
        targets.samples = a.image->info().samples;
        return a.format;
    };
    for (const Attachment& color : scope.colors) targets.colors[targets.color_count++] = add(color);
    targets.depth_stencil = add(depth_stencil_of(scope));
    return targets;
}

uint32_t clears_of(const Scope& scope) {
    uint32_t clears = 0;
    for (size_t i = 0; i < scope.colors.size(); i++)
        if (scope.colors[i].view != VK_NULL_HANDLE && scope.colors[i].clear) clears |= 1U << i;
    if (scope.depth.view != VK_NULL_HANDLE && scope.depth.clear) clears |= kClearDepth;
    if (scope.stencil.view != VK_NULL_HANDLE && scope.stencil.clear) clears |= kClearStencil;
    return clears;
}

/// The dependency of FRAG's reads on earlier writes.
constexpr VkSubpassDependency kColorReads{.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                          .dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                          .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                          .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
                                          .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT};

VkRenderPass make_render_pass(Device& device, const Targets& targets, uint32_t clears) {
    VkAttachmentDescription attachments[kMostColors + 1];
    VkAttachmentReference colors[kMostColors], depth{VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_GENERAL};
    uint32_t count = 0;
    const auto add = [&](VkFormat format, bool clear, bool clear_stencil) {
        const auto load = [](bool cleared) {
            return cleared ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
        };
        attachments[count] = {.format = format,
                              .samples = static_cast<VkSampleCountFlagBits>(targets.samples),
                              .loadOp = load(clear),
                              .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                              .stencilLoadOp = load(clear_stencil),
                              .stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE,
                              .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                              .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
        return VkAttachmentReference{count++, VK_IMAGE_LAYOUT_GENERAL};
    };
    for (uint32_t i = 0; i < targets.color_count; i++)
        colors[i] = targets.colors[i] == VK_FORMAT_UNDEFINED
                        ? VkAttachmentReference{VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_GENERAL}
                        : add(targets.colors[i], (clears >> i & 1) != 0, false);
    if (targets.depth_stencil != VK_FORMAT_UNDEFINED)
        depth = add(targets.depth_stencil, (clears & kClearDepth) != 0, (clears & kClearStencil) != 0);
    constexpr VkSubpassDescriptionFlags kInOrder =
        VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_COLOR_ACCESS_BIT_EXT;
    const uint32_t reads = targets.color_reads == ColorReads::None ? 0 : 1;
    const VkSubpassDescription subpass{.flags = targets.color_reads == ColorReads::InOrder ? kInOrder : 0,
                                       .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                       .inputAttachmentCount = reads,
                                       .pInputAttachments = colors,
                                       .colorAttachmentCount = targets.color_count,
                                       .pColorAttachments = colors,
                                       .pDepthStencilAttachment = &depth};
    const VkRenderPassCreateInfo info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                      .attachmentCount = count,
                                      .pAttachments = attachments,
                                      .subpassCount = 1,
                                      .pSubpasses = &subpass,
                                      .dependencyCount = reads,
                                      .pDependencies = &kColorReads};
    VkRenderPass pass = VK_NULL_HANDLE;
    return device.check(vkCreateRenderPass(device.handle(), &info, nullptr, &pass), "vkCreateRenderPass")
               ? pass
               : VK_NULL_HANDLE;
}

VkRenderPass find_render_pass(RenderPasses& passes, const Targets& targets, uint32_t clears) {
    RenderPasses::Key key{};
    std::ranges::copy(targets.colors, key.begin());
    key[kMostColors] = targets.color_count;
    key[kMostColors + 1] = targets.depth_stencil;
    key[kMostColors + 2] = targets.samples;
    key[kMostColors + 3] = clears;
    key[kMostColors + 4] = static_cast<uint32_t>(targets.color_reads);
    return passes.find(key, [&] { return make_render_pass(passes.device, targets, clears); });
}

/// The views that there are, in the order of the render pass, and the values that clear them.
struct Views {
    std::array<VkImageView, kMostColors + 1> views{};
    std::array<VkClearValue, kMostColors + 1> values{};
    uint32_t count = 0;

    explicit Views(const Scope& scope) {
        for (const Attachment& color : scope.colors) add(color);
        add(depth_stencil_of(scope));
    }
    void add(const Attachment& a) {
        if (a.view == VK_NULL_HANDLE) return;
        views[count] = a.view;
        values[count++] = a.value;
    }
};

VkFramebuffer find_framebuffer(Framebuffers& framebuffers, VkRenderPass pass, const Views& views, const Scope& scope) {
    // Where nothing is drawn to, a guest may ask for no size.
    const auto end = [](int32_t offset, uint32_t size) { return std::max(static_cast<uint32_t>(offset) + size, 1U); };
    const uint32_t width = end(scope.area.offset.x, scope.area.extent.width);
    const uint32_t height = end(scope.area.offset.y, scope.area.extent.height);
    Framebuffers::Key key{};
    std::ranges::transform(views.views, key.begin(), [](VkImageView view) { return reinterpret_cast<uint64_t>(view); });
    key[kMostColors + 1] = reinterpret_cast<uint64_t>(pass);
    key[kMostColors + 2] = uint64_t{width} << 32 | height;
    key[kMostColors + 3] = scope.layers;
    return framebuffers.find(key, [&] {
        const VkFramebufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = pass,
                                           .attachmentCount = views.count,
                                           .pAttachments = views.views.data(),
                                           .width = width,
                                           .height = height,
                                           .layers = scope.layers};
        Device& device = framebuffers.device;
        VkFramebuffer made = VK_NULL_HANDLE;
        return device.check(vkCreateFramebuffer(device.handle(), &info, nullptr, &made), "vkCreateFramebuffer")
                   ? made
                   : VK_NULL_HANDLE;
    });
}

}  // namespace

void begin_rendering(VkCommandBuffer commands, const Scope& scope) {
    std::vector<VkRenderingAttachmentInfo> colors;
    const auto attachment = [&](const Attachment& a) {
        return VkRenderingAttachmentInfo{
            .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
            .imageView = a.view,
            .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
            .loadOp = a.clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .clearValue = a.value,
        };
    };
    for (const Attachment& color : scope.colors) colors.push_back(attachment(color));
    const VkRenderingAttachmentInfo depth = attachment(scope.depth), stencil = attachment(scope.stencil);
    VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                         .renderArea = scope.area,
                         .layerCount = scope.layers,
                         .colorAttachmentCount = static_cast<uint32_t>(colors.size()),
                         .pColorAttachments = colors.data(),
                         .pDepthAttachment = scope.depth.view == VK_NULL_HANDLE ? nullptr : &depth,
                         .pStencilAttachment = scope.stencil.view == VK_NULL_HANDLE ? nullptr : &stencil};
    vkCmdBeginRendering(commands, &info);
}

bool begin_render_pass(VkCommandBuffer commands, RenderPasses& passes, Framebuffers& framebuffers, const Scope& scope) {
    const VkRenderPass pass = find_render_pass(passes, targets_of(scope), clears_of(scope));
    if (pass == VK_NULL_HANDLE) return false;
    const Views views(scope);
    const VkRenderPassBeginInfo info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                     .renderPass = pass,
                                     .framebuffer = find_framebuffer(framebuffers, pass, views, scope),
                                     .renderArea = scope.area,
                                     .clearValueCount = views.count,
                                     .pClearValues = views.values.data()};
    if (info.framebuffer == VK_NULL_HANDLE) return false;
    vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
    return true;
}

void order_color_reads(VkCommandBuffer commands) {
    const VkMemoryBarrier colors{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = kColorReads.srcAccessMask,
                                 .dstAccessMask = kColorReads.dstAccessMask};
    vkCmdPipelineBarrier(commands, kColorReads.srcStageMask, kColorReads.dstStageMask, kColorReads.dependencyFlags, 1,
                         &colors, 0, nullptr, 0, nullptr);
}

PipelineTargets::PipelineTargets(RenderPasses* passes, const Targets& made_for, VkGraphicsPipelineCreateInfo& info)
    : targets(made_for) {
    if (passes != nullptr) {
        info.renderPass = find_render_pass(*passes, targets, 0);
        complete = info.renderPass != VK_NULL_HANDLE;
        return;
    }
    const VkImageAspectFlags aspects = aspects_of(targets.depth_stencil);
    rendering.colorAttachmentCount = targets.color_count;
    rendering.pColorAttachmentFormats = targets.colors.data();
    if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0) rendering.depthAttachmentFormat = targets.depth_stencil;
    if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) rendering.stencilAttachmentFormat = targets.depth_stencil;
    rendering.pNext = info.pNext;
    info.pNext = &rendering;
}

}  // namespace tgsi2spv::vk
