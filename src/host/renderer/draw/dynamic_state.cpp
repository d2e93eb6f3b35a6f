#include "renderer/draw/dynamic_state.h"

#include <algorithm>
#include <cmath>

#include "renderer/draw/pipeline.h"
#include "renderer/host.h"
#include "renderer/state/caps.h"
#include "renderer/state/convert.h"

namespace tgsi2spv::host {
namespace {

void record_viewports(VkCommandBuffer commands, const Host& host, const SubContext& context) {
    const auto& limits = host.device->report().limits;
    const uint32_t count = viewports_of(host.device->report());
    VkViewport viewports[virgl::kMaxViewports];
    VkRect2D scissors[virgl::kMaxViewports];
    // Both ends of a size from `start` on are inside the device's bounds.
    const auto bound = [&](float start, float size) {
        return std::clamp(start, limits.viewportBoundsRange[0] - std::min(size, 0.0F),
                          limits.viewportBoundsRange[1] - std::max(size, 0.0F));
    };
    for (uint32_t i = 0; i < count; i++) {
        const virgl::Viewport& v = context.viewports[i];
        const float sx = std::abs(finite_or(v.scale[0], 0)), sy = finite_or(v.scale[1], 0);
        const float tx = finite_or(v.translate[0], 0), ty = finite_or(v.translate[1], 0);
        const auto [near, far] = depths_of(context, i);
        const float width = std::clamp(2 * sx, 1e-3F, static_cast<float>(limits.maxViewportDimensions[0]));
        const auto tallest = static_cast<float>(limits.maxViewportDimensions[1]);
        float height = std::clamp(2 * sy, -tallest, tallest);
        if (height == 0) height = 1e-3F;
        viewports[i] = {bound(tx - sx, width), bound(ty - sy, height), width, height, near, far};
        scissors[i] = scissor_of(context, i);
    }
    if (host.dynamic.has(Piece::Viewports)) {
        vkCmdSetViewportWithCount(commands, count, viewports);
        vkCmdSetScissorWithCount(commands, count, scissors);
    } else {
        vkCmdSetViewport(commands, 0, count, viewports);
        vkCmdSetScissor(commands, 0, count, scissors);
    }
}

/// Whether a stage after VERT makes primitives of its own, which may be polygons.
bool makes_primitives(const SubContext& context) {
    return context.stage(virgl::Stage::Geom).shader != nullptr ||
           context.stage(virgl::Stage::TessEval).shader != nullptr;
}

void record_faces(VkCommandBuffer commands, const Host& host, const SubContext& context) {
    const gpu::Device& device = *host.device;
    const auto& features = device.report().features;
    const auto& limits = device.report().limits;
    const virgl::CreateRasterizer& r = *context.rasterizer;
    const OptionalState& state = host.recorded.optional;
    if (host.dynamic.has(Piece::Discard)) vkCmdSetRasterizerDiscardEnable(commands, state.discard);
    if (host.dynamic.has(Piece::CullMode)) vkCmdSetCullMode(commands, state.cull_mode);
    if (host.dynamic.has(Piece::FrontFace)) vkCmdSetFrontFace(commands, static_cast<VkFrontFace>(state.front_face));
    if (host.dynamic.has(Piece::DepthBias)) vkCmdSetDepthBiasEnable(commands, state.depth_bias);
    // OpenGL's unit is the smallest difference that the depth buffer resolves, as in Vulkan.
    vkCmdSetDepthBias(commands, finite_or(r.offset_units, 0),
                      features.depthBiasClamp != 0 ? finite_or(r.offset_clamp, 0) : 0, finite_or(r.offset_scale, 0));
    const float widest = features.wideLines != 0 ? limits.lineWidthRange[1] : 1;
    const float narrowest = features.wideLines != 0 ? limits.lineWidthRange[0] : 1;
    vkCmdSetLineWidth(commands, r.line_width >= narrowest ? std::min(r.line_width, widest) : narrowest);
}

void record_depth_stencil(VkCommandBuffer commands, const Host& host, const SubContext& context) {
    const virgl::CreateDepthStencilAlpha& d = *context.depth_stencil;
    const OptionalState& state = host.recorded.optional;
    if (host.dynamic.has(Piece::DepthTest)) vkCmdSetDepthTestEnable(commands, state.depth_test);
    if (host.dynamic.has(Piece::DepthWrite)) vkCmdSetDepthWriteEnable(commands, state.depth_write);
    if (host.dynamic.has(Piece::DepthCompare))
        vkCmdSetDepthCompareOp(commands, static_cast<VkCompareOp>(state.depth_compare));
    if (host.dynamic.has(Piece::StencilTest)) vkCmdSetStencilTestEnable(commands, state.stencil_test);
    const auto face = [&](VkStencilFaceFlagBits which, const virgl::StencilFace& s) {
        const VkStencilOpState ops = stencil_operations(state, which);
        if (host.dynamic.has(Piece::StencilOps))
            vkCmdSetStencilOp(commands, which, ops.failOp, ops.passOp, ops.depthFailOp, ops.compareOp);
        vkCmdSetStencilCompareMask(commands, which, s.value_mask);
        vkCmdSetStencilWriteMask(commands, which, s.write_mask);
    };
    face(VK_STENCIL_FACE_FRONT_BIT, d.front);
    face(VK_STENCIL_FACE_BACK_BIT, d.back.enable ? d.back : d.front);
}

void record_stencil_reference(VkCommandBuffer commands, const Host& host, const SubContext& context) {
    const bool separate =
        context.depth_stencil->back.enable && host.device->extras().portability.separateStencilMaskRef != 0;
    vkCmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_BIT, context.stencil_ref.front);
    vkCmdSetStencilReference(commands, VK_STENCIL_FACE_BACK_BIT,
                             separate ? context.stencil_ref.back : context.stencil_ref.front);
}

bool changes_rasterizer(const Host& host, const SubContext& context, VkPrimitiveTopology topology) {
    // Smooth lines (update_rasterizer) and depth bias depend on the topology.
    const virgl::CreateRasterizer& r = *context.rasterizer;
    const bool bias = r.offset_tri || r.offset_line || r.offset_point;
    return context.is_dirty(Dirty::Rasterizer) || context.is_dirty(Dirty::Framebuffer) ||
           (bias && context.is_dirty(Dirty::Shaders)) ||
           ((bias || r.line_smooth) && topology != host.recorded.topology);
}

/// Whether a pipeline may have restarts; where they are dynamic, it need not say so.
bool may_restart(const gpu::Device& device, VkPrimitiveTopology topology) {
    const auto& lists = device.extras().list_restart;
    switch (topology) {
        case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
        case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
            return true;
        case VK_PRIMITIVE_TOPOLOGY_PATCH_LIST:
            return lists.primitiveTopologyPatchListRestart != 0;
        default:
            return lists.primitiveTopologyListRestart != 0;
    }
}

bool changes_blend(const SubContext& context) {
    return context.is_dirty(Dirty::Blend) || context.is_dirty(Dirty::Rasterizer) ||
           context.is_dirty(Dirty::Framebuffer) || context.is_dirty(Dirty::Shaders) ||
           context.is_dirty(Dirty::SampleMask);
}

}  // namespace

