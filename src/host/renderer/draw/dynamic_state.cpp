#include "renderer/draw/dynamic_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "renderer/draw/pipeline.h"
#include "renderer/host.h"
#include "renderer/state/caps.h"
#include "renderer/state/convert.h"

namespace tgsi2spv::host {
namespace {

bool is_same(const Viewports& a, const Viewports& b) {
    const auto is_same_viewport = [](const VkViewport& v, const VkViewport& w) {
        return v.x == w.x && v.y == w.y && v.width == w.width && v.height == w.height && v.minDepth == w.minDepth &&
               v.maxDepth == w.maxDepth;
    };
    const auto is_same_scissor = [](const VkRect2D& r, const VkRect2D& s) {
        return r.offset.x == s.offset.x && r.offset.y == s.offset.y && r.extent.width == s.extent.width &&
               r.extent.height == s.extent.height;
    };
    return std::ranges::equal(a.viewports, b.viewports, is_same_viewport) &&
           std::ranges::equal(a.scissors, b.scissors, is_same_scissor);
}

void record_viewports(VkCommandBuffer commands, Host& host, const Bindings& context) {
    const auto& limits = host.device->report().limits;
    const uint32_t count = viewports_of(host.device->report());
    Viewports all{};
    auto& [viewports, scissors] = all;
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
    if (is_same(all, host.recorded.viewports)) return;
    host.recorded.viewports = all;
    if (host.dynamic.has(Piece::Viewports)) {
        vkCmdSetViewportWithCount(commands, count, viewports.data());
        vkCmdSetScissorWithCount(commands, count, scissors.data());
    } else {
        vkCmdSetViewport(commands, 0, count, viewports.data());
        vkCmdSetScissor(commands, 0, count, scissors.data());
    }
}

/// Whether a stage after VERT makes primitives of its own, which may be polygons.
bool makes_primitives(const Bindings& context) {
    return context.stage(virgl::Stage::Geom).shader != nullptr ||
           context.stage(virgl::Stage::TessEval).shader != nullptr;
}

void record_faces(VkCommandBuffer commands, Host& host, const Bindings& context, const OptionalState* before) {
    const auto& features = host.device->report().features;
    const auto& limits = host.device->report().limits;
    const virgl::CreateRasterizer& r = *context.rasterizer;
    const OptionalState& state = host.recorded.optional;
    using S = OptionalState;
    const auto has = [&](Piece piece, auto member) {
        return host.dynamic.has(piece) && differs(state, before, member);
    };
    if (has(Piece::Discard, &S::discard)) vkCmdSetRasterizerDiscardEnable(commands, state.discard);
    if (has(Piece::CullMode, &S::cull_mode)) vkCmdSetCullMode(commands, state.cull_mode);
    if (has(Piece::FrontFace, &S::front_face)) vkCmdSetFrontFace(commands, static_cast<VkFrontFace>(state.front_face));
    if (has(Piece::DepthBias, &S::depth_bias)) vkCmdSetDepthBiasEnable(commands, state.depth_bias);
    // OpenGL's unit is the smallest difference that the depth buffer resolves, as in Vulkan.
    const std::array<float, 3> bias{finite_or(r.offset_units, 0),
                                    features.depthBiasClamp != 0 ? finite_or(r.offset_clamp, 0) : 0,
                                    finite_or(r.offset_scale, 0)};
    if (bias != std::exchange(host.recorded.depth_bias, bias)) vkCmdSetDepthBias(commands, bias[0], bias[1], bias[2]);
    const float widest = features.wideLines != 0 ? limits.lineWidthRange[1] : 1;
    const float narrowest = features.wideLines != 0 ? limits.lineWidthRange[0] : 1;
    const float width = r.line_width >= narrowest ? std::min(r.line_width, widest) : narrowest;
    if (width != std::exchange(host.recorded.line_width, width)) vkCmdSetLineWidth(commands, width);
}

void record_depth_stencil(VkCommandBuffer commands, const Host& host, const Bindings& context) {
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

void record_stencil_reference(VkCommandBuffer commands, const Host& host, const Bindings& context) {
    const bool separate =
        context.depth_stencil->back.enable && host.device->extras().portability.separateStencilMaskRef != 0;
    vkCmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_BIT, context.stencil_ref.front);
    vkCmdSetStencilReference(commands, VK_STENCIL_FACE_BACK_BIT,
                             separate ? context.stencil_ref.back : context.stencil_ref.front);
}

bool changes_rasterizer(const Host& host, const Bindings& context, VkPrimitiveTopology topology) {
    // Smooth lines (update_rasterizer) and depth bias depend on the topology.
    const virgl::CreateRasterizer& r = *context.rasterizer;
    const bool bias = r.offset_tri || r.offset_line || r.offset_point;
    const Changes& changes = host.recorded.changes;
    return changes.has(Dirty::Rasterizer, Dirty::Framebuffer) || (bias && changes.has(Dirty::Shaders)) ||
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

bool changes_blend(const Changes& changes) {
    using enum Dirty;
    return changes.has(Blend, Rasterizer, Framebuffer, Shaders, SampleMask);
}

}  // namespace

float finite_or(float value, float otherwise) {
    return std::isfinite(value) ? value : otherwise;
}

std::array<float, 2> depths_of(const Bindings& context, uint32_t viewport) {
    const virgl::Viewport& v = context.viewports[viewport];
    const auto depth = [](float z) { return z >= 0 ? std::min(z, 1.0F) : 0.0F; };
    const float near = context.rasterizer->clip_halfz ? v.translate[2] : v.translate[2] - v.scale[2];
    return {depth(near), depth(v.translate[2] + v.scale[2])};
}

VkRect2D scissor_of(const Bindings& context, uint32_t viewport) {
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

void update_optional_state(Host& host, const Bindings& context, const LinkedProgram& program,
                           VkPrimitiveTopology topology, bool restarts) {
    OptionalState& state = host.recorded.optional;
    if (changes_rasterizer(host, context, topology)) {
        update_rasterizer(state, *host.device, context, topology);
        state.depth_bias = has_depth_bias(*context.rasterizer, state.polygon_mode, topology, makes_primitives(context));
    }
    if (host.recorded.changes.has(Dirty::DepthStencil)) update_depth_stencil(state, context);
    state.restart = restarts && may_restart(*host.device, topology);
    if (changes_blend(host.recorded.changes)) update_blend(state, *host.device, context, program);
}

void record_state(Host& host, const Bindings& context, VkPrimitiveTopology topology) {
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const auto any = [&](auto... parts) { return host.recorded.changes.has(parts...); };
    using D = Dirty;
    auto& recorded = host.recorded;
    const OptionalState* const before = recorded.optional_before ? &*recorded.optional_before : nullptr;
    const bool rasterizer = changes_rasterizer(host, context, topology), blend = changes_blend(host.recorded.changes);
    if (any(D::Viewports, D::Scissors, D::Framebuffer, D::Rasterizer)) record_viewports(commands, host, context);
    if (topology != recorded.topology && host.dynamic.has(Piece::Topology))
        vkCmdSetPrimitiveTopology(commands, topology);
    if (rasterizer) {
        record_faces(commands, host, context, before);
        record_rasterizer(commands, host.dynamic, recorded.optional, before);
    }
    if (any(D::DepthStencil)) record_depth_stencil(commands, host, context);
    if (any(D::DepthStencil, D::StencilRef)) record_stencil_reference(commands, host, context);
    if (blend) {
        const size_t targets = context.framebuffer.colors.size();
        const bool same = std::exchange(recorded.blend_targets, targets) == targets;
        record_blend(commands, host.dynamic, recorded.optional, targets, same ? before : nullptr);
    }
    if (rasterizer || blend) recorded.optional_before = recorded.optional;
    if (any(D::BlendColor)) vkCmdSetBlendConstants(commands, context.blend_color.data());
    recorded.topology = topology;
}

}  // namespace tgsi2spv::host
