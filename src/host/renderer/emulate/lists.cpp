#include "renderer/emulate/lists.h"

#include <tuple>
#include <utility>

#include "renderer/emulate/rotate.h"
#include "renderer/host.h"

namespace tgsi2spv::host {
namespace {

/// Lines have theirs in the middle, triangles are every other one (Vulkan, "Primitive Topologies").
void drop_adjacent(Corners& c, uint32_t corners) {
    if (corners == 4) std::tie(c[0], c[1]) = std::pair(c[1], c[2]);
    if (corners == 6) std::tie(c[1], c[2]) = std::pair(c[2], c[4]);
}

}  // namespace

uint32_t Listing::corners() const {
    const uint32_t all = corners_of(topology);
    return drops_adjacent && all > 3 ? all / 2 : all;
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

bool submit_one_by_one(Host& host) {
    host.stream.end_scope();
    const uint64_t batch = host.stream.current();
    host.stream.submit();
    return host.stream.wait(std::exchange(host.emulation.one_by_one.batch, batch));
}

virgl::Draw draw_of_list(const virgl::Draw& command, const DrawArguments& a, const Listing& listing) {
    virgl::Draw list = command;
    list.mode = primitive_of_list(listing.corners());
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

PrimitiveLists::PrimitiveLists(const Listing& listing, const VertexNumbers& vertices)
    : listing_(listing), corners_(listing.corners()), assembler_(listing.topology, vertices, listing.last_provokes) {}

bool PrimitiveLists::next(std::vector<uint32_t>& list) {
    constexpr size_t kMostAtOnce = 4096;
    list.clear();
    Corners next{};
    while ((!listing_.one_by_one || list.size() < kMostAtOnce * corners_) && assembler_.next(next)) {
        if (listing_.drops_adjacent) drop_adjacent(next, corners_of(listing_.topology));
        list.insert(list.end(), next.begin(), next.begin() + corners_);
    }
    if (listing_.rotates) rotate_corners(list, corners_);
    return !list.empty();
}

}  // namespace tgsi2spv::host
