#include "renderer/emulate/rotate.h"

#include <algorithm>

#include "renderer/draw/stream_out.h"
#include "renderer/emulate/emulate_piece.h"
#include "renderer/host.h"
#include "renderer/state/convert.h"

namespace tgsi2spv::host {

bool has_wrong_flat_values(const Host& host, const SubContext& context) {
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

bool rotates_primitives(const Host& host, const SubContext& context, const virgl::Draw& command,
                        VkPrimitiveTopology topology) {
    if (!has_wrong_flat_values(host, context)) return false;
    const uint32_t corners = corners_of(topology);
    const bool large = command.indirect_resource == 0 && command.count > kMostRotated;
    const bool strip = topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP && context.rasterizer->line_stipple;
    return (corners == 2 || corners == 3) && !strip && !large && context.stage(virgl::Stage::Geom).shader == nullptr &&
           captured_buffers(context, *context.stage(virgl::Stage::Vert).shader) == 0;
}

virgl::Draw draw_of_list(const virgl::Draw& command, const DrawArguments& a, VkPrimitiveTopology topology) {
    virgl::Draw list = command;
    list.mode = corners_of(topology) == 2 ? virgl::Primitive::Lines : virgl::Primitive::Triangles;
    list.indexed = true;
    list.primitive_restart = false;
    list.indirect_resource = 0;
    // Numbers of vertices without indices are indices from 0 on: VERT then knows the first one as ever.
    list.index_bias = a.indexed ? a.bias : static_cast<int32_t>(a.first);
    list.instance_count = a.instances;
    list.start_instance = a.first_instance;
    list.draw_id = a.draw_id;
    return list;
}

std::optional<Indices> rotate_primitives(Host& host, const SubContext& context, const virgl::Draw& command,
                                         const DrawArguments& a, VkPrimitiveTopology topology) {
    auto numbers = numbers_of(host, context, command, a);
    if (!numbers) return std::nullopt;
    if (!a.indexed) numbers->first = 0;
    const uint32_t corners = corners_of(topology);
    std::vector<uint32_t> list;
    Corners next{};
    for (Assembler assembler(topology, *numbers, true); assembler.next(next);)
        list.insert(list.end(), next.begin(), next.begin() + corners);
    rotate_corners(list, corners);
    if (list.empty()) return Indices{};
    const gpu::Staging staging = stage_words(host, list);
    if (staging.data == nullptr) return std::nullopt;
    return Indices{staging.buffer, staging.offset, VK_INDEX_TYPE_UINT32, static_cast<uint32_t>(list.size())};
}

}  // namespace tgsi2spv::host
