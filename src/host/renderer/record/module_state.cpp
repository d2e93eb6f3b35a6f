#include "renderer/record/module_state.h"

#include "renderer/record/optional_state.h"
#include "renderer/record/shader_depth.h"
#include "renderer/record/stream_out.h"
#include "renderer/record/vertices.h"
#include "renderer/state/convert.h"

namespace tgsi2spv::host {

const Shader& last_vertex_stage(const Bindings& context) {
    for (const virgl::Stage stage : {virgl::Stage::Geom, virgl::Stage::TessEval})
        if (const Shader* shader = context.stage(stage).shader.get(); shader != nullptr) return *shader;
    return *context.stage(virgl::Stage::Vert).shader;
}

ModuleState module_state(const gpu::Device& device, const Bindings& context, VkPrimitiveTopology topology,
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
    s.stipple = r.poly_stipple && class_of(topology) == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
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
