#include "renderer/emulate/emulate_piece.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/emulate/host_emulator.h"
#include "renderer/emulate/lists.h"
#include "renderer/record/framebuffer.h"
#include "renderer/state/caps.h"
#include "renderer/state/reflected.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kMostPasses = 2048;  ///< passes of a piece: the layers that devices have
constexpr uint64_t kMostPassesOfCommand = 1U << 16;

/// Whether FRAG reads the built-in. Without a stage that writes Layer, FRAG cannot read Vulkan's.
bool frag_reads(const Bindings& context, tgsi2spv_semantic semantic) {
    const Shader* const frag = context.stage(virgl::Stage::Frag).shader.get();
    return frag != nullptr &&
           (have(inputs_of(frag->program), semantic) || have(system_values_of(frag->program), semantic));
}

/// As the library asks.
bool selects_layers(const tgsi2spv_device_caps& caps, bool viewports) {
    return (!viewports || caps.multi_viewport != 0) &&
           (caps.ext_shader_viewport_index_layer != 0 ||
            (caps.shader_output_layer != 0 && caps.shader_output_viewport_index != 0));
}

bool draws(HostEmulator& host, const DrawInputs& d) {
    return record(host, d) == Problem::None;
}

/// Primitives that are drawn one by one fill a command buffer with each pass.
bool end_pass(HostEmulator& host, const DrawInputs& d) {
    return d.one_by_one == 0 || submit_one_by_one(host);
}

/// The draw for each viewport, which is the first one then. `pass`: what `d` draws from.
bool draw_viewports(HostEmulator& host, const DrawInputs& d, Bindings& pass, uint32_t layer, uint32_t count) {
    pass.chosen = {.layer = layer};
    if (count == 1) return draws(host, d);
    const auto viewports = pass.viewports;
    const auto scissors = pass.scissors;
    for (uint32_t v = 0; v < count; v++) {
        pass.chosen->viewport = v;
        pass.viewports[0] = viewports[v];
        pass.scissors[0] = scissors[v];
        if (!draws(host, d) || !end_pass(host, d)) return false;
    }
    pass.viewports = viewports;
    pass.scissors = scissors;
    return true;
}

}  // namespace

bool draw_layers(HostEmulator& host, const EmulatedDraw& draw, const DrawInputs& whole) {
    const Bindings& context = *whole.bindings;
    const Registers outputs = outputs_of(draw.last().program);
    const bool layered = have(outputs, TGSI2SPV_SEMANTIC_LAYER);
    const bool viewported = have(outputs, TGSI2SPV_SEMANTIC_VIEWPORT_INDEX);
    const bool asks_viewport = viewported || frag_reads(context, TGSI2SPV_SEMANTIC_VIEWPORT_INDEX);
    const bool asks_layer = layered || frag_reads(context, TGSI2SPV_SEMANTIC_LAYER);
    if ((!asks_viewport && !asks_layer) || selects_layers(host.device_caps, asks_viewport)) return draws(host, whole);
    const uint32_t layers = layered ? context.framebuffer.layers : 1;
    const uint32_t viewports = viewported ? seen_viewports(host.device->report()) : 1;
    const uint64_t passes = uint64_t{layers} * viewports;
    uint64_t& so_far = draw.command->passes;
    if (so_far > kMostPassesOfCommand) return true;
    so_far = passes > kMostPasses ? kMostPassesOfCommand + 1 : so_far + passes;
    if (so_far > kMostPassesOfCommand) {
        log_line(fmt::format("a draw to {} layers and {} viewports takes too many passes; the rest of it is skipped",
                             layers, viewports));
        return true;
    }
    Bindings pass = context;
    DrawInputs d = whole;
    d.bindings = &pass;
    if (layers == 1) return draw_viewports(host, d, pass, UINT32_MAX, viewports);
    if (!or_reclaim(host, [&] { return flush_clears(host); })) return false;
    for (uint32_t layer = 0; layer < layers; layer++) {
        auto one = or_reclaim(host, [&] { return layer_of(host, context.framebuffer, layer); });
        if (!one) return false;
        host.stream.end_scope();
        pass.framebuffer = std::move(*one);
        if (!draw_viewports(host, d, pass, layer, viewports) || !end_pass(host, d)) return false;
    }
    host.stream.end_scope();
    constexpr uint32_t kMany = 64;
    if (passes > kMany) host.stream.submit();  // few such draws fill a command buffer
    return true;
}

}  // namespace tgsi2spv::host
