#include "host/dynamic_state.h"

#include <algorithm>
#include <cmath>

#include "host/convert.h"
#include "host/pipeline.h"

namespace tgsi2spv::host {
namespace {

float finite_or(float value, float otherwise) {
    return std::isfinite(value) ? value : otherwise;
}

void record_viewports(VkCommandBuffer commands, const Host& host, const SubContext& c) {
    const auto& limits = host.device->report().limits;
    const bool unrestricted = host.device->extras().depth_range_unrestricted;
    const uint32_t count = std::min(virgl::kMaxViewports, limits.maxViewports);
    VkViewport viewports[virgl::kMaxViewports];
    VkRect2D scissors[virgl::kMaxViewports];
    const auto bound = [&](float v) {
        return std::clamp(v, limits.viewportBoundsRange[0], limits.viewportBoundsRange[1]);
    };
    const auto depth = [&](float z) { return unrestricted ? finite_or(z, 0) : (z >= 0 ? std::min(z, 1.0F) : 0.0F); };
    const Framebuffer& f = c.framebuffer;
    for (uint32_t i = 0; i < count; i++) {
        const virgl::Viewport& v = c.viewports[i];
        const float sx = std::abs(finite_or(v.scale[0], 0)), sy = finite_or(v.scale[1], 0);
        const float tx = finite_or(v.translate[0], 0), ty = finite_or(v.translate[1], 0);
        const float near = c.rasterizer->clip_halfz ? v.translate[2] : v.translate[2] - v.scale[2];
        const float width = std::clamp(2 * sx, 1e-3F, static_cast<float>(limits.maxViewportDimensions[0]));
        const auto tallest = static_cast<float>(limits.maxViewportDimensions[1]);
        viewports[i] = {bound(tx - sx), bound(ty - sy),
                        width,          std::clamp(2 * sy, -tallest, tallest),
                        depth(near),    depth(v.translate[2] + v.scale[2])};
        if (viewports[i].height == 0) viewports[i].height = 1e-3F;
        scissors[i] = {{0, 0}, {f.width, f.height}};
        if (!c.rasterizer->scissor) continue;
        const virgl::Scissor& s = c.scissors[i];
        const uint32_t x = std::min<uint32_t>(s.min_x, f.width), y = std::min<uint32_t>(s.min_y, f.height);
        const uint32_t right = std::clamp<uint32_t>(s.max_x, x, std::max(f.width, x));
        const uint32_t bottom = std::clamp<uint32_t>(s.max_y, y, std::max(f.height, y));
        scissors[i] = {{static_cast<int32_t>(x), static_cast<int32_t>(y)}, {right - x, bottom - y}};
    }
    vkCmdSetViewportWithCount(commands, count, viewports);
    vkCmdSetScissorWithCount(commands, count, scissors);
}

/// The fill mode of the faces that are not culled.
virgl::FillMode fill_mode(const virgl::CreateRasterizer& r) {
    return (r.cull & 1) != 0 ? r.fill_back : r.fill_front;
}

void record_rasterizer(VkCommandBuffer commands, const Host& host, const SubContext& c, bool lines) {
    const gpu::Device& device = *host.device;
    const auto& features = device.report().features;
    const auto& limits = device.report().limits;
    const virgl::CreateRasterizer& r = *c.rasterizer;
    vkCmdSetRasterizerDiscardEnable(commands, r.discard);
    vkCmdSetCullMode(commands, r.cull);
    vkCmdSetFrontFace(commands, r.front_ccw ? VK_FRONT_FACE_COUNTER_CLOCKWISE : VK_FRONT_FACE_CLOCKWISE);
    const virgl::FillMode fill = features.fillModeNonSolid != 0 ? fill_mode(r) : virgl::FillMode::Fill;
    vkCmdSetPolygonModeEXT(commands, to_vulkan(fill));
    const bool offset = fill == virgl::FillMode::Fill   ? r.offset_tri
                        : fill == virgl::FillMode::Line ? r.offset_line
                                                        : r.offset_point;
    vkCmdSetDepthBiasEnable(commands, offset);
    // OpenGL's unit is the smallest difference that the depth buffer resolves, as Vulkan's.
    vkCmdSetDepthBias(commands, finite_or(r.offset_units, 0),
                      features.depthBiasClamp != 0 ? finite_or(r.offset_clamp, 0) : 0, finite_or(r.offset_scale, 0));
    const float widest = features.wideLines != 0 ? limits.lineWidthRange[1] : 1;
    const float narrowest = features.wideLines != 0 ? limits.lineWidthRange[0] : 1;
    vkCmdSetLineWidth(commands, r.line_width >= narrowest ? std::min(r.line_width, widest) : narrowest);
    if (can_set_depth_clamp(device)) vkCmdSetDepthClampEnableEXT(commands, !r.depth_clip);
    if (can_set_depth_clip(device)) vkCmdSetDepthClipEnableEXT(commands, r.depth_clip);
    if (can_set_depth_range(device)) vkCmdSetDepthClipNegativeOneToOneEXT(commands, !r.clip_halfz);
    if (can_set_provoking_vertex(device))
        vkCmdSetProvokingVertexModeEXT(commands, r.flatshade_first ? VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT
                                                                   : VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT);
    // Smooth lines may not meet multisampling or stipple without features of their own: only where they are lines.
    const bool smooth = lines && r.line_smooth && device.extras().lines.smoothLines != 0 && c.framebuffer.samples == 1;
    const bool rectangular = r.line_smooth || (r.multisample && c.framebuffer.samples > 1);
    if (can_set_line_mode(device))
        vkCmdSetLineRasterizationModeEXT(commands, smooth        ? VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT
                                                   : rectangular ? VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT
                                                                 : VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT);
    if (can_set_line_stipple(device)) {
        const bool stippled = r.line_stipple && (!smooth || device.extras().lines.stippledSmoothLines != 0);
        vkCmdSetLineStippleEnableEXT(commands, stippled);
        vkCmdSetLineStippleEXT(commands, std::clamp<uint32_t>(r.stipple_factor, 1, 256), r.stipple_pattern);
    }
}

void record_depth_stencil(VkCommandBuffer commands, const SubContext& c) {
    const virgl::CreateDepthStencilAlpha& d = *c.depth_stencil;
    vkCmdSetDepthTestEnable(commands, d.depth_enable);
    vkCmdSetDepthWriteEnable(commands, d.depth_enable && d.depth_write);
    vkCmdSetDepthCompareOp(commands, to_vulkan(d.depth_func));
    vkCmdSetStencilTestEnable(commands, d.front.enable);
    const auto face = [&](VkStencilFaceFlags which, const virgl::StencilFace& s) {
        vkCmdSetStencilOp(commands, which, to_vulkan(s.fail), to_vulkan(s.depth_pass), to_vulkan(s.depth_fail),
                          to_vulkan(s.func));
        vkCmdSetStencilCompareMask(commands, which, s.value_mask);
        vkCmdSetStencilWriteMask(commands, which, s.write_mask);
    };
    face(VK_STENCIL_FACE_FRONT_BIT, d.front);
    face(VK_STENCIL_FACE_BACK_BIT, d.back.enable ? d.back : d.front);
}

void record_stencil_reference(VkCommandBuffer commands, const SubContext& c) {
    vkCmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_BIT, c.stencil_ref.front);
    vkCmdSetStencilReference(commands, VK_STENCIL_FACE_BACK_BIT,
                             c.depth_stencil->back.enable ? c.stencil_ref.back : c.stencil_ref.front);
}

void record_blend(VkCommandBuffer commands, const Host& host, const SubContext& c, uint32_t written) {
    const gpu::Device& device = *host.device;
    const virgl::CreateBlend& b = *c.blend;
    const auto& colors = c.framebuffer.colors;
    // The validation layer misses the state of draws without attachments, where none is needed: there is always one.
    const auto count = std::max(static_cast<uint32_t>(colors.size()), 1u);
    VkBool32 enables[virgl::kMaxColorBuffers];
    VkColorBlendEquationEXT equations[virgl::kMaxColorBuffers];
    VkColorComponentFlags masks[virgl::kMaxColorBuffers];
    for (uint32_t i = 0; i < count; i++) {
        const virgl::BlendTarget& t = b.targets[b.independent ? i : 0];
        const FormatInfo* format = i < colors.size() && colors[i] != nullptr ? colors[i]->format : nullptr;
        const bool opaque = format != nullptr && format->has(kOpaque);
        enables[i] = t.enable && format != nullptr && !format->has(kUint | kSint) && !b.logic_op_enable;
        equations[i] = enables[i] == VK_FALSE
                           ? VkColorBlendEquationEXT{}
                           : VkColorBlendEquationEXT{to_vulkan(t.color_src, opaque), to_vulkan(t.color_dst, opaque),
                                                     to_vulkan(t.color_op),          to_vulkan(t.alpha_src, opaque),
                                                     to_vulkan(t.alpha_dst, opaque), to_vulkan(t.alpha_op)};
        // What FRAG does not write is undefined in Vulkan, and unchanged for guests.
        masks[i] = (written >> i & 1) != 0 ? t.write_mask & (opaque ? 7U : 15U) : 0;
    }
    vkCmdSetColorBlendEnableEXT(commands, 0, count, enables);
    vkCmdSetColorBlendEquationEXT(commands, 0, count, equations);
    vkCmdSetColorWriteMaskEXT(commands, 0, count, masks);
    vkCmdSetAlphaToCoverageEnableEXT(commands, b.alpha_to_coverage && (written & 1) != 0);
    if (can_set_alpha_to_one(device)) vkCmdSetAlphaToOneEnableEXT(commands, b.alpha_to_one);
    if (can_set_logic_op(device)) {
        vkCmdSetLogicOpEnableEXT(commands, b.logic_op_enable);
        vkCmdSetLogicOpEXT(commands, to_vulkan(b.logic_op));
    }
}

}  // namespace

