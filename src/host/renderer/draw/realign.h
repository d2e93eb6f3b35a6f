// Vertices that are not where Vulkan lets a device fetch them: OpenGL permits any offset and stride, Vulkan those of
// whole components. The CPU makes aligned copies of them, and waits for the buffers: few programs need them.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

/// Whether an attribute has to be copied. Call it again when elements or vertex buffers have changed.
bool has_misaligned_vertices(const Host& host, const SubContext& context);

/// While it lives, the sub-context's elements and vertex buffers are aligned copies. Not inside a rendering scope.
class AlignedVertices {
  public:
    AlignedVertices(Host& host, SubContext& context);
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
