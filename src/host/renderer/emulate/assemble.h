// The primitives of a draw, one by one, as the device would assemble them (Vulkan, "Primitive Topologies").
#pragma once

#include <volk.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace tgsi2spv::host {

/// Corners of a primitive, with those that are only adjacent; 0: not assembled here, or a patch.
uint32_t corners_of(VkPrimitiveTopology topology);
/// The same without adjacent corners, which only GEOM reads.
inline uint32_t own_corners_of(VkPrimitiveTopology topology) {
    const uint32_t all = corners_of(topology);
    return all > 3 ? all / 2 : all;
}
/// The most vertices of a primitive: of a patch.
inline constexpr uint32_t kMostCorners = 32;
using Corners = std::array<uint32_t, kMostCorners>;

/// The vertices of a draw in their order: numbers from `first` on, or indices in memory.
struct VertexNumbers {
    uint32_t first = 0, count = 0;
    const std::byte* indices = nullptr;  ///< null: none
    uint32_t index_bytes = 0;
    std::optional<uint32_t> restart{};
    uint32_t of_patch = 0;                ///< vertices of a patch
    std::shared_ptr<const void> owner{};  ///< owner of the indices, if they are a copy

    uint32_t operator[](uint32_t i) const;
    bool is_restart(uint32_t i) const { return restart && (*this)[i] == *restart; }
};

/// How many primitives an Assembler has.
uint64_t count_primitives(VkPrimitiveTopology topology, const VertexNumbers& vertices);

class Assembler {
  public:
    /// `last_provokes`: which corner of a strip's or a fan's triangles keeps its place.
    Assembler(VkPrimitiveTopology topology, const VertexNumbers& vertices, bool last_provokes)
        : topology_(topology), vertices_(vertices), last_provokes_(last_provokes), next_begin_(0) {}
    /// The next primitive's vertices. False: there is none.
    bool next(Corners& corners);

  private:
    bool next_run();
    VkPrimitiveTopology topology_;
    VertexNumbers vertices_;
    bool last_provokes_;
    // Vertices between restarts.
    uint32_t next_begin_, begin_ = 0, primitives_ = 0, primitive_ = 0;
};

}  // namespace tgsi2spv::host
