#include "renderer/record/module_state.h"

#include <bit>

#include "renderer/record/dynamic_state.h"
#include "renderer/record/optional_state.h"
#include "renderer/record/stream_out.h"
#include "renderer/record/vertices.h"
#include "renderer/state/caps.h"
#include "renderer/state/convert.h"

namespace tgsi2spv::host {

namespace {

/// The least difference between two depths; 0: they are floats.
float depth_unit(const Bindings& context) {
    const Surface* const depth = context.framebuffer.depth.get();
    const VkFormat format = depth != nullptr ? depth->resource->image->info().format : VK_FORMAT_UNDEFINED;
    const bool of_16 = format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D16_UNORM_S8_UINT;
    const bool of_24 = format == VK_FORMAT_X8_D24_UNORM_PACK32 || format == VK_FORMAT_D24_UNORM_S8_UINT;
    return of_16 ? 0x1p-16F : of_24 ? 0x1p-24F : 0;
}

float value_of(uint32_t id, const Bindings& context) {
    const virgl::CreateRasterizer& r = *context.rasterizer;
    switch (id) {
        case TGSI2SPV_SPEC_DEPTH_NEAR:
        case TGSI2SPV_SPEC_DEPTH_FAR:
            return depths_of(context, 0)[id - TGSI2SPV_SPEC_DEPTH_NEAR];
        case TGSI2SPV_SPEC_OFFSET_UNITS:
            return finite_or(r.offset_units, 0);
        case TGSI2SPV_SPEC_OFFSET_FACTOR:
            return finite_or(r.offset_scale, 0);
        case TGSI2SPV_SPEC_OFFSET_CLAMP:
            return finite_or(r.offset_clamp, 0);
        default:
            return depth_unit(context);
    }
}

/// Depth clamping on devices without depthClamp: nothing is clipped by depth, and FRAG computes what it is
/// (TGSI2SPV_STATE_CLAMP_DEPTH).
void add_shader_depth(const vk::Device& device, const Bindings& context, VkPrimitiveTopology topology,
                      ModuleState& state) {
    const VkPhysicalDeviceFeatures& features = device.report().features;
    const virgl::CreateRasterizer& r = *context.rasterizer;
    state.clamp_depth = !r.depth_clip && features.depthClamp == 0 && can_clamp_depth(features);
    if (!state.clamp_depth) return;
    const bool makes_primitives =
        context.stage(virgl::Stage::Geom).shader != nullptr || context.stage(virgl::Stage::TessEval).shader != nullptr;
    const VkPolygonMode mode = features.fillModeNonSolid != 0 ? to_vulkan(fill_mode(r)) : VK_POLYGON_MODE_FILL;
    state.offset_depth = has_depth_bias(r, mode, topology, makes_primitives);
    state.sample_shading |=
        context.framebuffer.depth != nullptr && context.framebuffer.samples > 1 && features.sampleRateShading != 0;
}

/// The draw has polygons, and they are filled: only these are stippled (OpenGL, "Polygon Stipple").
bool fills_polygons(const Bindings& context, VkPrimitiveTopology topology) {
    const Shader& last = last_vertex_stage(context);
    const bool of_draw = last.stage == virgl::Stage::Vert;
    const bool polygons =
        of_draw ? class_of(topology) == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST : !last.makes_points && !last.makes_lines;
    return polygons && fill_mode(*context.rasterizer) == virgl::FillMode::Fill;
}

}  // namespace

uint32_t shader_depth_value(uint32_t id, const Bindings& context) {
    return std::bit_cast<uint32_t>(value_of(id, context));
}

const Shader& last_vertex_stage(const Bindings& context) {
    for (const virgl::Stage stage : {virgl::Stage::Geom, virgl::Stage::TessEval})
        if (const Shader* shader = context.stage(stage).shader.get(); shader != nullptr) return *shader;
    return *context.stage(virgl::Stage::Vert).shader;
}

ModuleState module_state(const vk::Device& device, const Bindings& context, VkPrimitiveTopology topology,
                         uint32_t patch_vertices) {
    ModuleState s;
    for (size_t i = 0; i < kGraphicsStages.size(); i++)
        if (const StageBindings& stage = context.stage(kGraphicsStages[i]); stage.shader != nullptr) {
            s.shaders[i] = stage.shader->id;
            s.resources[i] = resources_in_shader(stage);
        }
    add_attributes(device, context, s);
    if (s.shaders[1] == 0 && topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST)
        s.patch_vertices = static_cast<uint8_t>(patch_vertices);
    s.captured = captured_buffers(context, last_vertex_stage(context));
    const auto& colors = context.framebuffer.colors;
    for (size_t i = 0; i < colors.size(); i++)
        if (colors[i] != nullptr) {
            s.targets[i] = static_cast<uint8_t>(numeric_type(*colors[i]->format));
            if (is_alpha_only(*colors[i]->format)) s.alpha_targets |= 1u << i;
        }
    const virgl::CreateRasterizer& r = *context.rasterizer;
    const bool integer = !colors.empty() && s.targets[0] != TGSI2SPV_NUMERIC_FLOAT;
    s.flat_shade = r.flatshade;
    s.two_sided = r.two_sided;
    s.alpha_test = context.depth_stencil->alpha_enable && !integer;
    s.stipple = r.poly_stipple && fills_polygons(context, topology);
    s.clip = r.clip_planes != 0;
    const bool draws_points = topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    s.one_layer = context.chosen.has_value();
    s.points = draws_points || fill_mode(r) == virgl::FillMode::Point;  // the corners of polygons have a size, too
    s.sprites = draws_points && r.point_quads && (r.sprite_mask != 0 || r.sprite_origin_lower_left);
    s.blend = shader_blend(device, context);
    s.dual_source = (s.blend.is_on() && s.blend.logic == 0) || device_blends_two_sources(device, context);
    const Framebuffer& f = context.framebuffer;
    if (f.seen_samples < f.samples) s.seen_samples = static_cast<uint8_t>(f.seen_samples);
    const bool multisampled = f.samples > 1 && r.multisample;
    s.sample_shading = r.force_persample && multisampled && device.report().features.sampleRateShading != 0;
    s.alpha_to_one = multisampled && replaces_alpha(device, *context.blend);
    add_shader_depth(device, context, topology, s);
    const Shader* const frag = context.stage(virgl::Stage::Frag).shader.get();
    s.fetch_layer = frag != nullptr && frag->fetches_color && f.layers > 1;
    s.fetch_sample = frag != nullptr && frag->fetches_color && f.samples > 1;
    s.ignores_sample_mask = frag != nullptr && frag->writes_sample_mask && !multisampled;
    return s;
}

}  // namespace tgsi2spv::host
