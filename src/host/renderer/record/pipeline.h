// Pipelines. Nearly all of gallium's state is dynamic; the rest is the key, which differs between devices.
#pragma once

#include <functional>

#include "renderer/record/linked_program.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;
struct HostRecorder;

/// Writes the key: the class of the topology, the attachments' formats, the values of the program's specialization
/// constants, and the state that this device cannot change by command.
void make_key(const HostRecorder& host, const Bindings& context, const LinkedProgram& program,
              VkPrimitiveTopology topology, uint32_t patch_vertices, std::vector<uint32_t>& key);
/// Whether the last draw's pipeline may not be this draw's.
bool has_new_key(const HostRecorder& host);
/// The values of kStateData.
StateValues state_values(const Bindings& context);
/// The program's pipeline of the key, which `make` makes on first use. Null: memory is short. Without a handle: the
/// driver refuses it, for good.
using MakePipeline = std::function<VkResult(VkPipeline&)>;
std::shared_ptr<const Pipeline> find_pipeline(HostRecorder& host, LinkedProgram& program,
                                              const std::vector<uint32_t>& key, const MakePipeline& make);
/// Compiles on first use, for the bound state.
std::shared_ptr<const Pipeline> find_pipeline(HostRecorder& host, const Bindings& context, LinkedProgram& program,
                                              const std::vector<uint32_t>& key);

/// The same for a compute program. `block` is for texts that do not fix it.
std::shared_ptr<const Pipeline> find_compute_pipeline(HostRecorder& host, const Bindings& context,
                                                      LinkedProgram& program, const std::array<uint32_t, 3>& block);

/// Binds a program's pipeline in the command buffer. The batch holds both.
void bind_pipeline(HostState& host, VkPipelineBindPoint point, const std::shared_ptr<LinkedProgram>& program,
                   const std::shared_ptr<const Pipeline>& pipeline);

}  // namespace tgsi2spv::host
