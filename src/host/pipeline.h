// Pipelines. Nearly all of gallium's state is dynamic; what is not is the key.
#pragma once

#include "host/host.h"

namespace tgsi2spv::host {

/// The values of the program's specialization constants, the attachments' formats, and the class of the topology.
std::vector<uint32_t> make_key(const Host& host, const SubContext& context, const LinkedProgram& program,
                               VkPrimitiveTopology topology, uint32_t patch_vertices);
/// The values of kStateData.
StateValues state_values(const SubContext& context);
/// Compiles on first use. Null if the driver refuses.
VkPipeline find_pipeline(Host& host, LinkedProgram& program, const std::vector<uint32_t>& key);

/// Likewise, of a compute program. `block` is for texts that leave it open.
VkPipeline find_compute_pipeline(Host& host, const SubContext& context, LinkedProgram& program,
                                 const std::array<uint32_t, 3>& block);

/// Features that are only used if their state is dynamic, too.
bool can_set_depth_clamp(const gpu::Device& device);
bool can_set_depth_clip(const gpu::Device& device);
bool can_set_alpha_to_one(const gpu::Device& device);
bool can_set_logic_op(const gpu::Device& device);
bool can_set_provoking_vertex(const gpu::Device& device);
bool can_set_line_mode(const gpu::Device& device);
bool can_set_line_stipple(const gpu::Device& device);
bool can_set_depth_range(const gpu::Device& device);
bool can_set_patch_vertices(const gpu::Device& device);

}  // namespace tgsi2spv::host
