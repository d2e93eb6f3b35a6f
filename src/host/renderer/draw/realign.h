// Vertices that are not where Vulkan lets a device fetch them: OpenGL permits any offset and stride, Vulkan those of
// whole components. The copies that take their place are made by the CPU, which waits for the buffers: few programs
// need them.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

/// Whether an attribute has to be moved. To be asked again when elements or vertex buffers have changed.
bool has_misaligned_vertices(const Host& host, const SubContext& context);

/// While it lives, the sub-context's elements and vertex buffers are aligned copies. Not inside a rendering scope.
class AlignedVertices {
  public:
    AlignedVertices(Host& host, SubContext& context);
    ~AlignedVertices();
    AlignedVertices(const AlignedVertices&) = delete;
    AlignedVertices& operator=(const AlignedVertices&) = delete;
    /// False: there was no memory, and nothing can be drawn.
    bool complete() const { return complete_; }

  private:
    SubContext& context_;
    Shared<virgl::CreateVertexElements> elements_;
    std::vector<BoundVertexBuffer> buffers_;
    bool complete_ = true;
};

}  // namespace tgsi2spv::host
