// Descriptor sets of a program from what is bound. What is missing, or is not of the kind that the shader declares,
// becomes a null descriptor or a dummy: reads give 0, and nothing that the guest binds reaches a driver unchecked.
#pragma once

#include "gpu/stream.h"
#include "renderer/draw/program.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

/// The view that a declaration asks for.
VkImageViewType view_type(const Descriptor& descriptor);

/// Declares the uses of everything that the program reads.
void add_resources(const SubContext& context, const LinkedProgram& program, std::vector<gpu::Use>& uses);
/// Writes and binds the sets of a dispatch. False: no memory.
bool bind_resources(Host& host, const SubContext& context, const LinkedProgram& program);
/// Writes and binds those sets of a draw whose stages have changed: of a stage whose set is bound anew, lavapipe copies
/// 33 KiB, although nothing in it is new. False: no memory.
bool bind_changed_resources(Host& host, const SubContext& context, const LinkedProgram& program);

}  // namespace tgsi2spv::host
