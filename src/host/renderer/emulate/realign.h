// Vertices that are not where Vulkan lets a device fetch them: OpenGL permits any offset and stride, Vulkan those of
// whole components. The CPU makes aligned copies of those that a draw fetches, and waits for work that writes their
// buffers: few programs need them. Their memory is in the budget, so that a draw copies at most as much as a guest's
// command that moves a whole buffer.
#pragma once

#include <optional>

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct DrawArguments;
struct HostState;
struct HostRecorder;
struct VertexNumbers;

/// The vertices and instances that draws fetch, first .. end - 1.
struct VertexRanges {
    struct Range {
        uint64_t first = UINT64_MAX, end = 0;
    };
    Range vertices, instances;
    bool certain = true;  ///< no others: the numbers are not in memory, which may change
};
/// By a command. Waits for indices that the device writes; of an indirect draw, all may be fetched. Empty: memory is
/// short.
std::optional<VertexRanges> ranges_of(HostState& host, const Bindings& context, const virgl::Draw& command);
/// The ranges that one of its draws fetches.
VertexRanges ranges_of(const DrawArguments& a, const VertexNumbers& numbers);

/// Bindings of aligned copies of the vertices in the ranges. Empty: memory is short.
std::optional<Bindings> align_vertices(HostRecorder& host, const Bindings& context, const VertexRanges& ranges);

}  // namespace tgsi2spv::host
