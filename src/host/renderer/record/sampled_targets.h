// Textures that a draw reads while it draws to them. OpenGL defines what is read if the draw writes other texels, and
// between draws after a barrier (OpenGL 4.6, 9.3.1 "Feedback Loops Between Textures and the Framebuffer", 10.6.2 of
// GL_ARB_texture_barrier). Vulkan permits no such reads (VUID-vkCmdDraw-None-06538): the draw reads a copy that is made
// before it. Images that it stores to are copies as well, so that these stores are lost.
#pragma once

#include <optional>

#include "renderer/record/linked_program.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostRecorder;

/// Whether the program reads a level and layer of a target; of 3D textures, a level.
bool samples_targets(const Bindings& context, const LinkedProgram& program);
/// The bindings with copies in place of textures that are targets. Ends the rendering scope. Empty: memory is short.
std::optional<Bindings> copy_sampled_targets(HostRecorder& host, const Bindings& context, const LinkedProgram& program);

}  // namespace tgsi2spv::host
