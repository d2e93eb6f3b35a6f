// Flat values on devices that take them from the first vertex of a primitive, where the guest wants the last one: lists
// of primitives whose last vertex comes first. They turn as before.
#pragma once

#include <cstdint>
#include <span>

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;

/// Whether FRAG would read flat values of the wrong vertex.
bool has_wrong_flat_values(const HostState& host, const Bindings& context);
/// The last corner of each primitive becomes the first.
void rotate_corners(std::span<uint32_t> list, uint32_t corners);
/// The same question for a draw without other stages, of which lists (lists.h) are made. Not while outputs are
/// captured, which have an order, nor for stippled strips, whose pattern goes on from line to line.
bool rotates_primitives(const HostState& host, const Bindings& context, const virgl::Draw& command,
                        VkPrimitiveTopology topology);

}  // namespace tgsi2spv::host
