#include "renderer/record/dynamic_state.h"

#include <algorithm>
#include <cmath>

#include "renderer/record/host_recorder.h"
#include "renderer/state/caps.h"
#include "renderer/state/convert.h"

namespace tgsi2spv::host {
namespace {

void update_viewports(OptionalState& state, const HostRecorder& host, const Bindings& context) {
    const auto& limits = host.device->report().limits;
    const uint32_t count = viewports_of(host.device->report());
    auto& [viewports, scissors] = state.view;
    state.viewport_count = count;
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
}

/// Whether a stage after VERT makes primitives of its own, which may be polygons.
bool makes_primitives(const Bindings& context) {
    return context.stage(virgl::Stage::Geom).shader != nullptr ||
           context.stage(virgl::Stage::TessEval).shader != nullptr;
}

void update_widths(OptionalState& state, const HostRecorder& host, const Bindings& context) {
    const auto& features = host.device->report().features;
    const auto& limits = host.device->report().limits;
    const virgl::CreateRasterizer& r = *context.rasterizer;
    // OpenGL's unit is the smallest difference that the depth buffer resolves, as in Vulkan.
    state.depth_bias_values = {finite_or(r.offset_units, 0),
                               features.depthBiasClamp != 0 ? finite_or(r.offset_clamp, 0) : 0,
                               finite_or(r.offset_scale, 0)};
    const float widest = features.wideLines != 0 ? limits.lineWidthRange[1] : 1;
    const float narrowest = features.wideLines != 0 ? limits.lineWidthRange[0] : 1;
    state.line_width = r.line_width >= narrowest ? std::min(r.line_width, widest) : narrowest;
}

void update_stencil(OptionalState& state, const HostRecorder& host, const Bindings& context) {
    const virgl::CreateDepthStencilAlpha& d = *context.depth_stencil;
    const virgl::StencilFace& back = d.back.enable ? d.back : d.front;
    const bool separate = d.back.enable && host.device->extras().portability.separateStencilMaskRef != 0;
    state.stencil_compare_masks = {d.front.value_mask, back.value_mask};
    state.stencil_write_masks = {d.front.write_mask, back.write_mask};
    state.stencil_references = {context.stencil_ref.front,
                                separate ? context.stencil_ref.back : context.stencil_ref.front};
}

}  // namespace

bool may_restart(const vk::Extras& extras, VkPrimitiveTopology topology) {
    const auto& lists = extras.list_restart;
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

void update_state(HostRecorder& host, const Bindings& context, const LinkedProgram& program) {
    OptionalState& state = host.recorded.optional;
    const vk::Device& device = *host.device;
    const auto any = [&](auto... parts) { return host.recorded.changes.has(parts...); };
    using enum Dirty;
    if (any(Viewports, Scissors, Framebuffer, Rasterizer)) update_viewports(state, host, context);
    // Smooth lines and depth bias depend on the topology, and on whether stages make primitives.
    if (any(Rasterizer, Framebuffer, Shaders, Assembly)) {
        update_rasterizer(state, device, context, state.topology);
        state.depth_bias =
            has_depth_bias(*context.rasterizer, state.polygon_mode, state.topology, makes_primitives(context));
        update_widths(state, host, context);
        state.restart = state.restarts != 0 && may_restart(device.extras(), state.topology);
    }
    if (any(DepthStencil)) update_depth_stencil(state, context);
    if (any(DepthStencil, StencilRef)) update_stencil(state, host, context);
    if (any(Blend, Rasterizer, Framebuffer, Shaders, SampleMask)) update_blend(state, device, context, program);
    if (any(BlendColor)) state.blend_constants = context.blend_color;
}

}  // namespace tgsi2spv::host
