// Gallium's state as Vulkan's dynamic state.
#pragma once

#include <array>

#include "renderer/record/linked_program.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostRecorder;

float finite_or(float value, float otherwise);
/// A viewport's depths, near and far, in 0..1.
std::array<float, 2> depths_of(const Bindings& context, uint32_t viewport);
/// The part of the framebuffer that a viewport's scissor leaves.
VkRect2D scissor_of(const Bindings& context, uint32_t viewport);
/// Polygon offset counts for polygons, also where they are drawn as lines or points, but not for lines and points of
/// the guest. `makes_primitives`: a stage after VERT makes the primitives.
bool has_depth_bias(const virgl::CreateRasterizer& rasterizer, uint32_t polygon_mode, VkPrimitiveTopology topology,
                    bool makes_primitives);
/// Whether the device has restarts in indices of this topology.
bool may_restart(const vk::Extras& extras, VkPrimitiveTopology topology);
/// Brings HostRecorder::Recorded::optional up to date with what has changed. Its members of the draw itself are set
/// before.
void update_state(HostRecorder& host, const Bindings& context, const LinkedProgram& program);

}  // namespace tgsi2spv::host
