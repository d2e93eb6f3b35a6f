// Pipelines. Nearly all of gallium's state is dynamic; the rest is the key, which differs between devices.
#pragma once

#include "renderer/draw/program.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

/// The class of the topology, the attachments' formats, the values of the program's specialization constants, and the
/// state that this device cannot change by command.
std::vector<uint32_t> make_key(const Host& host, const SubContext& context, const LinkedProgram& program,
                               VkPrimitiveTopology topology, uint32_t patch_vertices);
/// Whether the last draw's pipeline may not be this draw's.
bool has_new_key(const Host& host, const SubContext& context, VkPrimitiveTopology topology, uint32_t patch_vertices,
                 bool restarts);
/// The values of kStateData.
StateValues state_values(const SubContext& context);
/// Compiles on first use, for the bound state. Null if the driver refuses.
VkPipeline find_pipeline(Host& host, const SubContext& context, LinkedProgram& program,
                         const std::vector<uint32_t>& key);

/// Likewise, of a compute program. `block` is for texts that do not fix it.
VkPipeline find_compute_pipeline(Host& host, const SubContext& context, LinkedProgram& program,
                                 const std::array<uint32_t, 3>& block);

}  // namespace tgsi2spv::host
