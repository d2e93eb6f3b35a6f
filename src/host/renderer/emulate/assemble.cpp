#include "renderer/emulate/assemble.h"

#include <cstring>
#include <iterator>

namespace tgsi2spv::host {
namespace {

/// How many primitives so many vertices make.
uint32_t primitives_of(VkPrimitiveTopology topology, uint32_t vertices, uint32_t of_patch) {
    const auto beyond = [&](uint32_t n) { return vertices > n ? vertices - n : 0; };
    switch (topology) {
        case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
            return beyond(1);
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
            return beyond(2);
        case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
            return beyond(3);
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
            return beyond(4) / 2;
        case VK_PRIMITIVE_TOPOLOGY_PATCH_LIST:
            return vertices / of_patch;
        default:
            return vertices / corners_of(topology);
    }
}

/// The vertices of a primitive that is not a patch, counted in its run.
using Places = std::array<uint32_t, 6>;

Places in_strip(uint32_t i, bool last_provokes) {
    if (i % 2 == 0) return {i, i + 1, i + 2};
    return last_provokes ? Places{i + 1, i, i + 2} : Places{i, i + 2, i + 1};
}

/// OpenGL's table of triangle strips with adjacency, from 0.
Places in_adjacent_strip(uint32_t i, uint32_t count) {
    const uint32_t at = 2 * i, before = i == 0 ? 1 : at - 2, after = i + 1 == count ? at + 5 : at + 6;
    if (i % 2 == 0) return {at, before, at + 2, after, at + 4, at + 3};
    return {at + 2, before, at, at + 3, at + 4, after};
}

/// Places of primitive i, of `count` in the run.
Places places_of(VkPrimitiveTopology topology, uint32_t i, uint32_t count, bool last_provokes) {
    switch (topology) {
        case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
            return {i, i + 1, i + 2, i + 3};
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
            return in_strip(i, last_provokes);
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
            return last_provokes ? Places{0, i + 1, i + 2} : Places{i + 1, i + 2, 0};
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
            return in_adjacent_strip(i, count);
        default:
            break;
    }
    const uint32_t at = i * corners_of(topology);
    return {at, at + 1, at + 2, at + 3, at + 4, at + 5};
}

}  // namespace

uint32_t corners_of(VkPrimitiveTopology topology) {
    constexpr uint32_t kCorners[] = {1, 2, 2, 3, 3, 3, 4, 4, 6, 6};  // in the order of VkPrimitiveTopology
    return topology < std::size(kCorners) ? kCorners[topology] : 0;
}

uint32_t VertexNumbers::operator[](uint32_t i) const {
    if (indices == nullptr) return first + i;
    uint32_t value = 0;
    std::memcpy(&value, indices + size_t{i} * index_bytes, index_bytes);  // little endian, as the protocol
    return value;
}

uint64_t count_primitives(VkPrimitiveTopology topology, const VertexNumbers& vertices) {
    if (!vertices.restart) return primitives_of(topology, vertices.count, vertices.of_patch);
    uint64_t primitives = 0;
    uint32_t run = 0;
    for (uint32_t i = 0; i < vertices.count; i++) {
        if (!vertices.is_restart(i)) {
            run++;
            continue;
        }
        primitives += primitives_of(topology, run, vertices.of_patch);
        run = 0;
    }
    return primitives + primitives_of(topology, run, vertices.of_patch);
}

bool Assembler::next_run() {
    if (next_begin_ >= vertices_.count) return false;
    begin_ = next_begin_;
    uint32_t end = vertices_.count;
    if (vertices_.restart)
        for (end = begin_; end < vertices_.count && !vertices_.is_restart(end);) end++;
    next_begin_ = end == vertices_.count ? end : end + 1;
    primitives_ = primitives_of(topology_, end - begin_, vertices_.of_patch);
    primitive_ = 0;
    return true;
}

bool Assembler::next(Corners& corners) {
    while (primitive_ == primitives_)
        if (!next_run()) return false;
    if (topology_ == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST) {
        const uint32_t first = begin_ + primitive_++ * vertices_.of_patch;
        for (uint32_t c = 0; c < vertices_.of_patch; c++) corners[c] = vertices_[first + c];
        return true;
    }
    const Places places = places_of(topology_, primitive_++, primitives_, last_provokes_);
    for (uint32_t c = 0; c < corners_of(topology_); c++) corners[c] = vertices_[begin_ + places[c]];
    return true;
}

}  // namespace tgsi2spv::host