float finite_or(float value, float otherwise) {
    return std::isfinite(value) ? value : otherwise;
}

std::array<float, 2> depths_of(const SubContext& context, uint32_t viewport) {
    const virgl::Viewport& v = context.viewports[viewport];
    const auto depth = [](float z) { return z >= 0 ? std::min(z, 1.0F) : 0.0F; };
    const float near = context.rasterizer->clip_halfz ? v.translate[2] : v.translate[2] - v.scale[2];
    return {depth(near), depth(v.translate[2] + v.scale[2])};
}

VkRect2D scissor_of(const SubContext& context, uint32_t viewport) {
    const Framebuffer& f = context.framebuffer;
    if (!context.rasterizer->scissor) return {{0, 0}, {f.width, f.height}};
    const virgl::Scissor& s = context.scissors[viewport];
    const uint32_t x = std::min<uint32_t>(s.min_x, f.width), y = std::min<uint32_t>(s.min_y, f.height);
    const uint32_t right = std::clamp<uint32_t>(s.max_x, x, std::max(f.width, x));
    const uint32_t bottom = std::clamp<uint32_t>(s.max_y, y, std::max(f.height, y));
    return {{static_cast<int32_t>(x), static_cast<int32_t>(y)}, {right - x, bottom - y}};
}

bool has_depth_bias(const virgl::CreateRasterizer& rasterizer, uint32_t polygon_mode, VkPrimitiveTopology topology,
                    bool makes_primitives) {
    if (!makes_primitives && class_of(topology) != VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST) return false;
    return polygon_mode == VK_POLYGON_MODE_FILL   ? rasterizer.offset_tri
           : polygon_mode == VK_POLYGON_MODE_LINE ? rasterizer.offset_line
                                                  : rasterizer.offset_point;
}

void update_optional_state(Host& host, const SubContext& context, const LinkedProgram& program,
                           VkPrimitiveTopology topology, bool restarts) {
    OptionalState& state = host.recorded.optional;
    if (changes_rasterizer(host, context, topology)) {
        update_rasterizer(state, *host.device, context, topology);
        state.depth_bias = has_depth_bias(*context.rasterizer, state.polygon_mode, topology, makes_primitives(context));
    }
    if (context.is_dirty(Dirty::DepthStencil)) update_depth_stencil(state, context);
    state.restart = restarts && may_restart(*host.device, topology);
    if (changes_blend(context)) update_blend(state, *host.device, context, program);
}

void record_state(Host& host, const SubContext& context, VkPrimitiveTopology topology) {
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const auto any = [&](auto... bits) { return (context.is_dirty(bits) || ...); };
    using D = Dirty;
    if (any(D::Viewports, D::Scissors, D::Framebuffer, D::Rasterizer)) record_viewports(commands, host, context);
    if (topology != host.recorded.topology && host.dynamic.has(Piece::Topology))
        vkCmdSetPrimitiveTopology(commands, topology);
    if (changes_rasterizer(host, context, topology)) {
        record_faces(commands, host, context);
        record_rasterizer(commands, host.dynamic, host.recorded.optional);
    }
    if (any(D::DepthStencil)) record_depth_stencil(commands, host, context);
    if (any(D::DepthStencil, D::StencilRef)) record_stencil_reference(commands, host, context);
    if (changes_blend(context))
        record_blend(commands, host.dynamic, host.recorded.optional, context.framebuffer.colors.size());
    if (any(D::BlendColor)) vkCmdSetBlendConstants(commands, context.blend_color.data());
    host.recorded.topology = topology;
}

}  // namespace tgsi2spv::host
