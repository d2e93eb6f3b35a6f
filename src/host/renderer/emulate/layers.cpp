#include "renderer/emulate/layers.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/draw/shader_blend.h"
#include "renderer/emulate/lists.h"
#include "renderer/host.h"
#include "renderer/state/caps.h"
#include "renderer/state/framebuffer.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kMostPasses = 2048;  ///< of a piece: the layers that devices have
constexpr uint64_t kMostPassesOfCommand = 1U << 16;

using RegisterAt = tgsi2spv_register (Program::*)(uint32_t) const noexcept;

bool has_register(const Program& program, uint32_t count, RegisterAt at, tgsi2spv_semantic semantic) {
    for (uint32_t i = 0; i < count; i++)
        if ((program.*at)(i).semantic == semantic) return true;
    return false;
}

bool writes_semantic(const Program& program, tgsi2spv_semantic semantic) {
    return has_register(program, program.info().output_count, &Program::output, semantic);
}

bool reads_semantic(const Program& program, tgsi2spv_semantic semantic) {
    return has_register(program, program.info().input_count, &Program::input, semantic) ||
           has_register(program, program.info().system_value_count, &Program::system_value, semantic);
}

/// FRAG cannot read Vulkan's own, either, where no stage selects.
bool frag_reads(const SubContext& context, tgsi2spv_semantic semantic) {
    const Shader* const frag = context.stage(virgl::Stage::Frag).shader.get();
    return frag != nullptr && frag->program && reads_semantic(frag->program, semantic);
}

/// As the library asks.
bool selects_layers(const tgsi2spv_device_caps& caps, bool viewports) {
    return (!viewports || caps.multi_viewport != 0) &&
           (caps.ext_shader_viewport_index_layer != 0 ||
            (caps.shader_output_layer != 0 && caps.shader_output_viewport_index != 0));
}

bool draw_pass(Host& host, SubContext& context, const OwnDraw& own, ChosenLayer chosen) {
    context.chosen = chosen;
    context.mark_dirty(Dirty::Shaders);  // and the state buffer
    context.mark_dirty(Dirty::StateBuffer);
    context.mark_dirty(Dirty::Viewports);
    context.mark_dirty(Dirty::Scissors);
    const bool done = draw_own(host, context, own);
    context.chosen.reset();
    return done;
}

/// Primitives that are drawn one by one fill a command buffer with each pass.
void end_pass(Host& host, const SubContext& context) {
    if (blends_one_by_one(*host.device, context)) submit_one_by_one(host);
}

/// The draw for each viewport, which is the first one then.
bool draw_viewports(Host& host, SubContext& context, const OwnDraw& own, uint32_t layer, uint32_t count) {
    if (count == 1) return draw_pass(host, context, own, {.layer = layer});
    const auto viewports = context.viewports;
    const auto scissors = context.scissors;
    bool done = true;
    for (uint32_t v = 0; v < count && done; v++) {
        context.viewports[0] = viewports[v];
        context.scissors[0] = scissors[v];
        done = draw_pass(host, context, own, {.layer = layer, .viewport = v});
        end_pass(host, context);
    }
    context.viewports = viewports;
    context.scissors = scissors;
    return done;
}

}  // namespace

bool draw_layers(Host& host, SubContext& context, const Shader& source, const OwnDraw& own) {
    const bool layered = writes_semantic(source.program, TGSI2SPV_SEMANTIC_LAYER);
    const bool viewported = writes_semantic(source.program, TGSI2SPV_SEMANTIC_VIEWPORT_INDEX);
    const bool asks_viewport = viewported || frag_reads(context, TGSI2SPV_SEMANTIC_VIEWPORT_INDEX);
    const bool asks_layer = layered || frag_reads(context, TGSI2SPV_SEMANTIC_LAYER);
    if ((!asks_viewport && !asks_layer) || selects_layers(host.device_caps, asks_viewport))
        return draw_own(host, context, own);
    const uint32_t layers = layered ? context.framebuffer.layers : 1;
    const uint32_t viewports = viewported ? seen_viewports(host.device->report()) : 1;
    const uint64_t passes = uint64_t{layers} * viewports;
    uint64_t& so_far = host.emulation.passes;
    if (so_far > kMostPassesOfCommand) return true;
    so_far = passes > kMostPasses ? kMostPassesOfCommand + 1 : so_far + passes;
    if (so_far > kMostPassesOfCommand) {
        log_line(fmt::format("a draw to {} layers and {} viewports takes too many passes; the rest of it is skipped",
                             layers, viewports));
        return true;
    }
    if (layers == 1) return draw_viewports(host, context, own, UINT32_MAX, viewports);
    flush_clears(host);
    Framebuffer whole = context.framebuffer;
    bool done = true;
    for (uint32_t layer = 0; layer < layers && done; layer++) {
        auto one = layer_of(host, whole, layer);
        done = one.has_value();
        if (!done) break;
        host.stream.end_scope();
        context.framebuffer = std::move(*one);
        context.mark_dirty(Dirty::Framebuffer);
        done = draw_viewports(host, context, own, layer, viewports);
        end_pass(host, context);
    }
    host.stream.end_scope();
    constexpr uint32_t kMany = 64;
    if (passes > kMany) host.stream.submit();  // few such draws fill a command buffer
    context.framebuffer = std::move(whole);
    context.mark_dirty(Dirty::Framebuffer);
    return done;
}

}  // namespace tgsi2spv::host
