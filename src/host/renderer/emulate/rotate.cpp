#include "renderer/emulate/rotate.h"

#include <algorithm>

#include "renderer/emulate/lists.h"
#include "renderer/record/stream_out.h"
#include "renderer/state/host_state.h"

namespace tgsi2spv::host {

bool has_wrong_flat_values(const HostState& host, const Bindings& context) {
    const virgl::CreateRasterizer& r = *context.rasterizer;
    const Shader* const frag = context.stage(virgl::Stage::Frag).shader.get();
    return frag != nullptr && !r.discard && !r.flatshade_first &&
           host.device->extras().provoking.provokingVertexLast == 0 &&
           (frag->reads_flat || (frag->reads_color && r.flatshade));
}

void rotate_corners(std::span<uint32_t> list, uint32_t corners) {
    for (; list.size() >= corners; list = list.subspan(corners))
        std::rotate(list.begin(), list.begin() + corners - 1, list.begin() + corners);
}

bool rotates_primitives(const HostState& host, const Bindings& context, const virgl::Draw& command,
                        VkPrimitiveTopology topology) {
    if (!has_wrong_flat_values(host, context)) return false;
    const uint32_t corners = own_corners_of(topology);
    const bool large = command.indirect_resource == 0 && command.count > kMostListed;
    const bool strip = topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP && context.rasterizer->line_stipple;
    return (corners == 2 || corners == 3) && !strip && !large && context.stage(virgl::Stage::Geom).shader == nullptr &&
           captured_buffers(context, *context.stage(virgl::Stage::Vert).shader) == 0;
}

}  // namespace tgsi2spv::host
