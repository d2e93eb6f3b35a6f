// State that devices change by command, some of it only with another pipeline: each piece is dynamic where the device
// permits it, and part of the pipeline's key elsewhere. One table has them all: when each may change, and its command.
#pragma once

#include <volk.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "virgl/commands.h"
#include "vk/device.h"

namespace tgsi2spv::host {

struct Bindings;
struct LinkedProgram;
struct FormatInfo;
class Changes;

struct Viewports {
    std::array<VkViewport, virgl::kMaxViewports> viewports;
    std::array<VkRect2D, virgl::kMaxViewports> scissors;
};

/// Values as the device takes them, in words; unsupported state keeps its default.
struct OptionalState {
    VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_MAX_ENUM;
    uint32_t patch_vertices = 0, restarts = 0;  ///< restarts: that the draw asks for
    uint32_t targets = 0;                       ///< colour targets
    uint32_t viewport_count = 0;
    Viewports view{};
    std::array<float, 3> depth_bias_values{};  ///< units, clamp, scale
    float line_width = 1;
    /// Values for the front and the back.
    std::array<uint32_t, 2> stencil_compare_masks{}, stencil_write_masks{}, stencil_references{};
    std::array<float, 4> blend_constants{};
    uint32_t polygon_mode = VK_POLYGON_MODE_FILL;
    uint32_t depth_clamp = 0, depth_clip = 1, depth_from_minus_one = 0;
    uint32_t provoking_vertex = VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT;
    uint32_t line_mode = VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT, line_stippled = 0;
    std::array<uint32_t, 2> line_stipple{1, 0};  ///< factor, pattern
    uint32_t samples = 1, sample_mask = ~0U, alpha_to_coverage = 0, alpha_to_one = 0;
    uint32_t logic_op_enable = 0, logic_op = 0;
    uint32_t discard = 0, depth_bias = 0, restart = 0;
    uint32_t cull_mode = VK_CULL_MODE_NONE, front_face = VK_FRONT_FACE_CLOCKWISE;
    uint32_t depth_test = 0, depth_write = 0, depth_compare = VK_COMPARE_OP_NEVER, stencil_test = 0;
    /// Operations for the front and the back: fail, pass, depth fail, comparison.
    std::array<std::array<uint32_t, 4>, 2> stencil_ops{};
    std::array<VkBool32, virgl::kMaxColorBuffers> blends{};
    std::array<VkColorBlendEquationEXT, virgl::kMaxColorBuffers> equations{};
    std::array<VkColorComponentFlags, virgl::kMaxColorBuffers> write_masks{};
};

/// Bit n: row n of the table is dynamic.
using DynamicPieces = std::bitset<64>;
DynamicPieces dynamic_pieces(const vk::Device& device);
/// Adds the dynamic states of a pipeline with or without patches.
void add_states(const DynamicPieces& dynamic, bool patches, std::vector<VkDynamicState>& states);

/// The words of the pieces that are not dynamic.
void append_fixed(const DynamicPieces& dynamic, const OptionalState& state, std::vector<uint32_t>& key);

/// Masks and reference are dynamic everywhere.
VkStencilOpState stencil_operations(const OptionalState& state, VkStencilFaceFlagBits face);
/// Whether FRAG replaces its alpha by one, as the device cannot. Not where coverage takes the alpha, too.
bool replaces_alpha(const vk::Device& device, const virgl::CreateBlend& blend);
/// The fill mode of the faces that are not culled.
virgl::FillMode fill_mode(const virgl::CreateRasterizer& rasterizer);
/// Updates the values from gallium's state, for a draw of this topology.
void update_rasterizer(OptionalState& state, const vk::Device& device, const Bindings& context,
                       VkPrimitiveTopology topology);
void update_depth_stencil(OptionalState& state, const Bindings& context);
void update_blend(OptionalState& state, const vk::Device& device, const Bindings& context,
                  const LinkedProgram& program);
/// Records the pieces that are dynamic, may have changed, and differ from what the command buffer has, which is
/// empty at first.
void record_pieces(VkCommandBuffer commands, const DynamicPieces& dynamic, const Changes& changes,
                   const OptionalState& state, std::optional<OptionalState>& before);

}  // namespace tgsi2spv::host
