// Vertices that are not where Vulkan lets a device fetch them: OpenGL permits any offset and stride, Vulkan those of
// whole components. The CPU makes aligned copies of those that a draw fetches, and waits for work that writes their
// buffers: few programs need them.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct DrawArguments;
struct Host;
struct VertexNumbers;

/// Whether an attribute has to be copied. Call it again when elements or vertex buffers have changed.
bool has_misaligned_vertices(const Host& host, const SubContext& context);

/// The vertices and instances that draws fetch, first .. end - 1.
struct VertexRanges {
    struct Range {
        uint64_t first = UINT64_MAX, end = 0;
    };
    Range vertices, instances;
    bool certain = true;  ///< no others: the numbers are not in memory, which may change
};
/// By a command. Waits for indices that the device writes; of an indirect draw, all may be fetched.
VertexRanges ranges_of(Host& host, const SubContext& context, const virgl::Draw& command);
/// By one of them.
VertexRanges ranges_of(const DrawArguments& a, const VertexNumbers& numbers);

/// While it lives, the sub-context's elements and vertex buffers are aligned copies of what is ranges.
class AlignedVertices {
  public:
    AlignedVertices(Host& host, SubContext& context, const VertexRanges& ranges);
    ~AlignedVertices();
    AlignedVertices(const AlignedVertices&) = delete;
    AlignedVertices& operator=(const AlignedVertices&) = delete;
    /// False: memory is short, and nothing can be drawn.
    bool complete() const { return complete_; }

  private:
    SubContext& context_;
    Shared<virgl::CreateVertexElements> elements_;
    std::vector<BoundVertexBuffer> buffers_;
    bool complete_ = true;
};

}  // namespace tgsi2spv::host
