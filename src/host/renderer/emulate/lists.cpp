#include "renderer/emulate/lists.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "renderer/emulate/host_emulator.h"
#include "renderer/state/convert.h"

namespace tgsi2spv::host {
namespace {

/// Lines have theirs in the middle, triangles are every other one (Vulkan, "Primitive Topologies").
void drop_adjacent(Corners& c, uint32_t corners) {
    if (corners == 4) std::tie(c[0], c[1]) = std::pair(c[1], c[2]);
    if (corners == 6) std::tie(c[1], c[2]) = std::pair(c[2], c[4]);
}

}  // namespace

uint32_t ListOptions::corners() const {
    return drops_adjacent ? own_corners_of(topology) : corners_of(topology);
}

virgl::Primitive primitive_of_list(uint32_t corners) {
    switch (corners) {
        case 1:
            return virgl::Primitive::Points;
        case 2:
            return virgl::Primitive::Lines;
        case 3:
            return virgl::Primitive::Triangles;
        case 4:
            return virgl::Primitive::LinesAdjacency;
        default:
            return virgl::Primitive::TrianglesAdjacency;
    }
}

bool submit_one_by_one(HostEmulator& host) {
    host.stream.end_scope();
    const uint64_t batch = host.stream.current();
    host.stream.submit();
    return host.stream.wait(std::exchange(host.one_by_one.batch, batch));
}

void outline(std::vector<uint32_t>& list, virgl::FillMode fill) {
    if (fill != virgl::FillMode::Line) return;  // points are the corners as they stand
    std::vector<uint32_t> edges;
    edges.reserve(2 * list.size());
    for (size_t i = 0; i + 2 < list.size(); i += 3)
        edges.insert(edges.end(), {list[i], list[i + 1], list[i + 1], list[i + 2], list[i], list[i + 2]});
    list = std::move(edges);
}

virgl::Primitive outlined(virgl::Primitive list, virgl::FillMode fill) {
    return fill == virgl::FillMode::Line    ? virgl::Primitive::Lines
           : fill == virgl::FillMode::Point ? virgl::Primitive::Points
                                            : list;
}

bool has_restarts(HostState& host, const Bindings& context, const virgl::Draw& command) {
    bool found = false;
    uint64_t left = kMostListed;  // indices that are looked at
    const auto look = [&](const DrawArguments& a) -> Problem {
        if (found || left == 0) return Problem::None;
        const auto numbers = numbers_of(host, context, command, a);
        if (!numbers) found = true;  // lists say that there is no memory
        for (uint32_t i = 0; !found && left > 0 && i < numbers->count; i++, left--) found = numbers->is_restart(i);
        return Problem::None;
    };
    return for_each_draw(host, command, look) == Problem::None && found;
}

void rotate_corners(std::span<uint32_t> list, uint32_t corners) {
    for (; list.size() >= corners; list = list.subspan(corners))
        std::rotate(list.begin(), list.begin() + corners - 1, list.begin() + corners);
}

virgl::Draw draw_of_list(const virgl::Draw& command, const DrawArguments& a, const ListOptions& options) {
    virgl::Draw list = command;
    if (options.topology != VK_PRIMITIVE_TOPOLOGY_PATCH_LIST)
        list.mode = outlined(primitive_of_list(options.corners()), options.fill);
    list.indexed = true;
    list.primitive_restart = false;
    list.indirect_resource = 0;
    // Numbers of vertices without indices are indices from 0 on: VERT then has the same VERTEXID.
    list.index_bias = a.indexed ? a.bias : static_cast<int32_t>(a.first);
    list.instance_count = a.instances;
    list.start_instance = a.first_instance;
    list.draw_id = a.draw_id;
    return list;
}

PrimitiveLists::PrimitiveLists(const ListOptions& options, const VertexNumbers& vertices)
    : options_(options),
      corners_(vertices.of_patch != 0 ? vertices.of_patch : options.corners()),
      assembler_(options.topology, vertices, options.last_provokes) {}

bool PrimitiveLists::next(std::vector<uint32_t>& list) {
    constexpr size_t kMostOneByOne = 4096;
    const size_t most = options_.one_by_one ? kMostOneByOne * corners_ : kMostListed;
    list.clear();
    Corners next{};
    while (list.size() < most && assembler_.next(next)) {
        if (options_.drops_adjacent) drop_adjacent(next, corners_of(options_.topology));
        list.insert(list.end(), next.begin(), next.begin() + corners_);
    }
    outline(list, options_.fill);
    if (options_.rotates) rotate_corners(list, options_.fill == virgl::FillMode::Line ? 2 : corners_);
    return !list.empty();
}

}  // namespace tgsi2spv::host
