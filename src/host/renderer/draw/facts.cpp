#include "renderer/draw/facts.h"

#include <algorithm>

#include "renderer/record/module_state.h"
#include "renderer/record/optional_state.h"
#include "renderer/record/stream_out.h"
#include "renderer/state/convert.h"

namespace tgsi2spv::host {
namespace {

const Shader* shader_of(const Bindings& context, virgl::Stage stage) {
    return context.stage(stage).shader.get();
}

/// Whether polygons reach the rasterizer, and no stage after VERT but TESS_EVAL makes them.
bool draws_polygons(const Bindings& context, VkPrimitiveTopology topology) {
    constexpr uint8_t kBoth = virgl::kCullFront | virgl::kCullBack;
    const virgl::CreateRasterizer& r = *context.rasterizer;
    if (r.discard || r.cull == kBoth || shader_of(context, virgl::Stage::Geom) != nullptr) return false;
    const Shader* const evaluation = shader_of(context, virgl::Stage::TessEval);
    if (evaluation == nullptr) return class_of(topology) == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    return evaluation->program && !evaluation->makes_points && !evaluation->makes_lines;
}

void find_primitives(const Bindings& context, DrawFacts& facts) {
    const virgl::CreateRasterizer& r = *context.rasterizer;
    const Shader* const frag = shader_of(context, virgl::Stage::Frag);
    facts.last_provokes = !r.flatshade_first;
    facts.stippled = r.line_stipple;
    facts.discards = r.discard;
    facts.reads_flat = frag != nullptr && (frag->reads_flat || (frag->reads_color && r.flatshade));
    facts.reads_primitive = frag != nullptr && frag->reads_primitive;
    if (fill_mode(r) != virgl::FillMode::Fill && draws_polygons(context, facts.topology)) facts.fill = fill_mode(r);
    // Culling leaves one face, so one mode.
    facts.two_modes = r.fill_front != r.fill_back && r.cull == 0 && !facts.geom && !facts.captures &&
                      class_of(facts.topology) == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
}

/// The most instances after which an attribute advances.
uint32_t greatest_divisor(const Bindings& context) {
    uint32_t greatest = 0;
    for (uint32_t i = 0; i < context.elements->count; i++)
        greatest = std::max(greatest, context.elements->elements[i].divisor);
    return greatest;
}

bool counts_generated(const DrawInputs& d) {
    return d.counts_primitives && std::ranges::any_of(d.guest->active_queries, [](const auto& run) {
               return run->query.type == virgl::QueryType::PrimitivesGenerated && run->counted.empty();
           });
}

}  // namespace

DrawFacts facts_of(const vk::Device& device, const DrawInputs& d) {
    const Bindings& context = *d.bindings;
    const virgl::Draw& command = d.command;
    const Shader& vert = *shader_of(context, virgl::Stage::Vert);
    const Shader* const evaluation = shader_of(context, virgl::Stage::TessEval);
    DrawFacts facts{.topology = d.topology};
    facts.geom = shader_of(context, virgl::Stage::Geom) != nullptr;
    facts.tessellates = evaluation != nullptr;
    facts.tessellates_points = evaluation != nullptr && evaluation->makes_points;
    facts.tessellates_lines = evaluation != nullptr && evaluation->makes_lines;
    facts.captures = context.feedback != nullptr && captured_buffers(context, last_vertex_stage(context)) != 0;
    find_primitives(context, facts);
    if (!facts.discards) facts.target_reads = target_reads(device, context);
    facts.counts_generated = counts_generated(d);
    facts.reads_instance = vert.reads_instance;
    facts.reads_draw_id = vert.reads_draw_id;
    facts.count = command.count;
    facts.instances = command.instance_count;
    facts.first_instance = command.start_instance;
    facts.draw_id = command.draw_id;
    facts.indirect = command.indirect_resource != 0;
    facts.restarts = d.restarts();
    if (facts.has_instances()) facts.divisor = greatest_divisor(context);
    return facts;
}

}  // namespace tgsi2spv::host
