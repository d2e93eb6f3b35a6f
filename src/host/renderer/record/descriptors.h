// Descriptor sets of a program from the bound resources. A resource that is missing, or is not of the declared kind,
// becomes a null descriptor or a dummy: reads give 0, and no binding of the guest reaches a driver unchecked.
#pragma once

#include "renderer/record/linked_program.h"
#include "renderer/state/state.h"
#include "vk/stream.h"

namespace tgsi2spv::host {

struct BoundSets;
struct HostRecorder;

/// Adds the uses of all resources that the program reads.
void add_resources(const Bindings& context, const LinkedProgram& program, std::vector<vk::Use>& uses);
/// Writes and binds those sets whose contents are not in `bound` as they are now: of a stage whose set is bound anew,
/// lavapipe copies 33 KiB, although nothing in it is new. False: memory is short.
bool bind_resources(HostRecorder& host, const Bindings& context, const std::shared_ptr<LinkedProgram>& linked,
                    VkPipelineBindPoint point, BoundSets& bound);

}  // namespace tgsi2spv::host