void record_state(Host& host, const SubContext& c, const LinkedProgram& program, VkPrimitiveTopology topology) {
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const auto any = [&](auto... bits) { return (c.is_dirty(bits) || ...); };
    using D = Dirty;
    if (any(D::Viewports, D::Scissors, D::Framebuffer, D::Rasterizer)) record_viewports(commands, host, c);
    const bool lines = class_of(topology) == VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    if (topology != host.recorded.topology) vkCmdSetPrimitiveTopology(commands, topology);
    if (any(D::Rasterizer, D::Framebuffer) || topology != host.recorded.topology)
        record_rasterizer(commands, host, c, lines);
    if (any(D::DepthStencil)) record_depth_stencil(commands, c);
    if (any(D::DepthStencil, D::StencilRef)) record_stencil_reference(commands, c);
    if (any(D::Blend, D::Framebuffer, D::Shaders)) record_blend(commands, host, c, program.outputs);
    if (any(D::BlendColor)) vkCmdSetBlendConstants(commands, c.blend_color.data());
    if (any(D::SampleMask, D::Framebuffer)) {
        const auto samples = static_cast<VkSampleCountFlagBits>(c.framebuffer.samples);
        vkCmdSetRasterizationSamplesEXT(commands, samples);
        vkCmdSetSampleMaskEXT(commands, samples, &c.sample_mask);
    }
    host.recorded.topology = topology;
}

}  // namespace tgsi2spv::host
