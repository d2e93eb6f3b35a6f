// Draws whose arguments are in a buffer.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;

/// Where a draw's arguments are, checked against the buffers.
struct IndirectDraws {
    std::shared_ptr<Resource> arguments, counts;  ///< counts: null without an indirect count
    VkDeviceSize offset = 0, count_offset = 0;
    uint32_t draws = 0, stride = 0;
};

Problem prepare_indirect(const HostState& host, const virgl::Draw& command, IndirectDraws& draws);
/// The contents are the guest's: the device bounds the reads that they cause (robustBufferAccess2).
void record_indirect(VkCommandBuffer commands, const IndirectDraws& draws, bool indexed);

/// A draw whose VERT reads a DRAWID other than 0. Vulkan numbers the draws of one command: those before it are empty.
/// Whether the device has such commands, of so many draws.
bool has_number(const HostState& host, uint32_t draw_id);
/// Room for the arguments of all of them. No data: memory is short.
vk::Staging stage_numbered(HostState& host, uint32_t draw_id);
void record_numbered(HostState& host, const vk::Staging& room, uint32_t draw_id, const VkDrawIndirectCommand& draw);
void record_numbered(HostState& host, const vk::Staging& room, uint32_t draw_id,
                     const VkDrawIndexedIndirectCommand& draw);

}  // namespace tgsi2spv::host
