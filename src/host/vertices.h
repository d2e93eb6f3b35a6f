// Vertex and index buffers.
#pragma once

#include <optional>

#include "host/host.h"

namespace tgsi2spv::host {

/// The numeric types that VERT's inputs are fetched with (tgsi2spv_state::attributes).
std::array<uint8_t, 32> attribute_types(const SubContext& context);

void declare_vertices(Host& host, const SubContext& context);
void record_vertices(Host& host, const SubContext& context, const LinkedProgram& program);

/// An index buffer as Vulkan takes it, made anew where the guest's differs.
struct Indices {
    std::shared_ptr<gpu::Buffer> buffer;
    VkDeviceSize offset = 0;
    VkIndexType type = VK_INDEX_TYPE_UINT16;
    uint32_t count = 0;  ///< at most what the buffer holds
};
/// Null: there is no index buffer, or no memory.
std::optional<Indices> prepare_indices(Host& host, const SubContext& context, const virgl::Draw& command);

}  // namespace tgsi2spv::host
